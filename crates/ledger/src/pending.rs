//! Work that waits for the writer, and the answers that wait for its commit.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use swampbox_custody::{CustodyError, StoreFailure};

use crate::writer::Batch;

/// One operation for the writer.
pub(crate) trait Job: Send {
    /// Runs it inside a transaction. If that one is given up, it may be run again in another.
    fn run(&mut self, batch: &mut Batch<'_>);

    /// Answers it: as it ran, if the transaction was committed.
    fn answer(self: Box<Self>, committed: Result<(), StoreFailure>);
}

/// The answer to one operation, when it comes.
pub(crate) struct Answer<T> {
    receiver: Receiver<Result<T, CustodyError>>,
}

/// An operation as work for the writer, and its answer.
pub(crate) fn job<T, O>(operation: O) -> (Box<dyn Job>, Answer<T>)
where
    T: Send + 'static,
    O: FnMut(&mut Batch<'_>) -> Result<T, CustodyError> + Send + 'static,
{
    let (sender, receiver) = sync_channel(1);
    (Box::new(Operation { operation, result: None, sender }), Answer { receiver })
}

impl<T> Answer<T> {
    /// Waits for it.
    pub(crate) fn wait(self) -> Result<T, CustodyError> {
        match self.receiver.recv() {
            Ok(answer) => answer,
            Err(_) => Err(StoreFailure::new("the ledger's writer has ended").into()),
        }
    }
}

struct Operation<T, O> {
    operation: O,
    /// What came of it when it was run last.
    result: Option<Result<T, CustodyError>>,
    sender: SyncSender<Result<T, CustodyError>>,
}

impl<T, O> Job for Operation<T, O>
where
    T: Send + 'static,
    O: FnMut(&mut Batch<'_>) -> Result<T, CustodyError> + Send + 'static,
{
    fn run(&mut self, batch: &mut Batch<'_>) {
        self.result = Some(batch.run(&mut self.operation));
    }

    fn answer(self: Box<Self>, committed: Result<(), StoreFailure>) {
        // A refusal too: it may rest on a neighbour that was not stored after all.
        let answer = match committed {
            Ok(()) => self.result,
            Err(failure) => Some(Err(failure.into())),
        };
        // Whoever asked may be gone; the operation stands.
        drop(answer.map(|answer| self.sender.send(answer)));
    }
}
