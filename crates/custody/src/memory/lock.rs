use std::fmt;
use std::ops::DerefMut;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The kind of mutual exclusion that a store uses.
///
/// Programs use [`StdLocks`]. A model checker for concurrency brings its own, so that it sees
/// each place where threads can meet.
pub trait LockFamily: fmt::Debug + 'static {
    /// A lock around a `T`.
    type Lock<T: Send + fmt::Debug>: Lock<T>;
}

/// One lock around a `T`.
pub trait Lock<T>: Send + Sync + fmt::Debug {
    /// Exclusive use of the `T`, until dropped.
    type Guard<'a>: DerefMut<Target = T>
    where
        Self: 'a,
        T: 'a;

    /// A lock around `value`.
    fn new(value: T) -> Self;

    /// Waits for exclusive use.
    fn lock(&self) -> Self::Guard<'_>;
}

/// The standard library's mutexes.
#[derive(Debug)]
pub struct StdLocks;

impl LockFamily for StdLocks {
    type Lock<T: Send + fmt::Debug> = Mutex<T>;
}

impl<T: Send + fmt::Debug> Lock<T> for Mutex<T> {
    type Guard<'a>
        = MutexGuard<'a, T>
    where
        T: 'a;

    fn new(value: T) -> Self {
        Mutex::new(value)
    }

    fn lock(&self) -> MutexGuard<'_, T> {
        // Every change is made after its rule has spoken, and nothing in between can panic, so
        // a poisoned lock still guards whole rows.
        Mutex::lock(self).unwrap_or_else(PoisonError::into_inner)
    }
}
