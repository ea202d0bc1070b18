//! Taking a history elsewhere, and bringing it back.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use swampbox_ledger::{LedgerError, LedgerProblem};
use swampbox_material::Shown;
use tempfile::NamedTempFile;

use super::{place, verify};
use crate::arguments::{Expect, LedgerArguments};
use crate::failure::{Exit, Failure};
use crate::output::Output;

pub(super) fn export(file: &Path, at: &LedgerArguments, out: &mut Output) -> Result<Exit, Failure> {
    let path = place::path(at)?;
    let failed = |name: &str, error: LedgerError| match error.problem() {
        LedgerProblem::Output(cause) => Failure::unwritable(name, cause),
        _ => error.into(),
    };
    if file == Path::new("-") {
        let exported = swampbox_ledger::export(&path, out.raw());
        exported.map_err(|error| failed("standard output", error))?;
        return Ok(Exit::Done);
    }
    let name = file.to_string_lossy();
    // The name of the draft, which an error may quote, is nobody's concern.
    let unwritable = |error: io::Error| Failure::unwritable(&name, &without_names(&error));
    // It is there as a whole, or not at all.
    let directory = file.parent().filter(|directory| !directory.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    if !directory.is_dir() {
        return Err(Failure::unwritable(&name, &io::ErrorKind::NotADirectory.into()));
    }
    let draft = NamedTempFile::new_in(directory).map_err(unwritable)?;
    let exported = swampbox_ledger::export(&path, draft.as_file());
    let exported = exported.map_err(|error| failed(&name, error))?;
    draft.as_file().sync_all().map_err(unwritable)?;
    draft.persist_noclobber(file).map_err(|error| unwritable(error.error))?;
    // Its name is on disk only when its directory is.
    File::open(directory).and_then(|directory| directory.sync_all()).map_err(unwritable)?;
    if at.json {
        out.json(&exported.to_document())?;
    } else {
        out.line(format_args!("{} holds {} events now", Shown::text(&name), exported.events))?;
    }
    Ok(Exit::Done)
}

fn without_names(error: &io::Error) -> io::Error {
    error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error)
}

pub(super) fn import(
    file: &Path,
    expect: &Expect,
    at: &LedgerArguments,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let path = place::path(at)?;
    let expectations = verify::expectations(expect)?;
    let mut source: Box<dyn BufRead> = if file == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        let name = file.to_string_lossy();
        let source = File::open(file).map_err(|error| Failure::unreadable(&name, &error))?;
        Box::new(BufReader::new(source))
    };
    let made = place::make_directory(&path)?;
    let imported = swampbox_ledger::import(&path, &mut source, &expectations);
    if imported.is_err() {
        made.undo();
    }
    verify::report(imported, at.json, out)
}

pub(super) fn backup(file: &Path, at: &LedgerArguments, out: &mut Output) -> Result<Exit, Failure> {
    verify::report(swampbox_ledger::backup(place::path(at)?, file), at.json, out)
}
