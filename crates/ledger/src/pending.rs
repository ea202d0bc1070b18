//! Work that waits for the writer, and the answers that wait for its commit.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use swampbox_custody::{CustodyError, StoreFailure};

use crate::writer::Batch;

/// One operation for the writer.
pub(crate) trait Job: Send {
    /// Runs it inside a transaction. It is answered when the transaction has ended.
    fn run(self: Box<Self>, batch: &mut Batch<'_>) -> Completion;

    /// Answers it without having run it.
    fn fail(self: Box<Self>, failure: StoreFailure);
}

/// Answers an operation that was run, once it is known whether its transaction was committed.
pub(crate) type Completion = Box<dyn FnOnce(Result<(), StoreFailure>) + Send>;

/// The answer to one operation, when it comes.
pub(crate) struct Answer<T> {
    receiver: Receiver<Result<T, CustodyError>>,
}

/// An operation as work for the writer, and its answer.
pub(crate) fn job<T, O>(operation: O) -> (Box<dyn Job>, Answer<T>)
where
    T: Send + 'static,
    O: FnOnce(&mut Batch<'_>) -> Result<T, CustodyError> + Send + 'static,
{
    let (sender, receiver) = sync_channel(1);
    (Box::new(Operation { operation, sender }), Answer { receiver })
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
    sender: SyncSender<Result<T, CustodyError>>,
}

impl<T, O> Job for Operation<T, O>
where
    T: Send + 'static,
    O: FnOnce(&mut Batch<'_>) -> Result<T, CustodyError> + Send + 'static,
{
    fn run(self: Box<Self>, batch: &mut Batch<'_>) -> Completion {
        let Self { operation, sender } = *self;
        let result = batch.atomically(operation);
        Box::new(move |committed| {
            // A refusal too: it may rest on a neighbour that was not stored after all.
            let answer = match committed {
                Ok(()) => result,
                Err(failure) => Err(failure.into()),
            };
            // Whoever asked may be gone; the operation stands.
            drop(sender.send(answer));
        })
    }

    fn fail(self: Box<Self>, failure: StoreFailure) {
        drop(self.sender.send(Err(failure.into())));
    }
}
