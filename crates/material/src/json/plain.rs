/// How many of the first bytes may stand in a JSON string as they are: up to the first quote,
/// backslash or control character, or to the end.
pub(crate) fn plain_len(bytes: &[u8]) -> usize {
    let mut len = 0;
    // Eight bytes at a time.
    while let Some(word) = bytes.get(len..).and_then(<[u8]>::first_chunk) {
        let special = special_bytes(u64::from_le_bytes(*word));
        if special != 0 {
            return len + special.trailing_zeros() as usize / 8;
        }
        len += word.len();
    }
    let rest = bytes.get(len..).unwrap_or_default();
    // Four to seven bytes: the first four and the last four, which may overlap.
    if let (Some(first), Some(last)) = (rest.first_chunk(), rest.last_chunk()) {
        let [first, last] = [first, last].map(|half| u64::from(u32::from_le_bytes(*half)));
        if special_bytes(first | last << 32) == 0 {
            return bytes.len();
        }
    }
    let special = rest.iter().position(|&byte| is_special(byte));
    len + special.unwrap_or(rest.len())
}

fn is_special(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..0x20)
}

/// A word whose lowest bit that is set lies in the lowest byte that is special; zero if none is.
/// Higher bits may be set by a borrow, and mean nothing.
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = ONES << 7;
    let below = |bound: u8, word: u64| word.wrapping_sub(ONES * u64::from(bound)) & !word;
    let equal = |byte: u8| below(1, word ^ (ONES * u64::from(byte)));
    (below(0x20, word) | equal(b'"') | equal(b'\\')) & HIGHS
}
