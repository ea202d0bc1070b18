//! How a service ends.

use std::net::TcpListener;
use std::thread;

use rustix::process::Signal;

use crate::service::{Serving, configured, text};

#[test]
fn sigterm_and_sigint_stop_it_in_good_order() {
    let ledger = configured("");
    for signal in [Signal::TERM, Signal::INT] {
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
fn allowed(target: &TcpListener) -> crate::ledger::Ledger {
    let origin = target.local_addr().unwrap();
    let ledger = configured(&format!(
        "[[http]]\ntarget = \"http://{origin}\"\nprivate = true\n[[rules]]\neffect = \"ALLOW\"\nreason = \"r\"\n"
    ));
    let config = std::fs::read_to_string(ledger.directory().join("swampbox.toml")).unwrap();
    ledger.write("swampbox.toml", config.replace("[\"approvals\"]", "[\"rules\"]"));
    ledger
}

#[test]
fn what_is_at_work_is_brought_to_its_end_before_it_stops() {
    use std::io::{Read, Write};
    let target = TcpListener::bind("127.0.0.1:0").unwrap();
    let ledger = allowed(&target);
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
fn a_second_signal_stops_it_at_once_and_nobody_knows_what_became_of_what_was_at_work() {
    let target = TcpListener::bind("127.0.0.1:0").unwrap();
    let ledger = allowed(&target);
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
