//! Compares what git has made of a patch with what the patch says.

use std::collections::BTreeMap;

use super::{FileChange, path};

/// The modes before and after of what differs between two trees, by its path.
type Differences = BTreeMap<Vec<u8>, [String; 2]>;

const NO_FILE: &str = "000000";

/// Checks that the trees differ in exactly what was announced, as `diff-tree -r --raw -z --no-renames`
/// lists it, and in plain files only.
///
/// # Errors
///
/// What is wrong.
pub(crate) fn check(raw: &[u8], announced: &[FileChange]) -> Result<(), String> {
    let mut found = read(raw)?;
    if found.is_empty() {
        return Err("the patch changes nothing".into());
    }
    for (name, modes) in &found {
        modes.iter().try_for_each(|mode| check_mode(mode))?;
        path::check(name).map_err(|problem| format!("the patch {problem}"))?;
    }
    let agrees = announced.iter().all(|change| take(&mut found, change).unwrap_or(false));
    if agrees && found.is_empty() {
        Ok(())
    } else {
        Err("git makes something else of the patch than its lines say".into())
    }
}

/// Whether the change is among what was found, from which it is taken away. None if it is not there.
fn take(found: &mut Differences, change: &FileChange) -> Option<bool> {
    Some(match change {
        FileChange::Added { path, mode } => found.remove(path)? == [NO_FILE, mode],
        FileChange::Deleted { path, mode } => {
            let [old, new] = found.remove(path)?;
            old != NO_FILE && new == NO_FILE && mode.as_ref().is_none_or(|mode| *mode == old)
        }
        FileChange::Changed { path, modes } => agree(found.remove(path)?, modes.as_ref()),
        FileChange::Renamed { from, to, modes } => {
            let ([old, gone], [none, new]) = (found.remove(from)?, found.remove(to)?);
            gone == NO_FILE && none == NO_FILE && agree([old, new], modes.as_ref())
        }
        FileChange::Copied { to, mode } => {
            let [old, new] = found.remove(to)?;
            old == NO_FILE && new != NO_FILE && mode.as_ref().is_none_or(|mode| *mode == new)
        }
    })
}

/// Whether these are the modes before and after of one file, where none announced means that it keeps
/// its own.
fn agree(found: [String; 2], announced: Option<&[String; 2]>) -> bool {
    let [old, new] = &found;
    let is_file = old != NO_FILE && new != NO_FILE;
    is_file && announced.map_or(old == new, |announced| *announced == found)
}

fn read(raw: &[u8]) -> Result<Differences, String> {
    let mut found = Differences::new();
    let mut fields = raw.split(|byte| *byte == 0);
    while let Some(header) = fields.next().filter(|header| !header.is_empty()) {
        let header = String::from_utf8_lossy(header);
        let mut modes = header.strip_prefix(':').unwrap_or_default().split(' ');
        let (Some(old), Some(new), Some(path)) = (modes.next(), modes.next(), fields.next()) else {
            return Err("comparing the trees gave no path".into());
        };
        found.insert(path.to_vec(), [old.to_owned(), new.to_owned()]);
    }
    Ok(found)
}

fn check_mode(mode: &str) -> Result<(), String> {
    match mode {
        "100644" | "100755" | NO_FILE => Ok(()),
        "120000" => Err("the patch touches a symbolic link".into()),
        "160000" => Err("the patch touches a submodule".into()),
        _ => Err("the patch touches something that is no plain file".into()),
    }
}
