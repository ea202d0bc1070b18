//! Files that a configuration names.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

/// The content of a regular file of so many bytes at the most. Anything else, a pipe or a device for one, is
/// refused at once, without waiting for whoever may write into it.
///
/// # Errors
///
/// Those of the system. What is refused here has no number of the system.
pub fn read_regular(path: &Path, most: usize) -> io::Result<(Vec<u8>, Metadata)> {
    // A pipe without a writer would not open otherwise until one comes.
    let at_once = OFlags::NONBLOCK.bits().cast_signed();
    let file: File = OpenOptions::new().read(true).custom_flags(at_once).open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    file.take((most as u64).saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() > most {
        return Err(io::Error::other(format!("it has more than {most} bytes")));
    }
    Ok((bytes, found))
}

/// What is wrong with a file that was not read.
pub(crate) fn unread(path: &Path, error: &io::Error) -> String {
    let how = match error.raw_os_error() {
        Some(_) => "it can't be read: ",
        None => "",
    };
    format!("{}: {how}{error}", path.display())
}
