//! The release boundary, step by step as the contract numbers it.

use super::decision::Decision;
use super::run::{Run, check_ids};
use super::scenario::Release;
use super::store::text_or_null;
use super::value::Value;

/// What has happened in one attempt so far.
#[derive(Debug, Default)]
struct Attempt {
    provider_calls: u32,
    actuator_calls: u32,
    decision_id: Option<String>,
}

/// How an attempt ended whose actuator was entered.
#[derive(Debug)]
struct Settled {
    status: &'static str,
    reason: &'static str,
    outcome: &'static str,
}

impl Run {
    pub(super) fn release(&mut self, number: &str, step: &Release) -> Result<Value, &'static str> {
        check_ids(&[&step.execution, &step.consequence])?;
        let mut attempt = Attempt::default();
        let (status, reason, outcome) = match self.attempt(number, step, &mut attempt) {
            Ok(settled) => (settled.status, settled.reason, Some(settled.outcome)),
            Err(reason) => ("CONTAINED", reason, None),
        };
        let result = Value::map([
            ("consequence_id", Value::text(&step.consequence)),
            ("status", Value::text(status)),
            ("reason", Value::text(reason)),
            ("authority_decision_id", text_or_null(attempt.decision_id.as_deref())),
            ("actuator_outcome", text_or_null(outcome)),
        ]);
        Ok(Value::map([
            ("release", result),
            ("provider_calls", Value::int(attempt.provider_calls)),
            ("actuator_calls", Value::int(attempt.actuator_calls)),
        ]))
    }

    fn attempt(
        &mut self,
        number: &str,
        step: &Release,
        attempt: &mut Attempt,
    ) -> Result<Settled, &'static str> {
        let (execution, id) = (&step.execution, &step.consequence);

        // 1. Before the provider is asked.
        let asked = self.store.request(execution, id)?;

        // 2. The clock is read, the provider is asked exactly once, with the snapshot.
        let evaluated_at = self.clock;
        attempt.provider_calls += 1;
        self.steps(&format!("{number}.evaluation."), &step.during_evaluation);
        let decision = Decision::scripted(&step.authority, &asked, evaluated_at);
        let decision = decision.ok_or("authority_unavailable")?;
        attempt.decision_id = decision.id().map(str::to_owned);

        // 3. Rechecked against the store.
        self.store.recheck(execution, id)?;

        // 4. The clock is read again and the decision validated.
        self.advance_if_any(step.advance_before_validation.as_deref())?;
        let window = decision.validate(&asked, self.clock)?;

        // 5. Marked; the clock is read a third time and the window checked again.
        self.store.mark(id);
        let entered = self
            .advance_if_any(step.advance_before_actuation.as_deref())
            .and_then(|()| window.check(self.clock));
        if let Err(reason) = entered {
            self.store.clear_mark(id);
            return Err(reason);
        }

        // 6. The actuator is called once.
        attempt.actuator_calls += 1;
        self.steps(&format!("{number}.actuation."), &step.during_actuation);
        let settled = settled(step.actuator.as_deref().unwrap_or("SUCCEEDED"));
        self.store.settle(id, settled.status);
        Ok(settled)
    }

    fn advance_if_any(&mut self, by: Option<&str>) -> Result<(), &'static str> {
        match by {
            Some(by) => self.advance(by),
            None => Ok(()),
        }
    }
}

fn settled(actuator: &str) -> Settled {
    match actuator {
        "SUCCEEDED" => {
            Settled { status: "RELEASED", reason: "actuator_succeeded", outcome: "SUCCEEDED" }
        }
        "DEFINITE_NOT_EXECUTED" => Settled {
            status: "CONTAINED",
            reason: "actuator_definitely_not_executed",
            outcome: "DEFINITE_NOT_EXECUTED",
        },
        // UNCERTAIN, a panic, and whatever is not recognised.
        _ => Settled {
            status: "UNCERTAIN",
            reason: "actuator_outcome_uncertain",
            outcome: "UNCERTAIN",
        },
    }
}
