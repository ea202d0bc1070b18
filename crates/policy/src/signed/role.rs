use std::str::FromStr;
use std::sync::Arc;

use swampbox_custody::Snapshot;
use swampbox_material::Shown;

use super::TrustError;

/// What a key may decide about: consequences of some types, done to some targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    name: Arc<str>,
    consequence_types: Pattern,
    targets: Pattern,
}

impl Role {
    /// A role by this name, for what both patterns match.
    pub fn new(name: &str, consequence_types: Pattern, targets: Pattern) -> Self {
        Self { name: name.into(), consequence_types, targets }
    }

    /// Its name, by which the basis of a decision tells it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is enough to decide about this consequence.
    pub(super) fn covers(&self, snapshot: &Snapshot) -> bool {
        let material = &snapshot.material;
        self.consequence_types.matches(material.consequence_type())
            && self.targets.matches(material.target())
    }
}

/// A text that stands for itself, or, with a `*` at its end, for every text that begins with what is
/// before it. `*` alone stands for every text.
///
/// Texts are compared as they are: `https://a.example/*` does not stand for `https://a.example`, and
/// it does stand for `https://a.example/../x`. End a pattern for addresses with a slash before the `*`,
/// or `https://a.example.com` is covered by `https://a.example*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: Arc<str>,
    form: Form,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Whole,
    Beginning,
}

impl Pattern {
    /// Whether it stands for this text.
    pub fn matches(&self, text: &str) -> bool {
        match self.form {
            Form::Whole => *self.text == *text,
            Form::Beginning => text.starts_with(&*self.text),
        }
    }
}

/// # Errors
///
/// `policy_invalid` if a `*` stands anywhere but at the end, or the text is empty.
impl FromStr for Pattern {
    type Err = TrustError;

    fn from_str(pattern: &str) -> Result<Self, TrustError> {
        let (text, form) = match pattern.strip_suffix('*') {
            Some(beginning) => (beginning, Form::Beginning),
            None => (pattern, Form::Whole),
        };
        if pattern.is_empty() || text.contains('*') {
            return Err(TrustError::Pattern { pattern: Shown::brief(pattern).to_string() });
        }
        Ok(Self { text: text.into(), form })
    }
}
