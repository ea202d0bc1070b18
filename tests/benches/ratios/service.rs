use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use swampbox_authority::{AuthorityProvider, Clock, Verdict};
use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorReport, Admission, ReleaseBoundary};
use swampbox_custody::{ConsequenceId, ExecutionId, ReleaseState};
use swampbox_ledger::LedgerCustody;
use swampbox_material::json::Json;
use swampbox_material::{Code, Material};
use swampbox_policy::approvals::{Approvals, Ballot, ByName, Directory, Quorum, Terms};
use swampbox_service::{
    ApiKey, Effects, HeldApprovals, KeptRequests, KeyRing, Limits, NoEffect, Owners, Parts, Role,
    Service, Stopper,
};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};

use crate::Failure;
use crate::ledger_world::{Home, beside_each_other};
use crate::measure::{median, per_second, percentile};
use crate::report::{Aim, Figure, Line};
use crate::service_client::{Client, memory};
use crate::world::{Succeeds, SystemClock, note, submit};

/// What it costs to propose, to be refused because nobody has decided, to look, to allow and to release:
/// over HTTP, by 1, 8 and 64 clients at once, against the same calls of the library on the same ledger.
pub(crate) fn lives() -> Result<Vec<Line>, Failure> {
    let world = World::new()?;
    let names = [
        ["life over HTTP by 1 / by the library", "its 50th percentile", "its 99th percentile"],
        ["life over HTTP by 8 / by the library", "its 50th percentile", "its 99th percentile"],
        ["life over HTTP by 64 / by the library", "its 50th percentile", "its 99th percentile"],
    ];
    let mut lines = Vec::new();
    for ([whole, half, most], callers) in names.into_iter().zip([1, 8, 64]) {
        let each = 640_usize.div_ceil(callers).min(100);
        let (mut library, mut http) = (Lives::default(), Lives::default());
        // The first round only warms up.
        for round in 0..4 {
            let taken = [
                world.lives(callers, each, |world, share, id| world.by_library(share, id))?,
                world.lives(callers, each, |world, share, id| world.over_http(share, id))?,
            ];
            for (lives, taken) in [&mut library, &mut http].into_iter().zip(taken) {
                if round > 0 {
                    lives.add(taken);
                }
            }
        }
        let aim = if callers == 64 { Aim::RatioAtLeast(0.5) } else { Aim::None };
        let [measured, against] = [http.rate(), library.rate()];
        lines.push(Line {
            name: whole,
            measured: Figure::PerSecond(measured),
            against: Some((Figure::PerSecond(against), measured / against)),
            aim,
        });
        for (name, percent) in [(half, 50), (most, 99)] {
            let [measured, against] = [http.percentile(percent), library.percentile(percent)];
            lines.push(Line::of_times(name, measured, against, Aim::None));
        }
    }
    Ok(lines)
}

/// The 99th percentile of a release while every place of another actuator is taken, and while none is.
pub(crate) fn beside_a_blocked_actuator() -> Result<Vec<Line>, Failure> {
    const RELEASES: usize = 1_000;
    let world = World::new()?;
    let [share] = &world.shares(1, 0)?[..] else { return Err("one share was asked for".into()) };
    let releases = || {
        let mut taken = Vec::new();
        for _ in 0..RELEASES {
            let id = world.new_id()?;
            world.allowed(share, &id)?;
            let begun = Instant::now();
            world.release(share, &id, "RELEASED")?;
            taken.push(begun.elapsed());
        }
        Ok::<_, Failure>(percentile(taken, 99))
    };
    // The first one only warms up.
    releases()?;
    let idle = releases()?;
    let places = usize::try_from(Limits::default().releases_of_one_actuator)?;
    let beside = thread::scope(|scope| {
        let stuck = scope.spawn(|| {
            let blocked = world.shares(places, 0)?;
            beside_each_other(&blocked, |share| {
                let id = world.new_id()?;
                share.propose(&id, "blocked")?;
                world.pending(share, &id)?;
                world.decide(share, &id)?;
                world.release(share, &id, "RELEASED")
            })
        });
        world.effects.wait_until_blocked(places);
        let measured = releases();
        world.effects.unblock();
        stuck.join().map_err(|_| "a client panicked")??;
        measured
    })?;
    let name = "99th percentile of a release beside a blocked actuator / without";
    Ok(vec![Line::of_times(name, beside, idle, Aim::RatioAtMost(2.0))])
}

/// What one open stream of events takes, with as many open as the process may have.
pub(crate) fn streams() -> Result<Vec<Line>, Failure> {
    const WANTED: usize = 10_000;
    let world = World::new()?;
    // Each takes a descriptor at both ends, and both are in this process.
    let most = usize::try_from(crate::service_client::descriptors()?)?;
    let count = WANTED.min(most.saturating_sub(100) / 2);
    let before = memory()?;
    let mut open = Vec::new();
    for _ in 0..count {
        let mut client = Client::to(world.address)?;
        client.begin("GET", "/v1/events/stream?from=1", world.auditor.reveal(), "")?;
        open.push(client);
    }
    for client in &mut open {
        client.wait_for("id: 1")?;
    }
    let each = memory()?.saturating_sub(before) / u64::try_from(count.max(1))?;
    let name = if count == WANTED {
        "memory of one of 10,000 streams of events, both ends"
    } else {
        "memory of one of as many streams as may be open"
    };
    Ok(vec![Line { name, measured: Figure::Bytes(each), against: None, aim: Aim::None }])
}

