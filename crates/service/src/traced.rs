//! What a trace shows: each request, each attempt to release, and in it who was asked and what was done.
//!
//! A span says which route, which consequence, who was asked, and how it ended. Nothing goes into one that
//! would not go into the log: no payload, no target, no credential, no query. Names are those of the
//! OpenTelemetry conventions for HTTP where these have one.

use axum::http::HeaderMap;
use axum::http::StatusCode;
use swampbox_authority::{AuthorityProvider, AuthorityRequest, DecisionDocument, NoDecision};
use swampbox_boundary::{
    Actuator, ActuatorFailure, ActuatorReport, Admission, Observation, ReleaseResult,
};
use swampbox_custody::ConsequenceId;
use swampbox_material::{Code, Material};
use tracing::Span;
use tracing::field::Empty;

use crate::api::Method;

/// The target of every span that a service makes, and of nothing else, so that a subscriber can tell
/// them from the log.
pub const SPANS: &str = "swampbox_service::spans";

/// The span of a request. It goes on with the trace that the caller says it belongs to.
pub(crate) fn request(method: Method, path: &'static str, headers: &HeaderMap) -> Span {
    let method = method.as_str();
    let span = tracing::info_span!(
        target: SPANS,
        "request",
        otel.name = %format_args!("{method} {path}"),
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method,
        http.route = path,
        http.response.status_code = Empty,
        swampbox.code = Empty,
        enduser.id = Empty,
    );
    join(&span, headers);
    span
}

/// Notes in the span of a request how it was answered. What failed here is an error; what was refused is
/// none.
pub(crate) fn answered(span: &Span, caller: &str, status: StatusCode) {
    span.record("enduser.id", caller);
    span.record("http.response.status_code", status.as_u16());
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
}

/// Notes in the span of a request why it was refused.
pub(crate) fn refused(span: &Span, code: Code) {
    span.record("swampbox.code", code.as_str());
}

/// The span of an attempt to release.
pub(crate) fn attempt(consequence: &ConsequenceId) -> Span {
    tracing::info_span!(
        target: SPANS,
        "release",
        otel.status_code = Empty,
        swampbox.consequence.id = consequence.as_str(),
        swampbox.release.status = Empty,
        swampbox.release.reason = Empty,
        swampbox.decision.id = Empty,
    )
}

/// Notes in the span of an attempt how it ended. Only what nobody can tell the end of is an error.
pub(crate) fn ended(span: &Span, result: &ReleaseResult) {
    span.record("swampbox.release.status", result.status().as_str());
    span.record("swampbox.release.reason", result.reason().code().as_str());
    if let Some(decision) = result.authority_decision_id() {
        span.record("swampbox.decision.id", decision.as_str());
    }
    if result.status() == swampbox_custody::ReleaseState::Uncertain {
        span.record("otel.status_code", "ERROR");
    }
}

/// The same provider or actuator, with a span for each thing that it is asked for.
pub(crate) struct Spanned<T>(pub(crate) T);

impl<P: AuthorityProvider> AuthorityProvider for Spanned<P> {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        asked("authority.evaluate", self.name()).in_scope(|| self.0.evaluate(request))
    }

    fn stands(
        &self,
        request: &AuthorityRequest,
        decision: &DecisionDocument,
    ) -> Result<(), NoDecision> {
        asked("authority.stands", self.name()).in_scope(|| self.0.stands(request, decision))
    }

    fn name(&self) -> &str {
        self.0.name()
    }
}

impl<A: Actuator> Actuator for Spanned<A> {
    fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        done("actuator.actuate", self.name()).in_scope(|| self.0.actuate(admission))
    }

    fn observe(&self, material: &Material) -> Observation {
        done("actuator.observe", self.name()).in_scope(|| self.0.observe(material))
    }

    fn name(&self) -> &str {
        self.0.name()
    }
}

fn asked(what: &'static str, provider: &str) -> Span {
    tracing::info_span!(
        target: SPANS,
        "authority",
        otel.name = what,
        otel.kind = "client",
        swampbox.authority.name = provider,
    )
}

fn done(what: &'static str, actuator: &str) -> Span {
    tracing::info_span!(
        target: SPANS,
        "actuator",
        otel.name = what,
        otel.kind = "client",
        swampbox.actuator.name = actuator,
    )
}

#[cfg(not(feature = "otlp"))]
fn join(_: &Span, _: &HeaderMap) {}

#[cfg(feature = "otlp")]
fn join(span: &Span, headers: &HeaderMap) {
    use opentelemetry::global::get_text_map_propagator;
    use opentelemetry::propagation::Extractor;
    use tracing_opentelemetry::OpenTelemetrySpanExt;

    struct Headers<'h>(&'h HeaderMap);

    impl Extractor for Headers<'_> {
        fn get(&self, name: &str) -> Option<&str> {
            let mut values = self.0.get_all(name).iter();
            // Of two nobody knows which is meant.
            values.next().filter(|_| values.next().is_none()).and_then(|value| value.to_str().ok())
        }

        fn keys(&self) -> Vec<&str> {
            self.0.keys().map(|name| name.as_str()).collect()
        }
    }

    if !span.is_disabled() {
        let context = get_text_map_propagator(|propagator| propagator.extract(&Headers(headers)));
        // Without a subscriber that exports there is nothing to go on with.
        drop(span.set_parent(context));
    }
}
