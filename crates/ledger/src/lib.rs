//! Custody on disk, in SQLite.
//!
//! [`LedgerCustody`] keeps the rules of [`swampbox_custody::rules`] and adds what disk can give:
//!
//! - **Durable.** An operation is answered after its commit has reached the disk. What was
//!   answered survives the death of the process; what was not is not half there.
//! - **Attempts are written ahead.** The mark and the decision are on disk before an actuator is
//!   entered. An attempt belongs to the [`LedgerCustody`] that began it. When that is gone, the
//!   attempt becomes UNCERTAIN, and nothing is ever run again.
//! - **A history that shows tampering.** Every change, and every refusal of a release, is an event in
//!   a chain of hashes. [`verify`] reads all of it and says where it and the tables first differ.
//!
//! Several processes may use one ledger at once.

mod actions;
mod attempts;
mod backup;
mod binding;
mod change;
mod checkpoint;
mod custody;
mod directory;
mod error;
mod event;
mod export;
mod format;
mod hex;
mod history;
mod import;
mod instance;
mod keys;
mod opened;
mod pending;
mod place;
mod process;
mod readers;
mod recent;
mod records;
mod recovery;
mod resolution;
mod room;
mod rows;
mod schema;
mod verify;
mod writer;

pub use backup::backup;
pub use binding::{Binding, Fate, Lease, NotRenewed, Reaped};
pub use checkpoint::{Checkpoint, InvalidCheckpoint};
pub use custody::LedgerCustody;
pub use error::{LedgerError, LedgerProblem};
pub use event::Event;
pub use export::{Exported, export};
pub use history::{
    Attached, Attempt, Consequence, ConsequenceFilter, Counts, EventFilter, Execution,
    ExecutionFilter, History, Outcome, Page,
};
pub use import::import;
pub use keys::{InvalidPublicKey, KeyError, PublicKey, SecretKey};
pub use process::{Process, ProcessNotFound};
pub use records::{NewRecord, Record};
pub use resolution::{Finding, Resolution, ResolutionError};
pub use schema::new_id;
pub use verify::{Discrepancy, Expectations, Location, Verified, verify};
