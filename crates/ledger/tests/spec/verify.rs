//! What verification reads, and what it finds in a ledger that nobody has touched.

use insta::assert_snapshot;
use swampbox_custody::{Custody, Settlement};
use swampbox_ledger::{Expectations, verify};

use crate::ledgers::{A_MINUTE_LATER, Home, NOW, attempt, code, id, mark, record_of};
use crate::lived::{lived, lived_and_approved, redacted, submission, told};

#[test]
fn an_empty_ledger_verifies() {
    let home = Home::new();
    drop(home.create());
    assert_snapshot!(told(&home.path()));
}

#[test]
fn a_ledger_in_which_everything_happened_verifies() {
    let (home, _) = lived();
    assert_snapshot!(told(&home.path()));
}

#[test]
fn every_event_is_stored_like_this() {
    let home = lived_and_approved();
    let query = "SELECT sequence, at, kind, execution, recipient, consequence, body FROM events";
    assert_snapshot!(redacted(&home.rows(query)));
}

#[test]
fn a_ledger_with_an_open_attempt_verifies_while_it_is_used() {
    let home = Home::inhabited();
    let ledger = home.open();
    let mark = mark(&ledger, "A", "X");
    let during = verify(home.path(), &Expectations::default()).unwrap();
    assert_eq!((during.events, during.attempts), (4, 1));
    assert_eq!(code(ledger.settle(mark, Settlement::Released, "")), "ok");
    let after = verify(home.path(), &Expectations::default()).unwrap();
    assert_eq!(after.events, 5);
}

#[test]
fn a_recovered_attempt_and_a_late_settlement_verify() {
    let home = Home::inhabited();
    let first = home.open();
    let mark = mark(&first, "A", "X");
    // The attempt's owner is not gone; that its lock is, is all that the other one sees.
    let locks = home.files().into_iter().find(|name| name.ends_with("-instances")).unwrap();
    std::fs::remove_dir_all(home.directory().join(locks)).unwrap();
    let second = home.open();
    assert_eq!(code(first.settle(mark, Settlement::Released, "late")), "stale_attempt");
    drop((first, second));
    let kinds = home.rows("SELECT kind FROM events WHERE sequence > 3");
    assert_eq!(kinds, "attempt_marked\nattempt_recovered\nsettlement_refused");
    assert!(verify(home.path(), &Expectations::default()).is_ok());
}

/// Whoever embeds a ledger can mark past the boundary, and somebody with the key of the checkpoints
/// can write a history anew.
#[test]
fn an_attempt_under_a_decision_that_did_not_allow_it_is_named() {
    let decision = |verdict: &str, custodian: &str, payload: &str, until: &str| {
        let bound = r#"{"consequence_type": "note", "target": "inbox", "payload": PAYLOAD}"#;
        let bound = bound.replace("PAYLOAD", payload);
        format!(
            r#"{{"decision_id": "d", "verdict": "{verdict}", "consequence_id": "X",
                "execution_id": "{custodian}", "bound_consequence": {bound},
                "issued_at": "2026-01-01T11:00:00Z", "valid_until": "{until}"}}"#
        )
    };
    let cases = [
        ("none", String::new()),
        ("a denial", decision("DENY", "A", r#""X""#, A_MINUTE_LATER)),
        ("for another custodian", decision("ALLOW", "B", r#""X""#, A_MINUTE_LATER)),
        ("for other material", decision("ALLOW", "A", "1", A_MINUTE_LATER)),
        ("no longer valid", decision("ALLOW", "A", r#""X""#, NOW)),
    ];
    let named = cases.map(|(what, decision)| {
        let home = Home::inhabited();
        home.open().mark(&id("A"), &id("X"), &record_of(&decision)).unwrap();
        format!("{what}\n  {}", told(&home.path()))
    });
    assert_snapshot!(named.join("\n"));
}

#[test]
fn a_store_with_thousands_of_rows_verifies() {
    let home = Home::inhabited();
    let ledger = home.open();
    for number in 0..1000 {
        let consequence = format!("c-{number}");
        ledger.submit(submission("B", &consequence)).unwrap();
        if number % 3 == 0 {
            attempt(&ledger, "B", &consequence, Settlement::Released).unwrap();
        }
    }
    ledger.end(&id("B")).unwrap();
    drop(ledger);
    let verified = verify(home.path(), &Expectations::default()).unwrap();
    assert_eq!((verified.consequences, verified.attempts), (1001, 334));
}

#[test]
fn what_is_no_ledger_is_not_verified() {
    let home = Home::new();
    let missing = told(&home.path());
    std::fs::write(home.path(), "a text of some length, which is no SQLite file at all").unwrap();
    assert_snapshot!(format!("{missing}\n{}", told(&home.path())));
}
