//! Sends one request and takes in its answer.

use std::io::{ErrorKind, Read};
use std::time::Duration;

use ureq::Agent;
use ureq::config::Config;
use ureq::http::{Request, StatusCode};
use ureq::unversioned::resolver::{DefaultResolver, Resolver};

use super::Origin;
use super::outbound::Outbound;
use super::progress::{Progress, Stage};
use super::reach::{OutOfReach, Reach, Vetting};
use crate::hidden::Hidden;

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
    /// It may have left.
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
pub(crate) fn send(
    outbound: Outbound,
    timeouts: Timeouts,
    reach: Reach,
) -> Result<StatusCode, Failure> {
    // The body is read so that the server is not cut off in the middle of a short answer. What the
    // request did is known already, so it doesn't matter how that ends.
    send_and_read(outbound, timeouts, reach, MAX_BODY_BYTES).map(|answer| answer.status)
}

/// Sends the request once, and gives the answer with its body, of which at most `limit` bytes and
/// one more are read.
pub(crate) fn send_and_read(
    outbound: Outbound,
    timeouts: Timeouts,
    reach: Reach,
    limit: u64,
) -> Result<Answer, Failure> {
    let lookup = DefaultResolver::default();
    send_by(outbound, timeouts, Vetting { reach, lookup }, limit)
}

/// The same, to an address that `resolver` gives.
fn send_by(
    outbound: Outbound,
    timeouts: Timeouts,
    resolver: impl Resolver,
    limit: u64,
) -> Result<Answer, Failure> {
    let Outbound { origin, head, body } = outbound;
    let hidden = credentials(&head);
    let progress = Progress::default();
    // A client for each request, so that no connection is used a second time: a request that a
    // reused connection loses would have to be sent again.
    let client = Agent::with_parts(config(timeouts), progress.connector(), resolver);
    let answer = match body {
        Some(body) => client.run(head.map(|()| body)),
        None => client.run(head),
    };
    match answer {
        Ok(mut answer) => {
            let body = read(answer.body_mut().as_reader(), limit);
            Ok(Answer { status: answer.status(), body })
        }
        Err(error) => Err(Failure::new(&origin, progress.stage(), &error, &hidden)),
    }
}

/// What the operator has added to the request, whether a scheme such as `Bearer` stands before it or not.
fn credentials(head: &Request<()>) -> Hidden {
    let sensitive = head.headers().values().filter(|value| value.is_sensitive());
    sensitive.filter_map(|value| value.to_str().ok()).fold(Hidden::default(), |hidden, value| {
        match value.split_once(' ') {
            Some((_, credential)) => hidden.with(value).with(credential),
            None => hidden.with(value),
        }
    })
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
    fn new(origin: &Origin, stage: Stage, error: &ureq::Error, hidden: &Hidden) -> Self {
        let doing = match stage {
            Stage::LookingUp => "looking up the host of",
            Stage::Connecting => "connecting to",
            Stage::Securing => "negotiating TLS with",
            Stage::Connected => "beginning to send to",
            Stage::Sending => "talking to",
        };
        match (stage, is_timeout(error)) {
            (Stage::Sending, true) => Failure::Unknown(format!("timed out while {doing} {origin}")),
            (Stage::Sending, false) => Failure::Unknown(format!(
                "the request may have reached {origin}, but no complete answer came: {}",
                cause(error, hidden)
            )),
            // The stage is noted before the first byte leaves, and nothing is sent after an error.
            (_, true) => {
                Failure::NotSent(format!("nothing was sent: timed out while {doing} {origin}"))
            }
            (_, false) => Failure::NotSent(format!(
                "nothing was sent: {doing} {origin} failed: {}",
                cause(error, hidden)
            )),
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
fn cause(error: &ureq::Error, hidden: &Hidden) -> String {
    use ErrorKind as Kind;
    match error {
        ureq::Error::Other(other) if other.is::<OutOfReach>() => other.to_string(),
        ureq::Error::LargeResponseHeader(..) => "its header is longer than 64 KiB".into(),
        ureq::Error::Io(error) => match error.kind() {
            kind @ (Kind::ConnectionRefused
            | Kind::ConnectionReset
            | Kind::ConnectionAborted
            | Kind::BrokenPipe
            | Kind::HostUnreachable
            | Kind::NetworkUnreachable
            | Kind::UnexpectedEof) => kind.to_string(),
            _ => hidden.quote(error.to_string().as_bytes()),
        },
        other => hidden.quote(other.to_string().as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::Write;
    use std::net::{SocketAddr, TcpListener};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::thread;

    use swampbox_material::{Material, Value};
    use ureq::http::Uri;
    use ureq::unversioned::resolver::ResolvedSocketAddrs;
    use ureq::unversioned::transport::NextTimeout;

    use super::*;

    /// A name that means these addresses, each time others.
    #[derive(Clone, Debug)]
    struct Rebound {
        answers: Arc<[Vec<SocketAddr>]>,
        asked: Arc<AtomicUsize>,
    }

    impl Rebound {
        fn each(answers: Vec<Vec<SocketAddr>>) -> Self {
            Self { answers: answers.into(), asked: Arc::default() }
        }
    }

    impl Resolver for Rebound {
        fn resolve(
            &self,
            _: &Uri,
            _: &Config,
            _: NextTimeout,
        ) -> Result<ResolvedSocketAddrs, ureq::Error> {
            let mut found = self.empty();
            let answer = &self.answers[self.asked.fetch_add(1, SeqCst)];
            answer.iter().for_each(|address| found.push(*address));
            Ok(found)
        }
    }

    fn get(lookup: Rebound, reach: Reach) -> Result<Answer, Failure> {
        let origin = "http://name.example";
        let payload = format!(r#"{{"method":"GET","url":"{origin}/"}}"#);
        let payload = Value::from_json(payload.as_bytes()).unwrap();
        let material = Material::new("http.request", origin, payload);
        let outbound = Outbound::read(&material, &BTreeMap::new()).unwrap();
        send_by(outbound, Timeouts::default(), Vetting { reach, lookup }, 100)
    }

    /// A server that answers once.
    fn server() -> (SocketAddr, thread::JoinHandle<()>) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let thread = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.read_exact(&mut [0; 16]).unwrap();
            stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap();
        });
        (address, thread)
    }

    #[test]
    fn a_name_is_looked_up_once_and_what_was_looked_at_is_dialled() {
        let (address, server) = server();
        let nowhere: SocketAddr = "127.0.0.1:1".parse().unwrap();
        let lookup = Rebound::each(vec![vec![address], vec![nowhere]]);
        assert_eq!(get(lookup.clone(), Reach::Anywhere).unwrap().status, 204);
        assert_eq!(lookup.asked.load(SeqCst), 1);
        server.join().unwrap();
    }

    #[test]
    fn a_name_with_one_address_out_of_reach_is_refused_before_anything_is_sent() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let private = listener.local_addr().unwrap();
        let public: SocketAddr = "1.1.1.1:80".parse().unwrap();
        for addresses in [vec![private], vec![public, private]] {
            let lookup = Rebound::each(vec![addresses]);
            let Err(Failure::NotSent(detail)) = get(lookup.clone(), Reach::Public) else {
                panic!("it was sent, or may have been")
            };
            let told = "127.0.0.1 is no public address, and private ones are not allowed";
            assert!(detail.contains(told), "{detail}");
            assert_eq!(lookup.asked.load(SeqCst), 1);
        }
        listener.set_nonblocking(true).unwrap();
        assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
    }
}
