//! Judges the API's answer to the creation.

use swampbox_material::{Map, Value};

use super::address::GitHubApi;
use super::wanted::{Wanted, What};

/// What was created, in words.
///
/// # Errors
///
/// Why the answer does not say that this was created in this repository.
pub(crate) fn created(
    api: &GitHubApi,
    wanted: &Wanted<'_>,
    body: &[u8],
) -> Result<String, &'static str> {
    let answer = Value::from_json(body).map_err(|_| "it is not JSON, or not all of it")?;
    let answer = answer.as_map().ok_or("it is no JSON object")?;
    let id = positive(answer, "id").ok_or("it has no id")?;
    let repository = api.repository(&wanted.repository);
    let pages = api.pages(&wanted.repository);
    let (name, page) = match wanted.what {
        What::Issue { .. } => {
            if !names(answer, "repository_url", &repository) {
                return Err("it does not name the repository");
            }
            let number = positive(answer, "number").ok_or("it has no number")?;
            (format!("issue {number}"), format!("{pages}/issues/{number}"))
        }
        What::Comment { issue, .. } => {
            if !names(answer, "issue_url", &format!("{repository}/issues/{issue}")) {
                return Err("it does not name the issue");
            }
            let name = format!("comment {id} on issue {issue}");
            (name, format!("{pages}/issues/{issue}#issuecomment-{id}"))
        }
    };
    // Their words are shown only where they are what ours would be.
    Ok(match text(answer, "html_url").filter(|url| url.eq_ignore_ascii_case(&page)) {
        Some(_) => format!("created {name}, {page}"),
        None => format!("created {name} in {}", wanted.repository),
    })
}

pub(crate) fn positive(map: &Map, key: &str) -> Option<u64> {
    match map.get(key) {
        Some(Value::Integer(number)) => number.as_u64().filter(|number| *number > 0),
        _ => None,
    }
}

pub(crate) fn text<'a>(map: &'a Map, key: &str) -> Option<&'a str> {
    map.get(key).and_then(Value::as_str)
}

/// Whether the address at `key` is this one. GitHub writes owner and repository as they were created,
/// whatever case they are asked for in.
pub(crate) fn names(map: &Map, key: &str, address: &str) -> bool {
    text(map, key).is_some_and(|text| text.eq_ignore_ascii_case(address))
}
