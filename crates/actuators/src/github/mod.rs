//! Creates issues and comments on GitHub.

mod address;
mod answer;
mod listing;
mod wanted;

use std::time::Duration;

use swampbox_boundary::{Actuator, ActuatorFailure, ActuatorReport, Admission, Observation};
use swampbox_material::{Material, MaterialError};
use ureq::http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, USER_AGENT};
use ureq::http::{HeaderName, HeaderValue, Method, Request, StatusCode, Uri};

pub use address::{GitHubApi, InvalidGitHubApi};
use listing::Seen;
use wanted::{Wanted, What};

use crate::http::exchange::{self, Answer, Body, Failure, Timeouts};
use crate::http::outbound::Outbound;
use crate::http::reach::Reach;
use crate::outlook::outlook;
use crate::{Declaration, Declared, Secret};

/// Creates one issue or one comment for each admission, over the REST API: one request, over a
/// connection of its own, with no redirect followed and nothing sent again.
///
/// # Material
///
/// The target is `owner/repository`. The payload is a mapping of these fields and no others:
///
/// | consequence type | field | value |
/// | --- | --- | --- |
/// | [`github.issue`](Self::ISSUE) | `title` | 1 to 256 characters, without control characters and outer white space |
/// | | `body` | optional: at most 65,536 characters; of control characters only line feeds and tabs |
/// | | `labels` | optional: at most 100 of 1 to 50 characters, as a title |
/// | [`github.comment`](Self::COMMENT) | `issue` | the number of an issue or a pull request, from 1 to 2,147,483,647 |
/// | | `body` | as an issue's, and not blank |
///
/// The token is the operator's. It goes into the header `authorization` of the request to the
/// configured [`GitHubApi`] and nowhere else.
///
/// # Outcome
///
/// | what happened | outcome |
/// | --- | --- |
/// | the material is not as above; the host has no address; nobody accepts the connection; TLS can't be agreed on; the time is over before all that is done | DEFINITE_NOT_EXECUTED |
/// | 201, with a whole JSON object that has an id, and names the repository and a number, or the issue that was commented on | SUCCEEDED |
/// | 201 with anything else, or with a body that breaks off or has more than 1 MiB | UNCERTAIN |
/// | 400, 401, 403, 404, 410, 422 or 429, by which GitHub says that nothing was created, whatever the body | DEFINITE_NOT_EXECUTED |
/// | any other status | UNCERTAIN |
/// | any other failure, or a timeout, after the first byte of the request may have left | UNCERTAIN |
///
/// The detail of a report names the API and what was created. It never holds the token, and nothing
/// of the payload but the number of the issue that is commented on.
///
/// # Observation
///
/// All issues of the repository, open and closed, newest first, or all comments of the issue, are
/// read in pages of 100 until one is empty. Pull requests are passed over. One with exactly this title
/// and body, or exactly this body, is *present*, though somebody else may have written it; where
/// none is, it is *absent*, unless somebody deleted another meanwhile. After 100 pages, or whenever an answer is not a page as expected, it is
/// *unknown*.
#[derive(Clone, Debug)]
pub struct GitHubActuator {
    api: GitHubApi,
    token: Secret,
    timeouts: Timeouts,
}

/// How much of the answer to a creation is read: several times what it may hold.
const MAX_CREATED_BYTES: u64 = 1 << 20;

/// How much of a page is read: a hundred bodies of 65,536 characters, escaped, are less.
const MAX_PAGE_BYTES: u64 = 48 << 20;

const MAX_PAGES: usize = 100;

/// The operator has named the API, and the one who proposes can't.
const REACH: Reach = Reach::Anywhere;

impl GitHubActuator {
    /// The type of a consequence that creates an issue.
    pub const ISSUE: &str = "github.issue";

    /// The JSON Schema (draft 2020-12) of the payload of [`Self::ISSUE`].
    pub const ISSUE_PAYLOAD_SCHEMA: &str = include_str!("issue.schema.json");

    /// The type of a consequence that comments on an issue or a pull request.
    pub const COMMENT: &str = "github.comment";

