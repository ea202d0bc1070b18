//! Where the service's traces go.

use std::path::PathBuf;

use serde::Deserialize;
#[cfg(feature = "otlp")]
use swampbox_policy::{AuthorityUrl, BearerToken};
#[cfg(feature = "otlp")]
use ureq::http::{HeaderValue, Uri};

use super::Config;
use crate::failure::Failure;

/// A collector.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(
    not(feature = "otlp"),
    expect(dead_code, reason = "a program without traces says so, and reads no further")
)]
pub(super) struct Traces {
    url: String,
    token_file: Option<PathBuf>,
    name: Option<String>,
    sampled: Option<f64>,
}

/// Where traces go, found well formed.
#[derive(Debug)]
#[cfg(feature = "otlp")]
pub(crate) struct TraceTerms {
    /// What takes OTLP over HTTP.
    pub(crate) url: String,
    /// The header that it wants to see, if it wants to see one.
    pub(crate) authorization: Option<HeaderValue>,
    /// The name of the service, as traces show it.
    pub(crate) name: String,
    /// The share of the traces that are sent, from 0 to 1.
    pub(crate) sampled: f64,
}

#[cfg(not(feature = "otlp"))]
impl Config {
    /// Refuses a collector: this program has nothing to send it.
    pub(crate) fn traces(&self) -> Result<(), Failure> {
        match self.file.service.as_ref().and_then(|service| service.traces.as_ref()) {
            None => Ok(()),
            Some(_) => {
                let problem = "this program was built without traces; build it with \
                               `--features otlp`";
                Err(self.invalid("service.traces", problem))
            }
        }
    }
}

#[cfg(feature = "otlp")]
impl Config {
    /// Where traces go, if they are to go anywhere.
    pub(crate) fn traces(&self) -> Result<Option<TraceTerms>, Failure> {
        let place = "service.traces";
        let Some(traces) = self.file.service.as_ref().and_then(|service| service.traces.as_ref())
        else {
            return Ok(None);
        };
        if !is_address(&traces.url) {
            let problem = "`url` is no address of a collector, such as \
                           `http://127.0.0.1:4318/v1/traces`";
            return Err(self.invalid(place, problem));
        }
        let authorization = match &traces.token_file {
            None => None,
            Some(_) if traces.url.parse::<AuthorityUrl>().is_err() => {
                let problem = "a token is sent over TLS, or to an address of the loopback \
                               interface; give an `url` that begins with `https://`";
                return Err(self.invalid(place, problem));
            }
            Some(file) => {
                let token = self.secret(place, "token_file", file)?;
                token.parse::<BearerToken>().map_err(|error| self.invalid(place, error))?;
                let value = HeaderValue::try_from(format!("Bearer {token}"));
                let mut value = value.map_err(|error| self.invalid(place, error))?;
                value.set_sensitive(true);
                Some(value)
            }
        };
        let sampled = traces.sampled.unwrap_or(1.0);
        if !(0.0..=1.0).contains(&sampled) {
            return Err(self.invalid(place, "`sampled` has to be from 0.0 to 1.0"));
        }
        Ok(Some(TraceTerms {
            url: traces.url.clone(),
            authorization,
            name: traces.name.clone().unwrap_or_else(|| "swampbox".into()),
            sampled,
        }))
    }
}

#[cfg(feature = "otlp")]
fn is_address(url: &str) -> bool {
    url.parse::<Uri>()
        .is_ok_and(|uri| matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some())
}
