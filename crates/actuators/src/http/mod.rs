//! Carries out a consequence that is an HTTP request.

mod connection;
pub(crate) mod exchange;
mod headers;
mod nearest;
mod not_done;
mod origin;
pub(crate) mod outbound;
mod progress;
pub(crate) mod reach;

use std::collections::BTreeMap;
use std::time::Duration;

use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorReport, Admission, Observation};
use swampbox_material::{Material, MaterialError, Shown};
use ureq::http::StatusCode;

use crate::outlook::{outlook, texts};
use crate::{Declaration, Declared};
pub use connection::{Connection, InvalidConnection};
use exchange::{Failure, Timeouts};
pub use not_done::{InvalidNotDone, NotDone};
pub use origin::{InvalidOrigin, Origin};
use outbound::Outbound;
use reach::Reach;

/// Sends one HTTP request for each admission: once, over a connection of its own, with no redirect
/// followed and no proxy taken from the environment. For `https` it trusts the authorities that
/// Mozilla trusts, as they are compiled in, and does not look at the system's own.
///
/// It goes to public addresses only, unless [private ones are allowed]: whoever names a target may not be
/// trusted with what only this machine can reach. A host with one address that is not public is refused.
/// The name is looked up once, and the connection is made to an address that was looked at.
///
/// [private ones are allowed]: HttpActuatorBuilder::allow_private_addresses
///
/// # Material
///
/// The consequence type is [`HttpActuator::CONSEQUENCE_TYPE`]. The target is an [`Origin`]. The
/// payload is a mapping of these fields and no others:
///
/// | field | value |
/// | --- | --- |
/// | `method` | `GET`, `HEAD`, `POST`, `PUT`, `PATCH` or `DELETE` |
/// | `url` | the target, letter for letter, and then nothing, or a path, or a query; at most 8,192 bytes, without a fragment |
/// | `headers` | optional: a mapping of strings, of at most 64 entries and 8,192 bytes each, of printable ASCII, no name twice whatever its case. Names that frame the message or belong to the connection are refused |
/// | `body` | optional: a string, sent as UTF-8 |
/// | `json` | optional, instead of `body`: any value, sent as JSON, as `application/json` unless `headers` say otherwise |
///
/// `GET` and `HEAD` take no body. Beyond the payload only `host`, `content-length`, the content
/// type of `json`, `idempotency-key` and the header of a [`Connection`] are sent. Header names are written in lower case.
///
/// The idempotency key is the attempt's id. What is not visible ASCII in it, and `%`, is written
/// as `%` and two hexadecimal digits for each byte of UTF-8, so that the id can be read back.
///
/// # Outcome
///
/// | what happened | outcome |
/// | --- | --- |
/// | the material is not as above; the host has no address, or one that is not public and not allowed; nobody accepts the connection; TLS can't be agreed on; the time is over before all that is done | DEFINITE_NOT_EXECUTED |
/// | a complete header of an answer came back, with a status from 200 to 299 | SUCCEEDED, even if the rest of the answer breaks off |
/// | the same, with a status that the target [declares](HttpActuatorBuilder::declare) to mean "not done" | DEFINITE_NOT_EXECUTED |
/// | the same, with any other status | UNCERTAIN |
/// | any other failure, or a timeout, after the first byte of the request may have left | UNCERTAIN |
///
/// Of an answer, at most 64 KiB of header are read and at most 64 KiB of body, and the body is
/// thrown away. The detail of a report names the target, and never holds the URL or a value of the
/// payload; what the system or the other side said about a failure stands there in quotes.
#[derive(Clone, Debug)]
pub struct HttpActuator {
    declared: BTreeMap<Origin, NotDone>,
    connections: BTreeMap<Origin, Connection>,
    timeouts: Timeouts,
    reach: Reach,
}

impl HttpActuator {
    /// The type of the consequences that it carries out.
    pub const CONSEQUENCE_TYPE: &str = "http.request";

    /// The JSON Schema of the payloads that it takes.
    pub const PAYLOAD_SCHEMA: &str = r#"{
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {
            "method": { "enum": ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] },
            "url": { "type": "string", "maxLength": 8192 },
            "headers": {
                "type": "object",
                "maxProperties": 64,
                "propertyNames": { "pattern": "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$" },
                "additionalProperties": { "type": "string", "maxLength": 8192 }
            },
            "body": { "type": "string" },
            "json": true
        },
        "required": ["method", "url"],
        "not": { "required": ["body", "json"] },
        "additionalProperties": false
    }"#;

    /// An actuator with nothing declared and the default timeouts, to be changed.
    pub fn builder() -> HttpActuatorBuilder {
        HttpActuatorBuilder {
            actuator: HttpActuator {
                declared: BTreeMap::new(),
                connections: BTreeMap::new(),
                timeouts: Timeouts::default(),
                reach: Reach::Public,
            },
        }
    }

    fn judge(&self, origin: &Origin, status: StatusCode) -> ActuatorReport {
        let answer = match status.canonical_reason() {
            Some(reason) => format!("{} {reason} from {origin}", status.as_str()),
            None => format!("{} from {origin}", status.as_str()),
        };
        let declared = self.declared.get(origin);
        if status.is_success() {
            ActuatorReport::succeeded(answer)
        } else if declared.is_some_and(|not_done| not_done.covers(status.as_u16())) {
            ActuatorReport::definite_not_executed(format!("{answer}, declared to mean not done"))
        } else {
            ActuatorReport::uncertain(format!("{answer}, not declared to mean not done"))
        }
    }
}

