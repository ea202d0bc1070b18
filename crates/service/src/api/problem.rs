use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use swampbox_actuators::Inadmissible;
use swampbox_authority::ClockError;
use swampbox_custody::{CustodyError, InvalidIdentifier, StoreFailure};
use swampbox_ledger::{LedgerError, ResolutionError};
use swampbox_material::json::Json;
use swampbox_material::{Code, MaterialError};
use swampbox_policy::approvals::{ApprovalError, InvalidDigest};

use crate::NoEffect;

/// Why a request is not done, as a problem document (RFC 9457).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) code: Code,
    pub(crate) message: String,
}

impl Problem {
    pub(crate) fn new(code: Code, message: impl ToString) -> Self {
        Self { code, message: message.to_string() }
    }

    pub(crate) fn status(&self) -> StatusCode {
        status_of(self.code)
    }

    pub(crate) fn to_document(&self) -> Json {
        let code = self.code.as_str();
        Json::object([
            ("type", Json::from(format!("urn:swampbox:{code}").as_str())),
            ("title", Json::from(self.code.meaning())),
            ("status", Json::from(u64::from(self.status().as_u16()))),
            ("code", Json::from(code)),
            ("detail", Json::from(self.message.as_str())),
            ("remedy", Json::from(self.code.remedy())),
        ])
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(format!("{}\n", self.to_document())));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        match self.status() {
            StatusCode::UNAUTHORIZED => {
                headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS => {
                headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
        response
    }
}

/// The status of HTTP that says most nearly what a code does.
fn status_of(code: Code) -> StatusCode {
    match code {
        Code::InvalidJson
        | Code::DuplicateKey
        | Code::DepthExceeded
        | Code::NonFiniteNumber
        | Code::UnsupportedValue
        | Code::InvalidDocument
        | Code::InvalidIdentifier
        | Code::InvalidArguments
        | Code::BallotInvalid => StatusCode::BAD_REQUEST,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::Forbidden
        | Code::ApproverNotEligible
        | Code::ApproverIsProposer
        | Code::NotRequester => StatusCode::FORBIDDEN,
        Code::RouteNotFound
        | Code::NotVisible
        | Code::ConsequenceNotFound
        | Code::ParentNotFound
        | Code::ExecutionNotRegistered
        | Code::RequestNotFound => StatusCode::NOT_FOUND,
        Code::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        Code::RequestTimeout => StatusCode::REQUEST_TIMEOUT,
        Code::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        Code::PayloadSchema | Code::NoActuator => StatusCode::UNPROCESSABLE_ENTITY,
        Code::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        Code::Overloaded
        | Code::StoreUnavailable
        | Code::ClockInvalid
        | Code::AuthorityUnavailable => StatusCode::SERVICE_UNAVAILABLE,
        // What the rules of custody refuse: the request is good, and things are not as it takes them
        // to be.
        _ => StatusCode::CONFLICT,
    }
}

macro_rules! problem_from {
    ($($error:ty),*) => {$(
        impl From<$error> for Problem {
            fn from(error: $error) -> Self {
                Self::new(error.code(), error)
            }
        }
    )*};
}

problem_from!(
    ApprovalError,
    ClockError,
    CustodyError,
    Inadmissible,
    InvalidDigest,
    InvalidIdentifier,
    LedgerError,
    MaterialError,
    NoEffect,
    ResolutionError,
    StoreFailure
);
