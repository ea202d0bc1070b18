//! An attempt that is given up, and a release that a second thread asks for meanwhile.

use insta::assert_snapshot;

use super::{World, endings};

#[test]
fn an_attempt_given_up_before_the_actuator_leaves_no_mark() {
    let endings = endings(World::new, |world| {
        let other = world.meanwhile(|world| world.release("A", "X"));
        let given_up = world.give_up_admitted("A", "X");
        let other = other.join().unwrap();
        let calls = world.effects().len();
        assert_eq!(calls, usize::from(other == "actuator_succeeded"));
        format!("{given_up}, {other}: {}, calls {calls}", world.what_became_of("X"))
    });
    assert_snapshot!(endings, @"
    consequence_not_releasable, actuator_succeeded: RELEASED with A, calls 1
    given up, actuator_succeeded: RELEASED with A, calls 1
    given up, release_in_progress after evaluation: CONTAINED with A, calls 0
    given up, release_in_progress: CONTAINED with A, calls 0
    release_in_progress, actuator_succeeded: RELEASED with A, calls 1
    ");
}

#[test]
fn an_attempt_given_up_at_the_actuator_is_uncertain_and_not_repeated() {
    let endings = endings(World::new, |world| {
        let other = world.meanwhile(|world| world.release("A", "X"));
        let given_up = world.give_up_actuating("A", "X");
        let other = other.join().unwrap();
        let calls = world.effects().len();
        assert_eq!(calls, usize::from(given_up != "given up"));
        format!("{given_up}, {other}: {}, calls {calls}", world.what_became_of("X"))
    });
    assert_snapshot!(endings, @"
    consequence_not_releasable, actuator_succeeded: RELEASED with A, calls 1
    given up, consequence_not_releasable after evaluation: UNCERTAIN with A, calls 0
    given up, consequence_not_releasable: UNCERTAIN with A, calls 0
    given up, release_in_progress after evaluation: UNCERTAIN with A, calls 0
    given up, release_in_progress: UNCERTAIN with A, calls 0
    release_in_progress, actuator_succeeded: RELEASED with A, calls 1
    ");
}
