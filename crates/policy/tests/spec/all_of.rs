//! What an all-of says, and what that rests on.

use insta::assert_snapshot;
use swampbox_authority::{
    AuthorityProvider, AuthorityRequest, DecisionDocument, NoDecision, Verdict,
};
use swampbox_material::json::Json;
use swampbox_policy::{AllOf, FirstThatAnswers};

use crate::asked::{asked, decision, lines, outcome, parsed};
use crate::child::{Child, Log};
use crate::combinations::all_of;

fn answered(mix: &str) -> String {
    match all_of(Child::each(mix, &Log::default())).evaluate(&asked()) {
        Ok(answer) => {
            let parts = answer.parts().iter().map(|part| part.as_ref()?.decision_id());
            let parts = lines(parts, |id| id.map_or("-".into(), |id| id.to_string()));
            let (document, basis) = (answer.as_received(), answer.basis().unwrap());
            format!("{document}\nmade of {}\n{basis}", parts.replace('\n', " "))
        }
        Err(none) => format!("{}: {none}", none.code()),
    }
}

#[test]
fn an_allow_has_an_id_of_its_own_and_tells_what_it_rests_on() {
    assert_snapshot!(answered("ab"));
}

#[test]
fn one_child_is_enough() {
    assert_snapshot!(answered("a"));
}

#[test]
fn a_denial_is_that_of_the_first_child_that_denies() {
    assert_snapshot!(answered("add"));
}

#[test]
fn a_denial_tells_what_the_children_before_it_said() {
    assert_snapshot!(answered("umd"));
}

#[test]
fn an_answer_that_can_not_be_used_is_named() {
    assert_snapshot!(lines(["am", "ao", "ak", "at"], answered));
}

#[test]
fn windows_without_a_common_moment_are_named() {
    assert_snapshot!(answered("ac"));
}

#[test]
fn who_waits_comes_before_who_has_none() {
    assert_snapshot!(lines(["pu", "up", "rp", "ur"], answered));
}

#[test]
fn a_panic_never_allows() {
    let mixes = ["!", "!a", "a!", "a!a", "!d", "d!"];
    assert_snapshot!(lines(mixes, |mix| {
        format!("{mix:4}{}", outcome(all_of(Child::each(mix, &Log::default()))))
    }));
}

/// Allows, and is used up by one release.
struct Once(&'static str);

impl AuthorityProvider for Once {
    fn evaluate(&self, _: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        let basis = Json::object([("approver", Json::from("ann"))]);
        let answer = DecisionDocument::from(decision(Verdict::Allow)).resting_on(basis);
        Ok(answer.consuming(parsed(self.0)))
    }

    fn name(&self) -> &str {
        "once"
    }
}

#[test]
fn what_the_children_use_up_is_used_up_once() {
    let nested =
        AllOf::new(FirstThatAnswers::new(AllOf::new(Once("request-1")))).and(Once("request-2"));
    let answer = nested.evaluate(&asked()).unwrap();
    let used = lines(answer.consumes(), ToString::to_string);
    assert_eq!(used, "request-1\nrequest-2");
}

#[test]
fn the_basis_of_a_child_is_part_of_its_own() {
    let nested = AllOf::new(FirstThatAnswers::new(Once("request-1")));
    let answer = nested.evaluate(&asked()).unwrap();
    assert_snapshot!(answer.basis().unwrap());
}

#[test]
fn the_ids_of_its_decisions_are_its_own_and_never_come_twice() {
    let all = AllOf::new(Once("request-1"));
    let id = || all.evaluate(&asked()).unwrap().decision_id().unwrap();
    assert_ne!(id(), id());
}

#[test]
fn a_source_of_ids_that_gives_none_makes_no_decision() {
    assert_snapshot!(outcome(AllOf::new(Once("request-1")).with_ids(|| " ".to_owned())));
}

#[test]
fn what_nobody_holds_is_not_asked_about() {
    let mut question = asked();
    question.snapshot.current_execution_id = None;
    let log = Log::default();
    let none = all_of(Child::each("aa", &log)).evaluate(&question).unwrap_err();
    assert_snapshot!(none.to_string());
    assert_eq!(*log.lock().unwrap(), "");
}

#[test]
fn its_debug_output_names_its_children() {
    let all = all_of(Child::each("aa", &Log::default()));
    assert_snapshot!(format!("{all:?} {}", all.name()));
}
