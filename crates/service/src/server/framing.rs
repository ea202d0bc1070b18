use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::{CONNECTION, CONTENT_LENGTH, TRANSFER_ENCODING};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use hyper::body::{Frame, SizeHint};
use swampbox_material::Code;

use super::linger::Unread;
use crate::api::Problem;

/// Lets nobody between client and service see another end of a request than the service does, and tells
/// the client whenever the connection takes no other request.
///
/// | request | connection |
/// | --- | --- |
/// | with both a `Transfer-Encoding` and a `Content-Length`, if both are seen | the request is refused, and it is the last |
/// | with a `Transfer-Encoding` | it is the last: the reader of HTTP leaves a `Content-Length` out that comes after it |
/// | answered before all of its body was read | it is the last: where the next one would begin is not known yet |
pub(super) async fn checked(request: Request, next: Next) -> Response {
    let headers = request.headers();
    let chunked = headers.contains_key(TRANSFER_ENCODING);
    let both = chunked && headers.contains_key(CONTENT_LENGTH);
    let unread = request.extensions().get::<Unread>().cloned();
    let (head, body) = request.into_parts();
    let read = Arc::new(AtomicBool::new(body.is_end_stream()));
    let mut response = if both {
        let message = "the request has both a `Transfer-Encoding` and a `Content-Length`";
        Problem::new(Code::InvalidArguments, message).into_response()
    } else {
        let body = Body::new(Watched { body, read: read.clone() });
        next.run(Request::from_parts(head, body)).await
    };
    let whole = read.load(Ordering::SeqCst);
    if let Some(unread) = unread.filter(|_| !whole) {
        unread.set();
    }
    if chunked || !whole {
        response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

/// A body that notes when all of it was read.
struct Watched {
    body: Body,
    read: Arc<AtomicBool>,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        if frame.is_none() || self.body.is_end_stream() {
            self.read.store(true, Ordering::SeqCst);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
