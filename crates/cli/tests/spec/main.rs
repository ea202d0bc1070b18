//! The command, as its users see it: the built binary, its output and its exit status.
#![cfg(test)]

mod compare;
mod demo;
mod experiment;
mod hostile;
mod pages;
mod run;
mod scenario;
