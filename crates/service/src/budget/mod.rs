//! The bytes of requests and answers that are held at once.

mod answer;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
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
    all: Pool,
    patience: Duration,
    /// What each caller has of its share, as long as it takes of it.
    callers: Arc<Mutex<HashMap<String, Weak<Semaphore>>>>,
}

/// What one caller may take: half of it, so that nobody who reads no answer takes what the others need.
#[derive(Clone, Debug)]
pub(crate) struct Share {
    own: Pool,
    all: Pool,
    patience: Duration,
}

/// Bytes of the budget. They are free again when it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Held {
    own: Option<OwnedSemaphorePermit>,
    all: Option<OwnedSemaphorePermit>,
}

/// Bytes that are free, of so many.
#[derive(Clone, Debug)]
struct Pool {
    free: Arc<Semaphore>,
    most: u32,
}

impl Budget {
    pub(crate) fn within(limits: &Limits) -> Self {
        let most = in_all(limits.bytes_in_flight);
        let free = Arc::new(Semaphore::new(most as usize));
        Self { all: Pool { free, most }, patience: limits.patience, callers: Arc::default() }
    }

    /// How many bytes are held.
    pub(crate) fn in_use(&self) -> usize {
        (self.all.most as usize).saturating_sub(self.all.free.available_permits())
    }

    /// What a page takes that is read and written: its bytes at the least, and a sixteenth of all, since
    /// what is read of a list of small values is many times its bytes. More at once gain nothing, as that
    /// is how many the ledger lets read.
    pub(crate) fn of_page(&self) -> usize {
        PAGE_BYTES.max(self.all.most as usize / 16)
    }

    /// The share of a caller.
    pub(crate) fn share(&self, caller: &str) -> Share {
        let most = (self.all.most / 2).max(1);
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        let known = callers.get(caller).and_then(Weak::upgrade);
        let free = known.unwrap_or_else(|| {
            callers.retain(|_, free| free.strong_count() > 0);
            let free = Arc::new(Semaphore::new(most as usize));
            callers.insert(caller.to_owned(), Arc::downgrade(&free));
            free
        });
        Share { own: Pool { free, most }, all: self.all.clone(), patience: self.patience }
    }
}

impl Share {
    /// Room for so many bytes, as soon as there is some. What is more than all of it takes all of it. Ask
    /// once for all that is needed: who holds some and waits for more keeps others from theirs.
    ///
    /// Whoever waits keeps what is free for itself, so there is nothing for others until it has enough;
    /// they wait, too, and are not refused because somebody else asks for much.
    ///
    /// # Errors
    ///
    /// `overloaded` if there is none in time. Nothing has begun then.
    pub(crate) async fn room(&self, bytes: usize) -> Result<Held, Problem> {
        let bytes = in_all(bytes).min(self.own.most);
        let own = self.own.take(bytes, self.patience).await.ok_or_else(|| {
            let message = "you hold as many bytes of requests and answers as one caller may; read \
                           what was answered";
            Problem::new(Code::Overloaded, message)
        })?;
        let all = self.all.take(bytes, self.patience).await.ok_or_else(|| {
            let message = "as many bytes of requests and answers as the service takes are held";
            Problem::new(Code::Overloaded, message)
        })?;
        Ok(Held { own: Some(own), all: Some(all) })
    }

    /// Room for so many bytes, however long it takes.
    pub(crate) async fn room_whenever(&self, bytes: usize) -> Held {
        let bytes = in_all(bytes).min(self.own.most);
        // They are never closed, so this fails not before the process ends.
        let own = self.own.free.clone().acquire_many_owned(bytes).await.ok();
        Held { own, all: self.all.free.clone().acquire_many_owned(bytes).await.ok() }
    }

    /// What is there already, and is so long. As much as is free stands for it, so that others wait:
    /// what was done is not refused any more.
    pub(crate) fn settle(&self, held: &mut Held, bytes: usize) {
        self.own.settle(&mut held.own, in_all(bytes));
        self.all.settle(&mut held.all, in_all(bytes));
    }
}

