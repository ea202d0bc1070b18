//! Reading the body of a request: within its bounds, and strictly.

use std::time::Duration;

use axum::body::Body;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use swampbox_material::Code;
use swampbox_material::json::Json;
use tokio::time::timeout;

use super::Problem;

/// Reads the body as one JSON text. An empty one is null.
pub(crate) async fn read(body: Body, most: usize, within: Duration) -> Result<Json, Problem> {
    let text = bytes(body, most, within).await?;
    match text.is_empty() {
        true => Ok(Json::Null),
        false => Ok(Json::read(&text)?),
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
        Err(error) if error.is::<LengthLimitError>() => {
            Err(Problem::new(Code::TooLarge, format!("the body has more than {most} bytes")))
        }
        Err(_) => Err(Problem::new(Code::InvalidDocument, "the body broke off")),
    }
}
