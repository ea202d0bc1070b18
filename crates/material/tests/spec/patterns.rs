//! Patterns for types, targets and ids.

use insta::assert_snapshot;
use swampbox_material::Pattern;

#[test]
fn a_star_stands_for_any_run_of_characters_and_the_rest_for_itself() {
    let table = [
        ("http.request", "http.request HTTP.REQUEST http.requests xhttp.request"),
        ("*", "anything at-all *"),
        ("http.*", "http. http.request http"),
        ("*.request", "http.request .request request"),
        ("a*b*c", "abc axxbxxc abcbc acb ab aabbcc ac"),
        ("a*a", "aa aba a"),
        ("ab*ba", "abba aba ababa"),
        ("**", "anything"),
        ("é*", "é e\u{301} éa"),
    ];
    let told = table.map(|(pattern, texts)| {
        let pattern: Pattern = pattern.parse().unwrap();
        let matches = |text: &&str| pattern.matches(text);
        let (yes, no): (Vec<_>, Vec<_>) = texts.split(' ').partition(matches);
        format!("{pattern}\n  matches {}\n  but not {}", yes.join(", "), no.join(", "))
    });
    assert_snapshot!(told.join("\n"));
}

#[test]
fn an_empty_pattern_and_one_that_is_too_long_are_refused() {
    let refused = |text: &str| text.parse::<Pattern>().unwrap_err().to_string();
    let expected = r#""" can't be a pattern: it has to have from 1 to 1024 bytes"#;
    assert_eq!(refused(""), expected);
    assert!(refused(&"x".repeat(1_025)).ends_with("from 1 to 1024 bytes"));
    assert!("x".repeat(1_024).parse::<Pattern>().is_ok());
}

#[test]
fn a_pattern_of_stars_alone_matches_everything_and_no_other_one_does() {
    let (everything, less): (Vec<&str>, Vec<&str>) =
        ["*", "**", "***", "a", "a*", "*a", "*a*", "* *"]
            .into_iter()
            .partition(|text| text.parse::<Pattern>().unwrap().matches_everything());
    assert_eq!(everything, ["*", "**", "***"]);
    assert_eq!(less, ["a", "a*", "*a", "*a*", "* *"]);
}
