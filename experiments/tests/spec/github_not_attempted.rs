//! What keeps an issue from being attempted. Each snapshot shows what `gh` was asked.

use insta::assert_snapshot;
use swampbox_experiments::{
    ExitCode, Limits,
    github::{Gh, Options, run},
};

use crate::{
    answers::{BODY, OLD, attempt, issue, listing, options, pull},
    scripted::{PATIENT, ScriptedGh, prints},
};

#[test]
fn without_any_gate_nothing_is_run() {
    let gh = ScriptedGh::new(&[]);
    assert_snapshot!(attempt(
        &gh,
        Options { live: false, confirm_disposable_target: false, ..options(&gh) }
    ));
}

#[test]
fn one_gate_of_two_is_a_closed_gate() {
    for (live, confirm_disposable_target) in [(true, false), (false, true)] {
        let gh = ScriptedGh::new(&[]);
        let report = run(&Options { live, confirm_disposable_target, ..options(&gh) });
        assert_eq!(report.outcome.code(), "not_attempted_live_gate");
        assert_eq!((report.exit_code(), gh.calls().as_str()), (ExitCode::Gate, "none\n"));
    }
}

#[test]
fn an_invalid_consequence_is_refused_before_anything_is_run() {
    let long_title = "t".repeat(257);
    let long_body = "b".repeat(65_537);
    let cases = [
        ("owner", "title", None),
        ("owner/name/more", "title", None),
        ("github.com/owner/name", "title", None),
        ("owner/..", "title", None),
        ("owner/name.git", "title", None),
        ("-owner/name", "title", None),
        ("owner/na me", "title", None),
        ("ownér/name", "title", None),
        ("owner/name?x", "title", None),
        ("owner/name", "", None),
        ("owner/name", " title", None),
        ("owner/name", "ti\ntle", None),
        ("owner/name", &long_title, None),
        ("owner/name", "title", Some("")),
        ("owner/name", "title", Some("a\0b")),
        ("owner/name", "title", Some("a\r\nb")),
        ("owner/name", "title", Some(&long_body)),
    ];
    let mut seen = String::new();
    for (repository, title, body) in cases {
        let gh = ScriptedGh::new(&[]);
        let report = run(&Options {
            repository: repository.to_owned(),
            title: title.to_owned(),
            body: body.map(str::to_owned),
            ..options(&gh)
        });
        assert_eq!((report.exit_code(), gh.calls().as_str()), (ExitCode::Invalid, "none\n"));
        let part = report.detail.split(':').next().unwrap();
        seen += &format!("{repository:?} {} {}: {part}\n", shown(Some(title)), shown(body));
    }
    assert_snapshot!(seen);
}

#[test]
fn an_identical_issue_stands_in_the_way() {
    let gh = ScriptedGh::new(&[listing(&[OLD, &issue(3, BODY)])]);
    assert_snapshot!(attempt(&gh, options(&gh)));
}

#[test]
fn every_page_counts_whether_gh_prints_one_list_or_several() {
    let pages = format!("[{OLD}]\n[{}]", issue(3, BODY));
    let gh = ScriptedGh::new(&[prints(&pages)]);
    assert_snapshot!(attempt(&gh, options(&gh)));
}

#[test]
fn a_first_read_that_cannot_be_believed_leads_to_no_attempt() {
    let foreign = issue(3, BODY).replace("repos/owner/name", "repos/other/name");
    let foreign_page = issue(3, BODY).replace("github.com/owner/name", "github.com/owner/Name");
    let foreign_pull = pull(3).replace("owner/name", "other/name");
    let mut seen = String::new();
    for (name, answer) in [
        ("foreign repository", format!("[{foreign}]")),
        ("foreign page", format!("[{foreign_page}]")),
        ("foreign pull request", format!("[{foreign_pull}]")),
        ("repeated number", format!("[{OLD},{OLD}]")),
        ("no page", String::new()),
        ("an object", r#"{"message":"Not Found"}"#.to_owned()),
        ("cut short", format!("[{OLD}")),
        ("second page cut short", format!("[{OLD}][")),
        ("number as text", format!("[{}]", OLD.replace(r#""number":1"#, r#""number":"1""#))),
        ("number as float", format!("[{}]", OLD.replace(r#""number":1"#, r#""number":1.0"#))),
        ("title null", format!("[{}]", OLD.replace(r#""old""#, "null"))),
        ("body missing", format!("[{}]", OLD.replace(r#""body":null,"#, ""))),
        (
            "title twice",
            format!("[{}]", OLD.replace(r#""body":null"#, r#""body":null,"title":"x""#)),
        ),
    ] {
        let gh = ScriptedGh::new(&[prints(&answer)]);
        let report = run(&options(&gh));
        assert_eq!(report.exit_code(), ExitCode::Blocked);
        seen += &format!("{name}: {}: {}\n", report.outcome.code(), report.detail);
    }
    assert_snapshot!(seen);
}

#[test]
fn a_first_read_that_fails_leads_to_no_attempt() {
    let gh = ScriptedGh::new(&["echo 'HTTP 502' >&2; echo '[]'; exit 1".to_owned()]);
    assert_snapshot!(attempt(&gh, options(&gh)));
}

#[test]
fn a_first_read_without_end_is_cut_off() {
    let gh = ScriptedGh::new(&["while :; do echo '[]'; done".to_owned()]);
    let limits = Limits { max_output_bytes: 1000, ..PATIENT };
    assert_snapshot!(attempt(&gh, Options { gh: gh.gh(limits), ..options(&gh) }));
}

#[test]
fn a_missing_gh_is_no_attempt() {
    let directory = tempfile::TempDir::new().unwrap();
    let gh = ScriptedGh::new(&[]);
    let options = Options { gh: Gh::on_path(directory.path(), PATIENT), ..options(&gh) };
    assert_snapshot!(attempt(&gh, options));
}

#[test]
fn a_gh_that_disappears_after_the_first_read_is_no_attempt() {
    let gh = ScriptedGh::new(&[format!("{}; rm \"$0\"", listing(&[]))]);
    assert_snapshot!(attempt(&gh, options(&gh)));
}

fn shown(text: Option<&str>) -> String {
    match text {
        Some(text) if text.len() > 20 => format!("{} characters", text.chars().count()),
        text => format!("{text:?}"),
    }
}
