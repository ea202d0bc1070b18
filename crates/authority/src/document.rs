use std::sync::Arc;

use swampbox_custody::DecisionId;
use swampbox_material::MaterialError;
use swampbox_material::json::Json;

use crate::AuthorityDecision;

/// What an authority answered, before anything in it is believed.
///
/// A document from outside may be malformed in any way; it is still an answer, and
/// [`validate`](crate::validate) says what is wrong with it.
#[derive(Clone, Debug)]
pub struct DecisionDocument {
    pub(crate) content: Content,
    /// The text, if it came as text.
    received: Option<Arc<str>>,
    basis: Option<Json>,
    consumes: Vec<DecisionId>,
    parts: Vec<Option<DecisionDocument>>,
}

#[derive(Clone, Debug)]
pub(crate) enum Content {
    Decision(Box<AuthorityDecision>),
    Document(Json),
    Unreadable(MaterialError),
}

impl DecisionDocument {
    /// Reads the JSON text of a decision. Text that can't be read is kept as such and refused as
    /// `authority_invalid`.
    pub fn read(text: &[u8]) -> Self {
        let content = match Json::read(text) {
            Ok(document) => Content::Document(document),
            Err(error) => Content::Unreadable(error),
        };
        let received = Some(String::from_utf8_lossy(text).into());
        Self { received, ..Self::of(content) }
    }

    fn of(content: Content) -> Self {
        Self { content, received: None, basis: None, consumes: Vec::new(), parts: Vec::new() }
    }

    /// The same, and what it rests on: such as who approved, or which policies determined it. It is
    /// recorded beside the decision, and no rule looks at it.
    #[must_use]
    pub fn resting_on(self, basis: Json) -> Self {
        Self { basis: Some(basis), ..self }
    }

    /// The same, and that it may release once: the attempt that uses it uses this decision up, and
    /// another is refused with `authority_consumed`. What the answer consumes already stays.
    #[must_use]
    pub fn consuming(mut self, decision: DecisionId) -> Self {
        if !self.consumes.contains(&decision) {
            self.consumes.push(decision);
        }
        self
    }

    /// The same, and the answers that a provider made it of, one for each that it asked, in their
    /// order. It consumes what they do.
    #[must_use]
    pub fn made_of(mut self, parts: Vec<Option<DecisionDocument>>) -> Self {
        for consumed in parts.iter().flatten().flat_map(|part| &part.consumes) {
            self = self.consuming(consumed.clone());
        }
        Self { parts, ..self }
    }

    /// What it rests on, if the provider tells.
    pub fn basis(&self) -> Option<&Json> {
        self.basis.as_ref()
    }

    /// The decisions that an attempt under this answer uses up.
    pub fn consumes(&self) -> &[DecisionId] {
        &self.consumes
    }

    /// The answers that it was made of, if it was made of others.
    pub fn parts(&self) -> &[Option<DecisionDocument>] {
        &self.parts
    }

    /// The answer as text: as it was received, if it was received as text. What is not UTF-8 in it
    /// is replaced, and makes it malformed anyway.
    pub fn as_received(&self) -> String {
        match (&self.received, &self.content) {
            (Some(text), _) => text.to_string(),
            (None, Content::Decision(decision)) => decision.to_document().to_string(),
            (None, Content::Document(document)) => document.to_string(),
            (None, Content::Unreadable(error)) => error.to_string(),
        }
    }

    /// The decision's id, if the answer carries a well-formed one, whatever else is wrong with it.
    pub fn decision_id(&self) -> Option<DecisionId> {
        match &self.content {
            Content::Decision(decision) => Some(decision.decision_id.clone()),
            Content::Document(document) => {
                let id = document.as_object()?.get("decision_id")?.as_str()?;
                DecisionId::try_from(id).ok()
            }
            Content::Unreadable(_) => None,
        }
    }
}

impl From<AuthorityDecision> for DecisionDocument {
    fn from(decision: AuthorityDecision) -> Self {
        Self::of(Content::Decision(Box::new(decision)))
    }
}

impl From<Json> for DecisionDocument {
    fn from(document: Json) -> Self {
        Self::of(Content::Document(document))
    }
}
