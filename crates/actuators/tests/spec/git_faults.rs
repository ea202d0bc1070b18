//! Git that dies, hangs or is cut short, at each step that matters.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use insta::assert_snapshot;
use swampbox_actuators::GitRepository;

use crate::fixture::release_in;
use crate::git_fixture::{Project, allowed, builder, git, without_words};

/// What comes of the patch where this happens instead of a command of git.
fn local(command: &str, instead: &str) -> String {
    let project = Project::new();
    let git = project.faulty(command, instead);
    without_words(&project.release(project.local().program(git).build()))
}

fn remote(command: &str, instead: &str) -> String {
    let project = Project::new();
    let git = project.faulty(command, instead);
    without_words(&project.release(project.remote().program(git).build()))
}

#[test]
fn git_killed_before_the_branch_may_move_is_definitely_not_executed() {
    let mut told = String::new();
    for command in [
        "rev-parse",
        "for-each-ref",
        "worktree",
        "cat-file",
        "read-tree",
        "apply",
        "write-tree",
        "diff-tree",
        "commit-tree",
        "update-ref",
    ] {
        told += &format!("{command}\n{}\n", local(command, "kill -KILL $$"));
    }
    assert_snapshot!(told);
}

#[test]
fn git_killed_after_it_has_locked_the_branch_is_uncertain() {
    // Without the last of its commands it gives up what it has prepared.
    assert_snapshot!(local("update-ref", "head -n 4 | $GIT \"$@\"; kill -KILL $$"));
}

#[test]
fn a_move_that_git_does_not_report_is_uncertain() {
    assert_snapshot!(local("update-ref", "$GIT \"$@\" | head -n 2; kill -KILL $$"));
}

#[test]
fn a_git_that_ends_well_without_an_answer_is_believed_only_with_the_branch_at_its_base() {
    let silent = [
        "exit 0",
        "$GIT \"$@\" >/dev/null; exit 0",
        "$GIT \"$@\" | grep prepare; exit 0",
        "sed '/^prepare/,$d' | $GIT \"$@\"; exit 0",
    ];
    let told = silent.map(|instead| format!("{instead}\n{}", local("update-ref", instead)));
    // One that can't be read back, since from then on no branch is listed.
    let project = Project::new();
    let bare = project.bare();
    let head = [bare.join("HEAD"), bare.join("gone")].map(|path| path.display().to_string());
    let instead = format!("$GIT \"$@\" >/dev/null; mv '{}' '{}'; exit 0", head[0], head[1]);
    let program = project.faulty("update-ref", &instead);
    let actuator = project.local().program(program).build();
    let unread = release_in("store", actuator, project.patch());
    let unread = without_words(&project.anonymous(&unread));
    assert_snapshot!(format!("{}\nit can't be read back\n{unread}", told.join("\n")));
}

#[test]
fn a_move_that_git_reports_stands_whatever_becomes_of_git() {
    assert_snapshot!(local("update-ref", "$GIT \"$@\"; kill -KILL $$"));
}

#[test]
fn git_killed_before_it_talks_to_the_remote_is_definitely_not_executed() {
    let mut told = String::new();
    for command in ["ls-remote", "init", "fetch", "commit-tree", "push"] {
        told += &format!("{command}\n{}\n", remote(command, "kill -KILL $$"));
    }
    assert_snapshot!(told);
}

#[test]
fn a_push_that_moves_the_branch_and_says_nothing_is_uncertain() {
    assert_snapshot!(remote("push", "$GIT \"$@\" >/dev/null; kill -KILL $$"));
}

#[test]
fn a_push_that_reports_something_else_is_uncertain() {
    let report = "$GIT \"$@\" | sed 's/^ /+/'; exit 0";
    assert_snapshot!(remote("push", report));
}

#[test]
fn a_push_that_reports_another_commit_is_uncertain() {
    let report = "$GIT \"$@\" | tr 0123456789 1234567890; exit 0";
    assert_snapshot!(remote("push", report));
}

#[test]
fn a_git_that_hangs_before_the_branch_may_move_is_definitely_not_executed() {
    let project = Project::new();
    let hang = Hang::new(&project);
    let git = project.faulty("write-tree", &hang.script());
    let actuator = project.local().program(git).timeout(BRIEFLY).build();
    assert_snapshot!(project.release(actuator));
    hang.assert_over();
}