    /// The JSON Schema (draft 2020-12) of the payload of [`Self::COMMENT`].
    pub const COMMENT_PAYLOAD_SCHEMA: &str = include_str!("comment.schema.json");

    /// An actuator that acts as the owner of `token` at `api`, with the default timeouts.
    pub fn new(api: GitHubApi, token: Secret) -> Self {
        Self { api, token, timeouts: Timeouts::default() }
    }

    /// How long looking up the host may take, and again how long connecting to it may take. 10
    /// seconds by default; from a millisecond to an hour, and what is outside counts as the nearer
    /// of the two.
    #[must_use]
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.connect = Timeouts::within_bounds(timeout);
        self
    }

    /// How long each request may take, from looking up the host to the last byte that is read. 30
    /// seconds by default; bounded as [`connect_timeout`](Self::connect_timeout) is.
    #[must_use]
    pub fn overall_timeout(mut self, timeout: Duration) -> Self {
        self.timeouts.overall = Timeouts::within_bounds(timeout);
        self
    }

    fn create(&self, wanted: &Wanted<'_>) -> ActuatorReport {
        let url = self.creates_at(wanted);
        let document = Some(wanted.document.clone().into_bytes());
        let outbound = match self.request(Method::POST, &url, document) {
            Ok(outbound) => outbound,
            Err(problem) => return ActuatorReport::definite_not_executed(problem),
        };
        match exchange::send_and_read(outbound, self.timeouts, REACH, MAX_CREATED_BYTES) {
            Ok(answer) => self.judge(wanted, answer),
            Err(Failure::NotSent(detail)) => ActuatorReport::definite_not_executed(detail),
            Err(Failure::Unknown(detail)) => ActuatorReport::uncertain(detail),
        }
    }

    /// The URL that is asked for a creation.
    fn creates_at(&self, wanted: &Wanted<'_>) -> String {
        format!("{}/{}", self.api.repository(&wanted.repository), wanted.collection())
    }

    fn judge(&self, wanted: &Wanted<'_>, answer: Answer) -> ActuatorReport {
        let said = self.said(answer.status);
        match answer.status.as_u16() {
            201 => {
                let created = match answer.body {
                    Body::Whole(body) => answer::created(&self.api, wanted, &body),
                    Body::TooLong => Err("it has more than 1 MiB"),
                    Body::Broken => Err("it breaks off"),
                };
                match created {
                    Ok(created) => ActuatorReport::succeeded(created),
                    Err(problem) => ActuatorReport::uncertain(format!(
                        "{said}, but the answer does not confirm it: {problem}"
                    )),
                }
            }
            400 | 401 | 403 | 404 | 410 | 422 | 429 => {
                ActuatorReport::definite_not_executed(format!("{said}: nothing was created"))
            }
            _ => ActuatorReport::uncertain(format!("{said}, which says nothing of a creation")),
        }
    }

    /// Reads the list in which it would stand, and gives what was seen.
    ///
    /// # Errors
    ///
    /// Why the list could not be read to its end.
    fn look(&self, wanted: &Wanted<'_>) -> Result<Observation, String> {
        let repository = self.api.repository(&wanted.repository);
        let order = match wanted.what {
            What::Issue { .. } => "state=all&sort=created&direction=desc&",
            What::Comment { .. } => "",
        };
        let mut passed = 0;
        for page in 1..=MAX_PAGES {
            let collection = wanted.collection();
            let url = format!("{repository}/{collection}?{order}per_page=100&page={page}");
            let body = self.page(&url)?;
            match listing::read(&body, &wanted.what, &repository)? {
                Seen::This(number) => return Ok(present(wanted, number)),
                Seen::Others(0) => return Ok(absent(wanted, passed)),
                Seen::Others(more) => passed += more,
            }
        }
        Err(format!("there are more than {MAX_PAGES} pages"))
    }

    fn page(&self, url: &str) -> Result<Vec<u8>, String> {
        let outbound = self.request(Method::GET, url, None)?;
        let answer = exchange::send_and_read(outbound, self.timeouts, REACH, MAX_PAGE_BYTES)
            .map_err(|(Failure::NotSent(detail) | Failure::Unknown(detail))| detail)?;
        match (answer.status, answer.body) {
            (StatusCode::OK, Body::Whole(body)) => Ok(body),
            (StatusCode::OK, Body::TooLong) => Err("a page has more than 48 MiB".into()),
            (StatusCode::OK, Body::Broken) => Err("a page breaks off".into()),
            (status, _) => Err(self.said(status)),
        }
    }

    fn request(
        &self,
        method: Method,
        url: &str,
        body: Option<Vec<u8>>,
    ) -> Result<Outbound, &'static str> {
        let mut head = Request::new(());
        *head.uri_mut() = Uri::try_from(url).map_err(|_| "the address can't be asked")?;
        *head.method_mut() = method;
        let bearer = zeroize::Zeroizing::new(format!("Bearer {}", self.token.expose()));
        let mut bearer =
            HeaderValue::from_str(&bearer).map_err(|_| "the token can't stand in a header")?;
        bearer.set_sensitive(true);
        let headers = head.headers_mut();
        headers.insert(AUTHORIZATION, bearer);
        headers.insert(ACCEPT, HeaderValue::from_static("application/vnd.github+json"));
        headers.insert(USER_AGENT, HeaderValue::from_static("swampbox"));
        headers.insert(
            HeaderName::from_static("x-github-api-version"),
            HeaderValue::from_static("2022-11-28"),
        );
        if body.is_some() {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        Ok(Outbound { origin: self.api.origin().clone(), head, body })
    }

    fn said(&self, status: StatusCode) -> String {
        let api = &self.api;
        match status.canonical_reason() {
            Some(reason) => format!("{} {reason} from {api}", status.as_str()),
            None => format!("{} from {api}", status.as_str()),
        }
    }
}

