use std::cell::Cell;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use swampbox_actuators::{
    CommandActuator, DeclaredCommand, ExitCodes, FileActuator, GitActuator, GitIdentity,
    GitRepository, HttpActuator,
};
use swampbox_boundary::Actuator;
use swampbox_custody::ExecutionId;
use swampbox_material::{List, Map, Material, Value};
use tempfile::TempDir;

use crate::Failure;
use crate::loopback::{Server, bare_client};
use crate::measure::{in_turns, timed};
use crate::report::{Aim, Line};
use crate::world::{Boundary, boundary, register, release, submit};

/// A release through each actuator, from the question to the authority until the end is stored,
/// against what it does at the end, done by the bare client. The store is one in memory.
pub(crate) fn each_actuator() -> Result<Vec<Line>, Failure> {
    Ok(vec![http()?, file()?, command()?, git()?])
}

const ROUNDS: usize = 101;

fn http() -> Result<Line, Failure> {
    let server = Server::answering("done")?;
    let (origin, body) = (server.origin(), "x".repeat(1024));
    let url = format!("{origin}/notes");
    let releases = Releases::through(HttpActuator::builder().allow_private_addresses().build())?;
    let material = |_| {
        let fields = [("method", "POST"), ("url", &*url), ("body", &*body)];
        Ok(Material::new(HttpActuator::CONSEQUENCE_TYPE, &*origin, map(fields)?))
    };
    let client = bare_client();
    let send = || Ok(client.post(&url).send(&body)?.body_mut().read_to_vec()?);
    let [released, bare] = in_turns(ROUNDS, [&|| releases.one(material), &|| timed(send)])?;
    Ok(Line::of_times("http.request / the same by ureq", released, bare, Aim::None))
}

/// The bare one does what makes a file last: writes another, syncs it, renames it and syncs the
/// directory.
fn file() -> Result<Line, Failure> {
    let (ours, theirs) = (directory()?, directory()?);
    let content = "x".repeat(1024);
    let actuator = FileActuator::builder().root("notes", ours.path())?.build();
    let releases = Releases::through(actuator)?;
    let material = |number| {
        let payload = Map::new([
            ("path", Value::from(format!("note-{number}"))),
            ("content", content.as_str().into()),
            ("expected_sha256", Value::Null),
        ])?;
        Ok(Material::new(FileActuator::CONSEQUENCE_TYPE, "notes", Value::Map(payload)))
    };
    let written = Cell::new(0);
    let write = || {
        let number = written.replace(written.get() + 1);
        let (draft, place) =
            (theirs.path().join("draft"), theirs.path().join(format!("note-{number}")));
        let mut file = File::create_new(&draft)?;
        file.write_all(content.as_bytes())?;
        file.sync_all()?;
        fs::rename(&draft, &place)?;
        Ok(File::open(theirs.path())?.sync_all()?)
    };
    let [released, bare] = in_turns(ROUNDS, [&|| releases.one(material), &|| timed(write)])?;
    Ok(Line::of_times("file.write / the same by std::fs", released, bare, Aim::None))
}

fn command() -> Result<Line, Failure> {
    const PROGRAM: &str = "/bin/true";
    let declared = DeclaredCommand::new(PROGRAM, ExitCodes::new([0], [])?)?;
    let actuator = CommandActuator::builder().declare("nothing", declared).build();
    let releases = Releases::through(actuator)?;
    let material = |_| {
        let payload = Map::new([("arguments", Value::from(List::new([])?))])?;
        Ok(Material::new(CommandActuator::CONSEQUENCE_TYPE, "nothing", Value::Map(payload)))
    };
    let run = || Ok(Command::new(PROGRAM).env_clear().stdin(Stdio::null()).output()?);
    let [released, bare] = in_turns(ROUNDS, [&|| releases.one(material), &|| timed(run)])?;
    Ok(Line::of_times("command.run / the same by std::process", released, bare, Aim::None))
}

/// The bare one is the five calls of git that make a commit of a patch and move a branch to it, as
/// durable as ours. The actuator makes five more, which look at the repository and at the outcome.
fn git() -> Result<Line, Failure> {
    const ROUNDS: usize = 21;
    let (ours, theirs) = (Repository::new()?, Repository::new()?);
    let project = GitRepository::local(&ours.path).allow("main".parse()?);
    let identity = GitIdentity::new("SwampBox", "swampbox@example.com")?;
    let actuator = GitActuator::builder(identity).repository("project", project).build();
    let releases = Releases::through(actuator)?;
    let material = |number| {
        let message = format!("Greet number {number}");
        let fields =
            [("branch", "main"), ("base", &*ours.base), ("patch", PATCH), ("message", &*message)];
        Ok(Material::new(GitActuator::PATCH, "project", map(fields)?))
    };
    let committed = Cell::new(0);
    let commit = || {
        let number = committed.replace(committed.get() + 1);
        theirs.commit(&format!("Greet number {number}"))
    };
    let [released, bare] = in_turns(
        ROUNDS,
        [
            &|| {
                ours.reset()?;
                releases.one(material)
            },
            &|| {
                theirs.reset()?;
                timed(commit)
            },
        ],
    )?;
    Ok(Line::of_times("git.patch / five calls of git", released, bare, Aim::None))
}

