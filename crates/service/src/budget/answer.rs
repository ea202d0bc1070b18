use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes, HttpBody};
use axum::response::Response;
use hyper::body::{Frame, SizeHint};

use super::{Held, Share};

/// The longest part of an answer that is handed on at once. The rest is asked for when that was written, so
/// what the connection keeps besides has a bound.
const PART: usize = 64 << 10;

impl Share {
    /// An answer that is among the bytes in flight until the last of it was written, or the connection is
    /// gone. `room` is what was taken for it. Of a stream each part is counted when it comes.
    pub(crate) fn counting(&self, mut room: Held, answer: Response) -> Response {
        let whole = answer.body().size_hint().exact();
        let room = whole.map(|length| {
            self.settle(&mut room, usize::try_from(length).unwrap_or(usize::MAX));
            room
        });
        let share = self.clone();
        answer.map(|body| Body::new(Counted { body, share, room, part: Bytes::new() }))
    }
}

/// A body whose bytes are held.
struct Counted {
    body: Body,
    share: Share,
    /// What stands for all of it, until it has come.
    room: Option<Held>,
    /// What was not handed on yet.
    part: Bytes,
}

/// Bytes with what they take of the budget, which is free when the last of them is.
struct Owned {
    bytes: Bytes,
    _held: Held,
}

impl AsRef<[u8]> for Owned {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.part.is_empty() {
            let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
            let bytes = match frame.map(|frame| frame.map(Frame::into_data)) {
                None => return Poll::Ready(None),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                Some(Ok(Err(trailers))) => return Poll::Ready(Some(Ok(trailers))),
                Some(Ok(Ok(bytes))) => bytes,
            };
            let held = self.room.take().unwrap_or_else(|| {
                let mut held = Held::default();
                self.share.settle(&mut held, bytes.len());
                held
            });
            self.part = Bytes::from_owner(Owned { bytes, _held: held });
        }
        let length = self.part.len().min(PART);
        Poll::Ready(Some(Ok(Frame::data(self.part.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.part.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let part = self.part.len() as u64;
        let rest = self.body.size_hint();
        let mut hint = SizeHint::new();
        hint.set_lower(rest.lower().saturating_add(part));
        if let Some(upper) = rest.upper() {
            hint.set_upper(upper.saturating_add(part));
        }
        hint
    }
}
