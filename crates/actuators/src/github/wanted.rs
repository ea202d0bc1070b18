//! Reads what is to be created out of the material.

use swampbox_material::{Map, Material, MaterialError, Path, Value};

use super::GitHubActuator;
use super::address::RepositoryName;
use crate::payload::{Payload, refuse, string, wrong_kind};

/// What is to be created, and where.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    pub(crate) repository: RepositoryName,
    pub(crate) what: What<'a>,
    /// The document that asks the API for it.
    pub(crate) document: String,
}

#[derive(Debug)]
pub(crate) enum What<'a> {
    Issue { title: &'a str, body: Option<&'a str> },
    Comment { issue: u64, body: &'a str },
}

const MAX_TITLE_CHARACTERS: usize = 256;
const MAX_BODY_CHARACTERS: usize = 65_536;
const MAX_LABELS: usize = 100;
const MAX_LABEL_CHARACTERS: usize = 50;
const MAX_ISSUE: u64 = 2_147_483_647;

impl<'a> Wanted<'a> {
    /// What `material` describes.
    ///
    /// # Errors
    ///
    /// `invalid_document`, with the path in the material, for anything that the API would not take
    /// exactly as it is written.
    pub(crate) fn read(material: &'a Material) -> Result<Self, MaterialError> {
        let [type_path, target_path, _] = Material::FIELDS.map(|name| Path::root().key(name));
        let read = match &**material.consequence_type() {
            GitHubActuator::ISSUE => issue,
            GitHubActuator::COMMENT => comment,
            _ => {
                let [issue, comment] = [GitHubActuator::ISSUE, GitHubActuator::COMMENT];
                let message = format!("only `{issue}` and `{comment}` can be carried out");
                return refuse(message, type_path);
            }
        };
        let repository =
            material.target().parse().or_else(|problem: &str| refuse(problem, target_path))?;
        let (what, document) = read(material)?;
        Ok(Self { repository, what, document })
    }

    /// Where it is created, and where it is listed afterwards, below the repository.
    pub(crate) fn collection(&self) -> String {
        match self.what {
            What::Issue { .. } => "issues".into(),
            What::Comment { issue, .. } => format!("issues/{issue}/comments"),
        }
    }
}

fn issue(material: &Material) -> Result<(What<'_>, String), MaterialError> {
    let payload = Payload::of(material, &["title", "body", "labels"])?;
    let title = payload.string("title")?;
    check_line(title, MAX_TITLE_CHARACTERS, "title", || payload.path_of("title"))?;
    let body = payload.optional_string("body")?;
    if let Some(body) = body {
        check_body(body, payload.path_of("body"))?;
    }
    if let Some(labels) = payload.field("labels") {
        check_labels(labels, &payload.path_of("labels"))?;
    }
    Ok((What::Issue { title, body }, material.payload().to_json()))
}

fn comment(material: &Material) -> Result<(What<'_>, String), MaterialError> {
    let payload = Payload::of(material, &["issue", "body"])?;
    let issue = match payload.required("issue")? {
        Value::Integer(number) => number.as_u64().filter(|number| (1..=MAX_ISSUE).contains(number)),
        other => return wrong_kind(other, "an integer", payload.path_of("issue")),
    };
    let Some(issue) = issue else {
        return refuse("the issue is no number from 1 to 2147483647", payload.path_of("issue"));
    };
    let body = payload.string("body")?;
    check_body(body, payload.path_of("body"))?;
    if body.trim().is_empty() {
        return refuse("the body is blank", payload.path_of("body"));
    }
    let document = Map::new([("body", Value::from(body))])?;
    Ok((What::Comment { issue, body }, Value::Map(document).to_json()))
}

fn check_labels(labels: &Value, path: &Path) -> Result<(), MaterialError> {
    let Some(list) = labels.as_list() else {
        return wrong_kind(labels, "a list", path.clone());
    };
    if list.items().len() > MAX_LABELS {
        return refuse("there are more than 100 labels", path.clone());
    }
    for (index, label) in list.items().iter().enumerate() {
        let label = string(label, || path.index(index))?;
        check_line(label, MAX_LABEL_CHARACTERS, "label", || path.index(index))?;
    }
    Ok(())
}

/// Whether the text is one that is kept as it is: GitHub trims a title.
fn check_line(
    text: &str,
    most: usize,
    name: &str,
    path: impl FnOnce() -> Path,
) -> Result<(), MaterialError> {
    if !(1..=most).contains(&text.chars().count()) {
        return refuse(format!("the {name} has not 1 to {most} characters"), path());
    }
    if text.trim() != text || text.chars().any(char::is_control) {
        let message = format!("the {name} has outer white space or control characters");
        return refuse(message, path());
    }
    Ok(())
}

fn check_body(body: &str, path: Path) -> Result<(), MaterialError> {
    if body.chars().count() > MAX_BODY_CHARACTERS {
        return refuse("the body has more than 65536 characters", path);
    }
    // A line end is kept as it is only if it is a single line feed.
    if body.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return refuse("the body has control characters beyond line feeds and tabs", path);
    }
    Ok(())
}
