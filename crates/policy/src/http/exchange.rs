//! Asks once, over a connection of its own.

use std::io::{ErrorKind, Read};
use std::time::Duration;

use swampbox_material::Shown;
use ureq::Agent;
use ureq::config::Config;
use ureq::http::header::{AUTHORIZATION, CONTENT_TYPE};
use ureq::http::{Request, StatusCode};

use super::{AuthorityUrl, BearerToken};

/// How much of an answer's header is read at most.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// An authority, how it is told who asks, and what an exchange with it may take.
#[derive(Clone, Debug)]
pub(super) struct Authority {
    pub(super) url: AuthorityUrl,
    pub(super) token: Option<BearerToken>,
    /// From looking up the host to the last byte of the answer.
    pub(super) timeout: Duration,
    pub(super) max_answer_bytes: usize,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub(super) enum ExchangeError {
    #[error("the question could not be put into a request")]
    Unsendable,
    #[error("timed out after {0:?}")]
    TimedOut(Duration),
    #[error("the exchange failed: {0}")]
    Failed(String),
    #[error("it answered {}, and a decision comes with 200 OK", shown(*.0))]
    Status(StatusCode),
    #[error("its answer has more than {0} bytes")]
    TooLarge(usize),
    #[error("its answer breaks off: {0}")]
    BrokenOff(String),
}

impl Authority {
    /// Posts the question once and gives the body of the answer.
    pub(super) fn ask(&self, question: String) -> Result<Vec<u8>, ExchangeError> {
        let mut request = Request::post(self.url.as_str()).header(CONTENT_TYPE, "application/json");
        if let Some(token) = &self.token {
            let value = token.header().ok_or(ExchangeError::Unsendable)?;
            request = request.header(AUTHORIZATION, value);
        }
        let request = request.body(question).map_err(|_| ExchangeError::Unsendable)?;
        let client = Agent::new_with_config(self.config());
        let mut answer =
            client.run(request).map_err(|error| self.failure(&error, ExchangeError::Failed))?;
        if answer.status() != StatusCode::OK {
            return Err(ExchangeError::Status(answer.status()));
        }
        self.read(answer.body_mut().as_reader())
    }

    /// Reads one byte more than allowed at most, so that too much can be told from exactly enough.
    fn read(&self, body: impl Read) -> Result<Vec<u8>, ExchangeError> {
        let most = u64::try_from(self.max_answer_bytes).unwrap_or(u64::MAX).saturating_add(1);
        let mut bytes = Vec::new();
        body.take(most)
            .read_to_end(&mut bytes)
            .map_err(|error| self.failure(&error.into(), ExchangeError::BrokenOff))?;
        if bytes.len() > self.max_answer_bytes {
            return Err(ExchangeError::TooLarge(self.max_answer_bytes));
        }
        Ok(bytes)
    }

    fn failure(&self, error: &ureq::Error, of: fn(String) -> ExchangeError) -> ExchangeError {
        match error {
            ureq::Error::Timeout(_) => ExchangeError::TimedOut(self.timeout),
            ureq::Error::Io(error) if error.kind() == ErrorKind::TimedOut => {
                ExchangeError::TimedOut(self.timeout)
            }
            error => of(self.cause(error)),
        }
    }

    /// What went wrong. What the other side said is in it, in quotes, unless it repeats the token.
    fn cause(&self, error: &ureq::Error) -> String {
        use ErrorKind as Kind;
        if let ureq::Error::LargeResponseHeader(..) = error {
            return "the header is longer than 64 KiB".into();
        }
        let told = match error {
            ureq::Error::Io(error) => match error.kind() {
                kind @ (Kind::ConnectionRefused
                | Kind::ConnectionReset
                | Kind::ConnectionAborted
                | Kind::BrokenPipe
                | Kind::HostUnreachable
                | Kind::NetworkUnreachable
                | Kind::UnexpectedEof) => return kind.to_string(),
                _ => error.to_string(),
            },
            other => other.to_string(),
        };
        match &self.token {
            Some(token) if token.is_in(&told) => "what it said repeats the token".into(),
            _ => Shown::brief(&told).to_string(),
        }
    }

    /// No proxy of the environment, no redirect, no connection that is used a second time, and so no
    /// request that is sent a second time.
    fn config(&self) -> Config {
        Agent::config_builder()
            .proxy(None)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .max_idle_connections(0)
            .max_response_header_size(MAX_HEADER_BYTES)
            .user_agent("")
            .accept("application/json")
            .accept_encoding("")
            .timeout_global(Some(self.timeout))
            .build()
    }
}

/// A status without the words that the other side put to it.
fn shown(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("{} {reason}", status.as_str()),
        None => status.as_str().to_owned(),
    }
}