impl Actuator for HttpActuator {
    fn observe(&self, _material: &Material) -> Observation {
        Observation::unknown("an HTTP request leaves nothing behind that could be asked about here")
    }

    fn name(&self) -> &str {
        Self::CONSEQUENCE_TYPE
    }

    fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        let (material, attempt) = (admission.material(), admission.attempt_id());
        let outbound = match Outbound::for_attempt(material, attempt, &self.connections) {
            Ok(outbound) => outbound,
            Err(error) => return Ok(ActuatorReport::definite_not_executed(error.to_string())),
        };
        let origin = outbound.origin.clone();
        Ok(match exchange::send(outbound, self.timeouts, self.reach) {
            Ok(status) => self.judge(&origin, status),
            Err(Failure::NotSent(detail)) => ActuatorReport::definite_not_executed(detail),
            Err(Failure::Unknown(detail)) => ActuatorReport::uncertain(detail),
        })
    }
}

impl Declared for HttpActuator {
    fn declarations(&self) -> Vec<Declaration> {
        let (consequence_type, payload_schema) = (Self::CONSEQUENCE_TYPE, Self::PAYLOAD_SCHEMA);
        vec![Declaration { consequence_type, payload_schema }]
    }

    fn check(&self, material: &Material) -> Result<(), MaterialError> {
        Outbound::read(material, &self.connections).map(drop)
    }

    fn outlook(&self, material: &Material) -> Result<String, MaterialError> {
        let outbound = Outbound::read(material, &self.connections)?;
        let origin = &outbound.origin;
        let added = texts(outbound.added(material)?.iter().map(String::as_str));
        let connection = match self.connections.get(origin) {
            Some(connection) => format!(
                "the header {} is that of the connection {}, with a credential",
                Shown::text(connection.credential().0.as_str()),
                Shown::text(connection.name())
            ),
            None => "no credential is added".into(),
        };
        let reach = match self.reach {
            Reach::Public => "it goes to public addresses only",
            Reach::Anywhere => "it may go to addresses of this machine and of private networks too",
        };
        let not_done = self.declared.get(origin).map(NotDone::outlook);
        let not_done = not_done.filter(|statuses| !statuses.is_empty());
        let not_done = not_done.unwrap_or_else(|| "none".into());
        let Timeouts { connect, overall } = self.timeouts;
        let what = format!(
            "it sends the request to {origin}, over a connection of its own that takes {connect:?} \
             at the most, and {overall:?} with the answer; it adds the headers {added}; \
             {connection}; {reach}, and follows no redirect; it is done if the status of the \
             answer is from 200 to 299, surely not done with {not_done}, and uncertain with any \
             other"
        );
        Ok(outlook(self.name(), &what))
    }
}

/// Makes an [`HttpActuator`].
///
/// ```
/// use std::time::Duration;
/// use swampbox_actuators::{HttpActuator, NotDone};
///
/// let actuator = HttpActuator::builder()
///     .declare("https://api.example.com".parse()?, NotDone::statuses([409, 422, 429])?)
///     .overall_timeout(Duration::from_secs(60))
///     .build();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct HttpActuatorBuilder {
    actuator: HttpActuator,
}

impl HttpActuatorBuilder {
    /// The contract of one target: the statuses by which it promises that nothing was done. A
    /// second declaration for the same target takes the place of the first.
    pub fn declare(mut self, target: Origin, not_done: NotDone) -> Self {
        self.actuator.declared.insert(target, not_done);
        self
    }

    /// What is added to every request for one target, such as a credential. A payload that sets the same
    /// header is refused. A second connection to the same target takes the place of the first.
    pub fn connect(mut self, target: Origin, connection: Connection) -> Self {
        self.actuator.connections.insert(target, connection);
        self
    }

    /// Lets requests go to addresses of this machine, of private networks and of links too, such as
    /// `127.0.0.1`, `10.0.0.1` and the addresses at which clouds tell secrets. Do that for targets that
    /// you have named yourself.
    pub fn allow_private_addresses(mut self) -> Self {
        self.actuator.reach = Reach::Anywhere;
        self
    }

    /// How long looking up the host may take, and again how long connecting to it may take with
    /// all of its addresses and TLS. 10 seconds by default; from a millisecond to an hour, and what
    /// is outside counts as the nearer of the two.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.actuator.timeouts.connect = Timeouts::within_bounds(timeout);
        self
    }

    /// How long the whole may take, from looking up the host to the last byte that is read. 30
    /// seconds by default; bounded as [`connect_timeout`](Self::connect_timeout) is.
    pub fn overall_timeout(mut self, timeout: Duration) -> Self {
        self.actuator.timeouts.overall = Timeouts::within_bounds(timeout);
        self
    }

    /// The actuator.
    pub fn build(self) -> HttpActuator {
        self.actuator
    }
}
