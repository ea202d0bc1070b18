//! The store in memory under many threads.

use std::collections::BTreeSet;
use std::sync::{Barrier, Mutex};
use std::thread;

use insta::assert_snapshot;
use swampbox_custody::{
    AttemptRecord, ConsequenceId, Custody, CustodyError, ExecutionId, MemoryCustody, ReleaseState,
    Settlement,
};
use swampbox_material::Code;

use crate::fixture::{empty, id, root};

const THREADS: usize = 16;

/// How often each race is run.
const RACES: usize = 50;

#[test]
fn each_race_for_one_consequence_has_one_winner() {
    let races = [
        ("submit the same id", race(|store, n| drop_value(store.submit(root(&racer(n), "new"))))),
        (
            "adopt the same orphan",
            race(|store, n| drop_value(store.adopt(&id(&racer(n)), &id("orphan")))),
        ),
        (
            "transfer the same away",
            race(|store, n| drop_value(store.transfer(&id("ann"), &id(&racer(n)), &id("anns")))),
        ),
        (
            "mark the same",
            race(|store, _| {
                drop_value(store.mark(&id("ann"), &id("anns"), &AttemptRecord::default()))
            }),
        ),
        ("end the same execution", race(|store, _| drop_value(store.end(&id("ann"))))),
    ];
    let answers = races.map(|(what, ended)| format!("{what}: {ended}")).join("\n");
    assert_snapshot!(answers);
}

#[test]
fn of_an_end_and_a_mark_exactly_one_happens() {
    for _ in 0..RACES {
        let store = &population();
        let start = &Barrier::new(2);
        let (ended, marked) = thread::scope(|scope| {
            let end = scope.spawn(|| {
                start.wait();
                store.end(&id("ann")).map_err(|error| error.code())
            });
            start.wait();
            let marked = store.mark(&id("ann"), &id("anns"), &AttemptRecord::default());
            (end.join().unwrap(), marked.map_err(|error| error.code()))
        });
        match (ended, marked) {
            (Ok(_), Err(code)) => assert_eq!(code, Code::CustodyChangedBeforeRelease),
            (Err(code), Ok(_)) => assert_eq!(code, Code::ReleaseInProgress),
            both => panic!("both or neither happened: {both:?}"),
        }
    }
}

#[test]
fn the_marks_of_one_consequence_have_ascending_numbers() {
    let store = &population();
    let numbers = &Mutex::new(Vec::new());
    let start = &Barrier::new(THREADS);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                start.wait();
                for _ in 0..500 {
                    if let Ok(mark) = store.mark(&id("ann"), &id("anns"), &AttemptRecord::default())
                    {
                        numbers.lock().unwrap().push(mark.fence());
                        store.settle(mark, Settlement::NotEntered, "").unwrap();
                    }
                }
            });
        }
    });
    let numbers = numbers.lock().unwrap();
    assert!(!numbers.is_empty());
    assert!(numbers.is_sorted_by(|earlier, later| earlier < later));
}

