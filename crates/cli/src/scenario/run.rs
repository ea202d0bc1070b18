use std::sync::{Arc, Mutex, PoisonError};

use swampbox_custody::Custody;
use swampbox_material::Code;
use swampbox_material::json::Json;

use super::expect::{Expectation, Mismatch};
use super::file::{Op, Release, Scenario, Step};
use super::script::{Interlude, Scripted, ScriptedClock};
use super::surface::{Library, Refused, Surface};

/// A step that was played, or that was expected to be and never reached.
#[derive(Debug)]
pub struct Played {
    /// Its number, such as `3` or `5.evaluation.1`.
    pub step: String,
    /// The operation.
    pub op: &'static str,
    /// How it ended; none if it was never reached.
    pub result: Option<StepResult>,
    /// Where it differs from what was expected.
    pub mismatch: Option<Mismatch>,
    /// Whether anything was expected.
    pub expected: bool,
}

/// How a step ended.
#[derive(Clone, Debug)]
pub enum StepResult {
    /// It was done, with this result.
    Ok(Json),
    /// It was refused.
    Error {
        /// The stable code.
        code: Code,
        /// The refusal, for people.
        message: String,
    },
}

/// Plays a scenario on an empty store, and gives its steps to `show` in the order in which they
/// end.
pub fn run<C: Custody>(scenario: &Scenario, custody: &C, show: impl FnMut(Played) + Send) {
    run_on(scenario, &Library(custody), show);
}

/// Plays a scenario through another door to an empty store.
pub fn run_on<S: Surface>(scenario: &Scenario, surface: &S, show: impl FnMut(Played) + Send) {
    let clock = ScriptedClock::starting_at(scenario.clock);
    let stage = Stage { surface, clock: &clock, show: &Mutex::new(show) };
    stage.play_all("", &scenario.steps);
}

/// Where steps are played; nested ones play on the same stage.
struct Stage<'a, D, S> {
    surface: &'a D,
    clock: &'a ScriptedClock,
    show: &'a Mutex<S>,
}

impl<D: Surface, S: FnMut(Played) + Send> Stage<'_, D, S> {
    fn play_all(&self, prefix: &str, steps: &[Step]) {
        for (number, step) in (1..).zip(steps) {
            self.play(format!("{prefix}{number}"), step);
        }
    }

    fn play(&self, number: String, step: &Step) {
        let result = self.perform(&number, &step.op).unwrap_or_else(|refused| {
            self.unreached_inside(&number, step);
            StepResult::Error { code: refused.code, message: refused.message }
        });
        let mismatch = step.expect.as_ref().and_then(|expect| expect.check(&result).err());
        self.show(number, step, Some(result), mismatch);
    }

    fn perform(&self, number: &str, op: &Op) -> Result<StepResult, Refused> {
        let surface = self.surface;
        let snapshot = match op {
            Op::Register(execution) => {
                return Ok(execution_state(execution, surface.register(execution)?));
            }
            Op::End(execution) => return Ok(execution_state(execution, surface.end(execution)?)),
            Op::State(consequence) => {
                return Ok(ok([("release_state", surface.state(consequence)?)]));
            }
            Op::Advance(nanoseconds) => {
                let moved = self.clock.advance(*nanoseconds);
                let now = moved.map_err(|error| Refused::new(Code::ClockInvalid, error))?;
                return Ok(ok([("clock", Json::from(now.to_string().as_str()))]));
            }
            Op::Release(release) => return self.release(number, release),
            Op::Submit { execution, consequence, material, parent } => {
                surface.submit(execution, consequence, material, parent.as_deref())?
            }
            Op::Read { execution, consequence } => surface.read(execution, consequence)?,
            Op::Transfer { source, target, consequence } => {
                surface.transfer(source, target, consequence)?
            }
            Op::Inspect(consequence) => surface.inspect(consequence)?,
            Op::Adopt { execution, consequence } => surface.adopt(execution, consequence)?,
        };
        Ok(ok([("consequence", snapshot)]))
    }

    fn release(&self, number: &str, release: &Release) -> Result<StepResult, Refused> {
        let interlude = During { stage: self, number, release };
        let scripted = Scripted::new(release, self.clock, interlude);
        let result = self.surface.release(&release.execution, &release.consequence, &scripted)?;

        let provider_calls = scripted.provider_calls.into_inner();
        let actuator_calls = scripted.actuator_calls.into_inner();
        if provider_calls == 0 {
            self.unreached(&format!("{number}.evaluation."), &release.during_evaluation);
        }
        if actuator_calls == 0 {
            self.unreached(&format!("{number}.actuation."), &release.during_actuation);
        }
        Ok(ok([
            ("release", result),
            ("provider_calls", Json::from(provider_calls)),
            ("actuator_calls", Json::from(actuator_calls)),
        ]))
    }

    /// An expectation of a step that was never played did not hold, nor did those inside it.
    fn unreached(&self, prefix: &str, steps: &[Step]) {
        for (number, step) in (1..).zip(steps) {
            let number = format!("{prefix}{number}");
            self.unreached_inside(&number, step);
            if let Some(mismatch) = step.expect.as_ref().map(Expectation::unreached) {
                self.show(number, step, None, Some(mismatch));
            }
        }
    }

    fn unreached_inside(&self, number: &str, step: &Step) {
        if let Op::Release(release) = &step.op {
            self.unreached(&format!("{number}.evaluation."), &release.during_evaluation);
            self.unreached(&format!("{number}.actuation."), &release.during_actuation);
        }
    }

    fn show(
        &self,
        number: String,
        step: &Step,
        result: Option<StepResult>,
        mismatch: Option<Mismatch>,
    ) {
        let (op, expected) = (step.op.name(), step.expect.is_some());
        let played = Played { step: number, op, result, mismatch, expected };
        let mut show = self.show.lock().unwrap_or_else(PoisonError::into_inner);
        show(played);
    }
}

/// Plays a release's nested steps while its authority or actuator works.
struct During<'a, D, S> {
    stage: &'a Stage<'a, D, S>,
    number: &'a str,
    release: &'a Release,
}

impl<D: Surface, S: FnMut(Played) + Send> Interlude for During<'_, D, S> {
    fn during_evaluation(&self) {
        let prefix = format!("{}.evaluation.", self.number);
        self.stage.play_all(&prefix, &self.release.during_evaluation);
    }

    fn during_actuation(&self) {
        let prefix = format!("{}.actuation.", self.number);
        self.stage.play_all(&prefix, &self.release.during_actuation);
    }
}

impl Played {
    /// The step as one line of the trace; none if it was never reached.
    pub fn trace_line(&self) -> Option<Json> {
        let (key, value) = match self.result.as_ref()? {
            StepResult::Ok(value) => ("ok", value.clone()),
            error => ("error", error.to_document()),
        };
        let step = Json::from(self.step.as_str());
        Some(Json::object([("step", step), ("op", Json::from(self.op)), (key, value)]))
    }
}

impl StepResult {
    /// The result, or the refusal with its `code` and `message`.
    pub fn to_document(&self) -> Json {
        match self {
            StepResult::Ok(result) => result.clone(),
            StepResult::Error { code, message } => Json::object([
                ("code", Json::from(code.as_str())),
                ("message", Json::from(message.as_str())),
            ]),
        }
    }
}

fn execution_state(execution: &Arc<str>, state: Json) -> StepResult {
    ok([("execution", Json::String(execution.clone())), ("state", state)])
}

fn ok<const N: usize>(entries: [(&str, Json); N]) -> StepResult {
    StepResult::Ok(Json::object(entries))
}
