//! A disk that fails at each step of a write: before it, after it, and with it.

use insta::assert_snapshot;
use rustix::io::Errno;
use swampbox_boundary::Actuator;

use crate::file::{OLD, actuator, new};
use crate::fixture::{leave_out, release_in};
use crate::scripted_disk::{Fault, Files, ScriptedDisk, Step};

/// The steps of a replacement before the rename.
const BEFORE: [Step; 8] = [
    Step::OpenDirectory,
    Step::LookUp,
    Step::OpenPresent,
    Step::ReadPresent,
    Step::Create,
    Step::Write,
    Step::SetMode,
    Step::Sync,
];

/// Replaces `old` by `new`, or writes `new` where nothing stands, with these faults, and tells what came
/// of it, what stands on the disk, and what a look says if the disk is still there.
fn with_faults(expected: Option<&str>, faults: Vec<(Step, Fault)>) -> Option<String> {
    let gone = faults.iter().any(|(_, fault)| matches!(fault, Fault::Gone | Fault::GoneAfter));
    let files: &[_] = if expected.is_some() { &[("file", "old")] } else { &[] };
    let Some(disk) = ScriptedDisk::with(files, faults) else {
        leave_out("nobody may mount a file system of a program's own here");
        return None;
    };
    let actuator = actuator(disk.path());
    let outcome = release_in("store", &actuator, new("file", expected));
    assert!(disk.has_failed(), "a fault did not strike: {outcome}");
    let listed = disk.list();
    let seen = match gone {
        true => String::new(),
        false => format!("\n  {}", actuator.observe(&new("file", expected)).sighting().as_str()),
    };
    Some(format!("{outcome}\n  [{listed}]{seen}\n"))
}

fn with_fault(expected: Option<&str>, step: Step, fault: Fault) -> Option<String> {
    with_faults(expected, vec![(step, fault)])
}

/// A table over the steps at which the fault strikes.
fn table(steps: &[Step], fault: impl Fn() -> Fault) -> Option<String> {
    let mut told = String::new();
    for step in steps {
        told += &format!("{step:?}: {}", with_fault(Some(OLD), *step, fault())?);
    }
    Some(told)
}

#[test]
fn a_step_that_fails_before_the_rename_changes_nothing() {
    let Some(told) = table(&BEFORE, || Fault::Instead(Errno::IO)) else { return };
    assert_snapshot!(told);
}

#[test]
fn a_step_that_is_done_and_says_that_it_failed_changes_nothing_before_the_rename() {
    let Some(told) = table(&BEFORE, || Fault::After(Errno::IO)) else { return };
    assert_snapshot!(told);
}

#[test]
fn a_disk_that_is_gone_before_the_rename_has_not_been_changed() {
    let Some(told) = table(&BEFORE, || Fault::Gone) else { return };
    assert_snapshot!(told);
}

#[test]
fn a_rename_that_is_refused_changes_nothing() {
    let mut told = String::new();
    for (what, error) in [
        ("no permission", Errno::ACCESS),
        ("not permitted", Errno::PERM),
        ("no room", Errno::NOSPC),
        ("no quota", Errno::DQUOT),
        ("read-only", Errno::ROFS),
        ("busy", Errno::BUSY),
        ("across disks", Errno::XDEV),
    ] {
        let Some(outcome) = with_fault(Some(OLD), Step::Rename, Fault::Instead(error)) else {
            return;
        };
        told += &format!("{what}: {outcome}");
    }
    assert_snapshot!(told);
}

#[test]
fn a_rename_that_breaks_off_is_uncertain_whether_it_was_done_or_not() {
    let mut told = String::new();
    for (what, fault) in [
        ("not done", Fault::Instead(Errno::IO)),
        ("done", Fault::After(Errno::IO)),
        ("interrupted and not done", Fault::Instead(Errno::INTR)),
        ("interrupted and done", Fault::After(Errno::INTR)),
        ("timed out", Fault::Instead(Errno::TIMEDOUT)),
        ("the disk is gone before", Fault::Gone),
        ("the disk is gone after", Fault::GoneAfter),
    ] {
        let Some(outcome) = with_fault(Some(OLD), Step::Rename, fault) else { return };
        told += &format!("{what}: {outcome}");
    }
    assert_snapshot!(told);
}

#[test]
fn a_directory_that_can_not_be_synced_is_uncertain() {
    let mut told = String::new();
    for (what, fault) in [
        ("no such thing", Fault::Instead(Errno::INVAL)),
        ("failed", Fault::Instead(Errno::IO)),
        ("no room", Fault::Instead(Errno::NOSPC)),
        ("the disk is gone", Fault::Gone),
    ] {
        let Some(outcome) = with_fault(Some(OLD), Step::SyncDirectory, fault) else { return };
        told += &format!("{what}: {outcome}");
    }
    assert_snapshot!(told);
}

#[test]
fn a_disk_without_a_rename_that_replaces_nothing_takes_no_new_file() {
    let fault = Fault::Instead(Errno::INVAL);
    let Some(told) = with_fault(None, Step::Rename, fault) else { return };
    assert_snapshot!(told);
}

#[test]
fn a_temporary_file_that_can_not_be_removed_is_told() {
    let faults = [Step::Sync, Step::Remove].map(|step| (step, Fault::Instead(Errno::IO)));
    let Some(told) = with_faults(Some(OLD), faults.into()) else { return };
    assert_snapshot!(told);
}

#[test]
fn what_changes_between_the_two_looks_is_not_replaced() {
    let changed: fn(&mut Files) = |files| {
        files.insert("file".into(), b"changed".to_vec());
    };
    let removed: fn(&mut Files) = |files| {
        files.remove("file");
    };
    let mut told = String::new();
    for (what, expected, meanwhile) in [
        ("changed", Some(OLD), changed),
        ("removed", Some(OLD), removed),
        ("appeared", None, changed),
    ] {
        let fault = Fault::Meanwhile(meanwhile);
        let Some(outcome) = with_fault(expected, Step::Sync, fault) else { return };
        told += &format!("{what}: {outcome}");
    }
    assert_snapshot!(told);
}

#[test]
fn what_appears_after_the_last_look_where_nothing_was_expected_is_not_replaced() {
    let appears: fn(&mut Files) = |files| {
        files.insert("file".into(), b"changed".to_vec());
    };
    let Some(told) = with_fault(None, Step::Rename, Fault::Meanwhile(appears)) else { return };
    assert_snapshot!(told);
}
