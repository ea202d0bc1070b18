//! Reads a patch strictly before git sees it.
//!
//! `git apply` passes over every line that it does not understand. Here each line must be part of a
//! file's header or of a hunk, so that what was approved is what is applied. What the patch does to
//! modes and paths is checked on the resulting tree, not on this text.

/// Checks that the patch has a form in which nothing can hide.
///
/// # Errors
///
/// What is wrong, with the line.
pub(crate) fn check(patch: &str) -> Result<(), String> {
    if patch.contains('\0') {
        return Err("the patch holds a NUL".into());
    }
    let Some(body) = patch.strip_suffix('\n') else {
        return Err("the last line of the patch has no end".into());
    };
    let mut lines = Lines { lines: body.split('\n').enumerate().peekable() };
    while lines.peek().is_some() {
        lines.file()?;
    }
    Ok(())
}

struct Lines<'a, I: Iterator<Item = (usize, &'a str)>> {
    lines: std::iter::Peekable<I>,
}

impl<'a, I: Iterator<Item = (usize, &'a str)>> Lines<'a, I> {
    fn peek(&mut self) -> Option<&'a str> {
        self.lines.peek().map(|(_, line)| *line)
    }

    fn refuse<T>(&mut self, problem: &str) -> Result<T, String> {
        Err(match self.lines.peek() {
            Some((index, _)) => format!("line {} of the patch {problem}", index + 1),
            None => format!("the end of the patch {problem}"),
        })
    }

    /// The header and the hunks of one file.
    fn file(&mut self) -> Result<(), String> {
        let git = self.peek().is_some_and(|line| line.starts_with("diff --git "));
        if git {
            self.git_header()?;
        }
        if !self.peek().is_some_and(|line| line.starts_with("--- ")) {
            // A new mode, a rename or an empty file has no hunk.
            return if git { Ok(()) } else { self.refuse("is no `diff --git` and no `---`") };
        }
        let old = self.name("--- ", "a/")?;
        let new = self.name("+++ ", "b/")?;
        // With no header of git beside them, git would choose one of the two.
        if !git && (old.contains('\t') || (old != new && old != NOWHERE && new != NOWHERE)) {
            return self.refuse("comes after names that differ or have something after a tab");
        }
        self.hunk()?;
        while self.peek().is_some_and(|line| line.starts_with("@@ ")) {
            self.hunk()?;
        }
        Ok(())
    }

    fn git_header(&mut self) -> Result<(), String> {
        let first = self.peek().and_then(|line| line.strip_prefix("diff --git "));
        if !first.is_some_and(|names| names.starts_with("a/") || names.starts_with("\"a/")) {
            return self.refuse("names no file below `a/`");
        }
        self.lines.next();
        while let Some(line) = self.peek() {
            if line.starts_with("diff --git ") || line.starts_with("--- ") {
                break;
            }
            if line == "GIT binary patch" || line.starts_with("Binary files ") {
                return self.refuse("is binary, which nobody can read");
            }
            if !is_extended_header(line) {
                return self.refuse("is no header of a file that is known here");
            }
            self.lines.next();
        }
        Ok(())
    }

    /// The name after `before`, without the prefix that is left out of the path.
    fn name(&mut self, before: &str, prefix: &str) -> Result<&'a str, String> {
        let name = self.peek().and_then(|line| line.strip_prefix(before));
        let path = name.and_then(|name| match name {
            NOWHERE => Some(name),
            _ => name.strip_prefix('"').unwrap_or(name).strip_prefix(prefix),
        });
        let Some(path) = path else {
            return self.refuse(&format!("is not `{before}{prefix}` and a path"));
        };
        self.lines.next();
        Ok(path)
    }

    /// A hunk, with exactly as many lines as it announces.
    fn hunk(&mut self) -> Result<(), String> {
        let Some((mut old, mut new)) = self.peek().and_then(counts) else {
            return self.refuse("does not begin a hunk, and a file has at least one after `+++`");
        };
        self.lines.next();
        while old > 0 || new > 0 {
            let (from_old, from_new) = match self.peek().map(|line| line.chars().next()) {
                Some(Some(' ') | None) => (1, 1),
                Some(Some('-')) => (1, 0),
                Some(Some('+')) => (0, 1),
                Some(Some('\\')) => (0, 0),
                _ => return self.refuse("is no line of the hunk, which announces more"),
            };
            if from_old > old || from_new > new {
                return self.refuse("is more than the hunk announces");
            }
            (old, new) = (old - from_old, new - from_new);
            self.lines.next();
        }
        if self.peek().is_some_and(|line| line.starts_with("\\ ")) {
            self.lines.next();
        }
        Ok(())
    }
}

const NOWHERE: &str = "/dev/null";

const FILE_MODES: [&str; 2] = ["100644", "100755"];

fn is_extended_header(line: &str) -> bool {
    let modes = ["old mode ", "new mode ", "new file mode ", "deleted file mode "];
    if let Some(mode) = modes.iter().find_map(|before| line.strip_prefix(before)) {
        return FILE_MODES.contains(&mode);
    }
    let free = ["rename from ", "rename to ", "copy from ", "copy to ", "index "];
    let known = ["similarity index ", "dissimilarity index "];
    free.iter().chain(&known).any(|before| line.starts_with(before))
}

/// How many lines a hunk has before and after, by its first line: `@@ -1,2 +3,4 @@`.
fn counts(line: &str) -> Option<(usize, usize)> {
    let (ranges, _) = line.strip_prefix("@@ -")?.split_once(" @@")?;
    let (old, new) = ranges.split_once(" +")?;
    Some((count(old)?, count(new)?))
}

fn count(range: &str) -> Option<usize> {
    let digits = |text: &str| {
        let well_formed = (1..=9).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        if well_formed { text.parse().ok() } else { None }
    };
    match range.split_once(',') {
        None => digits(range).map(|_| 1),
        Some((line, count)) => digits(line).and(digits(count)),
    }
}
