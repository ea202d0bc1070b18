use std::fmt;
use std::time::{Duration, SystemTime};

use swampbox_material::{Code, Shown};
use time::format_description::well_known::Rfc3339;
use time::{OffsetDateTime, UtcOffset};

/// A moment, to the nanosecond, from the year 0000 to the year 9999 in UTC.
///
/// Read from and written as RFC 3339. Written in UTC with `Z`, with a fraction of a second only
/// where it isn't zero.
///
/// ```
/// use swampbox_authority::Timestamp;
///
/// let moment: Timestamp = "2026-01-01T14:00:00.500+02:00".parse()?;
/// assert_eq!(moment.to_string(), "2026-01-01T12:00:00.5Z");
/// # Ok::<(), swampbox_authority::InvalidTimestamp>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    // INVARIANT (UTC): the offset is zero and the year is from 0 to 9999, so that it can always
    // be written.
    moment: OffsetDateTime,
}

/// Text that is not an RFC 3339 timestamp with an offset, or a moment out of range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} is no timestamp: {problem}", Shown::brief(text))]
pub struct InvalidTimestamp {
    text: String,
    problem: &'static str,
}

const OUT_OF_RANGE: &str = "it is not within the years 0000 to 9999 in UTC";

impl Timestamp {
    /// This moment moved by some nanoseconds, backwards if they are negative.
    ///
    /// # Errors
    ///
    /// If the moment would be out of range.
    pub fn moved_by(self, nanoseconds: i128) -> Result<Self, InvalidTimestamp> {
        let moved = self.moment.unix_timestamp_nanos().checked_add(nanoseconds);
        moved
            .and_then(|moved| OffsetDateTime::from_unix_timestamp_nanos(moved).ok())
            .and_then(Self::in_range)
            .ok_or_else(|| InvalidTimestamp {
                text: format!("{self} moved by {nanoseconds} ns"),
                problem: OUT_OF_RANGE,
            })
    }

    /// The moment that is `duration` after this one.
    ///
    /// # Errors
    ///
    /// If the moment would be out of range.
    pub fn after(self, duration: Duration) -> Result<Self, InvalidTimestamp> {
        self.moved_by(i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX))
    }

    fn in_range(moment: OffsetDateTime) -> Option<Self> {
        let moment = moment.checked_to_offset(UtcOffset::UTC)?;
        (0..=9999).contains(&moment.year()).then_some(Self { moment })
    }
}

impl std::str::FromStr for Timestamp {
    type Err = InvalidTimestamp;

    fn from_str(text: &str) -> Result<Self, InvalidTimestamp> {
        let invalid = |problem| InvalidTimestamp { text: text.into(), problem };
        check_exact(text).map_err(invalid)?;
        let moment = OffsetDateTime::parse(text, &Rfc3339)
            .map_err(|_| invalid("it is not RFC 3339 with an offset"))?;
        Self::in_range(moment).ok_or_else(|| invalid(OUT_OF_RANGE))
    }
}

/// # Errors
///
/// If the moment is out of range.
impl TryFrom<SystemTime> for Timestamp {
    type Error = InvalidTimestamp;

    fn try_from(moment: SystemTime) -> Result<Self, InvalidTimestamp> {
        let nanoseconds = match moment.duration_since(SystemTime::UNIX_EPOCH) {
            Ok(since) => i128::try_from(since.as_nanos()).ok(),
            Err(before) => i128::try_from(before.duration().as_nanos()).ok().map(|n| -n),
        };
        nanoseconds
            .and_then(|nanoseconds| OffsetDateTime::from_unix_timestamp_nanos(nanoseconds).ok())
            .and_then(Self::in_range)
            .ok_or_else(|| InvalidTimestamp {
                text: "the system's time".into(),
                problem: OUT_OF_RANGE,
            })
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A moment in range can always be written.
        f.write_str(&self.moment.format(&Rfc3339).map_err(|_| fmt::Error)?)
    }
}

impl InvalidTimestamp {
    /// The stable code, where a decision holds the text.
    pub fn code(&self) -> Code {
        Code::AuthorityInvalidTimestamp
    }
}

/// Refuses what the parser would take without keeping it exactly: another separator than `T`, a
/// leap second, and fractions finer than a nanosecond.
fn check_exact(text: &str) -> Result<(), &'static str> {
    let bytes = text.as_bytes();
    if !matches!(bytes.get(10), Some(b'T' | b't')) {
        return Err("it is not RFC 3339 with an offset");
    }
    if bytes.get(17..19) == Some(b"60") {
        return Err("a leap second can't be kept exactly");
    }
    let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
    let mut finer = fraction.bytes().take_while(u8::is_ascii_digit).skip(9);
    if finer.any(|digit| digit != b'0') {
        return Err("it is finer than a nanosecond");
    }
    Ok(())
}
