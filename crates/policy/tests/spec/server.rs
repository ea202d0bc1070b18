//! A server on loopback that follows a script.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::{self, JoinHandle};

use swampbox_policy::{HttpProvider, HttpProviderBuilder};

use crate::asked::{outcome, parsed};

pub(crate) const TOKEN: &str = "s3cr3t-0123456789";

pub(crate) struct Server {
    address: SocketAddr,
    thread: JoinHandle<(TcpListener, String)>,
}

impl Server {
    /// It takes one connection, hands it to `script`, and closes it.
    pub(crate) fn scripted(script: impl FnOnce(&mut TcpStream) -> String + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let thread = thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let received = script(&mut stream);
            (listener, received)
        });
        Self { address, thread }
    }

    /// It reads the whole question, writes these bytes and closes the connection.
    pub(crate) fn writing(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::scripted(move |stream| {
            let question = read_question(stream);
            // A client that has seen enough goes away.
            drop(stream.write_all(&bytes));
            question
        })
    }

    /// It answers with 200 and this body.
    pub(crate) fn answering(body: &str) -> Self {
        Self::writing(ok(body))
    }

    /// A provider that asks it, to be changed.
    pub(crate) fn builder(&self) -> HttpProviderBuilder {
        self.builder_without_token().bearer(parsed(TOKEN))
    }

    pub(crate) fn builder_without_token(&self) -> HttpProviderBuilder {
        HttpProvider::builder(parsed(&format!("http://{}/decide", self.address)))
    }

    /// What comes of a release under what it answers, with its port and nothing else left out. The
    /// provider asks it once.
    pub(crate) fn outcome(self) -> String {
        let provider = self.builder().build();
        self.outcome_under(provider)
    }

    pub(crate) fn outcome_under(self, provider: HttpProvider) -> String {
        let outcome = outcome(provider);
        let outcome = outcome.replace(&format!(":{}", self.address.port()), ":PORT");
        self.finish();
        outcome
    }

    /// Waits until the script is over, and gives what it received. There was no second connection.
    pub(crate) fn finish(self) -> String {
        let (listener, received) = self.thread.join().unwrap();
        listener.set_nonblocking(true).unwrap();
        assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
        received
    }
}

/// A complete answer with this body.
pub(crate) fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

/// Reads one request, up to the end of the body that it announces.
pub(crate) fn read_question(stream: &mut TcpStream) -> String {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        request.extend(byte);
    }
    let head = String::from_utf8(request.clone()).unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.unwrap().parse().unwrap()];
    stream.read_exact(&mut body).unwrap();
    request.extend(body);
    String::from_utf8(request).unwrap()
}

/// Waits until the client has closed the connection.
pub(crate) fn wait_for_end(stream: &mut TcpStream) {
    drop(stream.read_to_end(&mut Vec::new()));
}
