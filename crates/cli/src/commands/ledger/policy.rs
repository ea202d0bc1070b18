//! Looking into who would decide.

mod heard;

use std::sync::Arc;

use swampbox_authority::{
    AuthorityProvider, AuthorityRequest, Clock, DecisionDocument, NoDecision, Timestamp, validate,
};
use swampbox_custody::{ConsequenceId, Custody, ExecutionId, Refusal, Snapshot};
use swampbox_experiments::parts::SystemClock;
use swampbox_ledger::LedgerCustody;
use swampbox_material::json::Json;
use swampbox_material::{Code, Shown};
use swampbox_process::become_subreaper;
use swampbox_service::Effects;

use self::heard::Heard;
use super::{id, place};
use crate::arguments::{LedgerArguments, PolicyCommand};
use crate::config::Config;
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
    // So that what a command leaves behind can be found when its time is up, as in a release.
    drop(become_subreaper());
    let heard = providers.into_iter().map(|provider| {
        let approvals = match provider.called() {
            "approvals" => Some(config.approvals(&ledger)?),
            _ => None,
        };
        Ok(Arc::new(Heard::new(provider, approvals)))
    });
    let heard = heard.collect::<Result<Vec<_>, Failure>>()?;
    // From here on in the order of a release: whom it asks, when it reads the clock, and where it
    // ends.
    let snapshot = ledger.request_release(&execution, &consequence)?;
    let together = match config.routes()?.actuator(&snapshot.material).map(drop) {
        Err(error) => {
            for provider in &heard {
                Answer::not_asked(provider.called()).tell(at.json, out)?;
            }
            Answer::refusal(None, error.code(), &error.to_string())
        }
        Ok(()) if heard.is_empty() => {
            Answer::nothing(None, &NoDecision::new("there is no `[authority]`"))
        }
        Ok(()) => {
            let authority = config.authority_of(heard.clone(), &ledger)?;
            let request = AuthorityRequest { snapshot, evaluated_at: now()? };
            let answer = authority.evaluate(&request);
            let admission = Admission::begin(&ledger, &request, execution, answer.is_ok())?;
            let mut closing = None;
            let stands = |decision: &_| authority.stands(&request, decision);
            let together = admission.look(None, answer, stands, || Ok(*closing.insert(now()?)))?;
            for provider in &heard {
                let answer = match provider.answer() {
                    None => Answer::not_asked(provider.called()),
                    Some(said) => {
                        let said = config.given(Box::new(said), &ledger).evaluate(&request);
                        let closing = closing.unwrap_or(admission.now);
                        let stood = |_: &_| provider.stood();
                        admission.look(Some(provider.called()), said, stood, || Ok(closing))?
                    }
                };
                answer.tell(at.json, out)?;
            }
            together
        }
    };
    together.tell(at.json, out)?;
    Ok(if together.said == Said::Allow { Exit::Done } else { Exit::No })
}

fn now() -> Result<Timestamp, Failure> {
    SystemClock.now().map_err(|error| Failure::plain(error.code(), error))
}

/// What an answer is held against before a release is marked.
struct Admission<'l> {
    ledger: &'l LedgerCustody,
    current: Snapshot,
    execution: ExecutionId,
    now: Timestamp,
}

impl<'l> Admission<'l> {
    /// Custody and the time as they are once the authority has answered. A release that was given no
    /// decision does not look at custody again.
    fn begin(
        ledger: &'l LedgerCustody,
        request: &AuthorityRequest,
        execution: ExecutionId,
        decided: bool,
    ) -> Result<Self, Failure> {
        let current = match decided {
            true => ledger.recheck_release(&execution, &request.snapshot.consequence_id)?,
            false => request.snapshot.clone(),
        };
        Ok(Self { ledger, current, execution, now: now()? })
    }

