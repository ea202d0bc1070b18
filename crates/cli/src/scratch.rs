//! Ledgers that are made for the purpose and thrown away.

use std::path::PathBuf;

use swampbox_experiments::parts::SystemClock;
use swampbox_ledger::LedgerCustody;
use swampbox_material::Code;
use tempfile::TempDir;

use crate::failure::Failure;

/// A directory for one ledger, in the system's place for temporary files. Dropped, it is removed.
#[derive(Debug)]
pub(crate) struct Scratch {
    directory: TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Result<Self, Failure> {
        let made = TempDir::with_prefix("swampbox-");
        let unusable = |error| {
            let message = format!("no temporary directory can be made: {error}");
            Failure::plain(Code::StoreUnavailable, message)
        };
        Ok(Self { directory: made.map_err(unusable)? })
    }

    /// Where the ledger lies.
    pub(crate) fn path(&self) -> PathBuf {
        self.directory.path().join("ledger.db")
    }

    /// A new ledger.
    pub(crate) fn ledger(&self) -> Result<LedgerCustody, Failure> {
        Ok(LedgerCustody::create(self.path(), Box::new(SystemClock))?)
    }
}
