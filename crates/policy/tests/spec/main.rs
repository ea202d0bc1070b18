//! The specification of the authority providers. Read a module, then the snapshots that its tests
//! assert.
#![cfg(test)]

mod all_of;
mod approvals;
mod asked;
#[cfg(feature = "cedar")]
mod cedar_decisions;
#[cfg(feature = "cedar")]
mod cedar_fixture;
#[cfg(feature = "cedar")]
mod cedar_loading;
mod child;
mod combinations;
mod command;
mod command_bounds;
mod first_that_answers;
mod http;
mod http_faults;
mod http_secrets;
mod revalidation;
mod rules;
mod server;
mod signed_edge;
mod signed_envelopes;
mod signed_fixture;
mod signed_keys;
mod signed_release;
mod signed_vectors;
