//! A ledger of its own for each test, and the command on it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::thread;

use tempfile::TempDir;
use tiny_http::{Response, Server};

use crate::run::{Ran, fed, swampbox};

/// A directory with a ledger in it. The command runs inside it.
pub(crate) struct Ledger {
    directory: TempDir,
}

impl Ledger {
    pub(crate) fn new() -> Self {
        let ledger = Self { directory: TempDir::new().unwrap() };
        assert_eq!(ledger.run("init").status, Some(0));
        ledger
    }

    /// One on which A and B are active, and A holds the note X.
    pub(crate) fn with_a_note() -> Self {
        let ledger = Self::with_executions();
        let ran = ledger.run_with("submit --execution A --consequence X", NOTE);
        assert_eq!(ran.status, Some(0), "{ran}");
        ledger
    }

    /// One on which A and B are active.
    pub(crate) fn with_executions() -> Self {
        let ledger = Self::new();
        ledger.run("execution start A");
        ledger.run("execution start B");
        ledger
    }

    /// One on which A holds the request X.
    pub(crate) fn with_a_request(origin: &str) -> Self {
        let ledger = Self::with_executions();
        let material = format!(
            r#"{{"consequence_type": "http.request", "target": "{origin}",
                "payload": {{"method": "GET", "url": "{origin}/"}}}}"#
        );
        let ran = ledger.run_with("submit --execution A --consequence X", material.as_bytes());
        assert_eq!(ran.status, Some(0), "{ran}");
        ledger
    }

    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.directory.path().join(name);
        fs::write(&path, text).unwrap();
        // Whatever the umask is: a configuration that others may write is a problem.
        let mode = fs::metadata(&path).unwrap().permissions().mode();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode & !0o022)).unwrap();
    }

    /// The command with these words as its arguments.
    pub(crate) fn command(&self, words: &str) -> Command {
        self.command_of(&words.split_whitespace().collect::<Vec<_>>())
    }

    pub(crate) fn command_of(&self, arguments: &[&str]) -> Command {
        let mut command = swampbox(arguments);
        command.current_dir(&self.directory).env("SWAMPBOX_LEDGER", "ledger.db");
        command
    }

    pub(crate) fn run(&self, words: &str) -> Ran {
        Ran::of(self.command(words).output().unwrap())
    }

    pub(crate) fn run_of(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command_of(arguments).output().unwrap())
    }

    pub(crate) fn run_with(&self, words: &str, input: &[u8]) -> Ran {
        fed(self.command(words), input)
    }

    /// Runs commands one after the other and shows what came of each, without what varies.
    pub(crate) fn story(&self, commands: &[&str]) -> String {
        let shown = commands.iter().map(|words| format!("$ {words}\n{}", self.run(words)));
        steady(&shown.collect::<Vec<_>>().join("\n"))
    }

    /// A decision that allows A to release X now.
    pub(crate) fn decision(&self) -> String {
        let snapshot = self.run("read X --execution A --json").stdout;
        let (_, material) = snapshot.split_once("\"consequence_type\"").unwrap();
        let (material, _) = material.split_once(",\"release_state\"").unwrap();
        format!(
            r#"{{"decision_id": "decision-X", "verdict": "ALLOW", "consequence_id": "X",
                "execution_id": "A", "bound_consequence": {{"consequence_type"{material}}},
                "issued_at": "2000-01-01T00:00:00Z", "valid_until": "9999-01-01T00:00:00Z"}}"#
        )
    }
}

pub(crate) const NOTE: &[u8] =
    br#"{"consequence_type": "note", "target": "inbox", "payload": {"n": 1.0, "m": 12345678901234567890}}"#;

/// Listens on the loopback interface, and answers everything with this status.
pub(crate) fn receiver(status: u16) -> String {
    let server = Server::http("127.0.0.1:0").unwrap();
    let address = server.server_addr();
    thread::spawn(move || {
        for request in server.incoming_requests() {
            drop(request.respond(Response::empty(status)));
        }
    });
    format!("http://{address}")
}

/// Where nobody listens.
pub(crate) const NOBODY: &str = "http://127.0.0.1:1";

/// Ids that were made, times, hashes and ports, each as a plain name.
pub(crate) fn steady(shown: &str) -> String {
    let in_token = |c: char| c.is_ascii_alphanumeric() || "-:.".contains(c);
    let mut steady = String::new();
    let mut rest = shown;
    while let Some(start) = rest.find(in_token) {
        let (before, token) = rest.split_at(start);
        let (token, after) = token.split_at(token.find(|c| !in_token(c)).unwrap_or(token.len()));
        steady += before;
        steady += name(token).unwrap_or(token);
        rest = after;
    }
    steady + rest
}

fn name(token: &str) -> Option<&'static str> {
    let all = |kind: fn(&u8) -> bool| token.bytes().all(|byte| kind(&byte));
    let hyphens: Vec<usize> = token.match_indices('-').map(|(at, _)| at).collect();
    if token.starts_with("127.0.0.1:") && token != "127.0.0.1:1" {
        Some("127.0.0.1:PORT")
    } else if token.len() == 36 && hyphens == [8, 13, 18, 23] {
        Some("UUID")
    } else if token.len() >= 20 && token.ends_with('Z') && token.get(10..11) == Some("T") {
        Some("TIME")
    } else if token.len() == 128 && all(u8::is_ascii_hexdigit) {
        Some("SIGNATURE")
    } else if token.len() == 64 && all(u8::is_ascii_hexdigit) {
        Some("HASH")
    } else {
        None
    }
}
