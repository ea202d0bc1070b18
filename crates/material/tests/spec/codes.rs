use std::collections::BTreeSet;

use insta::assert_snapshot;
use swampbox_material::Code;

#[test]
fn every_code_has_a_meaning_and_a_remedy() {
    let rows = Code::ALL
        .iter()
        .map(|code| format!("{code}\n    {}\n    {}", code.meaning(), code.remedy()));
    assert_snapshot!(rows.collect::<Vec<_>>().join("\n"));
}

#[test]
fn no_two_codes_are_the_same() {
    let names: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(names.len(), Code::ALL.len());
}

#[test]
fn codes_are_lower_case_words_and_their_texts_sentences() {
    for code in Code::ALL {
        let name = code.as_str();
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{name}");
        for text in [code.meaning(), code.remedy()] {
            assert!(text.starts_with(char::is_uppercase) && text.ends_with('.'), "{name}: {text}");
        }
    }
}
