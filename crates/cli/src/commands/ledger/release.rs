//! Releasing what is held.

use std::path::Path;
use std::time::Duration;

use swampbox_actuators::HttpActuator;
use swampbox_authority::{AuthorityProvider, AuthorityRequest, DecisionDocument, NoDecision};
use swampbox_boundary::{ReleaseBoundary, ReleaseResult};
use swampbox_custody::{ConsequenceId, Custody, ExecutionId, RefusedRelease, ReleaseState};
use swampbox_experiments::parts::SystemClock;
use swampbox_ledger::LedgerCustody;
use swampbox_material::json::Json;
use swampbox_material::{Code, Shown};
use swampbox_process::{Limits, Tool, become_subreaper};

use super::{id, place};
use crate::arguments::{Authority, Release};
use crate::display::Name;
use crate::failure::{Exit, Failure};
use crate::input;
use crate::output::{Output, Painted};

pub(super) fn run(release: Release, out: &mut Output) -> Result<Exit, Failure> {
    let (execution, consequence) = (id(&release.execution)?, id(&release.consequence)?);
    let provider = Provider::of(release.authority)?;
    let ledger = place::open(&release.at)?;
    let ended = match refused_type(&ledger, &execution, &consequence) {
        Some(refused) => refused,
        None => {
            let actuator = HttpActuator::builder().build();
            let boundary = ReleaseBoundary::new(&ledger, provider, actuator, SystemClock);
            Ended::from(boundary.release(&execution, &consequence))
        }
    };
    if release.at.json {
        out.json(&ended.to_document(&consequence))?;
    } else {
        let name = Name(consequence.as_str());
        let word = match ended.outcome {
            Some(_) => Painted::state(ended.status),
            None => Painted::bad("refused"),
        };
        out.line(format_args!("{name}  {word}  {}", ended.code))?;
        out.line(format_args!("  {}", Shown::json(&ended.message)))?;
    }
    Ok(match (ended.status, ended.code) {
        (ReleaseState::Released, _) => Exit::Done,
        (ReleaseState::Contained, Code::StoreUnavailable | Code::ClockInvalid) => Exit::Blocked,
        (ReleaseState::Contained, _) => Exit::No,
        (ReleaseState::Uncertain, _) => Exit::Uncertain,
    })
}

/// How it ended, in words and for programs.
struct Ended {
    status: ReleaseState,
    code: Code,
    message: String,
    decision: Option<String>,
    outcome: Option<&'static str>,
}

impl From<ReleaseResult> for Ended {
    fn from(result: ReleaseResult) -> Self {
        Self {
            status: result.status(),
            code: result.reason().code(),
            message: result.reason().to_string(),
            decision: result.authority_decision_id().map(ToString::to_string),
            outcome: result.actuator_outcome().map(|outcome| outcome.as_str()),
        }
    }
}

impl Ended {
    fn to_document(&self, consequence: &ConsequenceId) -> Json {
        let optional = |text: Option<&str>| text.map_or(Json::Null, Json::from);
        Json::object([
            ("consequence_id", Json::from(consequence.as_str())),
            ("status", Json::from(self.status.as_str())),
            ("reason", Json::from(self.code.as_str())),
            ("authority_decision_id", optional(self.decision.as_deref())),
            ("actuator_outcome", optional(self.outcome)),
            ("message", Json::from(self.message.as_str())),
        ])
    }
}

/// What can't be carried out is refused before an authority is asked. What the rules refuse is
/// left to the boundary.
fn refused_type(
    ledger: &LedgerCustody,
    execution: &ExecutionId,
    consequence: &ConsequenceId,
) -> Option<Ended> {
    let snapshot = ledger.request_release(execution, consequence).ok()?;
    let consequence_type = snapshot.material.consequence_type();
    if **consequence_type == *HttpActuator::CONSEQUENCE_TYPE {
        return None;
    }
    let refusal = RefusedRelease {
        execution: execution.clone(),
        consequence: consequence.clone(),
        reason: Code::NoActuator,
        decision: None,
        basis: None,
    };
    // Like the boundary: a store that can't note it does not make the refusal any less one.
    drop(ledger.note_refusal(&refusal));
    Some(Ended {
        status: ReleaseState::Contained,
        code: Code::NoActuator,
        message: format!("nothing here carries out {}", Shown::brief(consequence_type)),
        decision: None,
        outcome: None,
    })
}

/// Where the decision comes from.
enum Provider {
    File(DecisionDocument),
    Command { tool: Tool, program: String, arguments: Vec<String> },
}

impl Provider {
    fn of(authority: Authority) -> Result<Self, Failure> {
        match authority.decision {
            Some(file) => Self::file(&file),
            None => {
                let mut words = authority.command.into_iter();
                let missing = || Failure::plain(Code::InvalidDocument, "the command is missing");
                let program = words.next().ok_or_else(missing)?;
                // Where it can't be, a command that makes itself a daemon outlives the time limit.
                drop(become_subreaper());
                let limits = Limits {
                    deadline: Duration::from_secs(authority.timeout),
                    ..Limits::default()
                };
                let tool = Tool::in_this_environment(&program, limits).may_leave_input_unread();
                Ok(Provider::Command { tool, program, arguments: words.collect() })
            }
        }
    }

    fn file(file: &Path) -> Result<Self, Failure> {
        Ok(Provider::File(DecisionDocument::read(&input::read(file)?.text)))
    }
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
