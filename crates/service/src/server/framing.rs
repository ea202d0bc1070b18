use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::{CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use swampbox_material::Code;

use crate::api::Problem;

/// Lets nobody between client and service see another end of a request than the service does.
///
/// A request with both a `Transfer-Encoding` and a `Content-Length` is refused, if both are seen. The
/// reader of HTTP leaves the second out where it comes after the first, so any request with the first
/// is the last one of its connection: what follows it is never read as another one.
pub(super) async fn checked(request: Request, next: Next) -> Response {
    let headers = request.headers();
    let chunked = headers.contains_key(TRANSFER_ENCODING);
    let mut response = if chunked && headers.contains_key(CONTENT_LENGTH) {
        let message = "the request has both a `Transfer-Encoding` and a `Content-Length`";
        Problem::new(Code::InvalidArguments, message).into_response()
    } else {
        next.run(request).await
    };
    if chunked {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}
