//! A configuration that is well formed, and what it names is not there.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use insta::assert_snapshot;

use crate::deciding::{FILE, configured, digest, hidden, me, told};
use crate::deciding_edge::replace;
use crate::ledger::{Ledger, receiver, steady};
use crate::run::Ran;
use crate::service::{self, Serving, text};

#[test]
fn what_a_configuration_names_and_is_not_there_is_said_with_what_to_do() {
    let ledger = Ledger::new();
    ledger.write("plain.txt", "no program");
    let here = ledger.directory().display();
    let plain = format!("[[command]]\ntarget = \"c\"\nprogram = \"{here}/plain.txt\"\n");
    let repository = "[git]\nname = \"n\"\nemail = \"e\"\n[[git.repositories]]\ntarget = \"p\"\n";
    let no_branches = format!(
        "{repository}url = \"https://git.example.com/x.git\"\nmirror = \"m\"\nbranches = []\n"
    );
    let no_repository = format!("{repository}path = \"nowhere.git\"\nbranches = [\"*\"]\n");
    let cases = [
        "[[command]]\ntarget = \"c\"\nprogram = \"/nowhere/deploy\"\n",
        &plain,
        "[[command]]\ntarget = \"c\"\nprogram = \"/bin/true\"\ndirectory = \"gone\"\n",
        "[providers.gate]\ncommand = [\"plain.txt\"]\n",
        &no_repository,
        &no_branches,
        "[signed]\ndirectory = \"nowhere\"\n",
        "[authority]\nfirst = [\"signed\"]\n[signed]\ndirectory = \".\"\n",
        "[[http]]\ntarget = \"https://*.example.com\"\n[[http]]\ntarget = \"https://api.*\"\n",
        "[[file]]\ntarget = \"a\"\ndirectory = \"a\"\n[[file]]\ntarget = \"b\"\ndirectory = \"b\"\n",
        &format!("[approvals]\napprovers = [\"{}\", \"nobody-who-is-here\"]\n", me()),
    ];
    let said = cases.map(|text| {
        ledger.write("swampbox.toml", text);
        let doctor = told(&ledger, &["doctor"]);
        let about = |line: &&str| line.contains("  authority  ") || line.contains("  actuators  ");
        let doctor = doctor.lines().filter(about).collect::<Vec<_>>().join("\n");
        format!("{text}{}{doctor}\n", told(&ledger, &["config check"]))
    });
    assert_snapshot!(hidden(&ledger, &said.join("\n")));
}

#[test]
fn a_target_that_no_request_can_have_is_refused_with_the_nearest_one_that_it_can() {
    let ledger = Ledger::new();
    let said = [
        "http://127.0.0.1:81/",
        "http://127.0.0.1:80",
        "https://API.example.com:443/v1?x",
        "nonsense",
        "http://127.1",
        "https://0x7f000001:08443",
        "http://[0:0::1]",
        "https://me:hidden@example.com",
        "ftp://example.com",
        "https://*.Example.com",
        "https://*.example.com/",
        "https://*:443",
        "ftp://*",
        "https://*.example.com",
        "https://api.example.com:8443",
    ]
    .map(|target| {
        ledger.write("swampbox.toml", format!("[[http]]\ntarget = \"{target}\"\n"));
        format!("{target}\n{}", told(&ledger, &["config check"]))
    })
    .join("\n");
    let doctor = || {
        let said = told(&ledger, &["doctor"]);
        said.lines().filter(|line| line.contains("  actuators  ")).collect::<String>()
    };
    ledger.write("swampbox.toml", "[[http]]\ntarget = \"http://127.1\"\n");
    assert_snapshot!(hidden(&ledger, &format!("{said}\n{}", doctor())));
}

#[test]
fn a_configuration_that_others_may_write_is_told() {
    let ledger = Ledger::new();
    ledger.write("swampbox.toml", "");
    let path = ledger.directory().join("swampbox.toml");
    let said = [0o600, 0o644, 0o664, 0o646].map(|mode| {
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let doctor = told(&ledger, &["doctor"]);
        let doctor = doctor.lines().find(|line| line.contains("  configuration  ")).unwrap();
        format!("{mode:o}\n{}{doctor}\n", told(&ledger, &["config check"]))
    });
    assert_snapshot!(hidden(&ledger, &said.join("\n")));
}

