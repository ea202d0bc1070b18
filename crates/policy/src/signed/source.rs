use std::sync::Arc;

use swampbox_authority::AuthorityRequest;

use crate::LookupFailure;

/// Where signed decisions come from: a file, a record, a mailbox. It is not trusted.
pub trait EnvelopeSource: Send + Sync {
    /// The envelope with the decision about what is asked; none if there is none.
    ///
    /// It is asked twice in a release: for the decision, and at the edge, whether it still gives the
    /// same. What was taken away or replaced meanwhile does not stand.
    ///
    /// # Errors
    ///
    /// If it can't be told whether there is one.
    fn envelope(&self, request: &AuthorityRequest) -> Result<Option<Vec<u8>>, LookupFailure>;
}

/// One envelope, given for whatever is asked: that it is about something else shows when the
/// decision is validated.
#[derive(Clone, Debug)]
pub struct FixedEnvelope {
    text: Arc<[u8]>,
}

impl FixedEnvelope {
    /// An envelope of this text.
    pub fn new(text: impl Into<Arc<[u8]>>) -> Self {
        Self { text: text.into() }
    }
}

impl EnvelopeSource for FixedEnvelope {
    fn envelope(&self, _request: &AuthorityRequest) -> Result<Option<Vec<u8>>, LookupFailure> {
        Ok(Some(self.text.to_vec()))
    }
}

impl<T: EnvelopeSource + ?Sized> EnvelopeSource for &T {
    fn envelope(&self, request: &AuthorityRequest) -> Result<Option<Vec<u8>>, LookupFailure> {
        T::envelope(self, request)
    }
}

impl<T: EnvelopeSource + ?Sized> EnvelopeSource for Box<T> {
    fn envelope(&self, request: &AuthorityRequest) -> Result<Option<Vec<u8>>, LookupFailure> {
        T::envelope(self, request)
    }
}

impl<T: EnvelopeSource + ?Sized> EnvelopeSource for Arc<T> {
    fn envelope(&self, request: &AuthorityRequest) -> Result<Option<Vec<u8>>, LookupFailure> {
        T::envelope(self, request)
    }
}
