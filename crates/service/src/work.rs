//! Work that blocks, off the threads that serve connections.

use std::sync::Arc;

use swampbox_material::Code;
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use crate::api::Problem;

/// So many may be at work, or wait for the ledger, at once.
#[derive(Clone, Debug)]
pub(crate) struct Desk {
    free: Arc<Semaphore>,
    places: u32,
    of: &'static str,
}

impl Desk {
    pub(crate) fn with(places: u32, of: &'static str) -> Self {
        Self { free: Arc::new(Semaphore::new(places as usize)), places, of }
    }

    /// Waits until nothing is at work.
    pub(crate) async fn idle(&self) {
        // It is never closed, so this fails not before the process ends.
        drop(self.free.acquire_many(self.places).await);
    }

    /// Runs what blocks. If all places are taken it is refused, and not begun.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let Ok(place) = self.free.clone().try_acquire_owned() else {
            return Err(Problem::overloaded(self.of));
        };
        let work = spawn_blocking(move || {
            let done = work();
            drop(place);
            done
        });
        // It goes on even if the caller went away: what has begun has to end in good order.
        work.await.unwrap_or_else(|_| {
            Err(Problem::new(Code::StoreUnavailable, "the operation ended without a result"))
        })
    }
}
