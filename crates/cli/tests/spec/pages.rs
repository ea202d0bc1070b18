use std::fs;
use std::io::pipe;

use insta::assert_snapshot;

use crate::run::{Ran, run, swampbox};

#[test]
fn without_a_command_the_help_is_shown_and_the_status_says_that_nothing_was_done() {
    assert_snapshot!(run(&[]));
}

#[test]
fn an_unknown_argument_is_refused_with_the_nearest_known_one() {
    assert_snapshot!(run(&["demo", "--jsno"]));
}

#[test]
fn completions_and_the_manual_page_name_every_command() {
    for page in [&["completions", "bash"], &["completions", "fish"], &["man"][..]] {
        let ran = run(page);
        assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
        let any = ["demo", "compare", "scenario", "experiment"];
        let on_a_ledger = ["init", "submit", "show", "release", "verify"];
        for command in any.into_iter().chain(on_a_ledger) {
            assert!(ran.stdout.contains(command), "{page:?} does not name {command}");
        }
    }
}

/// As `head` does.
#[test]
fn help_may_be_left_before_its_end() {
    let pages: [&[&str]; 7] = [
        &["--help"],
        &["decide", "--help"],
        &["help", "serve"],
        &["serve", "-h"],
        &["man"],
        &["completions", "bash"],
        &["config", "example"],
    ];
    for page in pages {
        let (reader, writer) = pipe().unwrap();
        drop(reader);
        let ran = Ran::of(swampbox(page).stdout(writer).output().unwrap());
        assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{page:?}");
    }
}

#[test]
fn each_manual_page_that_another_one_names_is_written_beside_it() {
    let directory = tempfile::tempdir().unwrap();
    let ran = run(&["man", directory.path().to_str().unwrap()]);
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "", ""));
    let mut named = 0;
    for page in fs::read_dir(directory.path()).unwrap() {
        let text = fs::read_to_string(page.unwrap().path()).unwrap();
        for name in text.lines().filter_map(|line| line.strip_suffix("(1)")) {
            let file = format!("{}.1", name.replace('\\', ""));
            assert!(directory.path().join(&file).exists(), "{file} is missing");
            named += 1;
        }
    }
    assert!(named > 20, "only {named} pages are named");
}

#[test]
fn a_directory_of_manual_pages_that_is_not_there_is_refused() {
    assert_snapshot!(run(&["man", "/nowhere/at/all"]));
}

#[test]
fn what_is_missing_is_said_in_one_line() {
    assert_snapshot!(run(&["release"]));
}

#[test]
fn colours_are_shown_only_where_they_are_wanted() {
    let shown = |variables: &[(&str, &str)]| {
        let mut command = swampbox(&["experiment", "validation", "--live"]);
        command.envs(variables.iter().copied());
        Ran::of(command.output().unwrap()).stderr
            + &Ran::of(swampbox(&["demo"]).envs(variables.iter().copied()).output().unwrap()).stdout
    };
    assert!(!shown(&[]).contains('\u{1b}'), "a pipe is no terminal");
    assert!(shown(&[("CLICOLOR_FORCE", "1")]).contains('\u{1b}'));
    assert!(!shown(&[("NO_COLOR", "1")]).contains('\u{1b}'));
}

#[test]
fn a_hostile_argument_is_shown_with_its_control_characters_escaped() {
    assert_snapshot!(run(&["\u{1b}]0;title\u{7}\u{202e}\nred"]));
}

#[test]
fn a_hostile_value_of_an_option_is_shown_with_its_control_characters_escaped() {
    assert_snapshot!(run(&["list", "--state", "\u{1b}[31mX\u{7}"]));
}
