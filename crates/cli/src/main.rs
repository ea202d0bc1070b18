//! The `swampbox` command.

use std::sync::Arc;

use signal_hook::consts::SIGXFSZ;
use signal_hook::flag;

fn main() -> std::process::ExitCode {
    // A file that may not grow is an error of whoever writes it, and no reason to end. If that can't be
    // said to the system, it is one.
    drop(flag::register(SIGXFSZ, Arc::default()));
    swampbox::run(std::env::args_os())
}
