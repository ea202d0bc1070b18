//! Names that git is given: each is checked here and nowhere else.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The full id of a commit: 40 or 64 hexadecimal digits in lower case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommitId {
    // INVARIANT (full id): digits and letters only, so it is never an option or a revision.
    text: Arc<str>,
}

impl CommitId {
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// How git names the kind of ids that this is.
    pub(crate) fn object_format(&self) -> &'static str {
        if self.text.len() == 64 { "sha256" } else { "sha1" }
    }
}

impl FromStr for CommitId {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let hex = |c: char| matches!(c, '0'..='9' | 'a'..='f');
        if !matches!(text.len(), 40 | 64) || !text.chars().all(hex) {
            return Err("a commit's id is 40 or 64 hexadecimal digits in lower case, in full");
        }
        if text.chars().all(|c| c == '0') {
            return Err("the id is all zeros, by which git means none");
        }
        Ok(Self { text: text.into() })
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

/// The short name of a branch: what follows `refs/heads/`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BranchName {
    // INVARIANT (plain name): satisfies `check_name`, which is stricter than git.
    text: Arc<str>,
}

const MAX_NAME_BYTES: usize = 200;

impl BranchName {
    /// The full name of its ref.
    pub(crate) fn to_ref(&self) -> String {
        format!("refs/heads/{}", self.text)
    }
}

impl FromStr for BranchName {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        check_name(text)?;
        Ok(Self { text: text.into() })
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

fn check_name(text: &str) -> Result<(), &'static str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+' | '/');
    if text.is_empty() || text.len() > MAX_NAME_BYTES || !text.chars().all(plain) {
        return Err("a branch's name is 1 to 200 letters, digits, `.`, `_`, `-`, `+` and `/`");
    }
    let part = |part: &str| {
        !part.is_empty()
            && !part.starts_with(['.', '-'])
            && !part.ends_with('.')
            && !part.ends_with(".lock")
            && !part.contains("..")
    };
    if !text.split('/').all(part) {
        return Err(
            "a part of the branch's name is empty, begins with `.` or `-`, holds `..`, or \
                    ends with `.` or `.lock`",
        );
    }
    if text == "HEAD" || text.starts_with("refs/") {
        return Err("the branch's name is `HEAD` or begins with `refs/`; give its short name");
    }
    Ok(())
}

/// Which branches may be moved: `main` is one, `agent/*` are all below `agent/`, however deep, and
/// `*` are all.
///
/// ```
/// use swampbox_actuators::BranchPattern;
///
/// assert!("agent/*".parse::<BranchPattern>().is_ok());
/// assert!("release-*".parse::<BranchPattern>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchPattern {
    pattern: Pattern,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Pattern {
    One(BranchName),
    Below(BranchName),
    All,
}

/// Text that is no [`BranchPattern`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a branch pattern is a branch's name, or one followed by `/*`, or `*`: {problem}")]
pub struct InvalidBranchPattern {
    problem: &'static str,
}

impl BranchPattern {
    pub(crate) fn covers(&self, branch: &BranchName) -> bool {
        match &self.pattern {
            Pattern::One(name) => name == branch,
            Pattern::Below(name) => {
                let below = branch.text.strip_prefix(&*name.text);
                below.is_some_and(|rest| rest.starts_with('/'))
            }
            Pattern::All => true,
        }
    }
}

impl FromStr for BranchPattern {
    type Err = InvalidBranchPattern;

    fn from_str(text: &str) -> Result<Self, InvalidBranchPattern> {
        let name = |text: &str| text.parse().map_err(|problem| InvalidBranchPattern { problem });
        let pattern = match text.strip_suffix("/*") {
            _ if text == "*" => Pattern::All,
            Some(above) => Pattern::Below(name(above)?),
            None => Pattern::One(name(text)?),
        };
        Ok(Self { pattern })
    }
}

/// Who makes the commits, as author and as committer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GitIdentity {
    // INVARIANT (kept by git): git writes both into a commit as they are.
    pub(crate) name: Arc<str>,
    pub(crate) email: Arc<str>,
}

/// A name or an address that git would not write as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a git identity is a name and an address of 1 to 200 bytes each, that begin and end with a \
     letter or a digit and hold no control character, `<` and `>`; the {which} does not fit"
)]
pub struct InvalidGitIdentity {
    which: &'static str,
}

impl GitIdentity {
    /// An identity of this name and this e-mail address.
    ///
    /// # Errors
    ///
    /// If one of them is not 1 to 200 bytes, does not begin and end with a letter or a digit, or holds
    /// a control character, `<` or `>`.
    pub fn new(name: &str, email: &str) -> Result<Self, InvalidGitIdentity> {
        let fits = |text: &str| {
            text.len() <= MAX_NAME_BYTES
                && text.starts_with(char::is_alphanumeric)
                && text.ends_with(char::is_alphanumeric)
                && !text.contains(|c: char| c.is_control() || matches!(c, '<' | '>'))
        };
        match (fits(name), fits(email)) {
            (false, _) => Err(InvalidGitIdentity { which: "name" }),
            (true, false) => Err(InvalidGitIdentity { which: "address" }),
            (true, true) => Ok(Self { name: name.into(), email: email.into() }),
        }
    }
}
