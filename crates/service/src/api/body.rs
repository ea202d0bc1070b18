//! Reading the body of a request: within its bounds, and strictly.

use std::time::Duration;

use axum::body::{Body, HttpBody};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use swampbox_material::Code;
use swampbox_material::json::Json;
use tokio::time::timeout;

use super::Problem;

/// Reads the body as one JSON text. An empty one is none.
pub(crate) async fn read(
    body: Body,
    most: usize,
    within: Duration,
) -> Result<Option<Json>, Problem> {
    let text = bytes(body, most, within).await?;
    match text.is_empty() {
        true => Ok(None),
        false => Ok(Some(Json::read(&text)?)),
    }
}

/// Reads the body.
pub(crate) async fn bytes(body: Body, most: usize, within: Duration) -> Result<Vec<u8>, Problem> {
    let too_large = || Problem::new(Code::TooLarge, format!("the body has more than {most} bytes"));
    // What is announced is refused before any of it is read.
    if !usize::try_from(body.size_hint().lower()).is_ok_and(|announced| announced <= most) {
        return Err(too_large());
    }
    let collected = timeout(within, Limited::new(body, most).collect()).await;
    let collected = collected.map_err(|_| {
        let message = format!("the body did not come within {within:?}");
        Problem::new(Code::RequestTimeout, message)
    })?;
    match collected {
        Ok(collected) => Ok(collected.to_bytes().into()),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large()),
        Err(_) => Err(Problem::new(Code::InvalidDocument, "the body broke off")),
    }
}
