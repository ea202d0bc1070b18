//! Looking into who would decide.

use std::sync::Arc;

use swampbox_authority::{AuthorityProvider, AuthorityRequest, Clock, validate};
use swampbox_custody::{ConsequenceId, Custody, Refusal};
use swampbox_experiments::parts::SystemClock;
use swampbox_material::Shown;
use swampbox_material::json::Json;

use super::{id, place};
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
    let answers: Vec<Answer> =
        providers.iter().map(|provider| Answer::of(provider, &request)).collect();
    for answer in &answers {
        match at.json {
            true => out.json(&answer.to_document())?,
            false => answer.tell(out)?,
        }
    }
    let allowed = config.would_allow(&answers.iter().map(|one| one.allows).collect::<Vec<_>>());
    Ok(if allowed { Exit::Done } else { Exit::No })
}

/// What one provider would say.
struct Answer {
    provider: String,
    /// None if it would not decide.
    allows: Option<bool>,
    word: &'static str,
    why: String,
}

impl Answer {
    fn of(provider: &Named, request: &AuthorityRequest) -> Self {
        let name = provider.called().to_owned();
        if name == "approvals" {
            let why = "people would be asked, or have been; see `swampbox decide`";
            return Self { provider: name, allows: None, word: "asks", why: why.into() };
        }
        let execution = request.snapshot.current_execution_id.clone();
        let (allows, word, why) = match (provider.evaluate(request), execution) {
            (Err(error), _) => (None, "nothing", error.to_string()),
            (Ok(_), None) => (None, "nothing", "nobody holds it".to_owned()),
            (Ok(decision), Some(execution)) => {
                let basis = decision.basis().map(ToString::to_string).unwrap_or_default();
                let at = request.evaluated_at;
                match validate(&decision, &request.snapshot, &execution, at) {
                    Ok(_) => (Some(true), "ALLOW", basis),
                    Err(refusal) => (Some(false), "refuses", format!("{refusal} {basis}")),
                }
            }
        };
        Self { provider: name, allows, word, why }
    }

    fn tell(&self, out: &mut Output) -> Result<(), Failure> {
        let word = match self.allows {
            Some(true) => Painted::good(self.word),
            Some(false) => Painted::bad(self.word),
            None => Painted::held(self.word),
        };
        out.line(format_args!("{}  {word}", Shown::brief(&self.provider)))?;
        out.line(format_args!("  {}", Shown::json(self.why.trim())))
    }

    fn to_document(&self) -> Json {
        Json::object([
            ("provider", Json::from(self.provider.as_str())),
            ("answer", Json::from(self.word)),
            ("why", Json::from(self.why.trim())),
        ])
    }
}
