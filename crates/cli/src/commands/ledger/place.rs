//! Which ledger is meant.

use std::env;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use swampbox_experiments::parts::SystemClock;
use swampbox_ledger::LedgerCustody;
use swampbox_material::json::Json;
use swampbox_material::{Code, Shown};

use crate::arguments::LedgerArguments;
use crate::failure::{Exit, Failure};
use crate::output::Output;

pub(super) fn init(at: &LedgerArguments, out: &mut Output) -> Result<Exit, Failure> {
    let path = path(at)?;
    let made = make_directory(&path)?;
    let created = LedgerCustody::create(&path, Box::new(SystemClock));
    if created.is_err() {
        made.undo();
    }
    created?;
    let name = path.to_string_lossy();
    if at.json {
        out.json(&Json::object([("ledger", Json::from(&*name))]))?;
    } else {
        out.line(format_args!("{} is a ledger now", Shown::text(&name)))?;
    }
    Ok(Exit::Done)
}

/// Makes the directory in which a ledger is to lie, for its owner alone, if it is not there.
pub(super) fn make_directory(path: &Path) -> Result<Made, Failure> {
    let directory = path.parent().filter(|directory| !directory.as_os_str().is_empty());
    let Some(directory) = directory else { return Ok(Made::default()) };
    let missing = directory.ancestors().take_while(|one| !one.as_os_str().is_empty());
    let missing = missing.take_while(|one| !one.exists()).map(Path::to_owned).collect();
    let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
    made.map(|()| Made { directories: missing }).map_err(|error| {
        let message = format!("the directory can't be made: {error}");
        Failure::new(Code::StoreUnavailable, &directory.to_string_lossy(), message)
    })
}

/// The directories that were made, the innermost first.
#[derive(Debug, Default)]
pub(super) struct Made {
    directories: Vec<PathBuf>,
}

impl Made {
    /// Removes them again. One in which something lies stays.
    pub(super) fn undo(&self) {
        for directory in &self.directories {
            drop(fs::remove_dir(directory));
        }
    }
}

pub(super) fn open(at: &LedgerArguments) -> Result<LedgerCustody, Failure> {
    Ok(LedgerCustody::open(path(at)?, Box::new(SystemClock))?)
}

/// The path that was given; else that of the environment; else that in the user's data directory.
pub(super) fn path(at: &LedgerArguments) -> Result<PathBuf, Failure> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(path) = at.ledger.clone().or_else(|| variable("SWAMPBOX_LEDGER")) {
        return Ok(path);
    }
    // A relative one is to be ignored, says the specification of the variable.
    let data = variable("XDG_DATA_HOME").filter(|path| path.is_absolute());
    let data = data.or_else(|| variable("HOME").map(|home| home.join(".local/share")));
    data.map(|data| data.join("swampbox/ledger.db")).ok_or_else(|| {
        let message = "nobody says where the ledger is; give --ledger, or set SWAMPBOX_LEDGER";
        Failure::plain(Code::LedgerNotFound, message)
    })
}
