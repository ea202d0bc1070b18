//! What is read again is what the ledger holds, whoever changed it and however lately.

use std::fmt::Debug;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use swampbox_custody::{
    ConsequenceId, Custody, CustodyError, ExecutionId, Mark, MemoryCustody, Settlement, Submission,
};
use swampbox_ledger::{Binding, Lease, LedgerCustody};
use swampbox_material::{Material, Value};

use crate::child::{Child, listen, say};
use crate::ledgers::{A_MINUTE_LATER, Home, NOW, Stopped, code, id, names, note, record};

#[test]
fn whatever_has_happened_the_same_is_read_as_where_nothing_is_kept() {
    let home = Home::new();
    let (ledger, memory) = (home.create(), MemoryCustody::new(id("memory")));
    home.settle();
    let mut stories = (Story::of(&ledger), Story::of(&memory));
    for step in 0..600 {
        let happened = (stories.0.go_on(), stories.1.go_on());
        assert_eq!(happened.0, happened.1, "step {step}");
        for _ in ["read", "and read again"] {
            assert_eq!(stories.0.seen(), stories.1.seen(), "after step {step}");
        }
    }
}

#[test]
fn what_was_answered_is_read_from_then_on_by_everybody() {
    let home = Home::inhabited();
    let ledger = home.open();
    home.settle();
    let (a, b, x): (ExecutionId, ExecutionId, ConsequenceId) = (id("A"), id("B"), id("X"));
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        for execution in [&a, &b] {
            scope.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    drop(ledger.read(execution, &x));
                }
            });
        }
        scope.spawn(|| {
            for number in 0.. {
                if done.load(Ordering::SeqCst) {
                    break;
                }
                ledger.submit(note("A", &format!("beside-{number}"))).unwrap();
            }
        });
        let (mut holder, mut other) = (&a, &b);
        for _ in 0..1_000 {
            ledger.transfer(holder, other, &x).unwrap();
            (holder, other) = (other, holder);
            let read = [code(ledger.read(holder, &x)), code(ledger.read(other, &x))];
            if read != ["ok", "not_visible"] {
                done.store(true, Ordering::SeqCst);
                panic!("{read:?}");
            }
        }
        done.store(true, Ordering::SeqCst);
    });
}

#[test]
fn what_another_process_changed_is_read_from_then_on() {
    let home = Home::inhabited();
    let ledger = home.open();
    for round in ["first", "again"] {
        home.settle();
        for _ in 0..3 {
            assert_eq!(code(ledger.read(&id("A"), &id("X"))), "ok", "{round}");
        }
        let mut other = Child::start("transfers", &home.path());
        assert_eq!(other.hear(), "B has it");
        assert_eq!(code(ledger.read(&id("A"), &id("X"))), "not_visible", "{round}");
        home.settle();
        for _ in 0..3 {
            assert_eq!(code(ledger.read(&id("A"), &id("X"))), "not_visible", "{round}");
        }
        other.tell();
        assert_eq!(other.hear(), "A has it");
        assert_eq!(code(ledger.read(&id("A"), &id("X"))), "ok", "{round}");
        other.kill();
        assert_eq!(ledger.recover().unwrap(), 0);
    }
}

#[test]
fn what_another_process_changed_is_read_even_if_somebody_removed_what_showed_that_it_is_there() {
    let home = Home::inhabited();
    let mut other = Child::start("transfers when told", &home.path());
    assert_eq!(other.hear(), "it is open");
    fs::remove_dir_all(home.directory().join("ledger-instances")).unwrap();
    let ledger = home.open();
    home.settle();
    for _ in 0..3 {
        assert_eq!(code(ledger.read(&id("A"), &id("X"))), "ok");
    }
    other.tell();
    assert_eq!(other.hear(), "B has it");
    assert_eq!(code(ledger.read(&id("A"), &id("X"))), "not_visible");
}

