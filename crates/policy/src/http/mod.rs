//! Asks a server.

mod exchange;
mod repeats;
mod token;
mod url;

use std::time::Duration;

use swampbox_authority::{AuthorityProvider, AuthorityRequest, DecisionDocument, NoDecision};
use swampbox_material::json::{Json, MAX_DOCUMENT_BYTES};

use crate::outside::{question, within_bounds};
use exchange::Authority;
pub use token::{BearerToken, InvalidBearerToken};
pub use url::{AuthorityUrl, InvalidUrl};

/// Asks a server, with one POST for each question.
///
/// The body is the snapshot as a JSON document, with one more field, `evaluated_at`: when the
/// boundary asks, by its own clock. A decision that is issued at that time has begun, however the
/// clocks differ. The answer is one decision document, with the status 200; whatever follows it on the
/// connection is not read.
///
/// | what comes back | answer |
/// | --- | --- |
/// | 200 with a body | the body, read strictly; if it is nothing, is not JSON, or holds two documents, the boundary refuses it as `authority_invalid` |
/// | any other status, a redirect too | no decision (`authority_unavailable`), with the status; the body is not looked at |
/// | an answer that breaks off, is too long or comes too late, or none | no decision |
/// | an answer that repeats the token, also in base64 or escaped | no decision: it would be recorded |
///
/// Each question has a connection of its own. No redirect is followed, no proxy is taken from the
/// environment, and nothing is sent twice. For `https` it trusts the authorities that Mozilla trusts,
/// as they are compiled in, and does not look at the system's own. Of a header at most 64 KiB are
/// read. Neither a reason nor the debug output ever holds the token.
///
/// A decision stands as long as its window holds; the server is not asked again at the edge. It rests
/// on `{"url": url}`.
///
/// ```
/// use std::time::Duration;
/// use swampbox_policy::HttpProvider;
///
/// # let token = "0123456789abcdef";
/// let authority = HttpProvider::builder("https://authority.example.com/decide".parse()?)
///     .bearer(token.parse()?)
///     .timeout(Duration::from_secs(5))
///     .named("authority")
///     .build();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct HttpProvider {
    authority: Authority,
    name: String,
}

impl HttpProvider {
    /// How long an exchange may take, unless something else is said: 10 seconds.
    pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(10);

    /// How long the body of an answer may be, unless something else is said: 64 KiB.
    pub const DEFAULT_ANSWER_BYTES: usize = 64 << 10;

    /// A provider that asks at this URL without a token, to be changed.
    pub fn builder(url: AuthorityUrl) -> HttpProviderBuilder {
        let authority = Authority {
            url,
            token: None,
            timeout: Self::DEFAULT_TIMEOUT,
            max_answer_bytes: Self::DEFAULT_ANSWER_BYTES,
        };
        HttpProviderBuilder { provider: Self { authority, name: "http".into() } }
    }

    /// Whether an answer holds the token, however it is written.
    fn repeats_the_token(&self, answer: &[u8]) -> bool {
        let token = self.authority.token.as_ref();
        token.is_some_and(|token| token.is_in(&String::from_utf8_lossy(answer)))
    }
}

impl AuthorityProvider for HttpProvider {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        let url = &self.authority.url;
        let answer = self
            .authority
            .ask(question(request))
            .map_err(|error| NoDecision::new(format!("{url}: {error}")))?;
        if self.repeats_the_token(&answer) {
            return Err(NoDecision::new(format!("{url}: its answer repeats the token")));
        }
        let basis = Json::object([("url", Json::from(url.as_str()))]);
        Ok(DecisionDocument::read(&answer).resting_on(basis))
    }

    fn name(&self) -> &str {
        &self.name
    }
}

/// Makes an [`HttpProvider`].
#[derive(Clone, Debug)]
#[must_use]
pub struct HttpProviderBuilder {
    provider: HttpProvider,
}

impl HttpProviderBuilder {
    /// The credential that is sent with each question.
    pub fn bearer(mut self, token: BearerToken) -> Self {
        self.provider.authority.token = Some(token);
        self
    }

    /// How long an exchange may take, from looking up the host to the last byte of the answer. [10
    /// seconds](HttpProvider::DEFAULT_TIMEOUT) by default; from a millisecond to an hour, and what is
    /// outside counts as the nearer of the two.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.provider.authority.timeout = within_bounds(timeout);
        self
    }

    /// How many bytes the body of an answer may have. [64
    /// KiB](HttpProvider::DEFAULT_ANSWER_BYTES) by default; at most 64 MiB, which counts for anything
    /// above. A decision repeats the material, so payloads have to fit into it.
    pub fn answer_limit(mut self, bytes: usize) -> Self {
        self.provider.authority.max_answer_bytes = bytes.min(MAX_DOCUMENT_BYTES);
        self
    }

    /// The name under which its decisions are recorded; `http` by default.
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.provider.name = name.into();
        self
    }

    /// The provider.
    pub fn build(self) -> HttpProvider {
        self.provider
    }
}
