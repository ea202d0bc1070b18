//! A clock, an authority and an actuator of one's own, and one release through them.

use swampbox_authority::*;
use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorReport, Admission, ReleaseBoundary};
use swampbox_custody::{Custody, MemoryCustody, Submission};

struct Own;

impl Clock for Own {
    fn now(&self) -> Result<Timestamp, ClockError> {
        Timestamp::try_from(std::time::SystemTime::now()).map_err(ClockError::new)
    }
}

impl AuthorityProvider for Own {
    fn evaluate(&self, asked: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        allow_for_a_minute(asked).ok_or_else(|| NoDecision::new("it can't be decided"))
    }
}

fn allow_for_a_minute(asked: &AuthorityRequest) -> Option<DecisionDocument> {
    let (at, id) = (asked.evaluated_at, "decision-1".parse().ok()?);
    let window = ValidityWindow::new(at, at.moved_by(60_000_000_000).ok()?).ok()?;
    AuthorityDecision::about(&asked.snapshot, id, Verdict::Allow, window).map(Into::into)
}

impl Actuator for Own {
    fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        println!("{}", admission.material().payload().to_json());
        Ok(ActuatorReport::succeeded("it was printed"))
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let boundary = ReleaseBoundary::new(MemoryCustody::new("run-1".parse()?), Own, Own, Own);
    let submission = Submission {
        execution: "exec-A".parse()?,
        consequence: "greeting".parse()?,
        material: swampbox_material::Material::new("print", "standard output", "hello".into()),
        parent: None,
    };
    boundary.custody().register(&submission.execution)?;
    let held = boundary.custody().submit(submission)?;
    let result = boundary.release(&held.origin_execution_id, &held.consequence_id);
    println!("{}: {}", result.status(), result.reason());
    Ok(())
}
