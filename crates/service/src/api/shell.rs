//! What all routes have in common: who asks, may they, what came, and what is said of it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::extract::{FromRequestParts, RawPathParams, Request};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts as Head;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodFilter, on};
use swampbox_material::Code;
use swampbox_material::json::Json;
use tracing::Instrument;

use super::page::{PAGE_BYTES, is_text};
use super::rate::Rates;
use super::readiness::Readiness;
use super::tokens::Tokens;
use super::{Access, Answer, Call, Caller, Method, Problem, Query, ROUTES, Reply, Route, body};
use crate::budget::{Budget, Held};
use crate::console::{self, Cookie};
use crate::kept::{Owner, Owning};
use crate::metrics::Metrics;
use crate::release::Releases;
use crate::secret::ExecutionToken;
use crate::server::Stop;
use crate::stream::Pump;
use crate::work::Desk;
use crate::{Parts, traced};

/// The service at work.
pub(crate) struct App {
    pub(crate) parts: Parts,
    pub(crate) metrics: Metrics,
    pub(crate) releases: Releases,
    pub(crate) pump: Pump,
    pub(crate) stop: Stop,
    pub(crate) budget: Budget,
    pub(crate) readiness: Readiness,
    desk: Desk,
    audits: Desk,
    rates: Rates,
    tokens: Tokens,
}

impl App {
    pub(crate) fn new(parts: Parts, stop: Stop) -> Self {
        let limits = &parts.limits;
        Self {
            metrics: Metrics::new(),
            releases: Releases::within(limits),
            pump: Pump::new(limits.streams),
            budget: Budget::within(limits),
            readiness: Readiness::default(),
            desk: Desk::with(limits.operations, limits.patience, "operations"),
            audits: Desk::with(1, limits.patience, "verifications"),
            rates: Rates::new(limits.requests_per_second, limits.burst),
            tokens: Tokens::default(),
            stop,
            parts,
        }
    }

    /// Runs what blocks, with the service at hand.
    pub(crate) async fn work<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let app = self.clone();
        self.desk.run(move || work(&app)).await
    }

    /// Runs what reads all of the ledger. One at a time.
    pub(crate) async fn audit<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let app = self.clone();
        self.audits.run(move || work(&app)).await
    }

    /// Takes one of the requests that a caller may make.
    pub(crate) fn take_turn(&self, caller: &str) -> Result<(), Problem> {
        self.rates.take(caller, Instant::now())
    }

    /// Who shows this, if it was known before.
    fn known(&self, shown: &str) -> Option<Caller> {
        let holder = self.parts.keys.holder(shown).cloned().map(Caller::Key);
        holder.or_else(|| self.tokens.caller(shown))
    }

    /// Who shows this. It may have to be looked up.
    fn caller(&self, shown: &str) -> Result<Caller, Problem> {
        if let Some(issuer) = self.parts.keys.issuer_of(shown) {
            let holder = issuer.holder(shown, self.parts.clock.now()?);
            return holder.map(Caller::Key).ok_or_else(unknown);
        }
        let token: ExecutionToken = shown.parse().map_err(|_| unknown())?;
        let ledger = &self.parts.ledger;
        let owner = ledger.owner(&token.execution)?.ok_or_else(unknown)?;
        let Owner { principal, issuer, token: kept } = owner;
        if kept != token.hash() {
            return Err(unknown());
        }
        if !self.parts.keys.knows_agent(&principal, issuer.as_deref()) {
            let message = "whoever made this execution is no agent here any more";
            return Err(Problem::new(Code::Unauthenticated, message));
        }
        let is_there = ledger.history().execution(&token.execution)?.is_some();
        let caller = Caller::Execution { id: token.execution, principal };
        if is_there {
            self.tokens.keep(shown, &caller);
        }
        Ok(caller)
    }

    /// Waits until no attempt to release is at work.
    pub(crate) async fn idle(&self) {
        self.releases.idle().await;
    }

    /// Who asks, if they may.
    async fn admit(
        self: &Arc<Self>,
        route: &Route,
        headers: &HeaderMap,
    ) -> Result<Caller, Problem> {
        if let Access::Anybody = route.access {
            return Ok(Caller::Anybody);
        }
        let mut all = headers.get_all(AUTHORIZATION).iter();
        let shown = match (all.next(), all.next()) {
            (Some(shown), None) => shown,
            (None, _) => {
                return Err(Problem::new(Code::Unauthenticated, "this takes a credential"));
            }
            (Some(_), Some(_)) => {
                let message = "the header `Authorization` is there twice";
                return Err(Problem::new(Code::Unauthenticated, message));
            }
        };
        let shown = shown.to_str().ok().and_then(bearer).ok_or_else(unknown)?;
        let caller = match self.known(shown) {
            Some(caller) => caller,
            None => {
                let shown = shown.to_owned();
                self.work(move |app| app.caller(&shown)).await?
            }
        };
        allowed(route.access, &caller)?;
        self.take_turn(caller.named())?;
        Ok(caller)
    }
}

