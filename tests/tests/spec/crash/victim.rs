//! The process that is killed: this very program, run again.

use std::env;
use std::fmt;
use std::io::{Write, stderr};
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::thread;

use swampbox_boundary::ReleaseBoundary;
use swampbox_custody::{Custody, CustodyError, Submission};
use swampbox_experiments::parts::{Deciding, SystemClock};
use swampbox_ledger::LedgerCustody;
use swampbox_material::{Material, Value};

use super::chance::Chance;
use super::operation::{Operation, Outcome};
use super::parts::{Appending, Point, Stop, StoppingClock, StoppingCustody};

const LEDGER: &str = "SWAMPBOX_CRASH_LEDGER";
const ROUND: &str = "SWAMPBOX_CRASH_ROUND";
const POINT: &str = "SWAMPBOX_CRASH_POINT";

/// How many threads there are beside the first one, which is number 0.
const THREADS: u64 = 4;

/// How many consequences all threads try to release, and to adopt.
const CONTESTED: u64 = 12;

/// What begins each line of the process, among all that its test harness says.
pub(super) const SAYS: &str = "| ";

/// What the process is to do.
pub(super) struct Orders {
    pub(super) path: PathBuf,
    pub(super) round: u64,
    /// Where one release is to stop and wait for the end, if one is.
    pub(super) point: Option<Point>,
}

impl Orders {
    pub(super) fn command(&self) -> Command {
        let mut command = Command::new(env::current_exe().unwrap());
        let name = "crash::victim::works_until_it_is_killed";
        command.args(["--exact", name, "--nocapture", "--test-threads=1"]);
        command.env(LEDGER, &self.path).env(ROUND, self.round.to_string());
        command.env(POINT, self.point.map_or("", Point::as_str)).env_remove("RUST_BACKTRACE");
        command
    }

    fn given() -> Option<Self> {
        let path = PathBuf::from(env::var_os(LEDGER)?);
        let point = env::var(POINT).unwrap();
        Some(Self {
            path,
            round: env::var(ROUND).unwrap().parse().unwrap(),
            point: Point::ALL.into_iter().find(|one| one.as_str() == point),
        })
    }
}

/// One line, in one write, to whoever watches.
pub(super) fn say(line: impl fmt::Display) {
    stderr().write_all(format!("{SAYS}{line}\n").as_bytes()).unwrap();
}

/// Nothing, unless this process was started to be killed.
#[test]
fn works_until_it_is_killed() {
    let Some(orders) = Orders::given() else { return };
    say("opening");
    let ledger = LedgerCustody::open(&orders.path, Box::new(SystemClock)).unwrap();
    let releases = &AtomicU64::default();
    let worker = |number| Worker { ledger: &ledger, orders: &orders, number, releases };
    worker(0).prepare();
    thread::scope(|scope| {
        for number in 1..=THREADS {
            scope.spawn(move || worker(number).work());
        }
    });
}

struct Worker<'p> {
    ledger: &'p LedgerCustody,
    orders: &'p Orders,
    number: u64,
    /// How many releases were begun that may stop at a point.
    releases: &'p AtomicU64,
}

