use std::fmt::Write;

use insta::assert_snapshot;
use swampbox_material::{Material, Shown, Value};

use crate::table::value;

/// The string and each of the characters in it, shown.
fn shown(groups: &[(&str, &[char])]) -> String {
    let mut table = String::new();
    for (name, characters) in groups {
        writeln!(table, "{name}").unwrap();
        for &c in *characters {
            let text = format!("a{c}b");
            writeln!(table, "    U+{:04X} {}", u32::from(c), Shown::text(&text)).unwrap();
        }
    }
    table
}

#[test]
fn every_kind_of_invisible_character_is_an_escape() {
    assert_snapshot!(shown(&[
        (
            "control",
            &[
                '\0', '\u{7}', '\u{8}', '\t', '\n', '\u{b}', '\r', '\u{1b}', '\u{1f}', '\u{7f}',
                '\u{80}', '\u{85}', '\u{9f}'
            ]
        ),
        (
            "white space",
            &[
                '\u{a0}', '\u{1680}', '\u{2000}', '\u{2003}', '\u{2009}', '\u{200a}', '\u{202f}',
                '\u{205f}', '\u{3000}'
            ]
        ),
        ("line and paragraph separators", &['\u{2028}', '\u{2029}']),
        (
            "bidirectional",
            &[
                '\u{61c}', '\u{200e}', '\u{200f}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}',
                '\u{202e}', '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}'
            ]
        ),
        (
            "zero width",
            &[
                '\u{ad}', '\u{34f}', '\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}', '\u{2061}',
                '\u{2064}', '\u{2065}', '\u{206a}', '\u{206f}', '\u{feff}'
            ]
        ),
        (
            "fillers and blanks",
            &[
                '\u{115f}',
                '\u{1160}',
                '\u{17b4}',
                '\u{17b5}',
                '\u{2800}',
                '\u{3164}',
                '\u{ffa0}',
                '\u{fffc}',
                '\u{13441}',
                '\u{13442}',
                '\u{16fe4}',
                '\u{1d159}'
            ]
        ),
        (
            "script formats",
            &[
                '\u{600}',
                '\u{605}',
                '\u{6dd}',
                '\u{70f}',
                '\u{890}',
                '\u{8e2}',
                '\u{180b}',
                '\u{180e}',
                '\u{180f}',
                '\u{110bd}',
                '\u{110cd}',
                '\u{13430}',
                '\u{1343f}',
                '\u{1bca0}',
                '\u{1bca3}',
                '\u{1d173}',
                '\u{1d17a}'
            ]
        ),
        ("interlinear annotation", &['\u{fff0}', '\u{fff9}', '\u{fffa}', '\u{fffb}']),
        ("variation selectors", &['\u{fe00}', '\u{fe0e}', '\u{fe0f}', '\u{e0100}', '\u{e01ef}']),
        ("tags", &['\u{e0001}', '\u{e0020}', '\u{e0041}', '\u{e007f}']),
        (
            "private use",
            &['\u{e000}', '\u{f8ff}', '\u{f0000}', '\u{ffffd}', '\u{100000}', '\u{10fffd}']
        ),
        (
            "noncharacters",
            &[
                '\u{fdd0}',
                '\u{fdef}',
                '\u{fffe}',
                '\u{ffff}',
                '\u{1fffe}',
                '\u{2ffff}',
                '\u{10ffff}'
            ]
        ),
    ]));
}

#[test]
fn every_visible_character_is_itself() {
    let ascii = "AZaz09 !#$%&'()*+,-./:;<=>?@[]^_`{|}~";
    let beyond = "\u{e9}\u{df}\u{3b1}\u{430}\u{5d0}\u{627}\u{939}\u{65e5}\u{1f600}\u{fffd}e\u{301}";
    for visible in [ascii, beyond] {
        assert_eq!(Shown::text(visible).to_string(), format!("\"{visible}\""));
    }
}

