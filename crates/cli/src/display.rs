//! How ids and custody are shown to people.

use std::fmt;

use swampbox_custody::Snapshot;
use swampbox_material::Shown;

/// An id: as it is where nothing in it can mislead, and in quotes elsewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Name<'a>(pub(crate) &'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:@/+".contains(&byte);
        if self.0.bytes().all(plain) {
            f.pad(self.0)
        } else {
            f.pad(&Shown::text(self.0).to_string())
        }
    }
}

/// Who submitted a consequence, who holds it, and what it was derived from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hands<'a>(pub(crate) &'a Snapshot);

impl fmt::Display for Hands<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origin = Name(self.0.origin_execution_id.as_str());
        match &self.0.current_execution_id {
            Some(current) if *current == self.0.origin_execution_id => {
                write!(f, "submitted and held by {origin}")?;
            }
            Some(current) => {
                write!(f, "submitted by {origin}, held by {}", Name(current.as_str()))?;
            }
            None => write!(f, "submitted by {origin}, quarantined")?,
        }
        match &self.0.parent_consequence_id {
            Some(parent) => write!(f, ", derived from {}", Name(parent.as_str())),
            None => Ok(()),
        }
    }
}
