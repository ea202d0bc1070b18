//! Whatever is refused before the actuator is noted once, with its reason and the authority's answer.

use insta::assert_snapshot;
use swampbox_authority::{ClockError, DecisionDocument, NoDecision};
use swampbox_boundary::{ActuatorFailure, ActuatorReport, Requested};
use swampbox_custody::{AttemptRecord, Custody, MemoryCustody};

use crate::fixture::{
    NOW, Reported, Script, afterwards, allows, altered, held, inhabited, json, parsed,
};
use crate::watched::{Fault, Watched};

/// Makes one release that is refused: what the store was given to note, which must be the reason
/// that the result gives.
fn noted(store: &Watched, script: &Script, execution: &str, consequence: &str) -> String {
    let result = script.release(store, execution, consequence);
    assert_eq!(result.actuator_outcome(), None);
    let refusals = store.refusals();
    let [refusal] = &refusals[..] else {
        panic!("noted {} times", refusals.len());
    };
    assert_eq!(refusal.reason, result.reason().code());
    let answer = refusal.decision.as_deref().unwrap_or("(no answer)");
    format!("{}, {} of {}: {answer}", refusal.reason, refusal.consequence, refusal.execution)
}

/// Releases X for exec-A in a store where exec-A holds it.
fn noted_of_x(script: Script) -> String {
    noted(&Watched::new(&held()), &script, "exec-A", "X")
}

#[test]
fn what_custody_refuses_at_once_is_noted_without_an_answer() {
    let releases = [
        ("unknown", "absent"),
        ("ended", "absent"),
        ("exec-B", "absent"),
        ("exec-B", "releasing"),
        ("exec-B", "released"),
        ("exec-B", "uncertain"),
        ("exec-B", "quarantined"),
        ("exec-B", "X"),
    ];
    let notes = releases.map(|(execution, consequence)| {
        noted(&Watched::new(&inhabited()), &Script::new(), execution, consequence)
    });
    let notes = notes.join("\n");
    assert_snapshot!(notes);
}

#[test]
fn a_release_that_nobody_answered_is_noted_without_an_answer() {
    let notes = [
        Script::new().clock(|_| Err(ClockError::new("it stopped"))),
        Script::new().authority(|_| Err(NoDecision::new("connection refused"))),
        Script::new().authority(|_| panic!("out of order")),
    ];
    let notes = notes.map(noted_of_x).join("\n");
    assert_snapshot!(notes);
}

#[test]
fn an_answer_that_does_not_allow_exactly_this_is_noted_with_it() {
    let alterations = [
        ("decision_id", "null"),
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
    ];
    let notes = alterations.map(|(field, text)| {
        noted_of_x(Script::new().authority(|request| Ok(altered(request, field, text))))
    });
    let notes = notes.join("\n");
    assert_snapshot!(notes);
}

#[test]
fn an_answer_that_came_as_text_is_noted_letter_by_letter() {
    let answers: [&[u8]; 4] = [
        b" { \"verdict\" : \"DENY\",\t\"decision_id\" : \"decision-\\u0031\" } ",
        b"{\"verdict\": \"DENY\", \"verdict\": \"ALLOW\"}",
        b"ALLOW",
        b"",
    ];
    for answer in answers {
        let (store, text) = (held(), str::from_utf8(answer).unwrap());
        let store = Watched::new(&store);
        let script = Script::new().authority(|_| Ok(DecisionDocument::read(answer)));
        drop(script.release(&store, "exec-A", "X"));
        let [refusal] = &store.refusals()[..] else {
            panic!("{text:?} is noted once");
        };
        assert_eq!(refusal.decision.as_deref(), Some(text));
    }
}

/// Lets something happen to X while the clock is read for the second time, after the recheck.
fn noted_by_the_mark(happens: impl Fn(&MemoryCustody) + Send + Sync) -> String {
    let store = &held();
    let script = Script::new().clock(|number| {
        if number == 2 {
            happens(store);
        }
        Ok(parsed(NOW))
    });
    noted(&Watched::new(store), &script, "exec-A", "X")
}

