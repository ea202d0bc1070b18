//! Whoever starts the process, listens to it, and kills it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::Stdio;

use super::operation::Operation;
use super::parts::Point;
use super::victim::{Orders, SAYS};

/// When the process is killed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Moment {
    /// As soon as it has acknowledged so many operations; with none, while it opens the ledger.
    AfterAnswers(u64),
    /// Once a release has reached this point, and so many operations were acknowledged since.
    At { point: Point, then: u64 },
}

/// What was heard of a process until it was killed.
#[derive(Debug, Default)]
pub(super) struct Watched {
    /// In the order in which it acknowledged them.
    pub(super) answered: Vec<Answered>,
    pub(super) unanswered: Vec<Operation>,
    /// The consequences whose releases came to the point at which they stopped.
    pub(super) reached: Vec<String>,
}

#[derive(Debug)]
pub(super) struct Answered {
    pub(super) operation: Operation,
    /// `ok` or the code of a refusal; of a release, the state that it led to.
    pub(super) answer: String,
}

impl Moment {
    pub(super) fn point(self) -> Option<Point> {
        match self {
            Moment::AfterAnswers(_) => None,
            Moment::At { point, .. } => Some(point),
        }
    }
}

/// Starts a process with these orders, kills it at that moment, and gives all that it said.
pub(super) fn until_killed(orders: &Orders, moment: Moment) -> Watched {
    let mut command = orders.command();
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut process = command.spawn().unwrap();
    let mut watched = Watched::default();
    let mut begun: BTreeMap<String, Operation> = BTreeMap::new();
    let mut remaining = match moment {
        Moment::AfterAnswers(answers) => Some(answers),
        Moment::At { .. } => None,
    };
    let mut killed = false;
    // What it said before it died is in the pipe, and is read to its end.
    for line in BufReader::new(process.stderr.take().unwrap()).lines() {
        let line = line.unwrap();
        let said = line.strip_prefix(SAYS).unwrap_or_else(|| panic!("the process says: {line}"));
        let (what, rest) = said.split_once(' ').unwrap_or((said, ""));
        match what {
            "opening" => {}
            "try" => {
                let (thread, operation) = rest.split_once(' ').unwrap();
                begun.insert(thread.to_owned(), operation.parse().unwrap());
            }
            "did" => {
                let (thread, answer) = rest.split_once(' ').unwrap();
                let operation = begun.remove(thread).unwrap();
                watched.answered.push(Answered { operation, answer: answer.to_owned() });
                remaining = remaining.map(|answers| answers.saturating_sub(1));
            }
            "at" => {
                watched.reached.push(rest.to_owned());
                remaining = match moment {
                    // The threads that stand there go no further; the others may.
                    Moment::At { then, .. } if watched.reached.len() == 1 => Some(then),
                    _ => Some(0),
                };
            }
            _ => panic!("the process says: {line}"),
        }
        if remaining == Some(0) && !killed {
            killed = true;
            process.kill().unwrap();
        }
    }
    process.wait().unwrap();
    watched.unanswered = begun.into_values().collect();
    watched
}
