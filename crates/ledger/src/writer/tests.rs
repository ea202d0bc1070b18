use std::sync::mpsc::{Sender, channel};

use swampbox_authority::{ClockError, Timestamp};
use swampbox_custody::{ConsequenceId, ExecutionId, Refusal, Submission};
use swampbox_material::{Material, Value};
use tempfile::TempDir;

use super::*;
use crate::directory::tests::settled;
use crate::instance::Instance;
use crate::pending::Answer;
use crate::schema;

#[test]
fn an_operation_that_panics_fails_alone_and_the_writer_goes_on() {
    let bench = Bench::new();
    let (before, panicking, after) = bench.together(|| {
        let before = bench.send(note);
        let panicking = bench.send(|_| -> Result<(), _> { panic!("on purpose") });
        (before, panicking, bench.send(note))
    });
    assert!(before.wait().is_ok());
    let failure = panicking.wait().unwrap_err();
    assert_eq!(failure.to_string(), "the custody store failed: an operation panicked");
    assert!(after.wait().is_ok());
    assert!(bench.writer.run(note).is_ok());
    assert_eq!(bench.events(), 3);
}

#[test]
fn an_operation_that_fails_late_leaves_nothing_behind_and_hurts_no_neighbour() {
    let bench = Bench::new();
    let (before, failing, after) = bench.together(|| {
        let before = bench.send(note);
        let failing = bench.send(|batch| {
            note(batch)?;
            let execution: ExecutionId = "A".parse().unwrap();
            Err::<(), _>(Refusal::ExecutionEnded(execution).into())
        });
        (before, failing, bench.send(note))
    });
    assert!(before.wait().is_ok());
    assert_eq!(failing.wait().unwrap_err().code().as_str(), "execution_ended");
    assert!(after.wait().is_ok());
    assert_eq!(bench.events(), 2);
}

#[test]
fn when_the_transaction_is_lost_all_in_it_fail_and_those_that_wait_are_served_in_the_next() {
    let bench = Bench::new();
    let (before, losing, after) = bench.together(|| {
        let before = bench.send(note);
        let losing = bench.send(|batch| {
            note(batch)?;
            // As SQLite does by itself when the disk is full, for one.
            batch.connection().execute_batch("ROLLBACK").unwrap();
            Err::<(), _>(StoreFailure::new("the disk is full").into())
        });
        (before, losing, bench.send(note))
    });
    let full = "the custody store failed: the disk is full";
    assert_eq!(before.wait().unwrap_err().to_string(), full);
    assert_eq!(losing.wait().unwrap_err().to_string(), full);
    assert!(after.wait().is_ok());
    assert_eq!(bench.events(), 1);
}

#[test]
fn when_an_operation_can_not_be_told_apart_from_its_neighbours_none_is_committed() {
    let bench = Bench::new();
    let (before, merging) = bench.together(|| {
        let before = bench.send(note);
        let merging = bench.send(|batch| {
            note(batch)?;
            // There is a savepoint once they are kept apart.
            batch.connection().execute_batch("RELEASE operation").unwrap();
            Ok(())
        });
        (before, merging)
    });
    assert!(before.wait().is_err() && merging.wait().is_err());
    assert_eq!(bench.events(), 0);
}

#[test]
fn nothing_is_committed_to_a_file_that_was_replaced_in_the_meantime() {
    let bench = Bench::new();
    let (path, aside) = (bench.path(), bench.directory.path().join("aside"));
    let (from, to) = (path.clone(), aside.clone());
    let moving = bench.writer.run(move |batch| {
        note(batch)?;
        std::fs::rename(&from, &to).unwrap();
        Ok(())
    });
    assert_eq!(moving.unwrap_err().code().as_str(), "store_unavailable");
    std::fs::rename(aside, path).unwrap();
    assert!(bench.writer.run(note).is_ok());
    assert_eq!(bench.events(), 1);
}

#[test]
fn nothing_is_answered_before_it_is_committed() {
    let bench = Bench::new();
    let reader = schema::open_to_read(&bench.path()).unwrap();
    let (seen, see) = channel();
    let first = bench.send(note);
    first.wait().unwrap();
    let counted = bench.send(move |batch| {
        note(batch)?;
        let committed = "SELECT count(*) FROM events";
        seen.send(reader.query_row(committed, [], |row| row.get::<_, u32>(0)).unwrap()).unwrap();
        Ok(())
    });
    assert_eq!(see.recv().unwrap(), 1, "another connection sees the first alone");
    counted.wait().unwrap();
    assert_eq!(bench.events(), 2);
}

#[test]
fn ten_thousand_waiting_operations_are_all_served_once_the_lock_is_free() {
    let bench = Bench::new();
    let lock = bench.lock();
    let answers: Vec<_> = (0..10_000).map(|_| bench.send(note)).collect();
    lock.execute_batch("COMMIT").unwrap();
    assert!(answers.into_iter().all(|answer| answer.wait().is_ok()));
    assert_eq!(bench.events(), 10_000);
}

#[test]
fn ten_thousand_waiting_operations_all_fail_in_the_time_of_one() {
    let bench = Bench::with(Box::new(Failing), Duration::from_millis(300));
    let lock = bench.lock();
    let began = Instant::now();
    let answers: Vec<_> = (0..10_000).map(|_| bench.send(note)).collect();
    let failed = answers.into_iter().filter_map(|answer| answer.wait().err()).count();
    assert_eq!(failed, 10_000);
    let waited = began.elapsed();
    assert!(waited < Duration::from_secs(20), "they waited one after the other: {waited:?}");
    lock.execute_batch("COMMIT").unwrap();
    assert!(bench.writer.run(note).is_ok());
    assert_eq!(bench.events(), 1);
}

