//! Live mode: gates, pins, a budget of one attempt, and one look afterwards.

use std::{fs, path::Path, process::Command};

use insta::assert_snapshot;
use swampbox_experiments::{
    ExitCode, Tool,
    validation::{Options, Report, confirmation_token, run},
};
use tempfile::TempDir;

use crate::{
    answers::{creates, issue, listing},
    scripted::{PATIENT, ScriptedGh, prints},
};

#[test]
fn with_every_gate_open_one_issue_is_created_and_verified() {
    let live =
        Live::new(&[user(), repository(), listing(&[]), creates(7), listing(&[&issue(7, "null")])]);
    assert_snapshot!(live.told());
    let counted = fs::read_to_string(live.file("budget")).unwrap();
    assert!(counted.starts_with("one attempt at C on owner/name: validation-"), "{counted}");
}

#[test]
fn the_attempt_is_counted_before_it_is_made() {
    let counts_first = format!("cat \"$here/../budget\" > \"$here/seen\"; {}", creates(7));
    let live = Live::new(&[user(), repository(), listing(&[]), counts_first, listing(&[])]);
    live.run();
    let seen = fs::read_to_string(live.gh.file("seen")).unwrap();
    assert!(seen.starts_with("one attempt at C"), "{seen}");
}

#[test]
fn each_gate_alone_keeps_everything_from_being_run() {
    let without = |close: fn(&mut Options)| {
        let live = Live::new(&[]);
        let mut options = live.options();
        close(&mut options);
        let report = run(&options);
        assert_eq!((report.exit_code(), live.gh.calls().as_str()), (ExitCode::Gate, "none\n"));
        assert!(report.steps.is_empty() && !live.file("budget").exists());
        let gates =
            report.closed_gates.iter().map(|gate| format!("{}: {}\n", gate.gate, gate.detail));
        gates.collect::<String>()
    };
    assert_snapshot!(
        [
            without(|options| options.live = false),
            without(|options| options.confirm_disposable_target = false),
            without(|options| options.confirmation = None),
            without(|options| options.confirmation = Some("one-issue-in:owner/other".to_owned())),
            without(|options| options.confirmation = Some("one-issue-in:owner/name ".to_owned())),
            without(|options| options.repository = None),
            without(|options| options.repository = Some("owner/other".to_owned())),
            without(|options| options.gh_user = None),
            without(|options| options.gh_user = Some(String::new())),
            without(|options| options.repository_node_id = None),
            without(|options| options.budget_file = None),
            without(|options| options.expected_head = None),
            without(|options| options.expected_head = Some("HEAD".to_owned())),
            without(|options| options.expected_head = Some("0".repeat(40))),
            without(|options| options.title = " title".to_owned()),
            without(|options| options.body = Some(String::new())),
        ]
        .join("")
    );
}

#[test]
fn all_closed_gates_are_named_at_once() {
    let report = run(&Options { live: true, ..Options::offline() });
    assert_eq!(report.exit_code(), ExitCode::Gate);
    assert_snapshot!(report);
}

#[test]
fn a_checkout_that_is_not_clean_is_a_closed_gate() {
    let dirty = |make: fn(&Path)| {
        let live = Live::new(&[]);
        make(&live.file("checkout"));
        let report = live.run();
        assert_eq!((report.exit_code(), live.gh.calls().as_str()), (ExitCode::Gate, "none\n"));
        format!("{}\n", report.closed_gates[0].detail)
    };
    assert_snapshot!(
        [
            dirty(|checkout| fs::write(checkout.join("new"), "untracked").unwrap()),
            dirty(|checkout| fs::write(checkout.join("file"), "changed").unwrap()),
            dirty(|checkout| fs::remove_file(checkout.join("file")).unwrap()),
            dirty(|checkout| fs::remove_dir_all(checkout.join(".git")).unwrap()),
        ]
        .join("")
    );
}

