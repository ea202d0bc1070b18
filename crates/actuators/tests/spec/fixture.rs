//! A boundary that allows everything, and a server that follows a script.

use std::error::Error;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use swampbox_actuators::{HttpActuator, HttpActuatorBuilder};
use swampbox_authority::{
    AuthorityDecision, AuthorityProvider, AuthorityRequest, Clock, ClockError, DecisionDocument,
    NoDecision, Timestamp, ValidityWindow, Verdict,
};
use swampbox_boundary::{Actuator, Reason, ReleaseBoundary};
use swampbox_custody::{Custody, MemoryCustody, Submission};
use swampbox_material::{Material, Value};

/// Releases `payload` to `target` and tells what came of it in one line.
pub(crate) fn release(actuator: HttpActuator, target: &str, payload: &str) -> String {
    release_in("store", actuator, material(HttpActuator::CONSEQUENCE_TYPE, target, payload))
}

/// Material with this payload, as JSON.
pub(crate) fn material(consequence_type: &str, target: &str, payload: &str) -> Material {
    Material::new(consequence_type, target, Value::from_json(payload.as_bytes()).unwrap())
}

/// Releases `material` through any actuator.
pub(crate) fn release_through(actuator: impl Actuator, material: Material) -> String {
    release_in("store", actuator, material)
}

/// Releases `material` out of a store of this name, which begins the attempt's id.
pub(crate) fn release_in(store: &str, actuator: impl Actuator, material: Material) -> String {
    let custody = MemoryCustody::new(store.parse().unwrap());
    let (execution, consequence) = ("exec-A".parse().unwrap(), "X".parse().unwrap());
    custody.register(&execution).unwrap();
    custody
        .submit(Submission { execution: execution.clone(), consequence, material, parent: None })
        .unwrap();
    let boundary = ReleaseBoundary::new(custody, Allow, actuator, Stopped);
    let result = boundary.release(&execution, &"X".parse().unwrap());
    match result.reason() {
        Reason::Reported(report) => {
            format!("{}, {}: {}", report.outcome(), result.status(), report.detail())
        }
        other => panic!("the actuator did not report: {other}"),
    }
}

/// An actuator for servers on this machine, with the default settings, to be changed.
pub(crate) fn local() -> HttpActuatorBuilder {
    HttpActuator::builder().allow_private_addresses()
}

/// A GET of `/thing` at the server, with the default actuator.
pub(crate) fn get(server: &Server) -> String {
    let payload = format!(r#"{{"method": "GET", "url": "{}/thing"}}"#, server.origin());
    release(local().build(), &server.origin(), &payload)
}

/// A server on loopback that serves one connection as scripted.
pub(crate) struct Server {
    address: SocketAddr,
    thread: JoinHandle<(TcpListener, Vec<u8>)>,
}

impl Server {
    /// It takes one connection, hands it to `script`, and closes it.
    pub(crate) fn scripted(
        script: impl FnOnce(&mut TcpStream) -> Vec<u8> + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let thread = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let received = script(&mut stream);
            (listener, received)
        });
        Self { address, thread }
    }

    /// It reads one whole request, writes `answer` and closes the connection.
    pub(crate) fn answering(answer: &str) -> Self {
        let answer = answer.to_owned();
        Self::scripted(move |stream| {
            let received = read_request(stream);
            stream.write_all(answer.as_bytes()).unwrap();
            received
        })
    }

    pub(crate) fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// What the script received. There was no second connection.
    pub(crate) fn finish(self) -> String {
        let (listener, received) = self.thread.join().unwrap();
        assert_nobody_connected(&listener);
        String::from_utf8(received).unwrap()
    }

    /// A line or a request with this server's port left out.
    pub(crate) fn without_port(&self, text: &str) -> String {
        without_port(text, self.port())
    }
}

/// A listener whose queue is full, so that the system answers nobody else, and what fills it.
pub(crate) fn full() -> (TcpListener, Vec<TcpStream>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    rustix::net::listen(&listener, 0).unwrap();
    let address = listener.local_addr().unwrap();
    let connect = || TcpStream::connect_timeout(&address, Duration::from_millis(200)).ok();
    let queue: Vec<_> = std::iter::from_fn(connect).take(MANY).collect();
    assert!(queue.len() < MANY, "the queue does not fill");
    (listener, queue)
}

const MANY: usize = 64;

pub(crate) fn without_port(text: &str, port: u16) -> String {
    text.replace(&format!(":{port}"), ":PORT")
}

pub(crate) fn assert_nobody_connected(listener: &TcpListener) {
    listener.set_nonblocking(true).unwrap();
    assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
}

/// Reads one request, up to the end of the body that it announces.
pub(crate) fn read_request(stream: &mut TcpStream) -> Vec<u8> {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        request.extend(byte);
    }
    let head = String::from_utf8(request.clone()).unwrap();
    let length = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length: "))
        .map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    request.extend(body);
    request
}

/// Waits until the client has closed the connection.
pub(crate) fn wait_for_end(stream: &mut TcpStream) {
    let mut rest = Vec::new();
    drop(stream.read_to_end(&mut rest));
}

struct Allow;

impl AuthorityProvider for Allow {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        decide(request).map_err(NoDecision::new)
    }
}

fn decide(request: &AuthorityRequest) -> Result<DecisionDocument, Box<dyn Error + Send + Sync>> {
    let from = request.evaluated_at;
    let window = ValidityWindow::new(from, from.moved_by(1)?)?;
    let id = "decision-1".parse()?;
    let decision = AuthorityDecision::about(&request.snapshot, id, Verdict::Allow, window);
    Ok(decision.ok_or("nobody holds it")?.into())
}

struct Stopped;

impl Clock for Stopped {
    fn now(&self) -> Result<Timestamp, ClockError> {
        "2026-01-01T12:00:00Z".parse().map_err(ClockError::new)
    }
}

/// Says what a machine does not allow to be tested. It is what no program that could be installed
/// would change: the right to mount, and a device.
pub(crate) fn leave_out(why: &str) {
    println!("left out: {why}");
}
