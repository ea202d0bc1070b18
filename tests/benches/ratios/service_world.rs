use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
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
    Service, Stopper,
};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use ureq::Agent;

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
        let runtime = Runtime::new()?;
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
            address: self.address,
            agent: Agent::config_builder().http_status_as_error(false).build().into(),
            token: self.agent.reveal().to_owned(),
            approver: self.approver.reveal().to_owned(),
        };
        let made = client.post("/v1/executions", &client.token, "")?;
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
    address: SocketAddr,
    agent: Agent,
    token: String,
    approver: String,
}

impl Client {
    /// Proposes something, and gives its id.
    pub(crate) fn propose(&self, target: &str) -> Result<String, Failure> {
        let body = format!(
            r#"{{"consequence_type":"note","target":"{target}","payload":{{"text":"x"}}}}"#
        );
        Ok(text(&self.post("/v1/consequences", &self.token, &body)?, "consequence_id")?.to_owned())
    }

    /// Asks for a decision.
    pub(crate) fn ask(&self, id: &str) -> Result<(), Failure> {
        expect(&self.released(id)?, "authority_pending")
    }

    /// Looks at what is asked, and allows it.
    pub(crate) fn decide(&self, id: &str) -> Result<(), Failure> {
        let path = format!("/v1/approvals/{id}");
        let credential = format!("Bearer {}", self.approver);
        let shown = self.agent.get(self.url(&path)).header("authorization", credential).call()?;
        let shown: Value = serde_json::from_slice(&shown.into_body().read_to_vec()?)?;
        let digest = shown.pointer("/request/digest").and_then(Value::as_str).ok_or("no digest")?;
        let ballot = format!(
            r#"{{"digest":"{digest}","verdict":"ALLOW","reason":"r","window_seconds":3600}}"#
        );
        self.post(&format!("{path}/decision"), &self.approver, &ballot).map(drop)
    }

    pub(crate) fn release(&self, id: &str) -> Result<(), Failure> {
        expect(&self.released(id)?, "actuator_succeeded")
    }

    fn released(&self, id: &str) -> Result<Value, Failure> {
        self.post(&format!("/v1/consequences/{id}/release"), &self.token, "")
    }

    fn post(&self, path: &str, credential: &str, body: &str) -> Result<Value, Failure> {
        let request = self.agent.post(self.url(path));
        let answer = request.header("authorization", format!("Bearer {credential}")).send(body)?;
        let good = answer.status().is_success();
        let answer: Value = serde_json::from_slice(&answer.into_body().read_to_vec()?)?;
        if good { Ok(answer) } else { Err(answer.to_string().into()) }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

fn text<'v>(answer: &'v Value, name: &str) -> Result<&'v str, Failure> {
    answer.get(name).and_then(Value::as_str).ok_or_else(|| answer.to_string().into())
}

fn expect(result: &Value, reason: &str) -> Result<(), Failure> {
    if text(result, "reason")? == reason { Ok(()) } else { Err(result.to_string().into()) }
}