#[test]
fn a_configuration_that_is_not_there_is_said_once() {
    let ledger = Ledger::new();
    let shown =
        ledger.story(&["doctor --config nowhere.toml", "policy check --config nowhere.toml"]);
    let lines: Vec<_> = shown.lines().filter(|line| !line.contains("  git  ")).collect();
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn what_is_missing_stops_what_needs_it_and_nothing_else() {
    let more = "[[file]]\ntarget = \"gone\"\ndirectory = \"gone\"\n[[github]]\n\
                target = \"owner/*\"\ntoken_file = \"nowhere\"\n";
    let ledger = configured(&receiver(204), more);
    replace(&ledger, |text| {
        let rule = "[[rules]]\neffect = \"ALLOW\"\nreason = \"r\"\n";
        format!("{rule}{}", text.replace("\"approvals\"", "\"rules\"").replace("[\"rules\", ", "["))
    });
    ledger.write("gone.json", FILE.replace("\"site\"", "\"gone\""));
    let shown = told(
        &ledger,
        &[
            "submit gone.json --execution A --consequence G",
            "submit file.json --execution A --consequence F",
            "doctor",
        ],
    );
    let released = ledger.run("release F --execution A --config swampbox.toml");
    assert_eq!(released.status, Some(0), "{released}");
    let lines: Vec<_> = shown.lines().filter(|line| !line.contains("  git  ")).collect();
    assert_snapshot!(lines.join("\n"));
    assert!(ledger.directory().join("site/index.html").exists());
}

#[test]
fn a_service_begins_without_what_one_target_needs() {
    let ledger = service::configured("[[file]]\ntarget = \"gone\"\ndirectory = \"gone\"\n");
    let mut serving = Serving::on(&ledger, "");
    let token = serving.execution(&ledger, "ann", "A");
    serving.proposed(&token, "hello\n");
    let body = r#"{"consequence_type":"file.write","target":"gone","payload":
        {"path":"a","content":"b","expected_sha256":null}}"#;
    let (status, refused) = serving.post(&token, "/v1/consequences", body);
    assert_eq!(text(&refused, "code"), "no_actuator");
    assert!(!refused.to_string().contains(&*ledger.directory().to_string_lossy()), "{refused}");
    assert_eq!(status, 422);
    serving.wait_for("the root `gone` can't be");
}

/// A pipe that nobody reads any more.
fn unread(ledger: &Ledger, words: &str) -> Ran {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let mut command = ledger.command(words);
    let command = command.stdout(Stdio::from(writer)).stderr(Stdio::piped());
    Ran::of(command.spawn().unwrap().wait_with_output().unwrap())
}

#[test]
fn a_release_ends_with_its_own_status_where_nobody_reads_what_it_says() {
    let ledger = Ledger::with_a_request(&receiver(204));
    ledger.write("decision.json", ledger.decision());
    let release = "release X --execution A --decision decision.json";
    let shown = [release, &format!("{release} --json")]
        .map(|words| format!("$ {words}\n{}", unread(&ledger, words)));
    assert_snapshot!(steady(&hidden(&ledger, &shown.join("\n"))));
}

#[test]
fn what_is_decided_is_released_where_nobody_reads_what_it_says() {
    let ledger = configured(&receiver(204), "");
    told(&ledger, &["submit file.json --execution A --consequence F", "release F --execution A"]);
    let digest = digest(&ledger, "F");
    let words =
        format!("decide F --allow --digest {digest} --reason r --release --config swampbox.toml");
    let ran = unread(&ledger, &words);
    assert_eq!(ran.status, Some(0), "{ran}");
    assert!(ledger.directory().join("site/index.html").exists());
}

/// So that a test can't pass because nothing may be executed.
#[test]
fn a_program_that_can_be_executed_is_well() {
    let ledger = Ledger::new();
    let program = ledger.directory().join("gate");
    fs::write(&program, "#!/bin/sh\n").unwrap();
    fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
    let program = program.display();
    ledger.write(
        "swampbox.toml",
        format!(
            "[providers.gate]\ncommand = [\"gate\"]\n\
             [[command]]\ntarget = \"c\"\nprogram = \"{program}\"\n"
        ),
    );
    let checked = ledger.run("config check --config swampbox.toml");
    assert_eq!(checked.status, Some(0), "{checked}");
}
