//! Scenario files: the rules of containment, step by step.
//!
//! A scenario drives a custody store and the release boundary with a scripted clock, a scripted
//! authority and a scripted actuator. [`Scenario::read`] takes a file in whole or refuses it;
//! [`run`] plays it on any store, and [`run_on`] through any other [`Surface`]; the trace is the same on every
//! one.

mod expect;
mod file;
mod run;
mod script;
mod seconds;
mod surface;

pub use expect::{Expectation, Mismatch};
pub use file::{Answer, Authority, MAX_NESTING, Op, Release, Scenario, Step};
pub use run::{Played, StepResult, run, run_on};
pub use surface::{Refused, Script, Surface};
