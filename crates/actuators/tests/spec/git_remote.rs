//! Patches to a remote that is reached through the file system, with the hooks of its own.

use std::fs;

use insta::assert_snapshot;
use swampbox_actuators::{GitActuator, GitRepository};

use crate::fixture::release_in;
use crate::git_fixture::{PATCH, Project, allowed, builder, git, material, without_words};

/// What comes of the patch where the remote has this hook.
fn hooked(name: &str, script: &str) -> String {
    let project = Project::new();
    project.hook(name, script);
    project.release(project.remote().build())
}

#[test]
fn a_patch_is_pushed_as_the_same_commit_as_it_would_be_made_in_place() {
    let (distant, near) = (Project::new(), Project::new());
    let told = distant.release(distant.remote().build());
    near.release(near.local().build());
    assert_eq!(distant.tip("main"), near.tip("main"));
    assert_snapshot!(told);
}

#[test]
fn a_mirror_serves_again() {
    let project = Project::new();
    let actuator = project.remote().build();
    project.release(&actuator);
    let base = project.tip("main");
    let fields = [
        ("branch", "main".into()),
        ("base", base.as_str().into()),
        (
            "patch",
            "--- a/greeting.txt\n+++ b/greeting.txt\n@@ -2,2 +2,2 @@\n-there\n+here\n world\n"
                .into(),
        ),
        ("message", "Again\n".into()),
    ];
    let material = material(GitActuator::PATCH, fields);
    assert_snapshot!(project.release_of(&actuator, material));
}

#[test]
fn a_second_release_finds_its_base_moved() {
    let project = Project::new();
    project.release(project.remote().build());
    assert_snapshot!(project.release(project.remote().build()));
}

#[test]
fn a_base_that_moves_before_the_push_is_definitely_not_executed() {
    let project = Project::new();
    let bare = project.bare();
    let git = project.faulty(
        "push",
        &format!(
            "other=$(echo other | $GIT --git-dir={0} commit-tree -p main main^{{tree}})\n\
             $GIT --git-dir={0} update-ref refs/heads/main $other",
            bare.display()
        ),
    );
    let outcome = project.release(project.remote().program(git).build());
    assert_snapshot!(outcome.split("\nmain: ").next().unwrap());
    assert_eq!(project.git(&["log", "-1", "--format=%s", "main"]), "other");
}

#[test]
fn a_base_that_moves_while_the_remote_takes_the_push_is_definitely_not_executed() {
    let project = Project::new();
    // A hook may not move a branch, and this one lies about being one.
    let other = project.commit(&project.base, "other");
    git(&project.path("work"), &["push", "--quiet", &project.url(), &format!("{other}:refs/x/y")]);
    project.hook(
        "pre-receive",
        &format!("unset GIT_QUARANTINE_PATH; git update-ref refs/heads/main {other}"),
    );
    let outcome = project.release(project.remote().build());
    assert_snapshot!(without_words(outcome.split("\nmain: ").next().unwrap()));
    assert_eq!(project.tip("main"), other);
}

#[test]
fn somebody_else_who_pushes_the_same_commit_leaves_nothing_to_be_done() {
    let project = Project::new();
    let git = project.faulty("push", "$GIT \"$@\" >/dev/null");
    assert_snapshot!(project.release(project.remote().program(git).build()));
}

#[test]
fn a_protected_branch_is_definitely_not_executed() {
    let mut told = String::new();
    for hook in ["pre-receive", "update"] {
        told += &format!("{hook}\n{}\n", hooked(hook, "echo protected; exit 1"));
    }
    assert_snapshot!(told);
}

#[test]
fn a_remote_that_denies_what_its_configuration_says_is_definitely_not_executed() {
    let project = Project::new();
    let checked_out = allowed(GitRepository::remote(
        format!("file://{}", project.path("work").display()).parse().unwrap(),
        project.path("mirror"),
    ));
    assert_snapshot!(project.release(builder().repository("project", checked_out).build()));
}

#[test]
fn a_remote_that_dies_before_it_moves_the_branch_is_uncertain() {
    assert_snapshot!(without_words(&hooked("pre-receive", "kill -KILL $PPID")));
}

#[test]
fn a_remote_that_dies_after_it_moved_the_branch_is_uncertain() {
    let script = "cat >/dev/null; if [ $1 = committed ]; then kill -KILL $PPID; fi";
    assert_snapshot!(without_words(&hooked("reference-transaction", script)));
}

#[test]
fn a_remote_that_dies_after_its_report_has_moved_the_branch() {
    assert_snapshot!(hooked("post-receive", "kill -KILL $PPID"));
}

#[test]
fn a_hook_that_kills_git_is_uncertain() {
    // It is in the process group of the push here, as it is in no remote that deserves the name.
    assert_snapshot!(without_words(&hooked("pre-receive", "kill -KILL 0")));
}

#[test]
fn a_hook_that_fails_after_the_branch_has_moved_changes_nothing() {
    assert_snapshot!(hooked("post-receive", "exit 1"));
}

#[test]
fn a_remote_that_is_not_there_is_definitely_not_executed() {
    let project = Project::new();
    let url = format!("file://{}", project.path("nothing").display());
    let actuator = builder().repository("project", project.remote_at(&url)).build();
    assert_snapshot!(without_words(&project.release(actuator)));
}

#[test]
fn a_branch_that_is_a_symbolic_ref_moves_no_other() {
    let project = Project::new();
    project.git(&["branch", "protected"]);
    project.git(&["symbolic-ref", "refs/heads/main", "refs/heads/protected"]);
    assert_snapshot!(project.release(project.remote().build()));
}

#[test]
fn a_remote_with_longer_ids_takes_patches_too() {
    let project = Project::with_format("sha256");
    assert_snapshot!(project.release(project.remote().build()));
}

#[test]
fn a_directory_that_holds_something_else_becomes_no_mirror() {
    let project = Project::new();
    fs::create_dir(project.path("mirror")).unwrap();
    fs::write(project.path("mirror/letter"), "dear").unwrap();
    assert_snapshot!(project.release(project.remote().build()));
}

#[test]
fn a_branch_in_the_place_of_one_that_is_gone_is_fetched() {
    let project = Project::new();
    let actuator = project.remote().build();
    let released = |branch: &str| {
        project.git(&["branch", branch, &project.base]);
        let fields = [
            ("branch", branch.into()),
            ("base", project.base.as_str().into()),
            ("patch", PATCH.into()),
            ("message", "Greet".into()),
        ];
        let material = material(GitActuator::PATCH, fields);
        let outcome = release_in("store", &actuator, material);
        project.git(&["branch", "-D", branch]);
        outcome
    };
    assert_snapshot!(format!("{}\n{}", released("agent/a"), released("agent/a/b")));
}
