//! A service to which the system gives little.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use ureq::Agent;

use crate::ledger::Ledger;
use crate::service::{Serving, configured, key};

/// A service under limits that a shell sets.
fn confined(ledger: &Ledger, limits: &str) -> Serving {
    let serve = ledger.command("serve --config swampbox.toml --listen 127.0.0.1:0");
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{limits} && exec \"$0\" \"$@\""));
    command.arg(serve.get_program()).args(serve.get_args()).current_dir(ledger.directory());
    for (name, value) in serve.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    Serving::from(command)
}

/// The status and the text of an answer to somebody without a credential.
fn asked(serving: &Serving, path: &str) -> (u16, String) {
    let agent: Agent = Agent::config_builder().http_status_as_error(false).build().into();
    let mut answer = agent.get(format!("{}{path}", serving.url)).call().unwrap();
    (answer.status().as_u16(), answer.body_mut().read_to_string().unwrap())
}

#[test]
fn more_connections_than_it_may_have_files_wait_and_nothing_fails() {
    let ledger = configured("");
    let mut serving = confined(&ledger, "ulimit -n 200 && ulimit -Sn 64");
    serving.wait_for("fewer connections");
    serving.wait_for("listening");
    let address = serving.url.split_once("//").unwrap().1.to_owned();
    let idle: Vec<TcpStream> = (0..150).map(|_| TcpStream::connect(&address).unwrap()).collect();
    let mut last = TcpStream::connect(&address).unwrap();
    last.write_all(b"GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n").unwrap();
    drop(idle);
    // It is taken in after all of them.
    let mut answer = String::new();
    last.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    // More than the soft limit at once.
    let made = serving.execution(&ledger, "ann", "A");
    assert!(!made.is_empty());
    serving.signal(Signal::TERM);
    let (status, log) = serving.ended();
    assert_eq!(status, Some(0), "{log:?}");
    assert!(!log.iter().any(|line| line.contains("could not be taken in")), "{log:?}");
}

#[test]
fn it_is_not_ready_when_nothing_can_be_stored() {
    let ledger = configured("");
    // In blocks of 512 or 1024 bytes, whichever the shell has.
    let serving = confined(&ledger, "ulimit -f 1000");
    assert_eq!(asked(&serving, "/readyz").0, 200);
    let ann = key(&ledger, "ann");
    let begun = Instant::now();
    let in_time = || assert!(begun.elapsed() < Duration::from_secs(60), "it never fills up");
    while serving.post(&ann, "/v1/executions", "{}").0 != 503 {
        in_time();
    }
    // What was found before lasts for a second, and a smaller write may still have found room.
    while asked(&serving, "/readyz").0 == 200 {
        in_time();
    }
    let (status, said) = asked(&serving, "/readyz");
    assert_eq!(status, 503);
    assert!(said.contains(r#""status":"unready","code":"store_unavailable""#), "{said}");
    assert_eq!(asked(&serving, "/healthz").0, 200);
}
