//! The HTTP API: a table of routes, and for each the function that answers it.

mod approvals;
mod body;
mod call;
mod consequences;
mod events;
mod executions;
mod health;
mod ledger;
pub mod openapi;
mod page;
mod problem;
mod rate;
mod routes;
mod shell;

pub(crate) use approvals::request_about;
pub(crate) use call::{Call, Caller, Reply};
pub(crate) use page::Query;
pub(crate) use problem::Problem;
pub(crate) use routes::{Access, Answer, Method, ROUTES, Route};
pub(crate) use shell::{App, router};
