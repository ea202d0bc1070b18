//! Decisions that are used up, and what others keep in a ledger.

use insta::assert_snapshot;
use swampbox_custody::{Custody, Settlement};
use swampbox_ledger::{Expectations, NewRecord, Record, export, import};
use swampbox_material::json::Json;

use crate::ledgers::{Home, code, id, mark_once, note};
use crate::lived::{lived_and_approved, request, told};

#[test]
fn a_decision_that_may_be_used_once_marks_one_attempt_and_no_other() {
    let home = Home::inhabited();
    let ledger = home.open();
    ledger.submit(note("A", "Y")).unwrap();
    let mark = mark_once(&ledger, "A", "X", "once").unwrap();
    assert_eq!(code(mark_once(&ledger, "A", "Y", "once")), "authority_consumed");
    assert_eq!(code(ledger.transfer(&id("A"), &id("B"), &id("Y"))), "ok", "it was not marked");
    ledger.settle(mark, Settlement::NotEntered, "").unwrap();
    drop(ledger);
    let again = mark_once(&home.open(), "A", "X", "once");
    assert_eq!(code(again), "authority_consumed", "used up for ever");
    home.verify();
}

#[test]
fn of_fifty_who_share_a_decision_one_alone_marks() {
    let home = Home::inhabited();
    let ledger = home.open();
    let ids = (0..50).map(|number| format!("c-{number}")).collect::<Vec<_>>();
    for consequence in &ids {
        ledger.submit(note("A", consequence)).unwrap();
    }
    let marked = std::thread::scope(|scope| {
        let ledger = &ledger;
        let threads: Vec<_> = ids
            .iter()
            .map(|consequence| {
                scope.spawn(move || code(mark_once(ledger, "A", consequence, "once").map(drop)))
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    assert_eq!(marked.iter().filter(|code| *code == "ok").count(), 1);
    assert_eq!(marked.iter().filter(|code| *code == "authority_consumed").count(), 49);
}

#[test]
fn a_record_is_put_only_in_the_place_of_the_one_that_was_seen() {
    let home = Home::inhabited();
    let ledger = home.open();
    let first = ledger.put_record(request("open"), None).unwrap().unwrap();
    assert_eq!(ledger.put_record(request("late"), None).unwrap(), None, "one is there");
    assert_eq!(ledger.put_record(request("late"), Some(first + 1)).unwrap(), None);
    let second = ledger.put_record(request("decided"), Some(first)).unwrap().unwrap();
    assert!(second > first);
    assert_eq!(ledger.put_record(request("late"), Some(first)).unwrap(), None);
    let present = ledger.record("approval", "approval-1").unwrap().unwrap();
    assert_eq!((present.version, present.status.as_str()), (second, "decided"));
    assert_eq!(ledger.record("approval", "approval-2").unwrap(), None);
    assert_eq!(ledger.record("revocation", "approval-1").unwrap(), None);
    home.verify();
}

#[test]
fn records_are_listed_by_kind_and_status_in_the_order_in_which_they_were_put() {
    let home = Home::inhabited();
    let ledger = home.open();
    let put = |id: &str, status: &str| {
        let expected = ledger.record("approval", id).unwrap().map(|record| record.version);
        let record = NewRecord { id: id.into(), ..request(status) };
        ledger.put_record(record, expected).unwrap().unwrap();
    };
    for id in ["c", "a", "b", "d"] {
        put(id, "open");
    }
    put("b", "decided");
    put("c", "open");
    let listed = |after, limit| ledger.records("approval", "open", after, limit).unwrap();
    let ids =
        |records: &[Record]| records.iter().map(|record| record.id.clone()).collect::<String>();
    let all = listed(0, 10);
    assert_eq!(ids(&all), "adc");
    assert_eq!(ids(&listed(all[0].version, 1)), "d");
    assert_eq!(ids(&ledger.records("approval", "decided", 0, 10).unwrap()), "b");
    assert!(listed(u64::MAX, 10).is_empty(), "no store counts so far");
}

#[test]
fn a_record_whose_name_could_be_taken_for_another_one_is_refused() {
    let home = Home::inhabited();
    let record = NewRecord { id: "a\nb".into(), ..request("open") };
    let refused = home.open().put_record(record, None).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "the custody store failed: neither kind nor id of a record may hold a line feed"
    );
    assert_eq!(home.count("events"), 3);
}

#[test]
fn a_record_that_is_too_large_is_refused_and_changes_nothing() {
    let home = Home::inhabited();
    let document = Json::from("\u{1}".repeat(8 << 20).as_str());
    let refused = home.open().put_record(NewRecord { document, ..request("open") }, None);
    assert_eq!(refused.unwrap_err().code().as_str(), "store_unavailable");
    home.verify();
}

#[test]
fn records_and_used_decisions_come_with_an_export() {
    let home = lived_and_approved();
    let mut text = Vec::new();
    export(home.path(), &mut text).unwrap();
    let other = Home::new();
    import(other.path(), &text[..], &Expectations::default()).unwrap();
    for table in ["records", "consumed"] {
        let query = format!("SELECT * FROM {table}");
        assert_eq!(other.rows(&query), home.rows(&query));
        assert_ne!(other.rows(&query), "");
    }
    assert_snapshot!(told(&other.path()));
}
