//! What a file actuator writes, and what it says about it afterwards.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

use insta::assert_snapshot;
use rustix::fs::{FlockOperation, flock};
use swampbox_actuators::FileActuator;
use swampbox_boundary::Actuator;
use swampbox_material::{Map, Material, Value};
use tempfile::TempDir;

use crate::fixture::{material, release_in};

/// The SHA-256 of `old`, as sha256sum says.
pub(crate) const OLD: &str = "cba06b5736faf67e54b07b561eae94395e774c517a7d910a54369e1263ccfbd4";

pub(crate) fn actuator(root: &Path) -> FileActuator {
    FileActuator::builder().root("site", root).unwrap().build()
}

/// Writes `new` to `path` below `root`.
pub(crate) fn write(root: &Path, path: &str, expected: Option<&str>) -> String {
    release_in("store", actuator(root), new(path, expected))
}

/// The material that asks for `new` at `path`.
pub(crate) fn new(path: &str, expected: Option<&str>) -> Material {
    let payload = Map::new([
        ("path", Value::from(path)),
        ("content", Value::from("new")),
        ("expected_sha256", expected.map_or(Value::Null, Value::from)),
    ]);
    Material::new(FileActuator::CONSEQUENCE_TYPE, "site", Value::Map(payload.unwrap()))
}

/// The names in a directory, in order.
pub(crate) fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub(crate) fn mode(file: &Path) -> String {
    format!("{:o}", fs::metadata(file).unwrap().permissions().mode() & 0o7777)
}

#[test]
fn a_new_file_is_written_where_nothing_stands() {
    let root = TempDir::new().unwrap();
    assert_snapshot!(write(root.path(), "file", None));
    assert_eq!(fs::read_to_string(root.path().join("file")).unwrap(), "new");
    assert_eq!(names(root.path()), ["file"]);
}

#[test]
fn a_file_that_is_as_expected_is_replaced() {
    let root = TempDir::new().unwrap();
    fs::create_dir_all(root.path().join("a/b")).unwrap();
    fs::write(root.path().join("a/b/file"), "old").unwrap();
    assert_snapshot!(write(root.path(), "a/b/file", Some(OLD)));
    assert_eq!(fs::read_to_string(root.path().join("a/b/file")).unwrap(), "new");
    assert_eq!(names(&root.path().join("a/b")), ["file"]);
}

#[test]
fn content_is_written_as_it_is() {
    let root = TempDir::new().unwrap();
    for (index, content) in
        ["", "\u{0}", "ü€\r\n\u{feff}", &"0123456789abcdef".repeat(1 << 18)].iter().enumerate()
    {
        let path = format!("file-{index}");
        let payload = Map::new([
            ("path", Value::from(path.as_str())),
            ("content", Value::from(*content)),
            ("expected_sha256", Value::Null),
        ]);
        let material =
            Material::new(FileActuator::CONSEQUENCE_TYPE, "site", Value::Map(payload.unwrap()));
        let outcome = release_in("store", actuator(root.path()), material);
        assert!(outcome.starts_with("SUCCEEDED"), "{outcome}");
        assert_eq!(fs::read_to_string(root.path().join(path)).unwrap(), **content);
    }
}

#[test]
fn a_name_is_taken_as_it_is() {
    let root = TempDir::new().unwrap();
    let longest = "x".repeat(255);
    for name in ["...", "..a", " ", "-rf", "*", "a\nb", "ü\u{301}", "\\", "C:", &longest] {
        let outcome = write(root.path(), name, None);
        assert!(outcome.starts_with("SUCCEEDED"), "{name:?}: {outcome}");
        assert_eq!(fs::read_to_string(root.path().join(name)).unwrap(), "new");
    }
}

#[test]
fn a_file_has_the_mode_of_the_payload_or_of_its_predecessor_or_644() {
    // A umask of 077 has no say. It belongs to the whole process, so the others of this binary must not
    // be disturbed by it: this very test is run again alone.
    const ALONE: &str = "SWAMPBOX_ACTUATORS_ALONE";
    if std::env::var_os(ALONE).is_none() {
        let name = "file::a_file_has_the_mode_of_the_payload_or_of_its_predecessor_or_644";
        let mut shell = Command::new("sh");
        shell.args(["-c", "umask 077; exec \"$@\"", "sh"]).arg(std::env::current_exe().unwrap());
        let ended = shell.args(["--exact", name]).env(ALONE, "1").output().unwrap();
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
        return;
    }
    let root = TempDir::new().unwrap();
    let with_mode = |path: &str, expected: &str, mode: u32| {
        let payload = format!(
            r#"{{"path": "{path}", "content": "new", "expected_sha256": {expected}, "mode": {mode}}}"#
        );
        let material = material(FileActuator::CONSEQUENCE_TYPE, "site", &payload);
        release_in("store", actuator(root.path()), material)
    };
    let old = |name: &str, bits: u32| {
        let path = root.path().join(name);
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
    };
    write(root.path(), "new", None);
    with_mode("new-with-mode", "null", 0o666);
    with_mode("new-without-any", "null", 0);
    old("passed-on", 0o751);
    write(root.path(), "passed-on", Some(OLD));
    old("changed", 0o751);
    with_mode("changed", &format!("\"{OLD}\""), 0o600);
    old("without-setuid", 0o4755);
    write(root.path(), "without-setuid", Some(OLD));
    let modes: Vec<String> = names(root.path())
        .iter()
        .map(|name| format!("{name}: {}", mode(&root.path().join(name))))
        .collect();
    assert_eq!(
        modes,
        [
            "changed: 600",
            "new: 644",
            "new-with-mode: 666",
            "new-without-any: 0",
            "passed-on: 751",
            "without-setuid: 755",
        ]
    );
}

