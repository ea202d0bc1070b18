use std::time::Duration;

use swampbox_authority::{AuthorityProvider, AuthorityRequest, Clock, DecisionDocument, Verdict};
use swampbox_custody::{ConsequenceId, Custody, Snapshot};
use swampbox_ledger::LedgerCustody;
use swampbox_material::Code;
use swampbox_policy::approvals::{
    Approvals, Ballot, ByName, Entry, Footing, MemoryShelf, Quorum, Shelf, Terms, rules,
};
use swampbox_service::KeptRequests;

use crate::Failure;
use crate::decide::{decisions, request};
use crate::ledger_world::Home;
use crate::measure::{in_turns, timed};
use crate::report::{Aim, Line};
use crate::world::{SystemClock, note, register, submit};

/// Decisions while many requests are pending, against one while one is: how long it takes to answer
/// with what people have decided, and how long to ask, vote, answer and use the decision up.
pub(crate) fn approvals() -> Result<Vec<Line>, Failure> {
    let names = [
        "approvals in memory, 1,000 pending / 1: answer",
        "approvals in memory, 100,000 pending / 1: answer",
        "approvals in memory, 1,000 pending / 1: ask to use",
        "approvals in memory, 100,000 pending / 1: ask to use",
    ];
    let in_memory = compared(names, [in_memory(1)?, in_memory(1_000)?, in_memory(100_000)?])?;
    let names = [
        "approvals in a ledger, 1,000 pending / 1: answer",
        "approvals in a ledger, 100,000 pending / 1: answer",
        "approvals in a ledger, 1,000 pending / 1: ask to use",
        "approvals in a ledger, 100,000 pending / 1: ask to use",
    ];
    let homes = [Home::new()?, Home::new()?, Home::new()?];
    let [one, some, many] = &homes;
    let queues = [in_ledger(one, 1)?, in_ledger(some, 1_000)?, in_ledger(many, 100_000)?];
    let in_ledger = compared(names, queues)?;
    Ok(in_memory.into_iter().chain(in_ledger).collect())
}

