//! Releasing what is held.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use swampbox_authority::{AuthorityProvider, AuthorityRequest, DecisionDocument, NoDecision};
use swampbox_boundary::{ReleaseBoundary, ReleaseResult};
use swampbox_custody::{ConsequenceId, Custody, ExecutionId, RefusedRelease, ReleaseState};
use swampbox_experiments::parts::SystemClock;
use swampbox_ledger::LedgerCustody;
use swampbox_material::json::Json;
use swampbox_material::{Code, Shown};
use swampbox_policy::approvals::{Request, State};
use swampbox_process::{Limits, Tool, become_subreaper};
use swampbox_service::{Effects, NoEffect};

use super::{decide, id, place};
use crate::arguments::{Authority, Release};
use crate::config::Config;
use crate::display::Name;
use crate::failure::{Exit, Failure};
use crate::input;
use crate::output::{Output, Painted};

/// How often a release that waits looks whether it was decided.
const LOOK: Duration = Duration::from_millis(200);

pub(super) fn run(release: Release, out: &mut Output) -> Result<Exit, Failure> {
    let (execution, consequence) = (id(&release.execution)?, id(&release.consequence)?);
    let ledger = Arc::new(place::open(&release.at)?);
    let (begun, longest) = (Instant::now(), Duration::from_secs(release.wait));
    loop {
        // Each attempt goes by the configuration as it is then.
        let config = Config::load(release.at.config.as_deref())?;
        let provider = provider(&release.authority, &config, &ledger)?;
        let boundary = Boundary { config: &config, ledger: &ledger, provider };
        let ended = boundary.release(&execution, &consequence)?;
        if ended.code != Code::AuthorityPending || begun.elapsed() >= longest {
            return Ok(ended.tell(&consequence, release.at.json, out));
        }
        wait(&config, &ledger, &consequence, begun, longest)?;
    }
}

/// Who decides: the configuration's authority, or else whom the arguments name.
fn provider(
    arguments: &Authority,
    config: &Config,
    ledger: &Arc<LedgerCustody>,
) -> Result<Box<dyn AuthorityProvider>, Failure> {
    let given = arguments.decision.is_some() || arguments.provider;
    match (config.authority(ledger)?, given) {
        (Some(authority), false) => Ok(authority),
        (Some(_), true) => {
            let message = "the configuration says who decides; leave --decision and --provider out";
            Err(Failure::plain(Code::InvalidArguments, message))
        }
        (None, true) => Ok(config.given(Provider::given(arguments, config, ledger)?, ledger)),
        (None, false) => {
            let message = "nobody is there to decide: give --decision, --provider, or a \
                           configuration with an `[authority]`";
            Err(Failure::plain(Code::InvalidArguments, message))
        }
    }
}

/// Releases what has just been decided, for its custodian.
pub(super) fn decided(
    config: &Config,
    ledger: &Arc<LedgerCustody>,
    request: &Request,
    json: bool,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let question = request.question();
    let provider = config.authority(ledger)?.ok_or_else(|| {
        let message = "the configuration has no `[authority]` that would find the decision";
        Failure::plain(Code::ConfigInvalid, message)
    })?;
    let boundary = Boundary { config, ledger, provider };
    let ended = boundary.release(&question.execution_id, &question.consequence_id)?;
    Ok(ended.tell(&question.consequence_id, json, out))
}

/// Waits until the request is not open any more, the configuration has changed, or for as long as was
/// said.
fn wait(
    config: &Config,
    ledger: &Arc<LedgerCustody>,
    consequence: &ConsequenceId,
    begun: Instant,
    longest: Duration,
) -> Result<(), Failure> {
    let approvals = config.approvals(ledger)?;
    while begun.elapsed() < longest && !config.has_changed() {
        let request = approvals.show(consequence).map_err(decide::failure)?;
        if request.state() != State::Open {
            break;
        }
        thread::sleep(LOOK.min(longest.saturating_sub(begun.elapsed())));
    }
    Ok(())
}