/// A service and the library, on one ledger in one process.
struct World {
    ledger: Arc<LedgerCustody>,
    approvals: Arc<HeldApprovals>,
    effects: Arc<TwoActuators>,
    address: std::net::SocketAddr,
    agent: ApiKey,
    approver: ApiKey,
    auditor: ApiKey,
    ids: AtomicUsize,
    stopper: Option<Stopper>,
    runtime: Option<Runtime>,
    _home: Home,
}

/// What one caller has.
struct Share {
    execution: ExecutionId,
    client: std::sync::Mutex<Client>,
    token: String,
    approver: String,
    ids: Vec<ConsequenceId>,
}

impl World {
    fn new() -> Result<Self, Failure> {
        let home = Home::new()?;
        let ledger = Arc::new(home.create()?);
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        let owners: Arc<dyn Directory> = Arc::new(Owners::of(ledger.clone(), Arc::new(ByName)));
        let day = Duration::from_secs(24 * 60 * 60);
        let terms = Terms::new(Quorum::new(1, ["olga".parse()?])?, day, day)?;
        let kept = KeptRequests::of(ledger.clone());
        let approvals = Arc::new(Approvals::new(kept, clock.clone(), owners.clone(), terms)?);
        let [agent, approver, auditor] =
            [ApiKey::generate()?, ApiKey::generate()?, ApiKey::generate()?];
        let keys = KeyRing::new()
            .with("ann".parse()?, agent.hash(), [Role::Agent])?
            .with("olga".parse()?, approver.hash(), [Role::Approver])?
            .with("udo".parse()?, auditor.hash(), [Role::Auditor])?;
        let effects = Arc::new(TwoActuators::default());
        let mut limits = Limits::default();
        limits.requests_per_second = u32::MAX;
        limits.connections = 20_000;
        let authority: Arc<dyn AuthorityProvider> = approvals.clone();
        let parts = Parts {
            ledger: ledger.clone(),
            ledger_path: home.path(),
            authority,
            approvals: Some(approvals.clone()),
            principals: owners,
            effects: effects.clone(),
            clock,
            keys,
            checkpoint_key: None,
            limits,
        };
        let (stopper, stop) = Stopper::new();
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0"))?;
        let address = listener.local_addr()?;
        runtime.spawn(Service::new(parts, stop).serve(listener, None));
        Ok(Self {
            ledger,
            approvals,
            effects,
            address,
            agent,
            approver,
            auditor,
            ids: AtomicUsize::new(0),
            stopper: Some(stopper),
            runtime: Some(runtime),
            _home: home,
        })
    }

    fn new_id(&self) -> Result<ConsequenceId, Failure> {
        let number = self.ids.fetch_add(1, Ordering::Relaxed);
        Ok(format!("{number:09}").parse()?)
    }

    fn shares(&self, callers: usize, each: usize) -> Result<Vec<Share>, Failure> {
        let mut client = Client::to(self.address)?;
        let mut shares = Vec::new();
        for _ in 0..callers {
            let made = client.ask("POST", "/v1/executions", self.agent.reveal(), "{}")?;
            shares.push(Share {
                execution: text(&made, "execution_id")?.parse()?,
                client: Client::to(self.address)?.into(),
                token: text(&made, "token")?,
                approver: self.approver.reveal().to_owned(),
                ids: (0..each).map(|_| self.new_id()).collect::<Result<_, Failure>>()?,
            });
        }
        Ok(shares)
    }

    /// How long each life takes, and all of them beside each other.
    fn lives(
        &self,
        callers: usize,
        each: usize,
        life: impl Fn(&Self, &Share, &ConsequenceId) -> Result<(), Failure> + Sync,
    ) -> Result<(Duration, Vec<Duration>), Failure> {
        let shares = self.shares(callers, each)?;
        let taken = std::sync::Mutex::new(Vec::new());
        let whole = beside_each_other(&shares, |share| {
            let mut own = Vec::new();
            for id in &share.ids {
                let begun = Instant::now();
                life(self, share, id)?;
                own.push(begun.elapsed());
            }
            taken.lock().map_err(|_| "a caller panicked")?.extend(own);
            Ok(())
        })?;
        Ok((whole, taken.into_inner().map_err(|_| "a caller panicked")?))
    }

    fn over_http(&self, share: &Share, id: &ConsequenceId) -> Result<(), Failure> {
        self.allowed(share, id)?;
        self.release(share, id, "RELEASED")
    }

    /// Proposes, asks, looks and allows.
    fn allowed(&self, share: &Share, id: &ConsequenceId) -> Result<(), Failure> {
        share.propose(id, "inbox")?;
        self.pending(share, id)?;
        self.decide(share, id)
    }