impl Actuator for GitHubActuator {
    fn actuate(&self, admission: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        Ok(match Wanted::read(admission.material()) {
            Ok(wanted) => self.create(&wanted),
            Err(error) => ActuatorReport::definite_not_executed(error.to_string()),
        })
    }

    fn observe(&self, material: &Material) -> Observation {
        let wanted = match Wanted::read(material) {
            Ok(wanted) => wanted,
            Err(error) => {
                return Observation::absent(format!("it can't have been carried out: {error}"));
            }
        };
        self.look(&wanted).unwrap_or_else(Observation::unknown)
    }

    fn name(&self) -> &str {
        "github"
    }
}

fn present(wanted: &Wanted<'_>, number: u64) -> Observation {
    let repository = &wanted.repository;
    Observation::present(match wanted.what {
        What::Issue { .. } => {
            format!("issue {number} of {repository} has exactly this title and body")
        }
        What::Comment { issue, .. } => {
            format!("comment {number} on issue {issue} of {repository} has exactly this body")
        }
    })
}

fn absent(wanted: &Wanted<'_>, passed: usize) -> Observation {
    let repository = &wanted.repository;
    Observation::absent(match wanted.what {
        What::Issue { .. } => {
            format!(
                "none of {repository}'s {passed} issues and pull requests has this title and body"
            )
        }
        What::Comment { issue, .. } => {
            format!("none of the {passed} comments on issue {issue} of {repository} has this body")
        }
    })
}

impl Declared for GitHubActuator {
    fn declarations(&self) -> Vec<Declaration> {
        let declaration =
            |consequence_type, payload_schema| Declaration { consequence_type, payload_schema };
        vec![
            declaration(Self::ISSUE, Self::ISSUE_PAYLOAD_SCHEMA),
            declaration(Self::COMMENT, Self::COMMENT_PAYLOAD_SCHEMA),
        ]
    }

    fn check(&self, material: &Material) -> Result<(), MaterialError> {
        Wanted::read(material).map(drop)
    }

    fn outlook(&self, material: &Material) -> Result<String, MaterialError> {
        let wanted = Wanted::read(material)?;
        let api = &self.api;
        let url = self.creates_at(&wanted);
        let Timeouts { connect, overall } = self.timeouts;
        let what = format!(
            "it sends one request to {url}, of the API at {api}, in the name of whoever owns the \
             configured token, over a connection of its own that takes {connect:?} at the most, \
             and {overall:?} with the answer"
        );
        Ok(outlook(self.name(), &what))
    }
}
