use std::process::Command;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{env, fs, iter};

use swampbox_custody::{ConsequenceId, Custody, ExecutionId};
use swampbox_ledger::LedgerCustody;

use crate::Failure;
use crate::ledger_filled::Filled;
use crate::ledger_world::{Share, beside_each_other};
use crate::measure::{in_turns, median, timed};
use crate::report::{Aim, Figure, Line};
use crate::world::{
    Boundary, Succeeds, SystemClock, boundary_of, note, register, release, submit, transfer,
};

const FEW: u64 = 1_000;
const MANY: u64 = 1_000_000;

/// A ledger of 1,000,000 consequences, 1,000 of them CONTAINED, and one with those 1,000 alone: how
/// long it takes to open, how much memory that takes, and what each operation costs in it.
pub(crate) fn a_million_and_a_thousand() -> Result<Vec<Line>, Failure> {
    let (few, many) = (Filled::with(FEW)?, Filled::with(MANY)?);
    let mut lines = opening(&few, &many)?;
    lines.extend(growth(&many)?);
    lines.extend(opening_cut_off(&few, &many)?);
    Ok(lines)
}

/// The first argument of a process that is to open the ledger which the second names.
pub(crate) const OPEN: &str = "--open-ledger";

/// Opens a ledger, and prints how long it took in nanoseconds, and the most memory that this process
/// has taken in bytes, where the system tells.
pub(crate) fn open_and_tell(path: &str) -> Result<(), Failure> {
    let begun = Instant::now();
    let custody = LedgerCustody::open(path, Box::new(SystemClock))?;
    let took = begun.elapsed();
    let memory = most_memory().map(|bytes| bytes.to_string());
    println!("{} {}", took.as_nanos(), memory.unwrap_or_default());
    drop(custody);
    Ok(())
}

fn most_memory() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let kibibytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(kibibytes.trim().strip_suffix(" kB")?.parse::<u64>().ok()? << 10)
}

fn opening(few: &Filled, many: &Filled) -> Result<Vec<Line>, Failure> {
    let names = ["open 1,000,000, 1,000 CONTAINED / 1,000", "all memory of a process that does"];
    Ok(opened_lines(names, opened(few, |_| Ok(()))?, opened(many, |_| Ok(()))?))
}

/// The most that there can be to recover: each of those that are CONTAINED was being released by
/// somebody who is gone.
fn opening_cut_off(few: &Filled, many: &Filled) -> Result<Vec<Line>, Failure> {
    let names = ["open 1,000,000, 1,000 releases cut off / 1,000", "all memory of such a process"];
    Ok(opened_lines(names, opened(few, Filled::cut_off)?, opened(many, Filled::cut_off)?))
}

fn opened_lines(names: [&'static str; 2], few: Opened, many: Opened) -> Vec<Line> {
    let [time, memory] = names;
    let time = Line {
        name: time,
        measured: Figure::Time(many.took),
        against: Some((Figure::Time(few.took), many.took.as_secs_f64() / few.took.as_secs_f64())),
        aim: Aim::TimeUnder(Duration::from_secs(1)),
    };
    let memory = many.memory.zip(few.memory).map(|(many, few)| Line {
        name: memory,
        measured: Figure::Bytes(many),
        against: Some((Figure::Bytes(few), many as f64 / few as f64)),
        aim: Aim::BytesUnder(100 << 20),
    });
    iter::once(time).chain(memory).collect()
}

/// What it took to open a ledger.
struct Opened {
    took: Duration,
    /// The most that the process took, in bytes, where the system tells.
    memory: Option<u64>,
}

/// The medians of some processes, each of which opens it.
fn opened(filled: &Filled, prepare: fn(&Filled) -> Result<(), Failure>) -> Result<Opened, Failure> {
    const ROUNDS: usize = 5;
    let (mut took, mut memory) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        prepare(filled)?;
        let mut process = Command::new(env::current_exe()?);
        let output = process.arg(OPEN).arg(filled.home.path()).output()?;
        let told = String::from_utf8(output.stdout)?;
        let mut numbers = told.split_whitespace().map(str::parse::<u64>);
        took.push(Duration::from_nanos(numbers.next().ok_or("the ledger was not opened")??));
        memory.extend(numbers.next().transpose()?);
    }
    memory.sort_unstable();
    Ok(Opened { took: median(took), memory: memory.get(memory.len() / 2).copied() })
}

/// What operations by 64 callers, and reads by one, cost with 1,000,000 rows and with 1,000.
fn growth(many: &Filled) -> Result<Vec<Line>, Failure> {
    const ROUNDS: usize = 5;
    let many = Inhabited::of(many)?;
    let compare = |name, work: fn(&Inhabited) -> Result<Duration, Failure>| {
        let among_few = || work(&Inhabited::of(&Filled::with(FEW)?)?);
        let [few, many] = in_turns(ROUNDS, [&among_few, &|| work(&many)])?;
        Ok::<_, Failure>(Line {
            name,
            measured: Figure::Time(many),
            against: Some((Figure::Time(few), many.as_secs_f64() / few.as_secs_f64())),
            aim: Aim::RatioAtMost(1.5),
        })
    };
    Ok(vec![
        compare("submit by 64, 1,000,000 rows / 1,000", Inhabited::submits)?,
        compare("submit by 64, ids in no order", Inhabited::submits_anywhere)?,
        compare("release by 64", Inhabited::releases)?,
        compare("transfer by 64 of what is anywhere", Inhabited::transfers)?,
        compare("read of what is anywhere", Inhabited::reads)?,
        stored_alone()?,
    ])
}

