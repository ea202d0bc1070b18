//! What a reported success is worth once it was looked for. Each snapshot shows what `gh` was asked.

use insta::assert_snapshot;
use swampbox_experiments::{
    ExitCode,
    github::{Options, run},
};

use crate::{
    answers::{BODY, OLD, attempt, creates, issue, item, listing, options, pull},
    scripted::ScriptedGh,
};

#[test]
fn a_created_issue_that_the_second_read_shows_is_a_verified_success() {
    let gh = ScriptedGh::new(&[listing(&[OLD]), creates(7), listing(&[OLD, &issue(7, BODY)])]);
    assert_snapshot!(attempt(&gh, options(&gh)));
}

#[test]
fn the_report_as_json() {
    let gh = ScriptedGh::new(&[listing(&[]), creates(7), listing(&[&issue(7, BODY)])]);
    assert_snapshot!(run(&options(&gh)).to_json());
}

#[test]
fn no_body_is_null_in_an_answer_and_empty_on_the_command_line() {
    let gh = ScriptedGh::new(&[listing(&[]), creates(7), listing(&[&issue(7, "null")])]);
    assert_snapshot!(attempt(&gh, Options { body: None, ..options(&gh) }));
}

#[test]
fn an_empty_body_in_an_answer_is_not_no_body() {
    let gh = ScriptedGh::new(&[listing(&[]), creates(7), listing(&[&issue(7, r#""""#)])]);
    assert_snapshot!(attempt(&gh, Options { body: None, ..options(&gh) }));
}

#[test]
fn arguments_and_body_reach_gh_exactly_and_no_shell_sees_them() {
    let title = r#"--web $(touch owned) `id` "quoted" \ ünï"#;
    let body = "first\n\n\t-- $HOME ; rm -rf *\nlast";
    let item =
        item(7, &serde_json::to_string(title).unwrap(), &serde_json::to_string(body).unwrap());
    let gh = ScriptedGh::new(&[listing(&[]), creates(7), listing(&[&item])]);
    let options = Options { title: title.to_owned(), body: Some(body.to_owned()), ..options(&gh) };
    assert_snapshot!(attempt(&gh, options));
}

#[test]
fn an_issue_with_the_same_title_and_another_body_does_not_stand_in_the_way() {
    let twin = issue(3, "null");
    let gh = ScriptedGh::new(&[listing(&[&twin]), creates(7), listing(&[&twin, &issue(7, BODY)])]);
    assert_eq!(run(&options(&gh)).outcome.code(), "verified_success");
}

#[test]
fn a_pull_request_with_the_same_title_and_body_is_ignored() {
    let gh =
        ScriptedGh::new(&[listing(&[&pull(3)]), creates(7), listing(&[&pull(3), &issue(7, BODY)])]);
    assert_snapshot!(attempt(&gh, options(&gh)));
}

#[test]
fn a_success_that_the_second_read_does_not_show_exactly_is_unverified() {
    let twin = issue(8, BODY);
    let other_title = item(7, r#""Another title""#, BODY);
    let mut seen = String::new();
    for (name, before, after) in [
        ("missing", listing(&[]), listing(&[])),
        ("another title", listing(&[]), listing(&[&other_title])),
        ("another body", listing(&[]), listing(&[&issue(7, r#""One line.""#)])),
        ("no body", listing(&[]), listing(&[&issue(7, "null")])),
        ("a pull request", listing(&[]), listing(&[&pull(7)])),
        ("another number", listing(&[]), listing(&[&twin])),
        ("two of them", listing(&[]), listing(&[&issue(7, BODY), &twin])),
        ("there before", listing(&[&other_title]), listing(&[&issue(7, BODY)])),
        ("second read fails", listing(&[]), "exit 4".to_owned()),
        ("second read foreign", listing(&[]), listing(&[&twin.replace("owner/", "other/")])),
    ] {
        let gh = ScriptedGh::new(&[before, creates(7), after]);
        let report = run(&options(&gh));
        assert_eq!(report.exit_code(), ExitCode::Anomaly);
        seen += &format!("{name}: {}: {}\n", report.outcome.code(), report.detail);
    }
    assert_snapshot!(seen);
}
