//! `swampbox serve`: a process that is talked to over HTTP.

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use insta::assert_snapshot;
use rustix::process::{Pid, Signal, kill_process};
use swampbox_material::json::Json;
use ureq::Agent;

use crate::deciding::{me, without};
use crate::ledger::{Ledger, steady};
use crate::run::Ran;

/// A ledger whose service lets one of alice and the user who is logged in decide about files.
pub(crate) fn configured(more: &str) -> Ledger {
    let ledger = Ledger::new();
    fs::create_dir(ledger.directory().join("site")).unwrap();
    let me = me();
    let mut config = format!(
        "[authority]\nfirst = [\"approvals\"]\n[approvals]\napprovers = [\"alice\", \"{me}\"]\n\
         [[file]]\ntarget = \"site\"\ndirectory = \"site\"\n{more}"
    );
    for (name, roles) in
        [("ann", "agent"), ("alice", "approver"), ("udo", "auditor"), (&me, "agent")]
    {
        let made = ledger.run(&format!("principal {name} --role {roles} --key-file {name}.key"));
        assert_eq!(made.status, Some(0), "{made}");
        config += &made.stdout;
    }
    ledger.write("swampbox.toml", config);
    ledger
}

/// A service at work. It is killed when this is dropped.
pub(crate) struct Serving {
    child: Child,
    pub(crate) url: String,
    log: Receiver<String>,
    heard: Vec<String>,
}

impl Serving {
    pub(crate) fn on(ledger: &Ledger, arguments: &str) -> Self {
        let words = format!("serve --config swampbox.toml --listen 127.0.0.1:0 {arguments}");
        Self::from(ledger.command(&words))
    }

    pub(crate) fn from(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, log) = channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        thread::spawn(move || stderr.lines().try_for_each(|line| sender.send(line.unwrap())));
        let mut first = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
        let url = first.trim().strip_prefix("listening on ");
        let url = url.unwrap_or_else(|| panic!("{:?}", log.iter().collect::<Vec<_>>()));
        Self { url: url.to_owned(), child, log, heard: Vec::new() }
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Reads the log until a line holds this.
    pub(crate) fn wait_for(&mut self, wanted: &str) {
        while !self.heard.last().is_some_and(|line| line.contains(wanted)) {
            self.heard.push(self.log.recv().unwrap());
        }
    }

    /// Waits for its end: the status, and the log.
    pub(crate) fn ended(mut self) -> (Option<i32>, Vec<String>) {
        let status = self.child.wait().unwrap();
        let mut log = std::mem::take(&mut self.heard);
        log.extend(self.log.iter());
        (status.code(), log)
    }

    /// Asks with this credential: the status, and what was answered.
    pub(crate) fn post(&self, credential: &str, path: &str, body: &str) -> (u16, Json) {
        post_to(&self.url, credential, path, body)
    }

    /// The token of a new execution of whoever has this key.
    pub(crate) fn execution(&self, ledger: &Ledger, principal: &str, id: &str) -> String {
        let body = format!(r#"{{"execution_id":"{id}"}}"#);
        let (_, made) = self.post(&key(ledger, principal), "/v1/executions", &body);
        text(&made, "token")
    }

    /// Proposes as an execution that X writes a file, and asks for its release.
    pub(crate) fn proposed(&self, token: &str, content: &str) {
        let body = format!(
            r#"{{"consequence_id":"X","consequence_type":"file.write","target":"site","payload":
                {{"path":"index.html","content":{},"expected_sha256":null}}}}"#,
            Json::from(content)
        );
        assert_eq!(self.post(token, "/v1/consequences", &body).0, 201);
        let pending = self.release(token);
        assert_eq!(text(&pending, "reason"), "authority_pending");
    }

    pub(crate) fn release(&self, token: &str) -> Json {
        self.post(token, "/v1/consequences/X/release", "").1
    }
}

/// Asks the service at this URL with this credential: the status, and what was answered.
pub(crate) fn post_to(url: &str, credential: &str, path: &str, body: &str) -> (u16, Json) {
    let agent: Agent = Agent::config_builder().http_status_as_error(false).build().into();
    let request = agent.post(format!("{url}{path}"));
    let request = request.header("authorization", format!("Bearer {credential}"));
    let mut answer = request.send(body).unwrap();
    let text = answer.body_mut().read_to_vec().unwrap();
    (answer.status().as_u16(), Json::read(&text).unwrap())
}