/// What a transfer stores, by SQLite alone and 64 to a commit: how much of the growth is that each
/// touches pages of its own, which all have to be written.
fn stored_alone() -> Result<Line, Failure> {
    const ROUNDS: usize = 5;
    let (few, many) = (Filled::with(FEW)?, Filled::with(MANY)?);
    let [few, many] = in_turns(ROUNDS, [&|| few.store_transfers(), &|| many.store_transfers()])?;
    Ok(Line {
        name: "what a transfer stores, by SQLite alone",
        measured: Figure::Time(many),
        against: Some((Figure::Time(few), many.as_secs_f64() / few.as_secs_f64())),
        aim: Aim::None,
    })
}

/// A filled ledger that is open.
struct Inhabited {
    boundary: Boundary<Succeeds, LedgerCustody>,
    holder: ExecutionId,
    other: ExecutionId,
    open: Vec<ConsequenceId>,
    count: u64,
    /// So that no two consequences have the same id.
    submitted: AtomicU64,
}

/// How many callers there are, and how often each of them acts in one turn.
const CALLERS: u64 = 64;
const EACH: u64 = 25;

impl Inhabited {
    fn of(filled: &Filled) -> Result<Self, Failure> {
        let boundary = boundary_of(filled.home.open()?, Succeeds);
        Ok(Self {
            other: register(boundary.custody(), "other")?,
            boundary,
            open: filled.open()?,
            holder: filled.execution.clone(),
            count: filled.count,
            submitted: AtomicU64::new(0),
        })
    }

    fn submits(&self) -> Result<Duration, Failure> {
        self.submit_and_release(&self.shares(|number| format!("new-{number:09}"))?)
    }

    fn submits_anywhere(&self) -> Result<Duration, Failure> {
        let anywhere = |number| format!("{:09}-{number}", scattered(number) % self.count);
        self.submit_and_release(&self.shares(anywhere)?)
    }

    /// How long it takes to submit them. They are released then, so that no more are CONTAINED than before.
    fn submit_and_release(&self, shares: &[Share]) -> Result<Duration, Failure> {
        let took = self.submit(shares)?;
        self.each(shares, |share, id| release(&self.boundary, &share.execution, id))?;
        Ok(took)
    }

    fn releases(&self) -> Result<Duration, Failure> {
        let shares = self.shares(|number| format!("new-{number:09}"))?;
        self.submit(&shares)?;
        self.each(&shares, |share, id| release(&self.boundary, &share.execution, id))
    }

    /// There and back again, until the log has been brought in a few times.
    fn transfers(&self) -> Result<Duration, Failure> {
        const TIMES: u32 = 5;
        let share = self.open.len().div_ceil(usize::try_from(CALLERS)?);
        let shares: Vec<_> = self.open.chunks(share).collect();
        let custody = self.boundary.custody();
        let transfers = |source, target| {
            beside_each_other(&shares, |ids| {
                ids.iter().try_for_each(|id| transfer(custody, source, target, id))
            })
        };
        let mut took = Duration::ZERO;
        for _ in 0..TIMES {
            took += transfers(&self.holder, &self.other)? + transfers(&self.other, &self.holder)?;
        }
        Ok(took / (2 * TIMES * u32::try_from(self.open.len())?))
    }

    fn reads(&self) -> Result<Duration, Failure> {
        const COUNT: u32 = 10_000;
        let custody = self.boundary.custody();
        let ids = (0..u64::from(COUNT)).map(|number| Filled::id(scattered(number) % self.count));
        let ids = ids.collect::<Result<Vec<_>, _>>()?;
        let read = |id| Ok::<_, Failure>(custody.read(&self.holder, id)?);
        let took = timed(|| ids.iter().try_for_each(|id| read(id).map(drop)))?;
        Ok(took / COUNT)
    }

    fn shares(&self, id: impl Fn(u64) -> String) -> Result<Vec<Share>, Failure> {
        let begin = self.submitted.fetch_add(CALLERS * EACH, Ordering::Relaxed);
        let share = |caller| {
            let numbers = iter::successors(Some(begin + caller), |number| Some(number + CALLERS));
            let ids = numbers.take(usize::try_from(EACH)?);
            let ids = ids.map(|number| Ok(id(number).parse()?));
            Ok(Share { execution: self.holder.clone(), ids: ids.collect::<Result<_, Failure>>()? })
        };
        (0..CALLERS).map(share).collect()
    }

    fn submit(&self, shares: &[Share]) -> Result<Duration, Failure> {
        let (custody, material) = (self.boundary.custody(), note("held")?);
        self.each(shares, |share, id| submit(custody, &share.execution, id, material.clone()))
    }

    /// What it takes on the average.
    fn each(
        &self,
        shares: &[Share],
        act: impl Fn(&Share, &ConsequenceId) -> Result<(), Failure> + Sync,
    ) -> Result<Duration, Failure> {
        let took =
            beside_each_other(shares, |share| share.ids.iter().try_for_each(|id| act(share, id)))?;
        Ok(took / u32::try_from(CALLERS * EACH)?)
    }
}

/// Another number for each, without an order that is easily seen.
fn scattered(number: u64) -> u64 {
    let mixed = (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20
}
