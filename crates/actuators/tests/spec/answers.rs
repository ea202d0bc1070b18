//! What each answer means.

use std::io::Write;
use std::time::Duration;

use insta::assert_snapshot;
use swampbox_actuators::{HttpActuator, NotDone};

use crate::fixture::{Server, get, local, read_request, release, wait_for_end};

/// What comes of a GET that is answered with `answer`.
fn answered(answer: &str) -> String {
    outcome(Server::answering(answer))
}

fn outcome(server: Server) -> String {
    let outcome = server.without_port(&get(&server));
    server.finish();
    outcome
}

/// What comes of each status, a line each.
fn table(statuses: &[u16], actuator: impl Fn(&str) -> HttpActuator) -> String {
    let mut table = String::new();
    for status in statuses {
        let server = Server::answering(&format!("HTTP/1.1 {status} Their Words\r\n\r\n"));
        let payload = format!(r#"{{"method": "POST", "url": "{}/"}}"#, server.origin());
        let outcome = release(actuator(&server.origin()), &server.origin(), &payload);
        table += &format!("{}\n", server.without_port(&outcome));
        server.finish();
    }
    table
}

#[test]
fn a_status_from_200_to_299_and_no_other_is_success() {
    let statuses = [
        200, 201, 202, 203, 204, 205, 206, 226, 299, 300, 301, 302, 303, 304, 307, 308, 400, 401,
        403, 404, 408, 409, 412, 422, 425, 429, 499, 500, 502, 503, 504, 599, 600, 999,
    ];
    assert_snapshot!(table(&statuses, |_| local().build()));
}

#[test]
fn a_declared_status_means_not_done() {
    let statuses = [200, 302, 409, 422, 429, 500, 503];
    assert_snapshot!(table(&statuses, |origin| {
        let not_done = NotDone::statuses([302, 409, 429, 503]).unwrap();
        let builder = local();
        builder.declare(origin.parse().unwrap(), not_done).build()
    }));
}

#[test]
fn what_one_target_declares_says_nothing_about_another() {
    assert_snapshot!(table(&[409], |_| {
        let not_done = NotDone::statuses([409]).unwrap();
        let other = "http://127.0.0.1:1".parse().unwrap();
        local().declare(other, not_done).build()
    }));
}

#[test]
fn a_second_declaration_takes_the_place_of_the_first() {
    assert_snapshot!(table(&[409, 422], |origin| {
        let target = || origin.parse().unwrap();
        local()
            .declare(target(), NotDone::statuses([409]).unwrap())
            .declare(target(), NotDone::statuses([422]).unwrap())
            .build()
    }));
}

#[test]
fn success_can_not_be_declared_to_mean_not_done() {
    let refused = [199, 200, 299, 600].map(|status| {
        let error = NotDone::statuses([409, status]).unwrap_err();
        assert_eq!(error.status(), status);
        error.to_string()
    });
    assert_snapshot!(refused.join("\n"));
}

#[test]
fn a_redirect_is_not_followed() {
    let elsewhere = Server::scripted(|_| Vec::new());
    let location = elsewhere.origin();
    let redirect = format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {location}\r\n\r\n");
    assert_snapshot!(answered(&redirect));
    // Had it been followed, this would be the second connection.
    std::net::TcpStream::connect(("127.0.0.1", elsewhere.port())).unwrap();
    elsewhere.finish();
}

#[test]
fn what_comes_before_the_final_answer_is_passed_over() {
    assert_snapshot!(answered(
        "HTTP/1.1 100 Continue\r\n\r\n\
         HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n\
         HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"
    ));
}

#[test]
fn a_preliminary_answer_alone_is_no_answer() {
    assert_snapshot!(answered("HTTP/1.1 100 Continue\r\n\r\n"));
}

#[test]
fn a_switch_of_protocol_is_uncertain() {
    assert_snapshot!(answered("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n"));
}

#[test]
fn an_answer_without_a_reason_or_headers_is_complete() {
    assert_snapshot!(answered("HTTP/1.0 200\r\n\r\n"));
}

#[test]
fn a_body_that_breaks_off_leaves_success_as_it_is() {
    assert_snapshot!(answered("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\npart of it"));
}

#[test]
fn a_body_that_is_malformed_leaves_success_as_it_is() {
    assert_snapshot!(answered("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n"));
}

#[test]
fn a_body_that_never_comes_leaves_success_as_it_is() {
    let server = Server::scripted(|stream| {
        let request = read_request(stream);
        stream.write_all(b"HTTP/1.1 202 Accepted\r\nContent-Length: 9\r\n\r\n").unwrap();
        wait_for_end(stream);
        request
    });
    let actuator = local().overall_timeout(Duration::from_secs(1)).build();
    let payload = format!(r#"{{"method": "GET", "url": "{}/"}}"#, server.origin());
    let outcome = release(actuator, &server.origin(), &payload);
    assert_snapshot!(server.without_port(&outcome));
    server.finish();
}

#[test]
fn an_endless_body_is_not_read_to_its_end() {
    assert_snapshot!(outcome(Server::scripted(|stream| {
        let request = read_request(stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
        request
    })));
}

#[test]
fn an_endless_header_is_uncertain() {
    assert_snapshot!(outcome(Server::scripted(|stream| {
        let request = read_request(stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\nX: ").unwrap();
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
        request
    })));
}

#[test]
fn endlessly_many_headers_are_uncertain() {
    assert_snapshot!(outcome(Server::scripted(|stream| {
        let request = read_request(stream);
        stream.write_all(b"HTTP/1.1 200 OK\r\n").unwrap();
        while stream.write_all(b"X: x\r\n").is_ok() {}
        request
    })));
}

#[test]
fn an_answer_that_is_not_http_is_uncertain() {
    let answers = [
        "\r\n\r\n\r\n",
        "220 mail.example.com ESMTP\r\n\r\n",
        "HTTP/2 200 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 099 What\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 100 Continue\r\nX: y\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
        "{\"status\": \"ok\", \"note\": \"\u{202e}\u{1b}[2J\"}\r\n\r\n",
    ];
    let told = answers.map(|answer| format!("{}\n  {}\n", answer.escape_debug(), answered(answer)));
    assert_snapshot!(told.concat());
}

#[test]
fn an_answer_cut_off_in_its_header_is_uncertain() {
    let answers = [
        "",
        "HTTP/1.1 ",
        "HTTP/1.1 20",
        "HTTP/1.1 200 OK",
        "HTTP/1.1 200 OK\r\n",
        "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n",
        "HTTP/1.1 302 Found\r\nLocation: /\r\n",
    ];
    let told = answers.map(|answer| format!("{answer:?}\n  {}\n", answered(answer)));
    assert_snapshot!(told.concat());
}
