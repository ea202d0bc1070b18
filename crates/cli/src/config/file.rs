//! The configuration file as it is written.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::PathBuf;

use serde::Deserialize;

/// Everything that may stand in it. Every key is known; others are refused.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    pub(crate) authority: Option<Authority>,
    #[serde(default)]
    pub(crate) rules: Vec<Rule>,
    pub(crate) approvals: Option<Approvals>,
    #[serde(default)]
    pub(crate) principals: Vec<Principal>,
    pub(crate) signed: Option<Signed>,
    pub(crate) cedar: Option<Cedar>,
    #[serde(default)]
    pub(crate) keys: Vec<Key>,
    #[serde(default)]
    pub(crate) providers: BTreeMap<String, Provider>,
    #[serde(default)]
    pub(crate) http: Vec<Http>,
    #[serde(default)]
    pub(crate) file: Vec<Root>,
    #[serde(default)]
    pub(crate) command: Vec<Command>,
    pub(crate) git: Option<Git>,
    #[serde(default)]
    pub(crate) github: Vec<GitHub>,
    pub(super) service: Option<super::service::Service>,
}

/// Who decides: the first of these that gives a decision, or all of them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Authority {
    #[serde(default)]
    pub(crate) first: Vec<String>,
    #[serde(default)]
    pub(crate) all: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    #[serde(default = "any")]
    pub(crate) consequence_type: String,
    #[serde(default = "any")]
    pub(crate) target: String,
    #[serde(default = "any")]
    pub(crate) execution: String,
    #[serde(default = "any")]
    pub(crate) principal: String,
    pub(crate) effect: Effect,
    #[serde(default = "a_minute")]
    pub(crate) window_seconds: NonZeroU64,
    pub(crate) reason: String,
}

#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) enum Effect {
    #[serde(rename = "ALLOW")]
    Allow,
    #[serde(rename = "DENY")]
    Deny,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Approvals {
    pub(crate) approvers: Vec<String>,
    #[serde(default = "one")]
    pub(crate) quorum: usize,
    #[serde(default = "a_day")]
    pub(crate) expires_after_seconds: NonZeroU64,
    #[serde(default = "an_hour")]
    pub(crate) longest_window_seconds: NonZeroU64,
    #[serde(default)]
    pub(crate) proposers_may_decide: bool,
}

/// In whose name executions act.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Principal {
    pub(crate) execution: String,
    pub(crate) principal: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Signed {
    pub(crate) directory: PathBuf,
    #[serde(default)]
    pub(crate) reusable: bool,
}

/// Files that hold Cedar policies and, if they look at payloads, the schema of those.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(not(feature = "cedar"), expect(dead_code, reason = "read and refused without Cedar"))]
pub(crate) struct Cedar {
    pub(crate) policies: PathBuf,
    pub(crate) schema: Option<PathBuf>,
    #[serde(default = "a_minute")]
    pub(crate) window_seconds: NonZeroU64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Key {
    pub(crate) name: String,
    pub(crate) public_key: String,
    pub(crate) valid_from: String,
    pub(crate) valid_until: String,
    #[serde(default = "any")]
    pub(crate) consequence_types: String,
    #[serde(default = "any")]
    pub(crate) targets: String,
}

/// A provider outside: a command or a service.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Provider {
    #[serde(default)]
    pub(crate) command: Vec<String>,
    pub(crate) url: Option<String>,
    pub(crate) token_file: Option<PathBuf>,
    #[serde(default = "half_a_minute")]
    pub(crate) timeout_seconds: NonZeroU64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Http {
    /// An origin, or a pattern if no connection is given.
    pub(crate) target: String,
    /// Whether it may be at an address that is not public.
    #[serde(default)]
    pub(crate) private: bool,
    pub(crate) connection: Option<Connection>,
    #[serde(default)]
    pub(crate) not_done: Vec<u16>,
    #[serde(default = "half_a_minute")]
    pub(crate) timeout_seconds: NonZeroU64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Connection {
    pub(crate) name: String,
    pub(crate) token_file: PathBuf,
    /// The header that the whole content of the file is sent in; else it is a bearer token.
    pub(crate) header: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Root {
    pub(crate) target: String,
    pub(crate) directory: PathBuf,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Command {
    pub(crate) target: String,
    pub(crate) program: PathBuf,
    #[serde(default)]
    pub(crate) arguments: Vec<String>,
    #[serde(default)]
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) directory: Option<PathBuf>,
    #[serde(default = "success")]
    pub(crate) done: Vec<u8>,
    #[serde(default)]
    pub(crate) not_done: Vec<u8>,
    #[serde(default = "half_a_minute")]
    pub(crate) timeout_seconds: NonZeroU64,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Git {
    pub(crate) name: String,
    pub(crate) email: String,
    #[serde(default)]
    pub(crate) repositories: Vec<Repository>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Repository {
    pub(crate) target: String,
    /// A repository on this machine.
    pub(crate) path: Option<PathBuf>,
    /// A remote one, with a mirror of our own and, to push, where commits are taken from.
    pub(crate) url: Option<String>,
    pub(crate) mirror: Option<PathBuf>,
    pub(crate) commits_from: Option<PathBuf>,
    pub(crate) user: Option<String>,
    pub(crate) token_file: Option<PathBuf>,
    pub(crate) branches: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GitHub {
    /// `owner/repository`, or a pattern.
    pub(crate) target: String,
    #[serde(default = "github")]
    pub(crate) api: String,
    pub(crate) token_file: PathBuf,
}

fn any() -> String {
    "*".into()
}

fn one() -> usize {
    1
}

fn a_minute() -> NonZeroU64 {
    seconds(60)
}

fn half_a_minute() -> NonZeroU64 {
    seconds(30)
}

fn an_hour() -> NonZeroU64 {
    seconds(60 * 60)
}

fn a_day() -> NonZeroU64 {
    seconds(24 * 60 * 60)
}

fn seconds(count: u64) -> NonZeroU64 {
    NonZeroU64::new(count).unwrap_or(NonZeroU64::MIN)
}

fn success() -> Vec<u8> {
    vec![0]
}

fn github() -> String {
    "https://api.github.com".into()
}
