use std::sync::Arc;

use swampbox_authority::Timestamp;
use swampbox_material::json::{Fields, Json, Object};
use swampbox_material::{MaterialError, Path, Problem, WrittenMaterial};

use super::expect::Expectation;
use super::seconds;

/// How deep releases may be nested in the evaluation or actuation of others.
pub const MAX_NESTING: usize = 8;

/// A scenario that has been read in whole.
#[derive(Debug)]
pub struct Scenario {
    /// What it shows.
    pub title: Arc<str>,
    /// The time at which its clock starts.
    pub clock: Timestamp,
    /// Its steps, in order.
    pub steps: Vec<Step>,
}

/// One step.
#[derive(Debug)]
pub struct Step {
    /// What it does.
    pub op: Op,
    /// How it is expected to end, if the file says so.
    pub expect: Option<Expectation>,
}

/// What a step does. Ids are kept as they are written: a malformed one is refused by its step.
#[derive(Debug)]
pub enum Op {
    /// Registers an execution.
    Register(Arc<str>),
    /// Ends an execution.
    End(Arc<str>),
    /// Submits a consequence.
    Submit {
        /// The submitter.
        execution: Arc<str>,
        /// The new consequence.
        consequence: Arc<str>,
        /// What it would do.
        material: WrittenMaterial,
        /// What it is derived from.
        parent: Option<Arc<str>>,
    },
    /// Reads a consequence.
    Read {
        /// Who reads.
        execution: Arc<str>,
        /// What is read.
        consequence: Arc<str>,
    },
    /// Transfers a consequence.
    Transfer {
        /// From whom.
        source: Arc<str>,
        /// To whom.
        target: Arc<str>,
        /// What is transferred.
        consequence: Arc<str>,
    },
    /// Inspects a quarantined consequence.
    Inspect(Arc<str>),
    /// Adopts a quarantined consequence.
    Adopt {
        /// Who adopts.
        execution: Arc<str>,
        /// What is adopted.
        consequence: Arc<str>,
    },
    /// Asks what became of a consequence.
    State(Arc<str>),
    /// Moves the clock, by nanoseconds.
    Advance(i128),
    /// Releases a consequence.
    Release(Box<Release>),
}

/// A release, and how authority, actuator and clock behave in it.
#[derive(Debug)]
pub struct Release {
    /// The execution in whose name it is asked for.
    pub execution: Arc<str>,
    /// What is to be released.
    pub consequence: Arc<str>,
    /// How the authority behaves.
    pub authority: Authority,
    /// How the actuator behaves.
    pub actuator: Answer,
    /// What happens while the authority evaluates.
    pub during_evaluation: Vec<Step>,
    /// What happens while the actuator acts.
    pub during_actuation: Vec<Step>,
    /// By how many nanoseconds the clock moves just before its second reading.
    pub advance_before_validation: i128,
    /// By how many nanoseconds the clock moves just before its third reading.
    pub advance_before_actuation: i128,
}

/// How the scripted authority behaves.
#[derive(Debug)]
pub enum Authority {
    /// It fails.
    Unavailable,
    /// It panics.
    Panics,
    /// It decides.
    Decides {
        /// From the time of evaluation to `issued_at`, in nanoseconds.
        issued_offset: i128,
        /// From `issued_at` to `valid_until`, in nanoseconds.
        valid_for: i128,
        /// Fields laid over the decision.
        overrides: Object,
    },
}

/// How the scripted actuator behaves.
#[derive(Debug)]
pub enum Answer {
    /// It panics.
    Panics,
    /// It reports this outcome over a wire.
    Reports(Arc<str>),
}

const FIVE_MINUTES: i128 = 300 * seconds::NANOSECONDS;

impl Scenario {
    /// Reads a scenario file.
    ///
    /// # Errors
    ///
    /// Those of strict JSON, and `invalid_document` for anything missing, unknown or of the wrong
    /// type, with its path.
    pub fn read(text: &[u8]) -> Result<Self, MaterialError> {
        let document = Json::read(text)?;
        let mut fields = Fields::of(&document, &Path::root())?;
        let title = fields.string("scenario")?.clone();
        let clock = fields
            .string("clock")?
            .parse()
            .map_err(|error| invalid(format!("{error}"), Path::root().key("clock")))?;
        let steps = fields.required("steps")?;
        fields.finish()?;
        let steps = read_steps(steps, &Path::root().key("steps"), 0)?;
        Ok(Self { title, clock, steps })
    }
}

impl Op {
    /// The name of the operation.
    pub fn name(&self) -> &'static str {
        match self {
            Op::Register(_) => "register",
            Op::End(_) => "end",
            Op::Submit { .. } => "submit",
            Op::Read { .. } => "read",
            Op::Transfer { .. } => "transfer",
            Op::Inspect(_) => "inspect",
            Op::Adopt { .. } => "adopt",
            Op::State(_) => "state",
            Op::Advance(_) => "advance",
            Op::Release(_) => "release",
        }
    }
}

fn read_steps(steps: &Json, path: &Path, nesting: usize) -> Result<Vec<Step>, MaterialError> {
    let Json::List(steps) = steps else {
        return Err(invalid(format!("an array was expected, not {}", steps.kind()), path.clone()));
    };
    let steps = steps.iter().enumerate();
    steps.map(|(index, step)| read_step(step, &path.index(index), nesting)).collect()
}

