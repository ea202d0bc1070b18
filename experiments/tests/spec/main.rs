//! The experiments' specification, a module for each kind of outcome.
#![cfg(test)]

mod actuator;
mod answers;
mod github_not_attempted;
mod github_uncertain;
mod github_verified;
mod inheritance;
mod scripted;
mod validation_live;
mod validation_offline;
