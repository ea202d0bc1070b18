//! Counts and times, for Prometheus.

use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use swampbox_authority::Verdict;
use swampbox_custody::ReleaseState;
use swampbox_material::Code;

use crate::api::Problem;
use crate::budget::Budget;
use crate::stream::Pump;

/// What is counted. No label is what a caller wrote, so their number has a bound.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    requests: Family<Answered, Counter>,
    times: Family<Named, Histogram>,
    at_work: Gauge,
    releases: Family<Ended, Counter>,
    votes: Family<Voted, Counter>,
    events: Gauge<i64>,
    streams: Gauge<i64>,
    in_flight: Gauge<i64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Answered {
    route: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Named {
    route: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Ended {
    status: &'static str,
    reason: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Voted {
    verdict: &'static str,
}

/// In seconds, from half a millisecond to a minute and more.
const TIMES: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.0, 5.0, 15.0, 60.0];

impl Metrics {
    pub(crate) fn new() -> Self {
        let mut registry = Registry::with_prefix("swampbox");
        let requests = Family::default();
        registry.register("http_requests", "Requests that were answered", requests.clone());
        let times: Family<Named, Histogram> =
            Family::new_with_constructor(|| Histogram::new(TIMES));
        registry.register("http_request_seconds", "How long that took", times.clone());
        let at_work = Gauge::default();
        registry.register("http_requests_at_work", "Requests not answered yet", at_work.clone());
        let releases = Family::default();
        registry.register("releases", "Attempts to release that ended", releases.clone());
        let votes = Family::default();
        registry.register("votes", "Votes of approvers that were counted", votes.clone());
        let (events, streams) = (Gauge::default(), Gauge::default());
        registry.register("events", "The number of the last event", events.clone());
        registry.register("event_streams", "Open streams of events", streams.clone());
        let in_flight = Gauge::default();
        let help = "Bytes of requests and answers that are held";
        registry.register("bytes_in_flight", help, in_flight.clone());
        Self { registry, requests, times, at_work, releases, votes, events, streams, in_flight }
    }

    /// A request has come; it is at work until the guard is dropped.
    pub(crate) fn begin(&self) -> AtWork {
        self.at_work.inc();
        AtWork { at_work: self.at_work.clone() }
    }

    pub(crate) fn answered(&self, route: &'static str, status: u16, took: Duration) {
        self.requests.get_or_create(&Answered { route, status }).inc();
        self.times.get_or_create(&Named { route }).observe(took.as_secs_f64());
    }

    pub(crate) fn ended(&self, status: ReleaseState, reason: Code) {
        let ended = Ended { status: status.as_str(), reason: reason.as_str() };
        self.releases.get_or_create(&ended).inc();
    }

    pub(crate) fn voted(&self, verdict: Verdict) {
        self.votes.get_or_create(&Voted { verdict: verdict.as_str() }).inc();
    }

    /// All of it, as text.
    pub(crate) fn encode(
        &self,
        last_event: u64,
        pump: &Pump,
        budget: &Budget,
    ) -> Result<String, Problem> {
        self.in_flight.set(i64::try_from(budget.in_use()).unwrap_or(i64::MAX));
        self.events.set(i64::try_from(last_event).unwrap_or(i64::MAX));
        self.streams.set(i64::try_from(pump.open_streams()).unwrap_or(i64::MAX));
        let mut text = String::new();
        encode(&mut text, &self.registry)
            .map_err(|error| Problem::new(Code::StoreUnavailable, error))?;
        Ok(text)
    }
}

/// Counts one that is at work, however it ends.
pub(crate) struct AtWork {
    at_work: Gauge<i64, std::sync::atomic::AtomicI64>,
}

impl Drop for AtWork {
    fn drop(&mut self) {
        self.at_work.dec();
    }
}
