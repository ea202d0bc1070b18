//! Steps 4 and 5: the decision is validated, the consequence marked, and the window checked again.

use insta::assert_snapshot;
use swampbox_authority::{AuthorityDecision, ClockError, DecisionDocument, Verdict};
use swampbox_custody::{AttemptRecord, Custody, Snapshot, Submission};
use swampbox_material::{Material, Value};

use crate::fixture::{
    NOW, Reading, Script, altered, code, decides, held, json, note, parsed, told,
};

#[test]
fn a_decision_that_does_not_allow_exactly_this_keeps_it_contained() {
    let alterations = [
        ("decision_id", "null"),
        ("verdict", r#""HOLD""#),
        ("verdict", r#""DENY""#),
        ("consequence_id", r#""W""#),
        ("execution_id", r#""exec-B""#),
        ("bound_consequence", "null"),
        (
            "bound_consequence",
            r#"{"consequence_type": "note", "target": "inbox", "payload": {"n": 1.0}}"#,
        ),
        ("valid_until", r#""2026-01-01T12:00:00Z""#),
        ("issued_at", r#""2026-01-01T12:00:01Z""#),
        ("unknown", "1"),
    ];
    let answers = alterations.map(|(field, text)| {
        let store = held();
        let script = Script::new().authority(|request| Ok(altered(request, field, text)));
        let result = script.release(&store, "exec-A", "X");
        assert_eq!(script.counts(), [1, 0, 2], "asked once, never entered");
        assert_eq!(code(store.request_release(&parsed("exec-A"), &parsed("X"))), "ok");
        format!("{field} {text}: {}", json(&result))
    });
    let answers = answers.join("\n");
    assert_snapshot!(answers);
}

#[test]
fn unreadable_text_from_an_authority_keeps_it_contained() {
    let script = Script::new().authority(|_| Ok(DecisionDocument::read(b"ALLOW")));
    let told = told(&held(), &script);
    assert_snapshot!(told);
}

/// Lineage is not authority.
#[test]
fn the_decision_for_a_parent_never_releases_its_child() {
    let store = held();
    let child = Submission {
        parent: Some(parsed("X")),
        material: Material::new("note", "outbox", Value::Null),
        ..note("exec-A", "C")
    };
    let child = store.submit(child).unwrap();
    let parent = store.read(&parsed("exec-A"), &parsed("X")).unwrap();
    let allows = |snapshot: &Snapshot| decides(Verdict::Allow, snapshot, parsed(NOW));
    let decisions = [
        ("the parent's", allows(&parent)),
        (
            "the parent's, relabelled",
            AuthorityDecision { consequence_id: parsed("C"), ..allows(&parent) },
        ),
        ("its own", allows(&child)),
    ];
    let answers = decisions.map(|(whose, decision)| {
        let script = Script::new().authority(|_| Ok(decision.clone().into()));
        let result = script.release(&store, "exec-A", "C");
        format!("{whose}: {}\nbecause: {}", json(&result), result.reason())
    });
    let answers = answers.join("\n");
    assert_snapshot!(answers);
}

/// A clock that shows other times at later readings.
fn readings(shown: [&'static str; 3]) -> impl Fn(usize) -> Reading {
    move |number| match shown[number - 1] {
        "fails" => Err(ClockError::new("it stopped")),
        moment => Ok(parsed(moment)),
    }
}

/// The window is from 12:00 to 12:05.
#[test]
fn the_window_is_checked_at_the_second_and_at_the_third_reading() {
    let clocks = [
        [NOW, "2026-01-01T12:05:00Z", NOW],
        [NOW, "2026-01-01T11:59:59Z", NOW],
        [NOW, "fails", NOW],
        [NOW, NOW, "2026-01-01T12:05:00Z"],
        [NOW, NOW, "2026-01-01T11:59:59Z"],
        [NOW, NOW, "fails"],
        [NOW, "2026-01-01T12:04:59Z", "2026-01-01T12:04:59.999999999Z"],
    ];
    let answers = clocks.map(|shown| {
        let store = held();
        let told = told(&store, &Script::new().clock(readings(shown)));
        format!("at {}\n{told}", shown.join(", then "))
    });
    let answers = answers.join("\n\n");
    assert_snapshot!(answers);
}

/// The second reading lies between the recheck and the mark.
#[test]
fn custody_that_changes_while_the_decision_is_validated_is_noticed_by_the_mark() {
    let store = &held();
    let script = Script::new().clock(|number| {
        if number == 2 {
            store.transfer(&parsed("exec-A"), &parsed("exec-B"), &parsed("X")).unwrap();
        }
        Ok(parsed(NOW))
    });
    let told = told(store, &script);
    assert_snapshot!(told);
}

#[test]
fn of_two_attempts_that_are_validated_at_once_the_first_mark_wins() {
    let store = &held();
    let script = Script::new().clock(|number| {
        if number == 2 {
            store.mark(&parsed("exec-A"), &parsed("X"), &AttemptRecord::default()).unwrap();
        }
        Ok(parsed(NOW))
    });
    let told = told(store, &script);
    assert_snapshot!(told);
}

#[test]
fn the_mark_stands_before_the_clock_is_read_for_the_last_time() {
    let store = &held();
    let script = Script::new().clock(|number| {
        let transfer = store.transfer(&parsed("exec-B"), &parsed("exec-A"), &parsed("X"));
        let expected = if number == 3 { "release_in_progress" } else { "not_visible" };
        assert_eq!(code(transfer), expected, "at reading {number}");
        Ok(parsed(NOW))
    });
    let result = script.release(store, "exec-A", "X");
    assert_eq!(result.reason().code().as_str(), "actuator_succeeded");
}
