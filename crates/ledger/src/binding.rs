//! What an execution's life hangs on, and how those whose life is over are ended.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension};
use swampbox_authority::{InvalidTimestamp, Timestamp};
use swampbox_custody::{CustodyError, ExecutionId, ExecutionState, Refusal, StoreFailure};
use swampbox_material::json::{Fields, Json};
use swampbox_material::{Code, Path};

use crate::LedgerCustody;
use crate::error::Failure;
use crate::event::Kind;
use crate::process::{Process, number};
use crate::rows;
use crate::writer::Batch;

/// What an execution's life hangs on. One that is bound to nothing lives until it is ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Binding {
    /// A process: when it is gone, so is the execution.
    Process(Process),
    /// A lease: when it has run out, the execution is gone.
    Lease(Lease),
}

/// How long an execution lives unless the lease is renewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    seconds: u64,
    until: Timestamp,
}

impl Lease {
    /// A lease of some seconds from `now` on.
    ///
    /// # Errors
    ///
    /// If its end is out of range.
    pub fn of(seconds: u64, now: Timestamp) -> Result<Self, InvalidTimestamp> {
        Ok(Self { seconds, until: now.after(Duration::from_secs(seconds))? })
    }

    /// The first moment at which it has run out.
    pub fn until(&self) -> Timestamp {
        self.until
    }
}

/// Whether that on which a life hangs is still there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Life {
    Alive,
    Gone(String),
    /// It can't be told from here.
    Unknown(String),
}

/// An execution that is not known to be alive, and what was done about it.
#[derive(Clone, Debug)]
pub struct Reaped {
    /// The execution.
    pub execution: ExecutionId,
    /// What was found out, as a sentence.
    pub found: String,
    /// What was done.
    pub fate: Fate,
}

/// What was done about an execution that is not known to be alive.
#[derive(Clone, Debug)]
pub enum Fate {
    /// It is gone, and was ended.
    Ended,
    /// It is gone, and could not be ended yet.
    Refused(Refusal),
    /// Whether it is gone can't be told from here, so it was left alone.
    Unknown,
}

/// A lease was not renewed.
#[derive(Debug, thiserror::Error)]
pub enum NotRenewed {
    /// The execution has no lease (`lease_not_found`).
    #[error("execution {0:?} has no lease")]
    NoLease(ExecutionId),
    /// It is not active, or the store failed.
    #[error(transparent)]
    Custody(#[from] CustodyError),
}

impl NotRenewed {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            NotRenewed::NoLease(_) => Code::LeaseNotFound,
            NotRenewed::Custody(error) => error.code(),
        }
    }
}

impl LedgerCustody {
    /// Registers an execution and binds its life. For one that is active already, the binding takes
    /// the place of an earlier one.
    ///
    /// # Errors
    ///
    /// `execution_ended`, `store_unavailable`.
    pub fn register_bound(
        &self,
        execution: &ExecutionId,
        binding: Binding,
    ) -> Result<ExecutionState, CustodyError> {
        let execution = execution.clone();
        self.writer.run(move |batch| {
            let state = batch.register(&execution)?;
            batch.bind(&execution, &binding)?;
            Ok(state)
        })
    }

    /// Renews the lease of an active execution for as long as it was given first, from `now` on. One
    /// that has run out can be renewed until the execution is ended.
    ///
    /// # Errors
    ///
    /// `execution_not_registered`, `execution_not_active`, `lease_not_found`,
    /// `store_unavailable`.
    pub fn renew(&self, execution: &ExecutionId, now: Timestamp) -> Result<Lease, NotRenewed> {
        let id = execution.clone();
        let renewed = self.writer.run(move |batch| batch.renew_lease(&id, now))?;
        renewed.ok_or_else(|| NotRenewed::NoLease(execution.clone()))
    }

    /// Ends every execution whose process is gone, or whose lease has run out at `now`. Never one
    /// whose process runs, is stopped, or can't be seen from here. Gives all that are not known to be
    /// alive, in the order of their ids.
    ///
    /// # Errors
    ///
    /// `store_unavailable`. Executions ended until then stay so.
    pub fn reap(&self, now: Timestamp) -> Result<Vec<Reaped>, CustodyError> {
        self.recover()?;
        let mut reaped = Vec::new();
        for (execution, text) in self.readers.read(bindings).map_err(StoreFailure::from)? {
            let binding = Binding::read(&text).map_err(StoreFailure::from)?;
            let (found, fate) = match binding.life(now) {
                Life::Alive => continue,
                Life::Unknown(found) => (found, Fate::Unknown),
                Life::Gone(found) => match self.end_gone(&execution, text, &found) {
                    Ok(false) => continue,
                    Ok(true) => (found, Fate::Ended),
                    Err(CustodyError::Refused(refusal)) => (found, Fate::Refused(refusal)),
                    Err(failure) => return Err(failure),
                },
            };
            reaped.push(Reaped { execution, found, fate });
        }
        Ok(reaped)
    }

    /// What the life of an execution hangs on; none if it has ended or is bound to nothing.
    ///
    /// # Errors
    ///
    /// `store_unavailable`.
    pub fn binding(&self, execution: &ExecutionId) -> Result<Option<Binding>, StoreFailure> {
        let text = self.readers.read(|connection| binding(connection, execution))?;
        Ok(text.map(|text| Binding::read(&text)).transpose()?)
    }

