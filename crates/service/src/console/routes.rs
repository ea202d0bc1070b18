//! Every page and form, once: who may take it, and what answers it.

use super::shell::{Answered, Visit};
use super::{Console, consequence, consequences, decide, executions, ledger, overview, quarantine};
use crate::api::{APPROVER, HISTORIANS, Method, OPERATOR, Problem, READERS};
use crate::principal::Role;

/// A page, or what a form is sent to.
pub(super) struct Route {
    pub(super) method: Method,
    pub(super) path: &'static str,
    /// Who may. They are those who may do the same through the API.
    pub(super) roles: &'static [Role],
    pub(super) answer: Answer,
    /// Its name in the log and in the metrics.
    pub(super) name: &'static str,
}

/// How it is answered.
#[derive(Clone, Copy)]
pub(super) enum Answer {
    /// By work on the ledger.
    Work(fn(&Console, &Visit) -> Result<Answered, Problem>),
    /// By work that reads all of the ledger. One at a time.
    Audit(fn(&Console, &Visit) -> Result<Answered, Problem>),
}

const fn page(
    path: &'static str,
    roles: &'static [Role],
    name: &'static str,
    work: fn(&Console, &Visit) -> Result<Answered, Problem>,
) -> Route {
    Route { method: Method::Get, path, roles, answer: Answer::Work(work), name }
}

const fn form(
    path: &'static str,
    roles: &'static [Role],
    name: &'static str,
    work: fn(&Console, &Visit) -> Result<Answered, Problem>,
) -> Route {
    Route { method: Method::Post, path, roles, answer: Answer::Work(work), name }
}

/// All of them, but for those that take no session: the login, and the files beside the pages.
pub(super) const ROUTES: &[Route] = &[
    page("/", READERS, "console overview", overview::show),
    page("/decide", APPROVER, "console queue", decide::queue),
    page("/decide/{consequence_id}", APPROVER, "console request", decide::show),
    form("/decide/{consequence_id}", APPROVER, "console decision", decide::decide),
    page("/consequences", READERS, "console consequences", consequences::show),
    page("/consequences/{consequence_id}", READERS, "console consequence", consequence::show),
    form(
        "/consequences/{consequence_id}/observe",
        OPERATOR,
        "console observation",
        consequence::observe,
    ),
    form(
        "/consequences/{consequence_id}/resolve",
        OPERATOR,
        "console resolution",
        consequence::resolve,
    ),
    page("/executions", READERS, "console executions", executions::show),
    form("/executions/{execution_id}/end", OPERATOR, "console end", executions::end),
    page("/quarantine", READERS, "console quarantine", quarantine::show),
    form("/quarantine/{consequence_id}/adopt", OPERATOR, "console adoption", quarantine::adopt),
    page("/ledger", HISTORIANS, "console ledger", ledger::show),
    Route {
        method: Method::Post,
        path: "/ledger/verify",
        roles: HISTORIANS,
        answer: Answer::Audit(ledger::verify),
        name: "console verification",
    },
    form("/ledger/checkpoint", OPERATOR, "console checkpoint", ledger::checkpoint),
];
