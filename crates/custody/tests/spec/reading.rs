//! `read`, `state`, and what a snapshot is.

use insta::assert_snapshot;
use swampbox_custody::{Custody, ExecutionState, ReleaseState};
use swampbox_material::{Material, Value};

use crate::fixture::{CONSEQUENCES, EXECUTIONS, attempt, held, id, inhabited, state, table};

#[test]
fn a_consequence_is_read_by_its_custodian_alone() {
    let answers = table(&CONSEQUENCES, &EXECUTIONS, |consequence, execution| {
        held(attempt(|store| store.read(&id(execution), &id(consequence))))
    });
    assert_snapshot!(answers);
}

#[test]
fn reading_does_not_tell_another_ones_consequence_from_one_that_is_not_there() {
    let refusal = |consequence: &str| {
        let refused = attempt(|store| store.read(&id("ann"), &id(consequence))).unwrap_err();
        refused.to_string().replace(consequence, "…")
    };
    assert_eq!(refusal("bobs"), refusal("absent"));
    assert_eq!(refusal("quarantined"), refusal("absent"));
}

#[test]
fn the_state_of_a_consequence_needs_no_custody() {
    let answers = table(&CONSEQUENCES, &["state"], |consequence, _| {
        state(attempt(|store| store.state(&id(consequence))))
    });
    assert_snapshot!(answers);
}

#[test]
fn a_snapshot_is_detached_from_the_store() {
    let store = inhabited();
    let as_it_is = store.read(&id("ann"), &id("anns")).unwrap();
    let mut mine = as_it_is.clone();
    mine.current_execution_id = Some(id("bob"));
    mine.release_state = ReleaseState::Released;
    mine.material = Material::new("other", "elsewhere", Value::Null);
    assert_ne!(mine, as_it_is);
    assert_eq!(store.read(&id("ann"), &id("anns")).unwrap(), as_it_is);
}

#[test]
fn a_snapshot_does_not_follow_the_store() {
    let store = inhabited();
    let earlier = store.read(&id("ann"), &id("anns")).unwrap();
    store.transfer(&id("ann"), &id("bob"), &id("anns")).unwrap();
    assert_eq!(held(Ok(earlier)), "CONTAINED by ann");
}

#[test]
fn states_are_displayed_and_serialised_in_capitals() {
    let json = |state| serde_json::to_string(&state).unwrap();
    assert_eq!(json(ReleaseState::Contained), r#""CONTAINED""#);
    assert_eq!(json(ReleaseState::Released), r#""RELEASED""#);
    assert_eq!(json(ReleaseState::Uncertain), r#""UNCERTAIN""#);
    assert_eq!(ReleaseState::Uncertain.to_string(), "UNCERTAIN");
    let json = |state| serde_json::to_string(&state).unwrap();
    assert_eq!(json(ExecutionState::Active), r#""ACTIVE""#);
    assert_eq!(json(ExecutionState::Ended), r#""ENDED""#);
    assert_eq!(ExecutionState::Ended.to_string(), "ENDED");
}
