use std::collections::BTreeMap;

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