#[test]
fn whoever_is_there_again_after_the_instances_were_taken_away_sees_who_comes() {
    type Away = fn(&Home, &Path);
    let ways: [(&str, Away); 4] = [
        ("removed", |_, instances| fs::remove_dir_all(instances).unwrap()),
        ("moved", |home, instances| fs::rename(instances, home.directory().join("aside")).unwrap()),
        ("put back as a copy", |home, instances| {
            let aside = home.directory().join("aside");
            fs::rename(instances, &aside).unwrap();
            fs::create_dir(instances).unwrap();
            for name in names(&aside) {
                fs::copy(aside.join(&name), instances.join(&name)).unwrap();
            }
        }),
        (
            "its own file removed, and then the directory by the last who leaves",
            |home, instances| {
                let own = names(instances);
                let other = home.open();
                for name in own {
                    fs::remove_file(instances.join(name)).unwrap();
                }
                drop(other);
                assert!(!instances.exists());
            },
        ),
    ];
    thread::scope(|scope| {
        for (how, away) in ways {
            for first in ["a write", "a read"] {
                scope.spawn(move || comes_back_and_sees(&format!("{how}, then {first}"), away));
            }
        }
    });

    fn comes_back_and_sees(how: &str, away: Away) {
        let home = Home::inhabited();
        let ledger = home.open();
        away(&home, &home.directory().join("ledger-instances"));
        if how.ends_with("a read") {
            assert_eq!(code(ledger.read(&id("A"), &id("X"))), "ok", "{how}");
        }
        assert_eq!(code(ledger.submit(note("A", "Y"))), "ok", "{how}");
        home.settle();
        for _ in 0..3 {
            assert_eq!(code(ledger.read(&id("A"), &id("X"))), "ok", "{how}");
        }
        let other = home.open();
        assert_eq!(code(other.transfer(&id("A"), &id("B"), &id("X"))), "ok", "{how}");
        drop(other);
        home.settle();
        assert_eq!(code(ledger.read(&id("A"), &id("X"))), "not_visible", "{how}");
    }
}

#[test]
fn what_was_changed_by_one_whose_file_was_removed_while_it_waited_is_read_from_then_on() {
    let home = Home::inhabited();
    let ledger = home.open();
    let instances = home.directory().join("ledger-instances");
    let own = names(&instances);
    let other = home.open();
    let lock = home.sql();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    thread::scope(|scope| {
        let transfer = scope.spawn(|| other.transfer(&id("A"), &id("B"), &id("X")));
        while names(&instances) != own {
            for name in names(&instances).iter().filter(|name| !own.contains(name)) {
                fs::remove_file(instances.join(name)).unwrap();
            }
            // If it did not wait for the lock yet, its file is there again.
            home.settle();
        }
        for _ in 0..3 {
            assert_eq!(code(ledger.read(&id("A"), &id("X"))), "ok");
        }
        lock.execute_batch("COMMIT").unwrap();
        assert_eq!(code(transfer.join().unwrap()), "ok");
    });
    assert_eq!(code(ledger.read(&id("A"), &id("X"))), "not_visible");
    home.settle();
    assert_eq!(code(ledger.read(&id("A"), &id("X"))), "not_visible");
}

#[test]
fn what_another_program_wrote_past_the_ledger_hinders_nobody_and_is_read_once_it_is_read_again() {
    let home = Home::inhabited();
    let ledger = home.open();
    home.settle();
    for _ in 0..3 {
        assert_eq!(code(ledger.read(&id("A"), &id("X"))), "ok");
    }
    let sql = home.sql();
    let longer = "UPDATE consequences SET material = material || printf('%5000s', '')";
    sql.execute_batch(longer).unwrap();
    drop(sql);
    home.settle();
    for execution in ["A", "B"] {
        drop(ledger.read(&id(execution), &id("X")));
    }
    assert_eq!(code(ledger.transfer(&id("A"), &id("B"), &id("X"))), "ok");
    assert_eq!(code(ledger.read(&id("B"), &id("X"))), "ok");
    assert_eq!(code(ledger.submit(note("A", "Y"))), "ok");
}

