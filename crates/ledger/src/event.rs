//! The history: events, each with the hash of the one before it.

use rusqlite::{Connection, OptionalExtension, Row};
use sha2::{Digest, Sha256};
use swampbox_material::json::{Json, MAX_DOCUMENT_BYTES, MAX_DOCUMENT_VALUES};

use crate::error::Failure;
use crate::hex;
use crate::rows::{from_integer, to_integer};

/// The greatest length of an event's body, in bytes. A line of an export holds the body as a JSON
/// string, so with its quotes escaped, and has to be read again as one document.
pub(crate) const MAX_BODY_BYTES: usize = MAX_DOCUMENT_BYTES / 2 - 1024;

/// A hash in the chain.
pub(crate) type Hash = [u8; 32];

/// One thing that happened, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// Its place in the history, from 1.
    pub sequence: u64,
    /// When it was committed, in RFC 3339; none if the clock could not be read then.
    pub at: Option<String>,
    /// What kind of thing happened.
    pub kind: String,
    /// What happened, as JSON text. The hash covers exactly these bytes.
    pub body: String,
    /// The hash of the event before it; of the first, the hash of the ledger's id.
    pub previous: [u8; 32],
    /// The hash of this event, which covers `previous` and everything above.
    pub hash: [u8; 32],
}

impl Event {
    /// The columns that [`Event::read`] reads, in its order.
    pub(crate) const COLUMNS: &'static str = "sequence, at, kind, body, previous, hash";

    /// The longest of them.
    pub(crate) const BODY: usize = 3;

    pub(crate) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            sequence: from_integer(row.get(0)?),
            at: row.get(1)?,
            kind: row.get(2)?,
            body: row.get(3)?,
            previous: row.get(4)?,
            hash: row.get(5)?,
        })
    }

    /// The event as a document, its body as text, exactly as it is stored.
    pub fn to_document(&self) -> Json {
        Json::object([
            ("sequence", Json::from(self.sequence)),
            ("at", self.at.as_deref().map_or(Json::Null, Json::from)),
            ("kind", Json::from(self.kind.as_str())),
            ("body", Json::from(self.body.as_str())),
            ("previous", Json::from(hex::encode(&self.previous).as_str())),
            ("hash", Json::from(hex::encode(&self.hash).as_str())),
        ])
    }
}

/// What kind of thing happened. The names are part of the stored format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Registered,
    Bound,
    Reaped,
    Ended,
    Quarantined,
    Submitted,
    Transferred,
    Adopted,
    Refused,
    Marked,
    Settled,
    Recovered,
    SettlementRefused,
    Resolved,
    Recorded,
    Checkpoint,
}

impl Kind {
    const ALL: [Kind; 16] = [
        Kind::Registered,
        Kind::Bound,
        Kind::Reaped,
        Kind::Ended,
        Kind::Quarantined,
        Kind::Submitted,
        Kind::Transferred,
        Kind::Adopted,
        Kind::Refused,
        Kind::Marked,
        Kind::Settled,
        Kind::Recovered,
        Kind::SettlementRefused,
        Kind::Resolved,
        Kind::Recorded,
        Kind::Checkpoint,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Kind::Registered => "execution_registered",
            Kind::Bound => "execution_bound",
            Kind::Reaped => "execution_reaped",
            Kind::Ended => "execution_ended",
            Kind::Quarantined => "consequence_quarantined",
            Kind::Submitted => "consequence_submitted",
            Kind::Transferred => "consequence_transferred",
            Kind::Adopted => "consequence_adopted",
            Kind::Refused => "release_refused",
            Kind::Marked => "attempt_marked",
            Kind::Settled => "attempt_settled",
            Kind::Recovered => "attempt_recovered",
            Kind::SettlementRefused => "settlement_refused",
            Kind::Resolved => "resolution_attached",
            Kind::Recorded => "record_put",
            Kind::Checkpoint => "checkpoint_signed",
        }
    }

    /// Whether a consequence is in other hands afterwards, or in somebody's for the first time.
    pub(crate) fn changes_custody(self) -> bool {
        matches!(self, Kind::Submitted | Kind::Transferred | Kind::Quarantined | Kind::Adopted)
    }

    /// Whether the row of the execution that it is about is different afterwards.
    pub(crate) fn changes_executions(self) -> bool {
        matches!(self, Kind::Registered | Kind::Ended)
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

/// Whom an event is about. Stored in columns of their own, so that the event can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Subjects<'b> {
    pub(crate) execution: Option<&'b str>,
    /// The execution that a consequence was transferred to.
    pub(crate) recipient: Option<&'b str>,
    pub(crate) consequence: Option<&'b str>,
}

