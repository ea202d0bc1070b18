//! What crosses crates: scenarios, a naive model, interleavings, misuse.

pub mod model;
pub mod random;
