//! The specification of the actuators: each is driven through the real boundary, against servers
//! that say exactly what their test scripts.

#![cfg(test)]

mod answers;
mod connections;
mod failures;
mod fixture;
mod refusals;
mod registry;
mod wire;
