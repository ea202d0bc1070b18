//! The `swampbox` command, as a library for its binary and for tests that cross crates.

mod arguments;
mod commands;
mod config;
mod demo;
mod display;
mod failure;
mod input;
mod output;
pub mod scenario;
mod scratch;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use arguments::Arguments;
use failure::Exit;
use output::Output;

/// Runs the command with these arguments, the program's name first, and says how it ended.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut out = Output::of_process();
    let ended = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => commands::run(arguments, &mut out),
        Err(usage) => out.usage(usage),
    };
    let ended = ended.and_then(|exit| out.finish().map(|()| exit));
    match ended {
        Ok(exit) => exit.into(),
        Err(failure) => {
            out.report(&failure);
            Exit::from(&failure).into()
        }
    }
}
