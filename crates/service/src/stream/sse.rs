//! One stream of events.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use futures_util::stream::unfold;
use swampbox_ledger::EventFilter;
use swampbox_material::Code;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use super::pump::{Frame, frame};
use crate::api::{App, Call, Problem, Query, number};
use crate::budget::{Held, Share};

/// How often something is sent if nothing happens, so that both ends find out when the other is gone.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// How many events are read at once by one who is behind.
const PAGE: usize = 100;

/// How many bytes of events are read at once by one who is behind, but for the last of them. There may be
/// thousands of those, and each keeps what it has read until it was sent.
const PAGE_BYTES: usize = 64 << 10;

/// Answers with the events from one on: each once, in order, without a gap.
pub(crate) async fn answer(
    app: &Arc<App>,
    call: &Call,
    headers: &HeaderMap,
    share: Share,
) -> Result<Response, Problem> {
    let Ok(place) = app.pump.streams.clone().try_acquire_owned() else {
        let message = "as many streams as the service takes are open";
        return Err(Problem::new(Code::Overloaded, message));
    };
    let from = match first(call, headers)? {
        Some(first) => first,
        None => app
            .work(|app| Ok(app.parts.ledger.history().last_event()?))
            .await?
            .map_or(1, |last| last.sequence + 1),
    };
    let listener = Listener {
        frames: app.pump.listen(),
        app: app.clone(),
        next: from,
        // What is there already is read first; whatever comes meanwhile waits.
        behind: true,
        read: VecDeque::new(),
        share,
        room: Held::default(),
        _place: place,
    };
    let stream = unfold(listener, |mut listener| async move {
        let bytes = listener.next().await?;
        Some((Ok::<_, Infallible>(bytes), listener))
    });
    let mut response = Response::new(Body::from_stream(stream));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

/// The first event that is wanted; none for the next that comes.
fn first(call: &Call, headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let mut query = Query::of(&call.query)?;
    let from = query.number("from", "a number that is counted from zero")?;
    query.finish()?;
    let Some(last) = headers.get("last-event-id") else { return Ok(from) };
    let last = last.to_str().ok().and_then(number::<u64>);
    let invalid = || {
        let message = "the header `Last-Event-ID` has to be the number of an event";
        Problem::new(Code::InvalidArguments, message)
    };
    Ok(Some(last.ok_or_else(invalid)?.saturating_add(1)))
}

struct Listener {
    app: Arc<App>,
    frames: Receiver<Frame>,
    /// The event that comes next.
    next: u64,
    /// Whether the next one may be in the ledger already, and has not been handed on to us.
    behind: bool,
    read: VecDeque<(u64, Bytes)>,
    share: Share,
    /// What those take of the bytes in flight.
    room: Held,
    _place: OwnedSemaphorePermit,
}

impl Listener {
    /// What is to be sent next; none at the end.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some((sequence, text)) = self.read.pop_front() {
                self.next = sequence + 1;
                return Some(text);
            }
            self.room = Held::default();
            if self.behind {
                self.read_on().await?;
                continue;
            }
            let app = self.app.clone();
            let came = tokio::select! {
                came = self.frames.recv() => came,
                () = tokio::time::sleep(HEARTBEAT) => return Some(Bytes::from_static(b":\n\n")),
                () = app.stop.wait() => return None,
            };
            match came {
                Ok(frame) if frame.sequence < self.next => {}
                Ok(Frame { sequence, text: Some(text) }) if sequence == self.next => {
                    self.next += 1;
                    return Some(text);
                }
                // It is too long to be kept, or something came in between.
                Ok(_) | Err(RecvError::Lagged(_)) => self.behind = true,
                Err(RecvError::Closed) => return None,
            }
        }
    }

    /// Reads in the ledger what comes next. A ledger that can't be read ends the stream; whoever
    /// listens comes again, and says where it stopped.
    async fn read_on(&mut self) -> Option<()> {
        let app = self.app.clone();
        self.room = tokio::select! {
            room = self.share.room_whenever(PAGE_BYTES) => room,
            () = app.stop.wait() => return None,
        };
        let filter = EventFilter {
            from: self.next,
            limit: PAGE,
            bytes: PAGE_BYTES,
            ..EventFilter::default()
        };
        let look = move |app: &App| Ok(app.parts.ledger.history().page_of_events(&filter)?);
        let page = self.app.work(look).await.ok()?;
        self.behind = page.more;
        let length: usize = page.items.iter().map(|event| event.body.len()).sum();
        self.share.settle(&mut self.room, length);
        self.read.extend(page.items.iter().map(|event| (event.sequence, frame(event))));
        Some(())
    }
}
