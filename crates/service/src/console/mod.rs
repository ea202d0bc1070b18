//! The console: plain pages for people, in the same process and under the same rules as the API.
//!
//! | module | what it has |
//! | --- | --- |
//! | [`routes`] | every page and form, who may take it, and what answers it |
//! | [`shell`] | what they have in common: the session, the token of a form, the headers |
//! | [`cookie`] | by what a browser shows that it is logged in |
//! | [`session`] | who is logged in, and what was shown to them |
//! | [`sheet`] | material and differences in lines and pages, of which nothing is cut off |
//! | the others | a page each |
//!
//! Whatever a proposer wrote is hostile. It is escaped where it is put into a page, what is invisible in
//! it is shown, it stands in no address but percent-encoded, and it is never a link.

mod assets;
mod consequence;
mod consequences;
mod cookie;
mod decide;
mod executions;
mod form;
mod layout;
mod ledger;
mod lineage;
mod login;
mod overview;
mod plot;
mod quarantine;
mod routes;
mod session;
mod sheet;
mod shell;
mod text;
mod timeline;

use std::sync::Arc;

use axum::Router;
use axum::routing::{MethodFilter, get, on, post};

use crate::api::{App, Method};
pub(crate) use cookie::Cookie;
use routes::ROUTES;
use session::Sessions;

/// The console at work.
struct Console {
    app: Arc<App>,
    sessions: Sessions,
    cookie: Cookie,
}

/// Puts the console beside the routes of the API.
pub(crate) fn mount(router: Router, app: &Arc<App>, cookie: Cookie) -> Router {
    let limits = &app.parts.limits;
    let sessions = Sessions::lasting(limits.session_idle, limits.session_age);
    let console = Arc::new(Console { app: app.clone(), sessions, cookie });
    let router = ROUTES.iter().fold(router, |router, route| {
        let console = console.clone();
        let filter = match route.method {
            Method::Get => MethodFilter::GET,
            Method::Post => MethodFilter::POST,
        };
        let answers = move |request| shell::answered(console.clone(), route, request);
        router.route(route.path, on(filter, answers))
    });
    let (shows, takes, ends) = (console.clone(), console.clone(), console);
    let router = router
        .route(
            "/login",
            get(move |request| login::show(shows.clone(), request))
                .post(move |request| login::begin(takes.clone(), request)),
        )
        .route("/logout", post(move |request| login::end(ends.clone(), request)));
    assets::mount(router)
}