/// The credential in a header `Authorization`. The case of the scheme does not matter (RFC 9110).
fn bearer(header: &str) -> Option<&str> {
    let (scheme, credential) = header.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| credential.trim_start_matches(' '))
}

fn unknown() -> Problem {
    Problem::new(Code::Unauthenticated, "the credential is not known here")
}

fn allowed(access: Access, caller: &Caller) -> Result<(), Problem> {
    let acts = matches!(caller, Caller::Execution { .. });
    let has_one = |roles: &[crate::Role]| roles.iter().any(|role| caller.has(*role));
    let words = |roles: &[crate::Role]| {
        roles.iter().map(|role| role.as_str()).collect::<Vec<_>>().join(" or ")
    };
    let needed = match access {
        Access::Anybody => return Ok(()),
        Access::Execution if acts => return Ok(()),
        Access::Roles(roles) if has_one(roles) => return Ok(()),
        Access::ExecutionOr(roles) if acts || has_one(roles) => return Ok(()),
        Access::Execution => "the token of an execution".to_owned(),
        Access::Roles(roles) => format!("an API key of an {}", words(roles)),
        Access::ExecutionOr(roles) => {
            format!("the token of an execution, or an API key of an {}", words(roles))
        }
    };
    Err(Problem::new(Code::Forbidden, format!("this takes {needed}")))
}

/// Every route, and the console, on this service.
pub(crate) fn router(app: &Arc<App>, cookie: Cookie) -> Router {
    let router = ROUTES.iter().fold(Router::new(), |router, route| {
        let app = app.clone();
        let filter = match route.method {
            Method::Get => MethodFilter::GET,
            Method::Post => MethodFilter::POST,
        };
        let answers = move |request: Request| answered(app.clone(), route, request);
        router.route(route.path, on(filter, answers))
    });
    console::mount(router, app, cookie)
        .fallback(|| async { Problem::new(Code::RouteNotFound, "there is nothing at this path") })
        .method_not_allowed_fallback(|| async {
            Problem::new(Code::MethodNotAllowed, "this path is not asked for in this way")
        })
}

type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

/// Answers a request, counts it, and notes that in the log: neither what it carried nor a credential.
fn answered(app: Arc<App>, route: &'static Route, request: Request) -> Answering {
    Box::pin(async move {
        let begun = Instant::now();
        let at_work = app.metrics.begin();
        let span = traced::request(route.method, route.path, request.headers());
        let answer = answer(&app, route, request).instrument(span.clone()).await;
        let (caller, response) = match answer {
            Ok((caller, response)) => (Some(caller), response),
            Err((caller, problem)) => {
                tracing::debug!(route = route.name, code = %problem.code, "refused");
                traced::refused(&span, problem.code);
                (caller, problem.into_response())
            }
        };
        drop(at_work);
        let (took, status) = (begun.elapsed(), response.status().as_u16());
        app.metrics.answered(route.name, status, took);
        let caller = caller.as_ref().map_or("-", Caller::named);
        traced::answered(&span, caller, response.status());
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        tracing::info!(route = route.name, status, caller, micros, "answered");
        response
    })
}

type Refused = (Option<Caller>, Problem);

