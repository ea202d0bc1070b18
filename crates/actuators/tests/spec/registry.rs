//! Which actuator carries out what, and what is refused before it is submitted.

use std::sync::Arc;

use insta::assert_snapshot;
#[cfg(target_os = "linux")]
use swampbox_actuators::FileActuator;
use swampbox_actuators::{
    CommandActuator, Connection, Declaration, Declared, DeclaredCommand, ExitCodes, GitActuator,
    GitHubActuator, GitIdentity, GitRepository, HttpActuator, Registry, Secret,
};
use swampbox_boundary::{
    Actuator, ActuatorFailure, ActuatorReport, Admission, Observation, Sighting,
};
use swampbox_material::{Material, Value};

use crate::fixture::{Server, local, release_through};

/// Does nothing, and says that it did.
struct Says {
    name: &'static str,
    schema: &'static str,
}

impl Actuator for Says {
    fn actuate(&self, _: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        Ok(ActuatorReport::succeeded(format!("by {}", self.name)))
    }

    fn observe(&self, _: &Material) -> Observation {
        Observation::present(format!("seen by {}", self.name))
    }

    fn name(&self) -> &str {
        self.name
    }
}

impl Declared for Says {
    fn declarations(&self) -> Vec<Declaration> {
        vec![Declaration { consequence_type: "note", payload_schema: self.schema }]
    }
}

fn says(name: &'static str) -> Arc<Says> {
    Arc::new(Says { name, schema: "true" })
}

