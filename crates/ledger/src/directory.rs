//! Whether the names in a directory are still those that were there.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::place::Identity;

/// How old a change has to be. A file system dates its changes by a clock that moves in steps, of some
/// milliseconds, and two changes within one step have the same date.
const SETTLED: Duration = Duration::from_secs(1);

/// Which directory is at a path, and when a name in it was last made, removed or given to another file.
/// As long as this stays the same, nobody has done that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unchanged {
    directory: Identity,
    since: Duration,
}

/// None if there is no directory, or if the next change might get the same date as the last one.
///
/// A link to a directory is none: where it leads may change and change back, and neither has a date.
pub(crate) fn unchanged(path: &Path) -> Option<Unchanged> {
    // Before the date is looked at: what changes from now on is dated now or later.
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let found = fs::symlink_metadata(path).ok().filter(fs::Metadata::is_dir)?;
    // The time of the directory's own change, which nobody can set, unlike that of its content.
    let seconds = u64::try_from(found.ctime()).ok()?;
    let nanoseconds = u32::try_from(found.ctime_nsec()).ok()?;
    let since = Duration::new(seconds, nanoseconds);
    let settled = now.checked_sub(since).is_some_and(|age| age > SETTLED);
    // Some file systems keep whole seconds only.
    let exact = nanoseconds != 0;
    (settled && exact).then(|| Unchanged { directory: Identity::of(&found), since })
}

#[cfg(test)]
pub(crate) mod tests {
    use std::os::unix::fs::symlink;
    use std::{io, thread};

    use tempfile::TempDir;

    use super::*;

    /// Waits until it can be told when the directory changed.
    pub(crate) fn settled(path: &Path) -> Unchanged {
        loop {
            if let Some(unchanged) = unchanged(path) {
                return unchanged;
            }
            assert!(path.is_dir(), "it never settles");
            thread::sleep(Duration::from_millis(10));
        }
    }

    #[test]
    fn whatever_happens_to_a_name_is_a_change_and_what_is_written_under_it_is_none() {
        type Step = fn(&Path) -> io::Result<()>;
        let steps: [(&str, Step); 6] = [
            ("made", |home| fs::write(home.join("d/new"), "")),
            ("given to another file", |home| fs::rename(home.join("outside"), home.join("d/a"))),
            ("renamed", |home| fs::rename(home.join("d/a"), home.join("d/b"))),
            ("made for the same file", |home| fs::hard_link(home.join("d/a"), home.join("d/b"))),
            ("removed", |home| fs::remove_file(home.join("d/a"))),
            ("moved away with all of it, and back", |home| {
                fs::rename(home.join("d"), home.join("e"))?;
                fs::rename(home.join("e"), home.join("d"))
            }),
        ];
        let places = steps.map(|(name, step)| {
            let home = TempDir::new().unwrap();
            fs::create_dir(home.path().join("d")).unwrap();
            fs::write(home.path().join("d/a"), "1").unwrap();
            fs::write(home.path().join("outside"), "2").unwrap();
            (name, step, home.path().join("d"), home)
        });
        let before: Vec<_> = places.iter().map(|(_, _, path, _)| settled(path)).collect();
        for ((name, step, path, home), before) in places.iter().zip(&before) {
            fs::write(path.join("a"), "longer").unwrap();
            assert_eq!(unchanged(path), Some(*before), "what is written under a name");
            step(home.path()).unwrap();
            assert_eq!(unchanged(path), None, "{name}: the next could have the same date");
        }
        for ((name, _, path, _), before) in places.iter().zip(&before) {
            assert_ne!(settled(path), *before, "{name}");
        }
    }

    #[test]
    fn another_directory_at_the_path_is_a_change_and_a_link_to_one_says_nothing() {
        let home = TempDir::new().unwrap();
        let [path, other] = ["d", "e"].map(|name| home.path().join(name));
        fs::create_dir(&path).unwrap();
        fs::create_dir(&other).unwrap();
        let (before, of_other) = (settled(&path), settled(&other));
        assert_ne!(before, of_other);
        fs::remove_dir(&path).unwrap();
        assert_eq!(unchanged(&path), None, "there is none");
        symlink(&other, &path).unwrap();
        assert_eq!(unchanged(&path), None, "there is a link");
    }
}