async fn answer(
    app: &Arc<App>,
    route: &'static Route,
    request: Request,
) -> Result<(Caller, Response), Refused> {
    let nobody = |problem| (None, problem);
    let (mut head, content) = request.into_parts();
    let places = places(&mut head).await.map_err(nobody)?;
    let limits = &app.parts.limits;
    // Who they are comes first: nothing is read for those who may not ask.
    let caller = app.admit(route, &head.headers).await.map_err(nobody)?;
    let told = caller.clone();
    let known = move |problem| (Some(told), problem);
    let share = app.budget.share(caller.named());
    let answer = room_for(app, route);
    let taken = async {
        let body = body::room_for(&content, limits.body_bytes)?;
        let mut held = share.room(body + answer).await?;
        let text = body::bytes(content, limits.body_bytes, limits.body_time).await?;
        share.settle(&mut held, body::room_of(&text) + answer);
        let call = call(caller.clone(), route, places, &head, body::read(&text)?)?;
        Ok((call, held))
    };
    let (call, held) = match taken.await {
        Ok(taken) => taken,
        Err(problem) => return Err(known(problem)),
    };
    // What is held is held as long as the work goes on, also if nobody waits for it any more.
    let with = |done: Result<Reply, Problem>, held: Held| Ok((done?.into_response(), held));
    let done = match route.answer {
        Answer::Work(work) => app.work(move |app| with(work(app, &call), held)).await,
        Answer::Now(work) => with(work(app, &call), held),
        Answer::Outside(work) => {
            let at_work = app.clone();
            app.releases.run(move || with(work(&at_work, &call), held)).await
        }
        Answer::Audit(work) => app.audit(move |app| with(work(app, &call), held)).await,
        Answer::Release => with(crate::release::answer(app, call).await, held),
        Answer::Stream => {
            let stream = crate::stream::answer(app, &call, &head.headers, share.clone()).await;
            stream.map(|stream| (stream, held))
        }
    };
    match done {
        Ok((response, held)) => {
            // Others may wait for what was just done.
            app.pump.nudge();
            Ok((caller, share.counting(held, response)))
        }
        Err(problem) => Err(known(problem)),
    }
}

/// How many bytes an answer takes, as a rule, at the most. They are taken before anything is done: what is
/// read for it is held too, and what was done is not refused any more. What waits for long, is open to all,
/// or tells how much is held takes none, and has little to say.
fn room_for(app: &App, route: &Route) -> usize {
    if matches!(route.access, Access::Anybody) || route.path == "/metrics" {
        return 0;
    }
    match (route.answer, route.method) {
        (Answer::Work(_), Method::Get) => app.budget.of_page(),
        (Answer::Work(_), Method::Post) => PAGE_BYTES / 4,
        _ => 0,
    }
}

/// What stands in the places of a path.
async fn places(head: &mut Head) -> Result<Vec<String>, Problem> {
    if !is_text(head.uri.path()) {
        let message = "the path holds what is no UTF-8, percent-encoded";
        return Err(Problem::new(Code::InvalidIdentifier, message));
    }
    let params = RawPathParams::from_request_parts(head, &()).await;
    // It fails for a path without places, too.
    let params = params.map(|params| params.iter().map(|(_, value)| value.to_owned()).collect());
    Ok(params.unwrap_or_default())
}

fn call(
    caller: Caller,
    route: &Route,
    places: Vec<String>,
    head: &Head,
    body: Option<Json>,
) -> Result<Call, Problem> {
    let says_nothing =
        |body: &Json| body.as_object().is_some_and(|object| object.iter().next().is_none());
    if route.body.is_none() && !body.iter().all(says_nothing) {
        let message = "this takes no body but an empty object";
        return Err(Problem::new(Code::InvalidDocument, message));
    }
    let query = head.uri.query().unwrap_or_default().to_owned();
    if !route.parameters.iter().any(|parameter| parameter.within == "query") {
        Query::of(&query)?.finish()?;
    }
    let mut keys = head.headers.get_all("idempotency-key").iter();
    let idempotency_key = match (keys.next(), keys.next()) {
        (None, _) => None,
        (Some(key), None) => match key.to_str() {
            Ok(key) if (1..=256).contains(&key.len()) => Some(key.to_owned()),
            _ => {
                let message = "an `Idempotency-Key` has 1 to 256 visible ASCII characters";
                return Err(Problem::new(Code::InvalidArguments, message));
            }
        },
        (Some(_), Some(_)) => {
            let message = "the header `Idempotency-Key` is there twice";
            return Err(Problem::new(Code::InvalidArguments, message));
        }
    };
    Ok(Call { caller, places, query, idempotency_key, body })
}
