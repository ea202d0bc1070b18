//! The specification of the authority providers. Read a module, then the snapshots that its tests
//! assert.
#![cfg(test)]
