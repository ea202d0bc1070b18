//! Commits that are there already, pushed to a remote.

use std::fs;

use insta::assert_snapshot;
use swampbox_actuators::GitRepository;

use crate::fixture::release_in;
use crate::git_fixture::{Project, allowed, builder, git, push, without_words, write_program};

fn pushed(project: &Project, branch: &str, base: Option<&str>, commit: &str) -> String {
    let outcome = release_in("store", project.remote().build(), push(branch, base, commit));
    let tip = project.tip(branch);
    project.anonymous(&format!("{outcome}\n{branch}: {tip}"))
}

#[test]
fn a_branch_is_moved_forward() {
    let project = Project::new();
    let middle = project.commit(&project.base, "Middle");
    let next = project.commit(&middle, "Next");
    assert_snapshot!(pushed(&project, "main", Some(&project.base), &next));
}

#[test]
fn a_branch_that_is_not_there_is_made() {
    let project = Project::new();
    let next = project.commit(&project.base, "Next");
    assert_snapshot!(pushed(&project, "agent/new", None, &next));
}

#[test]
fn a_branch_that_is_there_is_not_made_again() {
    let project = Project::new();
    let next = project.commit(&project.base, "Next");
    assert_snapshot!(pushed(&project, "main", None, &next));
}

#[test]
fn a_branch_that_is_made_by_somebody_else_meanwhile_is_left_alone() {
    let project = Project::new();
    let next = project.commit(&project.base, "Next");
    let bare = project.bare();
    let make = format!("$GIT --git-dir={} branch agent/new main", bare.display());
    let actuator = project.remote().program(project.faulty("push", &make)).build();
    let outcome = release_in("store", actuator, push("agent/new", None, &next));
    assert_snapshot!(format!("{outcome}\nagent/new: {}", project.tip("agent/new")));
}

#[test]
fn a_branch_is_moved_from_no_other_base() {
    let project = Project::new();
    let first = project.commit(&project.base, "First");
    let second = project.commit(&first, "Second");
    assert_snapshot!(pushed(&project, "main", Some(&first), &second));
}

#[test]
fn a_branch_is_moved_to_no_commit_that_leaves_the_base_behind() {
    let project = Project::new();
    let tree = git(&project.path("work"), &["rev-parse", "main^{tree}"]);
    let unrelated = git(&project.path("work"), &["commit-tree", "-m", "Unrelated", &tree]);
    assert_snapshot!(pushed(&project, "main", Some(&project.base), &unrelated));
}

#[test]
fn a_commit_that_is_nowhere_is_not_pushed() {
    let project = Project::new();
    assert_snapshot!(pushed(&project, "main", Some(&project.base), &"2".repeat(40)));
}

#[test]
fn an_object_that_is_no_commit_is_not_pushed() {
    let project = Project::new();
    let tree = git(&project.path("work"), &["rev-parse", "main^{tree}"]);
    assert_snapshot!(pushed(&project, "agent/new", None, &tree));
}

#[test]
fn a_commit_of_which_a_part_is_missing_is_not_pushed() {
    let project = Project::new();
    let work = project.path("work");
    fs::write(work.join("part"), "part").unwrap();
    git(&work, &["add", "part"]);
    git(&work, &["commit", "--quiet", "--message=Part"]);
    let blob = git(&work, &["rev-parse", "HEAD:part"]);
    let commit = git(&work, &["rev-parse", "HEAD"]);
    let (directory, file) = blob.split_at(2);
    fs::remove_file(work.join(".git/objects").join(directory).join(file)).unwrap();
    assert_snapshot!(without_words(&pushed(&project, "main", Some(&project.base), &commit)));
}

#[test]
fn without_a_source_the_commits_are_those_of_the_mirror() {
    let project = Project::new();
    let next = project.commit(&project.base, "Next");
    let remote = GitRepository::remote(project.url().parse().unwrap(), project.path("mirror"));
    let actuator = builder().repository("project", allowed(remote)).build();
    let material = || push("main", Some(&project.base), &next);
    let before = project.release_of(&actuator, material());
    let mirror = project.path("mirror");
    git(
        &project.path("work"),
        &["push", "--quiet", mirror.to_str().unwrap(), &format!("{next}:refs/heads/in")],
    );
    let after = project.release_of(&actuator, material());
    assert_snapshot!(format!("{before}\n\n{after}"));
}

#[test]
fn the_same_push_a_second_time_is_definitely_not_executed() {
    let project = Project::new();
    let next = project.commit(&project.base, "Next");
    pushed(&project, "main", Some(&project.base), &next);
    assert_snapshot!(pushed(&project, "main", Some(&project.base), &next));
}

#[test]
fn a_local_repository_has_nothing_to_push_to() {
    let project = Project::new();
    let next = project.commit(&project.base, "Next");
    let material = push("main", Some(&project.base), &next);
    assert_snapshot!(project.release_of(project.local().build(), material));
}

#[test]
fn a_source_configures_nothing_and_runs_nothing() {
    let project = Project::new();
    let next = project.commit(&project.base, "Next");
    let elsewhere = project.path("elsewhere.git");
    let instead = format!("url.{}.insteadOf", elsewhere.display());
    git(&project.path("work"), &["config", &instead, &project.url()]);
    let trace = project.path("trace");
    for hook in ["work/.git/hooks/pre-push", "mirror/hooks/pre-push"] {
        let hook = project.path(hook);
        fs::create_dir_all(hook.parent().unwrap()).unwrap();
        write_program(&hook, &format!("touch {}\n", trace.display()));
    }
    git(&project.path(""), &["init", "--quiet", "--bare", "mirror"]);
    let outcome = pushed(&project, "main", Some(&project.base), &next);
    assert!(outcome.starts_with("SUCCEEDED"), "{outcome}");
    assert!(!trace.exists());
}
