//! Repositories whose commits have the same ids in each run, and an actuator that knows them.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use swampbox_actuators::{GitActuator, GitActuatorBuilder, GitIdentity, GitRepository};
use swampbox_boundary::Actuator;
use swampbox_material::{Map, Material, Value};
use tempfile::TempDir;

use crate::fixture::release_in;

/// Adds a line to `greeting.txt`.
pub(crate) const PATCH: &str = "\
diff --git a/greeting.txt b/greeting.txt
--- a/greeting.txt
+++ b/greeting.txt
@@ -1,2 +1,3 @@
 hello
+there
 world
";

/// A directory with a bare repository, `project.git`, and the working tree from which it was filled.
pub(crate) struct Project {
    home: TempDir,
    pub(crate) base: String,
}

impl Project {
    pub(crate) fn new() -> Self {
        Self::with_format("sha1")
    }

    pub(crate) fn with_format(format: &str) -> Self {
        let home = tempfile::tempdir().unwrap();
        let (bare, work) = (home.path().join("project.git"), home.path().join("work"));
        let format = format!("--object-format={format}");
        for (kind, path) in [("--bare", &bare), ("--quiet", &work)] {
            let path = path.to_str().unwrap();
            git(home.path(), &["init", "--quiet", "--initial-branch=main", &format, kind, path]);
        }
        fs::write(work.join("greeting.txt"), "hello\nworld\n").unwrap();
        fs::write(work.join("lines.txt"), "1\n2\n3\n4\n5\n6\n7\n8\n9\n").unwrap();
        std::os::unix::fs::symlink("greeting.txt", work.join("link")).unwrap();
        git(&work, &["add", "."]);
        let head = "1".repeat(if format.ends_with("256") { 64 } else { 40 });
        let module = format!("160000,{head},module");
        git(&work, &["update-index", "--add", "--cacheinfo", &module]);
        git(&work, &["commit", "--quiet", "--message=Begin"]);
        let base = git(&work, &["rev-parse", "HEAD"]);
        git(&work, &["push", "--quiet", bare.to_str().unwrap(), "main", "main:trunk"]);
        git(&bare, &["symbolic-ref", "HEAD", "refs/heads/trunk"]);
        Self { home, base }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    pub(crate) fn bare(&self) -> PathBuf {
        self.path("project.git")
    }

    pub(crate) fn url(&self) -> String {
        format!("file://{}", self.bare().display())
    }

    /// Git in the bare repository.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git(&self.bare(), arguments)
    }

    /// The commit that a branch of the bare repository is at, or nothing.
    pub(crate) fn tip(&self, branch: &str) -> String {
        let format = "--format=%(objectname)";
        self.git(&["for-each-ref", format, &format!("refs/heads/{branch}")])
    }

    /// A commit on top of `parent` in the working tree, with the same files.
    pub(crate) fn commit(&self, parent: &str, message: &str) -> String {
        let (tree, work) = (format!("{parent}^{{tree}}"), self.path("work"));
        git(&work, &["commit-tree", "-p", parent, "-m", message, &tree])
    }

    /// Makes a hook of the bare repository.
    pub(crate) fn hook(&self, name: &str, script: &str) {
        fs::create_dir_all(self.bare().join("hooks")).unwrap();
        write_program(&self.bare().join("hooks").join(name), script);
    }

    /// A program that does `instead` where git is called with the command `name`, and is git for the
    /// rest. `$GIT` is git itself.
    pub(crate) fn faulty(&self, name: &str, instead: &str) -> PathBuf {
        let program = self.path("faulty-git");
        let git = real_git();
        let script = format!(
            "GIT={git}\nfor word; do\nif [ \"$word\" = {name} ]; then\n{instead}\nfi\ndone\n\
             exec \"$GIT\" \"$@\"\n"
        );
        write_program(&program, &script);
        program
    }

    /// The bare repository in place.
    pub(crate) fn local(&self) -> GitActuatorBuilder {
        builder().repository("project", allowed(GitRepository::local(self.bare())))
    }

