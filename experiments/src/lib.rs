//! Controlled experiments around the containment core.
//!
//! - [`inheritance`] shows why a record that outlives its author is not a permission. It stands
//!   beside the canonical boundary and uses none of it.
//! - [`github`] performs one real effect, a GitHub issue, at most once, and reports only what an
//!   independent read confirms.
//!
//! Each experiment is a function from options to a report. A report prints for people, turns into
//! JSON, and knows its [`ExitCode`].

mod exit;
mod process;

pub mod github;
pub mod inheritance;

pub use exit::ExitCode;
pub use process::{Limits, Tool};