#[test]
fn a_preflight_that_finds_something_else_blocks_before_the_story() {
    let mut seen = String::new();
    for (name, pieces) in [
        ("other user", vec![prints(r#"{"login":"mallory"}"#)]),
        ("user in another case", vec![prints(r#"{"login":"Tester"}"#)]),
        ("no user", vec!["exit 4".to_owned()]),
        ("user of the wrong type", vec![prints(r#"{"login":null}"#)]),
        ("other node id", vec![user(), repository().replace("R_1", "R_2")]),
        ("renamed", vec![user(), repository().replace("owner/name", "owner/new")]),
        (
            "archived",
            vec![user(), repository().replace(r#""archived":false"#, r#""archived":true"#)],
        ),
        (
            "no issues",
            vec![user(), repository().replace(r#""has_issues":true"#, r#""has_issues":false"#)],
        ),
        ("listing fails", vec![user(), repository(), "exit 1".to_owned()]),
        ("there already", vec![user(), repository(), listing(&[&issue(3, "null")])]),
    ] {
        let live = Live::new(&pieces);
        let report = live.run();
        assert_eq!(report.exit_code(), ExitCode::Blocked, "{name}");
        assert!(report.steps.is_empty() && !live.file("budget").exists(), "{name}");
        seen += &format!("{name}: {}\n", report.detail);
    }
    assert_snapshot!(seen);
}

#[test]
fn a_spent_budget_blocks_before_gh_is_asked() {
    let live = Live::new(&[]);
    fs::write(live.file("budget"), "").unwrap();
    assert_snapshot!(live.told());
}

#[test]
fn a_budget_spent_meanwhile_leaves_the_attempt_unmade() {
    let spends = format!("{}; : > \"$here/../budget\"", listing(&[]));
    let live = Live::new(&[user(), repository(), spends]);
    assert_snapshot!(live.told());
}

#[test]
fn an_attempt_that_cannot_be_counted_is_not_made() {
    let live = Live::new(&[user(), repository(), listing(&[])]);
    let budget_file = Some(live.file("missing/budget"));
    let report = run(&Options { budget_file, ..live.options() });
    assert_eq!(report.exit_code(), ExitCode::Blocked);
    assert!(report.detail.contains("could not be counted"), "{}", report.detail);
    assert!(!live.gh.calls().contains("argument [create]"));
}

#[test]
fn a_second_run_with_the_same_budget_is_blocked() {
    let live = Live::new(&[user(), repository(), listing(&[]), "exit 1".to_owned(), listing(&[])]);
    assert_eq!(live.run().exit_code(), ExitCode::Uncertain);
    assert_eq!(live.run().exit_code(), ExitCode::Blocked);
    assert_eq!(live.gh.calls().matches("argument [create]").count(), 1);
}

#[test]
fn an_uncertain_attempt_is_uncertain_though_the_issue_is_there() {
    let fails = format!("{}; exit 1", creates(7));
    let live =
        Live::new(&[user(), repository(), listing(&[]), fails, listing(&[&issue(7, "null")])]);
    assert_snapshot!(live.told());
}

#[test]
fn a_reported_issue_that_is_not_there_is_an_anomaly() {
    let live = Live::new(&[user(), repository(), listing(&[]), creates(7), listing(&[])]);
    assert_snapshot!(live.told());
}

#[test]
fn a_gh_that_disappears_before_the_attempt_blocks_it() {
    let leaves = format!("{}; rm \"$0\"", listing(&[]));
    let live = Live::new(&[user(), repository(), leaves]);
    let report = live.run();
    assert_eq!(report.exit_code(), ExitCode::Blocked);
    assert!(report.detail.contains("could not be started"), "{}", report.detail);
}

/// A clean checkout, a scripted `gh` and a budget that is not spent, beside each other.
struct Live {
    directory: TempDir,
    gh: ScriptedGh,
    head: String,
}

impl Live {
    fn new(pieces: &[String]) -> Self {
        let directory = TempDir::new().unwrap();
        let checkout = directory.path().join("checkout");
        fs::create_dir(&checkout).unwrap();
        git(&checkout, &["init", "--quiet"]);
        fs::write(checkout.join("file"), "content").unwrap();
        git(&checkout, &["add", "file"]);
        git(&checkout, &["commit", "--quiet", "--message=first"]);
        let head = git(&checkout, &["rev-parse", "HEAD"]);
        let gh = ScriptedGh::within(directory.path().join("bin"), pieces);
        Self { directory, gh, head }
    }

    fn file(&self, name: &str) -> std::path::PathBuf {
        self.directory.path().join(name)
    }

    fn options(&self) -> Options {
        Options {
            repository: Some("owner/name".to_owned()),
            title: "A title".to_owned(),
            body: None,
            live: true,
            confirm_disposable_target: true,
            confirmation: Some(confirmation_token("owner/name")),
            expected_head: Some(self.head.clone()),
            checkout: self.file("checkout"),
            gh_user: Some("tester".to_owned()),
            repository_node_id: Some("R_1".to_owned()),
            budget_file: Some(self.file("budget")),
            gh: self.gh.gh(PATIENT),
            git: Tool::new("git", std::env::var_os("PATH").unwrap(), PATIENT),
        }
    }

    fn run(&self) -> Report {
        run(&self.options())
    }

    fn told(&self) -> String {
        let report = self.run();
        format!("{report}exit status {}\n\n{}", report.exit_code().code(), self.gh.calls())
    }
}

fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=tester",
            "-c",
            "user.email=tester@example.org",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .current_dir(directory)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn user() -> String {
    prints(r#"{"login":"tester","id":1}"#)
}

fn repository() -> String {
    prints(r#"{"full_name":"owner/name","node_id":"R_1","archived":false,"has_issues":true}"#)
}
