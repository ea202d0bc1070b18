//! What a request looks like to GitHub.

use insta::assert_snapshot;
use swampbox_actuators::GitHubActuator;

use crate::fixture::{Server, release_in};
use crate::github_fixture::{actuator, material};

/// What arrives of this payload, at a base URL with this path.
fn sent(kind: &str, path: &str, payload: &str) -> String {
    let server = Server::answering("HTTP/1.1 422 Unprocessable Entity\r\n\r\n");
    let actuator = actuator(&format!("{}{path}", server.origin()));
    release_in("store", actuator, material(kind, payload));
    let port = format!(":{}", server.port());
    server.finish().replace(&port, ":PORT").replace("\r\n", "\\r\\n\n")
}

#[test]
fn an_issue_is_sent_as_its_payload() {
    let payload = r#"{"labels": ["bug", "ü"], "title": "T \"q\"", "body": "a\n\tb"}"#;
    assert_snapshot!(sent(GitHubActuator::ISSUE, "", payload));
}

#[test]
fn an_issue_may_be_a_title_alone() {
    assert_snapshot!(sent(GitHubActuator::ISSUE, "/api/v3", r#"{"title": "T"}"#));
}

#[test]
fn a_comment_is_sent_to_its_issue() {
    assert_snapshot!(sent(GitHubActuator::COMMENT, "", r#"{"issue": 7, "body": "b"}"#));
}