fn map<const N: usize>(fields: [(&'static str, &str); N]) -> Result<Value, Failure> {
    Ok(Value::Map(Map::new(fields.map(|(name, value)| (name, Value::from(value))))?))
}

/// On the disk that the build is on.
fn directory() -> Result<TempDir, Failure> {
    Ok(tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?)
}

/// Releases one consequence after the other.
struct Releases<A: Actuator> {
    boundary: Boundary<A>,
    execution: ExecutionId,
    count: Cell<u32>,
}

impl<A: Actuator> Releases<A> {
    fn through(actuator: A) -> Result<Self, Failure> {
        let boundary = boundary(actuator)?;
        let execution = register(boundary.custody(), "agent")?;
        Ok(Self { boundary, execution, count: Cell::new(0) })
    }

    /// How long it takes to release what this material says with the number of the release.
    fn one(
        &self,
        material: impl Fn(u32) -> Result<Material, Failure>,
    ) -> Result<Duration, Failure> {
        let number = self.count.replace(self.count.get() + 1);
        let id = format!("released-{number}").parse()?;
        submit(self.boundary.custody(), &self.execution, &id, material(number)?)?;
        timed(|| release(&self.boundary, &self.execution, &id))
    }
}

/// A bare repository, in which `main` has one commit with one file.
struct Repository {
    path: PathBuf,
    base: String,
    index: PathBuf,
    _home: TempDir,
}

const FILE: &str = "hello\nworld\n";

const PATCH: &str = "\
diff --git a/greeting.txt b/greeting.txt
--- a/greeting.txt
+++ b/greeting.txt
@@ -1,2 +1,3 @@
 hello
+there
 world
";

impl Repository {
    fn new() -> Result<Self, Failure> {
        let home = directory()?;
        let (path, index) = (home.path().join("project.git"), home.path().join("index"));
        fs::create_dir(&path)?;
        let mut repository = Self { path, base: String::new(), index, _home: home };
        repository.git(["init", "--quiet", "--bare", "--initial-branch=main"], "")?;
        let file = repository.git(["hash-object", "-w", "--stdin"], FILE)?;
        let entry = format!("100644 blob {file}\tgreeting.txt\n");
        let tree = repository.git(["mktree"], &entry)?;
        repository.base = repository.git(["commit-tree", &tree], "Begin")?;
        repository.reset()?;
        Ok(repository)
    }

    /// Moves `main` back to its first commit.
    fn reset(&self) -> Result<(), Failure> {
        self.git(["update-ref", "refs/heads/main", &self.base], "").map(drop)
    }

    fn commit(&self, message: &str) -> Result<(), Failure> {
        self.git(["read-tree", &self.base], "")?;
        self.git(["apply", "--cached", "-"], PATCH)?;
        let tree = self.git(["write-tree"], "")?;
        let commit = self.git(["commit-tree", "-p", &self.base, &tree], message)?;
        self.git(["update-ref", "refs/heads/main", &commit, &self.base], "").map(drop)
    }

    /// What a call of git writes, without the end of the line.
    fn git<const N: usize>(&self, arguments: [&str; N], input: &str) -> Result<String, Failure> {
        let mut git = isolated(&self.path, &self.index)
            .args(["-c", "core.fsync=all"])
            .args(arguments)
            .spawn()?;
        git.stdin.take().ok_or("git has no input")?.write_all(input.as_bytes())?;
        let output = git.wait_with_output()?;
        match output.status.success() {
            true => Ok(String::from_utf8(output.stdout)?.trim_end().to_owned()),
            false => Err(String::from_utf8_lossy(&output.stderr).into()),
        }
    }
}

/// Git that knows nothing of who measures.
fn isolated(repository: &Path, index: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(repository)
        .env("GIT_DIR", repository)
        .env("GIT_INDEX_FILE", index)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for role in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{role}_NAME"), "Somebody")
            .env(format!("GIT_{role}_EMAIL"), "somebody@example.com");
    }
    command
}
