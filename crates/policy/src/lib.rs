//! Authority providers: who may decide whether a consequence is released.
//!
//! Each answers with a decision that is bound to exactly the snapshot that it was given, to a window,
//! and says what it rests on.

pub mod approvals;
#[cfg(feature = "cedar")]
pub mod cedar;
mod combine;
mod command;
mod hex;
mod http;
mod ids;
mod lookup;
mod outside;
mod rules;
pub mod signed;

pub use combine::{AllOf, FirstThatAnswers};
pub use command::{CommandProvider, CommandProviderBuilder, InvalidProgram};
pub use http::{
    AuthorityUrl, BearerToken, HttpProvider, HttpProviderBuilder, InvalidBearerToken, InvalidUrl,
};
pub use ids::{DecisionIds, RandomIds};
pub use lookup::LookupFailure;
pub use rules::{
    InvalidRules, InvalidWindowLength, MAX_REASON_BYTES, MAX_RULES, Match, Rule, Rules,
    WindowLength,
};
