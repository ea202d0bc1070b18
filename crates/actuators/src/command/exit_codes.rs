use std::collections::BTreeMap;

use crate::outlook::list;

/// What the exit codes of a program mean, as its documentation promises. Whatever is not in here tells
/// nothing.
///
/// A code means "not done" only if the program ends with it before it has done anything. One that it
/// also ends with when it gives up halfway does not belong here, nor one with which it ends while something
/// that it has started goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExitCodes {
    // INVARIANT (one meaning): from two sets that have no code in common.
    meanings: BTreeMap<u8, Meaning>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Done,
    NotDone,
}

/// Exit codes that don't tell anything apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the exit code {code} can't mean both done and not done; leave it out of one of the two")]
pub struct InvalidExitCodes {
    code: u8,
}

impl ExitCodes {
    /// The codes that mean "done", and those that mean "surely not done".
    ///
    /// # Errors
    ///
    /// If a code is among both.
    pub fn new(
        done: impl IntoIterator<Item = u8>,
        not_done: impl IntoIterator<Item = u8>,
    ) -> Result<Self, InvalidExitCodes> {
        let mut meanings: BTreeMap<u8, Meaning> =
            done.into_iter().map(|code| (code, Meaning::Done)).collect();
        for code in not_done {
            if meanings.insert(code, Meaning::NotDone) == Some(Meaning::Done) {
                return Err(InvalidExitCodes { code });
            }
        }
        Ok(Self { meanings })
    }

    /// What they mean, in words.
    pub(crate) fn outlook(&self) -> String {
        let of = |meant: Meaning| {
            let codes = self.meanings.iter().filter(|(_, meaning)| **meaning == meant);
            match list(codes.map(|(code, _)| code)) {
                none if none.is_empty() => "none".into(),
                codes => codes,
            }
        };
        let (done, not_done) = (of(Meaning::Done), of(Meaning::NotDone));
        format!(
            "it is done if it ends with {done}, surely not done with {not_done}, and uncertain with \
             any other exit code"
        )
    }

    pub(crate) fn meaning(&self, code: i32) -> Option<Meaning> {
        self.meanings.get(&u8::try_from(code).ok()?).copied()
    }
}

impl InvalidExitCodes {
    /// The code.
    pub fn code(self) -> u8 {
        self.code
    }
}
