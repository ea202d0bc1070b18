//! Who sits in front of the command line.

use std::fs::{self, File};
use std::io::{self, Read};

use rustix::fs::{CWD, Mode, OFlags, PROC_SUPER_MAGIC, ResolveFlags, fstatfs, openat, openat2};
use swampbox_custody::Principal;
use swampbox_material::Code;

use crate::failure::Failure;

/// The user that this process runs as, by the login name if the system knows one.
///
/// In a user namespace everybody may call themselves root, so there it can't be told who it is. Nor
/// can it where the system does not say whether this is one.
pub(super) fn person() -> Result<Principal, Failure> {
    let refused = |message: String| Err(Failure::refusal(Code::ApproverNotEligible, message));
    match is_in_a_user_namespace() {
        Ok(false) => login(),
        Ok(true) => {
            refused("in a user namespace it can't be told who you are; decide outside of it".into())
        }
        Err(error) => refused(format!(
            "whether this is a user namespace can't be told ({error}), so it can't be told who you \
             are; decide where /proc is the kernel's own"
        )),
    }
}

/// By the kernel's word alone. In a namespace of their own, people may mount over /proc, or over one
/// file in it, what they like.
fn is_in_a_user_namespace() -> io::Result<bool> {
    let directory = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let proc = openat(CWD, "/proc", directory, Mode::empty())?;
    if fstatfs(&proc)?.f_type != PROC_SUPER_MAGIC {
        return Err(io::Error::other("/proc is something else"));
    }
    let within = ResolveFlags::BENEATH | ResolveFlags::NO_XDEV | ResolveFlags::NO_MAGICLINKS;
    let reading = OFlags::RDONLY | OFlags::CLOEXEC;
    let map = openat2(&proc, "self/uid_map", reading, Mode::empty(), within)?;
    let mut text = String::new();
    File::from(map).read_to_string(&mut text)?;
    let map: Vec<&str> = text.split_whitespace().collect();
    Ok(map != ["0", "0", "4294967295"])
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
