//! What is refused before anything is sent.

use std::net::TcpListener;

use insta::assert_snapshot;
use swampbox_actuators::{GitHubActuator, GitHubApi};
use swampbox_material::{Material, Value};

use crate::fixture::{assert_nobody_connected, release_in};
use crate::github_fixture::actuator;

/// Each target or payload with what comes of it. Nobody connects.
fn table(materials: Vec<(String, Material)>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let mut table = String::new();
    for (name, material) in materials {
        table += &format!("{name}\n  {}\n", release_in("store", actuator(&base), material));
    }
    assert_nobody_connected(&listener);
    table
}

fn payloads(kind: &str, payloads: &[&str]) -> String {
    let materials = payloads.iter().map(|text| {
        let payload = Value::from_json(text.as_bytes()).unwrap();
        ((*text).to_owned(), Material::new(kind, "octo/project", payload))
    });
    table(materials.collect())
}

#[test]
fn the_payload_of_an_issue_is_a_title_a_body_and_labels() {
    assert_snapshot!(payloads(
        GitHubActuator::ISSUE,
        &[
            "null",
            "{}",
            r#"{"body": "b"}"#,
            r#"{"title": null}"#,
            r#"{"title": 1}"#,
            r#"{"title": ""}"#,
            r#"{"title": " t"}"#,
            r#"{"title": "a\nb"}"#,
            r#"{"title": "t", "body": null}"#,
            r#"{"title": "t", "body": "a\r\nb"}"#,
            r#"{"title": "t", "body": "a\u0000"}"#,
            r#"{"title": "t", "labels": "bug"}"#,
            r#"{"title": "t", "labels": [1]}"#,
            r#"{"title": "t", "labels": ["bug", ""]}"#,
            r#"{"title": "t", "labels": ["bug "]}"#,
            r#"{"title": "t", "assignees": ["a"]}"#,
            r#"{"title": "t", "token": "x"}"#,
        ]
    ));
}

#[test]
fn the_payload_of_a_comment_is_an_issue_and_a_body() {
    assert_snapshot!(payloads(
        GitHubActuator::COMMENT,
        &[
            "[]",
            r#"{"body": "b"}"#,
            r#"{"issue": 1}"#,
            r#"{"issue": "1", "body": "b"}"#,
            r#"{"issue": 1.0, "body": "b"}"#,
            r#"{"issue": 0, "body": "b"}"#,
            r#"{"issue": -1, "body": "b"}"#,
            r#"{"issue": 2147483648, "body": "b"}"#,
            r#"{"issue": 1, "body": " \n"}"#,
            r#"{"issue": 1, "body": 1}"#,
            r#"{"issue": 1, "body": "b", "title": "t"}"#,
        ]
    ));
}

#[test]
fn what_is_too_long_is_refused() {
    let (title, body, label) = ("t".repeat(257), "b".repeat(65_537), "l".repeat(51));
    let labels = vec!["\"l\""; 101].join(",");
    let told = [
        format!(r#"{{"title": "{title}"}}"#),
        format!(r#"{{"title": "t", "body": "{body}"}}"#),
        format!(r#"{{"title": "t", "labels": ["{label}"]}}"#),
        format!(r#"{{"title": "t", "labels": [{labels}]}}"#),
    ]
    .map(|text| {
        let payload = Value::from_json(text.as_bytes()).unwrap();
        table(vec![(String::new(), Material::new(GitHubActuator::ISSUE, "octo/project", payload))])
    });
    assert_snapshot!(told.concat());
}

#[test]
fn a_target_is_an_owner_and_a_repository() {
    let targets = [
        "",
        "octo",
        "octo/",
        "/project",
        "octo/project/issues",
        "octo/..",
        "octo/.",
        "../octo",
        "octo/pro ject",
        "octo/project?x",
        "octo/project#x",
        "octo/pro%2fject",
        "octo/projéct",
        "oc.to/project",
        "https://github.com/octo/project",
    ];
    let payload = Value::from_json(br#"{"title": "t"}"#).unwrap();
    let materials = targets.map(|target| {
        (target.to_owned(), Material::new(GitHubActuator::ISSUE, target, payload.clone()))
    });
    assert_snapshot!(table(materials.into()));
}

#[test]
fn another_type_of_consequence_is_refused() {
    assert_snapshot!(payloads("github.release", &["{}"]));
}

#[test]
fn a_base_url_is_confidential_and_plain() {
    let mut told = String::new();
    for text in [
        "https://api.github.com",
        "https://github.example.com/api/v3",
        "http://127.0.0.1:8080",
        "http://127.8.9.10/api",
        "http://[::1]:8080",
        "http://api.github.com",
        "http://localhost:8080",
        "http://192.168.0.1",
        "https://api.github.com/",
        "https://api.github.com//a",
        "https://api.github.com/a/",
        "https://api.github.com/../a",
        "https://api.github.com/a?b",
        "https://user:secret@api.github.com",
        "https://API.github.com",
        "ftp://api.github.com",
        "api.github.com",
        "",
    ] {
        let result = match text.parse::<GitHubApi>() {
            Ok(api) => {
                assert_eq!(api.to_string(), text);
                "taken".to_owned()
            }
            Err(error) => error.to_string(),
        };
        told += &format!("{text}\n  {result}\n");
    }
    assert_snapshot!(told);
}
