use insta::assert_snapshot;

use crate::run::run;

#[test]
fn the_demo_shows_one_effect_contained_inherited_refused_twice_and_released_once() {
    let ran = run(&["demo"]);
    assert_snapshot!(without_what_varies(&ran.to_string()));
}

#[test]
fn as_json_it_shows_the_material_held_and_the_request_that_arrived() {
    let ran = run(&["demo", "--json"]);
    assert_snapshot!(without_what_varies(&ran.to_string()));
}

/// Ports and times, each as a name of the same length or a plain one.
fn without_what_varies(shown: &str) -> String {
    let mut steady = String::new();
    let mut rest = shown;
    while let Some((before, after)) = rest.split_once("127.0.0.1:") {
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        steady += &format!("{before}127.0.0.1:{:<digits$}", "PORT");
        rest = &after[digits..];
    }
    steady += rest;
    match steady.split_once("\"demo-") {
        Some((before, after)) => {
            let (_, after) = after.split_once("Z-").unwrap();
            format!("{before}\"demo-TIME-{after}")
        }
        None => steady,
    }
}
