//! No traces, in a program that was built without them.

use super::log::SpanLayer;
use crate::config::Config;
use crate::failure::Failure;

/// Nothing is sent.
pub(super) struct Traces;

impl Traces {
    /// Refuses a configuration that asks for them.
    pub(super) fn of(config: &Config) -> Result<Self, Failure> {
        config.traces().map(|()| Self)
    }

    pub(super) fn layer(&self) -> Option<SpanLayer> {
        None
    }

    pub(super) fn end(self) {}
}
