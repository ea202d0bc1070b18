//! Where requests may go.

use std::net::TcpListener;

use insta::assert_snapshot;
use swampbox_actuators::{Connection, HttpActuator};

use crate::fixture::{Server, assert_nobody_connected, local, release, without_port};

fn payload(origin: &str) -> String {
    format!(r#"{{"method": "GET", "url": "{origin}/"}}"#)
}

#[test]
fn a_target_that_is_not_public_is_definitely_not_executed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let hosts = [
        "127.0.0.1",
        "127.1.2.3",
        "0.0.0.0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "10.0.0.1",
        "172.16.0.1",
        "192.168.0.1",
        "100.64.0.1",
        "169.254.169.254",
        "[fe80::1]",
        "[fd00:ec2::254]",
    ];
    let told = hosts.map(|host| {
        let origin = format!("http://{host}:{port}");
        let outcome = release(HttpActuator::builder().build(), &origin, &payload(&origin));
        without_port(&outcome, port)
    });
    assert_snapshot!(told.join("\n"));
    assert_nobody_connected(&listener);
}

#[test]
fn a_name_that_means_this_machine_is_definitely_not_executed() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://localhost:{}", listener.local_addr().unwrap().port());
    let outcome = release(HttpActuator::builder().build(), &origin, &payload(&origin));
    assert!(outcome.starts_with("DEFINITE_NOT_EXECUTED, CONTAINED: nothing was sent"), "{outcome}");
    assert!(outcome.contains("is no public address"), "{outcome}");
    assert_nobody_connected(&listener);
}

#[test]
fn a_target_that_is_not_public_is_reached_where_that_is_allowed() {
    let server = Server::answering("HTTP/1.1 204 No Content\r\n\r\n");
    let outcome = release(local().build(), &server.origin(), &payload(&server.origin()));
    assert_eq!(
        server.without_port(&outcome),
        "SUCCEEDED, RELEASED: 204 No Content from http://127.0.0.1:PORT"
    );
    server.finish();
}

#[test]
fn a_target_that_is_not_public_is_not_reached_by_a_credential_either() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let origin = format!("http://{}", listener.local_addr().unwrap());
    let connection = Connection::bearer("local", "s3cret").unwrap();
    let actuator = HttpActuator::builder().connect(origin.parse().unwrap(), connection).build();
    let outcome = release(actuator, &origin, &payload(&origin));
    assert!(outcome.starts_with("DEFINITE_NOT_EXECUTED, CONTAINED"), "{outcome}");
    assert_nobody_connected(&listener);
}
