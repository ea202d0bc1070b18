//! What is refused before anything is looked at.

use std::fs;

use insta::assert_snapshot;
use swampbox_actuators::FileActuator;
use swampbox_material::{Material, Value};
use tempfile::TempDir;

use crate::file::{actuator, names, new};
use crate::fixture::{material, release_in};

/// Each payload with what comes of it. Nothing is written.
fn table(payloads: &[String]) -> String {
    let root = TempDir::new().unwrap();
    let mut told = String::new();
    for payload in payloads {
        let material = material(FileActuator::CONSEQUENCE_TYPE, "site", payload);
        let outcome = release_in("store", actuator(root.path()), material);
        let shown = if payload.len() > 200 { "(a long one)" } else { payload };
        told += &format!("{shown}\n  {outcome}\n");
    }
    assert!(names(root.path()).is_empty());
    told
}

/// The same for a field in place of a good one.
fn fields(fields: &[&str]) -> String {
    let good = [r#""path": "file""#, r#""content": "new""#, r#""expected_sha256": null"#];
    let with = |field: &&str| {
        let name = field.split(':').next().unwrap();
        let others = good.iter().filter(|other| !other.starts_with(name));
        let all: Vec<&str> = others.copied().chain([*field]).collect();
        format!("{{{}}}", all.join(", "))
    };
    table(&fields.iter().map(with).collect::<Vec<_>>())
}

#[test]
fn a_payload_is_a_mapping_of_known_fields() {
    let payloads = [
        "null",
        r#""file""#,
        r#"["file", "new", null]"#,
        "{}",
        r#"{"path": "file", "content": "new"}"#,
        r#"{"path": "file", "expected_sha256": null}"#,
        r#"{"content": "new", "expected_sha256": null}"#,
        r#"{"path": "file", "content": "new", "expected_sha256": null, "append": true}"#,
        r#"{"Path": "file", "content": "new", "expected_sha256": null}"#,
    ];
    assert_snapshot!(table(&payloads.map(str::to_owned)));
}

#[test]
fn a_path_leads_to_one_place_below_the_root() {
    assert_snapshot!(fields(&[
        r#""path": null"#,
        r#""path": ["file"]"#,
        r#""path": """#,
        r#""path": "/""#,
        r#""path": "/file""#,
        r#""path": "/etc/passwd""#,
        r#""path": ".""#,
        r#""path": "..""#,
        r#""path": "../file""#,
        r#""path": "a/..""#,
        r#""path": "a/../file""#,
        r#""path": "./file""#,
        r#""path": "a/./file""#,
        r#""path": "a//file""#,
        r#""path": "file/""#,
        r#""path": "a\u0000""#,
        r#""path": "\u0000/file""#,
    ]));
}

#[test]
fn content_is_a_string() {
    assert_snapshot!(fields(&[r#""content": null"#, r#""content": {"a": 1}"#, r#""content": 1"#]));
}

#[test]
fn an_expected_digest_is_null_or_64_digits_in_lower_case() {
    let digest = "0123456789abcdef".repeat(4);
    let field = |text: &str| format!(r#""expected_sha256": "{text}""#);
    let fields_given = [
        field(""),
        field(&digest[1..]),
        field(&format!("{digest}0")),
        field(&format!("{digest}00")),
        field(&digest.to_uppercase()),
        field(&digest.replace('f', "g")),
        field(&digest.replace("0123", "012\u{ff13}")),
        field(&format!("sha256:{digest}")),
        r#""expected_sha256": false"#.to_owned(),
        r#""expected_sha256": 0"#.to_owned(),
    ];
    assert_snapshot!(fields(&fields_given.each_ref().map(String::as_str)));
}

#[test]
fn a_mode_is_an_integer_of_permission_bits() {
    assert_snapshot!(fields(&[
        r#""mode": null"#,
        r#""mode": "644""#,
        r#""mode": 420.0"#,
        r#""mode": -1"#,
        r#""mode": 512"#,
        r#""mode": 2541"#,
        r#""mode": 340282366920938463463374607431768211456"#,
    ]));
}

#[test]
fn what_is_too_long_is_refused_and_what_is_just_short_enough_is_not() {
    let root = TempDir::new().unwrap();
    let deep = vec!["d"; 511].join("/");
    fs::create_dir_all(root.path().join(&deep)).unwrap();
    let outcome = |path: &str, content: &str| {
        let payload =
            format!(r#"{{"path": "{path}", "content": "{content}", "expected_sha256": null}}"#);
        let material = material(FileActuator::CONSEQUENCE_TYPE, "site", &payload);
        release_in("store", actuator(root.path()), material)
    };
    let told = [
        ("a name of 255 bytes", outcome(&"n".repeat(255), "")),
        ("a name of 256 bytes", outcome(&"n".repeat(256), "")),
        ("a name of 256 bytes on the way", outcome(&format!("{}/file", "n".repeat(256)), "")),
        ("a path of 1,024 bytes", outcome(&format!("{deep}/ab"), "")),
        ("a path of 1,025 bytes", outcome(&format!("{deep}/abc"), "")),
        ("16,777,216 bytes", outcome("large", &"x".repeat(16_777_216))),
        ("16,777,217 bytes", outcome("larger", &"x".repeat(16_777_217))),
    ];
    assert_snapshot!(told.map(|(what, outcome)| format!("{what}: {outcome}")).join("\n"));
}

#[test]
fn another_type_of_consequence_is_refused() {
    let root = TempDir::new().unwrap();
    let payload = new("file", None).payload().clone();
    let material = Material::new("file.append", "site", payload);
    assert_snapshot!(release_in("store", actuator(root.path()), material));
    assert!(names(root.path()).is_empty());
}

#[test]
fn a_target_that_is_no_configured_root_is_refused() {
    let root = TempDir::new().unwrap();
    let mut told = String::new();
    for target in ["", "SITE", "site ", "/", "site/a"] {
        let material = Material::new(
            FileActuator::CONSEQUENCE_TYPE,
            target,
            new("file", None).payload().clone(),
        );
        told += &format!("{target:?}: {}\n", release_in("store", actuator(root.path()), material));
    }
    assert!(names(root.path()).is_empty());
    assert_snapshot!(told);
}

#[test]
fn a_root_is_a_directory_that_is_there() {
    let home = TempDir::new().unwrap();
    fs::write(home.path().join("file"), "").unwrap();
    let mut told = String::new();
    for path in ["missing", "file", "file/below"] {
        let error = FileActuator::builder().root("site", home.path().join(path)).unwrap_err();
        told += &error.to_string().replace(&home.path().display().to_string(), "HOME");
        told += "\n";
    }
    for path in ["", "relative", "./relative", "/\0"] {
        let error = FileActuator::builder().root("site", path).unwrap_err();
        told += &format!("{}\n", error.to_string().replace('\0', "(NUL)"));
    }
    assert_snapshot!(told);
}

#[test]
fn a_second_root_of_a_name_takes_the_place_of_the_first() {
    let (first, second) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let builder = FileActuator::builder().root("site", first.path()).unwrap();
    let actuator = builder.root("site", second.path()).unwrap().build();
    let outcome = release_in("store", actuator, new("file", None));
    assert!(outcome.starts_with("SUCCEEDED"), "{outcome}");
    assert_eq!((names(first.path()), names(second.path())), (vec![], vec!["file".to_owned()]));
}

#[test]
fn the_schema_of_the_payload_is_json_and_knows_the_same_fields() {
    let schema = Value::from_json(FileActuator::PAYLOAD_SCHEMA.as_bytes()).unwrap();
    let properties = schema.as_map().unwrap().get("properties").unwrap().as_map().unwrap();
    let names: Vec<&str> = properties.iter().map(|(name, _)| &**name).collect();
    assert_eq!(names, ["path", "content", "expected_sha256", "mode"]);
}
