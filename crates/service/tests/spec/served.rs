//! A real service on a real ledger, and clients of it.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use swampbox_actuators::{FileActuator, Registry};
use swampbox_authority::{Clock, ClockError, Timestamp};
use swampbox_ledger::{LedgerCustody, SecretKey};
use swampbox_material::json::Json;
use swampbox_policy::approvals::{Approvals, ByName, Directory, Quorum, Terms};
use swampbox_service::{
    ApiKey, Effects, HeldApprovals, KeptRequests, KeyRing, Limits, Owners, Parts, Role, Service,
    Stopper,
};
use tempfile::TempDir;
use tokio::net::TcpListener;
use ureq::Agent;
use ureq::http::Response;

/// The time of the system.
#[derive(Debug)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Result<Timestamp, ClockError> {
        Timestamp::try_from(SystemTime::now()).map_err(ClockError::new)
    }
}

/// A service at work, which ends when it is dropped.
pub(crate) struct Served {
    pub(crate) home: TempDir,
    pub(crate) address: SocketAddr,
    keys: Vec<(&'static str, ApiKey)>,
    stopper: Option<Stopper>,
    thread: Option<JoinHandle<()>>,
}

/// Who has a key in every test.
const PRINCIPALS: [(&str, &[Role]); 7] = [
    ("ann", &[Role::Agent]),
    ("amy", &[Role::Agent]),
    ("olga", &[Role::Operator]),
    ("carl", &[Role::Approver]),
    ("cora", &[Role::Approver]),
    ("udo", &[Role::Auditor]),
    ("both", &[Role::Agent, Role::Approver]),
];

impl Served {
    /// One in which one of carl and cora has to allow what is written into files.
    pub(crate) fn new() -> Self {
        Self::with(Limits::default())
    }

    pub(crate) fn with(limits: Limits) -> Self {
        Self::made_of(limits, |parts, _| parts)
    }

    /// One with other parts, which may keep something in its directory.
    pub(crate) fn made_of(limits: Limits, change: impl FnOnce(Parts, &Path) -> Parts) -> Self {
        let home = TempDir::new().unwrap();
        drop(LedgerCustody::create(home.path().join("ledger.db"), Box::new(SystemClock)).unwrap());
        fs::create_dir(home.path().join("files")).unwrap();
        Self::serving(home, limits, change)
    }

    fn serving(home: TempDir, limits: Limits, change: impl FnOnce(Parts, &Path) -> Parts) -> Self {
        let keys = PRINCIPALS.map(|(name, _)| (name, ApiKey::generate().unwrap()));
        let ring = PRINCIPALS.iter().zip(&keys).fold(KeyRing::new(), |ring, (row, (_, key))| {
            let (name, roles) = row;
            ring.with(name.parse().unwrap(), key.hash(), roles.iter().copied()).unwrap()
        });
        let parts = change(parts(home.path(), ring, limits), home.path());
        Self::of(parts, home, keys.into())
    }

    fn of(parts: Parts, home: TempDir, keys: Vec<(&'static str, ApiKey)>) -> Self {
        let (stopper, stop) = Stopper::new();
        let runtime = swampbox_service::runtime().unwrap();
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).unwrap();
        let address = listener.local_addr().unwrap();
        let service = Service::new(parts, stop);
        let thread = thread::spawn(move || {
            runtime.block_on(service.serve(listener, None)).unwrap();
        });
        Self { home, address, keys, stopper: Some(stopper), thread: Some(thread) }
    }

    /// Stops it, and starts another one on the same ledger.
    pub(crate) fn again(self) -> Self {
        self.again_made_of(|parts, _| parts)
    }

    /// Stops it, and starts one with other parts on the same ledger.
    pub(crate) fn again_made_of(mut self, change: impl FnOnce(Parts, &Path) -> Parts) -> Self {
        self.end();
        let home = std::mem::replace(&mut self.home, TempDir::new().unwrap());
        Self::serving(home, Limits::default(), change)
    }

    fn end(&mut self) {
        drop(self.stopper.take());
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    pub(crate) fn key(&self, name: &str) -> &str {
        self.keys.iter().find(|(known, _)| *known == name).unwrap().1.reveal()
    }

    pub(crate) fn as_one(&self, name: &str) -> Client<'_> {
        self.with_credential(self.key(name))
    }

    pub(crate) fn with_credential(&self, credential: &str) -> Client<'_> {
        Client { served: self, credential: Some(credential.to_owned()) }
    }

    /// Whether the history and what it says agree.
    pub(crate) fn verifies(&self) -> bool {
        *self.as_one("udo").post("/v1/ledger/verify", "").part("verified") == Json::Bool(true)
    }

    pub(crate) fn as_nobody(&self) -> Client<'_> {
        Client { served: self, credential: None }
    }

    /// A new execution of this principal.
    pub(crate) fn execution(&self, principal: &str, id: &str) -> Client<'_> {
        let made =
            self.as_one(principal).post("/v1/executions", &format!(r#"{{"execution_id":{id:?}}}"#));
        self.with_credential(made.text("token"))
    }

    /// What a file holds that was written.
    pub(crate) fn file(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.home.path().join("files").join(name)).ok()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.end();
    }
}