#[test]
fn a_clock_that_panics_leaves_the_time_out_and_stops_nothing() {
    let bench = Bench::with(Box::new(Panicking), PATIENT);
    assert!(bench.writer.run(note).is_ok());
    let dated = "SELECT count(*) FROM events WHERE at IS NOT NULL";
    assert_eq!(bench.count(dated), 0);
}

#[test]
fn operations_that_wait_when_the_ledger_is_closed_are_still_served() {
    let bench = Bench::new();
    let answers: Vec<_> = (0..100).map(|_| bench.send(note)).collect();
    let Bench { directory, writer, .. } = bench;
    drop(writer);
    assert!(answers.into_iter().all(|answer| answer.wait().is_ok()));
    drop(directory);
}

#[test]
fn what_is_submitted_and_changed_in_one_transaction_is_kept_as_it_is_after_it() {
    let bench = Bench::new();
    let (a, b, x): (ExecutionId, ExecutionId, ConsequenceId) =
        ("A".parse().unwrap(), "B".parse().unwrap(), "X".parse().unwrap());
    for execution in [a.clone(), b.clone()] {
        bench.send(move |batch| batch.register(&execution)).wait().unwrap();
    }
    settled(bench.instance.directory());
    assert_eq!(bench.recent.recall(&x, None).unwrap_err(), None, "it looks who is there");
    let material = Material::new("note", "inbox", Value::Null);
    let (execution, consequence) = (a.clone(), x.clone());
    let submission = Submission { execution, consequence, material, parent: None };
    let moved = x.clone();
    let (submitted, transferred) = bench.together(|| {
        let submitted = bench.send(move |batch| batch.submit(submission.clone()));
        (submitted, bench.send(move |batch| batch.transfer(&a, &b, &moved)))
    });
    submitted.wait().unwrap();
    transferred.wait().unwrap();
    let kept = bench.recent.recall(&x, None).ok().and_then(|seen| seen.consequence);
    assert_eq!(kept, None);
}

const PATIENT: Duration = Duration::from_secs(60);

/// A writer on a ledger of its own.
struct Bench {
    directory: TempDir,
    writer: Writer,
    instance: Arc<Instance>,
    recent: Arc<Recent>,
}

impl Bench {
    fn new() -> Self {
        Self::with(Box::new(Failing), PATIENT)
    }

    fn with(clock: Box<dyn Clock>, patience: Duration) -> Self {
        let directory = TempDir::new().unwrap();
        let path = directory.path().join("ledger");
        let connection = schema::create(&path).unwrap();
        connection.busy_timeout(Duration::ZERO).unwrap();
        let instance = Arc::new(Instance::begin(&path).unwrap());
        let recent = Arc::new(Recent::of(instance.clone()));
        let ledger = "a ledger".into();
        let desk = Desk { connection, ledger, clock, patience, recent: recent.clone() };
        Self { writer: Writer::start(desk).unwrap(), directory, instance, recent }
    }

    fn path(&self) -> std::path::PathBuf {
        self.directory.path().join("ledger")
    }

    fn send<T: Send + 'static>(
        &self,
        operation: impl FnMut(&mut Batch<'_>) -> Result<T, CustodyError> + Send + 'static,
    ) -> Answer<T> {
        let (job, answer) = job(operation);
        self.writer.jobs.as_ref().unwrap().send(job).unwrap();
        answer
    }

    /// Everything that `send` sends comes into one transaction, behind one operation that waits
    /// until all of it has come.
    fn together<T>(&self, send: impl FnOnce() -> T) -> T {
        let (all_came, wait): (Sender<()>, _) = channel();
        let gate = self.send(move |_| {
            // It may be run again, when nobody says so any more.
            let _: Result<(), _> = wait.recv();
            Ok(())
        });
        let sent = send();
        all_came.send(()).unwrap();
        drop(gate);
        sent
    }

    /// Another one that writes, and does not end.
    fn lock(&self) -> Opened {
        let connection = schema::open(&self.path()).unwrap();
        connection.execute_batch("BEGIN IMMEDIATE").unwrap();
        connection
    }

    /// How many events there are, once it is sure that none is missing or out of place.
    fn events(&self) -> u32 {
        let count = self.count("SELECT count(*) FROM events");
        assert_eq!(self.count("SELECT coalesce(max(sequence), 0) FROM events"), count);
        let unchained = "SELECT count(*) FROM events AS one JOIN events AS next
                         ON next.sequence = one.sequence + 1 WHERE next.previous <> one.hash";
        assert_eq!(self.count(unchained), 0);
        count
    }

    fn count(&self, sql: &str) -> u32 {
        let reader = schema::open_to_read(&self.path()).unwrap();
        reader.query_row(sql, [], |row| row.get(0)).unwrap()
    }
}

/// The smallest operation.
fn note(batch: &mut Batch<'_>) -> Result<(), CustodyError> {
    let body = Json::object([("execution_id", Json::from("A"))]);
    Ok(batch.event(Kind::Registered, &body).map_err(StoreFailure::from)?)
}

struct Failing;

impl Clock for Failing {
    fn now(&self) -> Result<Timestamp, ClockError> {
        Err(ClockError::new("on purpose"))
    }
}

struct Panicking;

impl Clock for Panicking {
    fn now(&self) -> Result<Timestamp, ClockError> {
        panic!("on purpose")
    }
}