impl Pool {
    async fn take(&self, bytes: u32, patience: Duration) -> Option<OwnedSemaphorePermit> {
        match self.free.clone().try_acquire_many_owned(bytes) {
            Ok(taken) => Some(taken),
            Err(_) => {
                let waiting = self.free.clone().acquire_many_owned(bytes);
                timeout(patience, waiting).await.ok()?.ok()
            }
        }
    }

    fn settle(&self, held: &mut Option<OwnedSemaphorePermit>, bytes: u32) {
        let now = length(held);
        if let Some(excess) = now.checked_sub(bytes) {
            drop(held.as_mut().and_then(|permit| permit.split(excess as usize)));
            return;
        }
        let free = in_all(self.free.available_permits());
        if let Ok(more) = self.free.clone().try_acquire_many_owned((bytes - now).min(free)) {
            merge(held, more);
        }
    }
}

fn length(held: &Option<OwnedSemaphorePermit>) -> u32 {
    in_all(held.as_ref().map_or(0, OwnedSemaphorePermit::num_permits))
}

fn merge(held: &mut Option<OwnedSemaphorePermit>, more: OwnedSemaphorePermit) {
    match held {
        Some(permit) => permit.merge(more),
        none => *none = Some(more),
    }
}

fn in_all(bytes: usize) -> u32 {
    u32::try_from(bytes).unwrap_or(u32::MAX)
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
        let budget = budget(20);
        let share = budget.share("ann");
        let held = [share.room(4).await.unwrap(), share.room(6).await.unwrap()];
        assert_eq!(budget.in_use(), 10);
        assert_eq!(share.room(1).await.unwrap_err().code, Code::Overloaded);
        drop(held);
        assert_eq!(budget.in_use(), 0);
    }

    #[tokio::test]
    async fn one_caller_takes_half_of_it_at_the_most_however_it_is_asked_for() {
        let budget = budget(20);
        let _first = budget.share("ann").room(10).await.unwrap();
        let refused = budget.share("ann").room(1).await.unwrap_err();
        assert!(refused.message.contains("one caller"), "{}", refused.message);
        let second = budget.share("bob").room(10).await.unwrap();
        let refused = budget.share("carl").room(1).await.unwrap_err();
        assert!(refused.message.contains("the service"), "{}", refused.message);
        drop(second);
        assert!(budget.share("carl").room(10).await.is_ok());
    }

    #[tokio::test]
    async fn nothing_is_kept_of_who_holds_nothing() {
        let budget = budget(20);
        for number in 0..100 {
            drop(budget.share(&number.to_string()).room(1).await.unwrap());
        }
        assert_eq!(budget.callers.lock().unwrap().len(), 1);
    }

    #[tokio::test]
    async fn what_is_more_than_all_of_a_share_is_let_through_alone() {
        let budget = budget(20);
        let share = budget.share("ann");
        let first = share.room(4).await.unwrap();
        assert!(share.room(11).await.is_err());
        drop(first);
        let _all = share.room(11).await.unwrap();
        assert_eq!(budget.in_use(), 10);
    }

    #[tokio::test]
    async fn what_is_there_stands_for_what_it_is_or_for_all_that_is_free() {
        let budget = budget(20);
        let share = budget.share("ann");
        let mut held = share.room(8).await.unwrap();
        share.settle(&mut held, 3);
        assert_eq!(budget.in_use(), 3);
        share.settle(&mut held, 30);
        assert_eq!(budget.in_use(), 20);
        assert!(share.room(1).await.is_err());
        drop(held);
        assert_eq!(budget.in_use(), 0);
        assert!(share.room(10).await.is_ok());
    }

    #[tokio::test]
    async fn who_asks_for_little_waits_behind_who_asks_for_much_and_is_not_refused() {
        let budget = Budget::within(&Limits { bytes_in_flight: 10, ..Limits::default() });
        let share = |caller| budget.share(caller);
        let (ann, bob, carl, dora) = (share("ann"), share("bob"), share("carl"), share("dora"));
        let first = (ann.room(5).await.unwrap(), bob.room(2).await.unwrap());
        let mut much = pin!(carl.room(4));
        let mut little = pin!(dora.room(1));
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
