//! Attempts whose outcome could not be stored.

use insta::assert_snapshot;
use swampbox_custody::{Custody, ReleaseState, Settlement};

use crate::ledgers::{Home, code, id, mark, note};

#[test]
fn an_outcome_that_could_not_be_stored_becomes_uncertain_when_the_store_is_back() {
    let home = Home::inhabited();
    let ledger = home.open_impatient();
    let mark = mark(&ledger, "A", "X");
    let lock = home.sql();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(code(ledger.settle(mark, Settlement::Released, "")), "store_unavailable");
    let failure = ledger.recover().unwrap_err();
    assert_eq!(failure.code().as_str(), "store_unavailable");
    lock.execute_batch("COMMIT").unwrap();
    assert_eq!(code(ledger.request_release(&id("A"), &id("X"))), "release_in_progress");
    assert_eq!(ledger.recover().unwrap(), 1);
    assert_eq!(ledger.state(&id("X")).unwrap(), ReleaseState::Uncertain);
    assert_eq!(ledger.recover().unwrap(), 0);
    home.verify();
    assert_snapshot!(home.rows("SELECT settlement, detail FROM attempts"));
}

#[test]
fn an_attempt_that_never_entered_its_actuator_is_contained_again_when_the_store_is_back() {
    let home = Home::inhabited();
    let ledger = home.open_impatient();
    let mark = mark(&ledger, "A", "X");
    let lock = home.sql();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(code(ledger.settle(mark, Settlement::NotEntered, "")), "store_unavailable");
    lock.execute_batch("COMMIT").unwrap();
    assert_eq!(ledger.recover().unwrap(), 1);
    assert_eq!(code(ledger.request_release(&id("A"), &id("X"))), "ok");
    home.verify();
}

#[test]
fn an_attempt_that_is_still_running_is_not_taken_for_one_that_failed() {
    let home = Home::inhabited();
    let ledger = home.open_impatient();
    ledger.submit(note("A", "Y")).unwrap();
    let running = mark(&ledger, "A", "Y");
    let failing = mark(&ledger, "A", "X");
    let lock = home.sql();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(code(ledger.settle(failing, Settlement::Uncertain, "")), "store_unavailable");
    lock.execute_batch("COMMIT").unwrap();
    assert_eq!(ledger.recover().unwrap(), 1);
    ledger.settle(running, Settlement::Released, "").unwrap();
    assert_eq!(ledger.state(&id("Y")).unwrap(), ReleaseState::Released);
}

#[test]
fn an_outcome_with_endless_words_is_stored_all_the_same() {
    let home = Home::inhabited();
    let ledger = home.open();
    let mark = mark(&ledger, "A", "X");
    ledger.settle(mark, Settlement::Released, &"\u{1}é".repeat(10_000_000)).unwrap();
    assert_eq!(ledger.state(&id("X")).unwrap(), ReleaseState::Released);
    let kept: u32 = home
        .sql()
        .query_row("SELECT length(CAST(detail AS BLOB)) FROM attempts", [], |row| row.get(0))
        .unwrap();
    assert!(kept <= 64 * 1024);
    home.verify();
}
