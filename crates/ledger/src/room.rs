//! What fits into an event, told before anything waits for it.

use swampbox_custody::AttemptRecord;
use swampbox_material::json::MAX_DOCUMENT_VALUES;
use swampbox_material::{Material, Value};

use crate::event::MAX_BODY_BYTES;

/// What an event takes beside its long texts: names, ids and times, each escaped.
const BESIDE: usize = 64 * 1024;

/// How many values a decision has beside its material's.
const VALUES_BESIDE: usize = 64;

/// Whether material can be stored, and a decision that is bound to it too: as a text inside the event
/// of an attempt. What could never be released is not taken.
pub(crate) fn can_be_decided(material: &Material) -> bool {
    values(material.payload()) + VALUES_BESIDE <= MAX_DOCUMENT_VALUES
        && escaped(&material.to_document().to_string()) + BESIDE <= MAX_BODY_BYTES
}

/// Whether what is known of an attempt can be stored.
pub(crate) fn for_attempt(record: &AttemptRecord) -> bool {
    let AttemptRecord { decision, basis, provider, actuator, .. } = record;
    let texts = [decision.as_str(), basis.as_deref().unwrap_or_default(), provider, actuator];
    texts.into_iter().map(escaped).sum::<usize>() + BESIDE <= MAX_BODY_BYTES
}

/// How many bytes a text takes as a JSON string.
fn escaped(text: &str) -> usize {
    let taken = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 2,
        0..=0x1f => 6,
        _ => 1,
    };
    text.bytes().map(taken).sum()
}

/// How many values there are, this one too.
fn values(value: &Value) -> usize {
    match value {
        Value::List(list) => 1 + list.items().iter().map(values).sum::<usize>(),
        Value::Map(map) => 1 + map.iter().map(|(_, value)| values(value)).sum::<usize>(),
        _ => 1,
    }
}
