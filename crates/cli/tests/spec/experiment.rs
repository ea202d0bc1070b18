use insta::assert_snapshot;

use crate::run::run;

#[test]
fn the_inheritance_experiment_shows_its_eight_cases() {
    assert_snapshot!(run(&["experiment", "inheritance"]));
}

#[test]
fn the_github_experiment_is_inert_without_its_gates() {
    assert_snapshot!(run(&["experiment", "github", "--repository", "owner/name", "--title", "T"]));
}

#[test]
fn one_gate_alone_does_not_open_it() {
    let arguments =
        ["experiment", "github", "--repository", "owner/name", "--title", "T", "--live"];
    assert_snapshot!(run(&arguments));
}

#[test]
fn a_repository_that_is_none_is_refused() {
    assert_snapshot!(run(&["experiment", "github", "--repository", "owner", "--title", "T"]));
}

#[test]
fn the_validation_is_offline_by_default() {
    assert_snapshot!(run(&["experiment", "validation"]));
}

#[test]
fn a_live_validation_needs_every_gate() {
    assert_snapshot!(run(&["experiment", "validation", "--live", "--confirm-disposable-target"]));
}
