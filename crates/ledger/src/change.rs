//! What an event says, read back from its body.

use std::str::FromStr;

use swampbox_custody::{
    AttemptId, AttemptRecord, ConsequenceId, DecisionId, ExecutionId, ReleaseState, Settlement,
    Snapshot,
};
use swampbox_material::json::{Fields, Json};
use swampbox_material::{Material, MaterialError, Path};

use crate::attempts::{self, AttemptRow, Intent};
use crate::checkpoint::Checkpoint;
use crate::event::Kind;
use crate::hex;
use crate::instance;
use crate::records::NewRecord;
use crate::resolution::Resolution;

/// What an event changed, with all that its body says about it.
#[derive(Debug)]
pub(crate) enum Change {
    Registered(ExecutionId),
    /// With the binding as text.
    Bound(ExecutionId, String),
    Reaped(ExecutionId),
    Ended(ExecutionId),
    Quarantined(ConsequenceId, ExecutionId),
    Submitted(Box<Snapshot>),
    Transferred {
        consequence: ConsequenceId,
        source: ExecutionId,
        target: ExecutionId,
    },
    Adopted(ConsequenceId, ExecutionId),
    Marked(Box<AttemptRow>),
    Settled(Settled),
    Resolved(ConsequenceId, Resolution),
    Recorded(Box<NewRecord>),
    Checkpoint(Box<Checkpoint>),
    /// It is noted, and changed nothing.
    Nothing,
}

/// How an attempt ended.
#[derive(Debug)]
pub(crate) struct Settled {
    pub(crate) attempt: AttemptId,
    pub(crate) fence: u64,
    pub(crate) execution: ExecutionId,
    pub(crate) consequence: ConsequenceId,
    pub(crate) settlement: Settlement,
    pub(crate) detail: String,
}

/// Why a body is not one that this program writes, as a clause.
type Malformed = String;

impl Change {
    pub(crate) fn read(kind: Kind, body: &Json) -> Result<Self, Malformed> {
        let mut body = Body::of(body)?;
        let change = match kind {
            Kind::Registered => Change::Registered(body.id("execution_id")?),
            Kind::Bound => {
                Change::Bound(body.id("execution_id")?, body.json("binding")?.to_string())
            }
            Kind::Reaped => {
                let execution = body.id("execution_id")?;
                body.text("found")?;
                Change::Reaped(execution)
            }
            Kind::Ended => Change::Ended(body.id("execution_id")?),
            Kind::Quarantined => {
                Change::Quarantined(body.id("consequence_id")?, body.id("execution_id")?)
            }
            Kind::Submitted => Change::Submitted(Box::new(body.submission()?)),
            Kind::Transferred => Change::Transferred {
                consequence: body.id("consequence_id")?,
                source: body.id("source")?,
                target: body.id("target")?,
            },
            Kind::Adopted => Change::Adopted(body.id("consequence_id")?, body.id("execution_id")?),
            Kind::Refused => body.refusal()?,
            Kind::Marked => Change::Marked(Box::new(body.attempt()?)),
            Kind::Settled => Change::Settled(body.settled()?),
            Kind::Recovered => match body.settled()? {
                settled if settled.settlement == Settlement::Uncertain => Change::Settled(settled),
                _ => return Err("a recovered attempt is UNCERTAIN, and nothing else".into()),
            },
            Kind::SettlementRefused => {
                body.settled()?;
                Change::Nothing
            }
            Kind::Resolved => {
                let consequence = body.id("consequence_id")?;
                let verdict = body.text("verdict")?.parse()?;
                let by = body.text("by")?;
                let evidence = body.json("evidence")?.to_value(&Path::root().key("evidence"));
                let resolution = Resolution::new(verdict, evidence.map_err(malformed)?, by);
                Change::Resolved(consequence, resolution.map_err(|error| error.to_string())?)
            }
            Kind::Recorded => Change::Recorded(Box::new(NewRecord {
                kind: body.text("record_kind")?.into(),
                id: body.text("record_id")?.into(),
                status: body.text("status")?.into(),
                document: body.json("document")?.clone(),
                execution: body.optional_id("execution_id")?,
                consequence: body.optional_id("consequence_id")?,
            })),
            Kind::Checkpoint => Change::Checkpoint(Box::new(body.checkpoint()?)),
        };
        body.fields.finish().map_err(malformed)?;
        Ok(change)
    }
}

/// The fields of a body.
struct Body<'b> {
    fields: Fields<'b>,
}

impl<'b> Body<'b> {
    fn of(body: &'b Json) -> Result<Self, Malformed> {
        Ok(Self { fields: Fields::of(body, &Path::root()).map_err(malformed)? })
    }

