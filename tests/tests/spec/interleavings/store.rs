//! Operations of the store among themselves.

use insta::assert_snapshot;

use super::{World, endings};

#[test]
fn an_id_submitted_twice_is_taken_once() {
    let endings = endings(World::new, |world| {
        let other = world.meanwhile(|world| world.submit("B", "Z", None));
        let one = world.submit("A", "Z", None);
        let other = other.join().unwrap();
        format!("A {one}, B {other}: {}", world.what_became_of("Z"))
    });
    assert_snapshot!(endings, @"
    A consequence_exists, B ok: CONTAINED with B
    A ok, B consequence_exists: CONTAINED with A
    ");
}

#[test]
fn of_two_adopters_one_gets_it() {
    let endings = endings(World::new, |world| {
        world.end("A");
        let other = world.meanwhile(|world| world.adopt("C", "X"));
        let one = world.adopt("B", "X");
        let other = other.join().unwrap();
        format!("B {one}, C {other}: {}", world.what_became_of("X"))
    });
    assert_snapshot!(endings, @"
    B not_quarantined, C ok: CONTAINED with C
    B ok, C not_quarantined: CONTAINED with B
    ");
}

#[test]
fn of_two_transfers_one_succeeds() {
    let endings = endings(World::new, |world| {
        let other = world.meanwhile(|world| world.transfer("A", "C", "X"));
        let one = world.transfer("A", "B", "X");
        let other = other.join().unwrap();
        format!("to B {one}, to C {other}: {}", world.what_became_of("X"))
    });
    assert_snapshot!(endings, @"
    to B not_visible, to C ok: CONTAINED with C
    to B ok, to C not_visible: CONTAINED with B
    ");
}

#[test]
fn what_is_handed_to_an_execution_that_ends_is_quarantined_or_stays() {
    let endings = endings(World::new, |world| {
        let end = world.meanwhile(|world| world.end("B"));
        let transfer = world.transfer("A", "B", "X");
        let end = end.join().unwrap();
        format!("transfer {transfer}, end {end}: {}", world.what_became_of("X"))
    });
    assert_snapshot!(endings, @"
    transfer execution_not_active, end ok: CONTAINED with A
    transfer ok, end ok: CONTAINED in quarantine
    ");
}

#[test]
fn what_is_submitted_by_an_execution_that_ends_is_quarantined_or_not_there() {
    let endings = endings(World::new, |world| {
        let end = world.meanwhile(|world| world.end("B"));
        let submit = world.submit("B", "Z", None);
        let end = end.join().unwrap();
        let id_is_free = world.submit("A", "Z", None) == "ok";
        assert_eq!(id_is_free, submit != "ok");
        format!("submit {submit}, end {end}")
    });
    assert_snapshot!(endings, @"
    submit execution_not_active, end ok
    submit ok, end ok
    ");
}
