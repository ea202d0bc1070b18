//! Requests as documents: strictly read, and the votes in them counted again.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use swampbox_authority::Verdict;
use swampbox_custody::Principal;
use swampbox_material::json::{Fields, Json, Object};
use swampbox_material::{Material, MaterialError, Path, Problem, Shown};

use super::request::Digests;
use super::{Closed, Digest, Footing, Question, Quorum, Request, State, Void, Vote, rules};

/// The form of the documents. One of another form is refused.
const FORMAT: &str = "swampbox-approval/2";

/// The form before it, without what a request rests on.
const WITHOUT_FOOTING: &str = "swampbox-approval/1";

impl Request {
    /// The request as a document.
    pub fn to_document(&self) -> Json {
        let mut document = digested_part(self.question(), &self.digests);
        document.insert("material", self.question().material.to_document());
        document.insert(DIGEST, text(self.digest()));
        document.insert("votes", Json::List(self.votes().iter().map(vote_document).collect()));
        document.insert("state", text(self.state()));
        document.insert("closed", self.closed().map_or(Json::Null, closed_document));
        Json::Map(document)
    }

    /// What a decision on it rests on: who decided, why and when.
    pub fn basis(&self) -> Json {
        let question = self.question();
        Json::object([
            ("request_id", text(&question.id)),
            (DIGEST, text(self.digest())),
            ("quorum", number(question.quorum.needed())),
            ("votes", Json::List(self.votes().iter().map(vote_document).collect())),
        ])
    }

    /// Reads a request from its document.
    ///
    /// # Errors
    ///
    /// `invalid_document` if anything in it is missing, unknown, of the wrong type or not what the
    /// rest of it comes to: votes that can't have been counted, digests of something else, a state
    /// that the votes do not lead to.
    pub fn from_document(document: &Json) -> Result<Self, MaterialError> {
        let mut fields = Fields::of(document, &Path::root())?;
        let footing = match &**fields.string("format")? {
            FORMAT => Some(footing(&mut fields)?),
            WITHOUT_FOOTING => None,
            format => {
                let format = Shown::brief(format);
                return Err(invalid(&fields, "format", format!("{format} is not {FORMAT:?}")));
            }
        };
        let mut request = Request::new(question(&mut fields, footing)?);
        let Digests { question, material, material_bytes } = request.digests;
        let stated = fields.string("material_digest")?;
        same(&fields, "material_digest", stated, &material)?;
        let stated = fields.string(DIGEST)?;
        same(&fields, DIGEST, stated, &question)?;
        if integer(&mut fields, "material_bytes")? != material_bytes as u64 {
            return Err(invalid(&fields, "material_bytes", "the material has another length"));
        }
        for (index, vote) in list(&mut fields, "votes")?.iter().enumerate() {
            let path = fields.path().key("votes").index(index);
            let vote = read_vote(Fields::of(vote, &path)?)?;
            request = rules::count(&request, vote).map_err(|error| problem(error, path))?;
        }
        let state = fields.string("state")?;
        if let Some(closed) = read_closed(&mut fields, state, &request)? {
            request = request.with_end(closed);
        }
        same(&fields, "state", state, &request.state())?;
        fields.finish()?;
        Ok(request)
    }
}

/// Where a request and a basis hold the digest of what was decided about.
pub(super) const DIGEST: &str = "digest";

/// The digests of a question and of its material.
pub(super) fn digested(question: &Question) -> Digests {
    let material = question.material.to_document().to_string();
    let mut digests = Digests {
        question: Digest::of(""),
        material: Digest::of(&material),
        material_bytes: material.len(),
    };
    digests.question = Digest::of(&Json::Map(digested_part(question, &digests)).to_string());
    digests
}

