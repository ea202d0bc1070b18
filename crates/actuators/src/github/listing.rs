//! Looks for what should have been created, page by page.

use swampbox_material::{Map, Value};

use super::answer::{names, positive, text};
use super::wanted::What;

/// What one page of a list showed.
#[derive(Debug)]
pub(crate) enum Seen {
    /// The number or id of one that is exactly what is looked for.
    This(u64),
    /// So many items, and it is not among them.
    Others(usize),
}

/// Reads a page of the list at `repository`, an address in the API.
///
/// # Errors
///
/// Why the page can't be believed.
pub(crate) fn read(body: &[u8], what: &What<'_>, repository: &str) -> Result<Seen, &'static str> {
    let page = Value::from_json(body).map_err(|_| "a page is not JSON, or not all of it")?;
    let items = page.as_list().ok_or("a page is no JSON list")?.items();
    for item in items {
        let item = item.as_map().ok_or("an item is no JSON object")?;
        let found = match what {
            What::Issue { title, body } => issue(item, title, body.unwrap_or(""), repository)?,
            What::Comment { issue, body } => comment(item, *issue, body, repository)?,
        };
        if let Some(number) = found {
            return Ok(Seen::This(number));
        }
    }
    Ok(Seen::Others(items.len()))
}

fn issue(
    item: &Map,
    title: &str,
    body: &str,
    repository: &str,
) -> Result<Option<u64>, &'static str> {
    if !names(item, "repository_url", repository) {
        return Err("an item belongs to another repository");
    }
    let number = positive(item, "number").ok_or("an item has no number")?;
    let its_title = text(item, "title").ok_or("an item has no title")?;
    let its_body = body_of(item)?;
    let is_issue = item.get("pull_request").is_none();
    Ok((is_issue && its_title == title && its_body == body).then_some(number))
}

fn comment(
    item: &Map,
    issue: u64,
    body: &str,
    repository: &str,
) -> Result<Option<u64>, &'static str> {
    if !names(item, "issue_url", &format!("{repository}/issues/{issue}")) {
        return Err("an item belongs to another issue");
    }
    let id = positive(item, "id").ok_or("an item has no id")?;
    Ok((body_of(item)? == body).then_some(id))
}

/// An item without a body has null there.
fn body_of(item: &Map) -> Result<&str, &'static str> {
    match item.get("body") {
        Some(Value::String(body)) => Ok(body),
        Some(Value::Null) => Ok(""),
        _ => Err("an item has no body"),
    }
}
