//! Bytes as hexadecimal text, in the one form in which the project writes digests and keys.

/// The bytes in lower-case digits, two each.
pub fn encode(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).flatten().collect()
}

/// The bytes that exactly this text stands for: none unless it is as [`encode`] writes them, so that no
/// two texts are the same bytes.
///
/// ```
/// use swampbox_material::hex;
///
/// assert_eq!(hex::decode("00ff"), Some([0, 255]));
/// assert_eq!(hex::decode::<2>("00FF"), None);
/// ```
pub fn decode<const N: usize>(text: &str) -> Option<[u8; N]> {
    let digit = |digit: u8| match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    };
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let bytes: Option<Vec<u8>> =
        pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?)).collect();
    if rest.is_empty() { bytes?.try_into().ok() } else { None }
}
