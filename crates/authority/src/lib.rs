//! Authority decisions, validity windows, and the ordered validation of a decision.
//!
//! An authority is outside: it is asked with a snapshot of a consequence, and answers with a
//! decision. Whatever it answers, the decision is used only after [`validate`] has found it bound
//! to exactly this consequence, this custodian, this material, and a window that holds now. What
//! passes is a [`ValidatedDecision`], which nothing else can make.
//!
//! An answer is a [`DecisionDocument`]: a typed [`AuthorityDecision`] from a provider inside the
//! program, or JSON from one outside, malformed as that may be.

mod clock;
mod decision;
mod document;
mod provider;
mod refusal;
mod timestamp;
mod validate;
mod window;

pub use clock::{Clock, ClockError};
pub use decision::{AuthorityDecision, Verdict};
pub use document::DecisionDocument;
pub use provider::{AuthorityProvider, AuthorityRequest, NoDecision};
pub use refusal::DecisionRefusal;
pub use timestamp::{InvalidTimestamp, Timestamp};
pub use validate::{ValidatedDecision, validate};
pub use window::{ValidityWindow, WindowError};
