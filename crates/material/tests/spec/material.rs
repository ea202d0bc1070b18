use insta::assert_snapshot;
use rstest::rstest;
use swampbox_material::json::Json;
use swampbox_material::{Material, Path, Value};

use crate::table::{legible, refusal, value};

/// What becomes of each document.
fn check(texts: &[&str]) -> String {
    let lines = texts.iter().map(|text| match Material::from_json(text.as_bytes()) {
        Ok(material) => format!("{text}\n    material: {}", material.to_document()),
        Err(error) => format!("{text}\n    {}", refusal(&error)),
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn material_is_a_consequence_type_a_target_and_a_payload() {
    assert_snapshot!(check(&[
        r#"{"consequence_type": "mail", "target": "ops", "payload": {"n": 1}}"#,
        r#"{"payload": null, "target": "ops", "consequence_type": "mail"}"#,
        r#"{"consequence_type": "", "target": " ", "payload": [1, 1.0, -0, 1e2, 99999999999999999999]}"#,
    ]));
}

#[test]
fn a_missing_field_is_refused() {
    assert_snapshot!(check(&[
        r#"{"target": "ops", "payload": 1}"#,
        r#"{"consequence_type": "mail", "payload": 1}"#,
        r#"{"consequence_type": "mail", "target": "ops"}"#,
        "{}",
    ]));
}

#[test]
fn an_unknown_field_is_refused() {
    assert_snapshot!(check(&[
        r#"{"consequence_type": "mail", "target": "ops", "payload": 1, "id": "X"}"#,
        r#"{"consequence_type": "mail", "target": "ops", "payload": 1, "Payload": 2}"#,
        r#"{"consequence_type": "mail", "target": "ops", "payload": 1, "payload ": 2}"#,
        r#"{"consequence_type": "mail", "target": "ops", "payload": 1, "\u202e": 2}"#,
    ]));
}

#[test]
fn a_field_of_the_wrong_type_is_refused() {
    assert_snapshot!(check(&[
        r#"{"consequence_type": null, "target": "ops", "payload": 1}"#,
        r#"{"consequence_type": 1, "target": "ops", "payload": 1}"#,
        r#"{"consequence_type": "mail", "target": ["ops"], "payload": 1}"#,
        r#"{"consequence_type": "mail", "target": {"x": 1}, "payload": 1}"#,
        r#"{"consequence_type": "mail", "target": true, "payload": 1}"#,
    ]));
}

#[test]
fn what_is_no_object_is_refused() {
    assert_snapshot!(check(&["null", "[]", r#""mail""#, "1", "true", ""]));
}

#[test]
fn a_payload_outside_the_domain_is_refused_where_it_stands() {
    let digits = "9".repeat(4301);
    let deep = format!("{}1{}", "[".repeat(17), "]".repeat(17));
    let payload = |payload: &str| {
        format!(r#"{{"consequence_type": "t", "target": "u", "payload": {payload}}}"#)
    };
    let texts = [
        payload(r#"{"n": 1e400}"#),
        payload(&format!("[0, {digits}]")),
        payload(&deep),
        payload(r#"{"a": 1, "a": 2}"#),
        payload(r#"{"a": NaN}"#),
    ];
    let refusals = texts.map(|text| refusal(&Material::from_json(text.as_bytes()).unwrap_err()));
    assert_snapshot!(refusals.join("\n"));
}

#[test]
fn a_payload_is_sixteen_deep_wherever_the_material_stands() {
    let payload = format!("{}1{}", "[".repeat(16), "]".repeat(16));
    let text = format!(
        r#"{{"steps": [{{"consequence_type": "t", "target": "u", "payload": {payload}}}]}}"#
    );
    let document = Json::read(text.as_bytes()).unwrap();
    let Some(Json::List(steps)) = document.as_object().and_then(|object| object.get("steps"))
    else {
        panic!("a list was written");
    };
    let path = Path::root().key("steps").index(0);
    let material = Material::from_document(&steps[0], &path).unwrap();
    assert_eq!(material.payload().depth(), 16);
}

#[test]
fn an_error_in_a_part_of_a_document_names_the_whole_path() {
    let document =
        Json::read(br#"{"consequence_type": "t", "target": "u", "payload": {"n": [1e999]}}"#)
            .unwrap();
    let path = Path::root().key("decision").key("bound_consequence");
    let error = Material::from_document(&document, &path).unwrap_err();
    assert_eq!(error.path().to_string(), "$.decision.bound_consequence.payload.n[0]");
}

#[test]
fn a_document_of_material_reads_back_equal() {
    let material = Material::new(
        "\u{202e}",
        "a\"b",
        value(r#"{"z": 1, "a": [1.0, -0.0, 99999999999999999999]}"#),
    );
    let text = material.to_document().to_string();
    assert_eq!(Material::from_json(text.as_bytes()).unwrap(), material);
    assert_snapshot!(legible(&text));
}

#[rstest]
#[case::consequence_type(Material::new("Mail", "ops", Value::from(1)))]
#[case::target(Material::new("mail", "ops ", Value::from(1)))]
#[case::payload(Material::new("mail", "ops", Value::from(true)))]
#[case::the_two_strings_swapped(Material::new("ops", "mail", Value::from(1)))]
fn each_part_counts(#[case] other: Material) {
    let material = Material::new("mail", "ops", Value::from(1));
    assert_ne!(material, other);
    assert_ne!(other, material);
}

#[test]
fn equal_parts_make_equal_material() {
    let material = Material::new("mail", "ops", value(r#"{"a": 1, "b": 0.0}"#));
    let other = Material::new("mail", "ops", value(r#"{"b": -0.0, "a": 1}"#));
    assert_eq!(material, other);
    assert_eq!(material.clone(), material);
}

#[test]
fn a_clone_shares_what_it_holds() {
    let material = Material::new("mail", "ops", value(r#"[{"a": "text"}]"#));
    let clone = material.clone();
    assert!(std::ptr::eq(clone.payload(), material.payload()));
    let list = |value: &Value| value.as_list().map(|list| list.items().as_ptr());
    assert_eq!(list(&clone.payload().clone()), list(material.payload()));
}
