//! The actuators that the validation wraps around an effect.

use std::sync::{Mutex, PoisonError};

use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorReport, Admission};

use super::budget::Budget;

/// Says that the effect happened, and does nothing.
pub(super) struct Simulated;

impl Actuator for Simulated {
    fn actuate(&self, _: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        Ok(ActuatorReport::succeeded("simulated"))
    }
}

/// Notes the consequence of every entry, whatever comes of it.
pub(super) struct Noting<A> {
    actuator: A,
    entered: Mutex<Vec<String>>,
}

impl<A> Noting<A> {
    pub(super) fn new(actuator: A) -> Self {
        Self { actuator, entered: Mutex::default() }
    }

    pub(super) fn entered(&self) -> Vec<String> {
        self.entered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl<A: Actuator> Actuator for Noting<A> {
    fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        let mut entered = self.entered.lock().unwrap_or_else(PoisonError::into_inner);
        entered.push(admission.consequence_id().to_string());
        drop(entered);
        self.actuator.actuate(admission)
    }
}

/// Counts the attempt before it is made. An attempt that can't be counted is not made.
pub(super) struct Budgeted<A> {
    pub(super) budget: Budget,
    pub(super) actuator: A,
}

impl<A: Actuator> Actuator for Budgeted<A> {
    fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        let (consequence, attempt) = (admission.consequence_id(), admission.attempt_id());
        let target = admission.material().target();
        match self.budget.spend(&format!("one attempt at {consequence} on {target}: {attempt}\n")) {
            Ok(()) => self.actuator.actuate(admission),
            Err(error) => Ok(ActuatorReport::definite_not_executed(error.to_string())),
        }
    }
}
