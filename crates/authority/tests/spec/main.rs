//! The specification of authority. Read a module, then the snapshots that its tests assert.
#![cfg(test)]

mod bindings;
mod documents;
mod fixture;
mod order;
mod seams;
mod timestamps;
mod typed;
mod window;
