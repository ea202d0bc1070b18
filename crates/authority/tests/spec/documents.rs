//! A decision document: exactly these fields, each of its type, whatever the authority sent.

use insta::assert_snapshot;
use swampbox_authority::{AuthorityDecision, DecisionDocument, Verdict};
use swampbox_material::json::Json;

use crate::fixture::{json, judged, lines, with, without};

#[test]
fn the_exact_decision_allows() {
    assert_eq!(judged(with(&[])), r#"[decision-1] allowed by "decision-1""#);
}

#[test]
fn the_order_of_the_fields_does_not_matter() {
    let decision = with(&[]);
    let fields: Vec<_> = decision.as_object().unwrap().iter().collect();
    let reversed = fields.into_iter().rev();
    let reversed = Json::object(reversed.map(|(key, value)| (key.clone(), value.clone())));
    assert_eq!(judged(reversed), judged(decision));
}

#[test]
fn every_field_is_required() {
    let answers = lines(AuthorityDecision::FIELDS, |field| {
        format!("without {field}: {}", judged(without(field)))
    });
    assert_snapshot!(answers);
}

/// A wrong window is not malformed yet: it is found when the window's turn comes.
#[test]
fn every_field_has_its_type() {
    let wrong = ["null", "true", "1", "[]", "{}", r#""""#];
    let cases =
        AuthorityDecision::FIELDS.iter().flat_map(|field| wrong.map(|value| (*field, value)));
    let answers = lines(cases, |(field, value)| {
        format!("{field} {value}: {}", judged(with(&[(field, value)])))
    });
    assert_snapshot!(answers);
}

#[test]
fn no_other_field_is_allowed() {
    let extra = ["note", "Verdict", "valid_for", "", "$serde_json::private::Number"];
    let answers =
        lines(extra, |field| format!("with {field:?}: {}", judged(with(&[(field, "1")]))));
    assert_snapshot!(answers);
}

#[test]
fn a_verdict_is_exactly_one_of_two_words() {
    let words = [
        r#""ALLOW""#,
        r#""DENY""#,
        r#""allow""#,
        r#""Allow""#,
        r#""ALLOW ""#,
        r#""\u0041LLOW""#,
        r#""ALLOW\u200b""#,
        r#""HOLD""#,
        r#"["ALLOW"]"#,
        "true",
    ];
    let answers = lines(words, |word| format!("{word}: {}", judged(with(&[("verdict", word)]))));
    assert_snapshot!(answers);
}

#[test]
fn the_words_of_a_verdict_read_back() {
    for verdict in [Verdict::Allow, Verdict::Deny] {
        assert_eq!(Verdict::from_exact(verdict.as_str()), Some(verdict));
    }
}

#[test]
fn ids_follow_the_rules_of_identifiers() {
    let long = format!(r#""{}""#, "a".repeat(257));
    let texts = [r#""""#, r#"" X""#, r#""X\u00a0""#, r#""X\u0000Y""#, &long];
    let fields = ["decision_id", "consequence_id", "execution_id"];
    let cases = fields.into_iter().flat_map(|field| texts.map(|text| (field, text)));
    let answers = lines(cases, |(field, text)| {
        let judged = judged(with(&[(field, text)]));
        format!("{field} {text}: {judged}").replace(&"a".repeat(257), "aaa…")
    });
    assert_snapshot!(answers);
}

#[test]
fn an_answer_that_is_no_object_is_malformed() {
    let answers = lines(["null", "true", "1", r#""ALLOW""#, "[]", "{}"], |text| {
        format!("{text}: {}", judged(json(text)))
    });
    assert_snapshot!(answers);
}

#[test]
fn unreadable_text_is_an_answer_too_and_carries_no_id() {
    let deep = format!(
        r#"{{"decision_id": "decision-1", "bound_consequence": {}1{}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let twice = r#"{"decision_id": "decision-1", "verdict": "DENY", "verdict": "ALLOW"}"#;
    let texts: [&[u8]; 7] = [
        b"",
        b"ALLOW",
        b"{\"decision_id\": \"decision-1\",}",
        b"{} {}",
        b"{\"decision_id\": \"decision-\xff\"}",
        twice.as_bytes(),
        deep.as_bytes(),
    ];
    let answers = lines(texts, |text| judged(DecisionDocument::read(text)));
    assert_snapshot!(answers);
}

#[test]
fn the_decisions_id_is_known_wherever_it_is_well_formed() {
    let answers = [
        with(&[("verdict", "1")]),
        with(&[("verdict", r#""DENY""#)]),
        with(&[("note", "1")]),
        with(&[("consequence_id", "null")]),
        with(&[("bound_consequence", "[1e400]")]),
        with(&[("valid_until", "1")]),
        json(r#"{"decision_id": "decision-1"}"#),
        with(&[("decision_id", r#""decision-1 ""#)]),
        without("decision_id"),
        json(r#"["decision-1"]"#),
    ]
    .map(judged)
    .join("\n");
    assert_snapshot!(answers);
}

#[test]
fn an_answer_is_kept_as_it_was_received_whatever_it_says() {
    let allows = format!(" {}\r\n", with(&[]).to_string().replace(',', "\t,"));
    let texts = [
        allows.as_str(),
        r#"{"verdict" :"\u0041LLOW", "decision_id": "decision-1"}"#,
        r#"{"verdict": "DENY", "verdict": "ALLOW"}"#,
        "[1.50, 1e2, -0]",
        "ALLOW",
        "\u{feff}{}",
        "",
    ];
    for text in texts {
        assert_eq!(DecisionDocument::read(text.as_bytes()).as_received(), text);
    }
}

#[test]
fn what_is_not_text_in_an_answer_is_kept_as_replacement_characters() {
    let answer = DecisionDocument::read(b"{\"decision_id\": \"\xff1\"}");
    assert_eq!(answer.as_received(), "{\"decision_id\": \"\u{fffd}1\"}");
}

#[test]
fn a_document_made_in_the_program_is_kept_as_its_text() {
    let document = json(r#"{ "verdict" : "ALLOW", "decision_id" : "decision-1" }"#);
    let answer = DecisionDocument::from(document);
    assert_eq!(answer.as_received(), r#"{"verdict":"ALLOW","decision_id":"decision-1"}"#);
}
