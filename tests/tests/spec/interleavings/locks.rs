use std::sync::PoisonError;

use loom::sync::{Mutex, MutexGuard};
use swampbox_custody::{Lock, LockFamily};

/// Locks at which the model checker may switch threads.
#[derive(Debug)]
pub(super) struct LoomLocks;

/// One of them.
#[derive(Debug)]
pub(super) struct LoomLock<T>(Mutex<T>);

impl LockFamily for LoomLocks {
    type Lock<T: Send + std::fmt::Debug> = LoomLock<T>;
}

impl<T: Send + std::fmt::Debug> Lock<T> for LoomLock<T> {
    type Guard<'a>
        = MutexGuard<'a, T>
    where
        T: 'a;

    fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
