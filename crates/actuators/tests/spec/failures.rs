//! What it means when no answer comes.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::channel;
use std::time::Duration;

use insta::assert_snapshot;
use swampbox_actuators::HttpActuator;

use crate::fixture::{Server, full, get, local, read_request, release, wait_for_end, without_port};

const SHORT: Duration = Duration::from_millis(500);

fn brief() -> HttpActuator {
    local().connect_timeout(SHORT).overall_timeout(SHORT).build()
}

/// A GET of the root of `origin`, with a short timeout.
fn get_briefly(origin: &str) -> String {
    release(brief(), origin, &format!(r#"{{"method": "GET", "url": "{origin}/"}}"#))
}

/// A PUT of more than fits into the buffers between client and server.
fn put_much(server: &Server) -> String {
    let (origin, body) = (server.origin(), "x".repeat(24 << 20));
    format!(r#"{{"method": "PUT", "url": "{origin}/", "body": "{body}"}}"#)
}

#[test]
fn a_refused_connection_is_definitely_not_executed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let origin = format!("http://127.0.0.1:{port}");
    let payload = format!(r#"{{"method": "POST", "url": "{origin}/", "body": "x"}}"#);
    let outcome = release(local().build(), &origin, &payload);
    assert_snapshot!(without_port(&outcome, port));
}

#[test]
fn a_host_without_an_address_is_definitely_not_executed() {
    let payload = r#"{"method": "GET", "url": "https://host.invalid/"}"#;
    // A resolver without a network may take long to say so.
    let patience = Duration::from_secs(120);
    let actuator = local().connect_timeout(patience).overall_timeout(patience).build();
    let outcome = release(actuator, "https://host.invalid", payload);
    let (ours, _) = outcome.split_once('"').unwrap();
    assert_snapshot!(ours);
}

#[test]
fn a_tls_handshake_that_fails_is_definitely_not_executed() {
    let server = Server::scripted(|stream| {
        stream.read_exact(&mut [0; 5]).unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        wait_for_end(stream);
        Vec::new()
    });
    let origin = format!("https://127.0.0.1:{}", server.port());
    let payload = format!(r#"{{"method": "GET", "url": "{origin}/"}}"#);
    let outcome = release(local().build(), &origin, &payload);
    assert_snapshot!(server.without_port(&outcome));
    server.finish();
}

#[test]
fn a_connection_closed_in_the_tls_handshake_is_definitely_not_executed() {
    let server = Server::scripted(|stream| {
        let mut record = [0; 5];
        stream.read_exact(&mut record).unwrap();
        let mut hello = vec![0; usize::from(u16::from_be_bytes([record[3], record[4]]))];
        stream.read_exact(&mut hello).unwrap();
        Vec::new()
    });
    let origin = format!("https://127.0.0.1:{}", server.port());
    let payload = format!(r#"{{"method": "GET", "url": "{origin}/"}}"#);
    let outcome = release(local().build(), &origin, &payload);
    assert_snapshot!(server.without_port(&outcome));
    server.finish();
}

#[test]
fn a_timeout_before_anybody_accepts_the_connection_is_definitely_not_executed() {
    let (listener, queue) = full();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let outcome = get_briefly(&origin);
    assert_snapshot!(without_port(&outcome, listener.local_addr().unwrap().port()));
    drop(queue);
}

#[test]
fn a_timeout_in_the_tls_handshake_is_definitely_not_executed() {
    let server = Server::scripted(|stream| {
        wait_for_end(stream);
        Vec::new()
    });
    let origin = format!("https://127.0.0.1:{}", server.port());
    assert_snapshot!(server.without_port(&get_briefly(&origin)));
    server.finish();
}

#[test]
fn a_server_that_says_nothing_is_uncertain() {
    let server = Server::scripted(|stream| {
        let request = read_request(stream);
        wait_for_end(stream);
        request
    });
    assert_snapshot!(server.without_port(&get_briefly(&server.origin())));
    server.finish();
}

#[test]
fn a_server_that_stops_in_the_middle_of_its_header_is_uncertain() {
    let server = Server::scripted(|stream| {
        let request = read_request(stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-").unwrap();
        wait_for_end(stream);
        request
    });
    assert_snapshot!(server.without_port(&get_briefly(&server.origin())));
    server.finish();
}

#[test]
fn a_connection_closed_before_an_answer_is_uncertain() {
    let server = Server::scripted(read_request);
    assert_snapshot!(server.without_port(&get(&server)));
    server.finish();
}

#[test]
fn a_reset_before_the_request_is_read_is_uncertain() {
    // Closing a connection with bytes that nobody has read resets it.
    let server = Server::scripted(|stream| {
        stream.peek(&mut [0]).unwrap();
        Vec::new()
    });
    assert_snapshot!(server.without_port(&get(&server)));
    server.finish();
}

#[test]
fn a_reset_in_the_middle_of_the_request_is_uncertain() {
    let server = Server::scripted(|stream| {
        stream.read_exact(&mut [0; 1000]).unwrap();
        Vec::new()
    });
    let payload = put_much(&server);
    let outcome = release(local().build(), &server.origin(), &payload);
    // The system says either, as it happens.
    let outcome = outcome.replace("connection reset", "broken pipe");
    assert_snapshot!(server.without_port(&outcome));
    server.finish();
}

#[test]
fn a_request_that_the_server_does_not_take_in_time_is_uncertain() {
    let (over, is_over) = channel();
    let server = Server::scripted(move |_| {
        is_over.recv().unwrap();
        Vec::new()
    });
    let payload = put_much(&server);
    let outcome = release(brief(), &server.origin(), &payload);
    over.send(()).unwrap();
    assert_snapshot!(server.without_port(&outcome));
    server.finish();
}

#[test]
fn timeouts_out_of_bounds_count_as_the_bound() {
    let server = Server::answering("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let payload = format!(r#"{{"method": "GET", "url": "{}/"}}"#, server.origin());
    let actuator = local().connect_timeout(Duration::MAX).overall_timeout(Duration::MAX).build();
    let outcome = release(actuator, &server.origin(), &payload);
    assert_snapshot!(server.without_port(&outcome));
    server.finish();
}
