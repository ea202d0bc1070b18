//! What is refused before git is asked for anything.

use insta::assert_snapshot;
use swampbox_actuators::{BranchPattern, GitActuator, GitIdentity, GitRepository, RemoteUrl};
use swampbox_material::{Material, Value};

use crate::fixture::release_in;
use crate::git_fixture::{Project, builder};

/// An actuator whose git would fail at once.
fn actuator() -> GitActuator {
    let patterns = ["main", "agent/*"].map(|text| text.parse::<BranchPattern>().unwrap());
    let repository = GitRepository::local("/nonexistent");
    let repository = patterns.into_iter().fold(repository, GitRepository::allow);
    builder().repository("project", repository).program("/nonexistent/git").build()
}

fn released(kind: &str, payload: &str) -> String {
    let payload = Value::from_json(payload.as_bytes()).unwrap();
    release_in("store", actuator(), Material::new(kind, "project", payload))
}

fn table(kind: &str, payloads: &[&str]) -> String {
    let (zeros, sha) = ("0".repeat(40), "a".repeat(40));
    let mut table = String::new();
    for payload in payloads {
        let full = payload.replace("SHA", &sha).replace("ZEROS", &zeros);
        table += &format!("{payload}\n  {}\n", released(kind, &full));
    }
    table
}

