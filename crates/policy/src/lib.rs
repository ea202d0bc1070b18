//! Authority providers: who may decide whether a consequence is released.
//!
//! Each answers with a decision that is bound to exactly the snapshot that it was given, to a window,
//! and says what it rests on.

pub mod approvals;
#[cfg(feature = "cedar")]
pub mod cedar;
mod hex;
mod lookup;
pub mod signed;

pub use lookup::LookupFailure;
mod combine;
mod command;
mod http;
mod ids;
mod outside;
mod rules;

pub use combine::{AllOf, FirstThatAnswers};
pub use command::{CommandProvider, CommandProviderBuilder, InvalidProgram};
pub use http::{
    AuthorityUrl, BearerToken, HttpProvider, HttpProviderBuilder, InvalidBearerToken, InvalidUrl,
};
pub use ids::{DecisionIds, RandomIds};
pub use rules::{
    InvalidPattern, InvalidRules, InvalidWindowLength, MAX_PATTERN_BYTES, MAX_PATTERN_STARS,
    MAX_REASON_BYTES, MAX_RULES, Pattern, Rule, Rules, WindowLength,
};
