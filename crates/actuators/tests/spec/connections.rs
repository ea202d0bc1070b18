//! Credentials that the operator adds, and that nobody else sees.

use swampbox_actuators::{Connection, HttpActuator};

use crate::fixture::{Server, local, release};

const SECRET: &str = "s3cret-t0ken";

fn connected(server: &Server) -> HttpActuator {
    let connection = Connection::bearer("issues", SECRET).unwrap();
    local().connect(server.origin().parse().unwrap(), connection).build()
}

#[test]
fn a_connection_adds_its_credential_to_what_is_sent_and_to_nothing_that_is_told() {
    let server = Server::answering("HTTP/1.1 500 Internal Server Error\r\n\r\n");
    let actuator = connected(&server);
    assert!(!format!("{actuator:?}").contains(SECRET));
    let origin = server.origin();
    let told = release(actuator, &origin, &format!(r#"{{"method":"GET","url":"{origin}/"}}"#));
    assert!(!told.contains(SECRET), "{told}");
    let received = server.finish();
    assert!(received.contains(&format!("authorization: Bearer {SECRET}\r\n")), "{received}");
}

#[test]
fn another_target_gets_no_credential() {
    let (server, other) = (Server::answering(""), Server::answering("HTTP/1.1 204 x\r\n\r\n"));
    let origin = other.origin();
    let payload = format!(r#"{{"method":"GET","url":"{origin}/"}}"#);
    release(connected(&server), &origin, &payload);
    assert!(!other.finish().contains("authorization"));
    drop(std::net::TcpStream::connect(server.origin().trim_start_matches("http://")));
}

#[test]
fn a_payload_that_sets_the_same_header_is_refused() {
    let server = Server::answering("");
    let origin = server.origin();
    let payload = format!(
        r#"{{"method":"GET","url":"{origin}/","headers":{{"Authorization":"Bearer mine"}}}}"#
    );
    let told = release(connected(&server), &origin, &payload);
    assert_eq!(
        told,
        "DEFINITE_NOT_EXECUTED, CONTAINED: the header is set by the connection to the target at \
         $.payload.headers.authorization"
    );
    drop(std::net::TcpStream::connect(origin.trim_start_matches("http://")));
}

#[test]
fn a_credential_that_can_not_be_sent_is_refused_without_being_repeated() {
    let refused = [
        Connection::bearer("a", ""),
        Connection::bearer("b", "s3cret\r\nx: y"),
        Connection::header("c", "x y", "s3cret"),
        Connection::header("d", "x-key", " s3cret"),
        Connection::header("e", "x-key", "s3cret\u{e9}"),
    ];
    let told = refused.map(|refused| refused.unwrap_err().to_string());
    assert!(told.iter().all(|told| !told.contains("s3cret")));
    insta::assert_snapshot!(told.join("\n"));
}