#[test]
fn whatever_threads_do_to_a_few_consequences_each_has_one_custodian_or_is_quarantined() {
    let store = &population();
    let start = &Barrier::new(THREADS);
    let mut active: Vec<ExecutionId> = thread::scope(|scope| {
        let workers: Vec<_> = (0..THREADS)
            .map(|number| {
                scope.spawn(move || {
                    start.wait();
                    Worker::new(store, number).work()
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).collect()
    });
    active.extend((0..THREADS).map(|number| id(&racer(number))));

    for consequence in (0..FEW).map(few) {
        let readers = active.iter().filter(|who| store.read(who, &consequence).is_ok());
        let quarantined = usize::from(store.inspect(&consequence).is_ok());
        match store.state(&consequence) {
            Ok(ReleaseState::Contained) => assert_eq!(readers.count() + quarantined, 1),
            Ok(_) => assert!(readers.count() <= 1 && quarantined == 0),
            Err(error) => assert_eq!(error.code(), Code::ConsequenceNotFound),
        }
    }
    // No mark was left behind, and what each execution holds is what its end finds.
    for execution in &active {
        store.end(execution).unwrap();
    }
    for consequence in (0..FEW).map(few) {
        if store.state(&consequence).is_ok_and(|state| state == ReleaseState::Contained) {
            store.inspect(&consequence).unwrap();
        }
    }
}

/// Ann holds one consequence, another is an orphan, and the racers are active.
fn population() -> MemoryCustody {
    let store = empty();
    let racers = (0..THREADS).map(racer);
    for execution in ["ann".to_owned(), "gone".to_owned()].into_iter().chain(racers) {
        store.register(&id(&execution)).unwrap();
    }
    store.submit(root("ann", "anns")).unwrap();
    store.submit(root("gone", "orphan")).unwrap();
    store.end(&id("gone")).unwrap();
    store
}

fn racer(number: usize) -> String {
    format!("racer-{number}")
}

/// Lets every thread do the same at once, and tells how many won and what the others were told.
fn race(run: impl Fn(&MemoryCustody, usize) -> Result<(), CustodyError> + Sync) -> String {
    let mut endings = BTreeSet::new();
    for _ in 0..RACES {
        let (store, start) = (&population(), &Barrier::new(THREADS));
        let run = &run;
        let answers: Vec<_> = thread::scope(|scope| {
            let racers: Vec<_> = (0..THREADS)
                .map(|number| {
                    scope.spawn(move || {
                        start.wait();
                        run(store, number).map_err(|error| error.code().to_string())
                    })
                })
                .collect();
            racers.into_iter().map(|racer| racer.join().unwrap()).collect()
        });
        let won = answers.iter().filter(|answer| answer.is_ok()).count();
        let refusals: BTreeSet<String> = answers.into_iter().filter_map(Result::err).collect();
        let refusals: Vec<String> = refusals.into_iter().collect();
        endings.insert(format!("{won} of {THREADS} won, the others {}", refusals.join(", ")));
    }
    endings.into_iter().collect::<Vec<_>>().join(" or ")
}

fn drop_value<T>(answer: Result<T, CustodyError>) -> Result<(), CustodyError> {
    answer.map(drop)
}

/// How many consequences the workers share.
const FEW: u64 = 5;

fn few(number: u64) -> ConsequenceId {
    id(&format!("shared-{number}"))
}

/// A thread that has one life after another, and does something at random in each.
struct Worker<'s> {
    store: &'s MemoryCustody,
    number: usize,
    lives: u64,
    random: u64,
}

impl<'s> Worker<'s> {
    fn new(store: &'s MemoryCustody, number: usize) -> Self {
        let random = number as u64 + 1;
        Self { store, number, lives: 0, random }
    }

    /// Works, and names the execution that is still active afterwards.
    fn work(mut self) -> ExecutionId {
        self.store.register(&self.me()).unwrap();
        for _ in 0..1_000 {
            // Most of it is refused. What is refused, and why, is not the question here.
            match self.random(8) {
                0 => drop(
                    self.store.submit(root(self.me().as_str(), few(self.random(FEW)).as_str())),
                ),
                1 | 2 => drop(self.store.adopt(&self.me(), &few(self.random(FEW)))),
                3 | 4 => self.give(),
                5 => self.begin_anew(),
                _ => self.release(),
            }
        }
        self.me()
    }

    fn me(&self) -> ExecutionId {
        id(&format!("worker-{}-{}", self.number, self.lives))
    }

    fn give(&mut self) {
        let target = id(&racer(self.random(THREADS as u64) as usize));
        drop(self.store.transfer(&self.me(), &target, &few(self.random(FEW))));
        drop(self.store.transfer(&target, &self.me(), &few(self.random(FEW))));
    }

    fn begin_anew(&mut self) {
        if self.store.end(&self.me()).is_ok() {
            self.lives += 1;
            self.store.register(&self.me()).unwrap();
        }
    }

    fn release(&mut self) {
        if let Ok(mark) =
            self.store.mark(&self.me(), &few(self.random(FEW)), &AttemptRecord::default())
        {
            let settlement = match self.random(400) {
                0 => Settlement::Released,
                1 => Settlement::Uncertain,
                _ => Settlement::NotExecuted,
            };
            self.store.settle(mark, settlement, "").unwrap();
        }
    }

    /// A number below `bound`, the same in every run (xorshift).
    fn random(&mut self, bound: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % bound
    }
}
