//! What is sent over a connection byte by byte, as no client library would.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::served::Served;

/// How long a test waits at the most. Everything that it waits for comes far sooner.
const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) fn connect(served: &Served) -> TcpStream {
    let stream = TcpStream::connect(served.address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.set_write_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Sends this, and gives all that comes back until the service closes the connection.
pub(crate) fn exchange(served: &Served, bytes: &[u8]) -> String {
    let mut stream = connect(served);
    // A service that has heard enough closes, whatever else is on its way.
    drop(stream.write_all(bytes));
    rest(&mut stream)
}

/// All that comes until the service closes the connection.
pub(crate) fn rest(stream: &mut TcpStream) -> String {
    let mut all = Vec::new();
    let mut part = [0; 4_096];
    loop {
        match stream.read(&mut part) {
            Ok(0) => break,
            Ok(length) => all.extend(&part[..length]),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => break,
            Err(error) => panic!("the service did not close the connection: {error}"),
        }
    }
    String::from_utf8_lossy(&all).into_owned()
}

/// The status of each answer, with its code.
pub(crate) fn outcomes(answers: &str) -> Vec<String> {
    let parts = answers.split("HTTP/1.").skip(1);
    parts.map(outcome).collect()
}

fn outcome(answer: &str) -> String {
    let status = answer.split_whitespace().nth(1).unwrap_or("?");
    match answer.split_once(r#""code":""#) {
        Some((_, rest)) => format!("{status} {}", rest.split('"').next().unwrap()),
        None => status.to_owned(),
    }
}

/// The head of a request up to its last headers, with a credential.
pub(crate) fn head(served: &Served, method: &str, path: &str, principal: &str) -> String {
    let key = served.key(principal);
    format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n")
}
