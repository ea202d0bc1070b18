//! Who decides.

use std::sync::Arc;
use std::time::Duration;

use swampbox_authority::{
    AuthorityProvider, AuthorityRequest, Clock, DecisionDocument, NoDecision, ValidityWindow,
    Verdict,
};
use swampbox_experiments::parts::SystemClock;
use swampbox_ledger::LedgerCustody;
use swampbox_material::Pattern;
use swampbox_policy::approvals::{Approvals, Directory, Quorum, Terms};
use swampbox_policy::signed::{FixedEnvelope, PublicKey, Role, Signed, TrustedKey, TrustedKeys};
use swampbox_policy::{
    AllOf, CommandProvider, FirstThatAnswers, HttpProvider, Rule, Rules, WindowLength,
};
use swampbox_service::{Effects, HeldApprovals, KeptRequests, Owners, Revoked};

use super::envelopes::Envelopes;
use super::names::Names;
use super::{Config, file};
use crate::failure::Failure;

/// The providers that are not outside.
const OWN: [&str; 4] = ["rules", "approvals", "signed", "cedar"];

/// The longest time that a request may wait: ten years.
const LONGEST_WAIT: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);

/// What is wrong with `signed` alone.
const NO_DIRECTORY: &str = "`signed` needs a `[signed]` table that says where envelopes lie";

/// What is wrong with a rule that allows by the name of an execution, where there is a service.
const SELF_CHOSEN: &str = "through the service an agent chooses the name of its execution itself, so \
                           nothing may be allowed by `execution`; say by `principal` who may, and \
                           leave `execution` out";

/// A provider, by the name that the configuration gives it.
pub(crate) struct Named {
    name: String,
    provider: Box<dyn AuthorityProvider>,
}

impl Config {
    /// The authority of the configuration; none if it names none. One provider alone is that
    /// authority, and a decision of it is refused with the code of what is wrong with it.
    ///
    /// It decides nothing any more once the configuration has changed.
    pub(crate) fn authority(
        &self,
        ledger: &Arc<LedgerCustody>,
    ) -> Result<Option<Box<dyn AuthorityProvider>>, Failure> {
        let Some(authority) = &self.file.authority else { return Ok(None) };
        let named = |names: &[String]| -> Result<Vec<Named>, Failure> {
            names.iter().map(|name| self.provider(name, ledger)).collect()
        };
        let (first, all) = (named(&authority.first)?, named(&authority.all)?);
        let combined = combined(first, all).ok_or_else(|| self.no_authority())?;
        Ok(Some(Box::new(self.watched(combined, ledger))))
    }

    /// Each provider that the authority asks, by itself and in the order in which they are asked.
    pub(crate) fn providers(&self, ledger: &Arc<LedgerCustody>) -> Result<Vec<Named>, Failure> {
        let names = self
            .file
            .authority
            .iter()
            .flat_map(|authority| authority.first.iter().chain(&authority.all));
        names.map(|name| self.provider(name, ledger)).collect()
    }

    /// The names of the providers in the order in which they are asked, once everything that the
    /// configuration says of them was found well formed.
    pub(crate) fn check_authority(&self) -> Result<Vec<String>, Failure> {
        self.keys()?;
        self.names()?;
        self.rules()?;
        if self.file.approvals.is_some() {
            self.terms()?;
        }
        if self.file.cedar.is_some() {
            self.cedar(Arc::new(self.names()?))?;
        }
        for (name, provider) in &self.file.providers {
            if OWN.contains(&name.as_str()) {
                let problem = "this name is taken by a provider of our own; take another";
                return Err(self.invalid(&format!("providers.{name}"), problem));
            }
            self.outside(name)?;
            let program = provider.command.first().map(|program| self.beside(program.as_ref()));
            let place = format!("providers.{name}");
            if let Some(unusable) = program.and_then(|program| self.unusable(&place, &program)) {
                return Err(unusable);
            }
        }
        let Some(authority) = &self.file.authority else { return Ok(Vec::new()) };
        if authority.first.is_empty() == authority.all.is_empty() {
            return Err(self.no_authority());
        }
        let names = authority.first.iter().chain(&authority.all).cloned().collect::<Vec<_>>();
        for (number, name) in names.iter().enumerate() {
            if names.iter().take(number).any(|earlier| earlier == name) {
                return Err(self.invalid("authority", format!("`{name}` is named twice")));
            }
            match name.as_str() {
                "rules" => {}
                "approvals" => drop(self.terms()?),
                "signed" if self.file.signed.is_some() => {}
                "signed" => return Err(self.invalid("authority", NO_DIRECTORY)),
                "cedar" => drop(self.cedar(Arc::new(self.names()?))?),
                other => drop(self.outside(other)?),
            }
        }
        Ok(names)
    }

