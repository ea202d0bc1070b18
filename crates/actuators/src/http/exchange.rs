//! Sends one request and takes in its answer.

use std::io::{ErrorKind, Read};
use std::time::Duration;

use swampbox_material::Shown;
use ureq::Agent;
use ureq::config::Config;
use ureq::http::StatusCode;
use ureq::unversioned::resolver::DefaultResolver;

use super::Origin;
use super::outbound::Outbound;
use super::progress::{Progress, Stage};

/// How long the parts of an exchange may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timeouts {
    pub(crate) connect: Duration,
    pub(crate) overall: Duration,
}

/// There was no answer, for this reason.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It is certain that not one byte of the request left.
    NotSent(String),
    /// It may have left, or there was a timeout.
    Unknown(String),
}

/// An answer whose header is complete.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Body,
}

/// What came of an answer's body.
#[derive(Debug)]
pub(crate) enum Body {
    /// All of it.
    Whole(Vec<u8>),
    /// It is longer than what was to be read.
    TooLong,
    /// It broke off, or did not come in time.
    Broken,
}

/// How much of an answer's header is read at most.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// How much of an answer's body is read at most.
const MAX_BODY_BYTES: u64 = 64 * 1024;

impl Timeouts {
    pub(crate) fn within_bounds(timeout: Duration) -> Duration {
        timeout.clamp(Duration::from_millis(1), Duration::from_secs(60 * 60))
    }
}

impl Default for Timeouts {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), overall: Duration::from_secs(30) }
    }
}

/// Sends the request once, and gives the status of the answer as soon as its header is complete
/// and its body read, as far as it is read.
pub(crate) fn send(outbound: Outbound, timeouts: Timeouts) -> Result<StatusCode, Failure> {
    // The body is read so that the server is not cut off in the middle of a short answer. What the
    // request did is known already, so it doesn't matter how that ends.
    send_and_read(outbound, timeouts, MAX_BODY_BYTES).map(|answer| answer.status)
}

/// Sends the request once, and gives the answer with its body, of which at most `limit` bytes and
/// one more are read.
pub(crate) fn send_and_read(
    outbound: Outbound,
    timeouts: Timeouts,
    limit: u64,
) -> Result<Answer, Failure> {
    let Outbound { origin, head, body } = outbound;
    let progress = Progress::default();
    // A client for each request, so that no connection is used a second time: a request that a
    // reused connection loses would have to be sent again.
    let client =
        Agent::with_parts(config(timeouts), progress.connector(), DefaultResolver::default());
    let answer = match body {
        Some(body) => client.run(head.map(|()| body)),
        None => client.run(head),
    };
    match answer {
        Ok(mut answer) => {
            let body = read(answer.body_mut().as_reader(), limit);
            Ok(Answer { status: answer.status(), body })
        }
        Err(error) => Err(Failure::new(&origin, progress.stage(), &error)),
    }
}

fn read(body: impl Read, limit: u64) -> Body {
    let mut bytes = Vec::new();
    match body.take(limit.saturating_add(1)).read_to_end(&mut bytes) {
        Ok(length) if u64::try_from(length).is_ok_and(|length| length <= limit) => {
            Body::Whole(bytes)
        }
        Ok(_) => Body::TooLong,
        Err(_) => Body::Broken,
    }
}

fn config(timeouts: Timeouts) -> Config {
    Agent::config_builder()
        .proxy(None)
        .max_redirects(0)
        .max_redirects_will_error(false)
        .http_status_as_error(false)
        .max_idle_connections(0)
        .max_response_header_size(MAX_HEADER_BYTES)
        .user_agent("")
        .accept("")
        .accept_encoding("")
        .timeout_resolve(Some(timeouts.connect))
        .timeout_connect(Some(timeouts.connect))
        .timeout_global(Some(timeouts.overall))
        .build()
}

impl Failure {
    fn new(origin: &Origin, stage: Stage, error: &ureq::Error) -> Self {
        let doing = match stage {
            Stage::LookingUp => "looking up the host of",
            Stage::Connecting => "connecting to",
            Stage::Securing => "negotiating TLS with",
            Stage::Connected => "beginning to send to",
            Stage::Sending => "talking to",
        };
        if is_timeout(error) {
            return Failure::Unknown(format!("timed out while {doing} {origin}"));
        }
        let cause = cause(error);
        match stage {
            Stage::Sending => Failure::Unknown(format!(
                "the request may have reached {origin}, but no complete answer came: {cause}"
            )),
            _ => Failure::NotSent(format!("nothing was sent: {doing} {origin} failed: {cause}")),
        }
    }
}

fn is_timeout(error: &ureq::Error) -> bool {
    match error {
        ureq::Error::Timeout(_) => true,
        ureq::Error::Io(error) => error.kind() == ErrorKind::TimedOut,
        _ => false,
    }
}

/// What went wrong, with nothing in it that could pass for words of ours.
fn cause(error: &ureq::Error) -> String {
    use ErrorKind as Kind;
    match error {
        ureq::Error::LargeResponseHeader(..) => "its header is longer than 64 KiB".into(),
        ureq::Error::Io(error) => match error.kind() {
            kind @ (Kind::ConnectionRefused
            | Kind::ConnectionReset
            | Kind::ConnectionAborted
            | Kind::BrokenPipe
            | Kind::HostUnreachable
            | Kind::NetworkUnreachable
            | Kind::UnexpectedEof) => kind.to_string(),
            _ => Shown::brief(&error.to_string()).to_string(),
        },
        other => Shown::brief(&other.to_string()).to_string(),
    }
}
