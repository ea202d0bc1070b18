//! Reading the files that a configuration names: regular ones alone, and no more of them than a bound.

use std::fmt;
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::process::geteuid;
use swampbox_material::Code;
use swampbox_service::read_regular;

use crate::failure::Failure;

/// The longest configuration, policy or credential, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// Why a file was not read.
pub(crate) enum Unread {
    /// The system does not give it.
    Denied(io::Error),
    /// It is none that is read here.
    Refused(String),
}

/// The text of a configuration, a policy or a credential.
pub(super) fn text(path: &Path) -> Result<String, Unread> {
    read(path).map(|(text, _)| text)
}

/// The credential in a file that its owner alone may read, without the end of its line.
pub(crate) fn secret(path: &Path) -> Result<String, Unread> {
    let text = private(path)?;
    let text = text.trim_end_matches(['\r', '\n']);
    match flaw(text) {
        None => Ok(text.to_owned()),
        Some(flaw) => Err(Unread::Refused(flaw)),
    }
}

/// What is in a file that its owner alone may read.
pub(super) fn private(path: &Path) -> Result<String, Unread> {
    let (text, found) = read(path)?;
    if found.permissions().mode() & 0o077 != 0 {
        let message = "others than its owner may read this credential; set its mode to 0600";
        return Err(Unread::Refused(message.to_owned()));
    }
    Ok(text)
}

/// Whether somebody else than its owner may write a file that says who decides: whoever does decides.
/// The owner has to be root or whoever runs this; root looks after the files of others.
pub(super) fn exposed(path: &Path) -> Option<Failure> {
    let found = fs::metadata(path).ok()?;
    let me = geteuid().as_raw();
    let message = if found.permissions().mode() & 0o022 != 0 {
        "others than its owner may write it, and so say who decides; `chmod go-w` keeps them from it"
            .to_owned()
    } else if me != 0 && ![0, me].contains(&found.uid()) {
        format!(
            "it belongs to the user {}, who so says who decides; `chown` it to root or to yourself",
            found.uid()
        )
    } else {
        return None;
    };
    Some(Failure::new(Code::ConfigInvalid, &path.to_string_lossy(), message))
}

/// What makes a text no credential, and where; none if it may be one. It is not repeated.
pub(crate) fn flaw(text: &str) -> Option<String> {
    const FORM: &str = "a credential is one line of visible ASCII characters, without spaces";
    if text.is_empty() {
        return Some(format!("it is empty; {FORM}"));
    }
    let (number, wrong) = (1..).zip(text.chars()).find(|(_, c)| !c.is_ascii_graphic())?;
    let wrong = match wrong {
        '\n' | '\r' => "a line break".to_owned(),
        ' ' => "a space".to_owned(),
        other => format!("U+{:04X}", u32::from(other)),
    };
    Some(format!("character {number} is {wrong}; leave that out, since {FORM}"))
}

/// The content of a regular file of so many bytes at the most. Anything else is refused at once,
/// without waiting for whoever may write into it.
pub(crate) fn bytes(path: &Path, most: usize) -> Result<Vec<u8>, Unread> {
    whole(path, most).map(|(bytes, _)| bytes)
}

fn read(path: &Path) -> Result<(String, Metadata), Unread> {
    let (bytes, found) = whole(path, MAX_BYTES)?;
    let text = String::from_utf8(bytes);
    let text = text.map_err(|_| Unread::Refused("it is not UTF-8".to_owned()))?;
    Ok((text, found))
}

fn whole(path: &Path, most: usize) -> Result<(Vec<u8>, Metadata), Unread> {
    read_regular(path, most).map_err(|error| match error.raw_os_error() {
        Some(_) => Unread::Denied(error),
        None => Unread::Refused(error.to_string()),
    })
}

impl Unread {
    /// Whether there is nothing at all.
    pub(crate) fn is_missing(&self) -> bool {
        matches!(self, Unread::Denied(error) if error.kind() == io::ErrorKind::NotFound)
    }

    /// As the failure of whoever needed it.
    pub(crate) fn failure(&self, path: &Path) -> Failure {
        let subject = path.to_string_lossy();
        match self {
            Unread::Denied(error) => Failure::unreadable(&subject, error),
            Unread::Refused(message) => Failure::new(Code::ConfigInvalid, &subject, message),
        }
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unread::Denied(error) => write!(f, "it can't be read: {error}"),
            Unread::Refused(message) => f.write_str(message),
        }
    }
}
