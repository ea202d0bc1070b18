//! Events, as they come, to whoever listens.

mod pump;
mod sse;

pub(crate) use pump::{Pump, run};
pub(crate) use sse::answer;
