//! The events, one after the other.

use rusqlite::{Connection, Row};
use swampbox_authority::Timestamp;
use swampbox_material::Shown;
use swampbox_material::json::Json;

use super::replay::Replay;
use super::{Discrepancy, Expectations, Location};
use crate::change::Change;
use crate::checkpoint::Checkpoint;
use crate::error::LedgerProblem;
use crate::event::{Event, Hash, Head, Kind, Subjects};
use crate::keys::PublicKey;
use crate::{format, hex};

/// What the events came to.
pub(super) struct Chain {
    pub(super) head: Head,
    pub(super) replay: Replay,
    pub(super) checkpoints: u64,
    pub(super) signed_events: u64,
    pub(super) keys: Vec<PublicKey>,
}

/// Reads every event once, without holding any longer than that.
pub(super) fn read(
    connection: &Connection,
    ledger: &str,
    expectations: &Expectations,
) -> Result<Chain, LedgerProblem> {
    let chain = Chain {
        head: Head::genesis(ledger),
        replay: Replay::default(),
        checkpoints: 0,
        signed_events: 0,
        keys: Vec::new(),
    };
    let linked = format::of(connection)? >= format::LINKED;
    let mut reader = Reader { ledger, expectations, linked, chain };
    reader.expected_are_about_this()?;
    reader.expected_here()?;
    let columns = Event::COLUMNS;
    let events = match reader.linked {
        true => format!(
            "SELECT {columns}, {SUBJECTS}, before FROM events LEFT JOIN links USING (sequence)"
        ),
        false => format!("SELECT {columns}, {SUBJECTS} FROM events"),
    };
    let events = format!("{events} ORDER BY sequence");
    let mut events = connection.prepare(&events)?;
    let mut rows = events.query([])?;
    while let Some(row) = rows.next()? {
        reader.event(row)?;
        reader.expected_here()?;
    }
    reader.expected_are_covered()?;
    reader.somebody_trusted_signed()?;
    Ok(reader.chain)
}

/// The columns that are there for finding an event, after those of [`Event::COLUMNS`].
const SUBJECTS: &str = "execution, recipient, consequence";

struct Reader<'r> {
    ledger: &'r str,
    expectations: &'r Expectations,
    /// Whether events about a consequence lead to each other.
    linked: bool,
    chain: Chain,
}

