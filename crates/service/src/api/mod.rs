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
mod readiness;
mod routes;
mod shell;
mod tokens;

pub(crate) use approvals::{Sheet, approvals, request_about, vote, waiting};
pub(crate) use body::bytes;
pub(crate) use call::{Call, Caller, Reply, in_its_length};
pub(crate) use consequences::{Sight, Story, attach, filter_in, look_for};
pub(crate) use ledger::{sign, verification};
pub(crate) use page::{PAGE_BYTES, Query, number};
pub(crate) use problem::Problem;
pub(crate) use routes::{
    APPROVER, Access, Answer, HISTORIANS, Method, OPERATOR, READERS, ROUTES, Route,
};
pub(crate) use shell::{App, router};
