//! What each answer means.

use std::io::Write;
use std::net::TcpStream;

use insta::assert_snapshot;
use swampbox_actuators::GitHubActuator;

use crate::fixture::{Server, read_request, release_in};
use crate::github_fixture::{ISSUE, actuator, answering, comment, issue, material};

const CREATED: &str = r#"{"id": 99, "number": 12, "repository_url": "BASE/repos/octo/project",
    "html_url": "BASE/octo/project/issues/12", "title": "Rotate the key"}"#;

const COMMENTED: &str = r#"{"id": 99, "issue_url": "BASE/repos/octo/project/issues/7",
    "html_url": "BASE/octo/project/issues/7#issuecomment-99"}"#;

/// Each body of a 201 and what comes of it.
fn table(bodies: &[&str], outcome: fn(&Server) -> String) -> String {
    let mut table = String::new();
    for body in bodies {
        let server = answering("201 Created", body);
        table += &format!("{body}\n  {}\n", outcome(&server));
        server.finish();
    }
    table
}

#[test]
fn an_issue_that_the_answer_names_is_success() {
    let elsewhere = CREATED.replace("BASE/octo/project/issues/12", "https://evil.example/12");
    assert_snapshot!(table(
        &[
            CREATED,
            &CREATED.replace("octo/project", "Octo/Project"),
            &elsewhere,
            r#"{"id": 1, "number": 2, "repository_url": "BASE/repos/octo/project"}"#,
        ],
        issue
    ));
}

#[test]
fn a_comment_that_the_answer_names_is_success() {
    assert_snapshot!(table(&[COMMENTED, &COMMENTED.replace("issues/7#", "pull/7#")], comment));
}

#[test]
fn an_answer_that_does_not_name_the_issue_is_uncertain() {
    assert_snapshot!(table(
        &[
            "",
            "null",
            "[]",
            "{}",
            "created",
            &CREATED[..CREATED.len() - 1],
            &CREATED.replace("octo/project", "octo/other"),
            &CREATED.replace("BASE/repos", "https://api.github.com/repos"),
            &CREATED.replace("\"id\": 99, ", ""),
            &CREATED.replace("99", "0"),
            &CREATED.replace("99", "-1"),
            &CREATED.replace("99", "\"99\""),
            &CREATED.replace("99", "99.0"),
            &CREATED.replace("\"number\": 12, ", ""),
            &CREATED.replace("\"number\": 12", "\"number\": null"),
            &CREATED.replace("\"number\"", "\"id\": 99, \"number\""),
        ],
        issue
    ));
}

#[test]
fn an_answer_that_names_another_issue_than_was_commented_is_uncertain() {
    assert_snapshot!(table(
        &[
            &COMMENTED.replace("issues/7\"", "issues/8\""),
            &COMMENTED.replace("octo", "other"),
            &COMMENTED.replace("\"id\": 99, ", ""),
            CREATED,
        ],
        comment
    ));
}

#[test]
fn each_status_has_one_meaning() {
    let mut table = String::new();
    for status in [
        200, 202, 204, 301, 302, 304, 307, 308, 400, 401, 402, 403, 404, 405, 408, 409, 410, 412,
        413, 415, 418, 422, 423, 429, 451, 500, 502, 503, 504,
    ] {
        let server = answering(&format!("{status} Their Words"), CREATED);
        table += &format!("{}\n", issue(&server));
        server.finish();
    }
    assert_snapshot!(table);
}

#[test]
fn a_refusal_means_the_same_if_its_body_breaks_off() {
    let server = Server::answering("HTTP/1.1 422 No\r\nContent-Length: 100\r\n\r\n{");
    assert_snapshot!(issue(&server));
    server.finish();
}

#[test]
fn a_creation_whose_body_breaks_off_is_uncertain() {
    let server = Server::answering("HTTP/1.1 201 Created\r\nContent-Length: 100\r\n\r\n{\"id\": 1");
    assert_snapshot!(issue(&server));
    server.finish();
}

#[test]
fn a_creation_with_more_than_a_mebibyte_of_answer_is_uncertain() {
    let body = CREATED.replace("Rotate the key", &"x".repeat(1 << 20));
    let server = Server::scripted(move |stream| {
        let received = read_request(stream);
        drop(write!(
            stream,
            "HTTP/1.1 201 Created\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ));
        received
    });
    assert_snapshot!(issue(&server));
    server.finish();
}

#[test]
fn a_redirect_is_not_followed() {
    let elsewhere = Server::scripted(|_| Vec::new());
    let location = elsewhere.origin();
    let redirect = format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {location}\r\n\r\n");
    let server = Server::answering(&redirect);
    assert_snapshot!(issue(&server));
    server.finish();
    // Had it been followed, this would be the second connection.
    TcpStream::connect(("127.0.0.1", elsewhere.port())).unwrap();
    elsewhere.finish();
}

#[test]
fn a_base_url_with_a_path_is_part_of_what_the_answer_names() {
    let body = CREATED.replace("BASE/repos", "BASE/api/v3/repos");
    let server = answering("201 Created", &body);
    let actuator = actuator(&format!("{}/api/v3", server.origin()));
    let material = material(GitHubActuator::ISSUE, ISSUE);
    assert_snapshot!(server.without_port(&release_in("store", actuator, material)));
    server.finish();
}