/// What a service on the ledger in this directory is made of.
pub(crate) fn parts(home: &Path, keys: KeyRing, limits: Limits) -> Parts {
    let path = home.join("ledger.db");
    let ledger = Arc::new(LedgerCustody::open(&path, Box::new(SystemClock)).unwrap());
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let owners: Arc<dyn Directory> = Arc::new(Owners::of(ledger.clone(), Arc::new(ByName)));
    let approvers = ["carl", "cora", "both"].map(|name| name.parse().unwrap());
    let hour = Duration::from_secs(3600);
    let terms = Terms::new(Quorum::new(1, approvers).unwrap(), hour, hour).unwrap();
    let approvals: Arc<HeldApprovals> = Arc::new(
        Approvals::new(KeptRequests::of(ledger.clone()), clock.clone(), owners.clone(), terms)
            .unwrap(),
    );
    Parts {
        ledger,
        ledger_path: path,
        authority: approvals.clone(),
        approvals: Some(approvals),
        principals: owners,
        effects: Arc::new(files(home.join("files"))),
        clock,
        keys,
        checkpoint_key: SecretKey::create(home.join("key")).ok(),
        limits,
    }
}

fn files(root: PathBuf) -> impl Effects {
    let mut registry = Registry::new();
    let actuator = FileActuator::builder().root("files", root).unwrap().build();
    let target = "files".parse().unwrap();
    registry.route(FileActuator::CONSEQUENCE_TYPE, target, Arc::new(actuator)).unwrap();
    registry
}

/// A proposal to write a file.
pub(crate) fn write(name: &str, content: &str) -> String {
    format!(
        r#"{{"consequence_type":"file.write","target":"files","payload":{{"path":{name:?},"content":{content:?},"expected_sha256":null}}}}"#
    )
}

/// Somebody who asks.
#[derive(Clone)]
pub(crate) struct Client<'s> {
    served: &'s Served,
    credential: Option<String>,
}

/// What was answered.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Json,
}

impl Client<'_> {
    pub(crate) fn get(&self, path: &str) -> Answer {
        let request = self.agent().get(self.url(path));
        let request = match &self.credential {
            Some(credential) => request.header("authorization", format!("Bearer {credential}")),
            None => request,
        };
        answer(request.call().unwrap())
    }

    /// What is no document.
    pub(crate) fn get_text(&self, path: &str) -> String {
        let credential = format!("Bearer {}", self.credential());
        let request = self.agent().get(self.url(path)).header("authorization", credential);
        request.call().unwrap().body_mut().read_to_string().unwrap()
    }

    pub(crate) fn credential(&self) -> &str {
        self.credential.as_deref().unwrap()
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Answer {
        self.post_with(path, body, &[])
    }

    pub(crate) fn post_with(&self, path: &str, body: &str, headers: &[(&str, &str)]) -> Answer {
        let mut request = self.agent().post(self.url(path));
        if let Some(credential) = &self.credential {
            request = request.header("authorization", format!("Bearer {credential}"));
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        answer(request.send(body).unwrap())
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.served.address)
    }

    fn agent(&self) -> Agent {
        Agent::config_builder().http_status_as_error(false).build().into()
    }
}

fn answer(mut response: Response<ureq::Body>) -> Answer {
    let status = response.status().as_u16();
    let text = response.body_mut().read_to_vec().unwrap();
    Answer { status, body: Json::read(&text).unwrap_or(Json::Null) }
}

impl Answer {
    /// A text in the document.
    pub(crate) fn text(&self, name: &str) -> &str {
        let found = self.body.as_object().and_then(|object| object.get(name));
        found.and_then(Json::as_str).unwrap_or_else(|| panic!("no {name} in {}", self.body))
    }

    /// Another part of it.
    pub(crate) fn part(&self, name: &str) -> &Json {
        self.body.as_object().and_then(|object| object.get(name)).unwrap()
    }

    /// The status and the code, or the status alone.
    pub(crate) fn outcome(&self) -> String {
        let code = self.body.as_object().and_then(|object| object.get("code"));
        match code.and_then(Json::as_str) {
            Some(code) => format!("{} {code}", self.status),
            None => self.status.to_string(),
        }
    }
}

/// The digest of the request about a consequence, as an approver is shown it.
pub(crate) fn digest_of(approver: &Client<'_>, consequence: &str) -> String {
    let sheet = approver.get(&format!("/v1/approvals/{consequence}"));
    let digest = sheet.part("request").as_object().unwrap().get("digest").unwrap().clone();
    digest.as_str().unwrap().to_owned()
}

/// The body of a vote on what this digest names.
pub(crate) fn ballot(digest: &str, verdict: &str) -> String {
    format!(
        r#"{{"digest":{digest:?},"verdict":{verdict:?},"reason":"looked at","window_seconds":60}}"#
    )
}
