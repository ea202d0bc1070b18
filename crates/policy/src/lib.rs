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
