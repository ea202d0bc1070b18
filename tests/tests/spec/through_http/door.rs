//! A service in this process, and what a scenario asks for as requests to it.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use swampbox::scenario::{Refused, Script, Surface};
use swampbox_custody::ExecutionId;
use swampbox_ledger::{LedgerCustody, NewRecord};
use swampbox_material::json::Json;
use swampbox_material::{Code, WrittenMaterial};
use swampbox_policy::approvals::ByName;
use swampbox_service::{ApiKey, KeyHash, KeyRing, Limits, Owners, Parts, Role, Service, Stopper};
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use ureq::Agent;

use super::script::Scripts;

pub(super) struct Door {
    scripts: Scripts,
    ledger: Arc<LedgerCustody>,
    address: SocketAddr,
    http: Agent,
    agent: ApiKey,
    operator: ApiKey,
    tokens: Mutex<BTreeMap<String, String>>,
    stopper: Option<Stopper>,
    served: Option<JoinHandle<()>>,
    _home: TempDir,
}

impl Door {
    /// To an empty ledger.
    pub(super) fn open() -> Self {
        let home = TempDir::new().unwrap();
        let ledger = Arc::new(crate::scenarios::ledger(&home));
        let scripts = Scripts::default();
        let [agent, operator] = [(); 2].map(|()| ApiKey::generate().unwrap());
        let holders = [(&agent, "agent", Role::Agent), (&operator, "operator", Role::Operator)];
        let keys = holders.into_iter().fold(KeyRing::new(), |ring, (key, name, role)| {
            ring.with(name.parse().unwrap(), key.hash(), [role]).unwrap()
        });
        let parts = Parts {
            ledger: ledger.clone(),
            ledger_path: home.path().join("ledger"),
            authority: Arc::new(scripts.clone()),
            approvals: None,
            principals: Arc::new(Owners::of(ledger.clone(), Arc::new(ByName))),
            effects: Arc::new(scripts.clone()),
            clock: Arc::new(scripts.clone()),
            keys,
            checkpoint_key: None,
            limits: Limits::default(),
        };
        let (stopper, stop) = Stopper::new();
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))).unwrap();
        let address = listener.local_addr().unwrap();
        let service = Service::new(parts, stop);
        let served = thread::spawn(move || {
            runtime.block_on(service.serve(listener, None)).unwrap();
        });
        Self {
            scripts,
            ledger,
            address,
            http: Agent::config_builder().http_status_as_error(false).build().into(),
            agent,
            operator,
            tokens: Mutex::default(),
            stopper: Some(stopper),
            served: Some(served),
            _home: home,
        }
    }

    /// The token of an execution. For one that was never registered, it is that of a claim: what a
    /// service leaves that ends between claiming an execution and registering it.
    fn token(&self, execution: &str) -> String {
        let mut tokens = self.tokens.lock().unwrap();
        let claimed = || {
            let secret = "secret";
            if let Ok(id) = execution.parse::<ExecutionId>() {
                self.claim(&id, secret);
            }
            format!("swx_{}.{secret}", URL_SAFE_NO_PAD.encode(execution))
        };
        tokens.entry(execution.to_owned()).or_insert_with(claimed).clone()
    }

    fn claim(&self, execution: &ExecutionId, secret: &str) {
        let record = NewRecord {
            kind: "execution".into(),
            id: execution.to_string(),
            status: "claimed".into(),
            document: Json::object([
                ("principal", Json::from("agent")),
                ("token_sha256", Json::from(KeyHash::of(secret).to_string().as_str())),
            ]),
            execution: Some(execution.clone()),
            consequence: None,
        };
        assert!(self.ledger.put_record(record, None).unwrap().is_some());
    }

    fn get(&self, path: &str, credential: &str) -> Result<Json, Refused> {
        let request = self.http.get(self.url(path));
        answer(request.header("authorization", format!("Bearer {credential}")).call().unwrap())
    }

    fn post(&self, path: &str, credential: &str, body: Option<Json>) -> Result<Json, Refused> {
        let request = self.http.post(self.url(path));
        let request = request.header("authorization", format!("Bearer {credential}"));
        answer(request.send(body.map_or(String::new(), |body| body.to_string())).unwrap())
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        drop(self.stopper.take());
        if let Some(served) = self.served.take() {
            served.join().unwrap();
        }
    }
}

