use std::future::Future;

use tokio::sync::watch;

/// The connections that are open, and the end of them all.
pub(super) struct Open {
    over: watch::Sender<bool>,
}

/// One of them.
pub(super) struct Kept {
    over: watch::Receiver<bool>,
}

impl Open {
    pub(super) fn new() -> Self {
        Self { over: watch::channel(false).0 }
    }

    pub(super) fn another(&self) -> Kept {
        Kept { over: self.over.subscribe() }
    }

    pub(super) fn count(&self) -> usize {
        self.over.receiver_count()
    }

    /// Waits until none is.
    pub(super) async fn closed(&self) {
        self.over.closed().await;
    }

    /// Ends all of them, wherever they are.
    pub(super) fn end(&self) {
        self.over.send_replace(true);
    }
}

impl Kept {
    /// Does what is to be done on the connection, unless all of them end before.
    pub(super) async fn during(mut self, work: impl Future<Output = ()>) {
        tokio::select! {
            () = work => {}
            _ = self.over.wait_for(|over| *over) => {}
        }
    }
}