    /// The bare repository as a remote, at `url`.
    pub(crate) fn remote_at(&self, url: &str) -> GitRepository {
        let remote = GitRepository::remote(url.parse().unwrap(), self.path("mirror"));
        allowed(remote).commits_from(self.path("work"))
    }

    pub(crate) fn remote(&self) -> GitActuatorBuilder {
        builder().repository("project", self.remote_at(&self.url()))
    }

    /// The material of [`PATCH`] on `main`.
    pub(crate) fn patch(&self) -> Material {
        self.patch_of(PATCH)
    }

    pub(crate) fn patch_of(&self, patch: &str) -> Material {
        let fields = [
            ("branch", "main".into()),
            ("base", Value::from(&*self.base)),
            ("patch", patch.into()),
            ("message", "Greet them".into()),
        ];
        material(GitActuator::PATCH, fields)
    }

    /// Releases [`PATCH`], and gives what came of it and where `main` is then.
    pub(crate) fn release(&self, actuator: impl Actuator) -> String {
        self.release_of(actuator, self.patch())
    }

    pub(crate) fn release_of(&self, actuator: impl Actuator, material: Material) -> String {
        let outcome = release_in("store", actuator, material);
        let tip = self.tip("main");
        let moved = if tip == self.base { "still at its base" } else { &tip };
        self.anonymous(&format!("{outcome}\nmain: {moved}"))
    }

    /// The text with the places of this run left out.
    pub(crate) fn anonymous(&self, text: &str) -> String {
        text.replace(self.home.path().to_str().unwrap(), "HOME")
    }
}

pub(crate) fn push(branch: &str, base: Option<&str>, commit: &str) -> Material {
    let base = base.map_or(Value::Null, Value::from);
    let fields = [("branch", branch.into()), ("base", base), ("commit", commit.into())];
    material(GitActuator::PUSH, fields)
}

pub(crate) fn material<const N: usize>(kind: &str, fields: [(&str, Value); N]) -> Material {
    Material::new(kind, "project", Value::Map(Map::new(fields).unwrap()))
}

pub(crate) fn builder() -> GitActuatorBuilder {
    GitActuator::builder(GitIdentity::new("SwampBox", "swampbox@example.com").unwrap())
}

pub(crate) fn allowed(repository: GitRepository) -> GitRepository {
    repository.allow("main".parse().unwrap()).allow("agent/*".parse().unwrap())
}

/// What git says about a failure of the network differs from one version to the next.
pub(crate) fn without_words(outcome: &str) -> String {
    let mut told = String::new();
    for (index, part) in outcome.split('"').enumerate() {
        // What is long is cut, and its length stands behind it.
        let rest = part.strip_prefix("… (").and_then(|rest| rest.split_once(')'));
        told += match rest {
            _ if index % 2 == 1 => "\"...\"",
            Some((_, rest)) => rest,
            None => part,
        };
    }
    told
}

/// Runs git in `directory`, at one moment, and gives the first line of what it writes.
pub(crate) fn git(directory: &Path, arguments: &[&str]) -> String {
    let output = try_git(directory, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

pub(crate) fn try_git(directory: &Path, arguments: &[&str]) -> Output {
    isolated("git").current_dir(directory).args(arguments).output().unwrap()
}

/// A command that knows nothing of who runs the tests.
pub(crate) fn isolated(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_AUTHOR_NAME", "Somebody")
        .env("GIT_AUTHOR_EMAIL", "somebody@example.com")
        .env("GIT_AUTHOR_DATE", "@1700000000 +0100")
        .env("GIT_COMMITTER_NAME", "Somebody")
        .env("GIT_COMMITTER_EMAIL", "somebody@example.com")
        .env("GIT_COMMITTER_DATE", "@1700000000 +0100");
    command
}

/// Writes a script. A shell does it, so that no process that another test starts holds it open.
pub(crate) fn write_program(path: &Path, script: &str) {
    let write = r#"printf '#!/bin/sh\n' >"$1" && cat >>"$1" && chmod 755 "$1""#;
    let mut shell = Command::new("sh")
        .args(["-c", write, "sh"])
        .arg(path)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    shell.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    assert!(shell.wait().unwrap().success());
}

fn real_git() -> String {
    let output = Command::new("sh").args(["-c", "command -v git"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}
