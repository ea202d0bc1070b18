//! A naive model of the containment contract.
//!
//! It says what the contract says, in the words of the contract, and nothing else: flat lists,
//! linear scans, no sharing, no code of the product. Where it and the product disagree, one of
//! them misreads the contract.
//!
//! [`run`] plays a [`Scenario`] and gives a [`TraceLine`] for each step, in the order in which
//! `swampbox scenario run FILE --trace` prints them.

mod decision;
mod json;
mod release;
mod run;
mod scenario;
mod store;
#[cfg(test)]
mod tests;
mod time;
mod trace;
mod value;

pub use json::{read, write};
pub use run::run;
pub use scenario::{Authority, Overrides, Release, Scenario, Step};
pub use trace::TraceLine;
pub use value::{Material, Value};
