//! The service: where it listens, whom it knows, and its bounds.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use swampbox_authority::Clock;
use swampbox_custody::Principal;
use swampbox_experiments::parts::SystemClock;
use swampbox_ledger::{LedgerCustody, SecretKey};
use swampbox_service::{Issuer, KeyHash, KeyRing, Limits, Parts, Role, Tls};

use super::Config;
use super::oidc::Oidc;
use super::traces::Traces;

use crate::failure::Failure;

/// Where it listens if nobody says.
const LISTEN: &str = "127.0.0.1:7800";

/// What becomes of a configuration that says nothing of a service.
pub(crate) const NO_SERVICE: &str =
    "`swampbox serve` would not begin, since there is no `[service]`";

/// The longest time that may be set as a bound, in seconds: a day.
const LONGEST: u64 = 24 * 60 * 60;

/// The greatest number that may be set as a bound.
const MOST: u32 = 1_000_000;

/// The longest body that may be let in, in bytes: what the reader of JSON takes.
const LONGEST_BODY: u32 = 64 << 20;

/// The least that may be set for all bodies and answers together, in bytes.
const LEAST_IN_FLIGHT: usize = 16 << 20;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Service {
    listen: Option<String>,
    /// Something in front of it ends TLS.
    #[serde(default)]
    behind_proxy: bool,
    tls: Option<Certificate>,
    checkpoint_key: Option<PathBuf>,
    oidc: Option<Oidc>,
    pub(super) traces: Option<Traces>,
    #[serde(default)]
    limits: Bounds,
    #[serde(default)]
    principals: Vec<Holder>,
}

/// PEM files.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Certificate {
    certificate: PathBuf,
    key: PathBuf,
}

/// Somebody with an API key.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Holder {
    name: String,
    roles: Vec<String>,
    key_sha256: String,
}

/// The fields of [`Limits`], with their units.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bounds {
    body_bytes: Option<u32>,
    head_seconds: Option<u64>,
    body_seconds: Option<u64>,
    connections: Option<u32>,
    bytes_in_flight: Option<u32>,
    operations: Option<u32>,
    releases: Option<u32>,
    releases_of_one_actuator: Option<u32>,
    patience_seconds: Option<u64>,
    wait_seconds: Option<u64>,
    streams: Option<u32>,
    requests_per_second: Option<u32>,
    burst_requests: Option<u32>,
    session_idle_seconds: Option<u64>,
    session_age_seconds: Option<u64>,
    grace_seconds: Option<u64>,
}

/// What the configuration says of the service, found well formed.
pub(crate) struct ServiceTerms {
    pub(crate) address: SocketAddr,
    pub(crate) tls: Option<Tls>,
    /// Something in front of it ends TLS.
    pub(crate) behind_proxy: bool,
    pub(crate) issuer: Option<Issuer>,
    keys: KeyRing,
    checkpoint_key: Option<SecretKey>,
    limits: Limits,
}

/// Who can decide through the service.
#[derive(Debug, Default)]
pub(crate) struct Staff {
    /// What is probably not meant.
    pub(crate) notes: Vec<String>,
    /// Why there are too few, if there are.
    pub(crate) short: Option<String>,
}

impl Config {
    /// Whether it says anything of a service.
    pub(crate) fn has_service(&self) -> bool {
        self.file.service.is_some()
    }

    /// Whether somebody of this name has a key for the service.
    pub(super) fn has_key(&self, name: &str) -> bool {
        let holders = self.file.service.iter().flat_map(|service| &service.principals);
        holders.into_iter().any(|holder| holder.name == name)
    }

