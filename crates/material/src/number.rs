use std::fmt::{self, Write};
use std::sync::Arc;

use crate::{MaterialError, Path, Problem};

/// The greatest number of digits of an [`Integer`], its sign not counted.
pub const MAX_INTEGER_DIGITS: usize = 4_300;

/// An exact integer of any size, up to [`MAX_INTEGER_DIGITS`] digits.
///
/// ```
/// use swampbox_material::Integer;
///
/// let big = Integer::parse("123456789012345678901234567890")?;
/// assert_eq!(big.to_string(), "123456789012345678901234567890");
/// assert_eq!(Integer::parse("-0")?, Integer::from(0_i64));
/// # Ok::<(), swampbox_material::MaterialError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Integer {
    repr: Repr,
}

// INVARIANT (canonical): `Big` is used only for what does not fit an `i64`, and its text has no
// leading zero and no plus sign, so that equal integers have equal representations.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Repr {
    Small(i64),
    Big(Arc<str>),
}

impl Integer {
    /// Reads the text of a JSON integer: an optional minus sign, then digits without a leading
    /// zero. `-0` is the integer 0.
    ///
    /// # Errors
    ///
    /// `invalid_json` if the text is not of that form, `unsupported_value` if it has more than
    /// [`MAX_INTEGER_DIGITS`] digits.
    pub fn parse(text: &str) -> Result<Self, MaterialError> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        let well_formed = digits.bytes().all(|b| b.is_ascii_digit())
            && !digits.is_empty()
            && (digits == "0" || !digits.starts_with('0'));
        if !well_formed {
            let problem = Problem::InvalidJson("an integer is an optional `-` and digits");
            return Err(MaterialError::new(problem, Path::root()));
        }
        Self::from_json_digits(text).map_err(|problem| MaterialError::new(problem, Path::root()))
    }

    /// The value as an `i64`, if it fits.
    pub fn as_i64(&self) -> Option<i64> {
        match self.repr {
            Repr::Small(small) => Some(small),
            Repr::Big(_) => None,
        }
    }

    /// The value as a `u64`, if it fits.
    pub fn as_u64(&self) -> Option<u64> {
        match &self.repr {
            Repr::Small(small) => u64::try_from(*small).ok(),
            Repr::Big(text) => text.parse().ok(),
        }
    }

    /// Appends the JSON text.
    pub(crate) fn push_to(&self, out: &mut String) {
        match &self.repr {
            Repr::Small(small) => push_integer(out, *small),
            Repr::Big(text) => out.push_str(text),
        }
    }

    /// From text that the caller knows to be a JSON integer.
    pub(crate) fn from_json_digits(text: &str) -> Result<Self, Problem> {
        if let Ok(small) = text.parse() {
            return Ok(Self { repr: Repr::Small(small) });
        }
        let digits = text.len() - usize::from(text.starts_with('-'));
        if digits > MAX_INTEGER_DIGITS {
            return Err(Problem::too_many_digits());
        }
        Ok(Self { repr: Repr::Big(text.into()) })
    }
}

impl From<i64> for Integer {
    fn from(small: i64) -> Self {
        Self { repr: Repr::Small(small) }
    }
}

impl From<u64> for Integer {
    fn from(value: u64) -> Self {
        let repr = match i64::try_from(value) {
            Ok(small) => Repr::Small(small),
            Err(_) => Repr::Big(value.to_string().into()),
        };
        Self { repr }
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.repr {
            Repr::Small(small) => small.fmt(f),
            Repr::Big(text) => f.write_str(text),
        }
    }
}

/// A finite IEEE 754 double. `+0.0` equals `-0.0`; both signs are kept.
///
/// ```
/// use swampbox_material::Float;
///
/// assert_eq!(Float::new(0.0)?, Float::new(-0.0)?);
/// assert!(Float::new(f64::INFINITY).is_err());
/// # Ok::<(), swampbox_material::MaterialError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Float {
    // INVARIANT (finite): never infinite or NaN. `Eq` rests on it.
    number: f64,
}

impl Eq for Float {}

impl Float {
    /// A finite float.
    ///
    /// # Errors
    ///
    /// `non_finite_number` for infinities and NaN.
    pub fn new(number: f64) -> Result<Self, MaterialError> {
        Self::finite(number).map_err(|problem| MaterialError::new(problem, Path::root()))
    }

    /// The value as an `f64`.
    pub fn to_f64(self) -> f64 {
        self.number
    }

    /// Appends the JSON text, the shortest that reads back as this float.
    pub(crate) fn push_to(self, out: &mut String) {
        // serde_json writes floats several times as quickly as the standard library. There is a
        // number, since the float is finite, and writing to a string can't fail.
        let number = serde_json::Number::from_f64(self.number);
        let _ = number.map(|number| write!(out, "{number}"));
    }

    /// From text that the caller knows to be a JSON number: the nearest double.
    pub(crate) fn from_json_digits(text: &str) -> Result<Self, Problem> {
        match text.parse() {
            Ok(number) => Self::finite(number),
            Err(_) => Err(Problem::InvalidJson("a number has digits, a fraction and an exponent")),
        }
    }

    fn finite(number: f64) -> Result<Self, Problem> {
        if number.is_finite() { Ok(Self { number }) } else { Err(Problem::NonFiniteNumber) }
    }
}

impl fmt::Display for Float {
    /// Always with a fraction or an exponent: `1.0`, never `1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.push_to(&mut text);
        f.write_str(&text)
    }
}

/// Appends an integer, more quickly than the formatting machinery does.
fn push_integer(out: &mut String, number: i64) {
    if number < 0 {
        out.push('-');
    }
    // Two digits at a time, the last ones first; no i64 has more than 19.
    let mut pairs = [0; 10];
    let mut count = 0;
    let mut rest = number.unsigned_abs();
    for pair in &mut pairs {
        *pair = (rest % 100) as u8;
        rest /= 100;
        count += 1;
        if rest == 0 {
            break;
        }
    }
    for (index, pair) in pairs.iter().take(count).rev().enumerate() {
        if index > 0 || *pair >= 10 {
            out.push(char::from(b'0' + pair / 10));
        }
        out.push(char::from(b'0' + pair % 10));
    }
}
