//! Places where a file can't be written, and what was there before is there afterwards.

use std::fs;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread;

use insta::assert_snapshot;
use rustix::fs::{CWD, FileType, Mode, RenameFlags, mknodat, renameat_with};
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use swampbox_actuators::FileActuator;
use swampbox_material::{Map, Material, Value};
use tempfile::TempDir;

use crate::file::{OLD, actuator, names, new, write};
use crate::fixture::{leave_out, release_in};

/// A directory for a root, beside one that is outside of it.
struct Places {
    home: TempDir,
}

impl Places {
    fn new() -> Self {
        let home = TempDir::new().unwrap();
        fs::create_dir(home.path().join("root")).unwrap();
        fs::create_dir(home.path().join("outside")).unwrap();
        fs::write(home.path().join("outside/file"), "old").unwrap();
        Self { home }
    }

    fn root(&self) -> std::path::PathBuf {
        self.home.path().join("root")
    }

    fn assert_nothing_is_outside_but_what_was(&self) {
        let outside = self.home.path().join("outside");
        assert_eq!(names(&outside), ["file"]);
        assert_eq!(fs::read_to_string(outside.join("file")).unwrap(), "old");
    }
}

/// What comes of each write, of which none may change anything or leave anything behind.
fn table(root: &Path, paths: &[&str]) -> String {
    let before = tree(root);
    let mut told = String::new();
    for path in paths {
        for (what, expected) in [("none expected", None), ("old expected", Some(OLD))] {
            told += &format!("{path}, {what}: {}\n", write(root, path, expected));
        }
    }
    assert_eq!(tree(root), before);
    told
}

/// Every name below a directory, with its kind and the content of what can be read.
fn tree(directory: &Path) -> Vec<String> {
    let mut all = Vec::new();
    for name in names(directory) {
        let path = directory.join(&name);
        let kind = fs::symlink_metadata(&path).unwrap().file_type();
        let content =
            if kind.is_file() { fs::read_to_string(&path).unwrap() } else { String::new() };
        all.push(format!("{} {kind:?} {content}", path.display()));
        if kind.is_dir() {
            all.extend(tree(&path));
        }
    }
    all
}

#[test]
fn what_is_not_as_expected_stays_as_it_is() {
    let places = Places::new();
    let at = |name: &str| places.root().join(name);
    fs::write(at("same"), "old").unwrap();
    fs::write(at("changed"), "changed").unwrap();
    let told = [
        ("a file that was not expected", write(&places.root(), "same", None)),
        ("a file that has changed", write(&places.root(), "changed", Some(OLD))),
        ("no file", write(&places.root(), "missing", Some(OLD))),
    ];
    assert_eq!(names(&places.root()), ["changed", "same"]);
    assert_eq!(fs::read_to_string(at("same")).unwrap(), "old");
    assert_eq!(fs::read_to_string(at("changed")).unwrap(), "changed");
    assert_snapshot!(told.map(|(what, outcome)| format!("{what}: {outcome}")).join("\n"));
}

#[test]
fn no_link_is_followed_at_the_end() {
    let places = Places::new();
    symlink("../outside/file", places.root().join("out")).unwrap();
    symlink("../outside/new", places.root().join("dangling")).unwrap();
    symlink(places.home.path().join("outside/file"), places.root().join("absolute")).unwrap();
    fs::write(places.root().join("file"), "old").unwrap();
    symlink("file", places.root().join("in")).unwrap();
    symlink("loop", places.root().join("loop")).unwrap();
    assert_snapshot!(table(&places.root(), &["out", "dangling", "absolute", "in", "loop"]));
    places.assert_nothing_is_outside_but_what_was();
}

#[test]
fn no_link_is_followed_on_the_way() {
    let places = Places::new();
    symlink("../outside", places.root().join("out")).unwrap();
    symlink("/proc/self/cwd", places.root().join("magic")).unwrap();
    fs::create_dir(places.root().join("directory")).unwrap();
    fs::write(places.root().join("directory/file"), "old").unwrap();
    symlink("directory", places.root().join("in")).unwrap();
    symlink("../../outside", places.root().join("directory/deeper")).unwrap();
    assert_snapshot!(table(
        &places.root(),
        &["out/file", "out/new", "magic/new", "in/file", "directory/deeper/file"]
    ));
    places.assert_nothing_is_outside_but_what_was();
}

#[test]
fn a_directory_that_is_swapped_for_a_link_all_the_time_leads_nowhere_else() {
    let places = Places::new();
    let at = |name: &str| places.root().join(name);
    fs::create_dir(at("way")).unwrap();
    symlink("../outside", at("link")).unwrap();
    let exchange = || {
        let (way, link) = (at("way"), at("link"));
        renameat_with(CWD, &way, CWD, &link, RenameFlags::EXCHANGE).unwrap();
    };
    swapping(&exchange, || {
        for number in 0..100 {
            write(&places.root(), &format!("way/file-{number}"), None);
        }
    });
    places.assert_nothing_is_outside_but_what_was();
}

#[test]
fn a_file_that_is_swapped_for_a_link_all_the_time_is_not_written_through() {
    let places = Places::new();
    let at = |name: &str| places.root().join(name);
    let swap = || {
        symlink("../outside/file", at("link")).unwrap();
        fs::rename(at("link"), at("file")).unwrap();
        fs::write(at("other"), "old").unwrap();
        fs::rename(at("other"), at("file")).unwrap();
    };
    swapping(&swap, || {
        for _ in 0..100 {
            write(&places.root(), "file", Some(OLD));
        }
    });
    places.assert_nothing_is_outside_but_what_was();
}

