//! What a first-that-answers says, and what that rests on.

use std::time::Duration;

use insta::assert_snapshot;
use swampbox_authority::{AuthorityProvider, Verdict};
use swampbox_policy::{FirstThatAnswers, Rule, Rules, WindowLength};

use crate::asked::{asked, lines, outcome, parsed};
use crate::child::{Child, Log};
use crate::combinations::first_that_answers;

fn answered(mix: &str) -> String {
    match first_that_answers(Child::each(mix, &Log::default())).evaluate(&asked()) {
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
fn an_allow_keeps_the_id_of_the_child_that_decided() {
    assert_snapshot!(answered("ub"));
}

#[test]
fn a_denial_is_the_last_word() {
    assert_snapshot!(answered("uda"));
}

#[test]
fn an_answer_that_can_not_be_used_is_the_last_word_too() {
    assert_snapshot!(lines(["ma", "oa", "ka", "ta", "uma"], answered));
}

#[test]
fn who_waits_and_what_was_revoked_is_the_last_word_too() {
    assert_snapshot!(lines(["pa", "ra", "upa"], answered));
}

#[test]
fn where_nobody_decides_everybody_is_named() {
    assert_snapshot!(lines(["u", "uuu"], answered));
}

#[test]
fn a_panic_never_allows() {
    let mixes = ["!", "!a", "u!a", "a!"];
    assert_snapshot!(lines(mixes, |mix| {
        format!("{mix:4}{}", outcome(first_that_answers(Child::each(mix, &Log::default()))))
    }));
}

#[test]
fn an_allow_list_leaves_what_it_does_not_name_to_approvals() {
    let list = |consequence_type: &str, effect| {
        let rule = Rule {
            consequence_type: parsed(consequence_type),
            target: parsed("*"),
            execution: parsed("*"),
            principal: parsed("*"),
            effect,
            lasts: WindowLength::new(Duration::from_secs(60)).unwrap(),
            reason: "it is on the list".into(),
        };
        Rules::new(vec![rule]).unwrap()
    };
    let lists =
        [list("note", Verdict::Allow), list("note", Verdict::Deny), list("mail", Verdict::Allow)];
    assert_snapshot!(lines(lists, |list| {
        let approvals = Child::each("p", &Log::default()).remove(0);
        outcome(FirstThatAnswers::new(list).then(approvals))
    }));
}

#[test]
fn its_debug_output_names_its_children() {
    let first = first_that_answers(Child::each("aa", &Log::default()));
    assert_snapshot!(format!("{first:?} {}", first.name()));
}