    fn pending(&self, share: &Share, id: &ConsequenceId) -> Result<(), Failure> {
        self.release(share, id, "CONTAINED")
    }

    fn release(&self, share: &Share, id: &ConsequenceId, status: &str) -> Result<(), Failure> {
        let path = format!("/v1/consequences/{id}/release");
        let answer = share.ask("POST", &path, &share.token, "")?;
        if text(&answer, "status")? == status { Ok(()) } else { Err(answer.to_string().into()) }
    }

    fn decide(&self, share: &Share, id: &ConsequenceId) -> Result<(), Failure> {
        let path = format!("/v1/approvals/{id}");
        let sheet = share.ask("GET", &path, &share.approver, "")?;
        let digest = sheet.as_object().and_then(|sheet| sheet.get("request"));
        let digest = text(digest.ok_or("no request")?, "digest")?;
        let vote = format!(
            r#"{{"digest":{digest:?},"verdict":"ALLOW","reason":"read it all","window_seconds":60}}"#
        );
        share.ask("POST", &format!("{path}/decision"), &share.approver, &vote).map(drop)
    }

    fn by_library(&self, share: &Share, id: &ConsequenceId) -> Result<(), Failure> {
        submit(&self.ledger, &share.execution, id, note("to be released")?)?;
        let boundary = ReleaseBoundary::new(&self.ledger, &self.approvals, &Succeeds, SystemClock);
        let pending = boundary.release(&share.execution, id);
        if pending.reason().code() != Code::AuthorityPending {
            return Err(pending.reason().to_string().into());
        }
        let shown = self.approvals.show(id)?.digest();
        let ballot = Ballot {
            approver: "olga".parse()?,
            verdict: Verdict::Allow,
            reason: "read it all".into(),
            window: Duration::from_secs(60),
        };
        self.approvals.decide(id, &shown, &ballot)?;
        let released = boundary.release(&share.execution, id);
        match released.status() {
            ReleaseState::Released => Ok(()),
            _ => Err(released.reason().to_string().into()),
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        drop(self.stopper.take());
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(Duration::from_secs(1));
        }
    }
}

impl Share {
    fn ask(&self, method: &str, path: &str, credential: &str, body: &str) -> Result<Json, Failure> {
        let mut client = self.client.lock().map_err(|_| "a caller panicked")?;
        client.ask(method, path, credential, body)
    }

    fn propose(&self, id: &ConsequenceId, target: &str) -> Result<(), Failure> {
        let body = format!(
            r#"{{"consequence_id":"{id}","consequence_type":"note","target":{target:?},"payload":{{"text":"to be released","urgent":false}}}}"#
        );
        self.ask("POST", "/v1/consequences", &self.token, &body).map(drop)
    }
}

/// The lives of some rounds.
#[derive(Default)]
struct Lives {
    wholes: Vec<Duration>,
    each: Vec<Duration>,
    count: usize,
}

impl Lives {
    fn add(&mut self, (whole, each): (Duration, Vec<Duration>)) {
        self.count = each.len();
        self.wholes.push(whole);
        self.each.extend(each);
    }

    fn rate(&self) -> f64 {
        per_second(self.count, median(self.wholes.clone()))
    }

    fn percentile(&self, percent: usize) -> Duration {
        percentile(self.each.clone(), percent)
    }
}

/// One that succeeds at once, and one that does when it is let.
#[derive(Default)]
struct TwoActuators {
    blocked: Blocked,
}

#[derive(Default)]
struct Blocked {
    state: std::sync::Mutex<(usize, bool)>,
    changed: std::sync::Condvar,
}

impl TwoActuators {
    fn wait_until_blocked(&self, count: usize) {
        self.blocked.wait(|(entered, _)| *entered >= count);
    }

    fn unblock(&self) {
        self.blocked.change(|state| state.1 = true);
    }
}

impl Blocked {
    fn change(&self, change: impl FnOnce(&mut (usize, bool))) {
        let mut state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        change(&mut state);
        self.changed.notify_all();
    }

    fn wait(&self, until: impl Fn(&(usize, bool)) -> bool) {
        let state = self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        drop(self.changed.wait_while(state, |state| !until(state)));
    }
}

impl Actuator for Blocked {
    fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        self.change(|state| state.0 += 1);
        self.wait(|(_, free)| *free);
        Succeeds.actuate(admission)
    }

    fn name(&self) -> &str {
        "blocked"
    }
}

impl Effects for TwoActuators {
    fn admit(&self, _: &Material) -> Result<(), NoEffect> {
        Ok(())
    }

    fn actuator(&self, material: &Material) -> Result<&dyn Actuator, NoEffect> {
        match &**material.target() {
            "blocked" => Ok(&self.blocked),
            _ => Ok(&Succeeds),
        }
    }
}

fn text(document: &Json, name: &str) -> Result<String, Failure> {
    let found = document.as_object().and_then(|object| object.get(name)).and_then(Json::as_str);
    Ok(found.ok_or_else(|| format!("no `{name}` in {document}"))?.to_owned())
}
