//! What a list of rules decides.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use insta::assert_snapshot;
use swampbox_authority::{AuthorityProvider, Verdict};
use swampbox_custody::{ExecutionId, Principal, Snapshot};
use swampbox_material::Material;
use swampbox_policy::approvals::{Directory, UnknownPrincipal};
use swampbox_policy::{MAX_REASON_BYTES, MAX_RULES, Rule, Rules, WindowLength};

use crate::asked::{asked, held, lines, minute, outcome, parsed, released};

fn rule(consequence_type: &str, target: &str, execution: &str, effect: Verdict) -> Rule {
    Rule {
        consequence_type: parsed(consequence_type),
        target: parsed(target),
        execution: parsed(execution),
        principal: parsed("*"),
        effect,
        lasts: WindowLength::new(Duration::from_secs(60)).unwrap(),
        reason: format!("{} of {consequence_type} to {target} by {execution}", effect.as_str()),
    }
}

fn rules(list: Vec<Rule>) -> Rules {
    Rules::new(list).unwrap().with_ids(|| "decision-1".to_owned())
}

/// What the rules answer about X, and what that rests on.
fn answered(rules: &Rules) -> String {
    match rules.evaluate(&asked()) {
        Ok(answer) => format!("{}\n{}", answer.as_received(), answer.basis().unwrap()),
        Err(none) => format!("{}: {none}", none.code()),
    }
}

#[test]
fn a_decision_is_bound_to_the_snapshot_and_begins_when_it_is_asked_for() {
    assert_snapshot!(answered(&rules(vec![rule("note", "inbox", "exec-A", Verdict::Allow)])));
}

#[test]
fn what_a_rule_allows_is_released() {
    assert_snapshot!(outcome(rules(vec![rule("note", "in*", "exec-*", Verdict::Allow)])));
}

#[test]
fn what_a_rule_denies_is_not() {
    assert_snapshot!(outcome(rules(vec![rule("*", "*", "*", Verdict::Deny)])));
}

#[test]
fn the_first_rule_that_matches_decides() {
    let (allow, deny) = (Verdict::Allow, Verdict::Deny);
    let lists = [
        vec![rule("note", "*", "*", allow), rule("*", "*", "*", deny)],
        vec![rule("note", "*", "*", deny), rule("*", "*", "*", allow)],
        vec![rule("mail", "*", "*", deny), rule("*", "in*", "*", allow)],
    ];
    assert_snapshot!(lines(lists, |list| answered(&rules(list))));
}

#[test]
fn type_target_and_execution_all_have_to_match() {
    let lists = [
        vec![rule("mail", "inbox", "exec-A", Verdict::Allow)],
        vec![rule("note", "outbox", "exec-A", Verdict::Allow)],
        vec![rule("note", "inbox", "exec-B", Verdict::Allow)],
        vec![],
    ];
    assert_snapshot!(lines(lists, |list| answered(&rules(list))));
}

#[test]
fn the_execution_is_the_one_that_holds_it_and_not_the_one_that_submitted_it() {
    let mut question = asked();
    question.snapshot.current_execution_id = Some(parsed("exec-B"));
    let of_the_origin = rules(vec![rule("*", "*", "exec-A", Verdict::Allow)]);
    let of_the_holder = rules(vec![rule("*", "*", "exec-B", Verdict::Allow)]);
    assert!(of_the_origin.evaluate(&question).is_err());
    assert!(of_the_holder.evaluate(&question).is_ok());
}

/// Says who is behind each execution, and counts how often it was asked.
#[derive(Default)]
struct Behind {
    everybody: Option<&'static str>,
    asked: AtomicUsize,
}

impl Directory for Behind {
    fn behind(&self, _: &ExecutionId) -> Result<Principal, UnknownPrincipal> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.everybody.map(parsed).ok_or_else(|| UnknownPrincipal::new("the directory is away"))
    }

    fn known_as(&self, name: &Principal) -> Result<Principal, UnknownPrincipal> {
        Ok(parsed(name.as_str().trim_end_matches("@phone")))
    }
}

fn of(principal: &str, effect: Verdict) -> Rule {
    Rule { principal: parsed(principal), ..rule("*", "*", "*", effect) }
}

/// Rules that are given a directory in which everybody is called so, and that.
fn behind(everybody: Option<&'static str>, list: Vec<Rule>) -> (Rules, Arc<Behind>) {
    let directory = Arc::new(Behind { everybody, asked: AtomicUsize::new(0) });
    (rules(list).with_principals(directory.clone()), directory)
}

#[test]
fn the_principal_behind_the_execution_has_to_match_whatever_the_execution_is_called() {
    let (allow, deny) = (Verdict::Allow, Verdict::Deny);
    let lists = [
        vec![of("builder", allow)],
        vec![of("build*", allow)],
        vec![of("exec-A", allow)],
        vec![of("deployer", deny), of("builder", allow)],
        vec![of("builder", deny), of("*", allow)],
        vec![of("**", allow)],
    ];
    assert_snapshot!(lines(lists, |list| answered(&behind(Some("builder@phone"), list).0)));
}

#[test]
fn who_is_behind_an_execution_is_asked_once_and_only_if_a_rule_looks_at_it() {
    let asks = |list| {
        let (rules, directory) = behind(Some("builder"), list);
        drop(rules.evaluate(&asked()));
        directory.asked.load(Ordering::SeqCst)
    };
    let mail = Rule { consequence_type: parsed("mail"), ..of("x", Verdict::Allow) };
    assert_eq!(asks(vec![of("*", Verdict::Allow), of("x", Verdict::Allow)]), 0);
    assert_eq!(asks(vec![mail, of("*", Verdict::Allow)]), 0);
    assert_eq!(asks(vec![of("x", Verdict::Allow), of("y", Verdict::Deny)]), 1);
}

