//! Actuators: what carries a released consequence out.
//!
//! There is one: [`HttpActuator`] sends an HTTP request.

mod http;

pub use http::{HttpActuator, HttpActuatorBuilder, InvalidNotDone, InvalidOrigin, NotDone, Origin};
