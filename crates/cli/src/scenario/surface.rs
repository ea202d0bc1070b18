use std::str::FromStr;

use swampbox_authority::{
    AuthorityProvider, AuthorityRequest, Clock, ClockError, DecisionDocument, NoDecision, Timestamp,
};
use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorReport, Admission, ReleaseBoundary};
use swampbox_custody::{Custody, CustodyError, InvalidIdentifier, Snapshot, Submission};
use swampbox_material::json::Json;
use swampbox_material::{Code, MaterialError, WrittenMaterial};

/// What a scenario is played on: custody and release, through whatever door. Ids come as they are written,
/// and consequences go as the documents of their snapshots.
///
/// # Errors
///
/// Each operation says why it was refused, if it was.
pub trait Surface: Sync {
    /// Registers an execution, and gives its state.
    fn register(&self, execution: &str) -> Result<Json, Refused>;

    /// Ends an execution, and gives its state.
    fn end(&self, execution: &str) -> Result<Json, Refused>;

    /// Submits a consequence.
    fn submit(
        &self,
        execution: &str,
        consequence: &str,
        material: &WrittenMaterial,
        parent: Option<&str>,
    ) -> Result<Json, Refused>;

    /// Reads a consequence.
    fn read(&self, execution: &str, consequence: &str) -> Result<Json, Refused>;

    /// Transfers a consequence.
    fn transfer(&self, source: &str, target: &str, consequence: &str) -> Result<Json, Refused>;

    /// Inspects a quarantined consequence.
    fn inspect(&self, consequence: &str) -> Result<Json, Refused>;

    /// Adopts a quarantined consequence.
    fn adopt(&self, execution: &str, consequence: &str) -> Result<Json, Refused>;

    /// Gives what became of a consequence.
    fn state(&self, consequence: &str) -> Result<Json, Refused>;

    /// Releases a consequence. Clock, authority and actuator do as the script says. Gives the result's five
    /// fields.
    fn release(
        &self,
        execution: &str,
        consequence: &str,
        script: &dyn Script,
    ) -> Result<Json, Refused>;
}

/// How clock, authority and actuator behave in one release.
pub trait Script: Send + Sync {
    /// The time.
    ///
    /// # Errors
    ///
    /// If the clock fails.
    fn now(&self) -> Result<Timestamp, ClockError>;

    /// The decision.
    ///
    /// # Errors
    ///
    /// If there is none.
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision>;

    /// What the actuator reports.
    ///
    /// # Errors
    ///
    /// If that is no outcome.
    fn act(&self) -> Result<ActuatorReport, ActuatorFailure>;
}

/// Why a step was refused, whichever part of the product refused it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The stable code.
    pub code: Code,
    /// The refusal, for people.
    pub message: String,
}

impl Refused {
    /// With this code and the words of this error.
    pub fn new(code: Code, error: impl ToString) -> Self {
        Self { code, message: error.to_string() }
    }
}

macro_rules! refused_from {
    ($($error:ty),*) => {$(
        impl From<$error> for Refused {
            fn from(error: $error) -> Self {
                Self::new(error.code(), error)
            }
        }
    )*};
}

refused_from!(CustodyError, InvalidIdentifier, MaterialError);

/// The library: a store, and the boundary on it.
pub(super) struct Library<'c, C>(pub(super) &'c C);

impl<C: Custody> Surface for Library<'_, C> {
    fn register(&self, execution: &str) -> Result<Json, Refused> {
        Ok(Json::from(self.0.register(&id(execution)?)?.as_str()))
    }

    fn end(&self, execution: &str) -> Result<Json, Refused> {
        Ok(Json::from(self.0.end(&id(execution)?)?.as_str()))
    }

    fn submit(
        &self,
        execution: &str,
        consequence: &str,
        material: &WrittenMaterial,
        parent: Option<&str>,
    ) -> Result<Json, Refused> {
        let submission = Submission {
            execution: id(execution)?,
            consequence: id(consequence)?,
            parent: parent.map(id).transpose()?,
            material: material.material()?,
        };
        shown(self.0.submit(submission))
    }

    fn read(&self, execution: &str, consequence: &str) -> Result<Json, Refused> {
        shown(self.0.read(&id(execution)?, &id(consequence)?))
    }

    fn transfer(&self, source: &str, target: &str, consequence: &str) -> Result<Json, Refused> {
        shown(self.0.transfer(&id(source)?, &id(target)?, &id(consequence)?))
    }

    fn inspect(&self, consequence: &str) -> Result<Json, Refused> {
        shown(self.0.inspect(&id(consequence)?))
    }

    fn adopt(&self, execution: &str, consequence: &str) -> Result<Json, Refused> {
        shown(self.0.adopt(&id(execution)?, &id(consequence)?))
    }

    fn state(&self, consequence: &str) -> Result<Json, Refused> {
        Ok(Json::from(self.0.state(&id(consequence)?)?.as_str()))
    }

    fn release(
        &self,
        execution: &str,
        consequence: &str,
        script: &dyn Script,
    ) -> Result<Json, Refused> {
        let (execution, consequence) = (id(execution)?, id(consequence)?);
        let [provider, actuator, clock] = [Playing(script); 3];
        let boundary = ReleaseBoundary::new(self.0, provider, actuator, clock);
        let result = boundary.release(&execution, &consequence);
        let optional = |text: Option<&str>| text.map_or(Json::Null, Json::from);
        let decision = result.authority_decision_id().map(AsRef::as_ref);
        let outcome = result.actuator_outcome().map(|outcome| outcome.as_str());
        Ok(Json::object([
            ("consequence_id", Json::from(result.consequence_id().as_str())),
            ("status", Json::from(result.status().as_str())),
            ("reason", Json::from(result.reason().code().as_str())),
            ("authority_decision_id", optional(decision)),
            ("actuator_outcome", optional(outcome)),
        ]))
    }
}

fn shown(done: Result<Snapshot, CustodyError>) -> Result<Json, Refused> {
    Ok(done?.to_document())
}

fn id<T: FromStr<Err = InvalidIdentifier>>(written: &str) -> Result<T, InvalidIdentifier> {
    written.parse()
}

/// A script as the parts of a boundary.
#[derive(Clone, Copy)]
struct Playing<'s>(&'s dyn Script);

impl Clock for Playing<'_> {
    fn now(&self) -> Result<Timestamp, ClockError> {
        self.0.now()
    }
}

impl AuthorityProvider for Playing<'_> {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        self.0.evaluate(request)
    }
}

impl Actuator for Playing<'_> {
    fn actuate(&self, _admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        self.0.act()
    }
}
