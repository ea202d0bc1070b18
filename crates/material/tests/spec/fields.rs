use insta::assert_snapshot;
use swampbox_material::json::{Fields, Json};
use swampbox_material::{MaterialError, Path};

use crate::table::refusal;

fn read(text: &str) -> Json {
    Json::read(text.as_bytes()).unwrap()
}

/// Reads a person: a `name`, and perhaps an `age`.
fn person(text: &str) -> Result<String, MaterialError> {
    let document = read(text);
    let mut fields = Fields::of(&document, &Path::root().key("people").index(2))?;
    let age = fields.optional("age").map_or("unknown".to_owned(), ToString::to_string);
    let name = fields.string("name")?.clone();
    fields.finish()?;
    Ok(format!("{name}, {age}"))
}

#[test]
fn fields_are_taken_apart_or_refused_with_their_path() {
    let texts = [
        r#"{"name": "Ada", "age": 36}"#,
        r#"{"age": null, "name": "Ada"}"#,
        r#"{"name": "Ada"}"#,
        "{}",
        r#"{"age": 36}"#,
        r#"{"name": null}"#,
        r#"{"name": ["Ada"]}"#,
        r#"{"name": "Ada", "nmae": "b", "zzz": 1}"#,
        r#"{"name": "Ada", "odd\u202ekey": 1}"#,
        "[]",
        "null",
    ];
    let table = texts.map(|text| match person(text) {
        Ok(person) => format!("{text}\n    {person}"),
        Err(error) => format!("{text}\n    {}", refusal(&error)),
    });
    assert_snapshot!(table.join("\n"));
}

#[test]
fn a_required_field_may_be_anything() {
    let document = read(r#"{"payload": null}"#);
    let mut fields = Fields::of(&document, &Path::root()).unwrap();
    assert_eq!(fields.required("payload").unwrap(), &Json::Null);
    assert_eq!(fields.path(), &Path::root());
    assert!(fields.finish().is_ok());
}

#[test]
fn a_field_that_was_asked_for_is_known_even_if_absent() {
    let document = read("{}");
    let mut fields = Fields::of(&document, &Path::root()).unwrap();
    assert_eq!(fields.optional("absent"), None);
    assert!(fields.finish().is_ok());
}
