use insta::assert_snapshot;

use crate::ledger::steady;
use crate::run::{Ran, run, swampbox};

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

#[test]
fn a_demo_that_finds_no_room_says_so_and_blames_nobody() {
    let mut command = swampbox(&["demo"]);
    let ran = Ran::of(command.env("TMPDIR", "/nowhere").output().unwrap());
    let name = ran.stderr.split("swampbox-").nth(1).unwrap().split('"').next().unwrap();
    let stderr = ran.stderr.replace(name, "NAME");
    assert_snapshot!(Ran { stderr, ..ran });
}