impl Reader<'_> {
    fn event(&mut self, row: &Row<'_>) -> Result<(), LedgerProblem> {
        let head = self.chain.head;
        let sequence = head.length + 1;
        let differs = |expected: &str, found: &str| differs(sequence, expected, found);
        let event = Event::read(row);
        let event = event.map_err(|error| differs("a well-formed row", &error.to_string()))?;
        if event.sequence != sequence {
            let found = format!("event {} next", event.sequence);
            return Err(differs("it to be there", &found).into());
        }
        if event.previous != head.hash {
            let expected = format!("the hash before it to be {}", hex::encode(&head.hash));
            return Err(differs(&expected, &hex::encode(&event.previous)).into());
        }
        let next = head.after(event.at.as_deref(), &event.kind, &event.body);
        if event.hash != next.hash {
            let expected = format!("its hash to be {}", hex::encode(&next.hash));
            return Err(differs(&expected, &hex::encode(&event.hash)).into());
        }
        if event.at.as_deref().is_some_and(|at| at.parse::<Timestamp>().is_err()) {
            return Err(differs("a time in RFC 3339", "something else").into());
        }
        let Some(kind) = Kind::from_name(&event.kind) else {
            let found = Shown::brief(&event.kind).to_string();
            return Err(differs("a kind that this program writes", &found).into());
        };
        let body = Json::read(event.body.as_bytes());
        let body = body.map_err(|error| differs("a JSON body", &error.to_string()))?;
        if body.to_string() != event.body {
            return Err(differs("its body as this program writes it", "other spelling").into());
        }
        let subjects = Subjects::of(kind, &body);
        self.subjects(sequence, row, subjects)?;
        let change = Change::read(kind, &body);
        let change = change.map_err(|why| differs("a body that fits its kind", &why))?;
        if let Change::Checkpoint(checkpoint) = &change {
            self.checkpoint(sequence, checkpoint, event.previous)?;
        }
        self.expected_stands_here(sequence, &change)?;
        self.chain
            .replay
            .apply(sequence, change)
            .map_err(|impossible| differs(&impossible.expected, &impossible.found))?;
        let before = subjects.consequence.and_then(|id| self.chain.replay.tell(sequence, id, kind));
        if self.linked {
            link(sequence, row, before)?;
        }
        self.chain.head = next;
        Ok(())
    }

    /// That the event is found by whom it is about, and by nobody else.
    fn subjects(
        &self,
        sequence: u64,
        row: &Row<'_>,
        subjects: Subjects<'_>,
    ) -> Result<(), LedgerProblem> {
        let columns = [
            ("execution", subjects.execution),
            ("recipient", subjects.recipient),
            ("consequence", subjects.consequence),
        ];
        for (name, expected) in columns {
            let found: Option<String> = row.get(name)?;
            if found.as_deref() != expected {
                let shown = |text: Option<&str>| match text {
                    Some(text) => format!("its {name} column to hold {}", Shown::brief(text)),
                    None => format!("its {name} column to be empty"),
                };
                let found = found
                    .as_deref()
                    .map_or("nothing".into(), |text| Shown::brief(text).to_string());
                return Err(differs(sequence, &shown(expected), &found).into());
            }
        }
        Ok(())
    }

    /// A checkpoint among the events covers all that were there when it was signed.
    fn checkpoint(
        &mut self,
        sequence: u64,
        checkpoint: &Checkpoint,
        previous: Hash,
    ) -> Result<(), LedgerProblem> {
        if checkpoint.ledger() != self.ledger {
            let expected = format!("a checkpoint of ledger {}", Shown::brief(self.ledger));
            let found = format!("one of {}", Shown::brief(checkpoint.ledger()));
            return Err(differs(sequence, &expected, &found).into());
        }
        let covered = Head { length: sequence - 1, hash: previous };
        if checkpoint.covers() != covered {
            let expected = format!("a checkpoint over {}", described(covered));
            let found = format!("one over {}", described(checkpoint.covers()));
            return Err(differs(sequence, &expected, &found).into());
        }
        self.trusted(checkpoint, Location::Event(sequence))?;
        self.chain.checkpoints += 1;
        self.signed_by(checkpoint);
        Ok(())
    }

    fn trusted(&self, checkpoint: &Checkpoint, at: Location) -> Result<(), LedgerProblem> {
        let trusted = &self.expectations.trusted_keys;
        if trusted.is_empty() || trusted.contains(&checkpoint.key()) {
            return Ok(());
        }
        let found = format!("the key {}", checkpoint.key());
        Err(Discrepancy::new(at, "a signature by a trusted key", found).into())
    }

    fn signed_by(&mut self, checkpoint: &Checkpoint) {
        self.chain.signed_events = self.chain.signed_events.max(checkpoint.length());
        if !self.chain.keys.contains(&checkpoint.key()) {
            self.chain.keys.push(checkpoint.key());
        }
    }

    fn expected_are_about_this(&self) -> Result<(), LedgerProblem> {
        for checkpoint in &self.expectations.checkpoints {
            let at = Location::Checkpoint(checkpoint.length());
            if checkpoint.ledger() != self.ledger {
                let expected = format!("ledger {}", Shown::brief(checkpoint.ledger()));
                let found = format!("ledger {}", Shown::brief(self.ledger));
                return Err(Discrepancy::new(at, expected, found).into());
            }
            self.trusted(checkpoint, at)?;
        }
        Ok(())
    }

    /// Compares the checkpoints that end here with what is here.
    fn expected_here(&mut self) -> Result<(), LedgerProblem> {
        let (expectations, head) = (self.expectations, self.chain.head);
        let here = |checkpoint: &&Checkpoint| checkpoint.length() == head.length;
        for checkpoint in expectations.checkpoints.iter().filter(here) {
            if checkpoint.covers() != head {
                let at = Location::Checkpoint(head.length);
                let expected = format!("the last of them to have the hash {}", checkpoint.head());
                return Err(Discrepancy::new(at, expected, hex::encode(&head.hash)).into());
            }
            self.signed_by(checkpoint);
        }
        Ok(())
    }

    /// A checkpoint is an event itself, right after those that it covers. One that was kept elsewhere
    /// shows that it was taken out.
    fn expected_stands_here(&self, sequence: u64, change: &Change) -> Result<(), LedgerProblem> {
        let covered_here =
            |checkpoint: &&Checkpoint| checkpoint.length().saturating_add(1) == sequence;
        match self.expectations.checkpoints.iter().find(covered_here) {
            Some(expected) if !matches!(change, Change::Checkpoint(found) if **found == *expected) =>
            {
                let wanted = format!("the checkpoint over {}", described(expected.covers()));
                Err(differs(sequence, &wanted, "another event").into())
            }
            _ => Ok(()),
        }
    }

    /// Whoever names a key expects that something is signed with it.
    fn somebody_trusted_signed(&self) -> Result<(), LedgerProblem> {
        if self.expectations.trusted_keys.is_empty() || !self.chain.keys.is_empty() {
            return Ok(());
        }
        let at = Location::Checkpoint(self.chain.head.length);
        Err(Discrepancy::new(at, "a checkpoint by a trusted key", "none at all").into())
    }

    fn expected_are_covered(&self) -> Result<(), LedgerProblem> {
        let length = self.chain.head.length;
        // It is an event itself, after those that it covers.
        let beyond = |checkpoint: &&Checkpoint| checkpoint.length() >= length;
        match self.expectations.checkpoints.iter().find(beyond) {
            None => Ok(()),
            Some(checkpoint) => {
                let at = Location::Checkpoint(checkpoint.length());
                let found = format!("a history that ends after {length}");
                Err(Discrepancy::new(at, "as many events, and the checkpoint after them", found)
                    .into())
            }
        }
    }
}

/// That the event leads to the one before it about the same consequence.
fn link(sequence: u64, row: &Row<'_>, expected: Option<u64>) -> Result<(), LedgerProblem> {
    let shown =
        |before: Option<String>| before.map_or("none".into(), |to| format!("a link to {to}"));
    let found = shown(row.get::<_, Option<i64>>("before")?.map(|before| before.to_string()));
    let expected = shown(expected.map(|before| before.to_string()));
    if found == expected {
        return Ok(());
    }
    let at = Location::Row { table: "links", key: sequence.to_string() };
    Err(Discrepancy::new(at, expected, found).into())
}

fn described(head: Head) -> String {
    format!("{} events with the hash {}", head.length, hex::encode(&head.hash))
}

fn differs(sequence: u64, expected: &str, found: &str) -> Discrepancy {
    Discrepancy::new(Location::Event(sequence), expected, found)
}