    /// What an answer comes to, with the word at the edge and the last reading of the clock if it gets
    /// so far.
    fn look(
        &self,
        provider: Option<&str>,
        answer: Result<DecisionDocument, NoDecision>,
        stands: impl FnOnce(&DecisionDocument) -> Result<(), NoDecision>,
        closing: impl FnOnce() -> Result<Timestamp, Failure>,
    ) -> Result<Answer, Failure> {
        let document = match answer {
            Ok(document) => document,
            Err(none) => return Ok(Answer::nothing(provider, &none)),
        };
        let basis = document.basis().map(ToString::to_string).unwrap_or_default();
        let refusal =
            |code, why: String| Answer::refusal(provider, code, &format!("{why} {basis}"));
        let decision = match validate(&document, &self.current, &self.execution, self.now) {
            Ok(decision) => decision,
            Err(error) => return Ok(refusal(error.code(), error.to_string())),
        };
        if let Some(used) = self.ledger.history().first_consumed(document.consumes())? {
            let used = Refusal::DecisionConsumed(used);
            return Ok(refusal(used.code(), used.to_string()));
        }
        if let Err(none) = stands(&document) {
            return Ok(refusal(none.code(), none.to_string()));
        }
        Ok(match decision.window().check(closing()?) {
            Ok(()) => Answer {
                provider: provider.map(str::to_owned),
                said: Said::Allow,
                code: None,
                why: basis,
            },
            Err(error) => refusal(error.code(), error.to_string()),
        })
    }
}

/// What one provider would say, or all of them together.
struct Answer {
    /// None for what a release would be told.
    provider: Option<String>,
    said: Said,
    /// Why it is no ALLOW, if it was asked.
    code: Option<Code>,
    why: String,
}

/// What it comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Said {
    Allow,
    Refuse,
    /// It stops there: somebody is asked.
    Wait,
    /// It does not decide, and the next one is asked.
    Nothing,
    /// A release ends before it.
    NotAsked,
}

impl Answer {
    fn nothing(provider: Option<&str>, none: &NoDecision) -> Self {
        let said = match none.code() {
            Code::AuthorityPending => Said::Wait,
            Code::AuthorityUnavailable => Said::Nothing,
            _ => Said::Refuse,
        };
        Self { said, ..Self::refusal(provider, none.code(), &none.to_string()) }
    }

    fn not_asked(provider: &str) -> Self {
        Self {
            provider: Some(provider.to_owned()),
            said: Said::NotAsked,
            code: None,
            why: String::new(),
        }
    }

    fn refusal(provider: Option<&str>, code: Code, why: &str) -> Self {
        Self {
            provider: provider.map(str::to_owned),
            said: Said::Refuse,
            code: Some(code),
            why: why.into(),
        }
    }

    fn tell(&self, json: bool, out: &mut Output) -> Result<(), Failure> {
        if json {
            return out.json(&self.to_document());
        }
        let word = match self.said {
            Said::Allow => Painted::good(self.said.word()),
            Said::Refuse => Painted::bad(self.said.word()),
            Said::Wait | Said::Nothing | Said::NotAsked => Painted::held(self.said.word()),
        };
        let provider = self.provider.as_deref().map(|name| Shown::brief(name).to_string());
        let provider = provider.unwrap_or_else(|| "a release".to_owned());
        let code = self.code.map(|code| format!("  {code}")).unwrap_or_default();
        out.line(format_args!("{provider}  {word}{code}"))?;
        match self.why.trim() {
            "" => Ok(()),
            why => out.line(format_args!("  {}", Shown::json(why))),
        }
    }

    fn to_document(&self) -> Json {
        let code = self.code.map_or(Json::Null, |code| Json::from(code.as_str()));
        let provider = self.provider.as_deref().map_or(Json::Null, Json::from);
        Json::object([
            ("provider", provider),
            ("answer", Json::from(self.said.word())),
            ("reason", code),
            ("why", Json::from(self.why.trim())),
        ])
    }
}

impl Said {
    fn word(self) -> &'static str {
        match self {
            Said::Allow => "ALLOW",
            Said::Refuse => "refuses",
            Said::Wait => "waits",
            Said::Nothing => "nothing",
            Said::NotAsked => "not asked",
        }
    }
}
