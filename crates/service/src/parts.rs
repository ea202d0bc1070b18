use std::path::PathBuf;
use std::sync::Arc;

use swampbox_actuators::Registry;
use swampbox_authority::{AuthorityProvider, Clock};
use swampbox_boundary::Actuator;
use swampbox_ledger::{LedgerCustody, SecretKey};
use swampbox_material::{Code, Material};
use swampbox_policy::approvals::{Approvals, Directory};

use crate::{KeptRequests, KeyRing, Limits};

/// Approvals whose requests are kept in a ledger.
pub type HeldApprovals = Approvals<KeptRequests, Arc<dyn Clock>, Arc<dyn Directory>>;

/// What a service is made of.
pub struct Parts {
    /// What holds the consequences.
    pub ledger: Arc<LedgerCustody>,
    /// Where that is, to verify it.
    pub ledger_path: PathBuf,
    /// Who decides about releases.
    pub authority: Arc<dyn AuthorityProvider>,
    /// The approvals among those, if people decide.
    pub approvals: Option<Arc<HeldApprovals>>,
    /// Who is behind an execution: [`Owners`](crate::Owners), as a rule.
    pub principals: Arc<dyn Directory>,
    /// What carries consequences out.
    pub effects: Arc<dyn Effects>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Who may ask, and for what.
    pub keys: KeyRing,
    /// Signs checkpoints, if they are to be made here.
    pub checkpoint_key: Option<SecretKey>,
    /// The bounds.
    pub limits: Limits,
}

/// What carries consequences out: which actuator takes which.
pub trait Effects: Send + Sync {
    /// Whether a consequence could be carried out. It is asked before one is submitted.
    ///
    /// # Errors
    ///
    /// `no_actuator`, `payload_schema`.
    fn admit(&self, material: &Material) -> Result<(), NoEffect>;

    /// The actuator that a consequence goes to.
    ///
    /// # Errors
    ///
    /// `no_actuator`.
    fn actuator(&self, material: &Material) -> Result<&dyn Actuator, NoEffect>;

    /// What a consequence shares its places with: those that would wait for the same thing outside. Of
    /// one actuator for several targets each has a name of its own here.
    ///
    /// # Errors
    ///
    /// `no_actuator`.
    fn lane(&self, material: &Material) -> Result<String, NoEffect> {
        Ok(self.actuator(material)?.name().to_owned())
    }

    /// What would be done with a consequence beyond what stands in its material, in one sentence without
    /// a full stop, for whoever decides about it: as [`Registry::outlook`] says it. It must hold no
    /// credential. By default it names the actuator.
    ///
    /// # Errors
    ///
    /// `no_actuator`; `payload_schema` for what could never be carried out.
    fn outlook(&self, material: &Material) -> Result<String, NoEffect> {
        let actuator = self.actuator(material)?;
        Ok(format!("{} carries it out, once", actuator.name()))
    }
}

/// Nothing would carry a consequence out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct NoEffect {
    code: Code,
    message: String,
}

impl NoEffect {
    /// With this code and message.
    pub fn new(code: Code, message: impl ToString) -> Self {
        Self { code, message: message.to_string() }
    }

    /// The stable code: `no_actuator` or `payload_schema`.
    pub fn code(&self) -> Code {
        self.code
    }
}

impl Effects for Registry {
    fn admit(&self, material: &Material) -> Result<(), NoEffect> {
        self.check(material).map_err(|error| NoEffect::new(error.code(), error))
    }

    fn actuator(&self, material: &Material) -> Result<&dyn Actuator, NoEffect> {
        let actuator = self.route_of(material);
        actuator
            .map(|actuator| actuator as &dyn Actuator)
            .map_err(|error| NoEffect::new(error.code(), error))
    }

    fn lane(&self, material: &Material) -> Result<String, NoEffect> {
        let (name, target) =
            self.place_of(material).map_err(|error| NoEffect::new(error.code(), error))?;
        Ok(format!("{name} to {target}"))
    }

    fn outlook(&self, material: &Material) -> Result<String, NoEffect> {
        self.outlook(material).map_err(|error| NoEffect::new(error.code(), error))
    }
}
