//! The lifecycle through the real custody and the real boundary, with a simulated effect.

use insta::assert_snapshot;
use swampbox_experiments::{
    ExitCode,
    validation::{Options, run},
};

#[test]
fn a_consequence_is_inherited_refused_and_released_once() {
    let report = run(&Options::offline());
    assert_eq!(report.exit_code(), ExitCode::Ok);
    assert_snapshot!(report);
}

#[test]
fn the_validation_as_json() {
    assert_snapshot!(run(&Options::offline()).to_json());
}

#[test]
fn every_step_says_what_the_contract_expects() {
    for step in run(&Options::offline()).steps {
        assert_eq!(step.observed, step.expected, "{}", step.step);
    }
}

#[test]
fn a_step_that_came_otherwise_is_shown_with_what_was_expected() {
    let mut report = run(&Options::offline());
    report.steps[2].observed = "held by exec-B".to_owned();
    assert!(!report.steps[2].holds());
    let line = report.to_string().lines().find(|line| line.contains("EXPECTED")).map(str::to_owned);
    assert_snapshot!(line.unwrap());
}

#[test]
fn a_title_that_a_left_nearly_the_same_does_not_make_the_materials_equal() {
    let title = "A consequence that B derived (as A left it)".to_owned();
    assert_eq!(run(&Options { title, ..Options::offline() }).exit_code(), ExitCode::Ok);
}

#[test]
fn an_invalid_title_is_invalid_offline_too() {
    let report = run(&Options { title: "two\nlines".to_owned(), ..Options::offline() });
    assert_eq!(report.exit_code(), ExitCode::Invalid);
    assert!(report.steps.is_empty());
}
