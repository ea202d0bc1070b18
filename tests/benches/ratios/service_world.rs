use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::Value;
use swampbox_authority::Clock;
use swampbox_boundary::{Actuator, ReleaseBoundary};
use swampbox_ledger::LedgerCustody;
use swampbox_material::{Code, Material};
use swampbox_policy::approvals::{Approvals, ByName, Directory, Quorum, Terms};
use swampbox_service::{
    ApiKey, Effects, HeldApprovals, KeptRequests, KeyRing, Limits, NoEffect, Owners, Parts, Role,
    Service, Stopper, runtime,
};
use tokio::net::TcpListener;

use crate::Failure;
use crate::ledger_world::Home;
use crate::world::SystemClock;

/// Who decides, on either side.
pub(crate) const APPROVER: &str = "olga";

/// How many releases of one actuator may be at work, if nobody says.
pub(crate) const PLACES: usize = 32;

/// A ledger, and the approvals on it.
pub(crate) struct Base {
    pub(crate) ledger: Arc<LedgerCustody>,
    pub(crate) approvals: Arc<HeldApprovals>,
    owners: Arc<dyn Directory>,
    pub(crate) home: Home,
}

impl Base {
    pub(crate) fn new() -> Result<Self, Failure> {
        let home = Home::new()?;
        let ledger = Arc::new(home.create()?);
        let owners: Arc<dyn Directory> = Arc::new(Owners::of(ledger.clone(), Arc::new(ByName)));
        let day = Duration::from_secs(24 * 60 * 60);
        let terms = Terms::new(Quorum::new(1, [APPROVER.parse()?])?, day, day)?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let kept = KeptRequests::of(ledger.clone());
        let approvals = Approvals::new(kept, clock, owners.clone(), terms)?;
        Ok(Self { ledger, approvals: Arc::new(approvals), owners, home })
    }

    /// The library's boundary on it.
    pub(crate) fn boundary<A: Actuator>(
        &self,
        actuator: A,
    ) -> ReleaseBoundary<Arc<LedgerCustody>, Arc<HeldApprovals>, A, SystemClock> {
        ReleaseBoundary::new(self.ledger.clone(), self.approvals.clone(), actuator, SystemClock)
    }
}

/// A service on a base, which ends when it is dropped.
pub(crate) struct Served {
    pub(crate) address: SocketAddr,
    agent: ApiKey,
    approver: ApiKey,
    pub(crate) auditor: ApiKey,
    stopper: Option<Stopper>,
    thread: Option<JoinHandle<()>>,
    _base: Base,
}

impl Served {
    pub(crate) fn new(actuators: Vec<Box<dyn Actuator>>) -> Result<Self, Failure> {
        let base = Base::new()?;
        let [agent, approver, auditor] =
            [ApiKey::generate()?, ApiKey::generate()?, ApiKey::generate()?];
        let keys = KeyRing::new()
            .with("agent".parse()?, agent.hash(), [Role::Agent])?
            .with(APPROVER.parse()?, approver.hash(), [Role::Approver])?
            .with("auditor".parse()?, auditor.hash(), [Role::Auditor])?;
        let mut limits = Limits::default();
        // What is measured is the work, and one principal does all of it.
        (limits.requests_per_second, limits.burst) = (1_000_000, 1_000_000);
        (limits.connections, limits.streams) = (100_000, 100_000);
        let parts = Parts {
            ledger: base.ledger.clone(),
            ledger_path: base.home.path(),
            authority: base.approvals.clone(),
            approvals: Some(base.approvals.clone()),
            principals: base.owners.clone(),
            effects: Arc::new(ByTarget(actuators)),
            clock: Arc::new(SystemClock),
            keys,
            checkpoint_key: None,
            limits,
        };
        let (stopper, stop) = Stopper::new();
        let runtime = runtime()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
        let address = listener.local_addr()?;
        let service = Service::new(parts, stop);
        // Whoever asks it notices if it fails.
        let thread = thread::spawn(move || drop(runtime.block_on(service.serve(listener, None))));
        let (stopper, thread) = (Some(stopper), Some(thread));
        Ok(Self { address, agent, approver, auditor, stopper, thread, _base: base })
    }

