//! What whoever decides is told that an actuator would do beyond what stands in the material.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use insta::assert_snapshot;
#[cfg(target_os = "linux")]
use swampbox_actuators::FileActuator;
use swampbox_actuators::{
    CommandActuator, Connection, Declared, DeclaredCommand, ExitCodes, GitActuator, GitHubActuator,
    GitIdentity, GitRepository, HttpActuator, HttpActuatorBuilder, NotDone, Registry, Secret,
};
use swampbox_material::Material;

use crate::fixture::material;

const SECRET: &str = "s3cret-0123456789";

/// What is told of the material, through the registry.
fn outlook(actuator: impl Declared + 'static, material: &Material) -> String {
    let mut registry = Registry::new();
    let kind = material.consequence_type();
    registry.route(kind, "*".parse().unwrap(), Arc::new(actuator)).unwrap();
    match registry.outlook(material) {
        Ok(told) => told,
        Err(error) => format!("{}: {error}", error.code()),
    }
}

/// Each line, of which no two are the same and none tells the secret.
fn apart(lines: &[String]) -> String {
    let different: BTreeSet<&String> = lines.iter().collect();
    assert_eq!(different.len(), lines.len(), "{lines:#?}");
    let told = lines.join("\n");
    assert!(!told.contains(SECRET), "{told}");
    told
}

