//! A configuration: who decides, who carries out, and the approver's queue.

use std::fs;
use std::process::{Command, Stdio};

use insta::assert_snapshot;
use swampbox_material::json::Json;

use crate::ledger::{Ledger, receiver, steady};
use crate::run::Ran;

/// An approver who is no user of any machine.
const COLLEAGUE: &str = "colleague-who-is-no-user-here";

/// Rules freeze the repository, and people decide about the rest.
pub(crate) fn configured(origin: &str, more: &str) -> Ledger {
    let ledger = Ledger::with_executions();
    let me = me();
    ledger.write(
        "swampbox.toml",
        format!(
            r#"
[authority]
first = ["rules", "approvals"]

[[rules]]
consequence_type = "git.*"
effect = "DENY"
reason = "frozen"

[approvals]
approvers = ["{me}", "{COLLEAGUE}"]

[[http]]
target = "{origin}"
private = true

[[file]]
target = "site"
directory = "site"

[git]
name = "SwampBox"
email = "box@example.com"

[[git.repositories]]
target = "project"
path = "project.git"
branches = ["*"]
{more}"#
        ),
    );
    surround(&ledger);
    ledger.write("request.json", request(origin, "/"));
    ledger.write("file.json", FILE);
    ledger.write("patch.json", PATCH);
    ledger
}

/// Makes the directory and the repository that the configurations here name.
pub(crate) fn surround(ledger: &Ledger) {
    fs::create_dir(ledger.directory().join("site")).unwrap();
    let mut git = Command::new("git");
    git.args(["init", "--quiet", "--bare", "project.git"]).current_dir(ledger.directory());
    assert!(git.status().unwrap().success());
}

pub(crate) const FILE: &str = r#"{"consequence_type": "file.write", "target": "site", "payload":
    {"path": "index.html", "content": "\u202ehello\n", "expected_sha256": null}}"#;

const PATCH: &str = r#"{"consequence_type": "git.patch", "target": "project", "payload":
    {"branch": "main", "base": "0000000000000000000000000000000000000001",
    "patch": "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-b\n+c\n", "message": "m"}}"#;

fn request(origin: &str, path: &str) -> String {
    format!(
        r#"{{"consequence_type": "http.request", "target": "{origin}",
            "payload": {{"method": "POST", "url": "{origin}{path}", "body": "hello"}}}}"#
    )
}

/// The name of whoever runs the tests.
pub(crate) fn me() -> String {
    let output = Command::new("id").arg("-un").stderr(Stdio::null()).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

pub(crate) fn told(ledger: &Ledger, commands: &[&str]) -> String {
    let commands: Vec<String> =
        commands.iter().map(|words| format!("{words} --config swampbox.toml")).collect();
    let shown = ledger.story(&commands.iter().map(String::as_str).collect::<Vec<_>>());
    hidden(ledger, &shown)
}

/// Without what differs from one run or machine to the next.
pub(crate) fn hidden(ledger: &Ledger, shown: &str) -> String {
    let directory = fs::canonicalize(ledger.directory()).unwrap();
    let shown = shown.replace(&*directory.to_string_lossy(), "HERE");
    let shown = shown.replace(" --config swampbox.toml", "");
    let shown = shown.replace(COLLEAGUE, "COLLEAGUE");
    // The user may be called like a word that stands there.
    let shown = shown.replace(&me(), "ME").replace("the ME `", "the root `");
    let shown = without(&shown, "approval-", 36, "approval-ID");
    without(&shown, "ed25519:", 64, "ed25519:KEY")
}

/// The text with `name` in the place of each `prefix` and the `length` characters after it.
pub(crate) fn without(text: &str, prefix: &str, length: usize, name: &str) -> String {
    let mut parts = text.split(prefix);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shown, part| shown + name + part.get(length..).unwrap_or_default())
}

