use std::sync::Mutex;
use std::time::{Duration, Instant};

use swampbox_authority::Verdict;
use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorOutcome, ActuatorReport, Admission};
use swampbox_custody::{ConsequenceId, Custody, ExecutionId, ReleaseState, Submission};
use swampbox_ledger::new_id;
use swampbox_material::{Code, Map, Material, Value};
use swampbox_policy::approvals::Ballot;

use crate::Failure;
use crate::ledger_world::beside_each_other;
use crate::measure::{median, per_second, percentile};
use crate::report::{Aim, Figure, Line};
use crate::service_world::{APPROVER, Base, Client, Served};
use crate::world::register;

/// The names of what is measured with so many clients.
macro_rules! names {
    ($clients:literal) => {
        [
            concat!("service, ", $clients, " / library: lives"),
            concat!("service, ", $clients, " / library: propose, 50th percentile"),
            concat!("service, ", $clients, " / library: propose, 99th percentile"),
            concat!("service, ", $clients, " / library: decide, 50th percentile"),
            concat!("service, ", $clients, " / library: decide, 99th percentile"),
            concat!("service, ", $clients, " / library: release, 50th percentile"),
            concat!("service, ", $clients, " / library: release, 99th percentile"),
        ]
    };
}

/// How many clients there are, and the names of what is measured with so many.
const CLIENTS: [(usize, [&str; 7]); 3] =
    [(1, names!("1 client")), (8, names!("8 clients")), (64, names!("64 clients"))];

/// How often each side has its turn.
const ROUNDS: usize = 5;

/// How many consequences live in a turn, whoever makes them, and how many more for each client.
const LIVES: usize = 96;
const LIVES_EACH: usize = 16;

/// Proposals, decisions and releases over HTTP, by so many clients with a connection each, against as many
/// threads that use the library on another ledger of the same disk, in turns, so that a slow moment of the
/// machine meets both. Each consequence is proposed, asked for, shown and allowed, and released. To decide
/// takes two requests, and one more asks for the decision.
pub(crate) fn beside_the_library() -> Result<Vec<Line>, Failure> {
    let mut lines = Vec::new();
    for (clients, names) in CLIENTS {
        let each = LIVES.div_ceil(clients) + LIVES_EACH;
        let served = Served::new(vec![Box::new(At("notes"))])?;
        let remotes = (0..clients).map(|_| served.client()).collect::<Result<Vec<_>, _>>()?;
        let base = Base::new()?;
        let execution = |number| register(&base.ledger, &format!("agent-{number}"));
        let locals = (0..clients).map(execution).collect::<Result<Vec<_>, _>>()?;
        let in_the_library = |execution: &ExecutionId| live_in_the_library(&base, execution);
        let (mut http, mut library) = (Lives::default(), Lives::default());
        for _ in 0..ROUNDS {
            http.go_on(&remotes, each, live_over_http)?;
            library.go_on(&locals, each, in_the_library)?;
        }
        lines.extend(compared(names, clients, each, http, library));
    }
    Ok(lines)
}

/// The times of the steps of one life: to propose, to decide and to release.
type Steps = [Duration; 3];

/// How long the lives of each turn took in all, and the steps of each life.
#[derive(Default)]
struct Lives {
    took: Vec<Duration>,
    steps: Vec<Steps>,
}

impl Lives {
    fn go_on<T: Sync>(
        &mut self,
        actors: &[T],
        each: usize,
        live: impl Fn(&T) -> Result<Steps, Failure> + Sync,
    ) -> Result<(), Failure> {
        // Each first one only warms up.
        beside_each_other(actors, |actor| live(actor).map(drop))?;
        let steps = Mutex::new(&mut self.steps);
        self.took.push(beside_each_other(actors, |actor| {
            let own = (0..each).map(|_| live(actor)).collect::<Result<Vec<_>, _>>()?;
            steps.lock().map_err(|_| "a thread panicked")?.extend(own);
            Ok(())
        })?);
        Ok(())
    }
}

fn compared(
    names: [&'static str; 7],
    clients: usize,
    each: usize,
    http: Lives,
    library: Lives,
) -> Vec<Line> {
    let [rate, quantiles @ ..] = names;
    let rate_of = |lives: &Lives| per_second(clients * each, median(lives.took.clone()));
    let (ours, theirs) = (rate_of(&http), rate_of(&library));
    let aim = if clients == 64 { Aim::RatioAtLeast(0.5) } else { Aim::None };
    let rate = Line {
        name: rate,
        measured: Figure::PerSecond(ours),
        against: Some((Figure::PerSecond(theirs), ours / theirs)),
        aim,
    };
    let mut lines = vec![rate];
    let quantiles =
        quantiles.into_iter().zip([(0, 50), (0, 99), (1, 50), (1, 99), (2, 50), (2, 99)]);
    lines.extend(quantiles.map(|(name, (step, percent))| {
        let of = |lives: &Lives| {
            let times = lives.steps.iter().filter_map(|steps| steps.get(step).copied());
            percentile(times.collect(), percent)
        };
        Line::of_times(name, of(&http), of(&library), Aim::None)
    }));
    lines
}

fn live_over_http(client: &Client) -> Result<Steps, Failure> {
    let begun = Instant::now();
    let id = client.propose("notes")?;
    let proposed = begun.elapsed();
    client.ask(&id)?;
    let asked = begun.elapsed();
    client.decide(&id)?;
    let decided = begun.elapsed();
    client.release(&id)?;
    Ok([proposed, decided - asked, begun.elapsed() - decided])
}

fn live_in_the_library(base: &Base, execution: &ExecutionId) -> Result<Steps, Failure> {
    let boundary = base.boundary(At("notes"));
    let begun = Instant::now();
    let consequence: ConsequenceId = new_id().parse()?;
    let payload = Value::Map(Map::new([("text", Value::from("x"))])?);
    base.ledger.submit(Submission {
        execution: execution.clone(),
        consequence: consequence.clone(),
        material: Material::new("note", "notes", payload),
        parent: None,
    })?;
    let proposed = begun.elapsed();
    let pending = boundary.release(execution, &consequence);
    if pending.reason().code() != Code::AuthorityPending {
        return Err(pending.reason().to_string().into());
    }
    let asked = begun.elapsed();
    let shown = base.approvals.show(&consequence)?.digest();
    let ballot = Ballot {
        approver: APPROVER.parse()?,
        verdict: Verdict::Allow,
        reason: "r".into(),
        window: Duration::from_secs(3600),
    };
    base.approvals.decide(&consequence, &shown, &ballot)?;
    let decided = begun.elapsed();
    let result = boundary.release(execution, &consequence);
    if result.status() != ReleaseState::Released {
        return Err(result.reason().to_string().into());
    }
    Ok([proposed, decided - asked, begun.elapsed() - decided])
}

/// Succeeds at once, for the target of its name.
pub(crate) struct At(pub(crate) &'static str);

impl Actuator for At {
    fn actuate(&self, _: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        Ok(ActuatorOutcome::Succeeded.into())
    }

    fn name(&self) -> &str {
        self.0
    }
}

/// How long releases take over HTTP, one after the other.
pub(crate) fn releases(client: &Client, count: usize) -> Result<Vec<Duration>, Failure> {
    (0..count).map(|_| Ok(live_over_http(client)?[2])).collect()
}

/// The medians of those, to be compared.
pub(crate) fn middle(times: &[Duration]) -> Duration {
    median(times.to_vec())
}
