//! What all pages have in common: who asks, may they, what came, and the headers of what is answered.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use axum::body::Body;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, LOCATION, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::request::Parts as Head;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode};
use axum::response::Response;
use maud::Markup;
use swampbox_custody::InvalidIdentifier;
use swampbox_material::Code;
use tracing::Instrument;

use super::routes::{Answer, Route};
use super::session::Visitor;
use super::{Console, form, layout, text};
use crate::api::{Problem, Query, bytes, in_its_length};
use crate::budget::Held;
use crate::traced;

/// Nothing is loaded, run or sent but from and to the console itself, and no other site frames it.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; \
                      connect-src 'self'; form-action 'self'; base-uri 'none'; \
                      frame-ancestors 'none'";

/// A request of somebody who is logged in, read and allowed.
pub(super) struct Visit {
    pub(super) visitor: Visitor,
    /// The query of a page, or what a form holds, as it came.
    pub(super) query: String,
    /// Whether a person will have the answer before them.
    pub(super) opened: bool,
    place: Option<String>,
}

impl Visit {
    /// The id that stands in the path.
    pub(super) fn id<T>(&self) -> Result<T, Problem>
    where
        T: for<'t> TryFrom<&'t str, Error = InvalidIdentifier>,
    {
        let place = self.place.as_deref().unwrap_or_default();
        Ok(T::try_from(text::in_place(place))?)
    }

    /// The form that came. It is known to carry the token.
    pub(super) fn form(&self) -> Result<Query<'_>, Problem> {
        let mut form = Query::of(&self.query)?;
        form::has_token(&mut form, &self.visitor.token)?;
        Ok(form)
    }

    pub(super) fn may(&self, roles: &[crate::Role]) -> bool {
        roles.iter().any(|role| self.visitor.holder.has(*role))
    }
}

/// What a page or a form is answered with.
pub(super) enum Answered {
    /// A page.
    Page(Markup),
    /// A page that says that something was refused.
    Refused(StatusCode, Markup),
    /// Look there.
    See(String),
}

type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

/// Answers a request, counts it, and notes that in the log, as the API does.
pub(super) fn answered(
    console: Arc<Console>,
    route: &'static Route,
    request: Request,
) -> Answering {
    Box::pin(async move {
        let begun = Instant::now();
        let metrics = &console.app.metrics;
        let at_work = metrics.begin();
        let span = traced::request(route.method, route.path, request.headers());
        let looks = form::only_looks(request.headers());
        let visitor = visitor(&console, request.headers(), !looks);
        let response = match &visitor {
            None if looks => page(StatusCode::UNAUTHORIZED, layout::login(None)),
            None => see("/login"),
            Some(visitor) => match answer(&console, route, visitor.clone(), request)
                .instrument(span.clone())
                .await
            {
                Ok((answered, room)) => {
                    let share = console.app.budget.share(visitor.holder.name.as_str());
                    share.counting(room, response(answered))
                }
                Err(problem) => {
                    tracing::debug!(route = route.name, code = %problem.code, "refused");
                    traced::refused(&span, problem.code);
                    page(problem.status(), layout::problem(visitor, &problem))
                }
            },
        };
        drop(at_work);
        let (took, status) = (begun.elapsed(), response.status().as_u16());
        metrics.answered(route.name, status, took);
        let caller = visitor.as_ref().map_or("-", |visitor| visitor.holder.name.as_str());
        traced::answered(&span, caller, response.status());
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        tracing::info!(route = route.name, status, caller, micros, "answered");
        response
    })
}

/// Who shows a session that lasts.
pub(super) fn visitor(console: &Console, headers: &HeaderMap, person: bool) -> Option<Visitor> {
    console.sessions.visitor(console.cookie.shown(headers)?, Instant::now(), person)
}

async fn answer(
    console: &Arc<Console>,
    route: &'static Route,
    visitor: Visitor,
    request: Request,
) -> Result<(Answered, Held), Problem> {
    let (mut head, content) = request.into_parts();
    let holder = &visitor.holder;
    if !route.roles.iter().any(|role| holder.has(*role)) {
        let roles: Vec<_> = route.roles.iter().map(|role| role.as_str()).collect();
        let message = format!("this takes an API key of an {}", roles.join(" or "));
        return Err(Problem::new(Code::Forbidden, message));
    }
    console.app.take_turn(holder.name.as_str())?;
    let place = place(&mut head).await?;
    let opened = head.method == Method::GET && form::is_opened(&head.headers);
    let changes = route.method == crate::api::Method::Post;
    let query = match changes {
        true => sent(console, holder.name.as_str(), &head.headers, content).await?,
        false => head.uri.query().unwrap_or_default().to_owned(),
    };
    let visit = Visit { visitor, query, opened, place };
    let share = console.app.budget.share(visit.visitor.holder.name.as_str());
    let room = share.room(console.app.budget.of_page()).await?;
    let at_work = console.clone();
    let done = match route.answer {
        Answer::Work(work) => console.app.work(move |_| work(&at_work, &visit)).await,
        Answer::Audit(work) => console.app.audit(move |_| work(&at_work, &visit)).await,
    };
    if changes && done.is_ok() {
        // Others may wait for what was just done.
        console.app.pump.nudge();
    }
    Ok((done?, room))
}

/// Reads a form, if it was sent from here.
pub(super) async fn sent(
    console: &Console,
    caller: &str,
    headers: &HeaderMap,
    content: Body,
) -> Result<String, Problem> {
    form::same_origin(headers)?;
    form::is_form(headers)?;
    let within = console.app.parts.limits.body_time;
    let _held = console.app.budget.share(caller).room(form::FORM_BYTES).await?;
    let form = bytes(content, form::FORM_BYTES, within).await?;
    String::from_utf8(form)
        .map_err(|_| Problem::new(Code::InvalidArguments, "the form holds what is no UTF-8"))
}

async fn place(head: &mut Head) -> Result<Option<String>, Problem> {
    match RawPathParams::from_request_parts(head, &()).await {
        Ok(params) => Ok(params.iter().next().map(|(_, value)| value.to_owned())),
        Err(_) => Err(Problem::new(Code::InvalidIdentifier, "the path holds what is no UTF-8")),
    }
}

fn response(answered: Answered) -> Response {
    match answered {
        Answered::Page(markup) => page(StatusCode::OK, markup),
        Answered::Refused(status, markup) => page(status, markup),
        Answered::See(place) => see(&place),
    }
}

/// A page, with all that keeps a browser from doing more than show it.
pub(super) fn page(status: StatusCode, markup: Markup) -> Response {
    let mut response = Response::new(Body::from(in_its_length(markup.into_string())));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    guard(headers);
    response
}

/// Sends a browser to another page.
pub(super) fn see(place: &str) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let headers = response.headers_mut();
    // What stands in a place is percent-encoded, so it is always a header's value.
    let place = HeaderValue::from_str(place).unwrap_or_else(|_| HeaderValue::from_static("/"));
    headers.insert(LOCATION, place);
    guard(headers);
    response
}

fn guard(headers: &mut HeaderMap) {
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
}
