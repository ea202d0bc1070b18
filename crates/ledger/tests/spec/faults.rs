//! What goes wrong around a ledger: an error with a code, no loss, no hang, and all is well when
//! the cause is gone.

use std::fs::{self, OpenOptions, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use insta::assert_snapshot;
use swampbox_authority::{Clock, ClockError, Timestamp};
use swampbox_custody::{
    Custody, CustodyError, RefusedRelease, ReleaseState, Settlement, Submission,
};
use swampbox_ledger::{Expectations, LedgerCustody, SecretKey, verify};
use swampbox_material::{Code, List, Material, Value};

use crate::child::{Child, listen, say};
use crate::ledgers::{Home, NOW, Stopped, attempt, code, id, mark, names, note, record, settle};

#[test]
fn while_another_process_holds_the_lock_nothing_is_written_and_then_it_is() {
    let home = Home::inhabited();
    let ledger = home.open_impatient();
    let lock = home.sql();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = ledger.submit(note("A", "Y")).unwrap_err();
    assert_snapshot!(said(&home, &error));
    lock.execute_batch("COMMIT").unwrap();
    assert_eq!(code(ledger.submit(note("A", "Y"))), "ok");
}

#[test]
fn a_ledger_with_something_to_recover_does_not_open_while_another_process_holds_the_lock() {
    let home = Home::inhabited();
    drop(mark(&home.open(), "A", "X"));
    let lock = home.sql();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let patience = std::time::Duration::from_millis(100);
    let error = LedgerCustody::open_within(home.path(), Box::new(Stopped), patience).unwrap_err();
    let message = error.to_string().replace(&home.path().display().to_string(), "[ledger]");
    assert_snapshot!(format!("{}: {message}", error.code()));
    lock.execute_batch("COMMIT").unwrap();
    assert_eq!(home.open().state(&id("X")).unwrap(), ReleaseState::Uncertain);
}

#[test]
fn many_threads_that_wait_for_the_lock_are_all_answered_and_nothing_is_lost() {
    let home = Home::inhabited();
    let ledger = home.open_impatient();
    let submitted = Mutex::new(Vec::new());
    let lock = home.sql();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    thread::scope(|scope| {
        for number in 0..200 {
            let (ledger, submitted) = (&ledger, &submitted);
            scope.spawn(move || {
                let consequence = format!("{number}");
                // Again and again, as one who can't do without it.
                while let Err(error) = ledger.submit(note("A", &consequence)) {
                    assert_eq!(error.code().as_str(), "store_unavailable");
                }
                submitted.lock().unwrap().push(consequence);
            });
        }
        // Everybody has been refused once when this one has.
        ledger.submit(note("A", "last")).unwrap_err();
        lock.execute_batch("COMMIT").unwrap();
    });
    assert_eq!(submitted.into_inner().unwrap().len(), 200);
    assert_eq!(home.count("consequences"), 201);
    home.verify();
}

#[test]
fn a_ledger_whose_file_was_replaced_answers_nothing_from_either_until_it_is_put_back() {
    let home = Home::inhabited();
    let ledger = home.open();
    let (aside, other) = (home.directory().join("aside"), Home::inhabited());
    fs::rename(home.path(), &aside).unwrap();
    fs::copy(other.path(), home.path()).unwrap();
    let error = ledger.submit(note("A", "Y")).unwrap_err();
    assert_eq!(code(ledger.read(&id("A"), &id("X"))), "store_unavailable");
    assert_snapshot!(said(&home, &error));
    fs::rename(&aside, home.path()).unwrap();
    assert_eq!(code(ledger.submit(note("A", "Y"))), "ok");
    drop(ledger);
    assert_eq!(code(home.open().read(&id("A"), &id("Y"))), "ok");
}

#[test]
fn a_ledger_whose_log_was_removed_keeps_what_it_answered_and_answers_no_more() {
    let home = Home::inhabited();
    let ledger = home.open();
    ledger.submit(note("A", "Y")).unwrap();
    fs::remove_file(home.directory().join("ledger-wal")).unwrap();
    let error = ledger.submit(note("A", "Z")).unwrap_err();
    assert_snapshot!(said(&home, &error));
    // As if the process were killed now: what it has in memory is gone.
    let copy = Home::new();
    fs::copy(home.path(), copy.path()).unwrap();
    assert_eq!(code(copy.open().read(&id("A"), &id("Y"))), "ok");
    drop(ledger);
    let ledger = home.open();
    assert_eq!(code(ledger.read(&id("A"), &id("Y"))), "ok");
    assert_eq!(code(ledger.state(&id("Z"))), "consequence_not_found");
    assert_eq!(code(ledger.submit(note("A", "Z"))), "ok");
    home.verify();
}

#[test]
fn a_ledger_whose_index_was_removed_answers_no_more_and_opens_again_whole() {
    let home = Home::inhabited();
    let ledger = home.open();
    ledger.submit(note("A", "Y")).unwrap();
    fs::remove_file(home.directory().join("ledger-shm")).unwrap();
    let error = ledger.submit(note("A", "Z")).unwrap_err();
    assert_snapshot!(said(&home, &error));
    assert_eq!(code(ledger.mark(&id("A"), &id("X"), &record())), "store_unavailable");
    drop(ledger);
    let ledger = home.open();
    assert_eq!(code(ledger.read(&id("A"), &id("Y"))), "ok");
    assert_eq!(code(ledger.state(&id("Z"))), "consequence_not_found");
    home.verify();
}

#[test]
fn a_ledger_whose_files_were_moved_into_another_directory_of_its_name_still_misses_its_log() {
    let home = Home::new();
    let [directory, aside] = ["here", "aside"].map(|name| home.directory().join(name));
    fs::create_dir(&directory).unwrap();
    let ledger = LedgerCustody::create(directory.join("ledger"), Box::new(Stopped)).unwrap();
    ledger.register(&id("A")).unwrap();
    fs::rename(&directory, &aside).unwrap();
    fs::create_dir(&directory).unwrap();
    for name in names(&aside) {
        fs::rename(aside.join(&name), directory.join(&name)).unwrap();
    }
    settle(&directory);
    assert_eq!(code(ledger.register(&id("B"))), "ok");
    fs::remove_file(directory.join("ledger-wal")).unwrap();
    assert_eq!(code(ledger.register(&id("C"))), "store_unavailable");
}

#[test]
fn a_ledger_with_two_names_is_used_under_neither() {
    let home = Home::inhabited();
    let ledger = home.open();
    fs::hard_link(home.path(), home.directory().join("other")).unwrap();
    let error = ledger.submit(note("A", "Y")).unwrap_err();
    let opened = LedgerCustody::open(home.directory().join("other"), Box::new(Stopped));
    let opened = opened.unwrap_err();
    let place = home.directory().display().to_string();
    assert_snapshot!(format!("{error}\n{opened}").replace(&place, "[directory]"));
    fs::remove_file(home.directory().join("other")).unwrap();
    assert_eq!(code(ledger.submit(note("A", "Y"))), "ok");
}

#[test]
fn no_ledger_is_made_where_an_earlier_one_left_something() {
    let home = Home::new();
    fs::write(home.directory().join("ledger-wal"), "left").unwrap();
    let error = LedgerCustody::create(home.path(), Box::new(Stopped)).unwrap_err();
    let place = home.directory().display().to_string();
    assert_snapshot!(format!("{}: {error}", error.code()).replace(&place, "[directory]"));
    let left: Vec<_> = fs::read_dir(home.directory()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing else is left behind");
}

#[test]
fn a_ledger_is_made_as_one_file() {
    let home = Home::inhabited();
    let copy = home.directory().join("copy");
    swampbox_ledger::backup(home.path(), &copy).unwrap();
    let names = fs::read_dir(home.directory()).unwrap().map(|entry| entry.unwrap().file_name());
    let mut names: Vec<_> = names.map(|name| name.into_string().unwrap()).collect();
    names.sort();
    assert_eq!(names, ["copy", "ledger"]);
}

#[test]
fn a_ledger_that_was_cut_off_says_so_open_or_not() {
    let home = Home::inhabited();
    let ledger = home.open();
    let whole = fs::read(home.path()).unwrap();
    assert_eq!(code(ledger.submit(note("A", "Y"))), "ok");
    let half = u64::try_from(whole.len()).unwrap() / 2;
    OpenOptions::new().write(true).open(home.path()).unwrap().set_len(half).unwrap();
    let error = ledger.submit(note("A", "Z")).unwrap_err();
    assert_eq!(code(ledger.read(&id("A"), &id("X"))), "store_unavailable");
    drop(ledger);
    let cut = Home::new();
    fs::write(cut.path(), &whole[..whole.len() / 2]).unwrap();
    let opened = LedgerCustody::open(cut.path(), Box::new(Stopped)).unwrap_err();
    let opened = opened.to_string().replace(&cut.path().display().to_string(), "[ledger]");
    assert_snapshot!(format!("{}\n{opened}", said(&home, &error)));
}

#[test]
fn one_flipped_bit_is_found_or_changes_nothing_and_nobody_panics_over_it() {
    let home = Home::inhabited();
    let ledger = home.open();
    for number in 0..20 {
        let consequence = number.to_string();
        ledger.submit(note("A", &consequence)).unwrap();
        attempt(&ledger, "A", &consequence, Settlement::Released).unwrap();
    }
    drop(ledger);
    let (whole, everything) = (fs::read(home.path()).unwrap(), home.everything());
    let (mut found, mut harmless) = (0, 0);
    for number in 0..FLIPS {
        let flipped = Home::new();
        let mut bytes = whole.clone();
        // Spread over the file, and over the bits of a byte.
        let place = number * (whole.len() - 1) / (FLIPS - 1);
        bytes[place] ^= 1 << (number % 8);
        fs::write(flipped.path(), bytes).unwrap();
        match verify(flipped.path(), &Expectations::default()) {
            Ok(_) => {
                harmless += 1;
                assert_eq!(flipped.everything(), everything, "byte {place}");
            }
            Err(error) => {
                found += 1;
                let codes = ["ledger_tampered", "ledger_invalid", "ledger_newer"];
                assert!(codes.contains(&error.code().as_str()), "byte {place}: {error}");
            }
        }
        use_whatever_it_is(&flipped);
    }
    assert!(found > 20 && harmless > 20, "{found} found, {harmless} harmless");
}

const FLIPS: usize = 200;

/// Opens, reads and writes. Errors are well and good.
fn use_whatever_it_is(home: &Home) {
    let opened = LedgerCustody::open(home.path(), Box::new(Stopped));
    let Ok(ledger) = opened else { return };
    for consequence in ["X", "7"] {
        drop(ledger.read(&id("A"), &id(consequence)));
        drop(ledger.submit(note("A", consequence)));
    }
    drop(ledger.submit(note("A", "Y")));
    drop(attempt(&ledger, "A", "X", Settlement::Released));
}

#[test]
fn a_directory_that_can_not_be_written_to_is_said_and_opens_once_it_can() {
    if !permissions_bind() {
        return leave_out("this is root, and setpriv is not installed");
    }
    let home = Home::inhabited();
    let mode = |mode| fs::set_permissions(home.directory(), Permissions::from_mode(mode)).unwrap();
    mode(0o500);
    let mut child = Child::start_in(WITHOUT_PRIVILEGES, "open", &home.path());
    let refused = child.hear();
    mode(0o700);
    let mut child = Child::start_in(WITHOUT_PRIVILEGES, "open", &home.path());
    assert_snapshot!(format!("{refused}\n{}", child.hear()), @"
    store_unavailable: the ledger `[ledger]` can't be used: attempt to write a readonly database
    ok
    ");
}

#[test]
fn a_file_that_can_not_be_written_to_is_said_and_opens_once_it_can() {
    if !permissions_bind() {
        return leave_out("this is root, and setpriv is not installed");
    }
    let home = Home::inhabited();
    let mode = |mode| fs::set_permissions(home.path(), Permissions::from_mode(mode)).unwrap();
    let mut said = Vec::new();
    for permitted in [0o000, 0o400, 0o600] {
        mode(permitted);
        let mut child = Child::start_in(WITHOUT_PRIVILEGES, "open", &home.path());
        said.push(format!("{permitted:o}: {}", child.hear()));
    }
    assert_snapshot!(said.join("\n"), @"
    0: store_unavailable: the ledger `[ledger]` can't be used: unable to open database file: [ledger]; is the disk full, or is a file beside the ledger removed or not to be written?
    400: store_unavailable: the ledger `[ledger]` can't be used: permission denied
    600: ok
    ");
}

#[test]
fn a_file_that_may_not_grow_any_more_loses_nothing_that_was_answered() {
    let home = Home::inhabited();
    // In blocks of 512 bytes. What a write beyond it raises is ignored, so that it fails instead.
    let limited = "trap '' XFSZ; ulimit -f 600; exec \"$@\"";
    let mut child = Child::start_in(limited, "fill", &home.path());
    let (answered, failure) = (child.hear(), child.hear());
    child.kill();
    let ledger = home.open();
    assert_eq!(home.count("consequences WHERE id LIKE 'filler-%'").to_string(), answered);
    assert_ne!(answered, "0");
    assert_eq!(code(ledger.submit(note("A", "Y"))), "ok");
    home.verify();
    assert_snapshot!(failure);
}

#[test]
fn a_full_disk_loses_nothing_that_was_answered_and_once_there_is_room_all_is_well() {
    let home = Home::new();
    let disk =
        "mount -t tmpfs -o size=1m none \"$(dirname \"$SWAMPBOX_LEDGER_PATH\")\"; exec \"$@\"";
    // A namespace of mounts of its own, as root or as who plays root: the disk ends with the child.
    let alone = ["--mount", "--map-root-user --mount"]
        .into_iter()
        .find(|how| works(&format!("unshare {how} mount -t tmpfs none /mnt")));
    let Some(alone) = alone else {
        return leave_out("nobody may mount a small disk here, or unshare is not installed");
    };
    let script = format!("exec unshare {alone} sh -ec '{disk}' sh \"$@\"");
    let mut child = Child::start_in(&script, "fill and free", &home.path());
    assert_snapshot!([child.hear(), child.hear(), child.hear()].join("\n"), @"
    store_unavailable: the custody store failed: database or disk is full
    store_unavailable
    UNCERTAIN
    ");
}

#[test]
fn a_clock_that_fails_or_jumps_back_changes_only_what_is_said_about_the_time() {
    let home = Home::inhabited();
    let moments = ["2030-01-01T00:00:00Z", "", "1999-12-31T23:59:59Z"];
    let clock = Jumping(Mutex::new(moments.to_vec()));
    let ledger = LedgerCustody::open(home.path(), Box::new(clock)).unwrap();
    for consequence in ["1", "2", "3"] {
        assert_eq!(code(ledger.submit(note("A", consequence))), "ok");
    }
    assert_snapshot!(home.rows("SELECT sequence, at FROM events ORDER BY sequence"));
}

/// Runs the rest without the privilege to pass over permissions, if root should have it.
const WITHOUT_PRIVILEGES: &str = r#"
    if [ "$(id -u)" = 0 ]; then
        exec setpriv --bounding-set=-dac_override,-dac_read_search "$@"
    fi
    exec "$@""#;

/// Whether a process can be had here that permissions bind.
fn permissions_bind() -> bool {
    works("[ \"$(id -u)\" != 0 ] || setpriv --version")
}

/// Says what a machine does not allow to be tested; where everything has to be, that is a failure.
fn leave_out(why: &str) {
    assert_ne!(std::env::var("SWAMPBOX_CI_REQUIRE_ALL").as_deref(), Ok("1"), "{why}");
    println!("left out: {why}");
}

fn works(command: &str) -> bool {
    Command::new("sh").args(["-c", command]).output().unwrap().status.success()
}

/// The code and the message, without what differs from run to run.
fn said(home: &Home, error: &CustodyError) -> String {
    let directory = fs::canonicalize(home.directory()).unwrap();
    let message = error.to_string().replace(&directory.display().to_string(), "");
    format!("{}: {message}", error.code())
}

/// A note that takes some pages.
fn filler(number: u32) -> Submission {
    let mut filler = note("A", &format!("filler-{number}"));
    filler.material = Material::new("note", "inbox", Value::from("so much ".repeat(1_000)));
    filler
}

/// Submits until it fails, and gives how often it did not, and how it failed.
fn fill(ledger: &LedgerCustody, first: u32) -> (u32, CustodyError) {
    for number in first.. {
        if let Err(error) = ledger.submit(filler(number)) {
            return (number - first, error);
        }
    }
    unreachable!()
}

/// The role of a process that may not write much.
pub(crate) fn submit_until_it_fails(path: &Path) {
    let ledger = LedgerCustody::open(path, Box::new(Stopped)).unwrap();
    let (answered, error) = fill(&ledger, 0);
    say(answered);
    say(format!("{}: {error}", error.code()));
    listen();
}

/// The role of a process on a small disk of its own.
pub(crate) fn fill_the_disk_and_free_it(path: &Path) {
    let ballast = path.with_file_name("ballast");
    fs::write(&ballast, vec![0; 300_000]).unwrap();
    let ledger = LedgerCustody::create(path, Box::new(Stopped)).unwrap();
    ledger.register(&id("A")).unwrap();
    ledger.submit(note("A", "X")).unwrap();
    let mark = mark(&ledger, "A", "X");
    let (answered, error) = fill(&ledger, 0);
    say(format!("{}: {error}", error.code()));
    let mut rest = 0;
    while ledger.submit(note("A", &format!("rest-{rest}"))).is_ok() {
        rest += 1;
    }
    // Down to less than a settlement takes, with what takes the fewest pages.
    let refusal = RefusedRelease {
        execution: id("A"),
        consequence: id("X"),
        reason: Code::AuthorityNotAllowed,
        decision: None,
        basis: None,
    };
    while ledger.note_refusal(&refusal).is_ok() {}
    say(code(ledger.settle(mark, Settlement::Released, "it happened")));
    fs::remove_file(ballast).unwrap();
    assert_eq!(ledger.recover().unwrap(), 1);
    let (more, _) = fill(&ledger, answered);
    drop(ledger);
    let kept = LedgerCustody::open(path, Box::new(Stopped)).unwrap();
    assert!(answered > 0 && more > 0);
    for number in 0..answered + more {
        assert_eq!(
            kept.read(&id("A"), &id(&format!("filler-{number}"))).unwrap().material,
            filler(number).material
        );
    }
    verify(path, &Expectations::default()).unwrap();
    for number in 0..rest {
        kept.read(&id("A"), &id(&format!("rest-{number}"))).unwrap();
    }
    say(kept.state(&id("X")).unwrap());
}

/// The role of a process that opens a ledger and uses it.
pub(crate) fn open_and_say(path: &Path) {
    let opened = LedgerCustody::open(path, Box::new(Stopped));
    let said = match opened {
        Ok(ledger) => match attempt(&ledger, "A", "X", Settlement::NotExecuted) {
            Ok(()) => "ok".into(),
            Err(error) => error.to_string(),
        },
        Err(error) => format!("{}: {error}", error.code()),
    };
    say(said.replace(&path.display().to_string(), "[ledger]"));
}

/// A clock that shows these moments, one after the other; a moment that is none is a failure.
struct Jumping(Mutex<Vec<&'static str>>);

impl Clock for Jumping {
    fn now(&self) -> Result<Timestamp, ClockError> {
        let mut moments = self.0.lock().unwrap();
        let moment = if moments.is_empty() { NOW } else { moments.remove(0) };
        moment.parse().map_err(ClockError::new)
    }
}

/// Those who made the index anew don't know of the one that still has the old one, nor it of them.
#[test]
fn whoever_closes_a_ledger_whose_index_was_removed_takes_nothing_from_the_others() {
    let home = Home::inhabited();
    let mut first = Child::start("holds it open", &home.path());
    assert_eq!(first.hear(), "open");
    fs::remove_file(home.directory().join("ledger-shm")).unwrap();
    let second = home.open();
    second.submit(note("B", "answered")).unwrap();
    drop(second);
    first.tell();
    assert_eq!(first.hear(), "closed");
    let ledger = home.open();
    for (execution, consequence) in [("A", "held open"), ("B", "answered")] {
        assert!(ledger.read(&id(execution), &id(consequence)).is_ok(), "{consequence} is gone");
    }
    home.verify();
}

/// The role of a process that has a ledger open until it is told to close it.
pub(crate) fn hold_open(path: &Path) {
    let ledger = LedgerCustody::open(path, Box::new(Stopped)).unwrap();
    ledger.submit(note("A", "held open")).unwrap();
    say("open");
    listen();
    drop(ledger);
    say("closed");
}

#[test]
fn a_key_for_which_there_is_no_room_leaves_no_file() {
    let home = Home::new();
    let path = home.directory().join("key.pem");
    let mut child = Child::start_in("ulimit -f 0; trap '' XFSZ; exec \"$@\"", "makes a key", &path);
    assert_eq!(child.hear(), "key_unusable");
    assert!(!path.exists());
}

/// The role of a process that makes a key.
pub(crate) fn make_key(path: &Path) {
    say(SecretKey::create(path).map_or_else(|error| error.code().to_string(), |_| "ok".into()));
}

#[test]
fn what_could_be_stored_and_never_be_released_is_not_taken() {
    let home = Home::inhabited();
    let ledger = home.open();
    let quotes = |count: usize| Submission {
        material: Material::new("note", "inbox", Value::from("\"".repeat(count).as_str())),
        ..note("A", "quotes")
    };
    assert_eq!(code(ledger.submit(quotes(12 << 20))), "too_large");
    let nulls = Value::List(List::new(vec![Value::Null; (4 << 20) - 32]).unwrap());
    let many = Submission { material: Material::new("note", "inbox", nulls), ..note("A", "nulls") };
    assert_eq!(code(ledger.submit(many)), "too_large");
    assert_eq!(home.count("events"), 3);
    ledger.submit(quotes(4 << 20)).unwrap();
    attempt(&ledger, "A", "quotes", Settlement::Released).unwrap();
    drop(ledger);
    home.verify();
}
