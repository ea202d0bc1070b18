//! The specification of the release boundary. Read a module, then the snapshots that its tests
//! assert.
#![cfg(test)]

mod abnormal;
mod actuation;
mod admission;
mod evaluation;
mod fixture;
mod outcomes;
mod reasons;
mod records;
mod refusals;
mod request;
mod standing;
mod store_failures;
mod threads;
mod watched;
