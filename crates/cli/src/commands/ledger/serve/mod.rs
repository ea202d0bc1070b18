//! The service, from the configuration.

mod files;
mod log;
#[cfg_attr(not(feature = "otlp"), path = "untraced.rs")]
mod traces;

use std::io;
use std::sync::Arc;

use swampbox_experiments::parts::SystemClock;
use swampbox_ledger::LedgerCustody;
use swampbox_material::json::Json;
use swampbox_material::{Code, Shown};
use swampbox_process::become_subreaper;
use swampbox_service::{Issuer, Parts, Service, Stopper, Tls, runtime};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::place;
use traces::Traces;

use crate::arguments::Serve;
use crate::config::Config;
use crate::failure::{Exit, Failure};
use crate::output::Output;

/// Serves until a signal says that it is enough.
pub(super) fn run(serve: &Serve, out: &mut Output) -> Result<Exit, Failure> {
    let config = Config::load(serve.at.config.as_deref())?;
    let traces = Traces::of(&config)?;
    log::begin(serve.log, serve.log_level, traces.layer())?;
    let ended = logged(serve, &config, out);
    traces.end();
    ended
}

/// The same, with the log begun.
fn logged(serve: &Serve, config: &Config, out: &mut Output) -> Result<Exit, Failure> {
    let mut terms = config.service(serve.listen.as_deref())?;
    let (address, behind_proxy, tls) = (terms.address, terms.behind_proxy, terms.tls.take());
    let path = place::path(&serve.at)?;
    let ledger = Arc::new(LedgerCustody::open(&path, Box::new(SystemClock))?);
    if let Some(Err(error)) = terms.issuer.as_ref().map(Issuer::read_keys) {
        // They are read again when a token is shown.
        tracing::warn!("{}", Shown::json(&error.to_string()));
    }
    let staff = config.staff();
    for remark in staff.notes.iter().chain(&staff.short) {
        tracing::warn!("{}", Shown::json(remark));
    }
    for missing in config.missing_authority().iter().chain(&config.missing_actuators()?) {
        tracing::warn!("{missing}");
    }
    let mut parts = config.parts(terms, ledger, path)?;
    parts.limits.connections = files::connections(parts.limits.connections);
    // So that what a command leaves behind can be found when its time is up.
    drop(become_subreaper());
    let runtime = runtime().map_err(|error| Failure::plain(Code::AddressUnavailable, error))?;
    let ended = runtime.block_on(async {
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|error| unavailable(&address.to_string(), &error))?;
        let mut told = Told::listening().map_err(|error| unavailable("signals", &error))?;
        announce(&listener, tls.is_some(), serve.at.json, out)?;
        until_told(parts, listener, tls, behind_proxy, &mut told).await
    });
    // What is still at work then is not waited for.
    runtime.shutdown_background();
    ended
}

/// Whether the environment says what is logged in a way that a service would begin with.
pub(super) fn check_environment() -> Result<(), Failure> {
    log::of_the_environment().map(drop)
}

async fn until_told(
    parts: Parts,
    listener: TcpListener,
    tls: Option<Tls>,
    behind_proxy: bool,
    told: &mut Told,
) -> Result<Exit, Failure> {
    let (stopper, stop) = Stopper::new();
    let service = Service::new(parts, stop);
    let service = if behind_proxy { service.behind_tls() } else { service };
    let mut serving = std::pin::pin!(service.serve(listener, tls));
    let ended = tokio::select! {
        ended = &mut serving => Some(ended),
        () = told.next() => None,
    };
    let ended = match ended {
        Some(ended) => ended,
        None => {
            tracing::info!("stopping; a second signal stops at once");
            stopper.stop();
            tokio::select! {
                ended = &mut serving => ended,
                () = told.next() => {
                    tracing::warn!("stopped at once; what was at work is left as it is");
                    return Ok(Exit::No);
                }
            }
        }
    };
    ended.map_err(|error| unavailable("the listener", &error))?;
    tracing::info!("stopped");
    Ok(Exit::Done)
}

/// Says on one line where it listens.
fn announce(
    listener: &TcpListener,
    secret: bool,
    json: bool,
    out: &mut Output,
) -> Result<(), Failure> {
    let address = listener.local_addr().map_err(|error| unavailable("the listener", &error))?;
    let scheme = if secret { "https" } else { "http" };
    let url = format!("{scheme}://{address}");
    tracing::info!(url, "listening");
    match json {
        true => out.json(&Json::object([("listening", Json::from(url.as_str()))]))?,
        false => out.line(format_args!("listening on {url}"))?,
    }
    out.finish()
}

fn unavailable(what: &str, error: &io::Error) -> Failure {
    Failure::new(Code::AddressUnavailable, what, error)
}

/// The signals that mean that it is enough.
struct Told {
    terminate: Signal,
    interrupt: Signal,
    /// Nothing is read again: a terminal that goes away ends what runs in it.
    hangup: Signal,
}

impl Told {
    fn listening() -> io::Result<Self> {
        Ok(Self {
            terminate: signal(SignalKind::terminate())?,
            interrupt: signal(SignalKind::interrupt())?,
            hangup: signal(SignalKind::hangup())?,
        })
    }

    /// Waits for the next one.
    async fn next(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
            _ = self.hangup.recv() => {}
        }
    }
}
