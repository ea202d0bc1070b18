//! What it means when no whole answer comes, or too much of one.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc::channel;
use std::time::Duration;

use insta::assert_snapshot;
use swampbox_authority::AuthorityProvider;
use swampbox_custody::Snapshot;
use swampbox_material::Material;
use swampbox_policy::HttpProvider;

use crate::asked::{allows, asked, held, lines, outcome, parsed};
use crate::server::{Server, ok, read_question, wait_for_end};

const SHORT: Duration = Duration::from_millis(500);

/// The outcome under a server that says this after the question, and then nothing more.
fn outcome_of_silence_after(said: &str) -> String {
    let said = said.to_owned();
    let server = Server::scripted(move |stream| {
        let question = read_question(stream);
        stream.write_all(said.as_bytes()).unwrap();
        wait_for_end(stream);
        question
    });
    let provider = server.builder().timeout(SHORT).build();
    server.outcome_under(provider)
}

#[test]
fn a_server_that_hangs_has_not_decided() {
    let half = &allows()[..100];
    let said = [
        String::new(),
        "HTTP/1.1 200 OK\r\ncontent-".into(),
        "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n".into(),
        format!("HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{half}"),
        format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nf7\r\n{}\r\n", allows()),
        format!("HTTP/1.1 200 OK\r\n\r\n{}", allows()),
        "HTTP/1.1 102 Processing\r\n\r\n".into(),
    ];
    assert_snapshot!(lines(said, |said| outcome_of_silence_after(&said)));
}

#[test]
fn a_server_that_takes_the_connection_and_no_byte_has_not_decided() {
    let (over, is_over) = channel();
    let server = Server::scripted(move |_| {
        is_over.recv().unwrap();
        String::new()
    });
    let provider = server.builder().timeout(SHORT).build();
    let mut question = asked();
    let material = Material::new("note", "inbox", "x".repeat(24 << 20).into());
    question.snapshot = Snapshot { material, ..held() };
    let none = provider.evaluate(&question).unwrap_err();
    over.send(()).unwrap();
    assert_snapshot!(none.to_string().rsplit_once(": ").unwrap().1);
    server.finish();
}

#[test]
fn a_server_that_closes_early_has_not_decided() {
    let half = &allows()[..100];
    let said = [
        String::new(),
        "HTTP/1.1 200".into(),
        "HTTP/1.1 200 OK\r\ncontent-length: 100\r\n".into(),
        format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{half}", allows().len()),
        format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{}", allows().len() + 1, allows()),
        format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n64\r\n{half}\r\n"),
        format!("HTTP/1.1 200 OK\r\n\r\n{half}"),
    ];
    assert_snapshot!(lines(said, |said| Server::writing(said).outcome()));
}

#[test]
fn a_reset_is_no_decision() {
    // Closing a connection with bytes that nobody has read resets it.
    let server = Server::scripted(|stream| {
        stream.peek(&mut [0]).unwrap();
        String::new()
    });
    assert_snapshot!(server.outcome());
}

#[test]
fn an_answer_that_is_not_http_is_no_decision() {
    let said = [
        allows(),
        "HTTP/2.0 200 OK\r\n\r\n".into(),
        "HTTP/1.1 2OO OK\r\n\r\n".into(),
        format!("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 247\r\n\r\n{}", allows()),
        format!("HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n{}", allows()),
        format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n", allows()),
    ];
    assert_snapshot!(lines(said, |said| Server::writing(said).outcome()));
}

#[test]
fn of_two_answers_on_one_connection_the_second_is_never_read() {
    let denies = allows().replace("ALLOW", "DENY");
    let answers = [ok(&allows()) + &ok(&denies), ok(&denies) + &ok(&allows())];
    assert_snapshot!(lines(answers, |answers| Server::writing(answers).outcome()));
}

/// A server that says this, and then the same bytes again and again until nobody listens.
fn flooding(begin: &'static str, again: &'static str) -> Server {
    Server::scripted(move |stream| {
        let question = read_question(stream);
        let mut said = stream.write_all(begin.as_bytes());
        while said.is_ok() {
            said = stream.write_all(again.as_bytes());
        }
        question
    })
}

#[test]
fn a_server_that_floods_is_cut_off() {
    let floods = [
        ("HTTP/1.1 200 OK\r\n\r\n", "                                "),
        ("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n", "4\r\n    \r\n"),
        ("HTTP/1.1 200 OK\r\nx: ", "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"),
        ("HTTP/1.1 200 OK\r\n", "x: y\r\n"),
        ("", "HTTP/1.1 102 Processing\r\n\r\n"),
    ];
    assert_snapshot!(lines(floods, |(begin, again)| {
        let server = flooding(begin, again);
        let provider = server.builder().timeout(Duration::from_secs(5)).build();
        server.outcome_under(provider)
    }));
}

#[test]
fn an_answer_may_be_as_long_as_the_limit_and_no_longer() {
    let padded = |length: usize| allows() + &" ".repeat(length - allows().len());
    let length = 64 << 10;
    let by_default =
        lines([length, length + 1], |length| Server::answering(&padded(length)).outcome());
    let with_more = {
        let server = Server::answering(&padded(length + 1));
        let provider = server.builder().answer_limit(usize::MAX).build();
        server.outcome_under(provider)
    };
    assert_snapshot!(format!("{by_default}\n{with_more}"));
}

#[test]
fn a_refused_connection_is_no_decision() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let url = format!("http://127.0.0.1:{port}/decide");
    let told = outcome(HttpProvider::builder(parsed(&url)).build());
    assert_snapshot!(told.replace(&port.to_string(), "PORT"));
}

#[test]
fn a_server_without_tls_is_no_https_server() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut [0; 5]).unwrap();
        stream.write_all(ok(&allows()).as_bytes()).unwrap();
        wait_for_end(&mut stream);
    });
    let url = format!("https://127.0.0.1:{port}/decide");
    let told = outcome(HttpProvider::builder(parsed(&url)).build());
    server.join().unwrap();
    assert_snapshot!(told.replace(&port.to_string(), "PORT"));
}
