//! Who is asked at the edge whether a combination's decision still stands.

use insta::assert_snapshot;
use swampbox_authority::{AuthorityProvider, DecisionDocument, Verdict};
use swampbox_policy::{AllOf, FirstThatAnswers};

use crate::asked::{asked, decision, lines, outcome};
use crate::child::{Child, Log};
use crate::combinations::{all_of, first_that_answers};

/// For every way in which three answers stand or don't: who was asked at the edge, about which
/// answer, and what that came to.
fn for_each_standing<P: AuthorityProvider>(
    combination: impl Fn(Vec<Child>) -> P,
    mix: &str,
) -> String {
    let each = || "sru".chars();
    let standings = each()
        .flat_map(|first| each().map(move |second| (first, second)))
        .flat_map(|(first, second)| each().map(move |third| format!("{first}{second}{third}")));
    lines(standings, |stands| {
        let log = Log::default();
        let result = outcome(combination(Child::each_standing(mix, &stands, &log)));
        let (code, _) = result.split_once(':').unwrap();
        format!("{mix} {stands}  {:13} {code}", log.lock().unwrap())
    })
}

#[test]
fn all_of_stands_if_every_answer_stands() {
    assert_snapshot!(for_each_standing(all_of, "aba"));
}

#[test]
fn of_the_first_that_answers_only_the_one_that_decided_is_asked() {
    let mixes = ["aaa", "uba", "uua"];
    assert_snapshot!(lines(mixes, |mix| for_each_standing(first_that_answers, mix)));
}

#[test]
fn combinations_of_combinations_ask_whoever_decided() {
    // All of (the first that answers of the first two) and the third.
    let nested = |children: Vec<Child>| {
        let [first, second, third] = children.try_into().unwrap_or_else(|_| panic!());
        AllOf::new(FirstThatAnswers::new(first).then(second)).and(third)
    };
    assert_snapshot!(lines(["aab", "uab"], |mix| for_each_standing(nested, mix)));
}

/// What is said of a decision that is made of answers of this shape. Nobody is asked about it.
fn of_shape<P: AuthorityProvider>(
    combination: fn(Vec<Child>) -> P,
    parts: &[Option<DecisionDocument>],
) -> String {
    let log = Log::default();
    let answer = DecisionDocument::from(decision(Verdict::Allow)).made_of(parts.to_vec());
    let none = combination(Child::each("aa", &log)).stands(&asked(), &answer).unwrap_err();
    assert_eq!(*log.lock().unwrap(), "");
    let shape = parts.iter().map(|part| if part.is_some() { 'a' } else { '-' });
    format!("[{}] {}: {none}", shape.collect::<String>(), none.code())
}

#[test]
fn all_of_knows_no_decision_that_does_not_rest_on_all() {
    let a = || Some(decision(Verdict::Allow).into());
    let shapes = [vec![], vec![a()], vec![a(), None], vec![None, a()], vec![a(), a(), a()]];
    assert_snapshot!(lines(shapes, |parts| of_shape(all_of, &parts)));
}

#[test]
fn the_first_that_answers_knows_no_decision_that_does_not_rest_on_one() {
    let a = || Some(decision(Verdict::Allow).into());
    let shapes = [vec![], vec![None], vec![a(), None], vec![a(), a()], vec![None, None, a()]];
    assert_snapshot!(lines(shapes, |parts| of_shape(first_that_answers, &parts)));
}

#[test]
fn a_panic_at_the_edge_releases_nothing() {
    let log = Log::default();
    let stands = ["!ss", "s!s", "ss!"];
    assert_snapshot!(lines(stands, |stands| {
        outcome(all_of(Child::each_standing("aba", stands, &log)))
    }));
}

/// Should it ever be right after all, in other hands, nobody is asked about it.
#[test]
fn what_was_handed_on_to_be_refused_never_stands() {
    let log = Log::default();
    let unusable = ["m", "o", "k", "t"];
    assert_snapshot!(lines(unusable, |mix| {
        let [first, all]: [&dyn AuthorityProvider; 2] =
            [&first_that_answers(Child::each(mix, &log)), &all_of(Child::each(mix, &log))];
        lines([first, all], |combination| {
            let answer = combination.evaluate(&asked()).unwrap();
            let none = combination.stands(&asked(), &answer).unwrap_err();
            format!("{mix} {}: {none}", none.code())
        })
    }));
    assert_eq!(*log.lock().unwrap(), "mmookktt");
}