#[test]
fn nothing_is_kept_where_a_link_leads_to_the_instances() {
    let home = Home::inhabited();
    let [instances, first, second] =
        ["ledger-instances", "first", "second"].map(|name| home.directory().join(name));
    let lead = |to: &Path| {
        drop(fs::remove_file(&instances));
        fs::create_dir_all(to).unwrap();
        symlink(to, &instances).unwrap();
    };
    lead(&first);
    let ledger = home.open();
    home.settle();
    for _ in 0..3 {
        assert_eq!(code(ledger.read(&id("A"), &id("X"))), "ok");
    }
    lead(&second);
    home.open().transfer(&id("A"), &id("B"), &id("X")).unwrap();
    lead(&first);
    assert_eq!(code(ledger.read(&id("A"), &id("X"))), "not_visible");
}

#[test]
fn a_file_that_is_removed_again_and_again_while_others_tidy_up_hinders_nobody() {
    let home = Home::inhabited();
    let ledger = home.open();
    let instances = home.directory().join("ledger-instances");
    let own = instances.join(names(&instances).remove(0));
    let other = home.open();
    let done = AtomicBool::new(false);
    let answers: Vec<_> = thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::SeqCst) {
                drop(other.recover());
            }
        });
        let answers = (0..300).map(|number| {
            drop(fs::remove_file(&own));
            code(ledger.submit(note("A", &format!("{number}"))))
        });
        let answers = answers.collect();
        done.store(true, Ordering::SeqCst);
        answers
    });
    assert!(answers.iter().all(|answer| answer == "ok"), "{answers:?}");
}

/// Waits with a ledger that is open, and then does as [`transfer_and_say`].
pub(crate) fn wait_and_transfer(path: &Path) {
    let ledger = LedgerCustody::open(path, Box::new(Stopped)).unwrap();
    say("it is open");
    listen();
    transfer_to_and_fro(&ledger);
}

/// Takes X from A to B and back, each when it is told to.
pub(crate) fn transfer_and_say(path: &Path) {
    transfer_to_and_fro(&LedgerCustody::open(path, Box::new(Stopped)).unwrap());
}

fn transfer_to_and_fro(ledger: &LedgerCustody) {
    for (from, to) in [("A", "B"), ("B", "A")] {
        ledger.transfer(&id(from), &id(to), &id("X")).unwrap();
        say(format!("{to} has it"));
        listen();
    }
}

#[test]
fn what_was_reaped_is_read_no_more() {
    let home = Home::new();
    let ledger = home.create();
    let lease = Lease::of(1, id(NOW)).unwrap();
    ledger.register_bound(&id("A"), Binding::Lease(lease)).unwrap();
    ledger.submit(note("A", "X")).unwrap();
    home.settle();
    for _ in 0..3 {
        assert_eq!(code(ledger.read(&id("A"), &id("X"))), "ok");
    }
    assert_eq!(ledger.reap(id(A_MINUTE_LATER)).unwrap().len(), 1);
    assert_eq!(code(ledger.read(&id("A"), &id("X"))), "execution_not_active");
    assert_eq!(code(ledger.inspect(&id("X"))), "ok", "it is quarantined");
}

#[test]
fn nothing_is_read_from_memory_once_a_file_is_gone() {
    for file in ["ledger", "ledger-wal", "ledger-shm"] {
        let home = Home::inhabited();
        let ledger = home.open();
        home.settle();
        for _ in 0..3 {
            assert_eq!(code(ledger.read(&id("A"), &id("X"))), "ok");
        }
        let (path, aside) = (home.directory().join(file), home.directory().join("aside"));
        fs::rename(&path, &aside).unwrap();
        assert_eq!(code(ledger.read(&id("A"), &id("X"))), "store_unavailable", "{file}");
        fs::rename(&aside, &path).unwrap();
        assert_eq!(code(ledger.read(&id("A"), &id("X"))), "ok", "{file}");
        home.settle();
        assert_eq!(code(ledger.read(&id("A"), &id("X"))), "ok", "{file}");
    }
}

