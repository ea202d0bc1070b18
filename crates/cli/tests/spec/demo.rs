use insta::assert_snapshot;

use crate::ledger::steady;
use crate::run::run;

#[test]
fn the_demo_shows_an_effect_that_outlives_a_kill_refused_twice_and_released_once() {
    let ran = run(&["demo"]);
    assert_snapshot!(steady(&ran.to_string()));
}

#[test]
fn as_json_it_shows_the_material_held_and_the_request_that_arrived() {
    let ran = run(&["demo", "--json"]);
    assert_snapshot!(steady(&ran.to_string()));
}
