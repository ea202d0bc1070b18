//! Who may ask, and for what.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use sha2::{Digest, Sha256};
use swampbox_custody::Principal;
use swampbox_material::{Code, Shown, hex};

use crate::Issuer;
use crate::issuer::is_token;

/// What a principal may do. One may have several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Makes executions, and acts as those.
    Agent,
    /// Ends executions, adopts for them what is quarantined, looks for effects, attaches resolutions and
    /// signs checkpoints.
    Operator,
    /// Decides about requests for approval.
    Approver,
    /// Reads everything, and changes nothing.
    Auditor,
}

impl Role {
    /// All of them.
    pub const ALL: [Role; 4] = [Role::Agent, Role::Operator, Role::Approver, Role::Auditor];

    /// The role as a word, such as `agent`.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::Agent => "agent",
            Role::Operator => "operator",
            Role::Approver => "approver",
            Role::Auditor => "auditor",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// A word that is no role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no role {word:?}; there are agent, operator, approver and auditor")]
pub struct UnknownRole {
    word: String,
}

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(word: &str) -> Result<Self, UnknownRole> {
        let found = Role::ALL.into_iter().find(|role| role.as_str() == word);
        found.ok_or_else(|| UnknownRole { word: word.to_owned() })
    }
}

/// The SHA-256 of a credential: all that is kept of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash([u8; 32]);

impl KeyHash {
    /// That of this credential.
    pub fn of(credential: &str) -> Self {
        Self(Sha256::digest(credential).into())
    }
}

impl fmt::Display for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(&self.0))
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyHash({self})")
    }
}

/// A key that no principal can have like this (`config_invalid`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidKey {
    /// It is no hash.
    #[error(
        "the hash of a key has 64 hexadecimal digits in lower case; `swampbox principal` makes one"
    )]
    NoHash,
    /// Two principals have it.
    #[error("{0} and {1} have the same key; make one for each with `swampbox principal`")]
    Shared(Principal, Principal),
    /// It lets its holder do nothing.
    #[error("{0} has no role; give at least one of agent, operator, approver and auditor")]
    NoRole(Principal),
    /// It gives its holder a role twice.
    #[error("{0} has the role {1} twice; name it once")]
    RoleTwice(Principal, Role),
    /// Its holder's name looks like another one.
    #[error(transparent)]
    Name(#[from] InvisibleName),
}

/// A name in which something can't be seen, so that it looks like another one (`config_invalid`).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the name {0:?} has a character that nobody sees; take one of visible characters alone")]
pub struct InvisibleName(Principal);

impl InvisibleName {
    /// The name, if all of it can be seen.
    ///
    /// # Errors
    ///
    /// If something in it is invisible, or changes how its neighbours are drawn.
    pub fn check(name: Principal) -> Result<Principal, Self> {
        match Shown::hides_nothing(name.as_str()) {
            true => Ok(name),
            false => Err(Self(name)),
        }
    }

    /// The stable code.
    pub fn code(&self) -> Code {
        Code::ConfigInvalid
    }
}

impl InvalidKey {
    /// The stable code.
    pub fn code(&self) -> Code {
        Code::ConfigInvalid
    }
}

impl FromStr for KeyHash {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        hex::decode(text).map(Self).ok_or(InvalidKey::NoHash)
    }
}

/// The API keys that are known, by their hashes, and whose tokens are believed beside them.
#[derive(Clone, Debug, Default)]
pub struct KeyRing {
    keys: HashMap<KeyHash, Holder>,
    issuer: Option<Issuer>,
}

/// Who has a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Holder {
    pub(crate) name: Principal,
    pub(crate) roles: Vec<Role>,
    /// The issuer that says so; none if it is the configuration.
    pub(crate) issuer: Option<Arc<str>>,
}

impl Holder {
    pub(crate) fn has(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }
}

/// The first item that was there before.
pub(crate) fn repeated<T: PartialEq>(items: &[T]) -> Option<&T> {
    let mut numbered = (0..).zip(items);
    numbered
        .find(|(number, item)| items.iter().take(*number).any(|one| one == *item))
        .map(|(_, item)| item)
}

impl KeyRing {
    /// None.
    pub fn new() -> Self {
        Self::default()
    }

    /// One more key. A principal may have several.
    ///
    /// # Errors
    ///
    /// `config_invalid` if the key is there already, gives no role or one twice, or if something in the
    /// name is invisible.
    pub fn with(
        mut self,
        name: Principal,
        key: KeyHash,
        roles: impl IntoIterator<Item = Role>,
    ) -> Result<Self, InvalidKey> {
        let name = InvisibleName::check(name)?;
        let roles: Vec<Role> = roles.into_iter().collect();
        if roles.is_empty() {
            return Err(InvalidKey::NoRole(name));
        }
        if let Some(role) = repeated(&roles) {
            return Err(InvalidKey::RoleTwice(name, *role));
        }
        let holder = Holder { name: name.clone(), roles, issuer: None };
        match self.keys.insert(key, holder) {
            Some(other) => Err(InvalidKey::Shared(other.name, name)),
            None => Ok(self),
        }
    }

    /// Believes the tokens of this issuer too.
    pub fn believing(mut self, issuer: Issuer) -> Self {
        self.issuer = Some(issuer);
        self
    }

    /// Whether somebody may still act as the executions that they made: they have a key that makes
    /// executions, or the issuer that knew them is still believed, and makes some of its principals
    /// agents.
    pub(crate) fn knows_agent(&self, name: &Principal, issuer: Option<&str>) -> bool {
        let is_they = |holder: &Holder| holder.name == *name && holder.has(Role::Agent);
        let vouches =
            |known: &Issuer| issuer.is_some_and(|issuer| known.gives(issuer, Role::Agent));
        self.keys.values().any(is_they) || self.issuer.as_ref().is_some_and(vouches)
    }

    /// The issuer of what is shown, if it has the form of a token and one is believed.
    pub(crate) fn issuer_of(&self, shown: &str) -> Option<&Issuer> {
        self.issuer.as_ref().filter(|_| is_token(shown))
    }

    /// Who shows this key.
    ///
    /// What is looked up is the hash of what was shown, so the time that it takes tells nothing about
    /// the keys.
    pub(crate) fn holder(&self, shown: &str) -> Option<&Holder> {
        self.keys.get(&KeyHash::of(shown))
    }
}