/// The boundary of the configuration.
struct Boundary<'c> {
    config: &'c Config,
    ledger: &'c Arc<LedgerCustody>,
    provider: Box<dyn AuthorityProvider>,
}

impl Boundary<'_> {
    fn release(
        &self,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Result<Ended, Failure> {
        // So that what a command leaves behind can be found when its time is up.
        drop(become_subreaper());
        let routes = self.config.routes()?;
        // What the rules refuse is left to the boundary, which no actuator is then needed for.
        let Ok(snapshot) = self.ledger.request_release(execution, consequence) else {
            let boundary = ReleaseBoundary::new(self.ledger, &self.provider, &routes, SystemClock);
            return Ok(boundary.release(execution, consequence).into());
        };
        let actuator = match routes.actuator(&snapshot.material) {
            Ok(actuator) => actuator,
            Err(error) => return Ok(self.unroutable(&error, execution, consequence)),
        };
        let boundary = ReleaseBoundary::new(self.ledger, &self.provider, actuator, SystemClock);
        let mut ended = Ended::from(boundary.release(execution, consequence));
        if ended.code == Code::AuthorityPending {
            ended.request = self.request(consequence);
        }
        Ok(ended)
    }

    /// The request that a consequence waits for, if people are asked here.
    fn request(&self, consequence: &ConsequenceId) -> Option<String> {
        let request = self.config.approvals(self.ledger).ok()?.show(consequence).ok()?;
        Some(request.question().id.to_string())
    }

    /// What can't be carried out is refused before an authority is asked.
    fn unroutable(
        &self,
        error: &NoEffect,
        execution: &ExecutionId,
        consequence: &ConsequenceId,
    ) -> Ended {
        let refusal = RefusedRelease {
            execution: execution.clone(),
            consequence: consequence.clone(),
            reason: error.code(),
            decision: None,
            basis: None,
        };
        // Like the boundary: a store that can't note it does not make the refusal any less one.
        drop(self.ledger.note_refusal(&refusal));
        Ended {
            status: ReleaseState::Contained,
            code: error.code(),
            message: error.to_string(),
            basis: None,
            request: None,
            decision: None,
            outcome: None,
        }
    }
}

/// How it ended, in words and for programs.
struct Ended {
    status: ReleaseState,
    code: Code,
    message: String,
    /// What an answer that refuses it rests on, as JSON.
    basis: Option<String>,
    /// The request that waits for people, by its id.
    request: Option<String>,
    decision: Option<String>,
    outcome: Option<&'static str>,
}

impl From<ReleaseResult> for Ended {
    fn from(result: ReleaseResult) -> Self {
        Self {
            status: result.status(),
            code: result.reason().code(),
            message: result.reason().to_string(),
            basis: result.basis().map(ToString::to_string),
            request: None,
            decision: result.authority_decision_id().map(ToString::to_string),
            outcome: result.actuator_outcome().map(|outcome| outcome.as_str()),
        }
    }
}

impl Ended {
    /// Says how it ended. The exit status is that of the release also where nobody reads the output,
    /// as what has happened has happened.
    fn tell(&self, consequence: &ConsequenceId, json: bool, out: &mut Output) -> Exit {
        let written = self.write(consequence, json, out).and_then(|()| out.finish());
        if let Err(failure) = written {
            out.give_up(&failure);
            let (name, status) = (Name(consequence.as_str()), self.status.as_str());
            out.remark(format_args!("{name} is {status} all the same: {}", self.code));
        }
        match (self.status, self.code) {
            (ReleaseState::Released, _) => Exit::Done,
            (ReleaseState::Contained, Code::StoreUnavailable | Code::ClockInvalid) => Exit::Blocked,
            (ReleaseState::Contained, _) => Exit::No,
            (ReleaseState::Uncertain, _) => Exit::Uncertain,
        }
    }

