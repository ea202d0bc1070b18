//! Actuators: what carries a released consequence out.
