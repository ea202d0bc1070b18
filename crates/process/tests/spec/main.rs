//! The specification of running programs: with real processes, which scripts of the shell start.

#![cfg(test)]

mod asking;
mod escapes;
mod killing;
mod processes;
mod running;
