//! The `swampbox` command.

fn main() -> std::process::ExitCode {
    swampbox::run(std::env::args_os())
}
