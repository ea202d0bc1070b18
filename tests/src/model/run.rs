//! Plays a scenario, step by step.

use super::scenario::{Scenario, Step};
use super::store::{Store, check, is_identifier};
use super::time;
use super::trace::TraceLine;
use super::value::{Material, Value};

/// Plays the scenario and gives its trace: a line for each step, nested steps before the step that
/// holds them.
///
/// A start of the clock that is no RFC 3339 time makes the scenario invalid: nothing is run, and
/// the trace is empty.
pub fn run(scenario: &Scenario) -> Vec<TraceLine> {
    let Some(clock) = time::parse(&scenario.clock) else {
        return Vec::new();
    };
    let mut run = Run { store: Store::default(), clock, lines: Vec::new() };
    run.steps("", &scenario.steps);
    run.lines
}

/// A scenario being played.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) store: Store,
    /// Nanoseconds since 1970-01-01T00:00:00Z, within the years 0000 to 9999.
    pub(super) clock: i128,
    lines: Vec<TraceLine>,
}

impl Run {
    /// Plays the steps in order; `prefix` comes before each one's number.
    pub(super) fn steps(&mut self, prefix: &str, steps: &[Step]) {
        for (index, step) in steps.iter().enumerate() {
            let number = format!("{prefix}{}", index + 1);
            let (op, outcome) = self.step(&number, step);
            self.lines.push(TraceLine { step: number, op, outcome });
        }
    }

    /// Moves the clock, unless that leads out of its range: then it stays as it was.
    pub(super) fn advance(&mut self, by: &str) -> Result<(), &'static str> {
        let moved = self.clock + time::seconds(by).ok_or("clock_invalid")?;
        check(time::in_range(moved), "clock_invalid")?;
        self.clock = moved;
        Ok(())
    }

    fn step(&mut self, number: &str, step: &Step) -> (&'static str, Result<Value, &'static str>) {
        match step {
            Step::Register { execution } => {
                let done = check_ids(&[execution]).and_then(|()| self.store.register(execution));
                ("register", done)
            }
            Step::End { execution } => {
                let done = check_ids(&[execution]).and_then(|()| self.store.end(execution));
                ("end", done)
            }
            Step::Submit { execution, consequence: id, material, parent } => {
                let done = self.submit(execution, id, material, parent.as_deref());
                ("submit", done.map(consequence))
            }
            Step::Read { execution, consequence: id } => {
                let done =
                    check_ids(&[execution, id]).and_then(|()| self.store.read(execution, id));
                ("read", done.map(consequence))
            }
            Step::Transfer { source, target, consequence: id } => {
                let done = check_ids(&[source, target, id])
                    .and_then(|()| self.store.transfer(source, target, id));
                ("transfer", done.map(consequence))
            }
            Step::Inspect { consequence: id } => {
                let done = check_ids(&[id]).and_then(|()| self.store.inspect(id));
                ("inspect", done.map(consequence))
            }
            Step::Adopt { execution, consequence: id } => {
                let done =
                    check_ids(&[execution, id]).and_then(|()| self.store.adopt(execution, id));
                ("adopt", done.map(consequence))
            }
            Step::State { consequence: id } => {
                ("state", check_ids(&[id]).and_then(|()| self.store.state(id)))
            }
            Step::Advance { by } => {
                let clock =
                    self.advance(by).and_then(|()| time::format(self.clock).ok_or("clock_invalid"));
                ("advance", clock.map(|clock| Value::map([("clock", Value::Str(clock))])))
            }
            Step::Release(release) => ("release", self.release(number, release)),
        }
    }

    /// A bad id first, a parent's too, then bad material, then the rules.
    fn submit(
        &mut self,
        execution: &str,
        id: &str,
        material: &Material,
        parent: Option<&str>,
    ) -> Result<Value, &'static str> {
        check_ids(&[execution, id])?;
        if let Some(parent) = parent {
            check_ids(&[parent])?;
        }
        if let Some(code) = material.payload.refused_as_payload() {
            return Err(code);
        }
        self.store.submit(execution, id, material, parent)
    }
}

/// "Anything else: `invalid_identifier`, before any other check of the operation."
pub(super) fn check_ids(ids: &[&str]) -> Result<(), &'static str> {
    check(ids.iter().all(|id| is_identifier(id)), "invalid_identifier")
}

fn consequence(snapshot: Value) -> Value {
    Value::map([("consequence", snapshot)])
}
