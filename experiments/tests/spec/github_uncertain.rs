//! Whatever is not an exact success after the start is doubt. Each snapshot shows what `gh` was asked.

use std::time::Duration;

use insta::assert_snapshot;
use swampbox_experiments::{
    ExitCode, Limits,
    github::{Options, run},
};

use crate::{
    answers::{BODY, attempt, creates, issue, listing, options},
    scripted::{PATIENT, ScriptedGh, install, prints},
};

#[test]
fn a_creation_that_exits_with_1_is_uncertain_and_not_repeated() {
    let gh =
        ScriptedGh::new(&[listing(&[]), "echo 'HTTP 500' >&2; exit 1".to_owned(), listing(&[])]);
    assert_snapshot!(attempt(&gh, options(&gh)));
}

#[test]
fn an_uncertain_creation_stays_uncertain_though_the_issue_is_there() {
    let fails_late = format!("{}; exit 1", creates(7));
    let gh = ScriptedGh::new(&[listing(&[]), fails_late, listing(&[&issue(7, BODY)])]);
    assert_snapshot!(attempt(&gh, options(&gh)));
}

#[test]
fn a_success_without_the_exact_address_is_uncertain() {
    for printed in [
        "",
        "created!\n",
        "https://github.com/other/name/issues/7\n",
        "https://github.com/owner/name/pull/7\n",
        "http://github.com/owner/name/issues/7\n",
        "https://github.com/owner/name/issues/0\n",
        "https://github.com/owner/name/issues/+7\n",
        "https://github.com/owner/name/issues/07\n",
        "https://github.com/owner/name/issues/7/\n",
        "https://github.com/owner/name/issues/7\n\n",
        "https://github.com/owner/name/issues/7\r\n",
        "https://github.com/owner/name/issues/99999999999999999999\n",
        "https://github.com/owner/name/issues/7\nhttps://github.com/owner/name/issues/8\n",
    ] {
        let gh = ScriptedGh::new(&[listing(&[]), prints(printed), listing(&[&issue(7, BODY)])]);
        let report = run(&options(&gh));
        assert_eq!(report.outcome.code(), "external_result_uncertain", "{printed:?}");
        assert_eq!((report.create_attempts, report.created), (1, None));
    }
}

#[test]
fn bytes_that_are_no_text_are_uncertain() {
    let gh = ScriptedGh::new(&[listing(&[]), r"printf '\377\376'".to_owned(), listing(&[])]);
    assert_eq!(run(&options(&gh)).exit_code(), ExitCode::Uncertain);
}

#[test]
fn a_creation_without_end_is_cut_off_and_uncertain() {
    let gh =
        ScriptedGh::new(&[listing(&[]), "while :; do echo noise; done".to_owned(), listing(&[])]);
    let limits = Limits { max_output_bytes: 1000, ..PATIENT };
    assert_snapshot!(attempt(&gh, Options { gh: gh.gh(limits), ..options(&gh) }));
}

#[test]
fn a_creation_killed_by_a_signal_is_uncertain() {
    let gh = ScriptedGh::new(&[listing(&[]), "kill -9 $$".to_owned(), listing(&[])]);
    assert_eq!(run(&options(&gh)).exit_code(), ExitCode::Uncertain);
}

#[test]
fn a_creation_that_reads_only_part_of_the_body_is_uncertain() {
    let gh = ScriptedGh::new(&[listing(&[]), creates(7), listing(&[])]);
    let script = std::fs::read_to_string(gh.file("gh")).unwrap();
    install(&gh.file("gh"), &script.replace("$(cat)", ""));
    // 128 KiB, more than a pipe holds, so that the rest can't be written to a reader that is gone.
    let report = run(&Options { body: Some("ü".repeat(65_536)), ..options(&gh) });
    assert_eq!(report.outcome.code(), "external_result_uncertain");
    assert!(report.detail.contains("did not read its whole input"), "{}", report.detail);
}

#[test]
#[cfg(target_os = "linux")]
fn a_creation_that_hangs_is_killed_with_its_children_and_uncertain() {
    let hangs = r#"sleep 600 & echo $! > "$here/child"; wait"#.to_owned();
    let gh = ScriptedGh::new(&[listing(&[]), hangs, listing(&[])]);
    let limits = Limits { deadline: Duration::from_secs(3), ..PATIENT };
    assert_snapshot!(attempt(&gh, Options { gh: gh.gh(limits), ..options(&gh) }));
    let child = std::fs::read_to_string(gh.file("child")).unwrap();
    assert!(ends_soon(child.trim()), "process {child} outlived the attempt");
}

#[test]
fn a_child_left_behind_does_not_hold_up_the_result() {
    let leaves = format!("sleep 600 & {}", creates(7));
    let gh = ScriptedGh::new(&[listing(&[]), leaves, listing(&[&issue(7, BODY)])]);
    assert_eq!(run(&options(&gh)).outcome.code(), "verified_success");
}

/// Whether a killed process is gone, or waits to be reaped, before long.
#[cfg(target_os = "linux")]
fn ends_soon(process: &str) -> bool {
    let started = std::time::Instant::now();
    while started.elapsed() < Duration::from_secs(20) {
        let Ok(stat) = std::fs::read_to_string(format!("/proc/{process}/stat")) else {
            return true;
        };
        if stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['Z', 'X'])) {
            return true;
        }
        std::thread::yield_now();
    }
    false
}
