//! Attempts that nobody will settle any more.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use swampbox_custody::{CustodyError, Mark, Settlement, StoreFailure};

use crate::LedgerCustody;
use crate::error::Failure;
use crate::event::Kind;
use crate::instance;
use crate::rows;
use crate::writer::Batch;

impl LedgerCustody {
    /// Settles every attempt that nobody will settle any more, and gives how many there were. Opening
    /// does this; a process that lives long does it again, for others that died beside it.
    ///
    /// An attempt whose owner is gone becomes UNCERTAIN; one of a living owner is left alone,
    /// however long that one has been silent. An attempt of this very `LedgerCustody`, whose outcome
    /// could not be stored, becomes UNCERTAIN as well, which is what its caller was told; if its
    /// actuator was never entered, its consequence stays CONTAINED.
    ///
    /// # Errors
    ///
    /// `store_unavailable`.
    pub fn recover(&self) -> Result<usize, StoreFailure> {
        self.instance.tidy();
        let owners = self.owners.clone();
        // Who only looks need not wait for those who write.
        if self.readers.read(|connection| owners.orphans(connection))?.is_empty() {
            return Ok(0);
        }
        let recovered = self.writer.run(move |batch| owners.settle_orphans(batch));
        let recovered = recovered.map_err(|error| match error {
            CustodyError::Store(failure) => failure,
            CustodyError::Refused(refusal) => StoreFailure::new(refusal),
        })?;
        self.owners.forget(&recovered);
        Ok(recovered.len())
    }
}

/// Who may still settle an attempt.
#[derive(Clone, Debug)]
pub(crate) struct Owners {
    ledger: PathBuf,
    own: String,
    given_up: Arc<Mutex<HashMap<u64, Settlement>>>,
}

impl Owners {
    /// As seen by the instance `own`.
    pub(crate) fn seen_by(own: &str, ledger: PathBuf) -> Self {
        Self { ledger, own: own.to_owned(), given_up: Arc::default() }
    }

    /// Notes that an attempt of this instance could not be settled, and that nobody will try again.
    pub(crate) fn give_up(&self, fence: u64, settlement: Settlement) {
        let settlement = match settlement {
            Settlement::NotEntered => Settlement::NotEntered,
            // Its caller was told so.
            _ => Settlement::Uncertain,
        };
        self.given_up().insert(fence, settlement);
    }

    fn forget(&self, settled: &[u64]) {
        self.given_up().retain(|fence, _| !settled.contains(fence));
    }

    fn settle_orphans(&self, batch: &mut Batch<'_>) -> Result<Vec<u64>, CustodyError> {
        let orphans = self.orphans(batch.connection()).map_err(StoreFailure::from)?;
        let mut settled = Vec::new();
        for Orphan { mark, kind, settlement, detail } in orphans {
            if batch.settle(kind, &mark, settlement, detail)?.is_ok() {
                settled.push(mark.fence());
            }
        }
        Ok(settled)
    }

    fn orphans(&self, connection: &Connection) -> Result<Vec<Orphan>, Failure> {
        let open = "SELECT instance, id, execution, consequence, fence FROM attempts
                    WHERE settlement IS NULL ORDER BY fence";
        let mut open = connection.prepare_cached(open)?;
        let mut rows = open.query([])?;
        let mut orphans = Vec::new();
        while let Some(row) = rows.next()? {
            let (attempt, execution) = (rows::id(row, 1)?, rows::id(row, 2)?);
            let consequence = rows::id(row, 3)?;
            let fence = rows::from_integer(row.get(4)?);
            let mark = Mark::issue(attempt, execution, consequence, fence);
            orphans.extend(self.judge(&row.get::<_, String>(0)?, mark)?);
        }
        Ok(orphans)
    }

    /// None if the one that began the attempt may still settle it.
    fn judge(&self, instance: &str, mark: Mark) -> io::Result<Option<Orphan>> {
        if instance == self.own {
            let settlement = self.given_up().get(&mark.fence()).copied();
            let detail = "its outcome could not be stored in time";
            return Ok(settlement.map(|settlement| Orphan {
                mark,
                kind: Kind::Settled,
                settlement,
                detail,
            }));
        }
        if instance::is_alive(&self.ledger, instance)? {
            return Ok(None);
        }
        let detail = "its owner was gone before it was settled";
        let settlement = Settlement::Uncertain;
        Ok(Some(Orphan { mark, kind: Kind::Recovered, settlement, detail }))
    }

    fn given_up(&self) -> MutexGuard<'_, HashMap<u64, Settlement>> {
        self.given_up.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An attempt that nobody will settle, and how it is to be settled.
struct Orphan {
    mark: Mark,
    kind: Kind,
    settlement: Settlement,
    detail: &'static str,
}
