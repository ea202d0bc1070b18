use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use swampbox_custody::{Custody, ExecutionId};
use swampbox_ledger::LedgerCustody;

use crate::Failure;
use crate::ledger_world::{Home, Share, shares};
use crate::measure::{in_turns, percentile, timed};
use crate::report::{Aim, Figure, Line};
use crate::world::{Boundary, Succeeds, boundary_of, ids, note, register, release, submit};

/// The 99th percentile of a read while 64 callers submit and release, and while nobody does.
///
/// The same with the callers on another ledger shows how much of it is that they take processors and
/// disk at all. Consequences that are read again and again are kept in memory; the last lines read so
/// many that none is.
pub(crate) fn reads_beside_many_callers() -> Result<Vec<Line>, Failure> {
    const ROUNDS: usize = 5;
    const FEW: usize = 100;
    const MORE_THAN_ARE_KEPT: usize = 5_000;
    let (here, elsewhere) = (Ledger::new(MORE_THAN_ARE_KEPT)?, Ledger::new(0)?);
    let again = || here.slow_read(FEW);
    let anew = || here.slow_read(MORE_THAN_ARE_KEPT);
    let [idle, beside, apart, idle_anew, beside_anew, apart_anew] = in_turns(
        ROUNDS,
        [
            &again,
            &|| here.while_busy(again),
            &|| elsewhere.while_busy(again),
            &anew,
            &|| here.while_busy(anew),
            &|| elsewhere.while_busy(anew),
        ],
    )?;
    let line = |name, measured: Duration, idle: Duration, aim| Line {
        name,
        measured: Figure::Time(measured),
        against: Some((Figure::Time(idle), measured.as_secs_f64() / idle.as_secs_f64())),
        aim,
    };
    let name = "99th percentile of a read beside 64 callers / of an idle ledger";
    Ok(vec![
        line(name, beside, idle, Aim::RatioAtMost(3.0)),
        line("the same, the callers on another ledger / of an idle ledger", apart, idle, Aim::None),
        line("of what was not read lately / of an idle ledger", beside_anew, idle_anew, Aim::None),
        line("that, the callers on another ledger / idle", apart_anew, idle_anew, Aim::None),
        line("of what was not read lately / of what was, both idle", idle_anew, idle, Aim::None),
    ])
}

struct Ledger {
    boundary: Boundary<Succeeds, LedgerCustody>,
    /// What is read.
    held: Share,
    callers: Vec<ExecutionId>,
    /// So that no two consequences have the same id.
    lives: AtomicUsize,
    _home: Home,
}

impl Ledger {
    fn new(held: usize) -> Result<Self, Failure> {
        let home = Home::new()?;
        let boundary = boundary_of(home.create()?, Succeeds);
        let custody = boundary.custody();
        let held = Share { execution: register(custody, "reader")?, ids: ids("held", held)? };
        for id in &held.ids {
            submit(custody, &held.execution, id, note("held")?)?;
        }
        let callers = shares(custody, "caller", 64, 0)?;
        let callers = callers.into_iter().map(|share| share.execution).collect();
        Ok(Self { boundary, held, callers, lives: AtomicUsize::new(0), _home: home })
    }

    /// The 99th percentile of what is read, one of so many after the other, in a second.
    fn slow_read(&self, many: usize) -> Result<Duration, Failure> {
        let begun = Instant::now();
        let mut taken = Vec::new();
        for id in self.held.ids.iter().take(many).cycle() {
            if begun.elapsed() >= Duration::from_secs(1) {
                break;
            }
            let custody = self.boundary.custody();
            taken.push(timed(|| Ok(custody.read(&self.held.execution, id)?))?);
        }
        Ok(percentile(taken, 99))
    }

    /// Measures while every caller submits and releases, one after the other.
    fn while_busy<T>(&self, measure: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
        let enough = AtomicBool::new(false);
        thread::scope(|scope| {
            let call = |caller| {
                let enough = &enough;
                scope.spawn(move || {
                    while !enough.load(Ordering::Relaxed) {
                        self.live(caller)?;
                    }
                    Ok::<_, Failure>(())
                })
            };
            let callers: Vec<_> = self.callers.iter().map(call).collect();
            let measured = measure();
            enough.store(true, Ordering::Relaxed);
            for caller in callers {
                caller.join().map_err(|_| "a caller panicked")??;
            }
            measured
        })
    }

    fn live(&self, caller: &ExecutionId) -> Result<(), Failure> {
        let number = self.lives.fetch_add(1, Ordering::Relaxed);
        let id = format!("new-{number:09}").parse()?;
        submit(self.boundary.custody(), caller, &id, note("to be released")?)?;
        release(&self.boundary, caller, &id)
    }
}
