//! What a request looks like to the server.

use insta::assert_snapshot;
use swampbox_actuators::HttpActuator;
use swampbox_material::{Material, Value};

use crate::fixture::{Server, local, release, release_in};

/// Sends `payload`, in which `ORIGIN` stands for the server, and gives what arrived.
fn sent(payload: &str) -> String {
    let server = Server::answering("HTTP/1.1 204 No Content\r\n\r\n");
    let payload = payload.replace("ORIGIN", &server.origin());
    let outcome = release(local().build(), &server.origin(), &payload);
    assert!(outcome.starts_with("SUCCEEDED"), "{outcome}");
    received(server)
}

/// The request with its line ends made visible.
fn received(server: Server) -> String {
    let port = format!(":{}", server.port());
    let request = server.finish().replace(&port, ":PORT");
    request.replace("\r\n", "\\r\\n\n")
}

#[test]
fn a_get_sends_nothing_that_nobody_approved_but_host_and_idempotency_key() {
    assert_snapshot!(sent(r#"{"method": "GET", "url": "ORIGIN/a/b?c=d%20e&f=[1]"}"#));
}

#[test]
fn a_url_without_a_path_asks_for_the_root() {
    assert_snapshot!(sent(r#"{"method": "HEAD", "url": "ORIGIN"}"#));
}

#[test]
fn a_url_with_only_a_query_asks_the_root() {
    assert_snapshot!(sent(r#"{"method": "GET", "url": "ORIGIN?q"}"#));
}

#[test]
fn a_path_is_sent_as_it_is_written() {
    assert_snapshot!(sent(r#"{"method": "GET", "url": "ORIGIN//a/../%41/./b;c@d:e"}"#));
}

#[test]
fn json_is_sent_exactly_and_as_json() {
    assert_snapshot!(sent(
        r#"{"method": "POST", "url": "ORIGIN/", "json":
            {"z": 1, "a": 1.0, "n": 123456789012345678901234567890, "t": "ü\u0007", "l": [null]}}"#
    ));
}

#[test]
fn json_null_is_a_body_too() {
    assert_snapshot!(sent(r#"{"method": "PUT", "url": "ORIGIN/", "json": null}"#));
}

#[test]
fn a_content_type_of_the_payload_takes_the_place_of_ours() {
    assert_snapshot!(sent(
        r#"{"method": "PATCH", "url": "ORIGIN/", "json": {},
            "headers": {"content-TYPE": "application/merge-patch+json"}}"#
    ));
}

#[test]
fn a_body_is_sent_as_utf8_without_a_content_type() {
    assert_snapshot!(sent(r#"{"method": "PUT", "url": "ORIGIN/", "body": "\"a\" ü\n€"}"#));
}

#[test]
fn headers_are_sent_in_their_order() {
    assert_snapshot!(sent(
        r#"{"method": "DELETE", "url": "ORIGIN/", "headers":
            {"X-Second": "", "x-first": "a  b", "Authorization": "Bearer ~!\"\\"}}"#
    ));
}

#[test]
fn a_post_without_a_body_announces_an_empty_one() {
    assert_snapshot!(sent(r#"{"method": "POST", "url": "ORIGIN/"}"#));
}

#[test]
fn a_delete_may_have_a_body() {
    assert_snapshot!(sent(r#"{"method": "DELETE", "url": "ORIGIN/", "body": "why"}"#));
}

#[test]
fn a_body_that_fills_many_packets_arrives_whole() {
    let body = "0123456789abcdef".repeat(1 << 17);
    let request = sent(&format!(r#"{{"method": "POST", "url": "ORIGIN/", "body": "{body}"}}"#));
    assert!(request.ends_with(&body));
}

#[test]
fn an_attempt_id_that_is_no_header_value_is_percent_encoded() {
    let server = Server::answering("HTTP/1.1 204 No Content\r\n\r\n");
    let payload = format!(r#"{{"method": "GET", "url": "{}/"}}"#, server.origin());
    let payload = Value::from_json(payload.as_bytes()).unwrap();
    let material = Material::new(HttpActuator::CONSEQUENCE_TYPE, server.origin(), payload);
    let outcome = release_in("100% bös", local().build(), material);
    assert!(outcome.starts_with("SUCCEEDED"), "{outcome}");
    assert_snapshot!(received(server));
}

#[test]
fn every_address_of_a_host_is_tried() {
    let server = Server::answering("HTTP/1.1 204 No Content\r\n\r\n");
    let origin = format!("http://localhost:{}", server.port());
    let payload = format!(r#"{{"method": "GET", "url": "{origin}/"}}"#);
    let outcome = release(local().build(), &origin, &payload);
    assert_snapshot!(server.without_port(&outcome));
    server.finish();
}
