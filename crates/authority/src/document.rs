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
        Self { content, received }
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
        Self { content: Content::Decision(Box::new(decision)), received: None }
    }
}

impl From<Json> for DecisionDocument {
    fn from(document: Json) -> Self {
        Self { content: Content::Document(document), received: None }
    }
}