    /// What it says of the service. `listen` takes the place of the address in it.
    ///
    /// Whether a service can begin is said here alone, for whoever begins one and for whoever only
    /// looks: nothing but the ledger and the address can stand in its way afterwards.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with the configuration; also if nobody could use the service, or nobody would
    /// decide.
    pub(crate) fn service(&self, listen: Option<&str>) -> Result<ServiceTerms, Failure> {
        let nothing = Service::default();
        let service = self.file.service.as_ref().unwrap_or(&nothing);
        let invalid = |problem: &dyn ToString| self.invalid("service", problem.to_string());
        if service.principals.is_empty() && service.oidc.is_none() {
            let problem = "nobody could use it: there are no `[[service.principals]]`; \
                           `swampbox principal` makes one";
            return Err(invalid(&problem));
        }
        self.traces()?;
        let address = self.address(service, listen)?;
        let tls = match &service.tls {
            None => None,
            Some(Certificate { certificate, key }) => {
                // Refused if others may read it.
                self.private("service.tls", "key", key)?;
                let tls = Tls::read(&self.beside(certificate), &self.beside(key));
                Some(tls.map_err(|error| invalid(&error))?)
            }
        };
        let checkpoint_key = service.checkpoint_key.as_ref();
        let checkpoint_key = checkpoint_key.map(|path| SecretKey::load(self.beside(path)));
        let issuer = service.oidc.as_ref().map(|oidc| self.issuer(oidc)).transpose()?;
        let keys = self.key_ring(service)?;
        let limits = self.limits(&service.limits)?;
        if self.check_authority()?.is_empty() {
            return Err(self.nobody_decides());
        }
        self.routes()?;
        Ok(ServiceTerms {
            address,
            tls,
            behind_proxy: service.behind_proxy,
            keys: issuer.iter().cloned().fold(keys, KeyRing::believing),
            issuer,
            checkpoint_key: checkpoint_key.transpose().map_err(|error| invalid(&error))?,
            limits,
        })
    }

    /// What the service is made of, on this ledger.
    pub(crate) fn parts(
        &self,
        terms: ServiceTerms,
        ledger: Arc<LedgerCustody>,
        ledger_path: PathBuf,
    ) -> Result<Parts, Failure> {
        let authority = self.authority(&ledger)?.ok_or_else(|| self.nobody_decides())?;
        let approvals = match &self.file.approvals {
            Some(_) => Some(Arc::new(self.approvals(&ledger)?)),
            None => None,
        };
        Ok(Parts {
            principals: self.owners(&ledger)?,
            ledger,
            ledger_path,
            authority: Arc::from(authority),
            approvals,
            effects: Arc::new(self.routes()?),
            clock: Arc::new(SystemClock) as Arc<dyn Clock>,
            keys: terms.keys,
            checkpoint_key: terms.checkpoint_key,
            limits: terms.limits,
        })
    }

    /// Whether those who decide can do it through the service.
    pub(crate) fn staff(&self) -> Staff {
        let (Some(service), Some(approvals)) = (&self.file.service, &self.file.approvals) else {
            return Staff::default();
        };
        if service.oidc.as_ref().is_some_and(|oidc| oidc.gives("approver")) {
            // Who has such a token is known to the issuer alone.
            return Staff::default();
        }
        let decides = |holder: &&Holder| holder.roles.iter().any(|role| role == "approver");
        let deciding: BTreeSet<&str> =
            service.principals.iter().filter(decides).map(|holder| &*holder.name).collect();
        let named: BTreeSet<&str> = approvals.approvers.iter().map(|name| &**name).collect();
        let keyless = named.difference(&deciding).map(|name| {
            format!(
                "the approver `{name}` has no key with the role approver, and decides in a terminal"
            )
        });
        let strangers = deciding.difference(&named).map(|name| {
            format!("`{name}` has the role approver, and is no approver in `[approvals]`")
        });
        let able = named.intersection(&deciding).count();
        let short = (able < approvals.quorum).then(|| {
            let quorum = approvals.quorum;
            format!(
                "{quorum} have to allow a release, and {able} of the approvers can do it through \
                 the service; make them keys with `swampbox principal`"
            )
        });
        Staff { notes: keyless.chain(strangers).collect(), short }
    }

    fn nobody_decides(&self) -> Failure {
        let problem = "nothing would ever be released: there is no `[authority]`; name who decides \
                       in one, as `swampbox config example` does";
        self.invalid("service", problem)
    }

