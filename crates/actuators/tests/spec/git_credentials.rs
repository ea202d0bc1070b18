//! What git says about a remote is quoted, and a credential in it is not.

use std::fs;

use insta::assert_snapshot;
use swampbox_actuators::Secret;

use crate::git_fixture::{Project, builder};

const PASSWORD: &str = r#"kX3"v\9Qm~7wZ%t2"#;

/// `agent` and the password, as they stand in the header.
const ENCODED: &str = "YWdlbnQ6a1gzInZcOVFtfjd3WiV0Mg==";

/// What is told where git says this and fails.
fn told(said: &str) -> String {
    let project = Project::new();
    let words = project.path("words");
    fs::write(&words, format!("fatal: {said}\n")).unwrap();
    let program = project.faulty("ls-remote", &format!("cat '{}' >&2; exit 128", words.display()));
    let remote = project.remote_at("http://127.0.0.1:9/project.git");
    let remote = remote.login("agent", PASSWORD.parse::<Secret>().unwrap());
    let actuator = builder().repository("project", remote).program(program).build();
    project.release(actuator)
}

#[test]
fn a_credential_is_left_out_wherever_it_is_cut_and_however_it_is_written() {
    let far = "x".repeat(70);
    let cases = [
        ("whole", PASSWORD.to_owned()),
        ("cut by us", format!("{far}{PASSWORD}")),
        ("cut by us after the header's name", format!("{far}{ENCODED}")),
        ("without its end", format!("no {}", &PASSWORD[..6])),
        ("without its beginning", format!("{} no", &PASSWORD[11..])),
        ("without both", format!("no {} no", &PASSWORD[3..13])),
        ("escaped", PASSWORD.replace('\\', r"\\").replace('"', r#"\""#)),
        ("in a URL", PASSWORD.replace('%', "%25").replace('"', "%22").replace('\\', "%5C")),
        ("encoded", ENCODED.to_owned()),
        ("encoded for a URL, without its end", ENCODED[..24].to_owned()),
        ("encoded with another user", "eHk6a1gzInZcOVFtfjd3WiV0Mg==".to_owned()),
        ("in lower case", PASSWORD.to_lowercase()),
    ];
    for (name, said) in cases {
        let told = told(&said);
        assert!(told.contains("(left out, since it repeats a credential)"), "{name}: {told}");
    }
}

#[test]
fn other_words_are_quoted_as_they_are() {
    assert_snapshot!(told("the server says \"no\"\u{1b}[2J, agent: kX, 7wZ, WdlbnQ, t2"));
}
