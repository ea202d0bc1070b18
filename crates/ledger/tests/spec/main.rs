//! The ledger, by example.
#![cfg(test)]

mod checkpoints;
mod child;
mod custody;
mod exactness;
mod exports;
mod faults;
mod formats;
mod history;
mod instances;
mod ledgers;
mod lived;
mod recent;
mod records;
mod recovery;
mod resolutions;
mod tampering;
mod verify;