    fn address(&self, service: &Service, listen: Option<&str>) -> Result<SocketAddr, Failure> {
        let invalid = |problem: String| self.invalid("service", problem);
        let listen = listen.or(service.listen.as_deref()).unwrap_or(LISTEN);
        let address: SocketAddr = listen.parse().map_err(|_| {
            invalid(format!("`{listen}` is no address with a port, such as `{LISTEN}`"))
        })?;
        let open = !address.ip().to_canonical().is_loopback();
        if open && service.tls.is_none() && !service.behind_proxy {
            return Err(invalid(format!(
                "at {address} others could read the credentials on their way; give `tls` a \
                 certificate and its key, or set `behind_proxy = true` if something in front of \
                 it ends TLS"
            )));
        }
        Ok(address)
    }

    fn key_ring(&self, service: &Service) -> Result<KeyRing, Failure> {
        (1..).zip(&service.principals).try_fold(KeyRing::new(), |ring, (number, holder)| {
            let place = format!("service.principals {number}");
            let name: Principal = self.parsed(&place, &holder.name)?;
            let key: KeyHash = self.parsed(&place, &holder.key_sha256)?;
            let roles = holder.roles.iter().map(|role| self.parsed::<Role>(&place, role));
            let roles = roles.collect::<Result<Vec<_>, _>>()?;
            ring.with(name, key, roles).map_err(|error| self.invalid(&place, error))
        })
    }

    fn limits(&self, given: &Bounds) -> Result<Limits, Failure> {
        let mut limits = Limits::default();
        let number = |name: &str, given: Option<u32>, to: &mut u32, most: u32| match given {
            None => Ok(()),
            Some(given) if (1..=most).contains(&given) => {
                *to = given;
                Ok(())
            }
            Some(_) => {
                Err(self.invalid("service.limits", format!("`{name}` has to be from 1 to {most}")))
            }
        };
        let count = |name: &str, given: Option<u32>, to: &mut usize, most: u32| {
            let mut found = 0;
            number(name, given, &mut found, most)?;
            if found > 0 {
                *to = found as usize;
            }
            Ok::<_, Failure>(())
        };
        let time = |name: &str, given: Option<u64>, to: &mut Duration| match given {
            None => Ok(()),
            Some(given) if (1..=LONGEST).contains(&given) => {
                *to = Duration::from_secs(given);
                Ok(())
            }
            Some(_) => {
                let problem = format!("`{name}` has to be from 1 to {LONGEST}");
                Err(self.invalid("service.limits", problem))
            }
        };
        count("body_bytes", given.body_bytes, &mut limits.body_bytes, LONGEST_BODY)?;
        time("head_seconds", given.head_seconds, &mut limits.head_time)?;
        time("body_seconds", given.body_seconds, &mut limits.body_time)?;
        count("connections", given.connections, &mut limits.connections, MOST)?;
        if let Some(bytes) = given.bytes_in_flight {
            let (bytes, least) = (bytes as usize, LEAST_IN_FLIGHT.max(2 * limits.body_bytes));
            if bytes < least {
                let most = u32::MAX;
                let problem = format!(
                    "`bytes_in_flight` has to be from {least} to {most}, so that there is room \
                     for two bodies at least"
                );
                return Err(self.invalid("service.limits", problem));
            }
            limits.bytes_in_flight = bytes;
        }
        number("operations", given.operations, &mut limits.operations, MOST)?;
        number("releases", given.releases, &mut limits.releases, MOST)?;
        let of_one = given.releases_of_one_actuator;
        let to = &mut limits.releases_of_one_actuator;
        number("releases_of_one_actuator", of_one, to, MOST)?;
        time("patience_seconds", given.patience_seconds, &mut limits.patience)?;
        time("wait_seconds", given.wait_seconds, &mut limits.wait)?;
        count("streams", given.streams, &mut limits.streams, MOST)?;
        let rate = &mut limits.requests_per_second;
        number("requests_per_second", given.requests_per_second, rate, MOST)?;
        number("burst_requests", given.burst_requests, &mut limits.burst, MOST)?;
        time("session_idle_seconds", given.session_idle_seconds, &mut limits.session_idle)?;
        time("session_age_seconds", given.session_age_seconds, &mut limits.session_age)?;
        time("grace_seconds", given.grace_seconds, &mut limits.grace)?;
        Ok(limits)
    }
}
