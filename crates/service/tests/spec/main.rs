//! What the service does, as those see it who use it over HTTP.
#![cfg(test)]

mod access;
mod document;
mod events;
mod proposals;
mod served;