    /// Ends an execution if its life still hangs on what was found to be gone.
    fn end_gone(
        &self,
        execution: &ExecutionId,
        judged: String,
        found: &str,
    ) -> Result<bool, CustodyError> {
        let (execution, found) = (execution.clone(), found.to_owned());
        self.writer.run(move |batch| {
            let present = binding(batch.connection(), &execution).map_err(StoreFailure::from)?;
            if present.as_ref() != Some(&judged) {
                return Ok(false);
            }
            let id = Json::from(execution.as_str());
            let body = Json::object([("execution_id", id), ("found", Json::from(found.as_str()))]);
            batch.event(Kind::Reaped, &body).map_err(StoreFailure::from)?;
            batch.end(&execution)?;
            Ok(true)
        })
    }
}

impl Binding {
    fn life(&self, now: Timestamp) -> Life {
        match self {
            Binding::Process(process) => process.life(),
            Binding::Lease(Lease { until, .. }) if now < *until => Life::Alive,
            Binding::Lease(Lease { until, .. }) => {
                Life::Gone(format!("its lease ran out at {until}"))
            }
        }
    }

    /// The binding as a document: `{"process": …}` or `{"lease": …}`.
    pub fn to_document(&self) -> Json {
        match self {
            Binding::Process(process) => Json::object([("process", process.to_document())]),
            Binding::Lease(lease) => {
                let until = lease.until.to_string();
                let lease =
                    [("seconds", Json::from(lease.seconds)), ("until", Json::from(until.as_str()))];
                Json::object([("lease", Json::object(lease))])
            }
        }
    }

    fn read(text: &str) -> Result<Self, Failure> {
        let document = Json::read(text.as_bytes())?;
        let root = Path::root();
        let mut fields = Fields::of(&document, &root)?;
        let (process, lease) = (fields.optional("process"), fields.optional("lease"));
        fields.finish()?;
        let binding = match (process, lease) {
            (Some(process), None) => {
                Process::read(process, &root.key("process"))?.map(Binding::Process)
            }
            (None, Some(lease)) => {
                let mut fields = Fields::of(lease, &root.key("lease"))?;
                let seconds = number(fields.required("seconds")?);
                let until = fields.string("until")?.parse().map_err(Failure::corrupt)?;
                fields.finish()?;
                seconds.map(|seconds| Binding::Lease(Lease { seconds, until }))
            }
            _ => None,
        };
        binding.ok_or_else(|| Failure::corrupt("a binding is not well formed"))
    }
}

impl Batch<'_> {
    fn bind(&mut self, execution: &ExecutionId, binding: &Binding) -> Result<(), StoreFailure> {
        let document = binding.to_document();
        let id = Json::from(execution.as_str());
        put(self.connection(), execution, &document.to_string())?;
        let body = Json::object([("execution_id", id), ("binding", document)]);
        Ok(self.event(Kind::Bound, &body)?)
    }

    fn renew_lease(
        &mut self,
        execution: &ExecutionId,
        now: Timestamp,
    ) -> Result<Option<Lease>, CustodyError> {
        match rows::execution(self.connection(), execution).map_err(StoreFailure::from)? {
            Some(ExecutionState::Active) => {}
            Some(ExecutionState::Ended) => {
                return Err(Refusal::ExecutionNotActive(execution.clone()).into());
            }
            None => return Err(Refusal::ExecutionNotRegistered(execution.clone()).into()),
        }
        let text = binding(self.connection(), execution).map_err(StoreFailure::from)?;
        let binding = text.map(|text| Binding::read(&text)).transpose();
        let Some(Binding::Lease(lease)) = binding.map_err(StoreFailure::from)? else {
            return Ok(None);
        };
        let renewed = Lease::of(lease.seconds, now).map_err(StoreFailure::new)?;
        self.bind(execution, &Binding::Lease(renewed))?;
        Ok(Some(renewed))
    }
}

/// The bindings of all executions that have one, in the order of their ids.
pub(crate) fn bindings(connection: &Connection) -> Result<Vec<(ExecutionId, String)>, Failure> {
    let all = "SELECT execution, binding FROM bindings ORDER BY execution";
    let mut all = connection.prepare_cached(all)?;
    let mut rows = all.query([])?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push((rows::id(row, 0)?, row.get(1)?));
    }
    Ok(found)
}

/// Takes away the binding of an execution, if it has one.
pub(crate) fn remove(connection: &Connection, execution: &ExecutionId) -> Result<(), Failure> {
    let remove = "DELETE FROM bindings WHERE execution = ?1";
    connection.prepare_cached(remove)?.execute([execution.as_str()])?;
    Ok(())
}

/// Stores the binding of an execution in the place of an earlier one.
pub(crate) fn put(
    connection: &Connection,
    execution: &ExecutionId,
    binding: &str,
) -> Result<(), Failure> {
    connection
        .prepare_cached(
            "INSERT INTO bindings (execution, binding) VALUES (?1, ?2)
             ON CONFLICT (execution) DO UPDATE SET binding = excluded.binding",
        )?
        .execute([execution.as_str(), binding])?;
    Ok(())
}

fn binding(connection: &Connection, execution: &ExecutionId) -> Result<Option<String>, Failure> {
    let one = "SELECT binding FROM bindings WHERE execution = ?1";
    Ok(connection
        .prepare_cached(one)?
        .query_row([execution.as_str()], |row| row.get(0))
        .optional()?)
}