fn read_step(step: &Json, path: &Path, nesting: usize) -> Result<Step, MaterialError> {
    let mut fields = Fields::of(step, path)?;
    let name = fields.string("op")?.clone();
    let mut id = |name| fields.string(name).cloned();
    let op = match &*name {
        "register" => Op::Register(id("execution")?),
        "end" => Op::End(id("execution")?),
        "read" => Op::Read { execution: id("execution")?, consequence: id("consequence")? },
        "transfer" => Op::Transfer {
            source: id("source")?,
            target: id("target")?,
            consequence: id("consequence")?,
        },
        "inspect" => Op::Inspect(id("consequence")?),
        "adopt" => Op::Adopt { execution: id("execution")?, consequence: id("consequence")? },
        "state" => Op::State(id("consequence")?),
        "submit" => Op::Submit {
            execution: id("execution")?,
            consequence: id("consequence")?,
            material: WrittenMaterial::from_document(
                fields.required("material")?,
                &path.key("material"),
            )?,
            parent: optional_id(&mut fields, "parent")?,
        },
        "advance" => Op::Advance(read_seconds(fields.required("by")?, &path.key("by"))?),
        "release" => Op::Release(Box::new(read_release(&mut fields, nesting)?)),
        _ => {
            let known =
                "register, end, submit, read, transfer, inspect, adopt, state, advance, release";
            let message = format!("the operation is not known; known are {known}");
            return Err(invalid(message, path.key("op")));
        }
    };
    let expect = fields.optional("expect");
    fields.finish()?;
    let expect = expect.map(|expect| Expectation::read(expect, &path.key("expect"))).transpose()?;
    Ok(Step { op, expect })
}

fn read_release(fields: &mut Fields<'_>, nesting: usize) -> Result<Release, MaterialError> {
    let path = fields.path().clone();
    let steps = |name, fields: &mut Fields<'_>| match fields.optional(name) {
        Some(_) if nesting == MAX_NESTING => {
            Err(invalid(format!("steps are nested more than {MAX_NESTING} deep"), path.key(name)))
        }
        Some(steps) => read_steps(steps, &path.key(name), nesting + 1),
        None => Ok(Vec::new()),
    };
    Ok(Release {
        execution: fields.string("execution")?.clone(),
        consequence: fields.string("consequence")?.clone(),
        during_evaluation: steps("during_evaluation", fields)?,
        during_actuation: steps("during_actuation", fields)?,
        authority: read_authority(fields.optional("authority"), &path.key("authority"))?,
        actuator: match fields.optional("actuator") {
            None => Answer::Reports("SUCCEEDED".into()),
            Some(Json::String(text)) if &**text == "panic" => Answer::Panics,
            Some(Json::String(text)) => Answer::Reports(text.clone()),
            Some(other) => return Err(not_a("a string", other, path.key("actuator"))),
        },
        advance_before_validation: optional_seconds(fields, "advance_before_validation")?,
        advance_before_actuation: optional_seconds(fields, "advance_before_actuation")?,
    })
}

fn read_authority(authority: Option<&Json>, path: &Path) -> Result<Authority, MaterialError> {
    let overrides = match authority {
        None => &Object::default(),
        Some(Json::Map(overrides)) => overrides,
        Some(Json::String(text)) if &**text == "unavailable" => return Ok(Authority::Unavailable),
        Some(Json::String(text)) if &**text == "panic" => return Ok(Authority::Panics),
        Some(other) => {
            return Err(not_a("an object, `unavailable` or `panic`", other, path.clone()));
        }
    };
    let (mut issued_offset, mut valid_for) = (0, FIVE_MINUTES);
    let mut fields = Object::default();
    for (key, value) in overrides.iter() {
        match &**key {
            "issued_offset" => issued_offset = read_seconds(value, &path.key(key.clone()))?,
            "valid_for" => valid_for = read_seconds(value, &path.key(key.clone()))?,
            _ => fields.insert(key.clone(), value.clone()),
        }
    }
    Ok(Authority::Decides { issued_offset, valid_for, overrides: fields })
}

fn optional_id(
    fields: &mut Fields<'_>,
    name: &'static str,
) -> Result<Option<Arc<str>>, MaterialError> {
    match fields.optional(name) {
        None => Ok(None),
        Some(Json::String(text)) => Ok(Some(text.clone())),
        Some(other) => Err(not_a("a string", other, fields.path().key(name))),
    }
}

fn optional_seconds(fields: &mut Fields<'_>, name: &'static str) -> Result<i128, MaterialError> {
    match fields.optional(name) {
        None => Ok(0),
        Some(seconds) => read_seconds(seconds, &fields.path().key(name)),
    }
}

fn read_seconds(seconds: &Json, path: &Path) -> Result<i128, MaterialError> {
    match seconds {
        Json::Number(number) => Ok(seconds::to_nanoseconds(number.as_str())),
        other => Err(not_a("a number of seconds", other, path.clone())),
    }
}

fn not_a(expected: &str, found: &Json, path: Path) -> MaterialError {
    invalid(format!("{expected} was expected, not {}", found.kind()), path)
}

fn invalid(message: String, path: Path) -> MaterialError {
    MaterialError::new(Problem::InvalidDocument(message), path)
}
