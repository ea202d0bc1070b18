//! Deciding through a service.

use swampbox_authority::Verdict;
use swampbox_custody::ConsequenceId;
use swampbox_material::json::{Fields, Json};
use swampbox_material::{Code, Material, MaterialError, Path, Problem};
use swampbox_policy::approvals::{Digest, Request};

use super::link::Link;
use super::{Desk, Queue, Sheet};
use crate::arguments::LinkArguments;
use crate::failure::{Exit, Failure};
use crate::output::Output;

/// Whoever the service knows by the key.
///
/// What is shown is made of the request's document, and its digest is computed here: a service that
/// shows one thing and has another decided is found out.
pub(super) struct ServiceDesk {
    link: Link,
}

impl ServiceDesk {
    pub(super) fn at(url: &str, arguments: &LinkArguments) -> Result<Self, Failure> {
        Ok(Self { link: Link::to(url, arguments)? })
    }
}

impl Desk for ServiceDesk {
    fn waiting(&self, after: u64) -> Result<Queue, Failure> {
        let page = self.link.get(&format!("/v1/approvals?after={after}"))?;
        read(&page, queue)
    }

    fn sheet(&self, consequence: &ConsequenceId) -> Result<Sheet, Failure> {
        let found = self.link.get(&path(consequence, ""))?;
        let sheet = read(&found, sheet)?;
        about(consequence, sheet.request).map(|request| Sheet { request, ..sheet })
    }

    fn cast(
        &self,
        consequence: &ConsequenceId,
        shown: &Digest,
        verdict: Verdict,
        reason: &str,
        seconds: u64,
    ) -> Result<Request, Failure> {
        let vote = Json::object([
            ("digest", Json::from(shown.to_string().as_str())),
            ("verdict", Json::from(verdict.as_str())),
            ("reason", Json::from(reason)),
            ("window_seconds", Json::from(seconds)),
        ]);
        let request = self.link.post(&path(consequence, "/decision"), Some(&vote))?;
        about(consequence, read(&request, Request::from_document)?)
    }

    fn longest_window(&self, consequence: &ConsequenceId) -> Result<u64, Failure> {
        self.sheet(consequence).map(|sheet| sheet.longest_window)
    }

    fn withdraw(&self, consequence: &ConsequenceId) -> Result<Request, Failure> {
        let request = self.link.post(&path(consequence, "/withdraw"), None)?;
        about(consequence, read(&request, Request::from_document)?)
    }

    fn release(&self, _: &Request, _: bool, _: &mut Output) -> Result<Exit, Failure> {
        let message = "through a service its custodian alone releases it";
        Err(Failure::plain(Code::InvalidArguments, message))
    }
}

fn queue(document: &Json) -> Result<Queue, MaterialError> {
    let mut fields = Fields::of(document, &Path::root())?;
    let list = |found: &Json| match found {
        Json::List(items) => items.clone(),
        _ => Vec::new(),
    };
    let (mut requests, mut malformed) = (Vec::new(), Vec::new());
    for request in list(fields.required("requests")?) {
        match Request::from_document(&request) {
            Ok(request) => requests.push(request),
            Err(error) => malformed.push(format!("{}: {error}", error.code())),
        }
    }
    let told = list(fields.required("malformed")?);
    malformed.extend(told.iter().filter_map(Json::as_str).map(str::to_owned));
    let next = match fields.required("next")? {
        Json::Number(number) => number.as_str().parse().ok(),
        _ => None,
    };
    Ok(Queue { requests, malformed, next })
}

fn sheet(document: &Json) -> Result<Sheet, MaterialError> {
    let mut fields = Fields::of(document, &Path::root())?;
    let parent = match fields.required("parent")? {
        Json::Null => None,
        parent => Some(Material::from_document(parent, &Path::root().key("parent"))?),
    };
    Ok(Sheet {
        request: Request::from_document(fields.required("request")?)?,
        parent,
        will: fields.string("if_allowed")?.to_string(),
        longest_window: seconds(&mut fields, "longest_window_seconds")?,
        proposed_by: fields.required("proposed_by")?.as_str().map(str::to_owned),
    })
}

/// A field that is a number of whole seconds.
fn seconds(fields: &mut Fields<'_>, name: &'static str) -> Result<u64, MaterialError> {
    let seconds = match fields.required(name)? {
        Json::Number(number) => number.as_str().parse().ok(),
        _ => None,
    };
    seconds.ok_or_else(|| {
        let problem = "a number of whole seconds was expected".to_owned();
        MaterialError::new(Problem::InvalidDocument(problem), fields.path().key(name))
    })
}

/// What a document of the service says. One that is not well formed comes from something else.
fn read<T>(
    document: &Json,
    reader: impl Fn(&Json) -> Result<T, MaterialError>,
) -> Result<T, Failure> {
    reader(document).map_err(|error| {
        Failure::plain(Code::ServiceUnreachable, format!("what was answered is none: {error}"))
    })
}

/// The request, if it is about what was asked for.
fn about(consequence: &ConsequenceId, request: Request) -> Result<Request, Failure> {
    if request.question().consequence_id == *consequence {
        return Ok(request);
    }
    let message = "the answer is about another consequence than was asked for";
    Err(Failure::plain(Code::ServiceUnreachable, message))
}

/// Where a request is. Whatever could mean something in a path is escaped.
fn path(consequence: &ConsequenceId, rest: &str) -> String {
    let mut path = "/v1/approvals/".to_owned();
    for byte in consequence.as_str().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' => path.push(char::from(byte)),
            other => path.push_str(&format!("%{other:02X}")),
        }
    }
    path + rest
}
