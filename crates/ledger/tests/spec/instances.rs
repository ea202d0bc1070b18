//! An attempt belongs to whoever began it, for as long as that one lives and no longer.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::thread;

use insta::assert_snapshot;
use swampbox_custody::{AttemptId, Custody, Mark, ReleaseState, Settlement};
use swampbox_ledger::LedgerCustody;

use crate::child::{Child, listen, say};
use crate::ledgers::{Home, Stopped, attempt, code, id, mark, names, note, try_to_mark};

#[test]
fn an_attempt_of_another_handle_in_this_process_is_left_alone() {
    let home = Home::inhabited();
    let one = home.open();
    let mark = mark(&one, "A", "X");
    let other = home.open();
    assert_eq!(other.recover().unwrap(), 0);
    assert_eq!(code(other.request_release(&id("A"), &id("X"))), "release_in_progress");
    one.settle(mark, Settlement::Released, "it happened").unwrap();
    assert_eq!(other.state(&id("X")).unwrap(), ReleaseState::Released);
}

#[test]
fn an_attempt_of_another_process_is_left_alone_even_while_that_is_stopped() {
    let home = Home::inhabited();
    let mut child = Child::start("attempt", &home.path());
    assert_eq!(child.hear(), "marked");
    let ledger = home.open();
    assert_eq!(ledger.recover().unwrap(), 0);
    child.stop();
    assert_eq!(home.open().recover().unwrap(), 0);
    assert_eq!(code(ledger.request_release(&id("A"), &id("X"))), "release_in_progress");
    child.go_on();
    child.tell();
    assert_eq!(child.hear(), "ok");
    assert_eq!(ledger.state(&id("X")).unwrap(), ReleaseState::Released);
}

#[test]
fn an_attempt_is_left_alone_by_one_who_opens_the_ledger_under_another_name() {
    let home = Home::inhabited();
    let ledger = home.open();
    let mark = mark(&ledger, "A", "X");
    let name = home.directory().join("another name");
    symlink(home.path(), &name).unwrap();
    let other = LedgerCustody::open(&name, Box::new(Stopped)).unwrap();
    assert_eq!(code(other.request_release(&id("A"), &id("X"))), "release_in_progress");
    ledger.settle(mark, Settlement::Released, "it happened").unwrap();
}

#[test]
fn the_attempt_of_a_dead_process_becomes_uncertain_once_and_the_reason_is_kept() {
    let home = Home::inhabited();
    let ledger = home.open();
    let mut child = Child::start("attempt", &home.path());
    assert_eq!(child.hear(), "marked");
    child.kill();
    assert_eq!(ledger.recover().unwrap(), 1);
    assert_eq!(ledger.state(&id("X")).unwrap(), ReleaseState::Uncertain);
    assert_eq!(ledger.recover().unwrap(), 0);
    drop(ledger);
    assert_eq!(home.open().recover().unwrap(), 0);
    let attempts = home.rows("SELECT consequence, settlement, detail FROM attempts");
    let events = home.rows("SELECT kind FROM events WHERE sequence > 3 ORDER BY sequence");
    assert_snapshot!(format!("{attempts}\n\n{events}"));
}

#[test]
fn opening_a_ledger_settles_what_the_dead_left_before_anything_is_served() {
    let home = Home::inhabited();
    let mut child = Child::start("attempt", &home.path());
    assert_eq!(child.hear(), "marked");
    child.kill();
    let ledger = home.open();
    assert_eq!(ledger.state(&id("X")).unwrap(), ReleaseState::Uncertain);
    assert_eq!(ledger.recover().unwrap(), 0);
}

#[test]
fn an_owner_that_no_program_can_be_is_gone_whatever_lies_at_its_path() {
    let home = Home::inhabited();
    let ledger = home.open();
    let mark = mark(&ledger, "A", "X");
    // The lock of the one that lives, by another name.
    home.sql()
        .execute_batch("UPDATE attempts SET instance = '../ledger-instances/' || instance")
        .unwrap();
    let opened = home.open();
    assert_eq!(opened.state(&id("X")).unwrap(), ReleaseState::Uncertain);
    drop(mark);
}

