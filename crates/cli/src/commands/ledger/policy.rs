//! Looking into who would decide.

use std::sync::Arc;

use swampbox_authority::{AuthorityProvider, AuthorityRequest, Clock, validate};
use swampbox_custody::{ConsequenceId, Custody, Refusal};
use swampbox_experiments::parts::SystemClock;
use swampbox_material::json::Json;
use swampbox_material::{Code, Shown};
use swampbox_policy::approvals::{ApprovalError, State};
use swampbox_service::HeldApprovals;

use super::{decide, id, place};
use crate::arguments::{LedgerArguments, PolicyCommand};
use crate::config::{Config, Named};
use crate::failure::{Exit, Failure};
use crate::output::{Output, Painted};

pub(super) fn run(command: PolicyCommand, out: &mut Output) -> Result<Exit, Failure> {
    match command {
        PolicyCommand::Check { at } => check(&at, out),
        PolicyCommand::Explain { consequence, at } => explain(&consequence, &at, out),
    }
}

fn check(at: &LedgerArguments, out: &mut Output) -> Result<Exit, Failure> {
    let config = Config::load(at.config.as_deref())?;
    let names = config.check_authority()?;
    if at.json {
        let names = names.iter().map(|name| Json::from(name.as_str())).collect();
        out.json(&Json::object([("providers", Json::List(names))]))?;
    } else if names.is_empty() {
        out.line("nobody decides: there is no `[authority]`")?;
    } else {
        out.line(format_args!("asked in this order: {}", names.join(", ")))?;
    }
    Ok(Exit::Done)
}

fn explain(consequence: &str, at: &LedgerArguments, out: &mut Output) -> Result<Exit, Failure> {
    let consequence: ConsequenceId = id(consequence)?;
    let config = Config::load(at.config.as_deref())?;
    let ledger = Arc::new(place::open(at)?);
    let providers = config.providers(&ledger)?;
    let refused = |refusal: Refusal| Failure::refusal(refusal.code(), refusal);
    let found = ledger.history().consequence(&consequence)?;
    let found = found.ok_or_else(|| refused(Refusal::ConsequenceNotFound(consequence.clone())))?;
    let execution = found
        .snapshot
        .current_execution_id
        .ok_or_else(|| refused(Refusal::ConsequenceNotInActiveCustody(consequence.clone())))?;
    let snapshot = ledger.request_release(&execution, &consequence)?;
    let evaluated_at = SystemClock.now().map_err(|error| Failure::plain(error.code(), error))?;
    let request = AuthorityRequest { snapshot, evaluated_at };
    let answers = providers.iter().map(|provider| match provider.called() {
        "approvals" => Answer::of_people(&config.approvals(&ledger)?, &request),
        _ => Ok(Answer::of(provider, &request)),
    });
    let answers = answers.collect::<Result<Vec<_>, Failure>>()?;
    for answer in &answers {
        match at.json {
            true => out.json(&answer.to_document())?,
            false => answer.tell(out)?,
        }
    }
    let mut said = answers.iter().map(|answer| answer.said);
    let allowed = match config.all_have_to_allow() {
        true => said.all(|said| said == Said::Allow),
        false => said.find(|said| *said != Said::Nothing) == Some(Said::Allow),
    };
    Ok(if allowed { Exit::Done } else { Exit::No })
}

/// What one provider would say.
struct Answer {
    provider: String,
    said: Said,
    why: String,
}

/// What it comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Allow,
    Refuse,
    /// It stops there: somebody is asked, or what was decided was taken back.
    Stop,
    /// It does not decide, and the next one is asked.
    Nothing,
}

impl Answer {
    fn of(provider: &Named, request: &AuthorityRequest) -> Self {
        let (said, why) = match (provider.evaluate(request), &request.snapshot.current_execution_id)
        {
            (Err(error), _) if error.code() == Code::AuthorityUnavailable => {
                (Said::Nothing, error.to_string())
            }
            (Err(error), _) => (Said::Stop, error.to_string()),
            (Ok(_), None) => (Said::Nothing, "nobody holds it".to_owned()),
            (Ok(decision), Some(execution)) => {
                let basis = decision.basis().map(ToString::to_string).unwrap_or_default();
                match validate(&decision, &request.snapshot, execution, request.evaluated_at) {
                    Ok(_) => (Said::Allow, basis),
                    Err(refusal) => (Said::Refuse, format!("{refusal} {basis}")),
                }
            }
        };
        Self { provider: provider.called().to_owned(), said, why }
    }

    /// What people have decided; nobody is asked.
    fn of_people(approvals: &HeldApprovals, request: &AuthorityRequest) -> Result<Self, Failure> {
        let (said, why) = match approvals.show_beside(&request.snapshot) {
            Err(ApprovalError::NotFound(_)) => (Said::Stop, "people would be asked".to_owned()),
            Err(error) => return Err(decide::failure(error)),
            Ok(asked) => match asked.state() {
                State::Allowed => (Said::Allow, asked.basis().to_string()),
                State::Denied => (Said::Refuse, asked.basis().to_string()),
                State::Open => (Said::Stop, "people have been asked".to_owned()),
                _ => (Said::Stop, "people would be asked again".to_owned()),
            },
        };
        Ok(Self { provider: "approvals".to_owned(), said, why })
    }

    fn tell(&self, out: &mut Output) -> Result<(), Failure> {
        let word = match self.said {
            Said::Allow => Painted::good(self.said.word()),
            Said::Refuse => Painted::bad(self.said.word()),
            Said::Stop | Said::Nothing => Painted::held(self.said.word()),
        };
        out.line(format_args!("{}  {word}", Shown::brief(&self.provider)))?;
        out.line(format_args!("  {}", Shown::json(self.why.trim())))
    }

    fn to_document(&self) -> Json {
        Json::object([
            ("provider", Json::from(self.provider.as_str())),
            ("answer", Json::from(self.said.word())),
            ("why", Json::from(self.why.trim())),
        ])
    }
}

impl Said {
    fn word(self) -> &'static str {
        match self {
            Said::Allow => "ALLOW",
            Said::Refuse => "refuses",
            Said::Stop => "waits",
            Said::Nothing => "nothing",
        }
    }
}