fn routes(routes: &[(&str, &'static str)]) -> Registry {
    let mut registry = Registry::new();
    for (target, name) in routes {
        registry.route("note", target.parse().unwrap(), says(name)).unwrap();
    }
    registry
}

fn note(target: &str) -> Material {
    Material::new("note", target, Value::Null)
}

fn checked(registry: &Registry, material: &Material) -> String {
    match registry.check(material) {
        Ok(()) => registry.actuator_of(material).unwrap().to_owned(),
        Err(error) => format!("{}: {error}", error.code()),
    }
}

#[test]
fn a_consequence_goes_to_the_one_actuator_whose_route_matches() {
    let registry = routes(&[("inbox", "first"), ("outbox/*", "second"), ("outbox/1", "third")]);
    let told = ["inbox", "outbox/2", "outbox/1", "elsewhere", "inbox "]
        .map(|target| format!("{target:?}: {}", checked(&registry, &note(target))));
    let other = checked(&registry, &Material::new("Note", "inbox", Value::Null));
    assert_snapshot!(format!("{}\nanother type: {other}", told.join("\n")));
}

#[test]
fn what_no_route_or_two_match_is_surely_not_done() {
    let registry = routes(&[("a*", "first"), ("*b", "second")]);
    let told = ["a", "ab", "c"].map(|target| release_through(&registry, note(target)));
    assert_snapshot!(told.join("\n"));
}

#[test]
fn an_observation_is_made_by_the_actuator_that_would_have_acted() {
    let registry = routes(&[("inbox", "first")]);
    assert_eq!(registry.observe(&note("inbox")).evidence(), "seen by first");
    assert_eq!(registry.observe(&note("elsewhere")).sighting(), Sighting::Unknown);
}

#[test]
fn an_actuator_is_not_given_a_type_that_it_does_not_take() {
    let mut registry = Registry::new();
    let refused = registry.route("mail", "*".parse().unwrap(), says("the post")).unwrap_err();
    assert_eq!(refused.to_string(), "the post does not carry out \"mail\"; it takes `note`");
    let schema = r#"{"type": "strnig"}"#;
    let wrong = Arc::new(Says { name: "the post", schema });
    let refused = registry.route("note", "*".parse().unwrap(), wrong).unwrap_err();
    assert_snapshot!(refused);
}

fn http() -> Registry {
    let mut registry = Registry::new();
    let actuator = Arc::new(local().build());
    registry.route("http.request", "http*".parse().unwrap(), actuator).unwrap();
    registry
}

#[test]
fn a_payload_that_does_not_fit_is_refused_with_its_path() {
    let payloads = [
        "null",
        r#"{"method": "GET"}"#,
        r#"{"method": "get", "url": "http://x"}"#,
        r#"{"method": "GET", "url": 7}"#,
        r#"{"method": "GET", "url": "http://x", "headers": {"a\u200bb": [1]}}"#,
        r#"{"method": "POST", "url": "http://x", "body": "", "json": 1}"#,
        r#"{"method": "GET", "url": "http://x", "token": "secret"}"#,
        r#"{"method": "POST", "url": "http://x", "json": [100000000000000000000, 1.5, null]}"#,
        r#"{"method": "POST", "url": "http://x", "body": -100000000000000000000}"#,
    ];
    let told = payloads.map(|payload| {
        let value = Value::from_json(payload.as_bytes()).unwrap();
        let material = Material::new("http.request", "http://x", value);
        format!("{payload}\n  {}", checked(&http(), &material))
    });
    assert_snapshot!(told.join("\n"));
}

/// What is told of each payload by the one actuator that takes it.
fn told_of(kind: &str, target: &str, actuator: Arc<dyn Declared>, payloads: &[&str]) -> String {
    let mut registry = Registry::new();
    registry.route(kind, "*".parse().unwrap(), actuator).unwrap();
    let sha = "a".repeat(40);
    let told = payloads.iter().map(|payload| {
        let value = Value::from_json(payload.replace("SHA", &sha).as_bytes()).unwrap();
        let told = checked(&registry, &Material::new(kind, target, value));
        format!("{payload}\n  {told}")
    });
    told.collect::<Vec<_>>().join("\n")
}

#[test]
fn an_http_request_that_can_never_be_sent_is_refused() {
    let connection = Connection::header("it", "X-Token", "s3cret").unwrap();
    let builder = HttpActuator::builder().connect("http://x".parse().unwrap(), connection);
    let actuator = Arc::new(builder.build());
    assert_snapshot!(told_of(
        "http.request",
        "http://x",
        actuator,
        &[
            r#"{"method": "GET", "url": "http://x/a"}"#,
            r#"{"method": "GET", "url": "http://x/a b"}"#,
            r#"{"method": "GET", "url": "http://y/a"}"#,
            r#"{"method": "GET", "url": "http://x/#a"}"#,
            r#"{"method": "GET", "url": "http://x/", "headers": {"a b": "c"}}"#,
            r#"{"method": "GET", "url": "http://x/", "headers": {"a": "b\r\nc: d"}}"#,
            r#"{"method": "GET", "url": "http://x/", "headers": {"Host": "y"}}"#,
            r#"{"method": "GET", "url": "http://x/", "headers": {"x-token": "y"}}"#,
            r#"{"method": "GET", "url": "http://x/", "headers": {"a": "b", "A": "b"}}"#,
            r#"{"method": "GET", "url": "http://x/", "body": "b"}"#,
        ]
    ));
}

#[test]
fn a_target_to_which_nothing_can_ever_be_sent_is_refused() {
    let http = || Arc::new(HttpActuator::builder().build());
    let payload = [r#"{"method": "GET", "url": "http://X/"}"#];
    let api = "https://api.github.com".parse().unwrap();
    let github = Arc::new(GitHubActuator::new(api, Secret::new("t".into()).unwrap()));
    let told = [
        told_of("http.request", "http://X", http(), &payload),
        told_of("http.request", "x", http(), &payload),
        told_of(GitHubActuator::ISSUE, "no-owner", github, &[r#"{"title": "a"}"#]),
    ];
    assert_snapshot!(told.join("\n"));
}

#[test]
fn a_command_that_can_never_be_run_is_refused() {
    let long = format!(r#"{{"arguments": ["{0}", "{0}"]}}"#, "x".repeat(40_000));
    let payloads = [r#"{"arguments": ["a", "--"]}"#, r#"{"arguments": ["a\u0000b"]}"#, &long];
    let command = DeclaredCommand::new("/bin/true", ExitCodes::new([0], []).unwrap()).unwrap();
    let actuator = Arc::new(CommandActuator::builder().declare("one", command).build());
    let told = told_of("command.run", "one", actuator.clone(), &payloads);
    let other = told_of("command.run", "other", actuator, &payloads[..1]);
    let told = told.replace(&long, "with 80,000 bytes of arguments");
    assert_snapshot!(format!("{told}\nanother target\n{other}"));
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_can_never_be_written_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let payload =
        |path: &str| format!(r#"{{"path": {path}, "content": "c", "expected_sha256": null}}"#);
    let long = "x".repeat(256);
    let paths = [
        r#""a/b""#,
        r#""../a""#,
        r#""a/./b""#,
        r#""/a""#,
        r#""a\u0000b""#,
        r#""a//b""#,
        &format!("\"{long}\""),
    ];
    let payloads = paths.map(payload);
    let payloads = payloads.each_ref().map(String::as_str);
    let actuator = FileActuator::builder().root("site", home.path()).unwrap().build();
    let actuator = Arc::new(actuator);
    let told = told_of("file.write", "site", actuator.clone(), &payloads);
    let other = told_of("file.write", "other", actuator, &payloads[..1]);
    let told = told.replace(&long, "a name of 256 bytes");
    assert_snapshot!(format!("{told}\nanother target\n{other}"));
}

fn git() -> Arc<GitActuator> {
    let branch = || "main".parse().unwrap();
    let url = "https://git.example.com/a.git".parse().unwrap();
    let builder = GitActuator::builder(GitIdentity::new("A", "a@b").unwrap())
        .repository("local", GitRepository::local("/srv/a.git").allow(branch()))
        .repository("remote", GitRepository::remote(url, "/srv/mirror").allow(branch()));
    Arc::new(builder.build())
}

#[test]
fn a_patch_that_can_never_be_committed_is_refused() {
    let good = r#""diff --git a/a b/a\nold mode 100644\nnew mode 100755\n""#;
    let payload = |(branch, patch, message): (&str, &str, &str)| {
        format!(
            r#"{{"branch": "{branch}", "base": "SHA", "patch": {patch}, "message": {message}}}"#
        )
    };
    let payloads = [
        ("main", good, r#""m""#),
        ("other", good, r#""m""#),
        ("my branch", good, r#""m""#),
        ("a..b", good, r#""m""#),
        ("refs/heads/main", good, r#""m""#),
        ("main", r#""""#, r#""m""#),
        ("main", r#""garbage\n""#, r#""m""#),
        ("main", r#""--- a/a\n+++ b/a\nno hunk\n""#, r#""m""#),
        ("main", r#""diff --git a/a b/a\nGIT binary patch\n""#, r#""m""#),
        ("main", good, r#"" \n""#),
        ("main", good, r#""a\rb""#),
    ]
    .map(payload);
    let payloads = payloads.each_ref().map(String::as_str);
    let told = told_of(GitActuator::PATCH, "local", git(), &payloads);
    let other = told_of(GitActuator::PATCH, "other", git(), &payloads[..1]);
    assert_snapshot!(format!("{told}\nanother target\n{other}"));
}

#[test]
fn a_push_that_can_never_be_made_is_refused() {
    let good = r#"{"branch": "main", "base": null, "commit": "SHA"}"#;
    let told = told_of(
        GitActuator::PUSH,
        "remote",
        git(),
        &[
            good,
            r#"{"branch": "other", "base": null, "commit": "SHA"}"#,
            r#"{"branch": "main.lock", "base": null, "commit": "SHA"}"#,
            r#"{"branch": "HEAD", "base": null, "commit": "SHA"}"#,
            r#"{"branch": "main", "base": "SHA", "commit": "SHA"}"#,
            r#"{"branch": "main", "base": null, "commit": "0000000000000000000000000000000000000000"}"#,
        ],
    );
    let local = told_of(GitActuator::PUSH, "local", git(), &[good]);
    let other = told_of(GitActuator::PUSH, "other", git(), &[good]);
    assert_snapshot!(format!("{told}\na local repository\n{local}\nanother target\n{other}"));
}

#[test]
fn an_issue_and_a_comment_that_can_never_be_made_are_refused() {
    let api = || "https://api.github.com".parse().unwrap();
    let github = || Arc::new(GitHubActuator::new(api(), Secret::new("t".into()).unwrap()));
    let issues = [
        r#"{"title": "a"}"#,
        r#"{"title": "  "}"#,
        r#"{"title": " a"}"#,
        r#"{"title": "a\nb"}"#,
        r#"{"title": "a", "body": "b\r\n"}"#,
        r#"{"title": "a", "labels": ["\t"]}"#,
    ];
    let comments = [
        r#"{"issue": 1, "body": "b"}"#,
        r#"{"issue": 1, "body": " \n"}"#,
        r#"{"issue": 1, "body": "b\u0000"}"#,
    ];
    let issues = told_of(GitHubActuator::ISSUE, "o/r", github(), &issues);
    let comments = told_of(GitHubActuator::COMMENT, "o/r", github(), &comments);
    assert_snapshot!(format!("{issues}\n{comments}"));
}

#[test]
fn a_request_through_a_registry_is_sent_like_any_other() {
    let server = Server::answering("HTTP/1.1 204 No Content\r\n\r\n");
    let payload = format!(r#"{{"method": "GET", "url": "{}/thing"}}"#, server.origin());
    let payload = Value::from_json(payload.as_bytes()).unwrap();
    let material = Material::new("http.request", server.origin().as_str(), payload);
    assert!(http().check(&material).is_ok());
    let told = release_through(http(), material);
    assert!(told.starts_with("SUCCEEDED, RELEASED: 204 No Content"), "{told}");
    assert!(server.finish().starts_with("GET /thing HTTP/1.1"));
}
