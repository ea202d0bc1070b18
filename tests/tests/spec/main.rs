//! What no single crate can show of itself.
#![cfg(test)]

mod crash;
mod dependencies;
mod interleavings;
mod misuse;
mod random;
mod reading;
mod scenarios;
mod through_http;
