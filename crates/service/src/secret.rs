//! Credentials that the service makes, and what it keeps of them.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};
use swampbox_custody::{ExecutionId, StoreFailure};
use swampbox_material::hex;

use crate::principal::KeyHash;

/// How many random bytes make a credential. Nobody guesses 256 bits, so a plain hash of them is enough
/// to keep.
const BYTES: usize = 32;

const API_KEY: &str = "swk_";
const EXECUTION_TOKEN: &str = "swx_";

/// An API key. It is shown once, to be handed to its principal; the configuration holds its hash.
pub struct ApiKey {
    text: String,
}

impl ApiKey {
    /// A new one.
    ///
    /// # Errors
    ///
    /// If the system gives no random bytes.
    pub fn generate() -> Result<Self, StoreFailure> {
        Ok(Self { text: format!("{API_KEY}{}", random()?) })
    }

    /// The key itself.
    pub fn reveal(&self) -> &str {
        &self.text
    }

    /// What is kept of it.
    pub fn hash(&self) -> KeyHash {
        KeyHash::of(&self.text)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(..)")
    }
}

/// The credential of one execution. It names the execution, so that it is found without a search.
pub(crate) struct ExecutionToken {
    pub(crate) execution: ExecutionId,
    secret: String,
}

impl ExecutionToken {
    pub(crate) fn generate(execution: &ExecutionId) -> Result<Self, StoreFailure> {
        Ok(Self { execution: execution.clone(), secret: random()? })
    }

    /// What is kept of it.
    pub(crate) fn hash(&self) -> KeyHash {
        KeyHash::of(&self.secret)
    }

    /// The token as it is shown, once.
    pub(crate) fn reveal(&self) -> String {
        let execution = URL_SAFE_NO_PAD.encode(self.execution.as_str());
        format!("{EXECUTION_TOKEN}{execution}.{}", self.secret)
    }
}

/// It is no token of an execution.
pub(crate) struct NoToken;

impl FromStr for ExecutionToken {
    type Err = NoToken;

    fn from_str(text: &str) -> Result<Self, NoToken> {
        let rest = text.strip_prefix(EXECUTION_TOKEN).ok_or(NoToken)?;
        let (execution, secret) = rest.split_once('.').ok_or(NoToken)?;
        let execution = URL_SAFE_NO_PAD.decode(execution).map_err(|_| NoToken)?;
        let execution = String::from_utf8(execution).map_err(|_| NoToken)?;
        let execution = execution.parse().map_err(|_| NoToken)?;
        Ok(Self { execution, secret: secret.to_owned() })
    }
}

/// The SHA-256 of a text, in hexadecimal digits.
pub(crate) fn sha256(text: &str) -> String {
    hex::encode(&Sha256::digest(text))
}

/// Random bytes as text.
pub(crate) fn random() -> Result<String, StoreFailure> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes).map_err(StoreFailure::new)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}
