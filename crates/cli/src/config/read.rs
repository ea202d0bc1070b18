//! Reading the files that a configuration names: regular ones alone, and no more of them than a bound.

use std::fmt;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use swampbox_material::Code;

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
    let (file, _) = open(path)?;
    whole(file, most)
}

fn read(path: &Path) -> Result<(String, Metadata), Unread> {
    let (file, found) = open(path)?;
    let text = String::from_utf8(whole(file, MAX_BYTES)?);
    let text = text.map_err(|_| Unread::Refused("it is not UTF-8".to_owned()))?;
    Ok((text, found))
}

fn open(path: &Path) -> Result<(File, Metadata), Unread> {
    // A pipe without a writer would not open otherwise until one comes.
    let at_once = OFlags::NONBLOCK.bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(at_once).open(path);
    let file = file.map_err(Unread::Denied)?;
    let found = file.metadata().map_err(Unread::Denied)?;
    match found.is_file() {
        true => Ok((file, found)),
        false => Err(Unread::Refused("it is no file".to_owned())),
    }
}

fn whole(file: File, most: usize) -> Result<Vec<u8>, Unread> {
    let mut bytes = Vec::new();
    file.take(most as u64 + 1).read_to_end(&mut bytes).map_err(Unread::Denied)?;
    match bytes.len() > most {
        true => Err(Unread::Refused(format!("it has more than {most} bytes"))),
        false => Ok(bytes),
    }
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