fn branches(branches: &[&str]) -> String {
    let mut table = String::new();
    for branch in branches {
        let (json, sha) = (Value::from(*branch).to_json(), "a".repeat(40));
        let payload = format!(r#"{{"branch": {json}, "base": null, "commit": "{sha}"}}"#);
        table += &format!("{branch:?}\n  {}\n", released(GitActuator::PUSH, &payload));
    }
    table
}

#[test]
fn the_payload_of_a_patch_has_four_fields() {
    assert_snapshot!(table(
        GitActuator::PATCH,
        &[
            "null",
            "{}",
            r#"{"branch": "main"}"#,
            r#"{"branch": "main", "base": "SHA"}"#,
            r#"{"branch": "main", "base": "SHA", "patch": ""}"#,
            r#"{"branch": "main", "base": "SHA", "patch": "", "message": "m", "force": true}"#,
            r#"{"branch": 1, "base": "SHA", "patch": "", "message": "m"}"#,
            r#"{"branch": "main", "base": null, "patch": "", "message": "m"}"#,
            r#"{"branch": "main", "base": "SHA", "patch": ["x"], "message": "m"}"#,
            r#"{"branch": "main", "base": "main", "patch": "", "message": "m"}"#,
            r#"{"branch": "main", "base": "abc123", "patch": "", "message": "m"}"#,
            r#"{"branch": "main", "base": "ZEROS", "patch": "", "message": "m"}"#,
            r#"{"branch": "main", "base": "-SHA", "patch": "", "message": "m"}"#,
        ]
    ));
}

#[test]
fn a_message_is_kept_as_it_is() {
    let patch = r#""patch": "diff --git a/a b/a\nold mode 100644\nnew mode 100755\n""#;
    let payload = |message: &str| {
        format!(r#"{{"branch": "main", "base": "SHA", {patch}, "message": {message}}}"#)
    };
    let payloads =
        [r#""""#, r#"" \n""#, r#""a\r\nb""#, r#""a\u0000b""#, r#""a\u001b[2Jb""#].map(payload);
    assert_snapshot!(table(GitActuator::PATCH, &payloads.each_ref().map(String::as_str)));
}

#[test]
fn what_is_too_long_is_refused() {
    let sha = "a".repeat(40);
    let patch = format!("+{}\\n", "x".repeat(1 << 20));
    let message = "x".repeat((64 << 10) + 1);
    let mode = r"diff --git a/a b/a\nold mode 100644\nnew mode 100755\n";
    let told = [
        format!(r#"{{"branch": "main", "base": "{sha}", "patch": "{patch}", "message": "m"}}"#),
        format!(
            r#"{{"branch": "main", "base": "{sha}", "patch": "{mode}", "message": "{message}"}}"#
        ),
    ]
    .map(|payload| released(GitActuator::PATCH, &payload));
    assert_snapshot!(told.join("\n"));
}

#[test]
fn the_payload_of_a_push_has_three_fields() {
    assert_snapshot!(table(
        GitActuator::PUSH,
        &[
            "[]",
            r#"{"branch": "main", "commit": "SHA"}"#,
            r#"{"branch": "main", "base": null}"#,
            r#"{"branch": "main", "base": "", "commit": "SHA"}"#,
            r#"{"branch": "main", "base": false, "commit": "SHA"}"#,
            r#"{"branch": "main", "base": "SHA", "commit": "SHA"}"#,
            r#"{"branch": "main", "base": "SHA", "commit": "HEAD"}"#,
            r#"{"branch": "main", "base": "SHA", "commit": ""}"#,
            r#"{"branch": "main", "base": "SHA", "commit": "+SHA"}"#,
            r#"{"branch": "main", "base": "SHA", "commit": "SHASHA"}"#,
            r#"{"branch": "main", "base": null, "commit": "SHA", "force": true}"#,
        ]
    ));
}

#[test]
fn a_push_names_ids_of_one_kind() {
    let (short, long) = ("a".repeat(40), "b".repeat(64));
    let payload = format!(r#"{{"branch": "main", "base": "{short}", "commit": "{long}"}}"#);
    assert_snapshot!(released(GitActuator::PUSH, &payload));
}

#[test]
fn a_branch_has_a_plain_name() {
    assert_snapshot!(branches(&[
        "",
        "HEAD",
        "refs/heads/main",
        "-main",
        "--upload-pack=touch x",
        "main:other",
        "+main",
        "main other",
        "main\nother",
        "main~1",
        "main^",
        "ma*n",
        "main@{1}",
        "main..other",
        "main.lock",
        "a.lock/b",
        ".main",
        "a/.b",
        "a/-b",
        "/main",
        "main/",
        "a//b",
        "main.",
        "mäin",
        "main\u{200b}",
        &"a".repeat(201),
    ]));
}

#[test]
fn only_allowed_branches_are_moved() {
    assert_snapshot!(branches(&[
        "main",
        "Main",
        "main/x",
        "other",
        "agent",
        "agent/x",
        "agent/x/y",
        "agentx"
    ]));
}

#[test]
fn without_a_pattern_no_branch_is_moved() {
    let project = Project::new();
    let closed = GitRepository::local(project.bare());
    assert_snapshot!(project.release(builder().repository("project", closed).build()));
}

#[test]
fn a_target_is_the_name_of_a_repository_and_nothing_else() {
    let project = Project::new();
    let payload = project.patch().payload().clone();
    let path = project.bare().to_str().unwrap().to_owned();
    let told = ["Project", "project/", "", &path].map(|target| {
        release_in("store", actuator(), Material::new(GitActuator::PATCH, target, payload.clone()))
    });
    assert_snapshot!(told.join("\n"));
}

#[test]
fn another_type_of_consequence_is_refused() {
    assert_snapshot!(released("git.merge", "{}"));
}

#[test]
fn a_pattern_is_a_branch_or_all_below_one_or_all() {
    assert_snapshot!(parsed::<BranchPattern>(&[
        "main", "a/b", "a/*", "a/b/*", "*", "", "a*", "*/a", "a/**", "/*", "a/*/b"
    ]));
}

#[test]
fn a_url_of_a_remote_is_plain() {
    assert_snapshot!(parsed::<RemoteUrl>(&[
        "https://git.example.com/a/b.git",
        "http://127.0.0.1:81/a",
        "http://[::1]/a",
        "file:///srv/git/a~b+c@d_e-f.git",
        "http://git.example.com/a",
        "http://localhost/a",
        "https://user:secret@git.example.com/a",
        "https://git.example.com",
        "https://git.example.com/",
        "https://git.example.com/a?b",
        "https://git.example.com/a%2fb",
        "https://git.example.com/a b",
        "file://host/a",
        "file://",
        "file:///",
        "ssh://git@example.com/a",
        "git@example.com:a",
        "git://127.0.0.1/a",
        "ext::sh -c touch% x",
        "--upload-pack=touch",
        "/srv/git/a",
        "",
    ]));
}

fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(texts: &[&str]) -> String {
    let told = texts.iter().map(|text| match text.parse::<T>() {
        Ok(_) => format!("{text}\n  taken\n"),
        Err(error) => format!("{text}\n  {error}\n"),
    });
    told.collect()
}

#[test]
fn an_identity_is_one_that_git_writes_as_it_is() {
    let pairs = [
        ("SwampBox", "swampbox@example.com"),
        ("Jörg Ü", "a@b"),
        ("", "a@b"),
        ("A", ""),
        (" A", "a@b"),
        ("A.", "a@b"),
        ("A", "<a@b>"),
        ("A\nB", "a@b"),
        ("A", "a@b\n"),
    ];
    let told = pairs.map(|(name, email)| match GitIdentity::new(name, email) {
        Ok(_) => format!("{name:?} {email:?}\n  taken\n"),
        Err(error) => format!("{name:?} {email:?}\n  {error}\n"),
    });
    assert_snapshot!(told.concat());
}
