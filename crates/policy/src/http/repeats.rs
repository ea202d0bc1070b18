//! Whether words of the other side repeat a token, also in another spelling.

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;

/// Whether all of `token` stands in `words`: as it is, or in base64, whatever it stands behind there,
/// so also as the value of the header that carried it; in capitals or not, and with characters escaped
/// as in JSON or in a URL.
///
/// Parts of it don't count: a decision may hold any words, and a token some that are common.
pub(super) fn repeats(words: &str, token: &str) -> bool {
    let forms: Vec<_> = spellings(token).iter().map(|form| plain(form)).collect();
    let are_in = |words: &str| {
        let words = plain(words);
        forms.iter().any(|form| words.contains(form.as_str()))
    };
    // Twice for JSON: a text in an answer may be JSON again.
    let mut words = words.to_owned();
    are_in(&words)
        || [("\\u", 4), ("\\u", 4), ("%", 2)].into_iter().any(|(mark, digits)| {
            words = decoded(&words, mark, digits);
            are_in(&words)
        })
}

/// The token, and of its base64 in both alphabets what the token alone makes of it, behind a number of
/// bytes that leaves 0, 1 or 2 when it is divided by three.
fn spellings(token: &str) -> Vec<String> {
    let mut spellings = vec![token.to_owned()];
    for before in 0..3 {
        let bytes = ["\0".repeat(before).as_bytes(), token.as_bytes()].concat();
        let encoded = STANDARD_NO_PAD.encode(&bytes);
        // The characters at the edges hold bits of what stands beside the token, too.
        let own = encoded.get((before * 8).div_ceil(6)..bytes.len() * 8 / 6).unwrap_or(&encoded);
        spellings.extend([own.to_owned(), own.replace('+', "-").replace('/', "_")]);
    }
    spellings
}

/// In lower case, and without what is put before a character to escape it.
fn plain(words: &str) -> String {
    words.replace('\\', "").to_ascii_lowercase()
}

/// With each `mark` and so many hexadecimal digits as the ASCII character that they stand for.
fn decoded(words: &str, mark: &str, digits: usize) -> String {
    let mut parts = words.split(mark);
    let mut decoded = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let number =
            part.get(..digits).filter(|number| number.bytes().all(|d| d.is_ascii_hexdigit()));
        let code = number.and_then(|number| u8::from_str_radix(number, 16).ok());
        match code.filter(u8::is_ascii) {
            Some(code) => {
                decoded.push(char::from(code));
                decoded.push_str(part.get(digits..).unwrap_or_default());
            }
            None => decoded.extend([mark, part]),
        }
    }
    decoded
}
