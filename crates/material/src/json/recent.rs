use std::sync::Arc;

/// The keys met last. Documents repeat few keys many times; a key that comes again shares the
/// text of the first.
pub(crate) struct RecentKeys {
    slots: [Option<Arc<str>>; SLOTS],
}

const SLOTS: usize = 64;

/// Longer keys are rarely met again.
const LONGEST: usize = 32;

impl RecentKeys {
    pub(crate) fn new() -> Self {
        Self { slots: [const { None }; SLOTS] }
    }

    /// The key as shared text. Each key has one slot; what stood there before is forgotten, so
    /// keys chosen to collide cost no more than keys that are all different.
    pub(crate) fn share(&mut self, key: &str) -> Arc<str> {
        let Some(slot) = self.slots.get_mut(slot(key)).filter(|_| key.len() <= LONGEST) else {
            return key.into();
        };
        match slot {
            Some(recent) if **recent == *key => recent.clone(),
            _ => slot.insert(key.into()).clone(),
        }
    }
}

fn slot(key: &str) -> usize {
    let mix = |sum: usize, &byte: &u8| sum.wrapping_mul(31).wrapping_add(usize::from(byte));
    key.as_bytes().iter().fold(0, mix) % SLOTS
}
