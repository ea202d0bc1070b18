//! What no single crate can show of itself.

mod dependencies;
mod interleavings;
mod misuse;
mod random;
mod scenarios;
