//! What an independent look finds.

use insta::assert_snapshot;
use swampbox_actuators::{GitActuator, GitRepository};
use swampbox_boundary::Actuator;
use swampbox_material::Material;

use crate::git_fixture::{PATCH, Project, allowed, builder, git, push, without_words};

fn look(actuator: &GitActuator, material: &Material) -> String {
    let seen = actuator.observe(material);
    format!("{}: {}\n", seen.sighting().as_str(), seen.evidence())
}

/// Before the release, after it, with a commit on top, and after all was taken back.
fn story(project: &Project, actuator: &GitActuator, material: &Material) -> String {
    let mut told = look(actuator, material);
    let outcome = project.release_of(actuator, material.clone());
    assert!(outcome.starts_with("SUCCEEDED"), "{outcome}");
    told += &look(actuator, material);
    let tree = project.git(&["rev-parse", "main^{tree}"]);
    let next = project.git(&["commit-tree", "-p", "main", "-m", "Next", &tree]);
    project.git(&["update-ref", "refs/heads/main", &next]);
    told += &look(actuator, material);
    project.git(&["update-ref", "refs/heads/main", &project.base]);
    told += &look(actuator, material);
    project.git(&["update-ref", "-d", "refs/heads/main"]);
    told + &look(actuator, material)
}

#[test]
fn a_patch_is_found_in_the_history_of_its_branch() {
    let project = Project::new();
    assert_snapshot!(story(&project, &project.local().build(), &project.patch()));
}

#[test]
fn a_patch_is_found_in_the_history_of_a_remote_branch() {
    let project = Project::new();
    assert_snapshot!(story(&project, &project.remote().build(), &project.patch()));
}

#[test]
fn a_push_is_found_in_the_history_of_a_remote_branch() {
    let project = Project::new();
    let commit = project.commit(&project.base, "Pushed");
    let material = push("main", Some(&project.base), &commit);
    assert_snapshot!(story(&project, &project.remote().build(), &material));
}

#[test]
fn a_push_that_nobody_reported_is_found() {
    let project = Project::new();
    let script = "cat >/dev/null; if [ $1 = committed ]; then kill -KILL $PPID; fi";
    project.hook("reference-transaction", script);
    let outcome = project.release(project.remote().build());
    assert!(outcome.starts_with("UNCERTAIN"), "{outcome}");
    assert_snapshot!(look(&project.remote().build(), &project.patch()));
}

#[test]
fn the_same_files_in_another_commit_are_not_it() {
    let project = Project::new();
    project.release(project.local().build());
    let material = Material::new(
        GitActuator::PATCH,
        "project",
        swampbox_material::Value::from_json(
            project.patch().payload().to_json().replace("Greet them", "Greet all").as_bytes(),
        )
        .unwrap(),
    );
    assert_snapshot!(look(&project.local().build(), &material));
}

#[test]
fn a_remote_that_shows_nothing_at_all_leaves_it_unknown() {
    let project = Project::new();
    git(&project.path(""), &["init", "--quiet", "--bare", "empty.git"]);
    let url = format!("file://{}", project.path("empty.git").display());
    let actuator = builder().repository("project", project.remote_at(&url)).build();
    assert_snapshot!(look(&actuator, &project.patch()));
}

#[test]
fn a_look_writes_nothing_into_the_repository() {
    let project = Project::new();
    let count = || project.git(&["count-objects", "-v"]);
    let before = count();
    look(&project.local().build(), &project.patch());
    assert_eq!(count(), before);
}

#[test]
fn what_can_not_be_read_is_unknown() {
    let project = Project::new();
    let nothing = allowed(GitRepository::local(project.path("nothing")));
    let nowhere = format!("file://{}", project.path("nothing").display());
    let told = [
        look(&builder().build(), &project.patch()),
        look(&builder().repository("project", nothing).build(), &project.patch()),
        look(
            &builder().repository("project", project.remote_at(&nowhere)).build(),
            &project.patch(),
        ),
        look(&project.local().build(), &project.patch_of(&PATCH.replace("world", "word"))),
        look(&project.local().build(), &project.patch_of("no patch")),
    ];
    assert_snapshot!(without_words(&told.concat()));
}

#[test]
fn a_history_that_is_cut_off_leaves_it_unknown() {
    let project = Project::new();
    project.release(project.local().build());
    let tree = project.git(&["rev-parse", "main^{tree}"]);
    let next = project.git(&["commit-tree", "-p", "main", "-m", "Next", &tree]);
    project.git(&["update-ref", "refs/heads/main", &next]);
    let url = project.url();
    git(
        &project.path(""),
        &["clone", "--quiet", "--bare", "--branch=main", "--depth=1", &url, "shallow.git"],
    );
    // The base is there, and the way to it is not.
    let shallow = project.path("shallow.git");
    git(&shallow, &["fetch", "--quiet", "--depth=1", &url, &project.base]);
    let repository = allowed(GitRepository::local(shallow));
    let actuator = builder().repository("project", repository).build();
    assert_snapshot!(look(&actuator, &project.patch()));
}