/// What happens to a store by chance, the same on each.
struct Story<'c> {
    custody: &'c dyn Custody,
    random: u64,
    executions: usize,
    consequences: usize,
    marks: Vec<Mark>,
}

impl<'c> Story<'c> {
    fn of(custody: &'c dyn Custody) -> Self {
        Self { custody, random: 1, executions: 0, consequences: 0, marks: Vec::new() }
    }

    /// One thing more, and what came of it.
    fn go_on(&mut self) -> String {
        let kind = self.below(20);
        let (one, other, consequence) = (self.execution(), self.execution(), self.consequence());
        match kind {
            0 | 1 => {
                self.executions += 1;
                let new = id(&format!("execution-{}", self.executions));
                format!("register: {}", code(self.custody.register(&new)))
            }
            2 => format!("end: {}", code(self.custody.end(&one))),
            3..=6 => {
                self.consequences += 1;
                let parent = (self.below(2) == 0).then_some(consequence);
                let submission = Submission {
                    execution: one,
                    consequence: id(&format!("consequence-{}", self.consequences)),
                    material: Material::new("note", "inbox", Value::from("text")),
                    parent,
                };
                format!("submit: {}", code(self.custody.submit(submission)))
            }
            7..=10 => {
                format!("transfer: {}", code(self.custody.transfer(&one, &other, &consequence)))
            }
            11 | 12 => format!("adopt: {}", code(self.custody.adopt(&one, &consequence))),
            13..=16 => match self.custody.mark(&one, &consequence, &record()) {
                Ok(mark) => {
                    self.marks.push(mark);
                    "mark: ok".into()
                }
                Err(error) => format!("mark: {}", error.code()),
            },
            _ => match self.marks.pop() {
                Some(mark) => {
                    let settlement = SETTLEMENTS[self.below(SETTLEMENTS.len())];
                    format!("settle: {}", code(self.custody.settle(mark, settlement, "so it was")))
                }
                None => "nothing".into(),
            },
        }
    }

    /// All that can be seen of the newest, by whomever.
    fn seen(&self) -> Vec<String> {
        let mut seen = Vec::new();
        for consequence in newest("consequence", self.consequences) {
            seen.push(shown(self.custody.inspect(&consequence)));
            seen.push(shown(self.custody.state(&consequence)));
            for execution in newest("execution", self.executions) {
                seen.push(shown(self.custody.read(&execution, &consequence)));
                seen.push(shown(self.custody.request_release(&execution, &consequence)));
                seen.push(shown(self.custody.recheck_release(&execution, &consequence)));
            }
        }
        seen
    }

    fn execution(&mut self) -> ExecutionId {
        let number = self.executions.saturating_sub(self.below(NEWEST));
        id(&format!("execution-{number}"))
    }

    fn consequence(&mut self) -> ConsequenceId {
        let number = self.consequences.saturating_sub(self.below(NEWEST));
        id(&format!("consequence-{number}"))
    }

    fn below(&mut self, bound: usize) -> usize {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random % bound as u64) as usize
    }
}

/// How many of the executions and of the consequences something still happens to.
const NEWEST: usize = 4;

const SETTLEMENTS: [Settlement; 4] =
    [Settlement::NotEntered, Settlement::NotExecuted, Settlement::Released, Settlement::Uncertain];

/// The newest ones, the next one, and so one that is not there yet, among them.
fn newest<T: FromStr<Err: Debug>>(what: &str, last: usize) -> impl Iterator<Item = T> {
    (last.saturating_sub(NEWEST)..=last + 1).map(move |number| id(&format!("{what}-{number}")))
}

fn shown<T: Debug>(answer: Result<T, CustodyError>) -> String {
    answer.map_or_else(|error| error.code().to_string(), |seen| format!("{seen:?}"))
}
