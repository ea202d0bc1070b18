//! What approvers do.

use std::time::Duration;

use swampbox_authority::Verdict;
use swampbox_custody::{ConsequenceId, Principal};
use swampbox_material::json::Json;
use swampbox_material::{Code, Difference, Material};
use swampbox_policy::approvals::{ApprovalError, Ballot, Digest, MAX_PAGE, Page, Request};

use super::page::{PAGE_BYTES, Query};
use super::shell::App;
use super::{Call, Problem, Reply};
use crate::HeldApprovals;

pub(super) fn list(app: &App, call: &Call) -> Result<Reply, Problem> {
    let mut query = Query::of(&call.query)?;
    let after = query.number("after", "a number that is counted from zero")?.unwrap_or(0);
    let limit = query.limit()?.min(MAX_PAGE);
    query.finish()?;
    let page = waiting(app, after, limit)?;
    let malformed = page.malformed.iter().map(|error| Json::from(error.to_string().as_str()));
    Ok(Reply::ok(Json::object([
        ("requests", Json::List(page.requests.iter().map(Request::to_document).collect())),
        ("malformed", Json::List(malformed.collect())),
        ("next", page.next.map_or(Json::Null, Json::from)),
    ])))
}

/// The requests that wait, as many as a page takes. They are read one at a time: each holds the material.
pub(crate) fn waiting(app: &App, after: u64, limit: usize) -> Result<Page, Problem> {
    let approvals = approvals(app)?;
    let mut all = Page { requests: Vec::new(), malformed: Vec::new(), next: Some(after) };
    let (mut items, mut bytes) = (0, 0);
    while let Some(after) = all.next.filter(|_| items < limit && bytes < PAGE_BYTES) {
        let page = approvals.waiting(after, 1)?;
        let length = |request: &Request| request.question().material.payload().to_json().len();
        bytes += page.requests.iter().map(length).sum::<usize>();
        items += 1;
        all.requests.extend(page.requests);
        all.malformed.extend(page.malformed);
        all.next = page.next;
    }
    Ok(all)
}

/// All that an approver has to see of a request.
pub(crate) struct Sheet {
    pub(crate) request: Request,
    /// Who is behind the execution that proposed it, if that can be told.
    pub(crate) proposed_by: Option<Principal>,
    /// The material of the consequence that it was derived from.
    pub(crate) parent: Option<Material>,
    /// What happens if it is allowed.
    pub(crate) will: String,
    /// The longest that a decision may hold, in whole seconds.
    pub(crate) longest_window: u64,
}

impl Sheet {
    pub(crate) fn of(app: &App, consequence: &ConsequenceId) -> Result<Self, Problem> {
        let history = app.parts.ledger.history();
        let approvals = approvals(app)?;
        let request = match history.consequence(consequence)? {
            Some(found) => approvals.show_beside(&found.snapshot)?,
            None => approvals.show(consequence)?,
        };
        let parent = match &request.question().parent_consequence_id {
            Some(parent) => history.consequence(parent)?.map(|found| found.snapshot.material),
            None => None,
        };
        let outlook = app.parts.effects.outlook(&request.question().material);
        let will = outlook.unwrap_or_else(|error| format!("nothing: {error}"));
        let longest_window = approvals.terms().longest_window().as_secs();
        let proposed_by = approvals.proposed_by(&request).ok();
        Ok(Self { request, proposed_by, parent, will, longest_window })
    }

    /// Where it differs from its parent.
    pub(crate) fn differences(&self) -> Vec<Difference> {
        self.parent.as_ref().map(|parent| self.request.differences_from(parent)).unwrap_or_default()
    }
}

pub(super) fn show(app: &App, call: &Call) -> Result<Reply, Problem> {
    let sheet = Sheet::of(app, &call.id()?)?;
    let differences = sheet.differences();
    let differences = differences.iter().map(|one| Json::from(one.to_string().as_str()));
    let shown = sheet.request.question().material.shown().to_string();
    Ok(Reply::ok(Json::object([
        ("request", sheet.request.to_document()),
        (
            "proposed_by",
            sheet.proposed_by.as_ref().map_or(Json::Null, |by| Json::from(by.as_str())),
        ),
        ("shown", Json::from(shown.as_str())),
        ("parent", sheet.parent.as_ref().map_or(Json::Null, Material::to_document)),
        ("differences_from_parent", Json::List(differences.collect())),
        ("if_allowed", Json::from(sheet.will.as_str())),
        ("longest_window_seconds", Json::from(sheet.longest_window)),
    ])))
}

/// Counts the vote of whoever asks.
pub(super) fn decide(app: &App, call: &Call) -> Result<Reply, Problem> {
    let mut fields = call.fields()?;
    let digest: Digest = fields.string("digest")?.parse()?;
    let verdict = match &**fields.string("verdict")? {
        "ALLOW" => Verdict::Allow,
        "DENY" => Verdict::Deny,
        _ => {
            let message = "$.verdict: it has to be ALLOW or DENY";
            return Err(Problem::new(Code::InvalidDocument, message));
        }
    };
    let reason = fields.string("reason")?.to_string();
    let window = match fields.required("window_seconds")? {
        Json::Number(number) => number.as_str().parse().ok(),
        _ => None,
    };
    let window = window.ok_or_else(|| {
        let message = "$.window_seconds: it has to be a number of whole seconds";
        Problem::new(Code::InvalidDocument, message)
    })?;
    fields.finish()?;
    let ballot = Ballot {
        approver: call.caller.principal()?.clone(),
        verdict,
        reason,
        window: Duration::from_secs(window),
    };
    let request = vote(app, &call.id()?, &digest, &ballot)?;
    Ok(Reply::ok(request.to_document()))
}

/// Counts a vote.
pub(crate) fn vote(
    app: &App,
    consequence: &ConsequenceId,
    shown: &Digest,
    ballot: &Ballot,
) -> Result<Request, Problem> {
    let request = approvals(app)?.decide(consequence, shown, ballot)?;
    app.metrics.voted(ballot.verdict);
    Ok(request)
}

pub(super) fn withdraw(app: &App, call: &Call) -> Result<Reply, Problem> {
    let by: &Principal = call.caller.principal()?;
    Ok(Reply::ok(approvals(app)?.withdraw(&call.id()?, by)?.to_document()))
}

/// The approvals, if people decide at all.
pub(crate) fn approvals(app: &App) -> Result<&HeldApprovals, Problem> {
    app.parts.approvals.as_deref().ok_or_else(|| {
        let message = "nobody is asked here: the configuration has no `[approvals]`";
        Problem::new(Code::RequestNotFound, message)
    })
}

/// The request about a consequence, if there is one.
pub(crate) fn request_about(
    app: &App,
    consequence: &ConsequenceId,
) -> Result<Option<Request>, Problem> {
    let Some(approvals) = &app.parts.approvals else { return Ok(None) };
    match approvals.show(consequence) {
        Ok(request) => Ok(Some(request)),
        Err(ApprovalError::NotFound(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
