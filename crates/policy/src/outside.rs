//! What the providers have in common that ask outside the program.

use std::time::Duration;

use swampbox_authority::AuthorityRequest;
use swampbox_material::json::Json;

/// What an authority outside the program is sent: the snapshot as a document, and with it the time
/// at which the boundary asks, so that a decision can begin by the boundary's clock.
pub(crate) fn question(request: &AuthorityRequest) -> String {
    let mut document = request.snapshot.to_document();
    if let Json::Map(fields) = &mut document {
        let asked = request.evaluated_at.to_string();
        fields.insert("evaluated_at", Json::from(asked.as_str()));
    }
    document.to_string()
}

/// A timeout within its bounds: from a millisecond to an hour.
pub(crate) fn within_bounds(timeout: Duration) -> Duration {
    timeout.clamp(Duration::from_millis(1), Duration::from_secs(60 * 60))
}
