//! Principals whom somebody else knows: bearer tokens of an OpenID Connect issuer.
//!
//! A token is a JSON Web Token that the issuer signed for this service. Its signature, its issuer and its
//! audience are checked by the crate `jsonwebtoken`. What it says is then read strictly, from the very
//! bytes that were signed, and its times are compared with the clock of the service.

mod backend;
mod budget;
mod keys;

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::Validation;
use serde::de::IgnoredAny;
use swampbox_authority::Timestamp;
use swampbox_custody::Principal;
use swampbox_material::Code;
use swampbox_material::json::{Json, Object};

use crate::Role;
use crate::principal::{Holder, InvisibleName, repeated};

pub use keys::KeySource;
use keys::Keys;

/// How far the clocks of the issuer and of the service may differ.
const LEEWAY: Duration = Duration::from_secs(30);

/// What the tokens of an issuer are believed for.
#[derive(Clone, Debug)]
pub struct IssuerTerms {
    /// What stands as `iss` in its tokens.
    pub issuer: String,
    /// What has to stand as `aud` in those for this service, perhaps beside others.
    pub audience: String,
    /// Where its keys are.
    pub keys: KeySource,
    /// The claim that holds the principal's name. It should be one that nobody can choose for themselves,
    /// such as `sub`.
    pub name_claim: String,
    /// The claim that holds a word, or several, each of which may give roles.
    pub roles_claim: String,
    /// Those words with a role that each gives.
    pub roles: Vec<(String, Role)>,
}

/// An issuer whose tokens are believed. It is a handle: clones share its keys.
#[derive(Clone, Debug)]
pub struct Issuer {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    terms: IssuerTerms,
    keys: Keys,
}

/// The issuer can't be believed as it is configured (`config_invalid`), or its keys can't be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}")]
pub struct InvalidIssuer {
    code: Code,
    problem: String,
}

impl InvalidIssuer {
    fn new(code: Code, problem: impl ToString) -> Self {
        Self { code, problem: problem.to_string() }
    }

    /// The stable code: `config_invalid`, or `service_unreachable` for keys at a URL.
    pub fn code(&self) -> Code {
        self.code
    }
}

impl Issuer {
    /// Believes an issuer on these terms. Its keys are read when they are needed.
    ///
    /// # Errors
    ///
    /// `config_invalid` if its issuer or audience is empty, if nothing gives a role, if a word gives one
    /// twice, or if its keys are at a URL where others could put theirs in their place.
    pub fn new(terms: IssuerTerms) -> Result<Self, InvalidIssuer> {
        let invalid = |problem: &str| InvalidIssuer::new(Code::ConfigInvalid, problem);
        if terms.issuer.is_empty() || terms.audience.is_empty() {
            return Err(invalid("neither `issuer` nor `audience` may be empty"));
        }
        if terms.roles.is_empty() {
            return Err(invalid("nobody would have a role; give `roles` at least one"));
        }
        if let Some((word, role)) = repeated(&terms.roles) {
            return Err(invalid(&format!("{word:?} gives the role {role} twice; name it once")));
        }
        backend::install();
        let keys = Keys::of(terms.keys.clone())?;
        Ok(Self { inner: Arc::new(Inner { terms, keys }) })
    }

    /// Reads its keys now, and says how many there are that can be used.
    ///
    /// # Errors
    ///
    /// `config_invalid` or `service_unreachable` if they can't be read, or if none can be used.
    pub fn read_keys(&self) -> Result<usize, InvalidIssuer> {
        self.inner.keys.read()
    }

    /// Whether it is called so, and some of its principals have this role.
    pub(crate) fn gives(&self, name: &str, role: Role) -> bool {
        let terms = &self.inner.terms;
        *terms.issuer == *name && terms.roles.iter().any(|(_, given)| *given == role)
    }

    /// Who shows this token, now. None if it is not to be believed; why is nobody's business who shows
    /// it.
    ///
    /// It may read keys, for some seconds, so it is no work for a thread that serves connections.
    pub(crate) fn holder(&self, token: &str, now: Timestamp) -> Option<Holder> {
        let Inner { terms, keys } = &*self.inner;
        let [head, claims, _] = parts(token)?;
        let head = object(head)?;
        let text = |name: &str| head.get(name).and_then(Json::as_str);
        let kind = text("typ").unwrap_or("JWT").to_ascii_lowercase();
        // What has to be understood is not, and what says that it is something else is that.
        if !matches!(&*kind, "jwt" | "at+jwt" | "application/at+jwt")
            || ["crit", "b64"].iter().any(|name| head.get(name).is_some())
        {
            return None;
        }
        let key = keys.find(text("kid"))?;
        let mut validation = Validation::new(*key.algorithms.first()?);
        validation.algorithms = key.algorithms.clone();
        validation.set_issuer(&[&terms.issuer]);
        validation.set_audience(&[&terms.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        // The times are compared below, with the clock of the service.
        validation.validate_exp = false;
        jsonwebtoken::decode::<IgnoredAny>(token, &key.decoding, &validation).ok()?;
        terms.believed(&object(claims)?, now)
    }
}

impl IssuerTerms {
    /// Whom these claims are about, if they hold now.
    fn believed(&self, claims: &Object, now: Timestamp) -> Option<Holder> {
        if moment(claims.get("exp")?)?.after(LEEWAY).ok()? <= now {
            return None;
        }
        if let Some(not_before) = claims.get("nbf")
            && now.after(LEEWAY).ok()? < moment(not_before)?
        {
            return None;
        }
        let name: Principal = claims.get(&self.name_claim)?.as_str()?.parse().ok()?;
        let name = InvisibleName::check(name).ok()?;
        let has = |word: &str| match claims.get(&self.roles_claim) {
            Some(Json::List(words)) => words.iter().any(|found| found.as_str() == Some(word)),
            Some(Json::String(found)) => **found == *word,
            _ => false,
        };
        let roles = self.roles.iter().filter(|(word, _)| has(word)).map(|(_, role)| *role);
        let issuer = Some(Arc::from(self.issuer.as_str()));
        Some(Holder { name, roles: roles.collect(), issuer })
    }
}

/// Whether a credential has the form of a token: three parts.
pub(crate) fn is_token(shown: &str) -> bool {
    parts(shown).is_some()
}

fn parts(token: &str) -> Option<[&str; 3]> {
    let mut parts = token.split('.');
    let found = [parts.next()?, parts.next()?, parts.next()?];
    parts.next().is_none().then_some(found)
}

/// The object that a part of a token holds.
fn object(part: &str) -> Option<Object> {
    match Json::read(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()? {
        Json::Map(object) => Some(object),
        _ => None,
    }
}

/// A number of seconds since 1970, which may have a fraction; that is cut off.
fn moment(claim: &Json) -> Option<Timestamp> {
    let Json::Number(seconds) = claim else { return None };
    let seconds = seconds.as_str().split('.').next()?.parse().ok()?;
    let moment = SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))?;
    Timestamp::try_from(moment).ok()
}