impl Worker<'_> {
    /// Makes what the threads contend for.
    fn prepare(&self) {
        let round = self.orders.round;
        let (shared, lost) = (format!("shared-{round}"), format!("lost-{round}"));
        for execution in [&shared, &lost] {
            self.run(Operation::Register { execution: execution.clone() });
            for number in 0..CONTESTED {
                let (execution, consequence) = (execution.clone(), format!("{execution}-{number}"));
                self.run(Operation::Submit { execution, consequence });
            }
        }
        self.run(Operation::End { execution: lost });
    }

    fn work(&self) {
        let Orders { round, .. } = self.orders;
        let mut chance = Chance::from(round * 100 + self.number);
        let own = |round, half| format!("own-{round}-{}-{half}", self.number);
        let (first, second) = (own(*round, "a"), own(*round, "b"));
        for execution in [&first, &second] {
            self.run(Operation::Register { execution: execution.clone() });
        }
        if let Some(before) = round.checked_sub(1) {
            self.inherit(&own(before, "a"), &second, &mut chance);
        }
        for turn in 0.. {
            let (execution, consequence) = (first.clone(), format!("{first}-{turn}"));
            self.run(Operation::Submit { execution, consequence: consequence.clone() });
            let mut holder = &first;
            if chance.below(2) == 0 {
                let (source, target) = (first.clone(), second.clone());
                let consequence = consequence.clone();
                self.run(Operation::Transfer { source, target, consequence });
                holder = &second;
            }
            if chance.below(4) > 0 {
                self.release(holder, &consequence, &mut chance);
            }
            self.contend(turn, &second, &mut chance);
        }
    }

    /// Ends an execution of the process before, and takes and releases what it held.
    fn inherit(&self, ended: &str, heir: &str, chance: &mut Chance) {
        self.run(Operation::End { execution: ended.to_owned() });
        for turn in 0..4 {
            let consequence = format!("{ended}-{turn}");
            let (execution, adopted) = (heir.to_owned(), consequence.clone());
            if self.run(Operation::Adopt { execution, consequence: adopted }) == "ok" {
                self.release(heir, &consequence, chance);
            }
        }
    }

    /// Tries for something that all others try for too.
    fn contend(&self, turn: u64, execution: &str, chance: &mut Chance) {
        let round = self.orders.round;
        if turn < CONTESTED {
            let shared = format!("shared-{round}");
            self.release(&shared, &format!("{shared}-{turn}"), chance);
            let consequence = format!("lost-{round}-{turn}");
            let execution = execution.to_owned();
            self.run(Operation::Adopt { execution, consequence });
        }
    }

    fn release(&self, execution: &str, consequence: &str, chance: &mut Chance) {
        let outcome = match chance.below(6) {
            0 => Outcome::DoesNothing,
            1 => Outcome::Doubts,
            _ => Outcome::Succeeds,
        };
        let (execution, consequence) = (execution.to_owned(), consequence.to_owned());
        self.run(Operation::Release { execution, consequence, outcome });
    }

    /// Says what it is about to do, does it, and says how it ended, before anything else.
    fn run(&self, operation: Operation) -> String {
        say(format_args!("try {} {operation}", self.number));
        let answer = self.answer(operation);
        say(format_args!("did {} {answer}", self.number));
        answer
    }

    fn answer(&self, operation: Operation) -> String {
        let ledger = self.ledger;
        match operation {
            Operation::Register { execution } => code(ledger.register(&id(&execution))),
            Operation::End { execution } => code(ledger.end(&id(&execution))),
            Operation::Submit { execution, consequence } => code(ledger.submit(Submission {
                material: Material::new("line", "file", Value::from(consequence.as_str())),
                execution: id(&execution),
                consequence: id(&consequence),
                parent: None,
            })),
            Operation::Transfer { source, target, consequence } => {
                code(ledger.transfer(&id(&source), &id(&target), &id(&consequence)))
            }
            Operation::Adopt { execution, consequence } => {
                code(ledger.adopt(&id(&execution), &id(&consequence)))
            }
            Operation::Release { execution, consequence, outcome } => {
                let stop = Stop { point: self.point(outcome), consequence: &consequence };
                let clock = StoppingClock { stop, readings: AtomicU32::new(0) };
                let actuator = Appending { stop, ledger: &self.orders.path, outcome };
                let custody = StoppingCustody { stop, ledger };
                let boundary = ReleaseBoundary::new(custody, Deciding("decision"), actuator, clock);
                let result = boundary.release(&id(&execution), &id(&consequence));
                result.status().to_string()
            }
        }
    }

    /// A few releases go by, and all later ones stop, so that one does for sure.
    fn point(&self, outcome: Outcome) -> Option<Point> {
        let point = self.orders.point?;
        if outcome != Outcome::Succeeds {
            return None;
        }
        let begun = self.releases.fetch_add(1, SeqCst);
        (begun > self.orders.round % 7).then_some(point)
    }
}

fn id<T: std::str::FromStr<Err: fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

fn code<T>(answer: Result<T, CustodyError>) -> String {
    answer.map_or_else(|error| error.code().to_string(), |_| "ok".into())
}
