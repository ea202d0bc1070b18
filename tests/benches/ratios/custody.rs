use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Barrier, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorOutcome, ActuatorReport, Admission};
use swampbox_custody::{ConsequenceId, Custody, ExecutionId, MemoryCustody};

use crate::Failure;
use crate::measure::{in_turns, median, per_second, percentile, timed};
use crate::report::{Aim, Figure, Line};
use crate::world::{Boundary, Succeeds, boundary, ids, note, register, release, submit, transfer};

/// One thread: how many submits, transfers and releases a second.
pub(crate) fn throughput() -> Result<Vec<Line>, Failure> {
    const COUNT: usize = 10_000;
    const ROUNDS: usize = 15;
    let mut taken = [(); 3].map(|()| Vec::new());
    for _ in 0..ROUNDS {
        let boundary = boundary(Succeeds)?;
        let custody = boundary.custody();
        let (a, b) = (register(custody, "A")?, register(custody, "B")?);
        let ids = ids("X", COUNT)?;
        let material = note("to be released")?;
        let each = |act: &dyn Fn(&ConsequenceId) -> Result<(), Failure>| {
            timed(|| ids.iter().try_for_each(act))
        };
        let round = [
            each(&|id| submit(custody, &a, id, material.clone()))?,
            each(&|id| transfer(custody, &a, &b, id))?,
            each(&|id| release(&boundary, &b, id))?,
        ];
        for (taken, took) in taken.iter_mut().zip(round) {
            taken.push(took);
        }
    }
    let [submits, transfers, releases] = taken.map(median);
    let line = |name, took| Line {
        name,
        measured: Figure::PerSecond(per_second(COUNT, took)),
        against: None,
        aim: Aim::None,
    };
    Ok(vec![line("submit", submits), line("transfer", transfers), line("release", releases)])
}

/// The 99th percentile of a read, with the actuator of another consequence blocked for a second
/// and without.
pub(crate) fn reads_beside_a_blocked_actuator() -> Result<Vec<Line>, Failure> {
    let (entered, is_entered) = channel();
    let (resume, resumed) = channel();
    let boundary = boundary(Blocks { entered, resumed: Mutex::new(resumed) })?;
    let custody = boundary.custody();
    let execution = register(custody, "A")?;
    let [blocked, other] = ["X", "Y"].map(str::parse::<ConsequenceId>);
    let (blocked, other) = (blocked?, other?);
    submit(custody, &execution, &blocked, note("slow")?)?;
    submit(custody, &execution, &other, note("quick")?)?;

    let free = reads_for_a_second(custody, &execution, &other)?;
    let beside = thread::scope(|scope| {
        let releasing = scope.spawn(|| release(&boundary, &execution, &blocked));
        is_entered.recv()?;
        let reads = reads_for_a_second(custody, &execution, &other);
        resume.send(())?;
        releasing.join().map_err(|_| "the release panicked")??;
        reads
    })?;
    let (free, beside) = (percentile(free, 99), percentile(beside, 99));
    Ok(vec![Line {
        name: "99th percentile of a read beside a blocked actuator / without",
        measured: Figure::Time(beside),
        against: Some((Figure::Time(free), beside.as_secs_f64() / free.as_secs_f64())),
        aim: Aim::TimeUnder(Duration::from_millis(1)),
    }])
}

fn reads_for_a_second(
    custody: &MemoryCustody,
    execution: &ExecutionId,
    consequence: &ConsequenceId,
) -> Result<Vec<Duration>, Failure> {
    let begun = Instant::now();
    let mut taken = Vec::new();
    while begun.elapsed() < Duration::from_secs(1) {
        taken.push(timed(|| Ok(custody.read(execution, consequence)?))?);
    }
    Ok(taken)
}

/// Says that it was entered, and then waits.
struct Blocks {
    entered: Sender<()>,
    resumed: Mutex<Receiver<()>>,
}

impl Actuator for Blocks {
    fn actuate(&self, _: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        self.entered.send(()).map_err(ActuatorFailure::new)?;
        let resumed = self.resumed.lock().unwrap_or_else(PoisonError::into_inner);
        resumed.recv().map_err(ActuatorFailure::new)?;
        Ok(ActuatorOutcome::Succeeded.into())
    }
}

/// Ending an execution that holds ten consequences, in a store of a million and in stores of a
/// thousand. The rest of the million comes last, so that the processor's caches have forgotten
/// the executions that are ended in either.
///
/// In the first line one other execution holds that rest. In the second each ten of it have an
/// execution of their own, and so it tells what a look-up among a hundred thousand executions costs.
pub(crate) fn ends_among_few_and_many() -> Result<Vec<Line>, Failure> {
    Ok(vec![
        ends("end with 10 among 1,000,000 / among 1,000", Aim::RatioAtMost(1.5), |many| {
            let rest = register(many, "rest")?;
            let mut ids = ids("rest", REST)?.into_iter();
            ids.try_for_each(|id| submit(many, &rest, &id, note("held")?))
        })?,
        ends("the same, in a store of 100,000 executions / of 100", Aim::None, |many| {
            executions_of_ten(many, "rest", REST / 10).map(drop)
        })?,
    ])
}

