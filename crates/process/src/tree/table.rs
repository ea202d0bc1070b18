//! The processes of this machine, as `/proc` shows them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rustix::process::{Pid, getpid};

/// All processes, as far as they can be seen.
pub(super) struct Table {
    rows: Vec<Row>,
}

/// One process.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) id: i32,
    pub(super) parent: i32,
    pub(super) group: i32,
    /// In ticks of the kernel's clock since the machine started.
    pub(super) started: u64,
    /// Only its parent has not heard yet that it has ended.
    pub(super) ended: bool,
}

impl Table {
    /// None if `/proc` tells nothing, or calls the processes by the ids of another namespace.
    pub(super) fn read() -> Option<Self> {
        let own = fs::read_link("/proc/self").ok()?;
        if own.to_str()?.parse() != Ok(getpid().as_raw_pid()) {
            return None;
        }
        let ids = fs::read_dir("/proc").ok()?.filter_map(|entry| number(&entry.ok()?.path()));
        Some(Self { rows: ids.filter_map(Row::read).collect() })
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter()
    }

    /// The rows for which `is_seed` holds, and all that descend from them.
    pub(super) fn below(&self, is_seed: impl Fn(&Row) -> bool) -> Vec<&Row> {
        let mut ids: BTreeSet<i32> =
            self.rows().filter(|row| is_seed(row)).map(|row| row.id).collect();
        loop {
            let before = ids.len();
            for row in &self.rows {
                if ids.contains(&row.parent) {
                    ids.insert(row.id);
                }
            }
            if ids.len() == before {
                return self.rows().filter(|row| ids.contains(&row.id)).collect();
            }
        }
    }
}

impl Row {
    fn read(id: i32) -> Option<Self> {
        Self::parse(&stat(&format!("/proc/{id}/stat"))?)
    }

    /// The name of the program stands in parentheses and may hold anything, so what follows is
    /// counted from the last one.
    fn parse(text: &str) -> Option<Self> {
        let (before, rest) = text.rsplit_once(')')?;
        let (id, _) = before.split_once(' ')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        let field = |index: usize| fields.get(index).copied();
        Some(Self {
            id: id.parse().ok()?,
            parent: field(1)?.parse().ok()?,
            group: field(2)?.parse().ok()?,
            started: field(19)?.parse().ok()?,
            // While other threads run, a process whose first thread has ended is shown like one
            // that has ended.
            ended: matches!(field(0)?, "Z" | "X") && field(17)?.parse::<u64>().ok()? <= 1,
        })
    }

    pub(super) fn pid(&self) -> Option<Pid> {
        Pid::from_raw(self.id)
    }

    /// Whether it is still there, and not another one of the same id.
    pub(super) fn is_there(&self) -> bool {
        Self::read(self.id).is_some_and(|now| now.started == self.started)
    }
}

/// Whether no thread of the process runs. One that is gone stands still.
pub(super) fn stands_still(id: i32) -> bool {
    let Ok(threads) = fs::read_dir(format!("/proc/{id}/task")) else {
        return true;
    };
    threads.flatten().all(|thread| {
        let Some(text) = stat(&thread.path().join("stat").to_string_lossy()) else {
            return true;
        };
        let state = text.rsplit_once(") ").map(|(_, rest)| rest);
        state.is_some_and(|state| state.starts_with(['T', 't', 'Z', 'X']))
    })
}

fn stat(path: &str) -> Option<String> {
    Some(String::from_utf8_lossy(&fs::read(path).ok()?).into_owned())
}

fn number(path: &Path) -> Option<i32> {
    path.file_name()?.to_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_looks_like_the_rest_of_the_line_is_passed_over() {
        let line = "77 (a) Z 9 9 (b) S 50 60 60 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0 0\n";
        let row = Row::parse(line).unwrap();
        assert_eq!(row, Row { id: 77, parent: 50, group: 60, started: 4711, ended: false });
    }

    #[test]
    fn descendants_are_found_in_whatever_order_they_are_listed() {
        let row = |id, parent| Row { id, parent, group: 0, started: 0, ended: false };
        let rows = vec![row(5, 4), row(4, 3), row(3, 2), row(2, 1), row(9, 8)];
        let found = Table { rows };
        let found: Vec<i32> = found.below(|row| row.id == 3).iter().map(|row| row.id).collect();
        assert_eq!(found, [5, 4, 3]);
    }
}