fn compared<S: Shelf>(
    names: [&'static str; 4],
    [one, some, many]: [Queue<S>; 3],
) -> Result<Vec<Line>, Failure> {
    const ROUNDS: usize = 51;
    const TOGETHER: u32 = 20;
    let answer = |queue: &Queue<S>| decisions(&queue.approvals, &queue.allowed, TOGETHER);
    let answers = in_turns(ROUNDS, [&|| answer(&one), &|| answer(&some), &|| answer(&many)])?;
    let lives = in_turns(ROUNDS, [&|| one.life(), &|| some.life(), &|| many.life()])?;
    let measured = [answers, lives]
        .into_iter()
        .flat_map(|[one, some, many]| [(some, one, Aim::None), (many, one, Aim::RatioAtMost(1.5))]);
    let lines = names.into_iter().zip(measured);
    let lines = lines.map(|(name, (measured, one, aim))| Line::of_times(name, measured, one, aim));
    Ok(lines.collect())
}

/// A shelf with pending requests, and two consequences beside them.
struct Queue<S> {
    approvals: Approvals<S, SystemClock, ByName>,
    /// Allowed already.
    allowed: AuthorityRequest,
    /// Asked for, allowed and used up, time and again.
    living: AuthorityRequest,
}

impl<S: Shelf> Queue<S> {
    fn new(shelf: S, allowed: AuthorityRequest, living: AuthorityRequest) -> Result<Self, Failure> {
        let approvals = Approvals::new(shelf, SystemClock, ByName, terms()?)?;
        let queue = Self { approvals, allowed, living };
        queue.decide(&queue.allowed)?;
        Ok(queue)
    }

    fn life(&self) -> Result<Duration, Failure> {
        timed(|| {
            let decision = self.decide(&self.living)?;
            Ok(self.approvals.stands(&self.living, &decision)?)
        })
    }

    /// Asks, votes and asks again.
    fn decide(&self, request: &AuthorityRequest) -> Result<DecisionDocument, Failure> {
        match self.approvals.evaluate(request) {
            Err(none) if none.code() == Code::AuthorityPending => {}
            _ => return Err("there was a decision before the vote".into()),
        }
        let consequence = &request.snapshot.consequence_id;
        let shown = self.approvals.show(consequence)?.digest();
        let ballot = Ballot {
            approver: "olga".parse()?,
            verdict: Verdict::Allow,
            reason: "read it all".into(),
            window: Duration::from_secs(60 * 60),
        };
        self.approvals.decide(consequence, &shown, &ballot)?;
        Ok(self.approvals.evaluate(request)?)
    }
}

fn terms() -> Result<Terms, Failure> {
    let day = Duration::from_secs(24 * 60 * 60);
    Ok(Terms::new(Quorum::new(1, ["olga".parse()?])?, day, day)?)
}

fn in_memory(pending: usize) -> Result<Queue<MemoryShelf>, Failure> {
    let shelf = MemoryShelf::new();
    let AuthorityRequest { snapshot, evaluated_at } = request("pending")?;
    let (agent, terms) = ("agent".parse()?, terms()?);
    let footing = Footing::new(&terms, 0, None);
    for number in 0..pending {
        let consequence: ConsequenceId = format!("pending-{number}").parse()?;
        let snapshot = Snapshot { consequence_id: consequence.clone(), ..snapshot.clone() };
        let id = format!("approval-{number}").parse()?;
        let (asked_by, footing) = ("agent".parse()?, footing.clone());
        let request = rules::ask(&snapshot, &agent, id, asked_by, &terms, footing, evaluated_at)?;
        let entry = Entry {
            consequence,
            execution: agent.clone(),
            state: request.state(),
            document: request.to_document(),
        };
        shelf.put(entry, None)?.ok_or("two requests have one id")?;
    }
    Queue::new(shelf, request("allowed")?, request("living")?)
}

fn in_ledger(home: &Home, pending: usize) -> Result<Queue<KeptRequests>, Failure> {
    let custody = home.create()?;
    let agent = register(&custody, "agent")?;
    for id in ["original", "allowed", "living"] {
        submit(&custody, &agent, &id.parse()?, note("to be decided about")?)?;
    }
    let asked = |custody: &LedgerCustody, id: &str| {
        let snapshot = custody.request_release(&agent, &id.parse()?)?;
        Ok::<_, Failure>(AuthorityRequest { snapshot, evaluated_at: SystemClock.now()? })
    };
    let original = asked(&custody, "original")?;
    let approvals =
        Approvals::new(KeptRequests::of(custody.into()), SystemClock, ByName, terms()?)?;
    drop(approvals.evaluate(&original));
    drop(approvals);
    copy(home, pending)?;
    let custody = home.open()?;
    let (allowed, living) = (asked(&custody, "allowed")?, asked(&custody, "living")?);
    Queue::new(KeptRequests::of(custody.into()), allowed, living)
}

/// Adds copies of the one request until so many are pending. Their events are no chain, and their
/// digests are the original's: neither opening nor writing looks at what is there.
///
/// Nothing is lost if this fails, and so nothing waits for the disk before the end.
fn copy(home: &Home, pending: usize) -> Result<(), Failure> {
    let connection = home.sql()?;
    connection.pragma_update(None, "journal_mode", "OFF")?;
    connection.pragma_update(None, "synchronous", "OFF")?;
    connection.pragma_update(None, "foreign_keys", false)?;
    connection.execute_batch("BEGIN")?;
    connection.execute(
        "CREATE TEMP TABLE copies AS
         WITH RECURSIVE copies (number) AS (
             SELECT 1 UNION ALL SELECT number + 1 FROM copies WHERE number < ?1
         )
         SELECT number, printf('%09d', number) AS id, last + number AS sequence
         FROM copies CROSS JOIN (SELECT max(sequence) AS last FROM events) WHERE number < ?1",
        [i64::try_from(pending)?],
    )?;
    connection.execute_batch(
        "INSERT INTO events (sequence, at, kind, execution, recipient, consequence, body, previous,
             hash)
         SELECT copies.sequence, at, kind, execution, recipient, consequence,
             replace(body, 'original', copies.id), previous, hash
         FROM copies CROSS JOIN (
             SELECT * FROM events WHERE sequence = (SELECT version FROM records)
         );

         INSERT INTO records (kind, id, version, status, document)
         SELECT kind, copies.id, copies.sequence, status, replace(document, 'original', copies.id)
         FROM copies CROSS JOIN (SELECT * FROM records WHERE id = 'original');

         COMMIT;",
    )?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    Ok(())
}