/// How many executions of ten make a thousand.
const FEW: usize = 100;

/// How many stores of a thousand there are.
const SMALL_STORES: usize = 4;

/// What a million has beside the executions that are ended.
const REST: usize = 1_000_000 - SMALL_STORES * FEW * 10;

/// Ends the executions of small stores, and in turns with them as many of a large one.
fn ends(
    name: &'static str,
    aim: Aim,
    fill: impl FnOnce(&MemoryCustody) -> Result<(), Failure>,
) -> Result<Line, Failure> {
    let mut small = Vec::new();
    for _ in 0..SMALL_STORES {
        let few = boundary(Succeeds)?;
        let executions = executions_of_ten(few.custody(), "ended", FEW)?;
        small.push((few, executions));
    }
    let many = boundary(Succeeds)?;
    let among_many = executions_of_ten(many.custody(), "ended", SMALL_STORES * FEW)?;
    fill(many.custody())?;
    let mut among_many = among_many.iter();
    let mut taken = (Vec::new(), Vec::new());
    for (few, among_few) in &small {
        for (small, large) in among_few.iter().zip(&mut among_many) {
            taken.0.push(timed(|| Ok(few.custody().end(small)?))?);
            taken.1.push(timed(|| Ok(many.custody().end(large)?))?);
        }
    }
    let (among_few, among_many) = (median(taken.0), median(taken.1));
    Ok(Line {
        name,
        measured: Figure::Time(among_many),
        against: Some((
            Figure::Time(among_few),
            among_many.as_secs_f64() / among_few.as_secs_f64(),
        )),
        aim,
    })
}

fn executions_of_ten(
    custody: &MemoryCustody,
    prefix: &str,
    count: usize,
) -> Result<Vec<ExecutionId>, Failure> {
    (0..count)
        .map(|number| {
            let name = format!("{prefix}-{number}");
            let execution = register(custody, &name)?;
            for id in ids(&name, 10)? {
                submit(custody, &execution, &id, note("held")?)?;
            }
            Ok(execution)
        })
        .collect()
}

/// Two threads that submit, transfer and release, each for executions and consequences of its
/// own, against one.
///
/// The same with a store for each thread shows how much of a second thread the machine gives at
/// all: processors that are two halves of one core give little.
pub(crate) fn two_threads_and_one() -> Result<Vec<Line>, Failure> {
    const ROUNDS: usize = 21;
    let [alone, sharing, apart] = in_turns(
        ROUNDS,
        [&|| together([(0, "left")]), &|| together([(0, "left"), (0, "right")]), &|| {
            together([(0, "left"), (1, "right")])
        }],
    )?;
    let alone = per_second(COUNT, alone);
    let line = |name, took, aim| {
        let both = per_second(2 * COUNT, took);
        Line {
            name,
            measured: Figure::PerSecond(both),
            against: Some((Figure::PerSecond(alone), both / alone)),
            aim,
        }
    };
    Ok(vec![
        line(
            "submit, transfer and release by two threads / by one",
            sharing,
            Aim::RatioAtLeast(1.6),
        ),
        line("the same with a store for each thread / by one", apart, Aim::None),
    ])
}

/// How many consequences each thread takes through its life.
const COUNT: usize = 10_000;

/// How long these threads take beside each other, each in the store with that number.
fn together<const THREADS: usize>(threads: [(usize, &str); THREADS]) -> Result<Duration, Failure> {
    let stores = [boundary(Succeeds)?, boundary(Succeeds)?];
    let start = Barrier::new(THREADS);
    thread::scope(|scope| {
        let threads = threads.map(|(store, name)| {
            let (stores, start) = (&stores, &start);
            scope.spawn(move || lives(stores.get(store).ok_or("no such store")?, name, start))
        });
        let mut longest = Duration::ZERO;
        for thread in threads {
            longest = longest.max(thread.join().map_err(|_| "a thread panicked")??);
        }
        Ok(longest)
    })
}

fn lives(boundary: &Boundary<Succeeds>, name: &str, start: &Barrier) -> Result<Duration, Failure> {
    let custody = boundary.custody();
    let source = register(custody, &format!("{name} source"))?;
    let target = register(custody, &format!("{name} target"))?;
    let (ids, material) = (ids(name, COUNT)?, note(name)?);
    start.wait();
    timed(|| {
        ids.iter().try_for_each(|id| {
            submit(custody, &source, id, material.clone())?;
            transfer(custody, &source, &target, id)?;
            release(boundary, &target, id)
        })
    })
}
