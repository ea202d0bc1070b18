//! Every route, once: who may take it, what answers it, and what the OpenAPI document says of it.

use super::shell::App;
use super::{
    Call, Problem, Reply, approvals, consequences, events, executions, health, ledger, openapi,
};
use crate::principal::Role;

/// One thing that can be asked for.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) access: Access,
    pub(crate) answer: Answer,
    /// Its name, as clients call it.
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) parameters: &'static [Parameter],
    /// The schema of its body, if it takes one.
    pub(crate) body: Option<&'static str>,
    /// The status and the schema of what is answered.
    pub(crate) reply: (u16, &'static str),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Post,
}

impl Method {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Method::Get => "GET",
            Method::Post => "POST",
        }
    }
}

/// Who may.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Access {
    /// Whoever it is, without a credential.
    Anybody,
    /// Whoever shows the token of an execution.
    Execution,
    /// Whoever has one of these roles.
    Roles(&'static [Role]),
    /// One or the other.
    ExecutionOr(&'static [Role]),
}

/// How it is answered.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    /// At once: it waits for nothing.
    Now(fn(&App, &Call) -> Result<Reply, Problem>),
    /// By work on the ledger.
    Work(fn(&App, &Call) -> Result<Reply, Problem>),
    /// By work that may wait for an actuator.
    Outside(fn(&App, &Call) -> Result<Reply, Problem>),
    /// By work that reads all of the ledger. One at a time.
    Audit(fn(&App, &Call) -> Result<Reply, Problem>),
    /// By an attempt to release, which may wait for a decision.
    Release,
    /// By events, as they come.
    Stream,
}

/// What may stand in a query or a header.
#[derive(Debug)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) within: &'static str,
    pub(crate) schema: &'static str,
    pub(crate) summary: &'static str,
}

const fn query(name: &'static str, schema: &'static str, summary: &'static str) -> Parameter {
    Parameter { name, within: "query", schema, summary }
}

const LIMIT: Parameter = query("limit", "Limit", "At most so many items.");
const NONE: &[Parameter] = &[];
pub(crate) const READERS: &[Role] = &[Role::Operator, Role::Approver, Role::Auditor];
pub(crate) const OPERATOR: &[Role] = &[Role::Operator];
pub(crate) const APPROVER: &[Role] = &[Role::Approver];
pub(crate) const HISTORIANS: &[Role] = &[Role::Operator, Role::Auditor];