impl Drop for Serving {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

pub(crate) fn key(ledger: &Ledger, principal: &str) -> String {
    let file = ledger.directory().join(format!("{principal}.key"));
    fs::read_to_string(file).unwrap().trim().to_owned()
}

pub(crate) fn text(document: &Json, name: &str) -> String {
    let found = document.as_object().and_then(|object| object.get(name)).and_then(Json::as_str);
    found.unwrap_or_else(|| panic!("no {name} in {document}")).to_owned()
}

fn without_keys(ran: &Ran) -> String {
    without(&steady(&ran.to_string()), "swk_", 43, "swk_KEY")
}

#[test]
fn a_key_is_shown_once_and_the_configuration_gets_its_hash_alone() {
    let ledger = Ledger::new();
    let shown = ledger.run("principal alice --role approver --role auditor");
    let document = ledger.run("principal alice --role agent --json");
    assert_snapshot!(format!("{}\n{}", without_keys(&shown), without_keys(&document)));
}

#[test]
fn no_key_is_made_that_the_configuration_would_not_take() {
    let ledger = Ledger::new();
    let of = |words: &[&str]| {
        let mut command = ledger.command("principal --key-file made.key");
        let ran = Ran::of(command.args(words).output().unwrap());
        assert!(!ledger.directory().join("made.key").exists());
        ran.to_string()
    };
    let hidden = of(&["alice\u{200b}", "--role", "approver"]);
    let twice = of(&["alice", "--role", "agent", "--role", "auditor", "--role", "agent"]);
    assert_snapshot!(format!("{hidden}\n{twice}"));
}

#[test]
fn a_key_in_a_file_is_for_its_owner_alone_and_replaces_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let ledger = Ledger::new();
    let made = ledger.run("principal alice --role approver --key-file alice.key");
    assert_eq!((made.status, made.stderr.as_str()), (Some(0), ""));
    let mode = fs::metadata(ledger.directory().join("alice.key")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let before = key(&ledger, "alice");
    assert!(before.starts_with("swk_") && !made.stdout.contains(&before), "{made}");
    let again = ledger.run("principal alice --role approver --key-file alice.key");
    assert!(again.stderr.contains("key_exists"), "{again}");
    assert_eq!(key(&ledger, "alice"), before);
}

#[test]
fn neither_payload_nor_credential_is_logged_and_each_answer_is_one_line_of_json() {
    let ledger = configured("");
    let serving = Serving::on(&ledger, "--log json");
    let token = serving.execution(&ledger, "ann", "A");
    serving.proposed(&token, "a secret payload");
    serving.post("swk_wrong-secret", "/v1/executions", "");
    serving.signal(Signal::TERM);
    let (status, log) = serving.ended();
    assert_eq!(status, Some(0));
    for line in &log {
        assert!(Json::read(line.as_bytes()).is_ok(), "{line}");
    }
    let all = log.join("\n");
    for secret in ["secret", &*token, &*key(&ledger, "ann"), "index.html"] {
        assert!(!all.contains(secret), "{all}");
    }
    let answered = r#""route":"submitConsequence","status":201,"caller":"ann""#;
    assert!(all.contains(answered), "{all}");
}

#[test]
fn the_variable_says_what_is_logged_and_the_argument_is_stronger() {
    let ledger = configured("");
    let log_of = |variable: &str, arguments: &str| {
        let words = format!("serve --config swampbox.toml --listen 127.0.0.1:0 {arguments}");
        let mut command = ledger.command(&words);
        let serving = Serving::from({
            command.env("SWAMPBOX_LOG", variable);
            command
        });
        serving.execution(&ledger, "ann", &format!("{variable}-{arguments}"));
        serving.signal(Signal::TERM);
        serving.ended().1.join("\n")
    };
    assert!(!log_of("error", "").contains("answered"));
    assert!(log_of("error", "--log-level info").contains("answered"));
    let wrong = ledger.command("serve").env("SWAMPBOX_LOG", "loud").output().unwrap();
    let wrong = Ran::of(wrong);
    assert!(wrong.stderr.contains("SWAMPBOX_LOG is \"loud\""), "{wrong}");
}

#[test]
fn as_json_its_address_is_one_document() {
    let ledger = configured("");
    let words = "serve --config swampbox.toml --listen 127.0.0.1:0 --json --log-level error";
    let mut child = ledger.command(words).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(steady(&line), "{\"listening\":\"http://127.0.0.1:PORT\"}\n");
}

#[test]
fn without_a_ledger_or_with_an_address_that_is_taken_it_does_not_begin() {
    let ledger = configured("");
    let serving = Serving::on(&ledger, "");
    let address = serving.url.strip_prefix("http://").unwrap();
    let taken = ledger.run(&format!("serve --config swampbox.toml --listen {address}"));
    assert!(taken.stderr.contains("address_unavailable"), "{taken}");
    assert_eq!(taken.status, Some(3));
    fs::remove_file(ledger.directory().join("ledger.db")).unwrap();
    let nowhere = ledger.run("serve --config swampbox.toml --listen 127.0.0.1:0");
    assert!(nowhere.stderr.contains("ledger_not_found"), "{nowhere}");
    assert_eq!(nowhere.status, Some(2));
}
