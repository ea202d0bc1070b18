use swampbox_authority::{AuthorityProvider, Clock, NoDecision};
use swampbox_custody::{ConsequenceId, Custody, ExecutionId};

use crate::attempt::caught;
use crate::{Actuator, ReleaseResult, Requested};

/// The release boundary over one custody store, one authority, one actuator and one clock.
///
/// May be used by many threads at once; each part may be a reference or an `Arc`.
#[derive(Debug)]
pub struct ReleaseBoundary<C, P, A, K> {
    custody: C,
    provider: P,
    actuator: A,
    clock: K,
}

impl<C: Custody, P: AuthorityProvider, A: Actuator, K: Clock> ReleaseBoundary<C, P, A, K> {
    /// A boundary of these parts.
    pub fn new(custody: C, provider: P, actuator: A, clock: K) -> Self {
        Self { custody, provider, actuator, clock }
    }

    /// Where consequences are held.
    pub fn custody(&self) -> &C {
        &self.custody
    }

    /// Releases a consequence, if its authority allows it. Blocks for as long as authority and
    /// actuator take.
    ///
    /// A refusal is a result too: CONTAINED, with a reason. A panic of the clock is `clock_invalid`,
    /// one of the provider `authority_unavailable`, one of the actuator
    /// `actuator_outcome_uncertain`.
    pub fn release(&self, execution: &ExecutionId, consequence: &ConsequenceId) -> ReleaseResult {
        self.attempt(execution, consequence).unwrap_or_else(|refused| *refused)
    }

    fn attempt(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<ReleaseResult, Box<ReleaseResult>> {
        let requested = Requested::new(&self.custody, execution, consequence)?;
        let request = requested.request(&self.clock)?;
        let answer = caught(|| self.provider.evaluate(&request))
            .unwrap_or_else(|| Err(NoDecision::new("it panicked")));
        let provider = caught(|| self.provider.name().to_owned()).unwrap_or_default();
        let actuator = caught(|| self.actuator.name().to_owned()).unwrap_or_default();
        let admitted = requested.answered(answer)?.admit(&self.clock, &provider, &actuator)?;
        let stands = caught(|| self.provider.stands(&request, admitted.decision()))
            .unwrap_or_else(|| Err(NoDecision::new("it panicked")));
        let actuating = admitted.enter(stands, &self.clock)?;
        Ok(actuating.act(|admission| self.actuator.actuate(admission)))
    }
}