pub(crate) fn digest(ledger: &Ledger, consequence: &str) -> String {
    let shown = ledger.run(&format!("decide {consequence} --json --config swampbox.toml"));
    let (_, digest) = shown.stdout.split_once(r#""digest":""#).unwrap_or_else(|| panic!("{shown}"));
    digest.split('"').next().unwrap().to_owned()
}

fn allow(ledger: &Ledger, consequence: &str, more: &str) -> Ran {
    let digest = digest(ledger, consequence);
    ledger.run(&format!(
        "decide {consequence} --allow --digest {digest} --reason agreed --config swampbox.toml {more}"
    ))
}

#[test]
fn what_no_rule_decides_waits_for_people_and_happens_once_they_allow_it() {
    let ledger = configured(&receiver(204), "");
    let before = told(
        &ledger,
        &[
            "submit request.json --execution A --consequence X",
            "release X --execution A",
            "decide --list",
        ],
    );
    let allowed = steady(&allow(&ledger, "X", "").to_string());
    let after =
        told(&ledger, &["release X --execution A", "release X --execution A", "show X", "verify"]);
    assert_snapshot!(format!(
        "{before}\n$ decide X --allow …\n{}\n{after}",
        hidden(&ledger, &allowed)
    ));
}

#[test]
fn what_a_rule_denies_nobody_is_asked_about() {
    let ledger = configured(&receiver(204), "");
    assert_snapshot!(told(
        &ledger,
        &[
            "submit patch.json --execution A --consequence P",
            "policy explain P",
            "release P --execution A",
            "release P --execution A --json",
            "decide --list",
        ],
    ));
}

#[test]
fn a_program_is_told_by_what_a_release_waits_and_a_person_why_one_was_denied() {
    let ledger = configured(&receiver(204), "");
    told(&ledger, &["submit request.json --execution A --consequence X"]);
    let waits = ledger.run("release X --execution A --json --config swampbox.toml");
    let waits = Json::read(waits.stdout.as_bytes()).unwrap();
    let field = |name| waits.as_object().unwrap().get(name).and_then(Json::as_str).unwrap();
    assert!(field("message").contains(&format!("request {} ", field("request_id"))));
    let digest = digest(&ledger, "X");
    let denied = ledger.run(&format!(
        "decide X --deny --digest {digest} --reason unwanted --config swampbox.toml"
    ));
    assert_eq!(denied.status, Some(0), "{denied}");
    let refused = told(&ledger, &["release X --execution A"]);
    assert_snapshot!(refused);
}

#[test]
fn whoever_decides_sees_everything_and_what_is_invisible_too() {
    let ledger = configured(&receiver(204), "");
    ledger.write("child.json", FILE.replace("hello", "bye"));
    assert_snapshot!(told(
        &ledger,
        &[
            "submit file.json --execution A --consequence F",
            "submit child.json --execution A --consequence G --parent F",
            "release G --execution A",
            "decide G",
        ],
    ));
}

#[test]
fn a_decision_can_release_at_once_and_the_effect_is_there() {
    let ledger = configured(&receiver(204), "");
    told(&ledger, &["submit file.json --execution A --consequence F", "release F --execution A"]);
    let released = allow(&ledger, "F", "--release");
    assert_eq!(released.status, Some(0), "{released}");
    let written = fs::read_to_string(ledger.directory().join("site/index.html")).unwrap();
    assert_eq!(written, "\u{202e}hello\n");
}

#[test]
fn another_request_than_the_one_that_was_shown_is_not_decided() {
    let ledger = configured(&receiver(204), "");
    told(
        &ledger,
        &[
            "submit file.json --execution A --consequence F",
            "submit request.json --execution A --consequence X",
            "release F --execution A",
            "release X --execution A",
        ],
    );
    let other = digest(&ledger, "F");
    let refused = ledger
        .run(&format!("decide X --allow --digest {other} --reason agreed --config swampbox.toml"));
    assert!(refused.stderr.contains("request_changed"), "{refused}");
    assert_eq!(refused.status, Some(1));
    let said = told(&ledger, &["decide X --allow --digest abc --reason r", "decide nothing"]);
    assert_snapshot!(said);
}

#[test]
fn a_request_can_be_taken_back_and_is_then_decided_by_nobody() {
    let origin = receiver(204);
    let me = me();
    let more = format!("[[principals]]\nexecution = \"A\"\nprincipal = \"{me}\"\n");
    let ledger = configured(&origin, &more);
    told(
        &ledger,
        &["submit request.json --execution A --consequence X", "release X --execution A"],
    );
    let own = allow(&ledger, "X", "");
    assert!(own.stderr.contains("approver_is_proposer"), "{own}");
    let digest = digest(&ledger, "X");
    let withdrawn = told(&ledger, &["decide X --withdraw", "decide --list"]);
    let late = ledger
        .run(&format!("decide X --deny --digest {digest} --reason late --config swampbox.toml"));
    assert!(late.stderr.contains("request_closed"), "{late}");
    assert_snapshot!(withdrawn);
}

#[test]
fn who_may_not_withdraw_a_request_is_told_who_may() {
    let more = "[[principals]]\nexecution = \"A\"\nprincipal = \"agent\"\n";
    let ledger = configured(&receiver(204), more);
    let proposed = ["submit request.json --execution A --consequence X", "release X --execution A"];
    told(&ledger, &proposed);
    let refused = ledger.run("decide X --withdraw --config swampbox.toml");
    assert_eq!(refused.status, Some(1));
    assert_snapshot!(refused.stderr.replace(&format!("{:?}", me()), "<me>"));
}

#[test]
fn a_release_that_waits_goes_on_once_it_was_decided() {
    let ledger = configured(&receiver(204), "");
    told(&ledger, &["submit request.json --execution A --consequence X"]);
    let mut release = ledger.command("release X --execution A --wait 60 --config swampbox.toml");
    let release = release.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while ledger.run("decide --list --config swampbox.toml").stdout.is_empty() {}
    assert_eq!(allow(&ledger, "X", "").status, Some(0));
    let released = Ran::of(release.wait_with_output().unwrap());
    assert!(released.stdout.contains("RELEASED"), "{released}");
}

#[test]
fn what_no_actuator_of_the_configuration_takes_is_not_submitted() {
    let ledger = configured(&receiver(204), "");
    ledger.write("elsewhere.json", request("http://127.0.0.1:1", "/"));
    ledger.write("wrong.json", FILE.replace("content", "contents"));
    assert_snapshot!(told(
        &ledger,
        &["submit elsewhere.json --execution A", "submit wrong.json --execution A", "list",],
    ));
}

#[test]
fn a_configuration_that_says_who_decides_is_not_gone_around() {
    let ledger = configured(&receiver(204), "");
    told(&ledger, &["submit request.json --execution A --consequence X"]);
    ledger.write("decision.json", ledger.decision());
    assert_snapshot!(told(&ledger, &["release X --execution A --decision decision.json",],));
    assert_snapshot!(ledger.story(&[
        "release X --execution A --config swampbox.toml --provider -- cat decision.json",
        "release X --execution A",
    ]));
}

#[test]
fn a_signed_decision_releases_what_it_is_about_until_its_key_is_revoked() {
    let ledger = Ledger::with_executions();
    let origin = receiver(204);
    ledger.write("request.json", request(&origin, "/"));
    let key = ledger.run("key generate key.pem").stdout;
    let trusted = |key: &str| {
        format!(
            "[[http]]\ntarget = \"{origin}\"\nprivate = true\n[[keys]]\nname = \"manager\"\n\
             public_key = \"{}\"\nvalid_from = \"2000-01-01T00:00:00Z\"\n\
             valid_until = \"9999-01-01T00:00:00Z\"\n",
            key.trim()
        )
    };
    ledger.write("swampbox.toml", trusted(&key));
    for consequence in ["X", "Y"] {
        let submit = format!("submit request.json --execution A --consequence {consequence}");
        assert_eq!(ledger.run(&submit).status, Some(0));
        let signed = ledger.run(&format!("sign {consequence} --key key.pem"));
        ledger.write(&format!("{consequence}.json"), signed.stdout);
    }
    let story = told(
        &ledger,
        &[
            "release Y --execution A --decision X.json",
            "release X --execution A --decision X.json",
            "key revoke manager --reason lost",
            "key revoke manager --reason lost",
            "release Y --execution A --decision Y.json",
            "key list",
        ],
    );
    ledger.write("plain.json", ledger.decision().replace('X', "Y"));
    let plain = told(&ledger, &["release Y --execution A --decision plain.json"]);
    let other = ledger.run("key generate other.pem").stdout;
    ledger.write("swampbox.toml", trusted(&other));
    let stranger = told(&ledger, &["release Y --execution A --decision Y.json"]);
    assert_snapshot!(format!(
        "{story}\nwithout its envelope\n{plain}\nsigned by nobody who is trusted\n{stranger}"
    ));
}

#[test]
fn what_is_wrong_with_a_configuration_is_said_with_its_place() {
    let ledger = Ledger::new();
    ledger.write("open.token", "secret\n");
    let zeros = format!(
        "[[keys]]\nname = \"k\"\npublic_key = \"{}\"\nvalid_from = \"2026-01-01T00:00:00Z\"\n\
         valid_until = \"2027-01-01T00:00:00Z\"\n",
        "0".repeat(64)
    );
    let cases = [
        "[[http]]\ntarget = \"http://a.example\"\n\
         connection = { name = \"n\", token_file = \"open.token\" }\n",
        "[authority]\nfirst = []\n",
        "[authority]\nfirst = [\"approvals\"]\n",
        "[authority]\nfirst = [\"scaner\"]\n[providers.scanner]\ncommand = [\"/bin/true\"]\n",
        "[approvals]\naprovers = []\n",
        "[approvals]\napprovers = [\"alice\"]\nquorum = 2\n",
        "[approvals]\napprovers = []\n",
        "[approvals]\napprovers = [\"alice\", \"\\u202Eecila\"]\n",
        "[[principals]]\nexecution = \"*\"\nprincipal = \"a\\u00ADgent\"\n",
        "[[rules]]\neffect = \"DENY\"\nreason = \"\"\n",
        "[[http]]\ntarget = \"http://a.example\"\n\
         connection = { name = \"n\", token_file = \"ghp_0123456789abcdef\" }\n",
        "[providers.board]\nurl = \"https://board.example.com\"\ntoken_file = \"swk_x\"\n",
        "[[rules]]\neffect = \"PERMIT\"\nreason = \"r\"\n",
        "[[rules]]\neffect = \"ALLOW\"\nreason = \"r\"\nwindow_seconds = 0\n",
        "[[http]]\ntarget = \"x\"\ntarget = \"y\"\n",
        "[[http]]\ntarget = \"http://*\"\nconnection = { name = \"n\", token_file = \"nowhere\" }\n",
        "[[file]]\ntarget = \"*\"\ndirectory = \"nowhere\"\n",
        "[[command]]\ntarget = \"c\"\nprogram = \"relative\"\n",
        "[[keys]]\nname = \"k\"\npublic_key = \"zz\"\nvalid_from = \"2026-01-01T00:00:00Z\"\n\
         valid_until = \"2027-01-01T00:00:00Z\"\n",
        &zeros,
        "[[git]]\n",
        "[[file]]\ntarget = \"site\"\ndirectory = \".\"\n[[file]]\ntarget = \"site\"\ndirectory = \".\"\n",
        "[providers.rules]\ncommand = [\"/bin/true\"]\n",
        "[providers.gate]\ncommand = [\"/nowhere/gate\"]\n",
        "[authority]\nfirst = [\"rules\", \"rules\"]\n[[rules]]\neffect = \"DENY\"\nreason = \"r\"\n",
        "[approvals]\napprovers = [\"alice\"]\nexpires_after_seconds = 9223372036854775807\n",
        "not toml",
    ];
    let said = cases.map(|text| {
        ledger.write("swampbox.toml", text);
        format!("{text}{}", told(&ledger, &["config check", "policy check"]))
    });
    assert_snapshot!(said.join("\n"));
}

#[test]
fn what_is_of_the_wrong_kind_or_missing_is_said_with_what_to_write_instead() {
    let ledger = Ledger::new();
    let cases = [
        "[authority]\nfirst = \"rules\"\n",
        "authority = 7\n",
        "[authority]\nall = -1\n",
        "[[rules]]\neffect = \"DENY\"\n",
        "[[rules]]\neffect = \"DENY\"\nreason = \"r\"\n[[rules]]\nreason = \"s\"\n",
        "[[rules]]\neffect = \"deny\"\nreason = \"r\"\n",
        "[[rules]]\neffect = \"DENY\"\nreason = 7\n",
        "[approvals]\napprovers = [\"alice\", 7]\n",
        "[approvals]\nquorum = 1\n",
        "[approvals]\napprovers = [\"alice\"]\nquorum = -1\n",
        "[approvals]\napprovers = [\"alice\"]\nproposers_may_decide = \"no\"\n",
        "[[http]]\nnot_done = [70000]\ntarget = \"http://x\"\n",
        "[[http]]\ntarget = \"http://x\"\nconnection = { name = \"n\" }\n",
        "[[http]]\ntarget = \"http://x\"\nconnection = { name = 7, token_file = \"t\" }\n",
        "[[file]]\ntarget = \"site\"\ndirectory = []\n",
        "[[command]]\ntarget = \"c\"\nprogram = \"/bin/true\"\ndone = [256]\n",
        "[[command]]\ntarget = \"c\"\nprogram = \"/bin/true\"\nenvironment = \"PATH=/bin\"\n",
        "[git]\nname = \"n\"\n",
        "[git]\nname = \"n\"\nemail = \"e\"\n[[git.repositories]]\ntarget = \"p\"\n",
        "[providers.gate]\ntimeout_seconds = \"30\"\n",
        "[[keys]]\nname = \"k\"\nvalid_from = 2026-01-01T00:00:00Z\n",
        "[signed]\ndirectory = 7\n",
        "[service]\nlisten = 7\n",
        "[service.oidc]\nissuer = 7\n",
        "[service.limits]\nbody_bytes = \"1\"\n",
        "[service.limits]\nstreams = -1\n",
        "[service.limits]\nwait_seconds = 18446744073709551616\n",
        "service = -1\n",
        "[git]\nname = \"n\"\nemail = \"e\"\n[[git.repositories]]\ntarget = \"p\"\nmirror = 7\n",
        "[[github]]\ntoken_file = 7\n",
        "[rules]\n",
        "[zebra]\n",
        "[[rules]\n",
    ];
    let said = cases.map(|text| {
        ledger.write("swampbox.toml", text);
        format!("{text}{}", told(&ledger, &["config check"]))
    });
    assert_snapshot!(said.join("\n"));
}

#[test]
fn the_example_is_a_configuration_and_shows_every_key() {
    let ledger = Ledger::with_executions();
    let example = ledger.run("config example");
    ledger.write("swampbox.toml", &example.stdout);
    surround(&ledger);
    assert_snapshot!(told(&ledger, &["config check", "policy check"]));
    // With every `# ` taken away from what is an entry it is one too, but for what it names.
    assert_snapshot!(hidden(&ledger, &example.stdout));
}

#[test]
fn the_doctor_says_what_is_wrong_and_how_to_mend_it() {
    let ledger = configured(&receiver(204), "");
    let git = |shown: String| {
        let version = |line: &str| line.contains("git  ").then(|| "well   git  VERSION".to_owned());
        shown
            .lines()
            .map(|line| version(line).unwrap_or(line.to_owned()))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let well = git(told(&ledger, &["doctor"]));
    fs::remove_dir(ledger.directory().join("site")).unwrap();
    fs::remove_file(ledger.directory().join("ledger.db")).unwrap();
    let ill = git(told(&ledger, &["doctor"]));
    assert_snapshot!(format!("{well}\n{ill}"));
}

#[cfg(not(feature = "cedar"))]
#[test]
fn without_cedar_its_table_is_refused_with_what_to_do() {
    let ledger = Ledger::new();
    ledger.write("swampbox.toml", "[cedar]\npolicies = \"policies.cedar\"\n");
    assert_snapshot!(told(&ledger, &["config check"]));
}

#[cfg(feature = "cedar")]
#[test]
fn cedar_policies_decide_and_say_which_of_them_did() {
    let ledger = configured(&receiver(204), "[cedar]\npolicies = \"policies.cedar\"\n");
    let toml = fs::read_to_string(ledger.directory().join("swampbox.toml")).unwrap();
    ledger.write("swampbox.toml", toml.replace("[\"rules\", \"approvals\"]", "[\"cedar\"]"));
    ledger.write(
        "policies.cedar",
        "@id(\"requests\")\npermit (principal, action == Action::\"http.request\", resource);\n\
         @id(\"no-files\")\nforbid (principal, action == Action::\"file.write\", resource);\n",
    );
    told(
        &ledger,
        &[
            "submit request.json --execution A --consequence X",
            "submit file.json --execution A --consequence F",
        ],
    );
    let allowed = ledger.run("release X --execution A --config swampbox.toml");
    assert!(allowed.stdout.contains("RELEASED"), "{allowed}");
    let denied = ledger.run("policy explain F --config swampbox.toml");
    assert!(denied.stdout.contains("no-files"), "{denied}");
    let refused = ledger.run("release F --execution A --config swampbox.toml");
    assert!(refused.stdout.contains("authority_not_allowed"), "{refused}");
    ledger.write(
        "policies.cedar",
        "permit (principal, action, resource) when { 1 in \"x\" };\n\
         permit (principal, action, resource);",
    );
    let wrong = ledger.run("config check --config swampbox.toml");
    assert!(wrong.stderr.contains("config_invalid"), "{wrong}");
    assert!(wrong.stderr.contains("; the policies, line 2, "), "{wrong}");
}
