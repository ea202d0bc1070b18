//! Which strings a pattern stands for.

use insta::assert_snapshot;
use swampbox_material::Shown;
use swampbox_policy::{MAX_PATTERN_BYTES, Pattern};

use crate::asked::{lines, parsed};

fn matched(pattern: &str, texts: &[&str]) -> String {
    let compiled: Pattern = parsed(pattern);
    lines(texts, |text| {
        let answer = if compiled.matches(text) { "yes" } else { "no" };
        format!("{pattern:14} {:34} {answer}", Shown::text(text).to_string())
    })
}

fn refused(text: &str) -> String {
    let error = text.parse::<Pattern>().unwrap_err();
    format!("{}: {error}", error.code())
}

#[test]
fn a_pattern_without_a_star_stands_for_itself_letter_for_letter() {
    let texts = ["note", "Note", "note ", " note", "notes", "not", "", "n\u{f6}te", "no\u{200b}te"];
    assert_snapshot!(matched("note", &texts));
}

#[test]
fn a_star_stands_for_any_run_of_characters_and_for_none() {
    let cases = [
        matched("*", &["", "a", "a b/c.d\n"]),
        matched("triage-*", &["triage-", "triage-7", "triage", "xtriage-7"]),
        matched("*.example.com", &[".example.com", "a.b.example.com", "example.com"]),
        matched("a*b", &["ab", "a/b", "aXbX", "ba", "aXbXb"]),
        matched("a*b*c", &["abc", "aXbXc", "acb", "abXbXc", "ac"]),
    ];
    assert_snapshot!(cases.join("\n\n"));
}

#[test]
fn the_pieces_of_a_pattern_never_share_a_character() {
    let cases = [
        matched("aa*aa", &["aaaa", "aaa", "aa"]),
        matched("*ab*ba*", &["abba", "aba", "abXba", "baab"]),
    ];
    assert_snapshot!(cases.join("\n\n"));
}

#[test]
fn what_means_something_elsewhere_means_itself_here() {
    let cases = [
        matched("a.c", &["a.c", "abc"]),
        matched("a?c", &["a?c", "abc"]),
        matched("[ab]", &["[ab]", "a"]),
        matched("a\\*", &["a\\", "a\\b", "a*", "a"]),
    ];
    assert_snapshot!(cases.join("\n\n"));
}

#[test]
fn other_texts_are_no_patterns() {
    let (long, stars) = ("x".repeat(MAX_PATTERN_BYTES + 1), "a*".repeat(17));
    let cases = ["", "a**b", "***", "a\nb", "a\u{0}", &stars, &long];
    assert_snapshot!(lines(cases, refused));
}

#[test]
fn the_longest_pattern_with_the_most_stars_is_one() {
    let pattern = format!("{}{}", "a*".repeat(16), "x".repeat(MAX_PATTERN_BYTES - 32));
    assert!(pattern.parse::<Pattern>().is_ok());
}

#[test]
fn a_hostile_text_is_matched_in_little_time() {
    let pattern: Pattern = parsed(&"a*".repeat(16));
    let text = "a".repeat(8 << 20);
    assert!(pattern.matches(&text));
    assert!(!pattern.matches(&format!("b{text}")));
    let never: Pattern = parsed(&format!("*{}", "ab*".repeat(15)));
    assert!(!never.matches(&text));
}