#[test]
fn what_looks_like_an_escape_is_one() {
    let pairs = [
        ("\u{200b}", r"\u{200b}"),
        ("\n", r"\n"),
        ("\t", r"\t"),
        ("\r", r"\r"),
        ("\"", r#"\""#),
        ("\\", r"\\"),
    ];
    let table = pairs
        .map(|(character, spelled)| format!("{} {}", Shown::text(character), Shown::text(spelled)));
    assert_snapshot!(table.join("\n"));
}

#[test]
fn nothing_is_cut() {
    let long = "a long text \u{65e5}".repeat(10_000);
    assert_eq!(Shown::text(&long).to_string(), format!("\"{long}\""));
    let many = value(&format!("[{}1]", "1,".repeat(9_999)));
    assert_eq!(Shown::line(&many).to_string().matches('1').count(), 10_000);
    assert_eq!(Shown::block(&many).to_string().lines().count(), 10_002);
    let digits = "9".repeat(4300);
    assert_eq!(Shown::line(&value(&digits)).to_string(), digits);
}

#[test]
fn formatting_options_cut_nothing_either() {
    assert_eq!(format!("{:.2}", Shown::text("abcdef")), r#""abcdef""#);
}

const NESTED: &str = r#"{
    "text": "two\nlines", "numbers": [1, -0, 1.0, 1e2, -0.0, 123456789012345678901234567890],
    "flags": [true, false, null], "empty": [[], {}, ""],
    "odd \u202e key": {"deep": [{"er": "\u200b"}]}
}"#;

#[test]
fn a_value_on_one_line() {
    assert_snapshot!(Shown::line(&value(NESTED)));
}

#[test]
fn a_value_with_an_entry_a_line() {
    assert_snapshot!(Shown::block(&value(NESTED)));
}

#[test]
fn scalars_and_empty_containers_take_one_line() {
    let shown = ["null", "true", "1", "1.0", r#""""#, "[]", "{}"]
        .map(|text| Shown::block(&value(text)).to_string());
    assert_eq!(shown, ["null", "true", "1", "1.0", r#""""#, "[]", "{}"]);
}

#[test]
fn material_is_shown_field_by_field() {
    let material = Material::new(
        "mail",
        "ops@\u{202e}example.org",
        value(r#"{"subject": "hello\u0007", "cc": []}"#),
    );
    assert_snapshot!(material.shown());
}

#[test]
fn a_string_can_not_pose_as_structure() {
    let material = Material::new("mail\"\ntarget: \"ops", "x", Value::from("\"]"));
    assert_snapshot!(material.shown());
}

#[test]
fn a_json_text_is_shown_as_it_is_but_for_what_is_invisible() {
    let text = Value::from("\u{202e}\\u{202e}\n\u{e9}").to_json();
    assert_eq!(Shown::json(&text).to_string(), "\"\\u{202e}\\\\u{202e}\\n\u{e9}\"");
}

#[test]
fn an_error_message_holds_eighty_characters_of_a_text_and_its_length() {
    let eighty = "\u{e9}".repeat(80);
    assert_eq!(Shown::brief(&eighty).to_string(), format!("\"{eighty}\""));
    let longer = format!("{eighty}\u{202e}");
    assert_eq!(Shown::brief(&longer).to_string(), format!("\"{eighty}\"\u{2026} (163 bytes)"),);
    assert_eq!(Shown::brief("\u{202e}").to_string(), "\"\\u{202e}\"");
}

#[test]
fn a_text_hides_something_exactly_if_something_in_it_would_be_escaped() {
    for text in ["alice", "Łukasz 7", "שלום", "a\\b\"", ""] {
        assert!(Shown::hides_nothing(text), "{text:?}");
    }
    for text in
        ["alice\u{200b}", "\u{202e}ecila", "a\u{a0}b", "a\u{7f}", "a\n", "\u{feff}", "a\u{ad}"]
    {
        assert!(!Shown::hides_nothing(text), "{text:?}");
    }
}