/// All of them. What is not here can't be asked for.
pub(crate) const ROUTES: &[Route] = &[
    Route {
        method: Method::Post,
        path: "/v1/executions",
        access: Access::Roles(&[Role::Agent]),
        answer: Answer::Work(executions::create),
        name: "createExecution",
        summary: "Makes an execution. Its token is shown this once.",
        parameters: NONE,
        body: Some("NewExecution"),
        reply: (201, "CreatedExecution"),
    },
    Route {
        method: Method::Get,
        path: "/v1/executions",
        access: Access::Roles(READERS),
        answer: Answer::Work(executions::list),
        name: "listExecutions",
        summary: "Executions, in the order of their ids.",
        parameters: &[
            query("state", "ExecutionState", "Only those in this state."),
            query("after", "Identifier", "Only those whose ids come after this one."),
            LIMIT,
        ],
        body: None,
        reply: (200, "Executions"),
    },
    Route {
        method: Method::Post,
        path: "/v1/executions/{execution_id}/end",
        access: Access::ExecutionOr(OPERATOR),
        answer: Answer::Work(executions::end),
        name: "endExecution",
        summary: "Ends an execution. What it holds is quarantined.",
        parameters: NONE,
        body: None,
        reply: (200, "ExecutionStateOf"),
    },
    Route {
        method: Method::Post,
        path: "/v1/consequences",
        access: Access::Execution,
        answer: Answer::Work(consequences::submit),
        name: "submitConsequence",
        summary: "Submits a consequence into the custody of the execution.",
        parameters: &[Parameter {
            name: "Idempotency-Key",
            within: "header",
            schema: "IdempotencyKey",
            summary: "The same key with the same consequence submits it once, however often it is sent.",
        }],
        body: Some("NewConsequence"),
        reply: (201, "Consequence"),
    },
    Route {
        method: Method::Get,
        path: "/v1/consequences",
        access: Access::ExecutionOr(READERS),
        answer: Answer::Work(consequences::list),
        name: "listConsequences",
        summary: "Consequences, in the order of their ids; for an execution, those that it holds.",
        parameters: &[
            query("state", "ReleaseState", "Only those in this state."),
            query("custodian", "Identifier", "Only those that this execution holds, or held last."),
            query("origin", "Identifier", "Only those that this execution submitted."),
            query("type", "Text", "Only those of exactly this type."),
            query("target", "Text", "Only those with exactly this target."),
            query("quarantined", "Flag", "Only those that are quarantined."),
            query("parent", "Identifier", "Only those that were derived from this one."),
            query("after", "Identifier", "Only those whose ids come after this one."),
            LIMIT,
        ],
        body: None,
        reply: (200, "Consequences"),
    },
    Route {
        method: Method::Get,
        path: "/v1/consequences/{consequence_id}",
        access: Access::Execution,
        answer: Answer::Work(consequences::read),
        name: "readConsequence",
        summary: "A consequence that the execution holds.",
        parameters: NONE,
        body: None,
        reply: (200, "Consequence"),
    },
    Route {
        method: Method::Get,
        path: "/v1/consequences/{consequence_id}/state",
        access: Access::ExecutionOr(&Role::ALL),
        answer: Answer::Work(consequences::state),
        name: "stateOfConsequence",
        summary: "Whether a consequence is held, released or uncertain.",
        parameters: NONE,
        body: None,
        reply: (200, "StateOf"),
    },
    Route {
        method: Method::Get,
        path: "/v1/consequences/{consequence_id}/story",
        access: Access::Roles(READERS),
        answer: Answer::Work(consequences::story),
        name: "storyOfConsequence",
        summary: "All that is known of a consequence: custody, attempts, resolutions, children. \
                  `more` names the lists of which this is the beginning. Their rest is among the \
                  events and consequences, which are listed with `consequence` and `parent`.",
        parameters: NONE,
        body: None,
        reply: (200, "Story"),
    },
    Route {
        method: Method::Post,
        path: "/v1/consequences/{consequence_id}/transfer",
        access: Access::Execution,
        answer: Answer::Work(consequences::transfer),
        name: "transferConsequence",
        summary: "Hands a consequence to another execution.",
        parameters: NONE,
        body: Some("Transfer"),
        reply: (200, "Consequence"),
    },
    Route {
        method: Method::Get,
        path: "/v1/quarantine/{consequence_id}",
        access: Access::Roles(READERS),
        answer: Answer::Work(consequences::inspect),
        name: "inspectConsequence",
        summary: "A consequence in quarantine.",
        parameters: NONE,
        body: None,
        reply: (200, "Consequence"),
    },
    Route {
        method: Method::Post,
        path: "/v1/consequences/{consequence_id}/adopt",
        access: Access::ExecutionOr(OPERATOR),
        answer: Answer::Work(consequences::adopt),
        name: "adoptConsequence",
        summary: "Takes a consequence out of quarantine, into the custody of an execution.",
        parameters: NONE,
        body: Some("Adoption"),
        reply: (200, "Consequence"),
    },
    Route {
        method: Method::Post,
        path: "/v1/consequences/{consequence_id}/release",
        access: Access::Execution,
        answer: Answer::Release,
        name: "releaseConsequence",
        summary: "Asks the authority, and releases the consequence if it allows exactly that.",
        parameters: NONE,
        body: Some("Release"),
        reply: (200, "ReleaseResult"),
    },
    Route {
        method: Method::Post,
        path: "/v1/consequences/{consequence_id}/observe",
        access: Access::Roles(OPERATOR),
        answer: Answer::Outside(consequences::observe),
        name: "observeConsequence",
        summary: "Looks for the effect of a consequence, where its actuator offers that.",
        parameters: NONE,
        body: None,
        reply: (200, "Observation"),
    },
    Route {
        method: Method::Post,
        path: "/v1/consequences/{consequence_id}/resolve",
        access: Access::Roles(OPERATOR),
        answer: Answer::Work(consequences::resolve),
        name: "resolveConsequence",
        summary: "Attaches what was found out about an UNCERTAIN consequence, which it stays.",
        parameters: NONE,
        body: Some("NewResolution"),
        reply: (200, "Resolutions"),
    },
    Route {
        method: Method::Get,
        path: "/v1/approvals",
        access: Access::Roles(APPROVER),
        answer: Answer::Work(approvals::list),
        name: "listApprovals",
        summary: "Requests that wait for a decision, the oldest first.",
        parameters: &[
            query("after", "Sequence64", "The `next` of the page before."),
            query("limit", "ApprovalLimit", "At most so many items."),
        ],
        body: None,
        reply: (200, "Approvals"),
    },
    Route {
        method: Method::Get,
        path: "/v1/approvals/{consequence_id}",
        access: Access::Roles(APPROVER),
        answer: Answer::Work(approvals::show),
        name: "showApproval",
        summary: "All that an approver has to see of a request.",
        parameters: NONE,
        body: None,
        reply: (200, "Sheet"),
    },
    Route {
        method: Method::Post,
        path: "/v1/approvals/{consequence_id}/decision",
        access: Access::Roles(APPROVER),
        answer: Answer::Work(approvals::decide),
        name: "decideApproval",
        summary: "Allows or denies what was shown, which the digest names.",
        parameters: NONE,
        body: Some("Vote"),
        reply: (200, "ApprovalRequest"),
    },
    Route {
        method: Method::Post,
        path: "/v1/approvals/{consequence_id}/withdraw",
        access: Access::ExecutionOr(APPROVER),
        answer: Answer::Work(approvals::withdraw),
        name: "withdrawApproval",
        summary: "Takes a request back, or one's own vote to allow it.",
        parameters: NONE,
        body: None,
        reply: (200, "ApprovalRequest"),
    },
    Route {
        method: Method::Get,
        path: "/v1/events",
        access: Access::Roles(HISTORIANS),
        answer: Answer::Work(events::list),
        name: "listEvents",
        summary: "Events, in their order.",
        parameters: &[
            query("from", "Sequence64", "Only this one and later ones."),
            query("execution", "Identifier", "Only those by this execution, and transfers to it."),
            query("consequence", "Identifier", "Only those about this consequence."),
            LIMIT,
        ],
        body: None,
        reply: (200, "Events"),
    },
    Route {
        method: Method::Get,
        path: "/v1/events/stream",
        access: Access::Roles(HISTORIANS),
        answer: Answer::Stream,
        name: "streamEvents",
        summary: "Events as they come, each once and in order, as server-sent events.",
        parameters: &[
            query("from", "Sequence64", "The first one; without it, the next that comes."),
            Parameter {
                name: "Last-Event-ID",
                within: "header",
                schema: "Sequence64",
                summary: "The last one that was received; it goes on after that.",
            },
        ],
        body: None,
        reply: (200, "EventStream"),
    },
    Route {
        method: Method::Get,
        path: "/v1/ledger",
        access: Access::Roles(HISTORIANS),
        answer: Answer::Work(ledger::show),
        name: "showLedger",
        summary: "The last event and the last checkpoints, at most 100 of them; each is an event, too.",
        parameters: NONE,
        body: None,
        reply: (200, "Ledger"),
    },
    Route {
        method: Method::Post,
        path: "/v1/ledger/verify",
        access: Access::Roles(HISTORIANS),
        answer: Answer::Audit(ledger::verify),
        name: "verifyLedger",
        summary: "Reads all of the ledger, and says where it differs from its history.",
        parameters: NONE,
        body: None,
        reply: (200, "Verified"),
    },
    Route {
        method: Method::Post,
        path: "/v1/ledger/checkpoint",
        access: Access::Roles(OPERATOR),
        answer: Answer::Work(ledger::checkpoint),
        name: "checkpointLedger",
        summary: "Signs how long the history is, and its last hash.",
        parameters: NONE,
        body: None,
        reply: (201, "Checkpoint"),
    },
    Route {
        method: Method::Get,
        path: "/metrics",
        access: Access::Roles(HISTORIANS),
        answer: Answer::Work(health::metrics),
        name: "metrics",
        summary: "Counts and times for Prometheus.",
        parameters: NONE,
        body: None,
        reply: (200, "Metrics"),
    },
    Route {
        method: Method::Get,
        path: "/healthz",
        access: Access::Anybody,
        answer: Answer::Now(health::live),
        name: "health",
        summary: "Whether the process answers.",
        parameters: NONE,
        body: None,
        reply: (200, "Health"),
    },
    Route {
        method: Method::Get,
        path: "/readyz",
        access: Access::Anybody,
        answer: Answer::Work(health::ready),
        name: "readiness",
        summary: "Whether the ledger can be read and written.",
        parameters: NONE,
        body: None,
        reply: (200, "Health"),
    },
    Route {
        method: Method::Get,
        path: "/openapi.json",
        access: Access::Anybody,
        answer: Answer::Now(openapi::answer),
        name: "openapi",
        summary: "This document.",
        parameters: NONE,
        body: None,
        reply: (200, "Document"),
    },
];
