//! Reads the ledger's new events once, and hands them to everybody.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use axum::body::Bytes;
use swampbox_custody::ConsequenceId;
use swampbox_ledger::{Event, EventFilter};
use swampbox_material::json::Json;
use tokio::sync::{Notify, Semaphore, broadcast};
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::api::{App, PAGE_BYTES, Problem};

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

impl Watched {
    fn tell(&self) {
        self.changed.notify_waiters();
        // Whoever is about to wait hears of it too.
        self.changed.notify_one();
    }
}

impl Pump {
    pub(crate) fn new(streams: usize) -> Self {
        Self {
            nudged: Notify::new(),
            frames: broadcast::channel(FRAMES).0,
            watched: Mutex::default(),
            streams: Arc::new(Semaphore::new(streams)),
            streams_in_all: streams,
        }
    }

    /// Something may have been added, for those who listen to hear.
    pub(crate) fn nudge(&self) {
        if self.is_heard() {
            self.nudged.notify_one();
        }
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
        drop(all);
        self.nudge();
        Watch { pump: self, consequence: consequence.clone(), changed }
    }

    pub(super) fn listen(&self) -> broadcast::Receiver<Frame> {
        let frames = self.frames.subscribe();
        self.nudge();
        frames
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<ConsequenceId, Watched>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether anybody listens to events, or waits for a change.
    fn is_heard(&self) -> bool {
        self.frames.receiver_count() > 0 || !self.watched().is_empty()
    }

    /// Hands on what was read, and gives the event that comes next.
    fn hand_on(&self, read: Read) -> u64 {
        if let Some(sequence) = read.skipped {
            drop(self.frames.send(Frame { sequence, text: None }));
            self.watched().values().for_each(Watched::tell);
        }
        for event in &read.events {
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
                watched.tell();
            }
        }
        read.next
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

/// Hands on what comes, until nobody holds the service any more. While nobody listens, nothing is read.
pub(crate) async fn run(app: Weak<App>) {
    let mut next = None;
    loop {
        let Some(at_work) = app.upgrade() else { return };
        let mut more = false;
        if at_work.pump.is_heard() {
            let look = at_work.clone();
            let read = spawn_blocking(move || read(&look, next)).await;
            // A ledger that can't be read now may be later.
            if let Ok(Ok(read)) = read {
                more = read.more;
                next = Some(at_work.pump.hand_on(read));
            }
        } else {
            next = None;
        }
        if !more {
            drop(timeout(LOOK, at_work.pump.nudged.notified()).await);
        }
    }
}

/// What was read for those who listen.
struct Read {
    events: Vec<Event>,
    /// How far the ledger goes, if it was not read from where it was left.
    skipped: Option<u64>,
    /// The event that comes next.
    next: u64,
    more: bool,
}

/// Reads on from the event `next`. If it is not known, everybody hears how far the ledger goes, and
/// reads there what they lack.
fn read(app: &App, next: Option<u64>) -> Result<Read, Problem> {
    let Some(from) = next else {
        let last = app.parts.ledger.history().last_event()?.map_or(0, |last| last.sequence);
        let skipped = Some(last);
        return Ok(Read { events: Vec::new(), skipped, next: last + 1, more: false });
    };
    let filter = EventFilter { from, limit: PAGE, bytes: PAGE_BYTES, ..EventFilter::default() };
    let page = app.parts.ledger.history().page_of_events(&filter)?;
    let next = page.items.last().map_or(from, |last| last.sequence + 1);
    Ok(Read { events: page.items, skipped: None, next, more: page.more })
}
