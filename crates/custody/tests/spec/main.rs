//! The specification of custody. Read a module, then the snapshots that its tests assert.
#![cfg(test)]

mod executions;
mod fixture;
mod identifiers;
mod memory;
mod quarantine;
mod reading;
mod refusals;
mod release;
mod settlement;
mod submit;
mod threads;
mod transfer;
