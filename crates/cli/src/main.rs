//! The swampbox command.
fn main() {}
