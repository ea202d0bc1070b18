//! Actuators: what carries a released consequence out.
//!
//! [`HttpActuator`] sends an HTTP request. A [`Registry`] says which actuator carries out what.

mod http;
mod registry;

pub use http::{
    Connection, HttpActuator, HttpActuatorBuilder, InvalidConnection, InvalidNotDone,
    InvalidOrigin, NotDone, Origin,
};
pub use registry::{Declaration, Declared, Inadmissible, InvalidRoute, Registry};
