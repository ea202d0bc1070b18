//! Reads the ledger's new events once, and hands them to everybody.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use axum::body::Bytes;
use swampbox_custody::ConsequenceId;
use swampbox_ledger::{Event, EventFilter};
use swampbox_material::json::Json;
use tokio::sync::{Notify, Semaphore, broadcast};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::api::{App, fill_events};

/// How long it takes at the most until events are seen that another process added.
const LOOK: Duration = Duration::from_millis(100);

/// How many events are read at once.
const PAGE: usize = 500;

/// How many frames are kept for those who listen. Who falls further behind reads the ledger.
const FRAMES: usize = 1_024;

/// The longest frame that is kept for those who listen. A longer one each of them reads in the ledger,
/// so that what is kept has a bound.
const LONGEST: usize = 16 << 10;

/// Hands events on.
#[derive(Debug)]
pub(crate) struct Pump {
    nudged: Notify,
    frames: broadcast::Sender<Frame>,
    seen: AtomicU64,
    watched: Mutex<HashMap<ConsequenceId, Watched>>,
    pub(super) streams: Arc<Semaphore>,
    streams_in_all: usize,
}

/// An event for those who listen.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) sequence: u64,
    /// None if it is too long to be kept.
    pub(super) text: Option<Bytes>,
}

#[derive(Debug, Default)]
struct Watched {
    by: usize,
    changed: Arc<Notify>,
}

impl Pump {
    pub(crate) fn new(streams: usize) -> Self {
        Self {
            nudged: Notify::new(),
            frames: broadcast::channel(FRAMES).0,
            seen: AtomicU64::new(0),
            watched: Mutex::default(),
            streams: Arc::new(Semaphore::new(streams)),
            streams_in_all: streams,
        }
    }

    /// Something may have been added.
    pub(crate) fn nudge(&self) {
        self.nudged.notify_one();
    }

    /// The last event that was handed on.
    pub(crate) fn seen(&self) -> u64 {
        self.seen.load(Ordering::Relaxed)
    }

    /// How many streams are open.
    pub(crate) fn open_streams(&self) -> usize {
        self.streams_in_all - self.streams.available_permits()
    }

    /// Waits for changes of one consequence, from now on.
    pub(crate) fn watch(&self, consequence: &ConsequenceId) -> Watch<'_> {
        let mut all = self.watched();
        let watched = all.entry(consequence.clone()).or_default();
        watched.by += 1;
        let changed = watched.changed.clone();
        Watch { pump: self, consequence: consequence.clone(), changed }
    }

    pub(super) fn listen(&self) -> broadcast::Receiver<Frame> {
        self.frames.subscribe()
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<ConsequenceId, Watched>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn hand_on(&self, event: &Event) {
        if self.frames.receiver_count() > 0 {
            let text = frame(event);
            let text = (text.len() <= LONGEST).then_some(text);
            // Nobody listening any more is no failure.
            drop(self.frames.send(Frame { sequence: event.sequence, text }));
        }
        let watched = self.watched();
        if !watched.is_empty()
            && let Some(watched) = about(event).and_then(|about| watched.get(&about))
        {
            watched.changed.notify_waiters();
            watched.changed.notify_one();
        }
    }
}

/// Waits for changes of one consequence.
pub(crate) struct Watch<'p> {
    pump: &'p Pump,
    consequence: ConsequenceId,
    changed: Arc<Notify>,
}

impl Watch<'_> {
    pub(crate) async fn changed(&self) {
        self.changed.notified().await;
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let mut all = self.pump.watched();
        if let Some(watched) = all.get_mut(&self.consequence) {
            watched.by -= 1;
            if watched.by == 0 {
                all.remove(&self.consequence);
            }
        }
    }
}

/// An event as a frame of a stream.
pub(super) fn frame(event: &Event) -> Bytes {
    let Event { sequence, kind, .. } = event;
    format!("id: {sequence}\nevent: {kind}\ndata: {}\n\n", event.to_document()).into()
}

/// The consequence that an event is about.
fn about(event: &Event) -> Option<ConsequenceId> {
    let body = Json::read(event.body.as_bytes()).ok()?;
    body.as_object()?.get("consequence_id")?.as_str()?.parse().ok()
}

/// Hands on what comes, until nobody holds the service any more.
pub(crate) async fn run(app: Weak<App>, mut from: u64) {
    loop {
        let Some(at_work) = app.upgrade() else { return };
        let look = at_work.clone();
        let filter = EventFilter { from, limit: PAGE, ..EventFilter::default() };
        let read = spawn_blocking(move || fill_events(&look, &filter)).await;
        // A ledger that can't be read now may be later.
        let (events, more) = read.ok().and_then(Result::ok).unwrap_or_default();
        for event in &events {
            at_work.pump.hand_on(event);
            at_work.pump.seen.store(event.sequence, Ordering::Relaxed);
            from = event.sequence + 1;
        }
        if !more {
            drop(timeout(LOOK, at_work.pump.nudged.notified()).await);
        }
    }
}
