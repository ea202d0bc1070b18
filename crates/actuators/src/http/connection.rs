use std::fmt;

use swampbox_material::Shown;
use ureq::http::{HeaderName, HeaderValue};

/// What the operator adds to each request for one origin, so that whoever proposes it never sees it:
/// one header with a credential.
///
/// It is shown nowhere: not in `Debug`, a report or an error.
///
/// ```
/// use swampbox_actuators::Connection;
///
/// let connection = Connection::bearer("issues", "s3cret")?;
/// assert!(!format!("{connection:?}").contains("s3cret"));
/// # Ok::<(), swampbox_actuators::InvalidConnection>(())
/// ```
#[derive(Clone)]
pub struct Connection {
    name: String,
    header: HeaderName,
    // INVARIANT (secret): marked as sensitive.
    value: HeaderValue,
}

/// A credential that can't be sent. It is not repeated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the connection {} can't be made: {problem}", Shown::text(.name))]
pub struct InvalidConnection {
    name: String,
    problem: &'static str,
}

impl Connection {
    /// One that sends `authorization: Bearer TOKEN`.
    ///
    /// # Errors
    ///
    /// For a token that is empty, or not visible ASCII.
    pub fn bearer(name: impl Into<String>, token: &str) -> Result<Self, InvalidConnection> {
        let name = name.into();
        if token.is_empty() {
            return Err(InvalidConnection { name, problem: "the token is empty" });
        }
        Self::of(name, HeaderName::from_static("authorization"), &format!("Bearer {token}"))
    }

    /// One that sends this header.
    ///
    /// # Errors
    ///
    /// For a name that is no token, or a value that is not printable ASCII without outer spaces.
    pub fn header(
        name: impl Into<String>,
        header: &str,
        value: &str,
    ) -> Result<Self, InvalidConnection> {
        let name = name.into();
        match HeaderName::from_bytes(header.as_bytes()) {
            Ok(header) => Self::of(name, header, value),
            Err(_) => Err(InvalidConnection { name, problem: "the header's name is no token" }),
        }
    }

    fn of(name: String, header: HeaderName, value: &str) -> Result<Self, InvalidConnection> {
        let printable = value.bytes().all(|byte| matches!(byte, b' '..=b'~'));
        match HeaderValue::from_str(value) {
            Ok(mut kept) if printable && value.trim() == value => {
                kept.set_sensitive(true);
                Ok(Self { name, header, value: kept })
            }
            _ => {
                let problem = "the credential is not printable ASCII without outer spaces";
                Err(InvalidConnection { name, problem })
            }
        }
    }

    /// The name by which the operator speaks of it.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn credential(&self) -> (&HeaderName, &HeaderValue) {
        (&self.header, &self.value)
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the connection {} with a header `{}`", Shown::text(&self.name), self.header)
    }
}
