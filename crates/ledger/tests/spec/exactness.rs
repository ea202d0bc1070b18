//! Material comes back from every place where it is kept exactly as it was given.

use std::collections::BTreeMap;

use swampbox_custody::{Custody, Submission};
use swampbox_ledger::{Expectations, backup, export, import, verify};
use swampbox_material::{Material, Value};

use crate::ledgers::{Home, id, note};

/// Payloads that something on the way could change.
fn payloads() -> BTreeMap<&'static str, String> {
    let deep = format!("{}1{}", "[".repeat(16), "]".repeat(16));
    let long_integer = "9".repeat(4300);
    BTreeMap::from([
        ("one more than 64 bits", "18446744073709551616".to_owned()),
        ("one less than that", "18446744073709551615".to_owned()),
        ("beyond what a float keeps", "[9007199254740992,9007199254740993]".to_owned()),
        ("as long as an integer may be", long_integer.clone()),
        ("as long and negative", format!("-{long_integer}")),
        ("a whole float", "1.0".to_owned()),
        ("a float beside its integer", "[1,1.0,-1,-1.0,100.0,100]".to_owned()),
        ("a negative zero", "[-0.0,0.0,0]".to_owned()),
        ("the smallest and greatest floats", "[5e-324,1.7976931348623157e+308]".to_owned()),
        ("a tenth and its sum", "[0.1,0.30000000000000004]".to_owned()),
        ("a null character", r#"["\u0000","a\u0000b",{"\u0000":0,"\u0000\u0000":1}]"#.to_owned()),
        ("control characters", r#""\u0001\t\n\r\u001f""#.to_owned()),
        ("lone combining marks", "[\"\u{301}\",\"\u{20dd}\",{\"\u{308}\":1}]".to_owned()),
        ("composed and decomposed", "{\"\u{e9}\":1,\"e\u{301}\":2}".to_owned()),
        ("not characters, but scalar values", "\"\u{fffe}\u{ffff}\u{10ffff}\u{feff}\"".to_owned()),
        ("what looks replaced", "\"\u{fffd}\"".to_owned()),
        ("outer white space", "\" a \\n\"".to_owned()),
        ("line separators", "\"\u{2028}\u{2029}\u{85}\"".to_owned()),
        ("quotes and backslashes", r#""\"\\/'`''""#.to_owned()),
        ("key order", r#"{"b":1,"a":2,"B":3,"":4,"10":5,"9":6}"#.to_owned()),
        ("keys that some library uses", r#"{"$serde_json::private::RawValue":"[1]"}"#.to_owned()),
        ("keys of the row itself", r#"{"release_state":"RELEASED","target":"x"}"#.to_owned()),
        ("as deep as it may be", deep),
        ("nothing", "null".to_owned()),
        ("empty containers", r#"[[],{},"",[{}]]"#.to_owned()),
        ("a MiB of text", format!("\"{}\"", "x\u{301}".repeat(1 << 20))),
        ("a MiB of quotes", format!("\"{}\"", "\\\"".repeat(1 << 20))),
    ])
}

/// A ledger that holds each of them.
fn filled() -> Home {
    let home = Home::inhabited();
    let ledger = home.open();
    for (name, payload) in payloads() {
        let material = Material::new(name, "\u{0}\u{301} t ", value(&payload));
        let submission = Submission { material, ..note("B", name) };
        ledger.submit(submission).unwrap();
    }
    home
}

fn value(text: &str) -> Value {
    Value::from_json(text.as_bytes()).unwrap()
}

/// That each is in a ledger exactly: equal, and spelled the same.
fn check(home: &Home) {
    let ledger = home.open();
    for (name, payload) in payloads() {
        let material = ledger.read(&id("B"), &id(name)).unwrap().material;
        assert_eq!(*material.payload(), value(&payload), "{name}");
        assert_eq!(material.payload().to_json(), payload, "{name}");
        assert_eq!(&**material.target(), "\u{0}\u{301} t ", "{name}");
        assert_eq!(&**material.consequence_type(), name);
    }
}

#[test]
fn in_a_ledger_that_was_opened_again() {
    check(&filled());
}

#[test]
fn in_a_ledger_that_verifies() {
    let home = filled();
    let verified = verify(home.path(), &Expectations::default()).unwrap();
    assert_eq!(verified.consequences, payloads().len() + 1);
}

#[test]
fn in_a_backup() {
    let (home, copy) = (filled(), Home::new());
    backup(home.path(), copy.path()).unwrap();
    check(&copy);
}

#[test]
fn in_an_import() {
    let (home, copy) = (filled(), Home::new());
    let mut text = Vec::new();
    export(home.path(), &mut text).unwrap();
    import(copy.path(), &text[..], &Expectations::default()).unwrap();
    check(&copy);
}

#[test]
fn two_that_differ_in_type_only_stay_two() {
    let home = Home::inhabited();
    let ledger = home.open();
    for payload in ["1", "1.0"] {
        let material = Material::new("number", "t", value(payload));
        ledger.submit(Submission { material, ..note("B", payload) }).unwrap();
    }
    let [whole, float] =
        ["1", "1.0"].map(|name| ledger.read(&id("B"), &id(name)).unwrap().material);
    assert_ne!(whole, float);
}
