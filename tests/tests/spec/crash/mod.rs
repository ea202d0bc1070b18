//! A process that uses a ledger is killed, again and again, at random moments and at each step of a
//! release. Whatever was acknowledged is there afterwards, nothing else is half there, and no effect
//! happens twice.

mod chance;
mod disk;
mod operation;
mod parts;
mod victim;
mod watch;
mod world;

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;

use swampbox_experiments::parts::SystemClock;
use swampbox_ledger::{Expectations, LedgerCustody, verify};
use tempfile::TempDir;

use chance::Chance;
use disk::Disk;
use operation::Operation;
use parts::Point;
use victim::Orders;
use watch::{Moment, Watched};
use world::World;

/// How many ledgers are used, and how often the process on each is killed.
const LEDGERS: usize = 12;
const KILLS: u64 = 18;

/// How many ledgers are used at the same time.
const AT_ONCE: usize = 2;

#[test]
fn nothing_is_lost_halved_or_done_twice_when_the_process_is_killed() {
    let some_of = |first| {
        (first..LEDGERS).step_by(AT_ONCE).map(live_through).fold(Seen::default(), Seen::and)
    };
    let seen = thread::scope(|scope| {
        let threads: Vec<_> =
            (0..AT_ONCE).map(|first| scope.spawn(move || some_of(first))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).fold(Seen::default(), Seen::and)
    });
    println!("{seen:?}");
    assert!(seen.kills >= 200, "{seen:?}");
    // Or the moments were not what they ought to be.
    assert!(seen.answered >= 20 * seen.kills, "{seen:?}");
    assert!(seen.unanswered >= seen.kills && seen.stored_unanswered >= 10, "{seen:?}");
    assert!(seen.interrupted >= seen.kills / 2, "{seen:?}");
}

/// How much the test has shown.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    kills: usize,
    answered: usize,
    unanswered: usize,
    /// Those which changed something before the process could say so.
    stored_unanswered: usize,
    interrupted: usize,
}

impl Seen {
    fn and(self, other: Self) -> Self {
        Self {
            kills: self.kills + other.kills,
            answered: self.answered + other.answered,
            unanswered: self.unanswered + other.unanswered,
            stored_unanswered: self.stored_unanswered + other.stored_unanswered,
            interrupted: self.interrupted + other.interrupted,
        }
    }
}

/// The whole life of one ledger.
fn live_through(ledger: usize) -> Seen {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("ledger");
    drop(LedgerCustody::create(&path, Box::new(SystemClock)).unwrap());
    let mut chance = Chance::from(u64::try_from(ledger).unwrap());
    let mut world = World::default();
    let mut seen = Seen::default();
    for round in 0..KILLS {
        let moment = moment(round, &mut chance);
        let orders = Orders { path: path.clone(), round, point: moment.point() };
        let watched = watch::until_killed(&orders, moment);
        let context = format!("ledger {ledger}, round {round}, killed {moment:?}");
        let (found, shown) = check(world, &watched, &path, &context);
        world = found;
        seen = seen.and(shown);
    }
    seen
}

/// Every other time a moment at random, else each point of a release in turn.
fn moment(round: u64, chance: &mut Chance) -> Moment {
    if round.is_multiple_of(2) {
        return Moment::AfterAnswers(chance.below(150));
    }
    let points = Point::ALL;
    let point = points[usize::try_from(round / 2).unwrap() % points.len()];
    Moment::At { point, then: chance.below(20) }
}

/// Opens what the killed process left, and gives the world as it is.
fn check(before: World, watched: &Watched, path: &Path, context: &str) -> (World, Seen) {
    let attempts_before = before.attempts();
    let expected = watched.answered.iter().fold(before, World::after);
    let ledger = LedgerCustody::open(path, Box::new(SystemClock))
        .unwrap_or_else(|error| panic!("{context}: {error}"));
    let disk = Disk::read(path);
    let found = expected.explains(&watched.unanswered, &disk).unwrap_or_else(|difference| {
        let unanswered = &watched.unanswered;
        panic!("{context}: {difference}\nunanswered: {unanswered:#?}")
    });
    effects(&disk, context);
    let interrupted = interrupted(watched, &disk, attempts_before, context);
    drop(ledger);
    verify(path, &Expectations::default()).unwrap_or_else(|error| panic!("{context}: {error}"));
    let seen = Seen {
        kills: 1,
        answered: watched.answered.len(),
        unanswered: watched.unanswered.len(),
        stored_unanswered: found.differences(&expected),
        interrupted,
    };
    (found, seen)
}

/// No effect happened twice, or without an attempt on disk, or for what is still contained; and none
/// is missing.
fn effects(disk: &Disk, context: &str) {
    let mut times: BTreeMap<&str, u32> = BTreeMap::new();
    for (consequence, attempt) in &disk.effects {
        *times.entry(consequence).or_default() += 1;
        let known = disk.attempts.iter().any(|known| known.id == *attempt);
        assert!(known, "{context}: the attempt of the effect of {consequence} is nowhere");
    }
    for (consequence, standing) in disk.consequences() {
        let times = times.remove(consequence).unwrap_or(0);
        let may_be = match standing.split_once(' ').unwrap().0 {
            "CONTAINED" => 0..=0,
            "RELEASED" => 1..=1,
            _ => 0..=1,
        };
        assert!(may_be.contains(&times), "{context}: {consequence} is {standing}: {times} effects");
    }
    assert!(times.is_empty(), "{context}: effects of nothing: {times:?}");
}

/// Every attempt that the killed process left behind is UNCERTAIN, and no other. Gives how many.
fn interrupted(watched: &Watched, disk: &Disk, before: usize, context: &str) -> usize {
    let open = disk.attempts.iter().find(|attempt| attempt.settlement.is_none());
    assert!(open.is_none(), "{context}: {open:?} was not settled");
    let recovered = disk.attempts.iter().skip(before).filter(|attempt| attempt.recovered);
    let recovered: Vec<&str> = recovered.map(|attempt| attempt.consequence.as_str()).collect();
    for consequence in &recovered {
        let standing = disk.consequence(consequence);
        assert!(standing.starts_with("UNCERTAIN"), "{context}: {consequence} is {standing}");
        let released = watched.unanswered.iter().any(|operation| {
            matches!(operation, Operation::Release { consequence: one, .. } if one == consequence)
        });
        assert!(released, "{context}: nobody was releasing {consequence}");
    }
    for consequence in &watched.reached {
        let one = recovered.contains(&consequence.as_str());
        assert!(one, "{context}: the attempt on {consequence} was interrupted");
    }
    recovered.len()
}
