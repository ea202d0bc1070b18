//! What stands before the hunks of a file.

use std::collections::BTreeMap;

use super::{FileChange, Lines, name};

/// The `diff --git` of a file and the lines that follow it.
pub(super) struct Header<'a> {
    names: &'a str,
    /// What stands after each of [`KNOWN`].
    lines: BTreeMap<&'static str, &'a str>,
}

/// The names of a file in its `---` and `+++`; none where there is no file.
pub(super) struct Marks {
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
}

const KNOWN: [&str; 11] = [
    "old mode ",
    "new mode ",
    "new file mode ",
    "deleted file mode ",
    "rename from ",
    "rename to ",
    "copy from ",
    "copy to ",
    "similarity index ",
    "dissimilarity index ",
    "index ",
];

const FILE_MODES: [&str; 2] = ["100644", "100755"];

const NOWHERE: &str = "/dev/null";

/// What the lines of a header have to do with each other.
const CONTRADICTION: &str = "begins a file whose lines contradict each other";
const OTHER_NAMES: &str = "begins a file whose lines name different files";
const NOTHING: &str = "begins a file of which nothing is changed";

impl<'a> Header<'a> {
    /// None if there is none.
    ///
    /// # Errors
    ///
    /// Which line is wrong.
    pub(super) fn read(lines: &mut Lines<'a>) -> Result<Option<Self>, String> {
        let Some(names) = lines.peek().and_then(|line| line.strip_prefix("diff --git ")) else {
            return Ok(None);
        };
        lines.step();
        let mut header = Header { names, lines: BTreeMap::new() };
        while let Some(line) = lines.peek() {
            if line.starts_with("diff --git ") || line.starts_with("--- ") {
                break;
            }
            if line == "GIT binary patch" || line.starts_with("Binary files ") {
                return lines.refuse("is binary, which nobody can read");
            }
            let known =
                KNOWN.into_iter().find_map(|known| Some((known, line.strip_prefix(known)?)));
            let Some((known, value)) = known else {
                return lines.refuse("is no header of a file that is known here");
            };
            check_value(known, value).or_else(|problem| lines.refuse(problem))?;
            if header.lines.insert(known, value).is_some() {
                return lines.refuse("is there already");
            }
            lines.step();
        }
        Ok(Some(header))
    }

    /// What all lines say together.
    ///
    /// # Errors
    ///
    /// What is wrong with the file that begins here.
    pub(super) fn change(&self, marks: Option<&Marks>) -> Result<FileChange, &'static str> {
        let change = self.announced(marks)?;
        let (from, to) = match &change {
            FileChange::Added { path, .. } => (path, path),
            FileChange::Deleted { path, .. } | FileChange::Changed { path, .. } => (path, path),
            FileChange::Renamed { from, to, .. } => (from, to),
            FileChange::Copied { to, .. } => (&self.path("copy from ")?, to),
        };
        if !name::are_both(self.names, from, to) {
            return Err(OTHER_NAMES);
        }
        if let Some(marks) = marks {
            let old = Some(from).filter(|_| !matches!(change, FileChange::Added { .. }));
            let new = Some(to).filter(|_| !matches!(change, FileChange::Deleted { .. }));
            if marks.old.as_ref() != old || marks.new.as_ref() != new {
                return Err(OTHER_NAMES);
            }
        }
        Ok(change)
    }

    fn announced(&self, marks: Option<&Marks>) -> Result<FileChange, &'static str> {
        let has = |known: &str| self.lines.contains_key(known);
        let mode = |known: &str| self.lines.get(known).map(|mode| (*mode).to_owned());
        let modes = self.modes()?;
        let kinds = ["new file mode ", "deleted file mode ", "rename from ", "copy from "];
        let kind: Vec<&str> = kinds.into_iter().filter(|kind| has(kind)).collect();
        let pairs = [("rename from ", "rename to "), ("copy from ", "copy to ")];
        let moves = kind.iter().any(|kind| matches!(*kind, "rename from " | "copy from "));
        if pairs.iter().any(|(from, to)| has(from) != has(to))
            || has("similarity index ") && !self.is_similar(moves, marks.is_some())
            || has("dissimilarity index ") && (!kind.is_empty() || marks.is_none())
            || has("index ")
                && marks.is_none()
                && !has("new file mode ")
                && !has("deleted file mode ")
        {
            return Err(CONTRADICTION);
        }
        Ok(match (&*kind, modes) {
            ([], modes) => {
                if marks.is_none() && !has("old mode ") {
                    return Err(NOTHING);
                }
                FileChange::Changed { path: self.only_path(marks)?, modes }
            }
            (["new file mode "], None) => FileChange::Added {
                path: self.only_path(marks)?,
                mode: mode("new file mode ").ok_or(CONTRADICTION)?,
            },
            (["deleted file mode "], None) => FileChange::Deleted {
                path: self.only_path(marks)?,
                mode: mode("deleted file mode "),
            },
            (["rename from "], modes) => {
                let (from, to) = (self.path("rename from ")?, self.path("rename to ")?);
                if from == to {
                    return Err(NOTHING);
                }
                FileChange::Renamed { from, to, modes }
            }
            // The mode of the original is in no comparison of two trees.
            (["copy from "], modes) if !has("old mode ") => {
                let (from, to) = (self.path("copy from ")?, self.path("copy to ")?);
                if from == to {
                    return Err(NOTHING);
                }
                FileChange::Copied { to, mode: modes.map(|[_, new]| new) }
            }
            _ => return Err(CONTRADICTION),
        })
    }

    /// The modes before and after.
    fn modes(&self) -> Result<Option<[String; 2]>, &'static str> {
        let get = |known: &str| self.lines.get(known).copied();
        let index = get("index ").and_then(|index| index.split_once(' ')).map(|(_, mode)| mode);
        let pair = match (get("old mode "), get("new mode "), index) {
            (None, None, None) => return Ok(None),
            (None, None, Some(mode)) => [mode, mode],
            (Some(old), Some(new), None) if old != new => [old, new],
            _ => return Err(CONTRADICTION),
        };
        Ok(Some(pair.map(str::to_owned)))
    }

    /// Whether a file that is moved changes if and only if it is said to be less than the same.
    fn is_similar(&self, moves: bool, changes: bool) -> bool {
        let same = self.lines.get("similarity index ").is_some_and(|similar| *similar == "100%");
        moves && same != changes
    }

    fn path(&self, known: &str) -> Result<Vec<u8>, &'static str> {
        let text = self.lines.get(known).copied().unwrap_or_default();
        name::read(text, "").map_err(|_| "begins a file with a name that can't be taken")
    }

    /// The path of a file that stays where it is.
    fn only_path(&self, marks: Option<&Marks>) -> Result<Vec<u8>, &'static str> {
        let marked = marks.and_then(|marks| marks.old.as_ref().or(marks.new.as_ref())).cloned();
        marked.map_or_else(|| name::twice(self.names), Ok)
    }
}