    /// A client with a connection of its own, and an execution.
    pub(crate) fn client(&self) -> Result<Client, Failure> {
        let mut client = Client {
            wire: Mutex::new(Wire::to(self.address)?),
            token: self.agent.reveal().to_owned(),
            approver: self.approver.reveal().to_owned(),
        };
        let made = client.sent("POST", "/v1/executions", &client.token, "")?;
        client.token = text(&made, "token")?.to_owned();
        Ok(client)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.stopper.take());
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// An actuator for each target of its name.
struct ByTarget(Vec<Box<dyn Actuator>>);

impl Effects for ByTarget {
    fn admit(&self, material: &Material) -> Result<(), NoEffect> {
        self.actuator(material).map(drop)
    }

    fn actuator(&self, material: &Material) -> Result<&dyn Actuator, NoEffect> {
        let found = self.0.iter().find(|actuator| *actuator.name() == **material.target());
        let found = found.map(|actuator| actuator as &dyn Actuator);
        found.ok_or_else(|| NoEffect::new(Code::NoActuator, "there is none"))
    }
}

/// One who proposes, decides and releases over HTTP.
pub(crate) struct Client {
    wire: Mutex<Wire>,
    token: String,
    approver: String,
}

impl Client {
    /// Proposes something, and gives its id.
    pub(crate) fn propose(&self, target: &str) -> Result<String, Failure> {
        let body = format!(
            r#"{{"consequence_type":"note","target":"{target}","payload":{{"text":"x"}}}}"#
        );
        Ok(text(&self.sent("POST", "/v1/consequences", &self.token, &body)?, "consequence_id")?
            .to_owned())
    }

    /// Asks for a decision.
    pub(crate) fn ask(&self, id: &str) -> Result<(), Failure> {
        expect(&self.released(id)?, "authority_pending")
    }

    /// Looks at what is asked, and allows it.
    pub(crate) fn decide(&self, id: &str) -> Result<(), Failure> {
        let path = format!("/v1/approvals/{id}");
        let shown = self.sent("GET", &path, &self.approver, "")?;
        let digest = shown.pointer("/request/digest").and_then(Value::as_str).ok_or("no digest")?;
        let ballot = format!(
            r#"{{"digest":"{digest}","verdict":"ALLOW","reason":"r","window_seconds":3600}}"#
        );
        self.sent("POST", &format!("{path}/decision"), &self.approver, &ballot).map(drop)
    }

    pub(crate) fn release(&self, id: &str) -> Result<(), Failure> {
        expect(&self.released(id)?, "actuator_succeeded")
    }

    fn released(&self, id: &str) -> Result<Value, Failure> {
        self.sent("POST", &format!("/v1/consequences/{id}/release"), &self.token, "")
    }

    fn sent(
        &self,
        method: &str,
        path: &str,
        credential: &str,
        body: &str,
    ) -> Result<Value, Failure> {
        let mut wire = self.wire.lock().map_err(|_| "a thread panicked")?;
        wire.exchange(method, path, credential, body)
    }
}

/// A connection that is kept. It is the service that is measured, so the client does little: it shares the
/// processors with it.
struct Wire {
    to: BufReader<TcpStream>,
}

impl Wire {
    fn to(address: SocketAddr) -> Result<Self, Failure> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self { to: BufReader::new(stream) })
    }

    /// Asks, and gives what is answered if that is no refusal.
    fn exchange(
        &mut self,
        method: &str,
        path: &str,
        credential: &str,
        body: &str,
    ) -> Result<Value, Failure> {
        let length = body.len();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {credential}\r\n\
             content-length: {length}\r\n\r\n{body}"
        );
        self.to.get_mut().write_all(request.as_bytes())?;
        let status = self.line()?;
        let mut length = 0;
        loop {
            let header = self.line()?;
            match header.split_once(':') {
                None => break,
                Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                    length = value.trim().parse()?;
                }
                Some(_) => {}
            }
        }
        let mut answer = vec![0; length];
        self.to.read_exact(&mut answer)?;
        let answer: Value = serde_json::from_slice(&answer)?;
        match status.starts_with("HTTP/1.1 2") {
            true => Ok(answer),
            false => Err(answer.to_string().into()),
        }
    }

    fn line(&mut self) -> Result<String, Failure> {
        let mut line = String::new();
        self.to.read_line(&mut line)?;
        Ok(line)
    }
}

fn text<'v>(answer: &'v Value, name: &str) -> Result<&'v str, Failure> {
    answer.get(name).and_then(Value::as_str).ok_or_else(|| answer.to_string().into())
}

fn expect(result: &Value, reason: &str) -> Result<(), Failure> {
    if text(result, "reason")? == reason { Ok(()) } else { Err(result.to_string().into()) }
}
