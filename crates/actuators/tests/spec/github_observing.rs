//! What an independent look finds.

use std::net::TcpListener;

use insta::assert_snapshot;
use swampbox_actuators::GitHubActuator;
use swampbox_boundary::Actuator;

use crate::fixture::without_port;
use crate::github_fixture::{COMMENT, ISSUE, Pages, TOKEN, actuator, answer, material};

const THIS: &str = r#"{"number": 5, "title": "Rotate the key", "body": "It is old.",
    "repository_url": "BASE/repos/octo/project"}"#;

const OTHER: &str = r#"{"number": 6, "title": "Rotate the key", "body": null,
    "repository_url": "BASE/repos/octo/project"}"#;

const SAID: &str =
    r#"{"id": 31, "body": "Done.", "issue_url": "BASE/repos/octo/project/issues/7"}"#;

fn look(pages: &Pages, kind: &str, payload: &str) -> String {
    let seen = actuator(&pages.base()).observe(&material(kind, payload));
    let told = format!("{}: {}\n{}", seen.sighting().as_str(), seen.evidence(), pages.asked());
    assert!(!told.contains(TOKEN), "{told}");
    pages.without_port(&told)
}

fn issue(pages: &Pages) -> String {
    look(pages, GitHubActuator::ISSUE, ISSUE)
}

fn comment(pages: &Pages) -> String {
    look(pages, GitHubActuator::COMMENT, COMMENT)
}

#[test]
fn an_issue_with_exactly_this_title_and_body_is_present() {
    assert_snapshot!(issue(&Pages::of(&[&[OTHER], &[OTHER, THIS]])));
}

#[test]
fn an_issue_that_differs_in_the_least_is_another() {
    let others = [
        THIS.replace("Rotate", "rotate"),
        THIS.replace("old.", "old. "),
        THIS.replace("old.", "old.\\n"),
        THIS.replace("key", "k\\u0435y"),
        OTHER.to_owned(),
    ];
    let others = others.each_ref().map(String::as_str);
    assert_snapshot!(issue(&Pages::of(&[&others, &[]])));
}

#[test]
fn a_pull_request_is_no_issue() {
    let pull = THIS.replace("\"number\"", "\"pull_request\": {}, \"number\"");
    assert_snapshot!(issue(&Pages::of(&[&[&pull], &[]])));
}

#[test]
fn an_issue_without_a_body_has_null_there() {
    let pages = Pages::of(&[&[OTHER]]);
    assert_snapshot!(look(&pages, GitHubActuator::ISSUE, r#"{"title": "Rotate the key"}"#));
}

#[test]
fn a_comment_with_exactly_this_body_is_present() {
    assert_snapshot!(comment(&Pages::of(&[&[SAID]])));
}

#[test]
fn a_comment_that_is_on_no_page_is_absent() {
    let other = SAID.replace("Done.", "Done");
    assert_snapshot!(comment(&Pages::of(&[&[&other], &[&other], &[]])));
}

#[test]
fn a_page_that_can_not_be_believed_leaves_it_unknown() {
    let pages: [&[&str]; 8] = [
        &["1"],
        &["{}"],
        &[&THIS.replace("octo", "other")],
        &[&THIS.replace("\"number\": 5", "\"number\": null")],
        &[&THIS.replace("\"title\"", "\"name\"")],
        &[&THIS.replace("\"body\"", "\"text\"")],
        &[&THIS.replace("\"It is old.\"", "1")],
        &["{"],
    ];
    let told = pages.map(|page| issue(&Pages::of(&[&[OTHER], page])) + "\n");
    assert_snapshot!(told.concat());
}

#[test]
fn an_answer_that_is_no_page_leaves_it_unknown() {
    let answers = [
        answer("404 Not Found", "[]"),
        answer("301 Moved", "[]"),
        answer("201 Created", "[]"),
        answer("500 Oops", "[]"),
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[".into(),
        "HTTP/1.1 200 OK\r\n".into(),
        answer("200 OK", "{}"),
    ];
    let told = answers.map(|answer| issue(&Pages::answering(vec![answer])) + "\n");
    assert_snapshot!(told.concat());
}

#[test]
fn a_server_that_is_not_there_leaves_it_unknown() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let seen =
        actuator(&format!("http://{address}")).observe(&material(GitHubActuator::ISSUE, ISSUE));
    let told = format!("{}: {}", seen.sighting().as_str(), seen.evidence());
    assert_snapshot!(without_port(&told, address.port()));
}

#[test]
fn more_pages_than_are_read_leave_it_unknown() {
    let pages: Vec<&[&str]> = vec![&[OTHER]; 101];
    let told = issue(&Pages::of(&pages));
    assert_eq!(told.lines().count(), 101);
    assert_snapshot!(told.lines().next().unwrap());
}

#[test]
fn what_could_not_have_been_carried_out_is_absent() {
    assert_snapshot!(look(&Pages::of(&[]), GitHubActuator::ISSUE, r#"{"title": ""}"#));
}
