//! Step 7: however an attempt breaks off, before the actuator nothing has happened, and after it
//! nobody knows.

use std::panic::panic_any;

use insta::assert_snapshot;
use swampbox_boundary::{Actuating, ActuatorReport, Admitted, Evaluated, Requested};
use swampbox_custody::MemoryCustody;

use crate::fixture::{NOW, Script, afterwards, allows, held, parsed};

fn requested(store: &MemoryCustody) -> Requested<'_, MemoryCustody> {
    Requested::new(store, &parsed("exec-A"), &parsed("X")).unwrap()
}

fn evaluated(store: &MemoryCustody) -> Evaluated<'_, MemoryCustody> {
    let requested = requested(store);
    let request = requested.request(&Script::new()).unwrap();
    requested.answered(Ok(allows(&request).into())).unwrap()
}

fn admitted(store: &MemoryCustody) -> Admitted<'_, MemoryCustody> {
    evaluated(store).admit(&Script::new(), "an authority", "an actuator").unwrap()
}

fn actuating(store: &MemoryCustody) -> Actuating<'_, MemoryCustody> {
    admitted(store).enter(Ok(()), &Script::new()).unwrap()
}

/// Breaks off an attempt at a step: what is seen while it stands, and afterwards.
fn dropped<'s, State>(
    store: &'s MemoryCustody,
    reach: impl Fn(&'s MemoryCustody) -> State,
) -> String {
    let state = reach(store);
    let before = afterwards(store).replace("afterwards", "meanwhile");
    drop(state);
    format!("{before}; {}", afterwards(store))
}

#[test]
fn an_attempt_that_is_dropped_takes_its_mark_away_and_once_entered_becomes_uncertain() {
    let answers = [
        format!("requested: {}", dropped(&held(), requested)),
        format!("evaluated: {}", dropped(&held(), evaluated)),
        format!("admitted: {}", dropped(&held(), admitted)),
        format!("actuating: {}", dropped(&held(), actuating)),
    ]
    .join("\n");
    assert_snapshot!(answers);
}

#[test]
fn an_attempt_that_was_dropped_before_the_actuator_may_be_made_again() {
    let store = held();
    drop(admitted(&store));
    let result = Script::new().release(&store, "exec-A", "X");
    assert_eq!(result.status().as_str(), "RELEASED");
}

#[test]
fn a_driver_of_ones_own_need_not_catch_the_panics_of_the_actuator() {
    let store = held();
    let result = actuating(&store).act(|_| panic!("out of order"));
    assert_eq!(result.reason().to_string(), "the actuator failed: it panicked");
    assert_eq!(afterwards(&store), "afterwards: UNCERTAIN, not marked");
}

#[test]
fn an_attempt_is_settled_by_its_report() {
    let store = held();
    let result = actuating(&store).act(|_| Ok(ActuatorReport::succeeded("")));
    assert_eq!(result.status().as_str(), "RELEASED");
    assert_eq!(afterwards(&store), "afterwards: RELEASED, not marked");
}

#[test]
fn a_clock_that_panics_has_not_told_the_time() {
    let answers = [1, 2, 3].map(|reading| {
        let store = held();
        let script = Script::new().clock(|number| {
            assert_ne!(number, reading, "the clock broke");
            Ok(parsed(NOW))
        });
        let result = script.release(&store, "exec-A", "X");
        assert_eq!(script.counts()[1], 0, "the actuator is never entered");
        let reason = result.reason();
        format!("at reading {reading}: {}, {reason}; {}", reason.code(), afterwards(&store))
    });
    let answers = answers.join("\n");
    assert_snapshot!(answers);
}

/// A panic's payload that panics in its turn when it is thrown away.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("thrown away");
    }
}

#[test]
fn a_panic_that_cannot_even_be_thrown_away_is_a_panic_like_any_other() {
    let store = held();
    let script = Script::new().authority(|_| panic_any(Bomb));
    let result = script.release(&store, "exec-A", "X");
    assert_eq!(result.reason().code().as_str(), "authority_unavailable");
    assert_eq!(afterwards(&store), "afterwards: CONTAINED, not marked");

    let script = Script::new().actuator(|_| panic_any(Bomb));
    let result = script.release(&store, "exec-A", "X");
    assert_eq!(result.reason().code().as_str(), "actuator_outcome_uncertain");
    assert_eq!(afterwards(&store), "afterwards: UNCERTAIN, not marked");
}
