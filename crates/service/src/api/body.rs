//! Reading the body of a request: within its bounds, and strictly.

use std::time::Duration;

use axum::body::{Body, HttpBody};
use http_body_util::BodyExt;
use swampbox_material::Code;
use swampbox_material::json::{Json, MAX_DOCUMENT_VALUES};
use tokio::time::timeout;

use super::Problem;
use crate::budget::{Held, Share};

/// Reads the body as one JSON text. An empty one is none. It is among the bytes in flight, and so is what
/// it is read into, as long as what is given with it.
pub(crate) async fn read(
    body: Body,
    most: usize,
    within: Duration,
    share: &Share,
) -> Result<(Option<Json>, Held), Problem> {
    let mut held = Held::default();
    let text = bytes(body, most, within, share, &mut held).await?;
    if text.is_empty() {
        return Ok((None, held));
    }
    share.hold(&mut held, values(&text) * size_of::<Json>()).await?;
    Ok((Some(Json::read(&text)?), held))
}

/// Reads the body. It is among the bytes in flight as long as `held`.
pub(crate) async fn bytes(
    body: Body,
    most: usize,
    within: Duration,
    share: &Share,
    held: &mut Held,
) -> Result<Vec<u8>, Problem> {
    // What is announced is refused before any of it is read.
    if !usize::try_from(body.size_hint().lower()).is_ok_and(|announced| announced <= most) {
        return Err(too_large(most));
    }
    timeout(within, collected(body, most, share, held)).await.unwrap_or_else(|_| {
        let message = format!("the body did not come within {within:?}");
        Err(Problem::new(Code::RequestTimeout, message))
    })
}

async fn collected(
    mut body: Body,
    most: usize,
    share: &Share,
    held: &mut Held,
) -> Result<Vec<u8>, Problem> {
    let mut all = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Problem::new(Code::InvalidDocument, "the body broke off"))?;
        let Ok(part) = frame.into_data() else { continue };
        if part.len() > most - all.len() {
            return Err(too_large(most));
        }
        share.hold(held, part.len()).await?;
        all.extend_from_slice(&part);
    }
    Ok(all)
}

fn too_large(most: usize) -> Problem {
    Problem::new(Code::TooLarge, format!("the body has more than {most} bytes"))
}

/// How many values a text has at the most, as far as that is seen without reading it: each but the first
/// comes after one of these.
fn values(text: &[u8]) -> usize {
    let before = |byte: &&u8| matches!(byte, b',' | b':' | b'[' | b'{');
    text.iter().filter(before).count().min(MAX_DOCUMENT_VALUES)
}
