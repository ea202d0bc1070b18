//! A service is killed under load, again and again. What was acknowledged is there when it comes back, no
//! effect happens twice, and who follows the events misses none.

mod follower;
mod remote;
mod victim;
mod worker;
mod world;

use std::collections::BTreeSet;
use std::fs;
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use swampbox_ledger::LedgerCustody;
use tempfile::TempDir;

use crate::served::SystemClock;
use follower::Follower;
use remote::Remote;
use victim::Victim;
use worker::{Said, Worker};
use world::{Seen, World};

/// How many ledgers are used at the same time, and how often the service on each is killed.
const LEDGERS: u64 = 2;
const KILLS: u64 = 26;

/// How many agents work at the same time.
const WORKERS: u64 = 4;

#[test]
fn nothing_is_lost_or_done_twice_when_the_service_is_killed() {
    let seen = thread::scope(|scope| {
        let lives: Vec<_> =
            (0..LEDGERS).map(|ledger| scope.spawn(move || live_through(ledger))).collect();
        lives.into_iter().map(|life| life.join().unwrap()).fold(Seen::default(), Seen::and)
    });
    println!("{seen:?}");
    assert!(seen.kills >= 50, "{seen:?}");
    // Or the moments were not what they ought to be.
    assert!(seen.acknowledged >= 10 * seen.kills, "{seen:?}");
    assert!(seen.unacknowledged >= seen.kills / 2, "{seen:?}");
    assert!(seen.interrupted >= seen.kills / 4, "{seen:?}");
    assert!(seen.events >= 20 * seen.kills, "{seen:?}");
}

/// The whole life of one ledger.
fn live_through(ledger: u64) -> Seen {
    let home = TempDir::new().unwrap();
    fs::create_dir(home.path().join("files")).unwrap();
    drop(LedgerCustody::create(home.path().join("ledger.db"), Box::new(SystemClock)).unwrap());
    let mut chance = Chance::from(ledger);
    let world = Mutex::new(World::default());
    let mut seen = Seen::default();
    let mut follower = Follower::default();
    for round in 0..KILLS {
        let victim = Victim::start(home.path());
        let remote = Remote::at(victim.address);
        let context = format!("ledger {ledger}, round {round}");
        seen = seen.and(world.lock().unwrap().check(&remote, home.path(), &context));
        let (sender, heard) = channel();
        let until = chance.below(60);
        thread::scope(|scope| {
            let follower = &mut follower;
            scope.spawn(move || follower.follow(&Remote::at(victim.address)));
            for number in 0..WORKERS {
                let (world, sender) = (&world, sender.clone());
                let chance = Chance::from(ledger * 10_000 + round * 100 + number);
                let remote = Remote::at(victim.address);
                let name = format!("{round}-{number}");
                scope.spawn(move || Worker { remote, world, sender, chance, name }.work());
            }
            drop(sender);
            kill_after(until, &heard, victim);
        });
    }
    let victim = Victim::start(home.path());
    let remote = Remote::at(victim.address);
    let mut world = world.into_inner().unwrap();
    seen = seen.and(world.check(&remote, home.path(), "at the end"));
    seen.kills = usize::try_from(KILLS).unwrap();
    seen.events = follower.compare(&remote);
    victim.kill();
    let lines = fs::read_to_string(home.path().join("lines")).unwrap();
    let all: Vec<&str> = lines.lines().collect();
    let different: BTreeSet<&str> = all.iter().copied().collect();
    assert_eq!(all.len(), different.len(), "some effect happened twice");
    seen
}

/// Kills the service once so much was acknowledged, or nobody gets any further.
fn kill_after(until: u64, heard: &Receiver<Said>, victim: Victim) {
    let (mut acknowledged, mut stuck) = (0, 0);
    while acknowledged < until && stuck < WORKERS {
        match heard.recv() {
            Ok(Said::Acknowledged) => acknowledged += 1,
            Ok(Said::Waits) => stuck += 1,
            Err(_) => break,
        }
    }
    victim.kill();
}

/// Numbers that look random, and are the same in every run.
struct Chance(u64);

impl Chance {
    fn from(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}
