//! Who sits in front of the command line.

use std::fs;

use swampbox_custody::Principal;
use swampbox_material::Code;

use crate::failure::Failure;

/// The user that this process runs as, by the login name if the system knows one.
///
/// In a user namespace everybody may call themselves root, so there it can't be told who it is.
pub(super) fn person() -> Result<Principal, Failure> {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let map: Vec<&str> = map.split_whitespace().collect();
    if !matches!(map[..], [] | ["0", "0", "4294967295"]) {
        let message = "in a user namespace it can't be told who you are; decide outside of it";
        return Err(Failure::refusal(Code::ApproverNotEligible, message));
    }
    login()
}

/// The name of that user, for what nobody is believed by.
pub(super) fn login() -> Result<Principal, Failure> {
    let uid = rustix::process::getuid().as_raw();
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let name = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(uid)).then(|| name.to_owned())
    });
    let name = name.unwrap_or_else(|| format!("uid-{uid}"));
    name.parse().map_err(|error| Failure::plain(Code::InvalidIdentifier, error))
}