    fn write(
        &self,
        consequence: &ConsequenceId,
        json: bool,
        out: &mut Output,
    ) -> Result<(), Failure> {
        if json {
            out.json(&self.to_document(consequence))?;
        } else {
            let name = Name(consequence.as_str());
            let word = match (self.outcome, self.code) {
                (Some(_), _) => Painted::state(self.status),
                (None, Code::AuthorityPending) => Painted::held("waits"),
                (None, _) => Painted::bad("refused"),
            };
            out.line(format_args!("{name}  {word}  {}", self.code))?;
            out.line(format_args!("  {}", Shown::json(&self.message)))?;
            if let Some(basis) = &self.basis {
                out.line(format_args!("  resting on {}", Shown::json(basis)))?;
            }
        }
        Ok(())
    }

    fn to_document(&self, consequence: &ConsequenceId) -> Json {
        let optional = |text: Option<&str>| text.map_or(Json::Null, Json::from);
        Json::object([
            ("consequence_id", Json::from(consequence.as_str())),
            ("status", Json::from(self.status.as_str())),
            ("reason", Json::from(self.code.as_str())),
            ("authority_decision_id", optional(self.decision.as_deref())),
            ("actuator_outcome", optional(self.outcome)),
            ("message", Json::from(self.message.as_str())),
            ("basis", optional(self.basis.as_deref())),
            ("request_id", optional(self.request.as_deref())),
        ])
    }
}

/// Where the decision comes from.
enum Provider {
    File(DecisionDocument),
    Command { tool: Tool, program: String, arguments: Vec<String> },
}

impl Provider {
    /// What the arguments say. An envelope in a file is believed if a key of the configuration signed
    /// it.
    fn given(
        authority: &Authority,
        config: &Config,
        ledger: &Arc<LedgerCustody>,
    ) -> Result<Box<dyn AuthorityProvider>, Failure> {
        let Some(file) = &authority.decision else {
            return Ok(Box::new(Self::command(authority)?));
        };
        let text = input::read(file)?.text;
        Ok(match is_envelope(&text) {
            true => config.signed(text, ledger)?,
            false if config.trusts_keys() => {
                let message =
                    "the configuration trusts keys, and this is no envelope that one signed";
                return Err(Failure::new(Code::InvalidDocument, &file.to_string_lossy(), message));
            }
            false => Box::new(Provider::File(DecisionDocument::read(&text))),
        })
    }

    fn command(authority: &Authority) -> Result<Self, Failure> {
        let mut words = authority.command.iter();
        let missing = || Failure::plain(Code::InvalidDocument, "the command is missing");
        let program = words.next().ok_or_else(missing)?.clone();
        let deadline = Duration::from_secs(authority.timeout);
        let limits = Limits { deadline, ..Limits::default() };
        let tool = Tool::in_this_environment(&program, limits).may_leave_input_unread();
        Ok(Provider::Command { tool, program, arguments: words.cloned().collect() })
    }
}

/// Whether a text is meant as an envelope, by the field that no decision has.
fn is_envelope(text: &[u8]) -> bool {
    let document = Json::read(text).ok();
    document.is_some_and(|document| {
        document.as_object().is_some_and(|object| object.get("payloadType").is_some())
    })
}

impl AuthorityProvider for Provider {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        match self {
            Provider::File(document) => Ok(document.clone()),
            Provider::Command { tool, arguments, .. } => {
                let asked = format!("{}\n", request.snapshot.to_document());
                let ended = tool.run(arguments, Some(&asked)).map_err(NoDecision::new)?;
                if ended.status.success() {
                    return Ok(DecisionDocument::read(&ended.stdout));
                }
                let status = format!("the command ended with {}", ended.status);
                let said = String::from_utf8_lossy(&ended.stderr);
                Err(NoDecision::new(match said.trim_end() {
                    "" => status,
                    said => format!("{status}: {}", Shown::brief(said)),
                }))
            }
        }
    }

    fn name(&self) -> &str {
        match self {
            Provider::File(_) => "decision file",
            Provider::Command { program, .. } => program,
        }
    }
}
