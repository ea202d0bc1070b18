//! Targets that no consequence can have.

use swampbox_actuators::Origin;
use swampbox_material::Pattern;

use super::Config;
use super::surroundings::overlap;
use crate::failure::Failure;

impl Config {
    /// The pattern of the target of HTTP requests. What is neither an origin nor matches one would stand
    /// there for nothing.
    pub(super) fn origins(&self, place: &str, text: &str) -> Result<Pattern, Failure> {
        let problem = match text.contains('*') {
            true => why_none_matches(text).map(|why| {
                format!("no request has a target that matches `target`: {why}; mend the pattern")
            }),
            false => text.parse::<Origin>().err().map(|error| {
                let remedy = match Origin::nearest_to(text) {
                    Some(nearest) => format!("write `target = \"{nearest}\"`"),
                    None => "write one, such as `target = \"https://api.example.com\"`".to_owned(),
                };
                format!("no request has the target that `target` says: {error}; {remedy}")
            }),
        };
        match problem {
            Some(problem) => Err(self.invalid(place, problem)),
            None => self.pattern(place, text),
        }
    }
}

/// Why no origin matches the pattern, where that is sure.
fn why_none_matches(pattern: &str) -> Option<&'static str> {
    let may_stand_there = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '-' | '_' | '.' | ':' | '/' | '[' | ']' | '*');
    let begins = |scheme: &str| overlap(pattern.as_bytes(), scheme.as_bytes());
    let behind = pattern.split_once("://").map_or("", |(_, behind)| behind);
    if !pattern.chars().all(may_stand_there) {
        Some("it holds a character that stands in no origin, such as a capital letter")
    } else if !begins("http://*") && !begins("https://*") {
        Some("an origin begins with `http://` or `https://`")
    } else if behind.contains('/') || pattern.ends_with('/') {
        Some("nothing follows the host and the port of an origin, not even a `/`")
    } else if (pattern.starts_with("http://") && pattern.ends_with(":80"))
        || (pattern.starts_with("https://") && pattern.ends_with(":443"))
    {
        Some("the scheme's own port is left out of an origin")
    } else {
        None
    }
}
