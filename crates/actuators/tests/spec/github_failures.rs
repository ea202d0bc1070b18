//! What it means when no answer comes.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::Duration;

use insta::assert_snapshot;
use swampbox_actuators::{GitHubActuator, Secret};

use crate::fixture::{Server, full, read_request, release_in, wait_for_end, without_port};
use crate::github_fixture::{ISSUE, TOKEN, actuator, issue, material};

#[test]
fn a_refused_connection_is_definitely_not_executed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let actuator = actuator(&format!("http://127.0.0.1:{port}"));
    let outcome = release_in("store", actuator, material(GitHubActuator::ISSUE, ISSUE));
    assert_snapshot!(without_port(&outcome, port));
}

#[test]
fn a_tls_handshake_that_fails_is_definitely_not_executed() {
    let server = Server::scripted(|stream| {
        stream.read_exact(&mut [0; 5]).unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        wait_for_end(stream);
        Vec::new()
    });
    let actuator = actuator(&format!("https://127.0.0.1:{}", server.port()));
    let outcome = release_in("store", actuator, material(GitHubActuator::ISSUE, ISSUE));
    assert_snapshot!(server.without_port(&outcome));
    server.finish();
}

#[test]
fn a_timeout_before_the_connection_is_ready_is_definitely_not_executed() {
    let (listener, queue) = full();
    let port = listener.local_addr().unwrap().port();
    let server = Server::scripted(|stream| {
        wait_for_end(stream);
        Vec::new()
    });
    let mut told = String::new();
    let tls = format!("https://127.0.0.1:{}", server.port());
    for (api, port) in [(format!("http://127.0.0.1:{port}"), port), (tls, server.port())] {
        let actuator = actuator(&api).connect_timeout(Duration::from_millis(500));
        let outcome = release_in("store", actuator, material(GitHubActuator::ISSUE, ISSUE));
        told += &format!("{}\n", without_port(&outcome, port));
    }
    assert_snapshot!(told);
    server.finish();
    drop(queue);
}

#[test]
fn a_reset_before_the_request_is_read_is_uncertain() {
    // Closing a connection with bytes that nobody has read resets it.
    let server = Server::scripted(|stream| {
        stream.peek(&mut [0]).unwrap();
        Vec::new()
    });
    assert_snapshot!(issue(&server));
    server.finish();
}

#[test]
fn a_reset_in_the_middle_of_the_request_is_uncertain() {
    let server = Server::scripted(|stream| {
        stream.read_exact(&mut [0; 100]).unwrap();
        Vec::new()
    });
    assert_snapshot!(issue(&server));
    server.finish();
}

#[test]
fn a_connection_closed_before_an_answer_is_uncertain() {
    let server = Server::scripted(read_request);
    assert_snapshot!(issue(&server));
    server.finish();
}

#[test]
fn a_connection_closed_in_the_header_of_the_answer_is_uncertain() {
    let server = Server::answering("HTTP/1.1 201 Created\r\nContent-");
    assert_snapshot!(issue(&server));
    server.finish();
}

#[test]
fn a_server_that_says_nothing_or_not_all_in_time_is_uncertain() {
    let mut told = String::new();
    for begin in ["", "HTTP/1.1 201 Cr", "HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\n{"] {
        let server = Server::scripted(move |stream| {
            let request = read_request(stream);
            stream.write_all(begin.as_bytes()).unwrap();
            wait_for_end(stream);
            request
        });
        let actuator = actuator(&server.origin()).overall_timeout(Duration::from_millis(500));
        let outcome = release_in("store", actuator, material(GitHubActuator::ISSUE, ISSUE));
        told += &format!("{begin:?}\n  {}\n", server.without_port(&outcome));
        server.finish();
    }
    assert_snapshot!(told);
}

#[test]
fn a_server_that_repeats_the_token_does_not_get_it_shown() {
    let answers = [
        format!("HTTP/1.1 201 {TOKEN}\r\nX: {TOKEN}\r\n\r\n{{\"id\": \"{TOKEN}\"}}"),
        format!("HTTP/1.1 422 {TOKEN}\r\n\r\n{{\"message\": \"{TOKEN}\"}}"),
        format!("HTTP/1.1 {TOKEN}\r\n\r\n"),
        format!("{TOKEN}\r\n\r\n"),
        format!("HTTP/1.1 201 Created\r\n{TOKEN}\r\n\r\n"),
        format!("HTTP/1.1 201 Created\r\nContent-Length: {TOKEN}\r\n\r\n"),
    ];
    for answer in answers {
        let server = Server::answering(&answer);
        issue(&server);
        let received = server.finish();
        assert!(received.contains(&format!("authorization: Bearer {TOKEN}\r\n")));
    }
}

#[test]
fn an_actuator_does_not_show_its_token() {
    let shown = format!("{:?} {:?}", actuator("https://api.github.com"), TOKEN.parse::<Secret>());
    assert!(!shown.contains(TOKEN), "{shown}");
}

#[test]
fn a_credential_is_visible_ascii() {
    for text in ["", "a b", "a\n", "ä", "a\u{7f}", &"a".repeat(4_097)] {
        let error = text.parse::<Secret>().unwrap_err().to_string();
        assert!(text.len() < 3 || !error.contains(text), "{error}");
    }
    assert!("a".repeat(4_096).parse::<Secret>().is_ok());
}
