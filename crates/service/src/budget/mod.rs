//! The bytes of requests and answers that are held at once.

mod answer;

use std::sync::Arc;
use std::time::Duration;

use swampbox_material::Code;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::Limits;
use crate::api::{PAGE_BYTES, Problem};

/// So many bytes, from which everything takes for as long as it is held: bodies as they come, room for an
/// answer before it is made, and answers until they were sent.
#[derive(Clone, Debug)]
pub(crate) struct Budget {
    free: Arc<Semaphore>,
    most: u32,
    patience: Duration,
}

/// Bytes of the budget. They are free again when it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Held {
    permit: Option<OwnedSemaphorePermit>,
}

impl Budget {
    pub(crate) fn within(limits: &Limits) -> Self {
        let most = in_all(limits.bytes_in_flight);
        let free = Arc::new(Semaphore::new(most as usize));
        Self { free, most, patience: limits.patience }
    }

    /// How many bytes are held.
    pub(crate) fn in_use(&self) -> usize {
        (self.most as usize).saturating_sub(self.free.available_permits())
    }

    /// What a page takes that is read and written: its bytes at the least, and a sixteenth of all, since
    /// what is read of a list of small values is many times its bytes. More at once gain nothing, as that
    /// is how many the ledger lets read.
    pub(crate) fn of_page(&self) -> usize {
        PAGE_BYTES.max(self.most as usize / 16)
    }

    /// Room for so many bytes, as soon as there is some. What is more than all of it takes all of it.
    ///
    /// # Errors
    ///
    /// `overloaded` if there is none in time. Nothing has begun then.
    pub(crate) async fn room(&self, bytes: usize) -> Result<Held, Problem> {
        let mut held = Held::default();
        self.hold(&mut held, bytes).await?;
        Ok(held)
    }

    /// The same in addition to what is held.
    ///
    /// Whoever waits keeps what is free for itself, so there is nothing for others until it has enough;
    /// they wait, too, and are not refused because somebody else asks for much.
    pub(crate) async fn hold(&self, held: &mut Held, bytes: usize) -> Result<(), Problem> {
        let bytes = in_all(bytes).min(self.most.saturating_sub(held.bytes()));
        let more = match self.free.clone().try_acquire_many_owned(bytes) {
            Ok(more) => Ok(Ok(more)),
            Err(_) => timeout(self.patience, self.free.clone().acquire_many_owned(bytes)).await,
        };
        let Ok(Ok(more)) = more else { return Err(spent()) };
        held.merge(more);
        Ok(())
    }

    /// Room for so many bytes, however long it takes.
    pub(crate) async fn room_whenever(&self, bytes: usize) -> Held {
        let bytes = in_all(bytes).min(self.most);
        // It is never closed, so this fails not before the process ends.
        Held { permit: self.free.clone().acquire_many_owned(bytes).await.ok() }
    }

    /// What is there already, and is so long. As much as is free stands for it, so that others wait:
    /// what was done is not refused any more.
    pub(crate) fn settle(&self, held: &mut Held, bytes: usize) {
        let bytes = in_all(bytes);
        if let Some(excess) = held.bytes().checked_sub(bytes) {
            drop(held.permit.as_mut().and_then(|permit| permit.split(excess as usize)));
            return;
        }
        let lacking = bytes - held.bytes();
        let free = in_all(self.free.available_permits());
        if let Ok(more) = self.free.clone().try_acquire_many_owned(lacking.min(free)) {
            held.merge(more);
        }
    }
}

impl Held {
    fn bytes(&self) -> u32 {
        in_all(self.permit.as_ref().map_or(0, OwnedSemaphorePermit::num_permits))
    }

    fn merge(&mut self, more: OwnedSemaphorePermit) {
        match &mut self.permit {
            Some(permit) => permit.merge(more),
            none => *none = Some(more),
        }
    }
}

fn in_all(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
}

fn spent() -> Problem {
    let message = "as many bytes of requests and answers as the service takes are held";
    Problem::new(Code::Overloaded, message)
}

#[cfg(test)]
mod tests {
    use std::future::ready;
    use std::pin::pin;

    use super::*;

    fn budget(bytes: usize) -> Budget {
        Budget::within(&Limits {
            bytes_in_flight: bytes,
            patience: Duration::ZERO,
            ..Limits::default()
        })
    }

    #[tokio::test]
    async fn what_is_held_is_free_again_when_it_is_dropped() {
        let budget = budget(10);
        let mut held = budget.room(4).await.unwrap();
        budget.hold(&mut held, 6).await.unwrap();
        assert_eq!(budget.in_use(), 10);
        assert_eq!(budget.room(1).await.unwrap_err().code, Code::Overloaded);
        drop(held);
        assert_eq!(budget.in_use(), 0);
    }

    #[tokio::test]
    async fn what_is_more_than_all_of_it_is_let_through_alone() {
        let budget = budget(10);
        let mut first = budget.room(4).await.unwrap();
        assert!(budget.room(11).await.is_err());
        budget.hold(&mut first, 11).await.unwrap();
        assert_eq!(budget.in_use(), 10);
    }

    #[tokio::test]
    async fn what_is_there_stands_for_what_it_is_or_for_all_that_is_free() {
        let budget = budget(10);
        let mut held = budget.room(8).await.unwrap();
        budget.settle(&mut held, 3);
        assert_eq!(budget.in_use(), 3);
        budget.settle(&mut held, 30);
        assert_eq!(budget.in_use(), 10);
        drop(held);
        assert_eq!(budget.in_use(), 0);
    }

    #[tokio::test]
    async fn who_asks_for_little_waits_behind_who_asks_for_much_and_is_not_refused() {
        let budget = Budget::within(&Limits { bytes_in_flight: 10, ..Limits::default() });
        let first = budget.room(7).await.unwrap();
        let mut much = pin!(budget.room(4));
        let mut little = pin!(budget.room(1));
        tokio::select! {
            biased;
            _ = &mut much => panic!("there was room for much"),
            _ = &mut little => panic!("there was room for little"),
            () = ready(()) => {}
        }
        drop(first);
        let (much, little) = tokio::join!(much, little);
        assert!(much.is_ok() && little.is_ok());
    }
}
