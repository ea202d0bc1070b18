//! A GitHub on loopback.

use std::io::Write;
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use swampbox_actuators::GitHubActuator;
use swampbox_material::{Material, Value};

use crate::fixture::{Server, read_request, release_in, without_port};

pub(crate) const TOKEN: &str = "ghp_1234567890abcdef";

pub(crate) const ISSUE: &str = r#"{"title": "Rotate the key", "body": "It is old."}"#;

pub(crate) const COMMENT: &str = r#"{"issue": 7, "body": "Done."}"#;

pub(crate) fn actuator(base: &str) -> GitHubActuator {
    GitHubActuator::new(base.parse().unwrap(), TOKEN.parse().unwrap())
}

pub(crate) fn material(kind: &str, payload: &str) -> Material {
    Material::new(kind, "octo/project", Value::from_json(payload.as_bytes()).unwrap())
}

/// What comes of an issue at this server.
pub(crate) fn issue(server: &Server) -> String {
    let material = material(GitHubActuator::ISSUE, ISSUE);
    told(server, release_in("store", actuator(&server.origin()), material))
}

pub(crate) fn comment(server: &Server) -> String {
    let material = material(GitHubActuator::COMMENT, COMMENT);
    told(server, release_in("store", actuator(&server.origin()), material))
}

fn told(server: &Server, outcome: String) -> String {
    assert!(!outcome.contains(TOKEN), "{outcome}");
    server.without_port(&outcome)
}

/// A server that answers with this status and body, in which `BASE` stands for its own origin.
pub(crate) fn answering(status: &str, body: &str) -> Server {
    let (status, body) = (status.to_owned(), body.to_owned());
    Server::scripted(move |stream| {
        let received = read_request(stream);
        let base = format!("http://{}", stream.local_addr().unwrap());
        let body = body.replace("BASE", &base);
        let answer = answer(&status, &body);
        stream.write_all(answer.as_bytes()).unwrap();
        received
    })
}

pub(crate) fn answer(status: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

/// A server that answers one request after the other, and tells what was asked.
pub(crate) struct Pages {
    address: SocketAddr,
    asked: Receiver<String>,
}

impl Pages {
    /// The answers are given in this order, and then no more. `BASE` stands for the server's origin.
    pub(crate) fn answering(answers: Vec<String>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (tell, asked) = channel();
        thread::spawn(move || {
            for text in answers {
                let (mut stream, _) = listener.accept().unwrap();
                let request = String::from_utf8(read_request(&mut stream)).unwrap();
                tell.send(request.lines().next().unwrap().to_owned()).unwrap();
                let body = text.replace("BASE", &format!("http://{address}"));
                stream.write_all(body.as_bytes()).unwrap();
            }
        });
        Self { address, asked }
    }

    /// Pages of these items, all with status 200.
    pub(crate) fn of(pages: &[&[&str]]) -> Self {
        let answers = pages.iter().map(|items| {
            // It ends with the connection, since nobody knows yet how long `BASE` is.
            let body = format!("[{}]", items.join(","));
            format!("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{body}")
        });
        Self::answering(answers.collect())
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    /// What was asked, a line each, with the port left out.
    pub(crate) fn asked(&self) -> String {
        let asked: Vec<String> = self.asked.try_iter().collect();
        asked.join("\n")
    }

    pub(crate) fn without_port(&self, text: &str) -> String {
        without_port(text, self.address.port())
    }
}
