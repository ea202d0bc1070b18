//! Traces for a collector, over OTLP.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use opentelemetry::KeyValue;
use opentelemetry::global::set_text_map_propagator;
use opentelemetry::trace::TracerProvider;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::{
    BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracerProvider,
};
use swampbox_material::{Code, Shown};
use swampbox_service::SPANS;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use ureq::Agent;
use ureq::http::HeaderValue;
use ureq::http::header::AUTHORIZATION;

use super::log::SpanLayer;
use crate::config::{Config, TraceTerms};
use crate::failure::Failure;

/// How many spans wait at the most to be sent. One more is dropped: nothing waits for a collector.
const WAITING: usize = 16 * 1024;

/// How long a span waits for others to be sent with it.
const DELAY: Duration = Duration::from_secs(1);

/// How long one sending may take.
const TIMEOUT: Duration = Duration::from_secs(5);

/// How long the last one may take when the service stops, beyond the grace of what was at work.
const LAST: Duration = Duration::from_secs(1);

/// The most that is read of what a collector answers, in bytes.
const ANSWER: u64 = 64 * 1024;

/// Sends the spans of this process, if they are to go anywhere.
pub(super) struct Traces(Option<SdkTracerProvider>);

impl Traces {
    /// Begins them, as the configuration says.
    pub(super) fn of(config: &Config) -> Result<Self, Failure> {
        config.traces()?.as_ref().map(provider).transpose().map(Self)
    }

    /// What gives them the spans of the service.
    pub(super) fn layer(&self) -> Option<SpanLayer> {
        let provider = self.0.as_ref()?;
        let spans = filter_fn(|metadata| metadata.is_span() && metadata.target() == SPANS)
            .with_max_level_hint(LevelFilter::INFO);
        let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("swampbox"));
        let layer = layer.with_location(false).with_threads(false).with_target(false);
        Some(Box::new(layer.with_filter(spans)))
    }

    /// Sends what waits, if the collector takes it in time.
    pub(super) fn end(self) {
        if let Some(provider) = self.0 {
            // That it could not be sent was said when it was tried.
            drop(provider.shutdown_with_timeout(LAST));
        }
    }
}

fn provider(terms: &TraceTerms) -> Result<SdkTracerProvider, Failure> {
    set_text_map_propagator(TraceContextPropagator::new());
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(Collector::of(terms))
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(&terms.url)
        .build()
        .map_err(|error| Failure::plain(Code::ConfigInvalid, error))?;
    let batches = BatchConfigBuilder::default()
        .with_max_queue_size(WAITING)
        .with_scheduled_delay(DELAY)
        .build();
    let processor = BatchSpanProcessor::builder(exporter).with_batch_config(batches).build();
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder().with_service_name(terms.name.clone());
    let share = Sampler::TraceIdRatioBased(terms.sampled);
    let provider = SdkTracerProvider::builder()
        .with_span_processor(processor)
        .with_resource(resource.with_attribute(version).build())
        .with_sampler(Sampler::ParentBased(Box::new(share)))
        .build();
    Ok(provider)
}

/// The collector that spans are sent to: no proxy, no redirect.
#[derive(Debug)]
struct Collector {
    agent: Agent,
    authorization: Option<HeaderValue>,
    /// Whether the last sending failed, so that it is said once.
    failing: AtomicBool,
}

impl Collector {
    fn of(terms: &TraceTerms) -> Self {
        let agent = Agent::config_builder()
            .proxy(None)
            .max_redirects(0)
            .http_status_as_error(false)
            .timeout_global(Some(TIMEOUT))
            .build();
        let authorization = terms.authorization.clone();
        Self { agent: agent.into(), authorization, failing: AtomicBool::new(false) }
    }

    fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (mut head, body) = request.into_parts();
        if let Some(authorization) = &self.authorization {
            head.headers.insert(AUTHORIZATION, authorization.clone());
        }
        let response = self.agent.run(Request::from_parts(head, body.to_vec()))?;
        let (head, mut body) = response.into_parts();
        let body = body.with_config().limit(ANSWER).read_to_vec()?;
        Ok(Response::from_parts(head, body.into()))
    }

    fn note(&self, problem: Option<&str>) {
        let failed = self.failing.swap(problem.is_some(), Ordering::Relaxed);
        match problem {
            Some(problem) if !failed => {
                tracing::warn!("traces can't be sent, and are dropped: {}", Shown::json(problem));
            }
            None if failed => tracing::info!("traces can be sent again"),
            _ => {}
        }
    }
}

#[async_trait]
impl HttpClient for Collector {
    /// It blocks: spans are sent from a thread of their own.
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let sent = self.send(request);
        match &sent {
            Ok(response) if response.status().is_success() => self.note(None),
            Ok(response) => {
                self.note(Some(&format!("the collector answers {}", response.status())))
            }
            Err(error) => self.note(Some(&error.to_string())),
        }
        sent
    }
}
