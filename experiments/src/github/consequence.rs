//! What the effect is: exactly a repository, a title and a body.

use std::fmt;

use swampbox_material::Code;

/// GitHub's bound on an owner's name, in characters.
const MAX_OWNER: usize = 39;
/// GitHub's bound on a repository's name, in characters.
const MAX_NAME: usize = 100;
/// GitHub's bound on an issue's title, in characters.
const MAX_TITLE: usize = 256;
/// GitHub's bound on an issue's body, in characters.
const MAX_BODY: usize = 65_536;

/// One issue to be created: what is shown, sent and looked for, without any change between.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueConsequence {
    repository: Repository,
    title: String,
    body: Option<String>,
}

impl IssueConsequence {
    /// Accepts only what GitHub keeps exactly as it is given.
    ///
    /// # Errors
    ///
    /// [`InvalidConsequence`], which names the part that was refused.
    pub fn new(
        repository: &str,
        title: &str,
        body: Option<&str>,
    ) -> Result<Self, InvalidConsequence> {
        let repository = Repository::parse(repository).ok_or(InvalidConsequence::Repository)?;
        if !is_title(title) {
            return Err(InvalidConsequence::Title);
        }
        if !body.is_none_or(is_body) {
            return Err(InvalidConsequence::Body);
        }
        Ok(Self { repository, title: title.to_owned(), body: body.map(str::to_owned) })
    }

    /// Where the issue goes.
    pub const fn repository(&self) -> &Repository {
        &self.repository
    }

    /// The title.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The body, if it has one.
    pub fn body(&self) -> Option<&str> {
        self.body.as_deref()
    }
}

/// A repository on github.com: `owner/name`. Compared exactly, letter case included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository(String);

impl Repository {
    /// `None` unless `text` is an owner and a name that GitHub could have given out.
    pub fn parse(text: &str) -> Option<Self> {
        let (owner, name) = text.split_once('/')?;
        (is_owner(owner) && is_name(name)).then(|| Self(text.to_owned()))
    }

    /// `owner/name`.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The page of issue `number`.
    pub(crate) fn issue_url(&self, number: u64) -> String {
        format!("https://github.com/{self}/issues/{number}")
    }

    /// The repository as the API names it.
    pub(crate) fn api_url(&self) -> String {
        format!("https://api.github.com/repos/{self}")
    }
}

impl fmt::Display for Repository {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why something is no issue consequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidConsequence {
    /// The material is of another type.
    #[error("consequence_type: must be `{}`", IssueConsequence::CONSEQUENCE_TYPE)]
    Type,
    /// The material's payload has other fields.
    #[error("payload: must be exactly a `title`, a string, and a `body`, a string or null")]
    Payload,
    /// The repository is not `owner/name`.
    #[error(
        "repository: not `owner/name` as GitHub writes it; give it without host, `.git` or spaces"
    )]
    Repository,
    /// The title would not be kept as given.
    #[error(
        "title: must be 1 to {MAX_TITLE} characters on one line, without control characters and \
         without white space at either end"
    )]
    Title,
    /// The body would not be kept as given.
    #[error(
        "body: must be 1 to {MAX_BODY} characters, without control characters other than tab and \
         line feed; leave it out for no body"
    )]
    Body,
}

impl InvalidConsequence {
    /// The stable code.
    pub const fn code(self) -> Code {
        Code::InvalidDocument
    }
}

fn is_owner(text: &str) -> bool {
    (1..=MAX_OWNER).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && !text.starts_with('-')
        && !text.ends_with('-')
}

fn is_name(text: &str) -> bool {
    (1..=MAX_NAME).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._".contains(&byte))
        && ![".", ".."].contains(&text)
        && !text.to_ascii_lowercase().ends_with(".git")
}

fn is_title(text: &str) -> bool {
    (1..=MAX_TITLE).contains(&text.chars().count())
        && text.trim() == text
        && !text.contains(|c: char| c.is_control() || ['\u{2028}', '\u{2029}'].contains(&c))
}

fn is_body(text: &str) -> bool {
    (1..=MAX_BODY).contains(&text.chars().count())
        && !text.contains(|c: char| c.is_control() && !['\t', '\n'].contains(&c))
}