#[test]
fn where_it_cannot_be_told_who_is_behind_an_execution_nothing_is_decided_by_that() {
    let (allow, deny) = (Verdict::Allow, Verdict::Deny);
    let lists = || [vec![of("x", deny), of("*", allow)], vec![of("*", allow), of("x", deny)]];
    let away = lines(lists(), |list| answered(&behind(None, list).0));
    let without = lines(lists(), |list| answered(&rules(list)));
    assert_snapshot!(format!("a directory that is away\n{away}\nno directory\n{without}"));
}

#[test]
fn a_decision_stands_only_while_the_same_principal_is_behind_the_execution() {
    let list = || vec![of("builder", Verdict::Allow), of("*", Verdict::Allow)];
    let decision = behind(Some("builder"), list()).0.evaluate(&asked()).unwrap();
    let stands = |everybody| {
        let stood = behind(everybody, list()).0.stands(&asked(), &decision);
        stood.map_or_else(|none| format!("{}: {none}", none.code()), |()| "it stands".into())
    };
    assert_snapshot!(lines([Some("builder"), Some("other"), None], stands));
}

#[test]
fn what_nobody_holds_matches_no_rule() {
    let mut question = asked();
    question.snapshot.current_execution_id = None;
    let none = rules(vec![rule("*", "*", "*", Verdict::Allow)]).evaluate(&question).unwrap_err();
    assert_snapshot!(format!("{}: {none}", none.code()));
}

#[test]
fn the_rule_that_would_decide_can_be_looked_up() {
    let list =
        rules(vec![rule("mail", "*", "*", Verdict::Deny), rule("n*", "*", "*", Verdict::Allow)]);
    let explained = |consequence_type: &str| {
        let material = Material::new(consequence_type, "inbox", "hello".into());
        match list.first_match(&Snapshot { material, ..held() }).unwrap() {
            Some(found) => {
                format!("{consequence_type}: rule {}, {}", found.number, found.rule.reason)
            }
            None => format!("{consequence_type}: no rule"),
        }
    };
    assert_snapshot!(lines(["note", "mail", "call"], explained));
}

#[test]
fn a_window_lasts_from_a_second_to_a_day() {
    let second = Duration::from_secs(1);
    let day = 24 * 60 * 60 * second;
    let nanosecond = Duration::from_nanos(1);
    let cases = [Duration::ZERO, second - nanosecond, second, day, day + nanosecond, Duration::MAX];
    assert_snapshot!(lines(cases, |length| match WindowLength::new(length) {
        Ok(length) => format!("{:?}", length.as_duration()),
        Err(error) => format!("{}: {error}", error.code()),
    }));
}

#[test]
fn a_window_that_would_leave_the_calendar_is_no_decision() {
    let mut question = asked();
    question.evaluated_at = parsed("9999-12-31T23:59:30Z");
    let none = rules(vec![rule("*", "*", "*", Verdict::Allow)]).evaluate(&question).unwrap_err();
    assert_snapshot!(none.to_string());
}

#[test]
fn a_rule_gives_a_reason_and_a_short_one() {
    let with_reason =
        |length| Rule { reason: "x".repeat(length), ..rule("*", "*", "*", Verdict::Allow) };
    let cases = [0, 1, MAX_REASON_BYTES, MAX_REASON_BYTES + 1];
    assert_snapshot!(lines(cases, |length| {
        match Rules::new(vec![with_reason(1), with_reason(length)]) {
            Ok(_) => format!("{length}: taken"),
            Err(error) => format!("{length}: {}, {error}", error.code()),
        }
    }));
}

#[test]
fn a_list_has_a_greatest_length() {
    let rule = rule("*", "*", "*", Verdict::Allow);
    let error = Rules::new(vec![rule; MAX_RULES + 1]).unwrap_err();
    assert_snapshot!(format!("{}: {error}", error.code()));
}

#[test]
fn no_two_decisions_have_the_same_id() {
    let rules = Rules::new(vec![rule("*", "*", "*", Verdict::Allow)]).unwrap();
    let id = |_| rules.evaluate(&asked()).unwrap().decision_id().unwrap();
    let ids: BTreeSet<_> = (0..1_000).map(id).collect();
    assert_eq!(ids.len(), 1_000);
}

#[test]
fn a_source_of_ids_that_gives_none_makes_no_decision() {
    let rules = Rules::new(vec![rule("*", "*", "*", Verdict::Allow)]).unwrap();
    assert_snapshot!(outcome(rules.with_ids(String::new)));
}

#[test]
fn a_decision_holds_no_longer_than_its_rule_says() {
    let answer = rules(vec![rule("*", "*", "*", Verdict::Allow)]).evaluate(&asked()).unwrap();
    let judged_at = |moment| {
        let execution = parsed("exec-A");
        swampbox_authority::validate(&answer, &held(), &execution, moment).map(drop)
    };
    assert_eq!(judged_at(minute(8).moved_by(-1).unwrap()), Ok(()));
    assert!(judged_at(minute(8)).is_err());
}

#[test]
fn its_decisions_are_recorded_under_its_name() {
    let rules = rules(vec![]);
    assert_eq!(rules.name(), "rules");
    assert_eq!(released(rules).authority_decision_id(), None);
}