#[test]
fn what_a_git_that_hangs_has_moved_to_another_session_ends_with_it() {
    let project = Project::new();
    let hang = Hang::new(&project);
    let git = project.faulty("write-tree", &format!("setsid {} & wait", hang.script()));
    let actuator = project.local().program(git).timeout(BRIEFLY).build();
    let told = project.release(actuator);
    assert!(told.contains("DEFINITE_NOT_EXECUTED"), "{told}");
    hang.assert_over();
}

#[test]
fn a_git_that_floods_before_the_branch_may_move_is_definitely_not_executed() {
    let project = Project::new();
    let git = project.faulty("write-tree", "while :; do echo noise >&2; done");
    assert_snapshot!(project.release(project.local().program(git).build()));
}

#[test]
fn a_git_that_hangs_with_the_branch_locked_is_uncertain_and_leaves_no_lock() {
    let project = Project::new();
    let hang = Hang::new(&project);
    // Git gets all but the last of its commands, from somebody who never ends.
    let halfway = project.path("halfway");
    let instead = format!(
        "mkfifo {0}; exec 3<&0; (head -n 4 <&3; {1}) >{0} & exec $GIT \"$@\" <{0}",
        halfway.display(),
        hang.script()
    );
    let git = project.faulty("update-ref", &instead);
    let actuator = project.local().program(git).timeout(BRIEFLY).build();
    assert_snapshot!(project.release(actuator));
    hang.assert_over();
    assert!(!project.bare().join("refs/heads/main.lock").exists());
}

#[test]
fn a_remote_that_hangs_in_a_push_is_uncertain() {
    let project = Project::new();
    let hang = Hang::new(&project);
    // Nor does it end when it is asked to.
    project.hook("pre-receive", &format!("trap '' TERM; {}", hang.script()));
    let actuator = project.remote().timeout(BRIEFLY).build();
    assert_snapshot!(project.release(actuator));
    hang.assert_over();
}

#[test]
fn a_full_disk_is_definitely_not_executed() {
    let project = Project::new();
    let Some(disk) = Disk::mount(&project) else {
        eprintln!("left out: only root may mount a small disk");
        return;
    };
    let small = disk.path.join("project.git");
    let url = project.bare();
    git(
        &disk.path,
        &["clone", "--quiet", "--bare", "--no-local", url.to_str().unwrap(), "project.git"],
    );
    let actuator = || {
        let repository = allowed(GitRepository::local(&small));
        builder().repository("project", repository).build()
    };
    let filling = disk.path.join("filling");
    // It takes all that is left.
    drop(fs::write(&filling, vec![1; 4 << 20]));
    let mut told = without_words(&project.release(actuator()));
    fs::remove_file(filling).unwrap();
    told += &format!("\n\nonce there is room\n{}", project.release(actuator()));
    told += &format!("\nthere: {}", git(&small, &["rev-parse", "main"]));
    assert_snapshot!(told);
}

/// Long enough for all that comes before the hang.
const BRIEFLY: Duration = Duration::from_secs(5);

/// A pipe from which somebody reads in vain.
struct Hang {
    pipe: PathBuf,
}

impl Hang {
    fn new(project: &Project) -> Self {
        let pipe = project.path("pipe");
        assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        Self { pipe }
    }

    fn script(&self) -> String {
        format!("cat {}", self.pipe.display())
    }

    /// Nobody reads any more.
    fn assert_over(&self) {
        const WITHOUT_WAITING: i32 = 0o4000;
        const NO_READER: i32 = 6;
        let opened = OpenOptions::new().write(true).custom_flags(WITHOUT_WAITING).open(&self.pipe);
        assert_eq!(opened.unwrap_err().raw_os_error(), Some(NO_READER));
    }
}

/// A disk of half a mebibyte.
struct Disk {
    path: PathBuf,
}

impl Disk {
    fn mount(project: &Project) -> Option<Self> {
        let path = project.path("disk");
        fs::create_dir(&path).unwrap();
        let mount = ["-t", "tmpfs", "-o", "size=512k", "none"];
        let output = Command::new("mount").args(mount).arg(&path).output();
        output.is_ok_and(|output| output.status.success()).then_some(Self { path })
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let unmounted = Command::new("umount").arg("--lazy").arg(&self.path).status();
        assert!(unmounted.is_ok_and(|status| status.success()));
    }
}
