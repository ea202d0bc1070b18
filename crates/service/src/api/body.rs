//! Reading the body of a request: within its bounds, and strictly.

use std::time::Duration;

use axum::body::{Body, HttpBody};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use swampbox_material::Code;
use swampbox_material::json::{Json, MAX_DOCUMENT_VALUES};
use tokio::time::timeout;

use super::Problem;

/// How many bytes a body takes while it is read, and what it is read into, at the most. All of it is taken
/// before any of it is read: whoever held a part and waited for the rest would keep others from theirs.
///
/// # Errors
///
/// `too_large` for one that is announced to have more than `most`.
pub(crate) fn room_for(body: &Body, most: usize) -> Result<usize, Problem> {
    let hint = body.size_hint();
    // What is announced is refused before any of it is read.
    if !usize::try_from(hint.lower()).is_ok_and(|announced| announced <= most) {
        return Err(too_large(most));
    }
    let length = hint.exact().and_then(|length| usize::try_from(length).ok()).unwrap_or(most);
    // A value has one byte at the least, and all but the first something before it.
    Ok(length + of_values(length / 2))
}

/// What a body of this text has in the end.
pub(crate) fn room_of(text: &[u8]) -> usize {
    let before = |byte: &&u8| matches!(byte, b',' | b':' | b'[' | b'{');
    text.len() + of_values(text.iter().filter(before).count())
}

fn of_values(count: usize) -> usize {
    count.min(MAX_DOCUMENT_VALUES) * size_of::<Json>()
}

/// Reads one JSON text. An empty one is none.
pub(crate) fn read(text: &[u8]) -> Result<Option<Json>, Problem> {
    match text.is_empty() {
        true => Ok(None),
        false => Ok(Some(Json::read(text)?)),
    }
}

/// Reads the body.
pub(crate) async fn bytes(body: Body, most: usize, within: Duration) -> Result<Vec<u8>, Problem> {
    let collected = timeout(within, Limited::new(body, most).collect()).await;
    let collected = collected.map_err(|_| {
        let message = format!("the body did not come within {within:?}");
        Problem::new(Code::RequestTimeout, message)
    })?;
    match collected {
        Ok(collected) => Ok(collected.to_bytes().into()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large(most)),
        Err(_) => Err(Problem::new(Code::InvalidDocument, "the body broke off")),
    }
}

fn too_large(most: usize) -> Problem {
    Problem::new(Code::TooLarge, format!("the body has more than {most} bytes"))
}
