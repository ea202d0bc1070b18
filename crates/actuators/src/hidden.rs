//! Quotes words that are not ours, without a credential in them.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use swampbox_material::Shown;
use zeroize::Zeroizing;

/// The credentials that a talk takes along, and that no report of it may repeat.
///
/// All words of the other side, of a program or of the system that a report quotes go through
/// [`quote`](Self::quote), which looks at them before they are shortened and escaped.
#[derive(Clone, Default)]
pub(crate) struct Hidden {
    // INVARIANT (plain): each as `Plain` reads words, and none empty.
    forms: Vec<Zeroizing<Vec<u8>>>,
}

/// So many bytes of a credential in a row, wherever they stand, and a credential that is shorter.
const TELLING_BYTES: usize = 8;

/// So many at the beginning or the end of the words, where somebody may have cut them.
const TELLING_BYTES_AT_A_CUT: usize = 4;

/// Of 80 characters that are shown, and of what is needed of the next to know them.
const LOOKED_AT_BYTES: usize = 512;

const LEFT_OUT: &str = "(left out, since it repeats a credential)";

impl Hidden {
    /// The same with one more. Its base64 is hidden as well, whatever stands before it there.
    pub(crate) fn with(mut self, credential: &str) -> Self {
        self.add(credential.as_bytes());
        for before in 0..3 {
            let mut bytes = Zeroizing::new(vec![0; before]);
            bytes.extend_from_slice(credential.as_bytes());
            let encoded = Zeroizing::new(STANDARD_NO_PAD.encode(&*bytes));
            // The characters at the edges hold bits of what stands beside the credential, too.
            let first = (before * 8).div_ceil(6);
            let end = bytes.len() * 8 / 6;
            let own = encoded.get(first..end).unwrap_or_default();
            if own.len() >= TELLING_BYTES {
                self.add(own.as_bytes());
                self.add(Zeroizing::new(own.replace('+', "-").replace('/', "_")).as_bytes());
            }
        }
        self
    }

    /// The words in quotes and cut, or, if they repeat a credential or a telling part of one, that they
    /// are left out.
    pub(crate) fn quote(&self, words: &[u8]) -> String {
        // More than is shown, so that a credential is known for one at the place where it is cut.
        let looked_at = words.get(..LOOKED_AT_BYTES).unwrap_or(words);
        if self.are_in(looked_at) {
            return LEFT_OUT.into();
        }
        Shown::brief(&String::from_utf8_lossy(words)).to_string()
    }

    fn are_in(&self, words: &[u8]) -> bool {
        if self.forms.is_empty() {
            return false;
        }
        let decoded = without_percent(words);
        [words, &*decoded].into_iter().any(|words| {
            let words = plain(words);
            self.forms.iter().any(|form| is_in(form, &words))
        })
    }

    fn add(&mut self, form: &[u8]) {
        let form = plain(form);
        if !form.is_empty() {
            self.forms.push(form);
        }
    }
}

impl fmt::Debug for Hidden {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Hidden(..)")
    }
}

/// Whether the words hold the form, or a part of it that tells something.
fn is_in(form: &[u8], words: &[u8]) -> bool {
    let whole = form.len().min(TELLING_BYTES);
    let holds = |part: &[u8]| form.windows(whole).any(|window| window == part);
    let at_an_edge = |length: usize| {
        let end = form.get(..length).is_some_and(|begins| words.ends_with(begins));
        end || form.get(form.len() - length..).is_some_and(|ends| words.starts_with(ends))
    };
    words.windows(whole).any(holds) || (TELLING_BYTES_AT_A_CUT..whole).any(at_an_edge)
}

/// In lower case, and without the characters that whoever repeats a text puts before others to escape
/// them.
fn plain(words: &[u8]) -> Zeroizing<Vec<u8>> {
    let kept = words.iter().filter(|byte| **byte != b'\\');
    Zeroizing::new(kept.map(u8::to_ascii_lowercase).collect())
}

/// With each `%` and two hexadecimal digits as the byte that they stand for.
fn without_percent(words: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut decoded = Zeroizing::new(Vec::new());
    let mut rest = words;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        let digits = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) if *first == b'%' => {
                decoded.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            _ => {
                decoded.push(*first);
                rest = after;
            }
        }
    }
    decoded
}