impl Surface for Door {
    fn register(&self, execution: &str) -> Result<Json, Refused> {
        let body = Json::object([("execution_id", Json::from(execution))]);
        let made = self.post("/v1/executions", self.agent.reveal(), Some(body))?;
        let token = text(&made, "token").to_owned();
        self.tokens.lock().unwrap().insert(execution.to_owned(), token);
        Ok(field(&made, "state"))
    }

    fn end(&self, execution: &str) -> Result<Json, Refused> {
        let path = format!("/v1/executions/{}/end", encoded(execution));
        Ok(field(&self.post(&path, self.operator.reveal(), None)?, "state"))
    }

    fn submit(
        &self,
        execution: &str,
        consequence: &str,
        material: &WrittenMaterial,
        parent: Option<&str>,
    ) -> Result<Json, Refused> {
        let written = material.to_document();
        let fields = written.as_object().unwrap().iter();
        let fields = fields.map(|(name, value)| (name.to_string(), value.clone()));
        let ids = [("consequence_id", Some(consequence)), ("parent_consequence_id", parent)];
        let ids = ids.into_iter().filter_map(|(name, id)| Some((name.to_owned(), Json::from(id?))));
        let body = Json::object(ids.chain(fields));
        // A path begins where the document does: here the body, there the scenario.
        self.post("/v1/consequences", &self.token(execution), Some(body)).map_err(|refused| {
            let there = material.payload_path().to_string();
            Refused::new(refused.code, refused.message.replace("$.payload", &there))
        })
    }

    fn read(&self, execution: &str, consequence: &str) -> Result<Json, Refused> {
        self.get(&of(consequence, ""), &self.token(execution))
    }

    fn transfer(&self, source: &str, target: &str, consequence: &str) -> Result<Json, Refused> {
        let body = Json::object([("target_execution_id", Json::from(target))]);
        self.post(&of(consequence, "/transfer"), &self.token(source), Some(body))
    }

    fn inspect(&self, consequence: &str) -> Result<Json, Refused> {
        let path = format!("/v1/quarantine/{}", encoded(consequence));
        self.get(&path, self.operator.reveal())
    }

    fn adopt(&self, execution: &str, consequence: &str) -> Result<Json, Refused> {
        let body = Json::object([("execution_id", Json::from(execution))]);
        self.post(&of(consequence, "/adopt"), self.operator.reveal(), Some(body))
    }

    fn state(&self, consequence: &str) -> Result<Json, Refused> {
        let state = self.get(&of(consequence, "/state"), self.operator.reveal())?;
        Ok(field(&state, "release_state"))
    }

    fn release(
        &self,
        execution: &str,
        consequence: &str,
        script: &dyn Script,
    ) -> Result<Json, Refused> {
        let (path, token) = (of(consequence, "/release"), self.token(execution));
        let answer = self.scripts.during(script, || self.post(&path, &token, None))?;
        let fields =
            ["consequence_id", "status", "reason", "authority_decision_id", "actuator_outcome"];
        Ok(Json::object(fields.map(|name| (name, field(&answer, name)))))
    }
}

fn answer(mut response: ureq::http::Response<ureq::Body>) -> Result<Json, Refused> {
    let body = Json::read(&response.body_mut().read_to_vec().unwrap()).unwrap();
    if response.status().is_success() {
        return Ok(body);
    }
    let code = text(&body, "code");
    let known = Code::ALL.iter().find(|known| known.as_str() == code);
    Err(Refused::new(*known.unwrap(), text(&body, "detail")))
}

fn field(document: &Json, name: &str) -> Json {
    document.as_object().unwrap().get(name).unwrap().clone()
}

fn text<'d>(document: &'d Json, name: &str) -> &'d str {
    document.as_object().unwrap().get(name).unwrap().as_str().unwrap()
}

/// The path to something of a consequence.
fn of(consequence: &str, rest: &str) -> String {
    format!("/v1/consequences/{}{rest}", encoded(consequence))
}

/// Text in a path: every byte that is not plainly itself, as an escape.
fn encoded(text: &str) -> String {
    let bytes = text.bytes().map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    });
    bytes.collect()
}