    fn json(&mut self, name: &'static str) -> Result<&'b Json, Malformed> {
        self.fields.required(name).map_err(malformed)
    }

    fn text(&mut self, name: &'static str) -> Result<&'b str, Malformed> {
        self.fields.string(name).map(|text| &**text).map_err(malformed)
    }

    fn optional_text(&mut self, name: &'static str) -> Result<Option<&'b str>, Malformed> {
        match self.json(name)? {
            Json::Null => Ok(None),
            _ => self.text(name).map(Some),
        }
    }

    fn id<T: FromStr<Err: ToString>>(&mut self, name: &'static str) -> Result<T, Malformed> {
        self.text(name)?.parse().map_err(|error: T::Err| error.to_string())
    }

    fn optional_id<T: FromStr<Err: ToString>>(
        &mut self,
        name: &'static str,
    ) -> Result<Option<T>, Malformed> {
        let text = self.optional_text(name)?;
        text.map(|text| text.parse().map_err(|error: T::Err| error.to_string())).transpose()
    }

    fn decisions(&mut self, name: &'static str) -> Result<Vec<DecisionId>, Malformed> {
        let Json::List(items) = self.json(name)? else {
            return Err(format!("`{name}` is no array"));
        };
        let id = |item: &Json| {
            let text = item.as_str().ok_or_else(|| format!("`{name}` holds what is no string"))?;
            DecisionId::try_from(text).map_err(|error| error.to_string())
        };
        items.iter().map(id).collect()
    }

    fn number(&mut self, name: &'static str) -> Result<u64, Malformed> {
        let found = self.json(name)?;
        number(found).ok_or_else(|| format!("`{name}` is no number that is counted from zero"))
    }

    fn submission(&mut self) -> Result<Snapshot, Malformed> {
        let consequence_id = self.id("consequence_id")?;
        let origin: ExecutionId = self.id("origin_execution_id")?;
        let current: ExecutionId = self.id("current_execution_id")?;
        let parent = self.optional_id("parent_consequence_id")?;
        let (kind, target) = (self.text("consequence_type")?, self.text("target")?);
        let payload = self.json("payload")?.to_value(&Path::root().key("payload"));
        if current != origin || self.text("release_state")? != ReleaseState::Contained.as_str() {
            return Err("what is submitted is CONTAINED, in the hands of its origin".into());
        }
        Ok(Snapshot {
            consequence_id,
            origin_execution_id: origin,
            current_execution_id: Some(current),
            parent_consequence_id: parent,
            material: Material::new(kind, target, payload.map_err(malformed)?),
            release_state: ReleaseState::Contained,
        })
    }

    /// A refusal may name executions and consequences that were never there.
    fn refusal(&mut self) -> Result<Change, Malformed> {
        let _: ExecutionId = self.id("execution_id")?;
        let _: ConsequenceId = self.id("consequence_id")?;
        self.text("reason")?;
        self.optional_text("basis")?;
        let decision = self.optional_text("decision")?;
        match (decision.map(hex::sha256), self.optional_text("decision_digest")?) {
            (Some(computed), digest) if digest != Some(&computed) => Err(not_its_digest()),
            _ => Ok(Change::Nothing),
        }
    }

    fn attempt(&mut self) -> Result<AttemptRow, Malformed> {
        let (id, fence) = (self.id("attempt_id")?, self.number("fence")?);
        let instance = self.text("instance")?;
        if !instance::is_name(instance) {
            return Err("`instance` is no UUID".into());
        }
        let instance = instance.into();
        let (execution, consequence) = (self.id("execution_id")?, self.id("consequence_id")?);
        let record = AttemptRecord {
            decision: self.text("decision")?.into(),
            admitted_at: self.text("admitted_at")?.into(),
            provider: self.text("provider")?.into(),
            actuator: self.text("actuator")?.into(),
            basis: self.optional_text("basis")?.map(str::to_owned),
            consumes: self.decisions("consumes")?,
        };
        let intent = Intent::new(instance, execution, consequence, record);
        let digest = self.text("decision_digest")?;
        if digest == intent.decision_digest() {
            Ok(AttemptRow { id, fence, intent })
        } else {
            Err(not_its_digest())
        }
    }

    fn settled(&mut self) -> Result<Settled, Malformed> {
        let name = self.text("settlement")?;
        Ok(Settled {
            attempt: self.id("attempt_id")?,
            fence: self.number("fence")?,
            execution: self.id("execution_id")?,
            consequence: self.id("consequence_id")?,
            settlement: attempts::settlement(name)
                .ok_or_else(|| format!("no attempt ends as `{name}`"))?,
            detail: self.text("detail")?.into(),
        })
    }

    fn checkpoint(&mut self) -> Result<Checkpoint, Malformed> {
        Checkpoint::of_fields(&mut self.fields).map_err(|error| error.to_string())
    }
}

/// A number that is counted from zero.
pub(crate) fn number(document: &Json) -> Option<u64> {
    match document {
        Json::Number(number) => number.as_str().parse().ok(),
        _ => None,
    }
}

fn malformed(error: MaterialError) -> Malformed {
    error.to_string()
}

fn not_its_digest() -> Malformed {
    "`decision_digest` is not the digest of the decision".into()
}