#[test]
fn another_name_of_the_old_file_keeps_the_old_content() {
    let root = TempDir::new().unwrap();
    fs::write(root.path().join("file"), "old").unwrap();
    fs::hard_link(root.path().join("file"), root.path().join("other")).unwrap();
    let outcome = write(root.path(), "file", Some(OLD));
    assert!(outcome.starts_with("SUCCEEDED"), "{outcome}");
    assert_eq!(fs::read_to_string(root.path().join("other")).unwrap(), "old");
}

#[test]
fn of_two_that_expect_the_same_file_one_replaces_it() {
    for round in 0..20 {
        let root = TempDir::new().unwrap();
        fs::write(root.path().join("file"), "old").unwrap();
        let together = Barrier::new(2);
        let mut outcomes: Vec<String> = thread::scope(|scope| {
            let both = ["one", "two"].map(|store| {
                scope.spawn({
                    let (actuator, together) = (actuator(root.path()), &together);
                    move || {
                        together.wait();
                        release_in(store, actuator, new("file", Some(OLD)))
                    }
                })
            });
            both.map(|one| one.join().unwrap()).into()
        });
        outcomes.sort();
        let [refused, done] = &outcomes[..] else { panic!("there were two") };
        assert!(done.starts_with("SUCCEEDED"), "round {round}: {outcomes:?}");
        assert!(refused.contains("another digest than expected"), "round {round}: {outcomes:?}");
        assert_eq!(names(root.path()), ["file"]);
    }
}

#[test]
fn a_directory_that_another_process_has_locked_for_too_long_is_left_alone() {
    let root = TempDir::new().unwrap();
    let directory = fs::File::open(root.path()).unwrap();
    flock(&directory, FlockOperation::LockExclusive).unwrap();
    let patience = Duration::from_millis(50);
    let actuator = FileActuator::builder().root("site", root.path()).unwrap();
    let outcome = release_in("store", actuator.patience(patience).build(), new("file", None));
    assert_snapshot!(outcome);
    assert!(names(root.path()).is_empty());
}

#[test]
fn a_lock_is_waited_for() {
    let root = TempDir::new().unwrap();
    // It ends, and lets go, when its input does.
    let mut holder = Command::new("flock")
        .arg(root.path())
        .args(["sh", "-c", "echo locked; cat"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = std::io::BufReader::new(holder.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut said, &mut String::new()).unwrap();
    let outcome = thread::scope(|scope| {
        let waiting = scope.spawn(|| write(root.path(), "file", None));
        drop(holder.stdin.take());
        waiting.join().unwrap()
    });
    holder.wait().unwrap();
    assert!(outcome.starts_with("SUCCEEDED"), "{outcome}");
}

#[test]
fn a_look_tells_whether_the_content_stands_there() {
    let root = TempDir::new().unwrap();
    for (name, content) in [("same", "new"), ("other", "old"), ("empty", "")] {
        let path = root.path().join(name);
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    }
    fs::create_dir(root.path().join("directory")).unwrap();
    std::os::unix::fs::symlink("same", root.path().join("link")).unwrap();
    std::os::unix::fs::symlink("directory", root.path().join("way")).unwrap();
    let mut told = String::new();
    for path in [
        "same",
        "other",
        "empty",
        "missing",
        "missing/file",
        "directory",
        "link",
        "way/file",
        "same/file",
        "../same",
    ] {
        let observation = actuator(root.path()).observe(&new(path, None));
        let (sighting, evidence) = (observation.sighting().as_str(), observation.evidence());
        told += &format!("{path}: {sighting}: {evidence}\n");
    }
    assert_snapshot!(told);
}

#[test]
fn a_look_sees_what_was_written() {
    let root = TempDir::new().unwrap();
    let seen = || actuator(root.path()).observe(&new("file", None)).sighting().as_str();
    let before = seen();
    write(root.path(), "file", None);
    assert_eq!([before, seen()], ["absent", "present"]);
}
