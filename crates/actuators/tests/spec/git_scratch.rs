//! What a process that was killed has left behind.

use std::fs::{self, File};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use crate::git_fixture::Project;

/// A directory as one attempt has it, made so many minutes ago.
fn directory(minutes: u64) -> (TempDir, File) {
    let directory = tempfile::Builder::new().prefix("swampbox-git-").tempdir().unwrap();
    fs::create_dir(directory.path().join("objects")).unwrap();
    fs::write(directory.path().join("objects/x"), "x").unwrap();
    let lock = File::create_new(directory.path().join("lock")).unwrap();
    lock.set_modified(SystemTime::now() - Duration::from_secs(60 * minutes)).unwrap();
    (directory, lock)
}

#[test]
fn what_a_dead_process_left_is_removed_and_what_may_have_an_owner_is_not() {
    let home = TempDir::new().unwrap();
    let (left, _) = directory(180);
    let (owned, lock) = directory(180);
    lock.lock().unwrap();
    let (young, _) = directory(60);
    let (strange, _) = directory(180);
    fs::remove_file(strange.path().join("lock")).unwrap();
    let (target, _) = directory(180);
    fs::rename(target.path(), home.path().join("target")).unwrap();
    std::os::unix::fs::symlink(home.path().join("target"), target.path()).unwrap();

    let project = Project::new();
    let told = project.release(project.local().build());

    assert!(told.starts_with("SUCCEEDED"), "{told}");
    let stands = [&left, &owned, &young, &strange, &target].map(|one| one.path().exists());
    assert_eq!(stands, [false, true, true, true, true]);
    assert!(home.path().join("target/objects/x").exists());
    fs::remove_file(target.path()).unwrap();
}

#[test]
fn nothing_is_left_of_an_attempt_that_ends() {
    let project = Project::new();
    let seen = project.path("seen");
    let program = project.faulty("write-tree", &format!("echo $HOME > '{}'", seen.display()));
    project.release(project.local().program(program).build());
    let home = fs::read_to_string(seen).unwrap();
    assert!(home.contains("/swampbox-git-"), "{home}");
    assert!(!fs::exists(home.trim()).unwrap());
}
