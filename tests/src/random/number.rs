//! Random numbers from a seed, the same everywhere.

/// A sequence of numbers (SplitMix64).
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    state: u64,
}

impl From<u64> for Numbers {
    fn from(seed: u64) -> Self {
        Self { state: seed }
    }
}

impl Numbers {
    /// A number from 0 to `end` - 1; 0 where `end` is 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end).unwrap_or(u64::MAX).max(1);
        usize::try_from(self.next() % end).unwrap_or(0)
    }

    /// True in so many of a hundred cases.
    pub(super) fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    /// One of the texts; the empty one where there is none.
    pub(super) fn pick<'a>(&mut self, texts: &[&'a str]) -> &'a str {
        let index = self.below(texts.len());
        texts.get(index).copied().unwrap_or_default()
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
