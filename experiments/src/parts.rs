//! What experiments and demonstrations put a boundary together from: this machine's clock, and
//! authorities that answer at once.

use std::time::{Duration, SystemTime};

use swampbox_authority::{
    AuthorityDecision, AuthorityProvider, AuthorityRequest, Clock, ClockError, DecisionDocument,
    NoDecision, Timestamp, ValidityWindow, Verdict,
};
use swampbox_custody::Snapshot;

/// The time of this machine.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Result<Timestamp, ClockError> {
        Timestamp::try_from(SystemTime::now()).map_err(ClockError::new)
    }
}

/// How long a decision holds: longer than two runs of `gh` may take.
const DECISION_HOLDS: Duration = Duration::from_secs(600);

/// An ALLOW for exactly what `snapshot` shows, for ten minutes from `issued_at` on.
///
/// # Errors
///
/// If nobody holds the consequence, the id is malformed, or the window is out of range.
pub fn allow(
    snapshot: &Snapshot,
    decision_id: &str,
    issued_at: Timestamp,
) -> Result<AuthorityDecision, NoDecision> {
    let window = issued_at
        .after(DECISION_HOLDS)
        .map_err(NoDecision::new)
        .and_then(|end| ValidityWindow::new(issued_at, end).map_err(NoDecision::new))?;
    let decision_id = decision_id.parse().map_err(NoDecision::new)?;
    AuthorityDecision::about(snapshot, decision_id, Verdict::Allow, window)
        .ok_or_else(|| NoDecision::new("nobody holds the consequence"))
}

/// Answers every question with the same decision, whatever it was made about.
#[derive(Clone, Debug)]
pub struct Replaying(pub AuthorityDecision);

impl AuthorityProvider for Replaying {
    fn evaluate(&self, _: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        Ok(self.0.clone().into())
    }
}

/// Allows exactly what it is asked about, now, under this decision id.
#[derive(Clone, Copy, Debug)]
pub struct Deciding(pub &'static str);

impl AuthorityProvider for Deciding {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        Ok(allow(&request.snapshot, self.0, request.evaluated_at)?.into())
    }
}