impl Marks {
    /// None if there are none.
    ///
    /// # Errors
    ///
    /// Which line is wrong.
    pub(super) fn read(lines: &mut Lines<'_>) -> Result<Option<Self>, String> {
        if !lines.peek().is_some_and(|line| line.starts_with("--- ")) {
            return Ok(None);
        }
        let old = mark(lines, "--- ", "a/")?;
        let new = mark(lines, "+++ ", "b/")?;
        Ok(Some(Self { old, new }))
    }

    /// What they say with no header of git before them.
    ///
    /// # Errors
    ///
    /// What is wrong with them.
    pub(super) fn change(&self) -> Result<FileChange, &'static str> {
        match (&self.old, &self.new) {
            (None, None) => Err("begins a file that is nowhere"),
            (None, Some(path)) => {
                let [mode, _] = FILE_MODES.map(str::to_owned);
                Ok(FileChange::Added { path: path.clone(), mode })
            }
            (Some(path), None) => Ok(FileChange::Deleted { path: path.clone(), mode: None }),
            (Some(old), Some(new)) if old == new => {
                Ok(FileChange::Changed { path: new.clone(), modes: None })
            }
            // Without a header of git before them, git would choose one of the two.
            (Some(_), Some(_)) => Err(OTHER_NAMES),
        }
    }
}

fn mark(lines: &mut Lines<'_>, before: &str, prefix: &str) -> Result<Option<Vec<u8>>, String> {
    let Some(text) = lines.peek().and_then(|line| line.strip_prefix(before)) else {
        return lines.refuse(&format!("is not `{before}{prefix}` and a path"));
    };
    let path = match text {
        NOWHERE => None,
        text => Some(name::read_before_tab(text, prefix).or_else(|problem| lines.refuse(problem))?),
    };
    lines.step();
    Ok(path)
}

/// Checks what stands after the beginning of a line of a header.
fn check_value(known: &str, value: &str) -> Result<(), &'static str> {
    match known {
        "old mode " | "new mode " | "new file mode " | "deleted file mode " => {
            let is_mode = FILE_MODES.contains(&value);
            if is_mode { Ok(()) } else { Err("is no mode of a plain file, 100644 or 100755") }
        }
        "similarity index " | "dissimilarity index " => {
            let number = value.strip_suffix('%').and_then(|number| number.parse::<u8>().ok());
            let is_share = |number| number <= 100 && format!("{number}%") == value;
            if number.is_some_and(is_share) { Ok(()) } else { Err("is no share from 0% to 100%") }
        }
        "index " => {
            if is_index(value) {
                Ok(())
            } else {
                Err("is no `index`, two ids and a mode")
            }
        }
        _ => name::read(value, "").map(drop),
    }
}

/// Two ids with two dots between, and the mode of a file that keeps its own.
fn is_index(value: &str) -> bool {
    let [plain, _] = FILE_MODES;
    let (ids, mode) = value.split_once(' ').unwrap_or((value, plain));
    let is_id = |id: &str| {
        (4..=64).contains(&id.len())
            && id.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
    };
    FILE_MODES.contains(&mode)
        && ids.split_once("..").is_some_and(|(old, new)| is_id(old) && is_id(new))
}
