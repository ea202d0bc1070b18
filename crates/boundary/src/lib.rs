//! The release boundary: the one place where a held consequence becomes an effect.
//!
//! [`ReleaseBoundary::release`] asks an external authority, checks that its decision is bound to
//! exactly this consequence, this custodian, this material and a window that holds now, marks the
//! consequence, checks the window once more, and only then enters the [`Actuator`]. What the actuator
//! reports decides what becomes of the consequence: RELEASED, CONTAINED or UNCERTAIN.
//!
//! The steps are the states of one attempt: [`Requested`], [`Evaluated`], [`Admitted`],
//! [`Actuating`]. Each is consumed by the next, so no step can be left out or done twice, and the
//! [`Admission`] that an actuator takes exists only on that path. `release` drives them
//! from one thread; another driver may do the same without blocking.
//!
//! Whatever is missing, malformed, late or panicking releases nothing. Once the actuator has been
//! entered, whatever is not a report of a recognised outcome is UNCERTAIN, and that is final.

mod actuator;
mod admission;
mod attempt;
mod release;
mod result;

pub use actuator::{
    Actuator, ActuatorFailure, ActuatorOutcome, ActuatorReport, Observation, Sighting,
};
pub use admission::Admission;
pub use attempt::{Actuating, Admitted, Evaluated, Requested};
pub use release::ReleaseBoundary;
pub use result::{Reason, ReleaseResult};
