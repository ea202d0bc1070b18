//! The parts of the boundary in the process that is killed, which stop at a point on request.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
use std::thread;

use swampbox_authority::{Clock, ClockError, Timestamp};
use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorReport, Admission};
use swampbox_custody::{
    AttemptRecord, ConsequenceId, Custody, CustodyError, ExecutionId, ExecutionState, Mark,
    RefusedRelease, ReleaseState, Settlement, Snapshot, Submission,
};
use swampbox_experiments::parts::SystemClock;

use super::disk::effects_beside;
use super::operation::Outcome;
use super::victim::say;

/// A point in a release at which the process is killed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Point {
    AfterTheMark,
    BeforeTheEffect,
    AfterTheEffect,
    BeforeTheOutcome,
}

impl Point {
    pub(super) const ALL: [Point; 4] = [
        Point::AfterTheMark,
        Point::BeforeTheEffect,
        Point::AfterTheEffect,
        Point::BeforeTheOutcome,
    ];

    pub(super) fn as_str(self) -> &'static str {
        match self {
            Point::AfterTheMark => "after the mark",
            Point::BeforeTheEffect => "before the effect",
            Point::AfterTheEffect => "after the effect",
            Point::BeforeTheOutcome => "before the outcome",
        }
    }
}

/// The point at which one release stops for good, if it is to.
#[derive(Clone, Copy)]
pub(super) struct Stop<'r> {
    pub(super) point: Option<Point>,
    pub(super) consequence: &'r str,
}

impl Stop<'_> {
    fn here(self, point: Point) {
        if self.point == Some(point) {
            say(format_args!("at {}", self.consequence));
            loop {
                thread::park();
            }
        }
    }
}

/// The clock of one release. It is read for the third time once the mark is set.
pub(super) struct StoppingClock<'r> {
    pub(super) stop: Stop<'r>,
    pub(super) readings: AtomicU32,
}

impl Clock for StoppingClock<'_> {
    fn now(&self) -> Result<Timestamp, ClockError> {
        if self.readings.fetch_add(1, SeqCst) == 2 {
            self.stop.here(Point::AfterTheMark);
        }
        SystemClock.now()
    }
}

/// Appends a line to a file, and waits until it is on disk.
pub(super) struct Appending<'r> {
    pub(super) stop: Stop<'r>,
    pub(super) ledger: &'r Path,
    pub(super) outcome: Outcome,
}

impl Actuator for Appending<'_> {
    fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        self.stop.here(Point::BeforeTheEffect);
        if self.outcome == Outcome::DoesNothing {
            return Ok(ActuatorReport::definite_not_executed("as ordered"));
        }
        let line = format!("{} {}\n", admission.consequence_id(), admission.attempt_id());
        let file = OpenOptions::new().append(true).create(true).open(effects_beside(self.ledger));
        let mut file = file.map_err(ActuatorFailure::new)?;
        let written = file.write(line.as_bytes()).map_err(ActuatorFailure::new)?;
        assert_eq!(written, line.len());
        file.sync_data().map_err(ActuatorFailure::new)?;
        self.stop.here(Point::AfterTheEffect);
        match self.outcome {
            Outcome::Doubts => Err(ActuatorFailure::new("as ordered")),
            _ => Ok(ActuatorReport::succeeded("the line is on disk")),
        }
    }
}

/// A ledger that stops one release before its outcome is stored.
pub(super) struct StoppingCustody<'r, C> {
    pub(super) stop: Stop<'r>,
    pub(super) ledger: &'r C,
}

impl<C: Custody> Custody for StoppingCustody<'_, C> {
    fn settle(&self, mark: Mark, settlement: Settlement, detail: &str) -> Result<(), CustodyError> {
        self.stop.here(Point::BeforeTheOutcome);
        self.ledger.settle(mark, settlement, detail)
    }

    fn register(&self, execution: &ExecutionId) -> Result<ExecutionState, CustodyError> {
        self.ledger.register(execution)
    }

    fn end(&self, execution: &ExecutionId) -> Result<ExecutionState, CustodyError> {
        self.ledger.end(execution)
    }

    fn submit(&self, submission: Submission) -> Result<Snapshot, CustodyError> {
        self.ledger.submit(submission)
    }

    fn read(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        self.ledger.read(execution, consequence)
    }

    fn transfer(
        &self,
        source: &ExecutionId,
        target: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        self.ledger.transfer(source, target, consequence)
    }

    fn inspect(&self, consequence: &ConsequenceId) -> Result<Snapshot, CustodyError> {
        self.ledger.inspect(consequence)
    }

    fn adopt(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        self.ledger.adopt(execution, consequence)
    }

    fn state(&self, consequence: &ConsequenceId) -> Result<ReleaseState, CustodyError> {
        self.ledger.state(consequence)
    }

    fn request_release(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        self.ledger.request_release(execution, consequence)
    }

    fn recheck_release(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Snapshot, CustodyError> {
        self.ledger.recheck_release(execution, consequence)
    }

    fn mark(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
        record: &AttemptRecord,
    ) -> Result<Mark, CustodyError> {
        self.ledger.mark(execution, consequence, record)
    }

    fn note_refusal(&self, refusal: &RefusedRelease) -> Result<(), CustodyError> {
        self.ledger.note_refusal(refusal)
    }
}
