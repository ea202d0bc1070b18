//! Controlled experiments around the containment core.
//!
//! - [`inheritance`] shows why a record that outlives its author is not a permission. It stands
//!   beside the canonical boundary and uses none of it.
//! - [`github`] performs one real effect, a GitHub issue, at most once, and reports only what an
//!   independent read confirms.
//! - [`validation`] follows one consequence through the release boundary, from an execution that
//!   ended to one effect, with the same story without the model beside it.
//!
//! Each experiment is a function from options to a report. A report prints for people, turns into
//! JSON, and knows its [`ExitCode`].

mod exit;

pub mod github;
pub mod inheritance;
pub mod parts;
pub mod validation;

pub use exit::ExitCode;
pub use swampbox_process::{Finished, Limits, RunError, Tool};
