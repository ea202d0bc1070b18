//! Work that blocks, off the threads that serve connections.

use std::sync::Arc;
use std::time::Duration;

use swampbox_material::Code;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tracing::Span;

use crate::api::Problem;

/// Places for so many that are at work at once. One more waits for a while.
#[derive(Clone, Debug)]
pub(crate) struct Desk {
    free: Arc<Semaphore>,
    places: u32,
    patience: Duration,
    of: Arc<str>,
}

impl Desk {
    pub(crate) fn with(places: u32, patience: Duration, of: &str) -> Self {
        Self { free: Arc::new(Semaphore::new(places as usize)), places, patience, of: of.into() }
    }

    /// Waits until nothing is at work.
    pub(crate) async fn idle(&self) {
        // It is never closed, so this fails not before the process ends.
        drop(self.free.acquire_many(self.places).await);
    }

    /// A place, as soon as there is one.
    ///
    /// # Errors
    ///
    /// `overloaded` if there is none in time. Nothing has begun then.
    pub(crate) async fn place(&self) -> Result<OwnedSemaphorePermit, Problem> {
        match timeout(self.patience, self.free.clone().acquire_owned()).await {
            Ok(Ok(place)) => Ok(place),
            _ => Err(self.full()),
        }
    }

    /// A place, if there is one now.
    ///
    /// # Errors
    ///
    /// `overloaded` if there is none.
    pub(crate) fn place_now(&self) -> Result<OwnedSemaphorePermit, Problem> {
        self.free.clone().try_acquire_owned().map_err(|_| self.full())
    }

    /// How many places are taken.
    pub(crate) fn taken(&self) -> usize {
        (self.places as usize).saturating_sub(self.free.available_permits())
    }

    fn full(&self) -> Problem {
        let message = format!("as many {} as the service takes are at work", self.of);
        Problem::new(Code::Overloaded, message)
    }

    /// Runs what blocks, in a place of its own.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let place = self.place().await?;
        blocking(move || {
            let done = work();
            drop(place);
            done
        })
        .await
    }
}

/// Runs what blocks. It goes on even if the caller goes away: what has begun has to end in good order.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    // What it does belongs to the same request.
    let span = Span::current();
    spawn_blocking(move || span.in_scope(work)).await.unwrap_or_else(|_| {
        Err(Problem::new(Code::StoreUnavailable, "the operation ended without a result"))
    })
}