/// What the digest of a question is taken of. It stands for the material by the digest of that.
fn digested_part(question: &Question, digests: &Digests) -> Object {
    let parent = question.parent_consequence_id.as_ref();
    let eligible = question.quorum.eligible().iter().map(text).collect();
    let format = if question.footing.is_some() { FORMAT } else { WITHOUT_FOOTING };
    let footing = question.footing.iter().flat_map(footing_part);
    [
        ("format", Json::from(format)),
        ("request_id", text(&question.id)),
        ("consequence_id", text(&question.consequence_id)),
        ("origin_execution_id", text(&question.origin_execution_id)),
        ("execution_id", text(&question.execution_id)),
        ("parent_consequence_id", parent.map_or(Json::Null, text)),
        ("material_digest", text(digests.material)),
        ("material_bytes", number(digests.material_bytes)),
        ("asked_by", text(&question.asked_by)),
        ("asked_at", text(question.asked_at)),
        ("expires_at", text(question.expires_at)),
        ("quorum", number(question.quorum.needed())),
        ("eligible", Json::List(eligible)),
    ]
    .into_iter()
    .chain(footing)
    .collect()
}

fn footing_part(footing: &Footing) -> [(&'static str, Json); 4] {
    [
        ("custody_mark", Json::from(footing.custody_mark)),
        ("proposers_may_decide", Json::Bool(footing.proposers_may_decide)),
        ("longest_window_seconds", Json::from(footing.longest_window_seconds)),
        ("carried_out_by", footing.carried_out_by.as_deref().map_or(Json::Null, Json::from)),
    ]
}

fn footing(fields: &mut Fields<'_>) -> Result<Footing, MaterialError> {
    Ok(Footing {
        custody_mark: integer(fields, "custody_mark")?,
        proposers_may_decide: match fields.required("proposers_may_decide")? {
            Json::Bool(may) => *may,
            _ => return Err(invalid(fields, "proposers_may_decide", "true or false was expected")),
        },
        longest_window_seconds: integer(fields, "longest_window_seconds")?,
        carried_out_by: match fields.required("carried_out_by")? {
            Json::Null => None,
            told => {
                let told = told.as_str().map(str::to_owned);
                Some(
                    told.ok_or_else(|| invalid(fields, "carried_out_by", "no string and no null"))?,
                )
            }
        },
    })
}

fn question(fields: &mut Fields<'_>, footing: Option<Footing>) -> Result<Question, MaterialError> {
    Ok(Question {
        id: parsed(fields, "request_id")?,
        consequence_id: parsed(fields, "consequence_id")?,
        origin_execution_id: parsed(fields, "origin_execution_id")?,
        execution_id: parsed(fields, "execution_id")?,
        parent_consequence_id: match fields.required("parent_consequence_id")? {
            Json::Null => None,
            _ => Some(parsed(fields, "parent_consequence_id")?),
        },
        material: Material::from_document(
            fields.required("material")?,
            &fields.path().key("material"),
        )?,
        asked_by: parsed(fields, "asked_by")?,
        asked_at: parsed(fields, "asked_at")?,
        expires_at: parsed(fields, "expires_at")?,
        quorum: quorum(fields)?,
        footing,
    })
}

fn quorum(fields: &mut Fields<'_>) -> Result<Quorum, MaterialError> {
    let needed = integer(fields, "quorum")?;
    let mut eligible: Vec<Principal> = Vec::new();
    for (index, name) in list(fields, "eligible")?.iter().enumerate() {
        let path = fields.path().key("eligible").index(index);
        let name = name.as_str().ok_or_else(|| problem("a string was expected", path.clone()))?;
        eligible.push(name.parse().map_err(|error| problem(error, path))?);
    }
    Quorum::new(usize::try_from(needed).unwrap_or(usize::MAX), eligible)
        .map_err(|error| invalid(fields, "quorum", error))
}

fn vote_document(vote: &Vote) -> Json {
    Json::object([
        ("approver", text(&vote.approver)),
        ("principal", text(&vote.principal)),
        ("verdict", Json::from(vote.verdict.as_str())),
        ("reason", Json::from(vote.reason.as_str())),
        ("window_seconds", Json::from(vote.window.as_secs())),
        ("at", text(vote.at)),
    ])
}

fn read_vote(mut fields: Fields<'_>) -> Result<Vote, MaterialError> {
    let verdict = Verdict::from_exact(fields.string("verdict")?);
    let vote = Vote {
        approver: parsed(&mut fields, "approver")?,
        principal: parsed(&mut fields, "principal")?,
        verdict: verdict.ok_or_else(|| invalid(&fields, "verdict", "it is no verdict"))?,
        reason: fields.string("reason")?.to_string(),
        window: Duration::from_secs(integer(&mut fields, "window_seconds")?),
        at: parsed(&mut fields, "at")?,
    };
    fields.finish()?;
    Ok(vote)
}

fn closed_document(closed: &Closed) -> Json {
    match closed {
        Closed::Used { at } | Closed::Expired { at } => Json::object([("at", text(at))]),
        Closed::Withdrawn { by, at } => Json::object([("by", text(by)), ("at", text(at))]),
        Closed::Void { because, at } => {
            Json::object([("because", Json::from(because.as_str())), ("at", text(at))])
        }
    }
}

/// Why the request is over, of which its state says what kind it is.
fn read_closed(
    fields: &mut Fields<'_>,
    state: &str,
    request: &Request,
) -> Result<Option<Closed>, MaterialError> {
    let closed = fields.required("closed")?;
    if *closed == Json::Null {
        return Ok(None);
    }
    let mut fields = Fields::of(closed, &fields.path().key("closed"))?;
    let at = parsed(&mut fields, "at")?;
    let closed = match (state, request.state()) {
        ("used", State::Allowed) => Closed::Used { at },
        ("expired", _) => Closed::Expired { at },
        ("withdrawn", State::Open | State::Allowed) => {
            Closed::Withdrawn { by: parsed(&mut fields, "by")?, at }
        }
        ("void", _) => {
            let because = Void::from_exact(fields.string("because")?);
            let unknown = || invalid(&fields, "because", "nothing makes a request void by that");
            Closed::Void { because: because.ok_or_else(unknown)?, at }
        }
        (state, voted) => {
            let state = Shown::brief(state);
            let message = format!("a request that is {voted} does not end as {state}");
            return Err(problem(message, fields.path().clone()));
        }
    };
    fields.finish()?;
    Ok(Some(closed))
}

fn text(value: impl ToString) -> Json {
    Json::from(value.to_string().as_str())
}

fn number(value: usize) -> Json {
    Json::from(value as u64)
}

fn parsed<T: FromStr<Err: Display>>(
    fields: &mut Fields<'_>,
    name: &'static str,
) -> Result<T, MaterialError> {
    fields.string(name)?.parse().map_err(|error: T::Err| invalid(fields, name, error))
}

/// Checks that a field states what the rest of the document comes to.
fn same(
    fields: &Fields<'_>,
    name: &'static str,
    stated: &str,
    found: &impl Display,
) -> Result<(), MaterialError> {
    if *stated == *found.to_string() {
        return Ok(());
    }
    let stated = Shown::brief(stated);
    Err(invalid(fields, name, format!("{stated} is not what the rest comes to, {found}")))
}

fn integer(fields: &mut Fields<'_>, name: &'static str) -> Result<u64, MaterialError> {
    let found = match fields.required(name)? {
        Json::Number(number) => number.as_str().parse().ok(),
        _ => None,
    };
    found.ok_or_else(|| invalid(fields, name, "a whole number was expected"))
}

fn list<'a>(fields: &mut Fields<'a>, name: &'static str) -> Result<&'a [Json], MaterialError> {
    match fields.required(name)? {
        Json::List(items) => Ok(items),
        other => {
            let message = format!("an array was expected, not {}", other.kind());
            Err(invalid(fields, name, message))
        }
    }
}

fn invalid(fields: &Fields<'_>, name: &'static str, message: impl ToString) -> MaterialError {
    problem(message, fields.path().key(name))
}

fn problem(message: impl ToString, path: Path) -> MaterialError {
    MaterialError::new(Problem::InvalidDocument(message.to_string()), path)
}
