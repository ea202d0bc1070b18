//! Patches to repositories on this machine.

use std::fs;

use insta::assert_snapshot;
use swampbox_actuators::GitRepository;

use crate::git_fixture::{PATCH, Project, allowed, builder, git, without_words};

#[test]
fn a_patch_becomes_one_commit_on_exactly_its_base() {
    let project = Project::new();
    let outcome = project.release(project.local().build());
    let commit = project.git(&["cat-file", "commit", "main"]);
    let change = project.git(&["diff-tree", "-r", "--raw", "--abbrev", "main^", "main"]);
    assert_snapshot!(format!("{outcome}\n\n{commit}\n\n{change}"));
}

#[test]
fn a_second_release_finds_its_base_moved() {
    let project = Project::new();
    project.release(project.local().build());
    assert_snapshot!(project.release(project.local().build()));
}

#[test]
fn a_branch_that_is_not_there_is_not_made() {
    let project = Project::new();
    project.git(&["update-ref", "-d", "refs/heads/main"]);
    assert_snapshot!(project.release(project.local().build()));
}

#[test]
fn a_base_that_moves_before_the_branch_is_locked_is_definitely_not_executed() {
    let project = Project::new();
    let bare = project.bare();
    let git = project.faulty(
        "update-ref",
        &format!(
            "new=$(echo other | $GIT -C {0} commit-tree -p main main^{{tree}})\n\
             $GIT -C {0} branch --force main $new",
            bare.display()
        ),
    );
    let outcome = project.release(project.local().program(git).build());
    let [outcome, tip] = outcome.split("\nmain: ").collect::<Vec<_>>().try_into().unwrap();
    assert_eq!(project.git(&["log", "-1", "--format=%s", tip]), "other");
    assert_snapshot!(outcome.split(": \"").next().unwrap());
}

#[test]
fn a_locked_branch_is_definitely_not_executed() {
    let project = Project::new();
    fs::write(project.bare().join("refs/heads/main.lock"), "").unwrap();
    assert_snapshot!(without_words(&project.release(project.local().build())));
}

#[test]
fn a_branch_that_is_checked_out_is_left_alone() {
    let project = Project::new();
    let actuator = || {
        let work = allowed(GitRepository::local(project.path("work")));
        builder().repository("project", work).build()
    };
    let mut told = project.release(actuator());
    // Once another one is checked out, nothing is left behind by the move.
    git(&project.path("work"), &["checkout", "--quiet", "-b", "other"]);
    told += "\n\n";
    told += &project.release(actuator());
    told += &format!("\nwork: {}", git(&project.path("work"), &["rev-parse", "main"]));
    assert_snapshot!(told);
}

#[test]
fn a_branch_that_is_a_symbolic_ref_moves_no_other() {
    let project = Project::new();
    project.git(&["branch", "protected"]);
    project.git(&["symbolic-ref", "refs/heads/main", "refs/heads/protected"]);
    assert_snapshot!(project.release(project.local().build()));
}

#[test]
fn a_directory_inside_a_repository_is_none() {
    let project = Project::new();
    let inside = allowed(GitRepository::local(project.bare().join("refs/heads")));
    let outcome = project.release(builder().repository("project", inside).build());
    assert_snapshot!(without_words(&outcome));
}

#[test]
fn a_path_without_a_repository_is_definitely_not_executed() {
    let project = Project::new();
    let nothing = allowed(GitRepository::local(project.path("nothing")));
    assert_snapshot!(project.release(builder().repository("project", nothing).build()));
}

#[test]
fn a_repository_with_longer_ids_takes_patches_too() {
    let project = Project::with_format("sha256");
    assert_snapshot!(project.release(project.local().build()));
}

#[test]
fn what_a_repository_configures_changes_nothing_and_runs_nothing() {
    let project = Project::new();
    let trace = project.path("trace");
    let script = format!("echo ran >>{}", trace.display());
    project.hook("reference-transaction", &script);
    project.hook("post-commit", &script);
    let program = project.bare().join("hooks/post-commit");
    for (key, value) in [
        ("core.fsmonitor", program.to_str().unwrap()),
        ("core.hooksPath", project.bare().join("hooks").to_str().unwrap()),
        ("commit.gpgSign", "true"),
        ("gpg.program", program.to_str().unwrap()),
        ("i18n.commitEncoding", "iso-8859-1"),
        ("apply.whitespace", "fix"),
        ("apply.ignoreWhitespace", "change"),
        ("user.name", "Mallory"),
    ] {
        git(&project.path("work"), &["config", "--file", "../project.git/config", key, value]);
    }
    let with_blanks = PATCH.replace("+there", "+there  ");
    let told = project.release_of(project.local().build(), project.patch_of(&with_blanks));
    let plain = Project::new();
    let expected = plain.release_of(plain.local().build(), plain.patch_of(&with_blanks));
    assert_eq!(told, expected);
    assert!(told.starts_with("SUCCEEDED"), "{told}");
    assert!(!trace.exists());
}

#[test]
fn replaced_objects_are_not_looked_at() {
    let project = Project::new();
    let other = {
        let tree = project.git(&["mktree"]);
        project.git(&["commit-tree", "-m", "Empty", &tree])
    };
    project.git(&["replace", &project.base, &other]);
    let outcome = project.release(project.local().build());
    assert!(outcome.starts_with("SUCCEEDED"), "{outcome}");
}

#[test]
fn a_git_that_is_not_there_is_definitely_not_executed() {
    let project = Project::new();
    let actuator = project.local().program(project.path("no-git")).build();
    assert_snapshot!(project.release(actuator));
}
