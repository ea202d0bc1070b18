//! The terms under which people are asked.

use std::time::Duration;

use insta::assert_snapshot;
use swampbox_custody::Principal;
use swampbox_policy::approvals::{
    Approvals, ByName, Directory, InvalidTerms, MAX_APPROVERS, MemoryShelf, Quorum, Terms,
};

use super::fixture::{Staff, World, parsed, refused};

const MINUTE: Duration = Duration::from_secs(60);

fn quorum(needed: usize, names: &[&str]) -> Result<Quorum, InvalidTerms> {
    Quorum::new(needed, names.iter().map(|name| parsed(name)))
}

fn answer<T>(answer: Result<T, InvalidTerms>) -> String {
    answer.map_or_else(|error| refused(error.code(), &error), |_| "ok".into())
}

#[test]
fn a_quorum_is_at_least_one_and_at_most_all_of_those_who_are_there() {
    let many: Vec<Principal> = (0..=MAX_APPROVERS).map(|n| parsed(&format!("p{n}"))).collect();
    let answers = [
        answer(quorum(0, &["a"])),
        answer(quorum(1, &[])),
        answer(quorum(0, &[])),
        answer(quorum(3, &["a", "b"])),
        answer(quorum(2, &["a", "a"])),
        answer(quorum(usize::MAX, &["a"])),
        answer(Quorum::new(1, many.clone())),
        answer(Quorum::new(MAX_APPROVERS, many.into_iter().skip(1))),
        answer(quorum(1, &["a"])),
        answer(quorum(2, &["a", "b", "b"])),
    ];
    assert_snapshot!(answers.join("\n"));
}

#[test]
fn requests_wait_and_decisions_hold_for_some_time() {
    let quorum = || quorum(1, &["a"]).unwrap();
    let answers = [
        answer(Terms::new(quorum(), Duration::ZERO, MINUTE)),
        answer(Terms::new(quorum(), MINUTE, Duration::ZERO)),
        answer(Terms::new(quorum(), Duration::from_nanos(1), Duration::MAX)),
    ];
    assert_snapshot!(answers.join("\n"));
}

#[test]
fn approvers_who_are_one_principal_under_several_names_are_one() {
    let world = World::new();
    let terms = |needed, names: &[&str]| {
        Terms::new(quorum(needed, names).unwrap(), MINUTE, MINUTE).unwrap()
    };
    let with = |terms| Approvals::new(MemoryShelf::new(), world.watch.clone(), Staff, terms);
    for (needed, names) in
        [(2, ["carol@phone", "carol"]), (1, ["carol@phone", "carol"]), (1, ["mallory", "carol"])]
    {
        let made = with(terms(needed, &names));
        world.tell(made.map_or_else(|error| refused(error.code(), &error), |_| "ok".into()));
    }
    assert_snapshot!(world.story());
}

#[test]
fn by_name_an_execution_is_a_principal_of_its_own() {
    let longest = "x".repeat(256);
    for id in ["exec-A", &longest] {
        assert_eq!(ByName.behind(&parsed(id)).unwrap(), parsed(id));
    }
    assert_eq!(ByName.known_as(&parsed("carol@phone")).unwrap(), parsed("carol@phone"));
}