#[test]
fn an_attempt_whose_handle_was_dropped_becomes_uncertain() {
    let home = Home::inhabited();
    let ledger = home.open();
    let mark = mark(&ledger, "A", "X");
    drop(ledger);
    let ledger = home.open();
    assert_eq!(ledger.state(&id("X")).unwrap(), ReleaseState::Uncertain);
    assert_eq!(code(ledger.settle(mark, Settlement::Released, "")), "stale_attempt");
    assert_eq!(ledger.state(&id("X")).unwrap(), ReleaseState::Uncertain);
}

#[test]
fn who_settles_after_it_was_taken_for_dead_is_refused_and_the_refusal_is_kept() {
    let home = Home::inhabited();
    let mut child = Child::start("attempt", &home.path());
    assert_eq!(child.hear(), "marked");
    child.stop();
    // Its lock can't be lost; the file that shows it can, to somebody who cleans up.
    fs::remove_dir_all(home.directory().join("ledger-instances")).unwrap();
    let ledger = home.open();
    assert_eq!(ledger.state(&id("X")).unwrap(), ReleaseState::Uncertain);
    child.go_on();
    child.tell();
    assert_eq!(child.hear(), "stale_attempt");
    assert_eq!(ledger.state(&id("X")).unwrap(), ReleaseState::Uncertain);
    home.verify();
    let last = "SELECT kind, body FROM events ORDER BY sequence DESC LIMIT 1";
    let attempt = home.rows("SELECT id FROM attempts");
    assert_snapshot!(home.rows(last).replace(&attempt, "[attempt]"));
}

#[test]
fn nothing_is_marked_by_one_who_can_not_show_that_it_is_there() {
    let home = Home::inhabited();
    let ledger = home.open();
    let instances = home.directory().join("ledger-instances");
    let own = instances.join(names(&instances).remove(0));
    let lock = home.sql();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = thread::scope(|scope| {
        let mark = scope.spawn(|| try_to_mark(&ledger, "A", "X"));
        fs::remove_file(&own).unwrap();
        fs::create_dir(&own).unwrap();
        lock.execute_batch("COMMIT").unwrap();
        mark.join().unwrap().unwrap_err()
    });
    let error = format!("{}: {error}", error.code());
    let name = own.file_name().unwrap().to_str().unwrap();
    let place = home.directory().display().to_string();
    assert_snapshot!(error.replace(name, "[instance]").replace(&place, "[directory]"));
    fs::remove_dir(&own).unwrap();
    let mark = try_to_mark(&ledger, "A", "X").unwrap();
    ledger.settle(mark, Settlement::Released, "it happened").unwrap();
}

#[test]
fn the_fencing_number_of_an_earlier_attempt_settles_nothing() {
    let home = Home::inhabited();
    let ledger = home.open();
    attempt(&ledger, "A", "X", Settlement::NotExecuted).unwrap();
    let mark = mark(&ledger, "A", "X");
    assert_eq!(mark.fence(), 2);
    let earlier: AttemptId = id(&home.rows("SELECT id FROM attempts WHERE fence = 1"));
    let late = Mark::issue(earlier, id("A"), id("X"), 1);
    assert_eq!(code(ledger.settle(late, Settlement::Released, "late")), "stale_attempt");
    assert_eq!(code(ledger.request_release(&id("A"), &id("X"))), "release_in_progress");
    ledger.settle(mark, Settlement::NotExecuted, "").unwrap();
    home.verify();
}

#[test]
fn what_dead_processes_left_beside_the_ledger_is_tidied_up() {
    let home = Home::inhabited();
    let instances = home.directory().join("ledger-instances");
    for _ in 0..3 {
        let mut child = Child::start("attempt", &home.path());
        child.hear();
        child.kill();
    }
    let ledger = home.open();
    let other = home.open();
    assert_eq!(names(&instances).len(), 2, "one of each that lives");
    drop((ledger, other));
    assert_eq!(home.files(), ["ledger"]);
}

