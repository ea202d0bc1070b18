//! What no single crate can show of itself.
#![cfg(test)]

mod dependencies;
mod interleavings;
mod misuse;
mod random;
mod reading;
mod scenarios;
