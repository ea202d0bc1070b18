//! How a service ends.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::service::{Serving, configured, text};
use crate::service_config::with_certificate;

#[test]
fn sigterm_sigint_and_sighup_stop_it_in_good_order() {
    let ledger = configured("");
    for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
        let mut serving = Serving::on(&ledger, "");
        serving.wait_for("listening");
        serving.signal(signal);
        let (status, log) = serving.ended();
        assert_eq!(status, Some(0), "{log:?}");
        assert!(log.last().unwrap().ends_with("INFO stopped"), "{log:?}");
    }
}

/// A service whose one consequence, X, is on its way to a target that has it and does not answer.
fn stuck(ledger: &crate::ledger::Ledger, target: &TcpListener) -> Serving {
    let serving = Serving::on(ledger, "");
    let token = serving.execution(ledger, "ann", "A");
    let origin = format!("http://{}", target.local_addr().unwrap());
    let body = format!(
        r#"{{"consequence_id":"X","consequence_type":"http.request","target":"{origin}",
            "payload":{{"method":"POST","url":"{origin}/","body":"x"}}}}"#
    );
    assert_eq!(serving.post(&token, "/v1/consequences", &body).0, 201);
    let (url, token) = (serving.url.clone(), token);
    thread::spawn(move || {
        let agent = ureq::Agent::new_with_defaults();
        let request = agent.post(format!("{url}/v1/consequences/X/release"));
        drop(request.header("authorization", format!("Bearer {token}")).send_empty());
    });
    serving
}

/// One that a rule allows, to this target.
fn allowed(target: &TcpListener, more: &str) -> crate::ledger::Ledger {
    let origin = target.local_addr().unwrap();
    let ledger = configured(&format!(
        "[[http]]\ntarget = \"http://{origin}\"\nprivate = true\n[[rules]]\neffect = \"ALLOW\"\nreason = \"r\"\n{more}"
    ));
    let config = std::fs::read_to_string(ledger.directory().join("swampbox.toml")).unwrap();
    ledger.write("swampbox.toml", config.replace("[\"approvals\"]", "[\"rules\"]"));
    ledger
}

#[test]
fn what_is_at_work_is_brought_to_its_end_before_it_stops() {
    let target = TcpListener::bind("127.0.0.1:0").unwrap();
    let ledger = allowed(&target, "");
    let mut serving = stuck(&ledger, &target);
    let (mut arrived, _) = target.accept().unwrap();
    assert!(arrived.read(&mut [0; 1024]).unwrap() > 0);
    serving.signal(Signal::TERM);
    serving.wait_for("stopping");
    arrived.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap();
    assert_eq!(serving.ended().0, Some(0));
    let shown = ledger.run("list");
    assert!(shown.stdout.contains("RELEASED"), "{shown}");
}

#[test]
fn what_is_at_work_at_a_target_and_who_waits_for_it_have_one_grace_between_them() {
    let target = TcpListener::bind("127.0.0.1:0").unwrap();
    let ledger = allowed(&target, "[service.limits]\ngrace_seconds = 4\n");
    let mut serving = stuck(&ledger, &target);
    let _arrived = target.accept().unwrap();
    serving.signal(Signal::TERM);
    serving.wait_for("stopping");
    let begun = Instant::now();
    let (status, log) = serving.ended();
    assert!(begun.elapsed() < Duration::from_millis(7_500), "{:?}", begun.elapsed());
    assert_eq!(status, Some(0), "{log:?}");
    let over = log.iter().find(|line| line.contains("the grace is over")).unwrap();
    assert!(over.contains("connections=1 releases=1"), "{over}");
    let shown = ledger.run("list");
    assert!(shown.stdout.contains("UNCERTAIN"), "{shown}");
}

/// Stops a service that waits a minute for the head of a request, and longer for what is at work, with
/// these connections to it. What each is begins with what was sent, and then the answer is read to its end.
fn stopped_with(more: &str, begun: &[&str]) {
    let limits = "[service.limits]\nhead_seconds = 60\ngrace_seconds = 120\n";
    let ledger = configured(&format!("{more}{limits}"));
    with_certificate(&ledger);
    let mut serving = Serving::on(&ledger, "");
    let address = serving.url.split_once("//").unwrap().1.to_owned();
    let open: Vec<TcpStream> = begun
        .iter()
        .map(|sent| {
            let mut stream = TcpStream::connect(&address).unwrap();
            stream.write_all(sent.as_bytes()).unwrap();
            if sent.contains("\r\n\r\n") {
                let mut status = [0; 12];
                stream.read_exact(&mut status).unwrap();
                assert_eq!(&status, b"HTTP/1.1 200");
            }
            stream
        })
        .collect();
    // They are taken in in their order, so all of them are once one that comes later was answered.
    let mut last = TcpStream::connect(&address).unwrap();
    last.write_all(b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n").unwrap();
    last.read_to_end(&mut Vec::new()).unwrap();
    let stopping = Instant::now();
    serving.signal(Signal::TERM);
    serving.wait_for("stopped");
    assert!(stopping.elapsed() < Duration::from_secs(30), "{:?}", stopping.elapsed());
    assert_eq!(serving.ended().0, Some(0));
    drop(open);
}

#[test]
fn connections_on_which_nothing_is_at_work_do_not_hold_it_up() {
    let request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
    let second = format!("{request}\r\nGET /healthz HT");
    stopped_with("", &["", request, &format!("{request}\r\n"), &second]);
}

#[test]
fn handshakes_that_are_not_complete_do_not_hold_it_up() {
    let tls = "[service]\ntls = { certificate = \"localhost.pem\", key = \"localhost.key\" }\n";
    // The first bytes of what begins a handshake.
    stopped_with(tls, &["", "\u{16}\u{3}\u{1}"]);
}

#[test]
fn a_second_signal_stops_it_at_once_and_nobody_knows_what_became_of_what_was_at_work() {
    let target = TcpListener::bind("127.0.0.1:0").unwrap();
    let ledger = allowed(&target, "");
    let mut serving = stuck(&ledger, &target);
    let _arrived = target.accept().unwrap();
    serving.signal(Signal::TERM);
    serving.wait_for("stopping");
    serving.signal(Signal::TERM);
    let (status, log) = serving.ended();
    assert_eq!(status, Some(1), "{log:?}");
    let shown = ledger.run("list");
    assert!(shown.stdout.contains("UNCERTAIN"), "{shown}");
}

#[test]
fn after_a_kill_what_was_proposed_and_asked_is_there_and_the_token_is_good() {
    let ledger = configured("");
    let serving = Serving::on(&ledger, "");
    let token = serving.execution(&ledger, "ann", "A");
    serving.proposed(&token, "hello");
    serving.signal(Signal::KILL);
    assert_eq!(serving.ended().0, None);
    let serving = Serving::on(&ledger, "");
    assert_eq!(text(&serving.release(&token), "reason"), "authority_pending");
}
