//! The command, as its users see it: the built binary, its output and its exit status.
#![cfg(test)]

mod compare;
mod deciding;
mod deciding_edge;
mod deciding_explained;
mod deciding_namespace;
mod deciding_screen;
mod deciding_surroundings;
mod demo;
mod experiment;
mod hostile;
mod ledger;
mod ledger_custody;
mod ledger_execution;
mod ledger_history;
mod ledger_place;
mod ledger_release;
mod ledger_signed;
mod ledger_together;
mod pages;
mod run;
mod scenario;
mod service;
mod service_config;
mod service_confined;
mod service_deciding;
mod service_lanes;
mod service_stopping;
mod service_tokens;
mod service_traces;
