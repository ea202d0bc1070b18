//! How often the keys of an issuer may be read for tokens that name one which is not known.

use std::time::{Duration, Instant};

/// How many times at once.
const AT_ONCE: u32 = 5;

/// How long it takes until there is one more.
const EACH: Duration = Duration::from_secs(5);

/// A few readings, which come back with time. Anybody can name a key that there is not, so neither may each
/// such token ask the issuer, nor may one of them keep a key out that is new: with some left it is read at
/// once, and without, as soon as one has come back.
#[derive(Debug, Default)]
pub(super) struct Budget {
    /// When all will have come back.
    full_at: Option<Instant>,
}

impl Budget {
    /// Takes one, if there is one.
    pub(super) fn take(&mut self, now: Instant) -> bool {
        let full = self.full_at.unwrap_or(now).max(now) + EACH;
        let has_one = full - now <= EACH * AT_ONCE;
        if has_one {
            self.full_at = Some(full);
        }
        has_one
    }

    /// Gives one back: it brought something new, which nobody but the issuer can bring about.
    pub(super) fn give_back(&mut self) {
        self.full_at = self.full_at.and_then(|full| full.checked_sub(EACH));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_few_are_there_at_once_and_come_back_one_by_one() {
        let (mut budget, begun) = (Budget::default(), Instant::now());
        let mut take = |seconds: u64| budget.take(begun + Duration::from_secs(seconds));
        assert_eq!([0; 6].map(&mut take), [true, true, true, true, true, false]);
        assert_eq!([4, 5, 5, 10].map(&mut take), [false, true, false, true]);
        assert_eq!([100; 6].map(&mut take), [true, true, true, true, true, false]);
    }

    #[test]
    fn one_that_is_given_back_can_be_taken_again() {
        let (mut budget, now) = (Budget::default(), Instant::now());
        for _ in 0..20 {
            assert!(budget.take(now));
            budget.give_back();
        }
        assert_eq!([(); 6].map(|()| budget.take(now)), [true, true, true, true, true, false]);
    }
}
