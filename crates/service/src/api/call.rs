//! A request that was read, and what is answered.

use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use swampbox_custody::{ExecutionId, InvalidIdentifier, Principal};
use swampbox_material::json::{Fields, Json};
use swampbox_material::{Code, Path, Shown};

use super::Problem;
use crate::principal::{Holder, Role};

/// Who asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Caller {
    /// Whoever it is; only what is open to all is done for them.
    Anybody,
    /// One with an API key.
    Key(Holder),
    /// One with the token of an execution.
    Execution {
        /// The execution as which they act.
        id: ExecutionId,
        /// Who made it.
        principal: Principal,
    },
}

impl Caller {
    pub(crate) fn has(&self, role: Role) -> bool {
        matches!(self, Caller::Key(holder) if holder.has(role))
    }

    /// The execution as which they act.
    ///
    /// # Errors
    ///
    /// `forbidden` for everybody else.
    pub(crate) fn execution(&self) -> Result<&ExecutionId, Problem> {
        match self {
            Caller::Execution { id, .. } => Ok(id),
            _ => Err(Problem::new(Code::Forbidden, "this takes the token of an execution")),
        }
    }

    /// In whose name they act.
    ///
    /// # Errors
    ///
    /// `unauthenticated` for one without a credential.
    pub(crate) fn principal(&self) -> Result<&Principal, Problem> {
        match self {
            Caller::Key(Holder { name, .. }) | Caller::Execution { principal: name, .. } => {
                Ok(name)
            }
            Caller::Anybody => Err(Problem::new(Code::Unauthenticated, "this takes a credential")),
        }
    }

    /// The caller in a line of the log.
    pub(crate) fn named(&self) -> &str {
        match self {
            Caller::Anybody => "-",
            Caller::Key(holder) => holder.name.as_str(),
            Caller::Execution { principal, .. } => principal.as_str(),
        }
    }
}

/// A request, read and allowed.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) caller: Caller,
    /// What stands in the place of `{…}` in the route, in its order.
    pub(crate) places: Vec<String>,
    /// The query, as it came.
    pub(crate) query: String,
    /// The header `Idempotency-Key`, if it was sent.
    pub(crate) idempotency_key: Option<String>,
    /// The body, if there is one.
    pub(crate) body: Option<Json>,
}

impl Call {
    /// The id that stands in the path.
    pub(crate) fn id<T>(&self) -> Result<T, Problem>
    where
        T: for<'t> TryFrom<&'t str, Error = InvalidIdentifier>,
    {
        let text = self.places.first().map_or("", String::as_str);
        Ok(T::try_from(text)?)
    }

    /// The fields of the body. Without a body, there are none.
    pub(crate) fn fields(&self) -> Result<Fields<'_>, Problem> {
        Ok(Fields::of(self.body.as_ref().unwrap_or_else(|| empty()), &Path::root())?)
    }
}

fn empty() -> &'static Json {
    use std::sync::OnceLock;
    static EMPTY: OnceLock<Json> = OnceLock::new();
    EMPTY.get_or_init(|| Json::object::<Arc<str>>([]))
}

/// What is answered to a request that is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    status: StatusCode,
    content: Content,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Content {
    Document(Json),
    Text(&'static str, String),
}

impl Reply {
    pub(crate) fn ok(document: Json) -> Self {
        Self { status: StatusCode::OK, content: Content::Document(document) }
    }

    pub(crate) fn created(document: Json) -> Self {
        Self { status: StatusCode::CREATED, content: Content::Document(document) }
    }

    pub(crate) fn text(content_type: &'static str, text: String) -> Self {
        Self { status: StatusCode::OK, content: Content::Text(content_type, text) }
    }

    /// What is wrong with the service itself is a document all the same.
    pub(crate) fn unready(document: Json) -> Self {
        Self { status: StatusCode::SERVICE_UNAVAILABLE, content: Content::Document(document) }
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        let (content_type, text) = match self.content {
            Content::Document(document) => ("application/json", format!("{document}\n")),
            Content::Text(content_type, text) => (content_type, text),
        };
        let mut response = Response::new(Body::from(in_its_length(text)));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }
}

/// A text that is kept until somebody has read it, and so takes no more than it is long: what it grew to
/// while it was written may be twice that.
pub(crate) fn in_its_length(mut text: String) -> String {
    text.shrink_to_fit();
    text
}

/// Text of somebody else's in a message.
pub(crate) fn quoted(text: &str) -> String {
    Shown::brief(text).to_string()
}