#[test]
fn custody_that_changed_after_the_answer_is_noted_with_it() {
    let move_x = |store: &MemoryCustody| {
        store.transfer(&parsed("exec-A"), &parsed("exec-B"), &parsed("X")).unwrap();
    };
    let release_x = |store: &MemoryCustody| {
        drop(Script::new().release(store, "exec-A", "X"));
    };
    let mark_x = |store: &MemoryCustody| {
        store.mark(&parsed("exec-A"), &parsed("X"), &AttemptRecord::default()).unwrap();
    };
    let store = &held();
    let moved_meanwhile = Script::new().authority(|request| {
        move_x(store);
        Ok(allows(request).into())
    });
    let notes = [
        noted(&Watched::new(store), &moved_meanwhile, "exec-A", "X"),
        noted_by_the_mark(move_x),
        noted_by_the_mark(release_x),
        noted_by_the_mark(mark_x),
    ];
    let notes = notes.join("\n");
    assert_snapshot!(notes);
}

/// Before the mark at the second reading, and with the mark at the third.
#[test]
fn a_clock_or_a_window_that_ends_after_the_answer_is_noted_with_it() {
    let late = "2026-01-01T12:05:00Z";
    let notes =
        [2, 3].map(|last| {
            [Err(ClockError::new("it stopped")), Ok(parsed(late))].map(|shown| {
                noted_of_x(
                    Script::new().clock(|number| {
                        if number == last { shown.clone() } else { Ok(parsed(NOW)) }
                    }),
                )
            })
        });
    let notes = notes.as_flattened().join("\n");
    assert_snapshot!(notes);
}

#[test]
fn a_store_that_failed_is_asked_to_note_that_too() {
    let notes = [Fault::Request, Fault::Recheck, Fault::Mark].map(|at| {
        let store = held();
        let note = noted(&Watched::failing(&store, at), &Script::new(), "exec-A", "X");
        format!("at {at:?}: {note}")
    });
    let notes = notes.join("\n");
    assert_snapshot!(notes);
}

#[test]
fn nothing_is_noted_once_the_actuator_was_entered() {
    let reports: [fn() -> Reported; 5] = [
        || Ok(ActuatorReport::succeeded("delivered")),
        || Ok(ActuatorReport::definite_not_executed("connection refused")),
        || Ok(ActuatorReport::uncertain("no answer within 10 s")),
        || Err(ActuatorFailure::new("connection reset")),
        || panic!("out of order"),
    ];
    for report in reports {
        let (storing, full) = (held(), held());
        for store in [Watched::new(&storing), Watched::failing(&full, Fault::Settle)] {
            let result = Script::new().actuator(|_| report()).release(&store, "exec-A", "X");
            assert_ne!(result.actuator_outcome(), None);
            assert_eq!(store.refusals(), []);
        }
    }
}

#[test]
fn a_store_that_cannot_note_it_leaves_the_refusal_as_it_is() {
    let scripts: [fn() -> Script<'static>; 4] = [
        || Script::new().clock(|_| Err(ClockError::new("it stopped"))),
        || Script::new().authority(|_| Err(NoDecision::new("connection refused"))),
        || Script::new().authority(|request| Ok(altered(request, "verdict", r#""DENY""#))),
        || {
            Script::new().clock(|number| {
                let moment = if number == 3 { "2026-01-01T12:05:00Z" } else { NOW };
                Ok(parsed(moment))
            })
        },
    ];
    for script in scripts {
        let (noting, not_noting) = (held(), held());
        let store = Watched::failing(&not_noting, Fault::Note);
        let refused = script().release(&store, "exec-A", "X");
        assert_eq!(store.refusals().len(), 1, "it was asked, and not again");
        assert_eq!(json(&refused), json(&script().release(&noting, "exec-A", "X")));
        assert_eq!(afterwards(&not_noting), "afterwards: CONTAINED, not marked");
    }
}

#[test]
fn an_attempt_that_is_given_up_is_no_refusal() {
    let store = held();
    let store = Watched::new(&store);
    let requested = Requested::new(&store, &parsed("exec-A"), &parsed("X")).unwrap();
    let request = requested.request(&Script::new()).unwrap();
    let evaluated = requested.answered(Ok(allows(&request).into())).unwrap();
    drop(evaluated.admit(&Script::new(), "an authority", "an actuator").unwrap());
    assert_eq!(store.refusals(), []);
}