#[test]
fn ledgers_that_are_opened_and_closed_all_at_once_take_nothing_from_each_other() {
    let home = Home::inhabited();
    let ledger = home.open();
    let standing = mark(&ledger, "A", "X");
    thread::scope(|scope| {
        for number in 0..8 {
            let home = &home;
            scope.spawn(move || {
                for turn in 0..10 {
                    let ledger = home.open();
                    let consequence = format!("{number}-{turn}");
                    ledger.submit(note("B", &consequence)).unwrap();
                    let new = mark(&ledger, "B", &consequence);
                    ledger.settle(new, Settlement::Released, "").unwrap();
                }
            });
        }
    });
    ledger.settle(standing, Settlement::Released, "").unwrap();
    assert_eq!(home.count("attempts WHERE settlement = 'RELEASED'"), 81);
    home.verify();
}

#[test]
fn two_processes_on_one_ledger_lose_nothing_and_one_alone_wins_each_consequence() {
    let home = Home::inhabited();
    let ledger = home.open();
    ledger.register(&id("lost")).unwrap();
    for number in 0..CONTESTED {
        ledger.submit(note("lost", &format!("contested-{number}"))).unwrap();
    }
    ledger.end(&id("lost")).unwrap();
    let mut child = Child::start("crowd", &home.path());
    assert_eq!(child.hear(), "ready");
    child.tell();
    let here = crowd(&ledger, "here");
    let there: u32 = child.hear().parse().unwrap();
    assert_eq!(here + there, CONTESTED);
    let released = "consequences WHERE state = 'RELEASED' AND id LIKE";
    assert_eq!(home.count(&format!("{released} 'contested-%'")), CONTESTED);
    assert_eq!(home.count(&format!("{released} 'own-%'")), 2 * THREADS * OWN);
    let doubled = "(SELECT 1 FROM attempts GROUP BY consequence HAVING count(*) > 1)";
    assert_eq!(home.count(doubled), 0);
    home.verify();
}

const CONTESTED: u32 = 60;
const THREADS: u32 = 4;
const OWN: u32 = 25;

/// The role of a process that begins an attempt, and settles it when it is told to.
pub(crate) fn attempt_and_wait(path: &Path) {
    let ledger = LedgerCustody::open(path, Box::new(Stopped)).unwrap();
    let Ok(mark) = try_to_mark(&ledger, "A", "X") else { return say("refused") };
    say("marked");
    listen();
    say(code(ledger.settle(mark, Settlement::Released, "it happened")));
}

/// The role of a process that does what [`crowd`] does.
pub(crate) fn crowd_and_say(path: &Path) {
    let ledger = LedgerCustody::open(path, Box::new(Stopped)).unwrap();
    say("ready");
    listen();
    say(crowd(&ledger, "there"));
}

/// Threads that submit and release what is their own, and adopt and release whatever of the
/// contested they can get. Gives how many of those they got.
fn crowd(ledger: &LedgerCustody, name: &str) -> u32 {
    let threads = |number| move || one_of_a_crowd(ledger, &format!("{name}-{number}"));
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|number| scope.spawn(threads(number))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).sum()
    })
}

fn one_of_a_crowd(ledger: &LedgerCustody, name: &str) -> u32 {
    ledger.register(&id(name)).unwrap();
    for number in 0..OWN {
        let consequence = format!("own-{name}-{number}");
        ledger.submit(note(name, &consequence)).unwrap();
        attempt(ledger, name, &consequence, Settlement::Released).unwrap();
    }
    let contested = (0..CONTESTED).filter(|number| {
        let consequence = format!("contested-{number}");
        match ledger.adopt(&id(name), &id(&consequence)) {
            Ok(_) => attempt(ledger, name, &consequence, Settlement::Released).is_ok(),
            Err(refused) => {
                let code = refused.code();
                let codes = ["not_quarantined", "release_in_progress", "not_adoptable"];
                assert!(codes.contains(&code.as_str()), "{code}");
                false
            }
        }
    });
    u32::try_from(contested.count()).unwrap()
}
