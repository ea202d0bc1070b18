//! A release, and what a second thread does meanwhile.

use insta::assert_snapshot;
use swampbox_boundary::ActuatorOutcome;

use super::{World, endings, endings_within};

#[test]
fn of_two_releases_exactly_one_reaches_the_actuator() {
    let endings = endings(World::new, |world| {
        let other = world.meanwhile(|world| world.release("A", "X"));
        let one = world.release("A", "X");
        let other = other.join().unwrap();
        assert_eq!(world.effects(), ["X"]);
        format!("{one}, {other}: {}", world.what_became_of("X"))
    });
    assert_snapshot!(endings, @"
    actuator_succeeded, consequence_not_releasable after evaluation: RELEASED with A
    actuator_succeeded, consequence_not_releasable: RELEASED with A
    actuator_succeeded, release_in_progress after evaluation: RELEASED with A
    actuator_succeeded, release_in_progress: RELEASED with A
    consequence_not_releasable after evaluation, actuator_succeeded: RELEASED with A
    consequence_not_releasable, actuator_succeeded: RELEASED with A
    release_in_progress after evaluation, actuator_succeeded: RELEASED with A
    release_in_progress, actuator_succeeded: RELEASED with A
    ");
}

#[test]
fn of_three_releases_exactly_one_reaches_the_actuator() {
    let endings = endings_within(3, World::new, |world| {
        let others = [(); 2].map(|()| world.meanwhile(|world| world.release("A", "X")));
        let mut all = Vec::from([world.release("A", "X")]);
        all.extend(others.map(|other| other.join().unwrap()));
        all.sort();
        assert_eq!(world.effects(), ["X"]);
        format!("{}: {}", all.join(", "), world.what_became_of("X"))
    });
    assert_snapshot!(endings, @"
    actuator_succeeded, consequence_not_releasable after evaluation, consequence_not_releasable after evaluation: RELEASED with A
    actuator_succeeded, consequence_not_releasable after evaluation, release_in_progress after evaluation: RELEASED with A
    actuator_succeeded, consequence_not_releasable after evaluation, release_in_progress: RELEASED with A
    actuator_succeeded, consequence_not_releasable, consequence_not_releasable after evaluation: RELEASED with A
    actuator_succeeded, consequence_not_releasable, consequence_not_releasable: RELEASED with A
    actuator_succeeded, consequence_not_releasable, release_in_progress after evaluation: RELEASED with A
    actuator_succeeded, consequence_not_releasable, release_in_progress: RELEASED with A
    actuator_succeeded, release_in_progress after evaluation, release_in_progress after evaluation: RELEASED with A
    actuator_succeeded, release_in_progress, release_in_progress after evaluation: RELEASED with A
    actuator_succeeded, release_in_progress, release_in_progress: RELEASED with A
    ");
}

#[test]
fn releases_of_two_consequences_do_not_hinder_each_other() {
    let endings = endings(World::new, |world| {
        let other = world.meanwhile(|world| world.release("A", "Y"));
        let one = world.release("A", "X");
        let other = other.join().unwrap();
        let mut effects = world.effects();
        effects.sort();
        assert_eq!(effects, ["X", "Y"]);
        format!("{one}, {other}")
    });
    assert_snapshot!(endings, @"actuator_succeeded, actuator_succeeded");
}

#[test]
fn a_release_whose_outcome_is_unclear_is_not_repeated_by_a_second_one() {
    let world = || World::whose_actuator_reports(ActuatorOutcome::Uncertain);
    let endings = endings(world, |world| {
        let other = world.meanwhile(|world| world.release("A", "X"));
        let one = world.release("A", "X");
        let other = other.join().unwrap();
        assert_eq!(world.effects(), ["X"]);
        format!("{one}, {other}: {}", world.what_became_of("X"))
    });
    assert_snapshot!(endings, @"
    actuator_outcome_uncertain, consequence_not_releasable after evaluation: UNCERTAIN with A
    actuator_outcome_uncertain, consequence_not_releasable: UNCERTAIN with A
    actuator_outcome_uncertain, release_in_progress after evaluation: UNCERTAIN with A
    actuator_outcome_uncertain, release_in_progress: UNCERTAIN with A
    consequence_not_releasable after evaluation, actuator_outcome_uncertain: UNCERTAIN with A
    consequence_not_releasable, actuator_outcome_uncertain: UNCERTAIN with A
    release_in_progress after evaluation, actuator_outcome_uncertain: UNCERTAIN with A
    release_in_progress, actuator_outcome_uncertain: UNCERTAIN with A
    ");
}

#[test]
fn what_surely_did_not_happen_may_be_tried_by_a_second_release() {
    let world = || World::whose_actuator_reports(ActuatorOutcome::DefiniteNotExecuted);
    let endings = endings(world, |world| {
        let other = world.meanwhile(|world| world.release("A", "X"));
        let one = world.release("A", "X");
        let other = other.join().unwrap();
        let calls = world.effects().len();
        format!("{one}, {other}: {}, calls {calls}", world.what_became_of("X"))
    });
    assert_snapshot!(endings, @"
    actuator_definitely_not_executed, actuator_definitely_not_executed: CONTAINED with A, calls 2
    actuator_definitely_not_executed, release_in_progress after evaluation: CONTAINED with A, calls 1
    actuator_definitely_not_executed, release_in_progress: CONTAINED with A, calls 1
    release_in_progress after evaluation, actuator_definitely_not_executed: CONTAINED with A, calls 1
    release_in_progress, actuator_definitely_not_executed: CONTAINED with A, calls 1
    ");
}

#[test]
fn a_consequence_is_released_or_transferred_but_never_both() {
    let endings = endings(World::new, |world| {
        let transfer = world.meanwhile(|world| world.transfer("A", "B", "X"));
        let release = world.release("A", "X");
        let transfer = transfer.join().unwrap();
        let calls = world.effects().len();
        assert_eq!(calls, usize::from(transfer != "ok"));
        format!(
            "release {release}, transfer {transfer}: {}, calls {calls}",
            world.what_became_of("X")
        )
    });
    assert_snapshot!(endings, @"
    release actuator_succeeded, transfer not_contained: RELEASED with A, calls 1
    release actuator_succeeded, transfer release_in_progress: RELEASED with A, calls 1
    release custody_changed_before_release after evaluation, transfer ok: CONTAINED with B, calls 0
    release not_current_custodian, transfer ok: CONTAINED with B, calls 0
    ");
}

#[test]
fn a_consequence_handed_over_during_its_release_leaves_once_by_the_old_or_the_new_custodian() {
    let endings = endings(World::new, |world| {
        let other = world.meanwhile(|world| {
            let transfer = world.transfer("A", "B", "X");
            let release = world.release("B", "X");
            format!("transfer {transfer}, B {release}")
        });
        let release = world.release("A", "X");
        let other = other.join().unwrap();
        assert_eq!(world.effects(), ["X"]);
        format!("A {release}, {other}: {}", world.what_became_of("X"))
    });
    assert_snapshot!(endings, @"
    A actuator_succeeded, transfer not_contained, B consequence_not_releasable: RELEASED with A
    A actuator_succeeded, transfer release_in_progress, B consequence_not_releasable: RELEASED with A
    A actuator_succeeded, transfer release_in_progress, B release_in_progress: RELEASED with A
    A consequence_not_releasable after evaluation, transfer ok, B actuator_succeeded: RELEASED with B
    A consequence_not_releasable, transfer ok, B actuator_succeeded: RELEASED with B
    A custody_changed_before_release after evaluation, transfer ok, B actuator_succeeded: RELEASED with B
    A not_current_custodian, transfer ok, B actuator_succeeded: RELEASED with B
    A release_in_progress, transfer ok, B actuator_succeeded: RELEASED with B
    ");
}

#[test]
fn an_execution_ends_before_or_after_its_release_but_never_within() {
    let endings = endings(World::new, |world| {
        let end = world.meanwhile(|world| world.end("A"));
        let release = world.release("A", "X");
        let end = end.join().unwrap();
        let calls = world.effects().len();
        let untouched = world.read("A", "Y") == "ok";
        assert_eq!(untouched, end != "ok");
        format!("release {release}, end {end}: {}, calls {calls}", world.what_became_of("X"))
    });
    assert_snapshot!(endings, @"
    release actuator_succeeded, end ok: RELEASED, its custodian ended, calls 1
    release actuator_succeeded, end release_in_progress: RELEASED with A, calls 1
    release custody_changed_before_release after evaluation, end ok: CONTAINED in quarantine, calls 0
    release execution_not_active, end ok: CONTAINED in quarantine, calls 0
    ");
}

#[test]
fn a_consequence_adopted_during_its_release_leaves_once_if_the_old_or_the_new_custodian_may() {
    let endings = endings(World::new, |world| {
        let other = world.meanwhile(|world| {
            let (end, adopt) = (world.end("A"), world.adopt("B", "X"));
            let release = world.release("B", "X");
            format!("end {end}, adopt {adopt}, B {release}")
        });
        let release = world.release("A", "X");
        let other = other.join().unwrap();
        assert_eq!(world.effects(), ["X"]);
        format!("A {release}, {other}: {}", world.what_became_of("X"))
    });
    assert_snapshot!(endings, @"
    A actuator_succeeded, end ok, adopt not_adoptable, B consequence_not_releasable: RELEASED, its custodian ended
    A actuator_succeeded, end release_in_progress, adopt not_adoptable, B consequence_not_releasable: RELEASED with A
    A actuator_succeeded, end release_in_progress, adopt release_in_progress, B consequence_not_releasable: RELEASED with A
    A actuator_succeeded, end release_in_progress, adopt release_in_progress, B release_in_progress: RELEASED with A
    A consequence_not_releasable after evaluation, end ok, adopt ok, B actuator_succeeded: RELEASED with B
    A custody_changed_before_release after evaluation, end ok, adopt ok, B actuator_succeeded: RELEASED with B
    A execution_not_active, end ok, adopt ok, B actuator_succeeded: RELEASED with B
    ");
}

#[test]
fn an_adopter_in_a_third_thread_never_takes_what_is_being_released() {
    let endings = endings(World::new, |world| {
        let end = world.meanwhile(|world| world.end("A"));
        let adopt = world.meanwhile(|world| world.adopt("B", "X"));
        let release = world.release("A", "X");
        let (end, adopt) = (end.join().unwrap(), adopt.join().unwrap());
        let calls = world.effects().len();
        assert!(calls == 0 || adopt != "ok");
        format!(
            "release {release}, end {end}, adopt {adopt}: {}, calls {calls}",
            world.what_became_of("X")
        )
    });
    assert_snapshot!(endings, @"
    release actuator_succeeded, end ok, adopt not_adoptable: RELEASED, its custodian ended, calls 1
    release actuator_succeeded, end ok, adopt not_quarantined: RELEASED, its custodian ended, calls 1
    release actuator_succeeded, end ok, adopt release_in_progress: RELEASED, its custodian ended, calls 1
    release actuator_succeeded, end release_in_progress, adopt not_adoptable: RELEASED with A, calls 1
    release actuator_succeeded, end release_in_progress, adopt not_quarantined: RELEASED with A, calls 1
    release actuator_succeeded, end release_in_progress, adopt release_in_progress: RELEASED with A, calls 1
    release custody_changed_before_release after evaluation, end ok, adopt not_quarantined: CONTAINED in quarantine, calls 0
    release custody_changed_before_release after evaluation, end ok, adopt ok: CONTAINED with B, calls 0
    release execution_not_active, end ok, adopt not_quarantined: CONTAINED in quarantine, calls 0
    release execution_not_active, end ok, adopt ok: CONTAINED with B, calls 0
    ");
}

#[test]
fn a_child_is_derived_before_its_parent_is_being_released_or_not_at_all() {
    let endings = endings(World::new, |world| {
        let derive = world.meanwhile(|world| world.submit("A", "child", Some("X")));
        let release = world.release("A", "X");
        let derive = derive.join().unwrap();
        assert_eq!(world.effects(), ["X"]);
        let id_is_taken = world.submit("A", "child", None) == "consequence_exists";
        assert_eq!(id_is_taken, derive == "ok");
        format!("release {release}, derive {derive}: {}", world.what_became_of("X"))
    });
    assert_snapshot!(endings, @"
    release actuator_succeeded, derive ok: RELEASED with A
    release actuator_succeeded, derive parent_not_contained: RELEASED with A
    release actuator_succeeded, derive parent_release_in_progress: RELEASED with A
    ");
}

#[test]
fn a_release_hinders_no_reads() {
    let endings = endings(World::new, |world| {
        let read = world.meanwhile(|world| world.read("A", "X"));
        let release = world.release("A", "X");
        format!("release {release}, read {}", read.join().unwrap())
    });
    assert_snapshot!(endings, @"release actuator_succeeded, read ok");
}
