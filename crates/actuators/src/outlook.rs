//! Words for what an actuator would do with material.

use std::path::{Path, absolute};

use swampbox_material::Shown;

/// That the actuator of this name carries it out, and what that comes to.
pub(crate) fn outlook(actuator: &str, what: &str) -> String {
    format!("{actuator} carries it out, once: {what}")
}

/// Where something is: the path from the root, so that it is the same from wherever it is named.
pub(crate) fn place(place: &Path) -> String {
    path(&absolute(place).unwrap_or_else(|_| place.to_owned()))
}

/// A path, whole, so that two different ones never look the same.
pub(crate) fn path(path: &Path) -> String {
    match path.to_str() {
        Some(text) => Shown::text(text).to_string(),
        None => format!("{path:?}"),
    }
}

/// Texts in quotes, whole, with commas between them.
pub(crate) fn texts<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    list(texts.into_iter().map(Shown::text))
}

/// Things with commas between them.
pub(crate) fn list(things: impl IntoIterator<Item: ToString>) -> String {
    things.into_iter().map(|thing| thing.to_string()).collect::<Vec<_>>().join(", ")
}
