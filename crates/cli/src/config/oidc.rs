//! Whose bearer tokens the service believes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::Deserialize;
use swampbox_service::{Issuer, IssuerTerms, KeySource};

use super::Config;
use crate::failure::Failure;

/// An OpenID Connect issuer.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Oidc {
    issuer: String,
    audience: String,
    key_set_file: Option<PathBuf>,
    key_set_url: Option<String>,
    #[serde(default = "subject")]
    name_claim: String,
    #[serde(default = "groups")]
    roles_claim: String,
    /// What stands in that claim, with the roles that it gives.
    roles: BTreeMap<String, Vec<String>>,
}

impl Oidc {
    /// Whether one of its tokens may give this role.
    pub(super) fn gives(&self, role: &str) -> bool {
        self.roles.values().flatten().any(|given| given == role)
    }
}

impl Config {
    pub(super) fn issuer(&self, oidc: &Oidc) -> Result<Issuer, Failure> {
        let place = "service.oidc";
        let (keys, here) = match (&oidc.key_set_file, &oidc.key_set_url) {
            (Some(file), None) => (KeySource::File(self.beside(file)), true),
            (None, Some(url)) => (KeySource::Url(url.clone()), false),
            _ => return Err(self.invalid(place, "give either `key_set_file` or `key_set_url`")),
        };
        let mut roles = Vec::new();
        for (word, given) in &oidc.roles {
            for role in given {
                roles.push((word.clone(), self.parsed(place, role)?));
            }
        }
        let issuer = Issuer::new(IssuerTerms {
            issuer: oidc.issuer.clone(),
            audience: oidc.audience.clone(),
            keys,
            name_claim: oidc.name_claim.clone(),
            roles_claim: oidc.roles_claim.clone(),
            roles,
        });
        let issuer = issuer.map_err(|error| self.invalid(place, error))?;
        if here {
            issuer.read_keys().map_err(|error| self.invalid(place, error))?;
        }
        Ok(issuer)
    }
}

fn subject() -> String {
    "sub".into()
}

fn groups() -> String {
    "groups".into()
}
