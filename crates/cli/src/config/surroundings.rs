//! What a configuration that is well formed needs, and is not there.

use std::fs;
use std::path::Path;

use rustix::fs::{Access, access};

use super::Config;
use crate::failure::Failure;

impl Config {
    /// What is missing or in the way of those who decide.
    pub(crate) fn missing_authority(&self) -> Vec<Failure> {
        let mut missing = Vec::new();
        if let Some(signed) = &self.file.signed
            && !self.beside(&signed.directory).is_dir()
        {
            let problem = "its `directory` is not there; make it, and put the envelopes into it";
            missing.push(self.invalid("signed", problem));
        }
        let asks = |name: &str| {
            self.file.authority.iter().any(|authority| {
                authority.first.iter().chain(&authority.all).any(|asked| asked == name)
            })
        };
        if asks("signed") && !self.trusts_keys() {
            let problem = "no key is trusted, so `signed` believes nothing; name one under \
                           `[[keys]]`";
            missing.push(self.invalid("keys", problem));
        }
        missing
    }

    /// What is missing or in the way of those who carry out.
    pub(crate) fn missing_actuators(&self) -> Result<Vec<Failure>, Failure> {
        let mut missing = self.routes()?.into_missing();
        for (number, command) in (1..).zip(&self.file.command) {
            let place = format!("command {number}");
            missing.extend(self.unusable(&place, &command.program));
            let directory = command.directory.as_ref().map(|directory| self.beside(directory));
            if let Some(directory) = directory.filter(|directory| !directory.is_dir()) {
                let problem = format!(
                    "there is no directory `{}`; make it, or mend its `directory`",
                    directory.display()
                );
                missing.push(self.invalid(&place, problem));
            }
        }
        let repositories = self.file.git.iter().flat_map(|git| &git.repositories);
        for (number, repository) in (1..).zip(repositories) {
            let place = format!("git.repositories {number}");
            let path = repository.path.as_ref().map(|path| self.beside(path));
            if let Some(path) = path.filter(|path| !is_repository(path)) {
                let problem = format!(
                    "there is no repository at `{}`; make it with `git init`, or mend its `path`",
                    path.display()
                );
                missing.push(self.invalid(&place, problem));
            }
            if repository.branches.is_empty() {
                let problem = "it has no `branches`, so none is ever moved; name those that may \
                               be, such as `branches = [\"main\"]`";
                missing.push(self.invalid(&place, problem));
            }
        }
        let http = self.file.http.iter().map(|http| &*http.target).collect::<Vec<_>>();
        missing.extend(self.overlapping("http", &http));
        let github = self.file.github.iter().map(|github| &*github.target).collect::<Vec<_>>();
        missing.extend(self.overlapping("github", &github));
        Ok(missing)
    }

    /// What is probably not meant, and may be right.
    pub(crate) fn remarks(&self) -> Vec<String> {
        let approvers = self.file.approvals.iter().flat_map(|approvals| &approvals.approvers);
        let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
        let is_user = |name: &str| {
            let mut names = users.lines().filter_map(|line| line.split(':').next());
            names.any(|user| user == name)
        };
        let strangers = approvers.filter(|name| !self.has_key(name) && !is_user(name));
        let remark = |name: &String| {
            format!(
                "the approver `{name}` is no user of this machine, and decides here only under \
                 that login name"
            )
        };
        strangers.map(remark).collect()
    }

    /// Why a program can't be run, if it can't.
    pub(super) fn unusable(&self, place: &str, program: &Path) -> Option<Failure> {
        let name = program.display();
        let problem = if !program.is_file() {
            format!("there is no program `{name}`; mend its path")
        } else if access(program, Access::EXEC_OK).is_err() {
            format!("the program `{name}` can't be executed; `chmod +x` makes it so")
        } else {
            return None;
        };
        Some(self.invalid(place, problem))
    }

    /// Each pattern that stands for a target that an earlier one stands for too.
    fn overlapping(&self, kind: &str, targets: &[&str]) -> Vec<Failure> {
        let mut found = Vec::new();
        for (at, later) in targets.iter().enumerate() {
            for (earlier, other) in targets.iter().enumerate().take(at) {
                if overlap(other.as_bytes(), later.as_bytes()) {
                    let problem = format!(
                        "`{later}` stands for targets that `{other}` of {kind} {} stands for too, \
                         and nothing is carried out on those; make the patterns apart",
                        earlier + 1
                    );
                    found.push(self.invalid(&format!("{kind} {}", at + 1), problem));
                }
            }
        }
        found
    }
}

/// Whether it looks like a repository, bare or not.
fn is_repository(path: &Path) -> bool {
    path.join("HEAD").is_file() || path.join(".git").exists()
}

/// Whether some text matches both patterns, in which `*` stands for any run of bytes.
///
/// A row has an entry for each rest of the second pattern, the shortest first: whether some text
/// matches it and what is left of the first one.
pub(super) fn overlap(first: &[u8], second: &[u8]) -> bool {
    let holds = |entry: Option<&bool>| entry == Some(&true);
    let mut below = vec![true];
    for other in second.iter().rev() {
        below.push(*other == b'*' && holds(below.last()));
    }
    for one in first.iter().rev() {
        let mut row = vec![*one == b'*' && holds(below.first())];
        for (at, other) in second.iter().rev().enumerate() {
            let either = holds(row.last()) || holds(below.get(at + 1));
            row.push(match *one == b'*' || *other == b'*' {
                true => either,
                false => one == other && holds(below.get(at)),
            });
        }
        below = row;
    }
    holds(below.last())
}

#[cfg(test)]
mod tests {
    use super::overlap;

    #[test]
    fn patterns_overlap_if_some_text_matches_both() {
        let cases = [
            ("a", "a", true),
            ("a", "b", false),
            ("a*", "*b", true),
            ("a*", "b*", false),
            ("a*c", "ab", false),
            ("a*c", "abc", true),
            ("*", "https://x", true),
            ("https://*.example.com", "https://api.*", true),
            ("https://*.example.com", "https://api.example.org", false),
            ("ab", "a", false),
            ("ab*", "a", false),
            ("a**", "a", true),
        ];
        for (one, other, alike) in cases {
            for (one, other) in [(one, other), (other, one)] {
                assert_eq!(overlap(one.as_bytes(), other.as_bytes()), alike, "{one} {other}");
            }
        }
    }
}