impl<'b> Subjects<'b> {
    pub(crate) fn of(kind: Kind, body: &'b Json) -> Self {
        let field = |name| body.as_object()?.get(name)?.as_str();
        let (execution, recipient) = match kind {
            Kind::Submitted => ("origin_execution_id", None),
            Kind::Transferred => ("source", field("target")),
            _ => ("execution_id", None),
        };
        Self { execution: field(execution), recipient, consequence: field("consequence_id") }
    }
}

/// The end of the chain: how many events there are, and the hash of the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) length: u64,
    pub(crate) hash: Hash,
}

impl Head {
    /// Of a chain without events: the hash of the ledger's id, so that no event of one ledger fits
    /// into another.
    pub(crate) fn genesis(ledger: &str) -> Self {
        Self { length: 0, hash: Sha256::digest(ledger.as_bytes()).into() }
    }

    /// The end of the chain as it is stored.
    pub(crate) fn stored(connection: &Connection, ledger: &str) -> Result<Self, Failure> {
        let last = "SELECT sequence, hash FROM events ORDER BY sequence DESC LIMIT 1";
        let last = connection
            .prepare_cached(last)?
            .query_row([], |row| Ok(Self { length: from_integer(row.get(0)?), hash: row.get(1)? }))
            .optional()?;
        Ok(last.unwrap_or_else(|| Self::genesis(ledger)))
    }

    /// The end of the chain with one event more.
    pub(crate) fn after(self, at: Option<&str>, kind: &str, body: &str) -> Self {
        let length = self.length + 1;
        let mut hasher = Sha256::new();
        hasher.update(self.hash);
        hasher.update(length.to_be_bytes());
        // A length before each text, so that no two different events are hashed alike.
        for text in [at.unwrap_or_default(), kind, body] {
            hasher.update((text.len() as u64).to_be_bytes());
            hasher.update(text.as_bytes());
        }
        Self { length, hash: hasher.finalize().into() }
    }
}

/// Adds an event to the chain that ends at `head`, and gives its new end.
pub(crate) fn append(
    connection: &Connection,
    head: Head,
    at: Option<&str>,
    kind: Kind,
    body: &Json,
) -> Result<Head, Failure> {
    let text = body.to_string();
    if !can_be_read_again(&text) {
        return Err(Failure::TooLarge(MAX_BODY_BYTES));
    }
    let next = head.after(at, kind.as_str(), &text);
    let event = Event {
        sequence: next.length,
        at: at.map(str::to_owned),
        kind: kind.as_str().to_owned(),
        body: text,
        previous: head.hash,
        hash: next.hash,
    };
    insert(connection, &event, Subjects::of(kind, body))?;
    Ok(next)
}

/// Whether a body, and the line of an export that holds it, is within the bounds of a document. A
/// value takes two bytes or more, so only a long text can have too many of them.
fn can_be_read_again(body: &str) -> bool {
    body.len() <= 2 * MAX_DOCUMENT_VALUES
        || (body.len() <= MAX_BODY_BYTES && Json::read(body.as_bytes()).is_ok())
}

/// Stores an event as it is. The consequence that it is about, if it is there, leads to it from then on.
///
/// To fail rather than to abort saves SQLite a copy of each page that it changes: nothing stands in the way
/// of an event that the writer adds, and whoever adds another one takes back all if it does not fit.
pub(crate) fn insert(
    connection: &Connection,
    event: &Event,
    subjects: Subjects<'_>,
) -> Result<(), Failure> {
    connection
        .prepare_cached(
            "INSERT OR FAIL INTO events (sequence, at, kind, execution, recipient, consequence, body,
                 previous, hash)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute((
            to_integer(event.sequence)?,
            &event.at,
            &event.kind,
            subjects.execution,
            subjects.recipient,
            subjects.consequence,
            &event.body,
            event.previous,
            event.hash,
        ))?;
    Ok(())
}