#[test]
fn a_command_is_told_with_all_that_is_declared_and_no_value_of_a_variable() {
    let codes = || ExitCodes::new([0], [64, 65]).unwrap();
    let bare = || DeclaredCommand::new("/usr/bin/deploy", codes()).unwrap();
    let other = |program| DeclaredCommand::new(program, codes()).unwrap();
    let variable = |name| bare().variable(name, SECRET).unwrap();
    let commands = [
        bare(),
        other("/usr/bin/deploy\u{200b}"),
        DeclaredCommand::new("/usr/bin/deploy", ExitCodes::new([0, 1], []).unwrap()).unwrap(),
        bare().arguments(["--plan", "a\", \"b"]).unwrap(),
        bare().arguments(["--plan", "a", "b"]).unwrap(),
        bare().directory("/srv/app").unwrap(),
        variable("A"),
        variable("B").variable("A", "").unwrap(),
        bare().timeout(Duration::from_millis(1_500)),
        bare().max_output_bytes(10),
    ];
    let run = material("command.run", "deploy", r#"{"arguments": ["now"]}"#);
    let told = commands.map(|command| {
        outlook(CommandActuator::builder().declare("deploy", command).build(), &run)
    });
    assert_snapshot!(apart(&told));
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_is_told_with_its_directory_on_the_disk_and_its_mode() {
    let home = tempfile::TempDir::new().unwrap();
    let (one, other) = (home.path().join("one"), home.path().join("other"));
    std::fs::create_dir(&one).unwrap();
    std::fs::create_dir(&other).unwrap();
    let old = format!(r#""expected_sha256": "{}""#, "a".repeat(64));
    let cases = [
        (&one, r#""expected_sha256": null"#.to_owned()),
        (&other, r#""expected_sha256": null"#.to_owned()),
        (&one, r#""expected_sha256": null, "mode": 384"#.to_owned()),
        (&one, old.clone()),
        (&one, format!(r#"{old}, "mode": 493"#)),
    ];
    let told = cases.map(|(root, fields)| {
        let payload = format!(r#"{{"path": "a/b", "content": "", {fields}}}"#);
        let actuator = FileActuator::builder().root("site", root).unwrap().build();
        outlook(actuator, &material("file.write", "site", &payload))
    });
    let told = apart(&told);
    assert_snapshot!(told.replace(home.path().to_str().unwrap(), "HOME"));
}

#[test]
fn a_request_is_told_with_the_headers_that_are_added_and_no_value_of_them() {
    let origin = "https://api.example.com";
    let with = |change: fn(HttpActuatorBuilder) -> HttpActuatorBuilder| {
        change(HttpActuator::builder()).build()
    };
    let connected = |connection: Connection| {
        HttpActuator::builder().connect(origin.parse().unwrap(), connection).build()
    };
    let actuators = [
        with(|builder| builder),
        with(HttpActuatorBuilder::allow_private_addresses),
        with(|builder| builder.overall_timeout(Duration::from_secs(60))),
        with(|builder| builder.connect_timeout(Duration::from_secs(1))),
        with(|builder| {
            let statuses = NotDone::statuses([429, 409]).unwrap();
            builder.declare("https://api.example.com".parse().unwrap(), statuses)
        }),
        connected(Connection::bearer("issues", SECRET).unwrap()),
        connected(Connection::bearer("pages", SECRET).unwrap()),
        connected(Connection::header("issues", "X-Key", SECRET).unwrap()),
    ];
    let url = format!(r#""url": "{origin}/x""#);
    let get = material("http.request", origin, &format!(r#"{{"method": "GET", {url}}}"#));
    let mut told = actuators.map(|actuator| outlook(actuator, &get)).to_vec();
    for more in [r#""json": 1"#, r#""body": "", "headers": {"Content-Type": "text/plain"}"#] {
        let payload = format!(r#"{{"method": "POST", {url}, {more}}}"#);
        told.push(outlook(with(|builder| builder), &material("http.request", origin, &payload)));
    }
    assert_snapshot!(apart(&told));
}

#[test]
fn a_branch_is_told_with_its_repository_and_no_password() {
    let base = "a".repeat(40);
    let patch = format!(
        r#"{{"branch": "main", "base": "{base}", "message": "Greet",
            "patch": "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n"}}"#
    );
    let patch = material("git.patch", "project", &patch);
    let push = format!(r#"{{"branch": "main", "base": null, "commit": "{base}"}}"#);
    let push = material("git.push", "project", &push);
    let allowed = |repository: GitRepository| repository.allow("main".parse().unwrap());
    let local = |path: &str| allowed(GitRepository::local(path));
    let remote =
        |url: &str, mirror: &str| allowed(GitRepository::remote(url.parse().unwrap(), mirror));
    let url = "https://git.example.com/a.git";
    let secret: Secret = SECRET.parse().unwrap();
    let told = |name: &str, repository, material: &Material| {
        let identity = GitIdentity::new(name, "box@example.com").unwrap();
        outlook(GitActuator::builder(identity).repository("project", repository).build(), material)
    };
    let kept = || remote(url, "/var/a").commits_from("/srv/work");
    assert_snapshot!(apart(&[
        told("Box", local("/srv/a.git"), &patch),
        told("Box", local("/srv/b.git"), &patch),
        told("Another", local("/srv/a.git"), &patch),
        told("Box", remote(url, "/var/a"), &patch),
        told("Box", remote("file:///srv/a.git", "/var/a"), &patch),
        told("Box", remote(url, "/var/b"), &patch),
        told("Box", remote(url, "/var/a"), &push),
        told("Box", kept(), &push),
        told("Box", kept().login("bot", secret.clone()), &push),
        told("Box", kept().login("another", secret), &push),
        told("Box", local("/srv/a.git"), &push),
    ]));
}

#[test]
fn an_issue_is_told_with_the_api_that_creates_it() {
    let issue = material("github.issue", "owner/project", r#"{"title": "A"}"#);
    let comment = material("github.comment", "owner/project", r#"{"issue": 7, "body": "A"}"#);
    let at = |api: &str| GitHubActuator::new(api.parse().unwrap(), SECRET.parse().unwrap());
    let usual = || at("https://api.github.com");
    assert_snapshot!(apart(&[
        outlook(usual(), &issue),
        outlook(usual(), &comment),
        outlook(at("https://github.example.com/api/v3"), &issue),
        outlook(usual().overall_timeout(Duration::from_secs(5)), &issue),
        outlook(usual().connect_timeout(Duration::from_secs(5)), &issue),
    ]));
}

#[test]
fn what_could_never_be_carried_out_has_no_outlook() {
    let command = CommandActuator::builder().build();
    let run = material("command.run", "deploy", r#"{"arguments": []}"#);
    let elsewhere = Registry::new().outlook(&run).unwrap_err();
    let told = outlook(command, &run);
    assert_snapshot!(format!("{told}\n{}: {elsewhere}", elsewhere.code()));
}
