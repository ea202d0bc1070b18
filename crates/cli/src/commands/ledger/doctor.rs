//! Saying what is wrong with the surroundings.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use swampbox_authority::Clock;
use swampbox_experiments::parts::SystemClock;
use swampbox_ledger::LedgerCustody;
use swampbox_material::json::Json;
use swampbox_material::{Code, Shown};
use swampbox_service::Issuer;
use ureq::Agent;

use super::{place, serve};
use crate::arguments::LedgerArguments;
use crate::config::{Config, NO_SERVICE};
use crate::failure::{Exit, Failure};
use crate::output::{Output, Painted};

/// One thing that was looked at.
struct Finding {
    what: &'static str,
    /// What is wrong with it, with how to mend that.
    wrong: Option<String>,
    /// What is right with it.
    right: String,
}

pub(super) fn run(at: &LedgerArguments, out: &mut Output) -> Result<Exit, Failure> {
    let mut findings = vec![clock()];
    match Config::load(at.config.as_deref()) {
        Ok(config) => {
            // The policies are read with it, and they are looked at with the configuration.
            let authority = authority(&config);
            findings.extend([configuration(&config), authority, actuators(&config)]);
            findings.extend([ledger(at), git(), service(&config)]);
        }
        // What it would say about each of the others is not looked for.
        Err(failure) => {
            findings.extend([found("configuration", Err(failure)), ledger(at), git()]);
        }
    }
    for finding in &findings {
        if at.json {
            out.json(&Json::object([
                ("what", Json::from(finding.what)),
                ("ok", Json::Bool(finding.wrong.is_none())),
                ("found", Json::from(finding.wrong.as_ref().unwrap_or(&finding.right).as_str())),
            ]))?;
        } else {
            let (word, found) = match &finding.wrong {
                None => (Painted::good("well "), &finding.right),
                Some(wrong) => (Painted::bad("wrong"), wrong),
            };
            out.line(format_args!("{word}  {:<13}  {}", finding.what, Shown::json(found)))?;
        }
    }
    let well = findings.iter().all(|finding| finding.wrong.is_none());
    Ok(if well { Exit::Done } else { Exit::No })
}

impl Finding {
    /// It is wrong if anything is missing.
    fn without(self, missing: &[Failure]) -> Self {
        let wrong = self.wrong.into_iter().chain(missing.iter().map(ToString::to_string));
        let wrong = wrong.collect::<Vec<_>>();
        Self { wrong: (!wrong.is_empty()).then(|| wrong.join("; ")), ..self }
    }
}

fn found(what: &'static str, looked: Result<String, Failure>) -> Finding {
    match looked {
        Ok(right) => Finding { what, wrong: None, right },
        Err(failure) => Finding { what, wrong: Some(failure.to_string()), right: String::new() },
    }
}

fn clock() -> Finding {
    let now = SystemClock.now().map_err(|error| Failure::plain(error.code(), error));
    found("clock", now.map(|now| format!("it is {now}")))
}

fn configuration(config: &Config) -> Finding {
    let right = match config.path() {
        Some(path) => format!("read from {}", path.to_string_lossy()),
        None => "there is none, and none is needed".to_owned(),
    };
    found("configuration", Ok(right)).without(&config.exposed())
}

fn authority(config: &Config) -> Finding {
    let names = config.check_authority();
    let right = names.map(|names| match names.is_empty() {
        true => "nobody decides by configuration; each release has to name who does".to_owned(),
        false => format!("asked in this order: {}", names.join(", ")),
    });
    let right = right.map(|right| [vec![right], config.remarks()].concat().join("; "));
    found("authority", right).without(&config.missing_authority())
}

fn actuators(config: &Config) -> Finding {
    let routes = config.routes().map(|routes| format!("{} routes", routes.len()));
    match config.missing_actuators() {
        Ok(missing) => found("actuators", routes).without(&missing),
        Err(failure) => found("actuators", Err(failure)),
    }
}

fn ledger(at: &LedgerArguments) -> Finding {
    let looked = place::path(at).and_then(|path| {
        let ledger = Arc::new(LedgerCustody::open(&path, Box::new(SystemClock))?);
        let waiting = ledger.records("approval", "open", 0, 1_000)?.len();
        let path = path.to_string_lossy().into_owned();
        Ok(format!("{path} opens; {waiting} requests wait; `swampbox verify` reads all of it"))
    });
    found("ledger", looked)
}

/// What the service of the configuration would begin with, if there is one.
fn service(config: &Config) -> Finding {
    if !config.has_service() {
        return found("service", Ok(NO_SERVICE.to_owned()));
    }
    let staff = config.staff();
    let terms = serve::check_environment().and_then(|()| config.service(None));
    let looked = terms.and_then(|terms| match staff.short {
        None => {
            issuer(terms.issuer.as_ref())?;
            listener(terms.address, terms.tls.is_some())
        }
        Some(short) => Err(Failure::plain(Code::ConfigInvalid, short)),
    });
    let looked = looked.map(|well| [vec![well], staff.notes].concat().join("; "));
    found("service", looked)
}

/// Whether the keys of the issuer can be read, if tokens are believed.
fn issuer(issuer: Option<&Issuer>) -> Result<(), Failure> {
    let read = issuer.map(Issuer::read_keys).transpose();
    read.map(drop).map_err(|error| Failure::new(error.code(), "service.oidc", error))
}

/// Whether a service could listen there, or does.
fn listener(address: SocketAddr, secret: bool) -> Result<String, Failure> {
    match TcpListener::bind(address) {
        Ok(_) => Ok(format!("could listen at {address}")),
        Err(error) if error.kind() == ErrorKind::AddrInUse && answers(address, secret) => {
            Ok(format!("listens at {address}"))
        }
        Err(error) => {
            let message = format!("{error}; stop what listens there, or take another `listen`");
            Err(Failure::new(Code::AddressUnavailable, &address.to_string(), message))
        }
    }
}

/// Whether what listens there says that it is a service. Over TLS it is taken for one.
fn answers(address: SocketAddr, secret: bool) -> bool {
    let timeout = Some(Duration::from_secs(2));
    let agent: Agent = Agent::config_builder().proxy(None).timeout_global(timeout).build().into();
    let health = || {
        let answer = agent.get(format!("http://{address}/healthz")).call();
        answer.ok()?.body_mut().with_config().limit(1_024).read_to_string().ok()
    };
    secret || health().is_some_and(|health| health.trim() == r#"{"status":"ok"}"#)
}

fn git() -> Finding {
    let version = Command::new("git").arg("--version").stdin(Stdio::null()).output();
    match version {
        Ok(output) if output.status.success() => {
            let version = String::from_utf8_lossy(&output.stdout).trim().to_owned();
            Finding { what: "git", wrong: None, right: version }
        }
        _ => {
            let right = "not found; it is needed for git.patch and git.push alone".to_owned();
            Finding { what: "git", wrong: None, right }
        }
    }
}