/// Does `work` while `swap` is done again and again.
fn swapping(swap: &(impl Fn() + Sync), work: impl FnOnce()) {
    let over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(SeqCst) {
                swap();
            }
        });
        work();
        over.store(true, SeqCst);
    });
}

#[test]
fn a_directory_has_to_be_there_already() {
    let places = Places::new();
    fs::write(places.root().join("file"), "old").unwrap();
    assert_snapshot!(table(&places.root(), &["missing/file", "file/file"]));
}

#[test]
fn only_a_regular_file_is_replaced() {
    let places = Places::new();
    let at = |name: &str| places.root().join(name);
    fs::create_dir(at("directory")).unwrap();
    mknodat(CWD, at("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let _listening = UnixListener::bind(at("socket")).unwrap();
    assert_snapshot!(table(&places.root(), &["directory", "pipe", "socket"]));
}

#[test]
fn a_file_that_is_too_large_to_be_looked_at_is_not_replaced() {
    let places = Places::new();
    let large = fs::File::create(places.root().join("large")).unwrap();
    large.set_len((64 << 20) + 1).unwrap();
    assert_snapshot!(write(&places.root(), "large", Some(OLD)));
    assert_eq!(large.metadata().unwrap().len(), (64 << 20) + 1);
}

#[test]
fn the_root_is_the_directory_that_was_opened_whatever_stands_there_later() {
    let places = Places::new();
    let actuator = actuator(&places.root());
    fs::rename(places.root(), places.home.path().join("moved")).unwrap();
    symlink("outside", places.root()).unwrap();
    let outcome = release_in("store", actuator, new("file", None));
    assert!(outcome.starts_with("SUCCEEDED"), "{outcome}");
    assert_eq!(fs::read_to_string(places.home.path().join("moved/file")).unwrap(), "new");
    places.assert_nothing_is_outside_but_what_was();
}

#[test]
fn below_a_root_that_was_removed_nothing_is_written() {
    let places = Places::new();
    let actuator = actuator(&places.root());
    fs::remove_dir(places.root()).unwrap();
    assert_snapshot!(release_in("store", actuator, new("file", None)));
}

#[test]
fn on_a_full_disk_the_old_file_stays_and_nothing_is_left_behind() {
    let Some(disk) = SmallDisk::new() else { return };
    fs::write(disk.path().join("file"), "old").unwrap();
    let payload = Map::new([
        ("path", Value::from("file")),
        ("content", Value::from("x".repeat(1 << 20))),
        ("expected_sha256", Value::from(OLD)),
    ]);
    let material =
        Material::new(FileActuator::CONSEQUENCE_TYPE, "site", Value::Map(payload.unwrap()));
    assert_snapshot!(release_in("store", actuator(disk.path()), material));
    assert_eq!(names(disk.path()), ["file"]);
    assert_eq!(fs::read_to_string(disk.path().join("file")).unwrap(), "old");
}

#[test]
fn a_disk_without_room_for_another_file_takes_none() {
    let Some(disk) = SmallDisk::new() else { return };
    let mut count = 0;
    while fs::write(disk.path().join(format!("filler-{count:04}")), "").is_ok() {
        count += 1;
    }
    assert_snapshot!(write(disk.path(), "file", None));
    assert_eq!(names(disk.path()).len(), count);
}

#[test]
fn on_a_read_only_disk_nothing_is_written() {
    let Some(disk) = SmallDisk::new() else { return };
    fs::write(disk.path().join("file"), "old").unwrap();
    disk.make_read_only();
    assert_snapshot!(table(disk.path(), &["file", "missing"]));
}

#[test]
fn a_file_on_which_a_disk_is_mounted_is_not_replaced() {
    let places = Places::new();
    fs::write(places.root().join("file"), "old").unwrap();
    let Some(disk) = SmallDisk::new() else { return };
    fs::write(disk.path().join("over"), "old").unwrap();
    let file = places.root().join("file");
    rustix::mount::mount_bind(disk.path().join("over"), &file).unwrap();
    let outcome = write(&places.root(), "file", Some(OLD));
    let found = fs::read_to_string(&file).unwrap();
    unmount(&file, UnmountFlags::DETACH).unwrap();
    assert_eq!((found.as_str(), names(&places.root())), ("old", vec!["file".to_owned()]));
    assert_snapshot!(outcome);
}

/// A disk of 64 KiB and 16 files. It is unmounted when it is dropped.
struct SmallDisk(TempDir);

impl SmallDisk {
    /// None, and a word about it, if nobody may mount one here.
    fn new() -> Option<Self> {
        let directory = TempDir::new().unwrap();
        let options = c"size=64k,nr_inodes=16";
        match mount("none", directory.path(), "tmpfs", MountFlags::empty(), options) {
            Ok(()) => Some(Self(directory)),
            Err(_) => {
                leave_out("nobody may mount a small disk here");
                None
            }
        }
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn make_read_only(&self) {
        rustix::mount::mount_remount(self.path(), MountFlags::RDONLY, c"").unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        unmount(self.path(), UnmountFlags::DETACH).unwrap();
    }
}
