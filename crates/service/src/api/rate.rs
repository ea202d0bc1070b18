//! How often one caller may ask.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use swampbox_material::Code;

use super::Problem;

/// A bucket for each caller, from which each request takes one, and which fills up again.
///
/// What is kept of a caller is when its bucket will be full; once that is over, nothing is.
#[derive(Debug)]
pub(crate) struct Rates {
    each: Duration,
    burst: Duration,
    full_at: Mutex<HashMap<String, Instant>>,
}

/// How many callers are kept before those that are over are looked for.
const MANY: usize = 10_000;

impl Rates {
    pub(crate) fn new(per_second: u32, burst: u32) -> Self {
        let each = Duration::from_secs(1) / per_second.max(1);
        Self { each, burst: each * burst.max(1), full_at: Mutex::default() }
    }

    /// Takes one.
    ///
    /// # Errors
    ///
    /// `rate_limited` if there is none.
    pub(crate) fn take(&self, caller: &str, now: Instant) -> Result<(), Problem> {
        if self.each.is_zero() {
            // More than one in a nanosecond.
            return Ok(());
        }
        let mut full_at = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        if full_at.len() >= MANY && !full_at.contains_key(caller) {
            full_at.retain(|_, full| *full > now);
        }
        let full = full_at.get(caller).copied().unwrap_or(now).max(now) + self.each;
        if full - now > self.burst {
            let message = format!("{} asks too often", super::call::quoted(caller));
            return Err(Problem::new(Code::RateLimited, message));
        }
        full_at.insert(caller.to_owned(), full);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_is_let_through_and_then_as_many_as_time_gives() {
        let rates = Rates::new(10, 3);
        let begun = Instant::now();
        let ask = |millis: u64| rates.take("A", begun + Duration::from_millis(millis)).is_ok();
        assert_eq!([0, 0, 0, 0].map(ask), [true, true, true, false]);
        assert_eq!([99, 100, 100, 200].map(ask), [false, true, false, true]);
        assert!(rates.take("B", begun).is_ok(), "each caller has a bucket of its own");
    }
}
