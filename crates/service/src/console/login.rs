//! Coming and going.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::Request;
use axum::http::header::SET_COOKIE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::Response;
use swampbox_material::Code;

use super::{Console, form, layout, shell};
use crate::api::{Caller, Problem, Query, READERS};
use crate::principal::Holder;

/// Asks for the key.
pub(super) async fn show(console: Arc<Console>, request: Request) -> Response {
    match shell::visitor(&console, request.headers(), true) {
        Some(_) => shell::see("/"),
        None => shell::page(StatusCode::OK, layout::login(None)),
    }
}

/// Begins a session for whoever shows a key. One that was there before ends, so that no id that
/// somebody else knows is ever that of a session.
pub(super) async fn begin(console: Arc<Console>, request: Request) -> Response {
    let (head, content) = request.into_parts();
    let before = shell::visitor(&console, &head.headers, true);
    let begun = match shell::sent(&console, Caller::Anybody.named(), &head.headers, content).await {
        Ok(form) => begun(&console, &form),
        Err(problem) => Err(problem),
    };
    match begun {
        Ok((holder, id)) => {
            if let Some(before) = before {
                console.sessions.end(&before.session);
            }
            tracing::info!(caller = holder.name.as_str(), "logged in");
            with_cookie(shell::see("/"), &console.cookie.set(&id))
        }
        Err(problem) => {
            tracing::info!(code = %problem.code, "not logged in");
            shell::page(problem.status(), layout::login(Some(&problem)))
        }
    }
}

/// Ends a session.
pub(super) async fn end(console: Arc<Console>, request: Request) -> Response {
    let (head, content) = request.into_parts();
    let Some(visitor) = shell::visitor(&console, &head.headers, true) else {
        return shell::see("/login");
    };
    let form = shell::sent(&console, Caller::Anybody.named(), &head.headers, content).await;
    let checked = form.and_then(|form| {
        let mut form = Query::of(&form)?;
        form::has_token(&mut form, &visitor.token)?;
        form.finish()
    });
    if let Err(problem) = checked {
        return shell::page(problem.status(), layout::problem(&visitor, &problem));
    }
    console.sessions.end(&visitor.session);
    with_cookie(shell::see("/login"), &console.cookie.taken())
}

fn begun(console: &Console, form: &str) -> Result<(Holder, String), Problem> {
    let mut form = Query::of(form)?;
    let key = form::field(&mut form, "key")?;
    form.finish()?;
    let unknown = || Problem::new(Code::Unauthenticated, "the key is not known here");
    let holder = console.app.parts.keys.holder(key.trim()).ok_or_else(unknown)?;
    if !READERS.iter().any(|role| holder.has(*role)) {
        let message = "the console is for operators, approvers and auditors; an agent uses the API";
        return Err(Problem::new(Code::Forbidden, message));
    }
    let id = console.sessions.begin(holder, Instant::now())?;
    Ok((holder.clone(), id))
}

fn with_cookie(mut response: Response, cookie: &str) -> Response {
    if let Ok(cookie) = HeaderValue::from_str(cookie) {
        response.headers_mut().insert(SET_COOKIE, cookie);
    }
    response
}