    /// What the authority makes of answers that its providers gave, in their order.
    pub(crate) fn authority_of<P: AuthorityProvider + 'static>(
        &self,
        answers: Vec<P>,
        ledger: &Arc<LedgerCustody>,
    ) -> Result<Box<dyn AuthorityProvider>, Failure> {
        let all = self.file.authority.as_ref().is_some_and(|authority| !authority.all.is_empty());
        let (first, all) = if all { (Vec::new(), answers) } else { (answers, Vec::new()) };
        let combined = combined(first, all).ok_or_else(|| self.no_authority())?;
        Ok(self.given(combined, ledger))
    }

    /// The approvals of the configuration, on this ledger.
    pub(crate) fn approvals(&self, ledger: &Arc<LedgerCustody>) -> Result<HeldApprovals, Failure> {
        let (kept, clock) =
            (KeptRequests::of(ledger.clone()), Arc::new(SystemClock) as Arc<dyn Clock>);
        let principals = self.watched_directory(self.owners(ledger)?);
        let made = Approvals::new(kept, clock, principals, self.terms()?);
        let made = made.map_err(|error| self.invalid("approvals", error))?;
        let routes = self.routes()?;
        Ok(made.under(move |material| Effects::outlook(&routes, material).ok()))
    }

    /// Who is behind an execution: who made it through the service, or else whom the configuration
    /// says.
    pub(super) fn owners(
        &self,
        ledger: &Arc<LedgerCustody>,
    ) -> Result<Arc<dyn Directory>, Failure> {
        Ok(Arc::new(Owners::of(ledger.clone(), Arc::new(self.names()?))))
    }

    fn terms(&self) -> Result<Terms, Failure> {
        let invalid = |error: &dyn ToString| self.invalid("approvals", error.to_string());
        let Some(approvals) = &self.file.approvals else {
            return Err(invalid(&"there are none; name approvers under `[approvals]`"));
        };
        let eligible = approvals.approvers.iter().map(|name| self.principal("approvals", name));
        let eligible = eligible.collect::<Result<Vec<_>, _>>()?;
        let quorum = Quorum::new(approvals.quorum, eligible).map_err(|error| invalid(&error))?;
        let lifetime = Duration::from_secs(approvals.expires_after_seconds.get());
        if lifetime > LONGEST_WAIT {
            return Err(invalid(&"`expires_after_seconds` is more than ten years"));
        }
        let mut terms = Terms::new(
            quorum,
            lifetime,
            Duration::from_secs(approvals.longest_window_seconds.get()),
        )
        .map_err(|error| invalid(&error))?;
        if approvals.proposers_may_decide {
            terms = terms.with_proposers_deciding();
        }
        Ok(terms)
    }

    /// Whether there are keys, so that a decision without a signature is not believed.
    pub(crate) fn trusts_keys(&self) -> bool {
        !self.file.keys.is_empty()
    }

    /// The keys whose signatures are believed.
    pub(crate) fn keys(&self) -> Result<TrustedKeys, Failure> {
        let keys = (1..).zip(&self.file.keys).map(|(number, key)| {
            let place = format!("keys {number}");
            let invalid = |error: &dyn ToString| self.invalid(&place, error.to_string());
            let public: PublicKey = key.public_key.parse().map_err(|error| invalid(&error))?;
            let from = key.valid_from.parse().map_err(|error| invalid(&error))?;
            let until = key.valid_until.parse().map_err(|error| invalid(&error))?;
            let window = ValidityWindow::new(from, until).map_err(|error| invalid(&error))?;
            let types = key.consequence_types.parse().map_err(|error| invalid(&error))?;
            let targets = key.targets.parse().map_err(|error| invalid(&error))?;
            let role = Role::new(&key.name, types, targets);
            Ok(TrustedKey::new(&key.name, public, window, [role]))
        });
        let keys = keys.collect::<Result<Vec<_>, Failure>>()?;
        TrustedKeys::new(keys).map_err(|error| self.invalid("keys", error))
    }

    /// A provider that believes this envelope, if a trusted key signed it.
    pub(crate) fn signed(
        &self,
        envelope: Vec<u8>,
        ledger: &Arc<LedgerCustody>,
    ) -> Result<Box<dyn AuthorityProvider>, Failure> {
        let source = FixedEnvelope::new(envelope);
        let revoked = Revoked::of(ledger.clone());
        Ok(Box::new(Signed::new(source, self.keys()?, revoked, SystemClock)))
    }

    /// An authority that was made here. What the configuration says of keys, and what the ledger
    /// has revoked, holds for it too.
    pub(crate) fn given(
        &self,
        authority: Box<dyn AuthorityProvider>,
        ledger: &Arc<LedgerCustody>,
    ) -> Box<dyn AuthorityProvider> {
        Box::new(self.watched(authority, ledger))
    }

    fn provider(&self, name: &str, ledger: &Arc<LedgerCustody>) -> Result<Named, Failure> {
        let provider: Box<dyn AuthorityProvider> = match name {
            "rules" => Box::new(self.rules()?.with_principals(self.owners(ledger)?)),
            "approvals" => Box::new(self.approvals(ledger)?),
            "signed" => {
                let Some(signed) = &self.file.signed else {
                    return Err(self.invalid("authority", NO_DIRECTORY));
                };
                let source = Envelopes { directory: self.beside(&signed.directory) };
                let made =
                    Signed::new(source, self.keys()?, Revoked::of(ledger.clone()), SystemClock);
                Box::new(if signed.reusable { made.reusable() } else { made })
            }
            "cedar" => self.cedar(self.owners(ledger)?)?,
            other => self.outside(other)?,
        };
        Ok(Named { name: name.to_owned(), provider })
    }

    fn rules(&self) -> Result<Rules, Failure> {
        Rules::new(self.rules_in_it()?).map_err(|error| self.invalid("rules", error))
    }

    fn rules_in_it(&self) -> Result<Vec<Rule>, Failure> {
        let rules = (1..).zip(&self.file.rules).map(|(number, rule)| {
            let place = format!("rules {number}");
            let window = WindowLength::new(Duration::from_secs(rule.window_seconds.get()));
            let execution: Pattern = self.parsed(&place, &rule.execution)?;
            let allows = matches!(rule.effect, file::Effect::Allow);
            if allows && self.has_service() && !execution.matches_everything() {
                return Err(self.invalid(&place, SELF_CHOSEN));
            }
            Ok(Rule {
                consequence_type: self.parsed(&place, &rule.consequence_type)?,
                target: self.parsed(&place, &rule.target)?,
                execution,
                principal: self.parsed(&place, &rule.principal)?,
                effect: match rule.effect {
                    file::Effect::Allow => Verdict::Allow,
                    file::Effect::Deny => Verdict::Deny,
                },
                lasts: window.map_err(|error| self.invalid(&place, error))?,
                reason: rule.reason.clone(),
            })
        });
        rules.collect()
    }

    fn outside(&self, name: &str) -> Result<Box<dyn AuthorityProvider>, Failure> {
        let place = format!("providers.{name}");
        let invalid = |error: &dyn ToString| self.invalid(&place, error.to_string());
        let Some(provider) = self.file.providers.get(name) else {
            let known = OWN.into_iter().chain(self.file.providers.keys().map(String::as_str));
            let known = known.collect::<Vec<_>>().join("`, `");
            let problem = format!("there is no provider `{name}`; there are `{known}`");
            return Err(self.invalid("authority", problem));
        };
        let timeout = Duration::from_secs(provider.timeout_seconds.get());
        match (provider.command.split_first(), &provider.url) {
            (Some((program, arguments)), None) => {
                let builder = CommandProvider::builder(self.beside(program.as_ref()));
                let builder = builder.map_err(|error| invalid(&error))?;
                Ok(Box::new(builder.arguments(arguments).timeout(timeout).named(name).build()))
            }
            (None, Some(url)) => {
                let url = url.parse().map_err(|error| invalid(&error))?;
                let mut builder = HttpProvider::builder(url).timeout(timeout).named(name);
                if let Some(file) = &provider.token_file {
                    let token = self
                        .secret(&place, "token_file", file)?
                        .parse()
                        .map_err(|error| invalid(&error))?;
                    builder = builder.bearer(token);
                }
                Ok(Box::new(builder.build()))
            }
            _ => Err(invalid(&"give either `command` or `url`")),
        }
    }

    fn names(&self) -> Result<Names, Failure> {
        let names = (1..).zip(&self.file.principals).map(|(number, row)| {
            let place = format!("principals {number}");
            let principal = self.principal(&place, &row.principal)?;
            Ok((self.parsed(&place, &row.execution)?, principal))
        });
        Ok(Names { executions: names.collect::<Result<_, Failure>>()? })
    }

    fn no_authority(&self) -> Failure {
        let problem = "give either `first` or `all`, with at least one provider";
        self.invalid("authority", problem)
    }
}

/// The authority of these providers, one list of which is empty.
fn combined<P: AuthorityProvider + 'static>(
    first: Vec<P>,
    all: Vec<P>,
) -> Option<Box<dyn AuthorityProvider>> {
    let all_have_to = match (first.is_empty(), all.is_empty()) {
        (false, true) => false,
        (true, false) => true,
        _ => return None,
    };
    let mut providers = first.into_iter().chain(all).peekable();
    let one = providers.next()?;
    Some(match (providers.peek().is_some(), all_have_to) {
        (false, _) => Box::new(one),
        (true, true) => Box::new(providers.fold(AllOf::new(one), AllOf::and)),
        (true, false) => {
            Box::new(providers.fold(FirstThatAnswers::new(one), FirstThatAnswers::then))
        }
    })
}

impl Named {
    /// The name that the configuration gives it.
    pub(crate) fn called(&self) -> &str {
        &self.name
    }
}

impl AuthorityProvider for Named {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        self.provider.evaluate(request)
    }

    fn stands(
        &self,
        request: &AuthorityRequest,
        decision: &DecisionDocument,
    ) -> Result<(), NoDecision> {
        self.provider.stands(request, decision)
    }

    fn name(&self) -> &str {
        &self.name
    }
}
