use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use zeroize::Zeroizing;

/// A credential that an operator gives an actuator: 1 to 4,096 visible ASCII characters.
///
/// No text that it is shown as holds it, it is compared with nothing, and its memory is overwritten
/// when the last clone is dropped. What a request makes of it on its way out is not overwritten.
///
/// ```
/// use swampbox_actuators::Secret;
///
/// let token: Secret = "ghp_0123456789".parse()?;
/// assert_eq!(format!("{token:?}"), "Secret(hidden)");
/// # Ok::<(), swampbox_actuators::InvalidSecret>(())
/// ```
#[derive(Clone)]
pub struct Secret {
    text: Arc<Zeroizing<String>>,
}

/// Text that is no [`Secret`]. It is not repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a credential is 1 to 4096 visible ASCII characters without spaces; this text is not")]
pub struct InvalidSecret {
    _private: (),
}

const MAX_BYTES: usize = 4_096;

impl Secret {
    /// The credential of this text, which is overwritten if it is refused.
    ///
    /// # Errors
    ///
    /// If the text is empty or too long, or holds anything but visible ASCII.
    pub fn new(text: String) -> Result<Self, InvalidSecret> {
        let text = Zeroizing::new(text);
        let visible = text.bytes().all(|byte| byte.is_ascii_graphic());
        if visible && (1..=MAX_BYTES).contains(&text.len()) {
            Ok(Self { text: Arc::new(text) })
        } else {
            Err(InvalidSecret { _private: () })
        }
    }

    pub(crate) fn expose(&self) -> &str {
        &self.text
    }
}

impl FromStr for Secret {
    type Err = InvalidSecret;

    fn from_str(text: &str) -> Result<Self, InvalidSecret> {
        Self::new(text.to_owned())
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(hidden)")
    }
}
