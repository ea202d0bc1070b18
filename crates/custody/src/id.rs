use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use swampbox_material::{Code, Shown};

/// The greatest length of an identifier, in bytes of UTF-8.
pub const MAX_IDENTIFIER_BYTES: usize = 256;

macro_rules! identifiers {
    ($($(#[$doc:meta])* $name:ident $what:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// A non-empty string without white space at its ends, without control characters, of at
        /// most [`MAX_IDENTIFIER_BYTES`] bytes. Compared exactly. Cloning is cheap.
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name {
            // INVARIANT (identifier): satisfies `check`.
            text: Arc<str>,
        }

        impl $name {
            /// The identifier as text.
            pub fn as_str(&self) -> &str {
                &self.text
            }
        }

        impl TryFrom<&str> for $name {
            type Error = InvalidIdentifier;

            fn try_from(text: &str) -> Result<Self, InvalidIdentifier> {
                check($what, text, MAX_IDENTIFIER_BYTES)?;
                Ok(Self { text: text.into() })
            }
        }

        impl FromStr for $name {
            type Err = InvalidIdentifier;

            fn from_str(text: &str) -> Result<Self, InvalidIdentifier> {
                Self::try_from(text)
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                self.as_str()
            }
        }

        /// In double quotes, with everything invisible escaped; see [`Shown`].
        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&Shown::text(self.as_str()), f)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    )*};
}

identifiers! {
    /// Names one execution: one life of an agent, with a beginning and an end.
    ///
    /// It is a logical handle. Whoever embeds the library is trusted to present the right one.
    ExecutionId "an execution id";
    /// Names one consequence. Ids are never used again.
    ConsequenceId "a consequence id";
    /// Names one decision of an authority.
    DecisionId "a decision id";
    /// Names one attempt to release a consequence; unique over all attempts of all stores.
    AttemptId "an attempt id";
    /// Names one principal: a person or a program that whoever embeds the library has
    /// authenticated.
    Principal "the name of a principal";
}

impl AttemptId {
    /// The name of a store, of at most `longest` bytes: what is left of an attempt id without
    /// its number.
    pub(crate) fn store(name: &str, longest: usize) -> Result<Self, InvalidIdentifier> {
        check("the name of a store", name, longest)?;
        Ok(Self { text: name.into() })
    }

    /// The id of attempt `number` of a store whose name leaves room for it.
    pub(crate) fn numbered(store: &str, number: u64) -> Self {
        Self { text: format!("{store}-{number}").into() }
    }
}

/// Text that can't be an identifier (`invalid_identifier`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} can't be {what}: {problem}", Shown::brief(text))]
pub struct InvalidIdentifier {
    what: &'static str,
    text: String,
    problem: IdProblem,
}

/// Why some text can't be an identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdProblem {
    /// It is empty.
    #[error("it is empty")]
    Empty,
    /// It has too many bytes.
    #[error("it has {length} bytes, and at most {longest} are allowed")]
    TooLong {
        /// How many bytes it has.
        length: usize,
        /// How many it may have: [`MAX_IDENTIFIER_BYTES`], or fewer where it is made part of a
        /// longer one.
        longest: usize,
    },
    /// It begins or ends with Unicode white space.
    #[error("white space stands at one of its ends")]
    OuterWhiteSpace,
    /// It has a control character.
    #[error("it holds a control character")]
    ControlCharacter,
}

impl InvalidIdentifier {
    /// The stable code.
    pub fn code(&self) -> Code {
        Code::InvalidIdentifier
    }

    /// What is wrong with the text.
    pub fn problem(&self) -> IdProblem {
        self.problem
    }
}

fn check(what: &'static str, text: &str, longest: usize) -> Result<(), InvalidIdentifier> {
    match problem(text, longest) {
        None => Ok(()),
        Some(problem) => Err(InvalidIdentifier { what, text: text.into(), problem }),
    }
}

fn problem(text: &str, longest: usize) -> Option<IdProblem> {
    if text.is_empty() {
        Some(IdProblem::Empty)
    } else if text.len() > longest {
        Some(IdProblem::TooLong { length: text.len(), longest })
    } else if text.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace) {
        Some(IdProblem::OuterWhiteSpace)
    } else if text.contains(char::is_control) {
        Some(IdProblem::ControlCharacter)
    } else {
        None
    }
}
