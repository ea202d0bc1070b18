use insta::assert_snapshot;

use crate::run::{Files, run, run_with, scenario};

const REFUSED: &[u8] = br#"{
  "scenario": "a consequence is read by its custodian alone",
  "clock": "2026-01-01T13:00:00.250+01:00",
  "steps": [
    {"op": "register", "execution": "A"},
    {"op": "register", "execution": "B"},
    {"op": "submit", "execution": "A", "consequence": "X",
     "material": {"consequence_type": "note", "target": "inbox", "payload": {"n": 1.0, "m": 12345678901234567890}}},
    {"op": "advance", "by": 1.5},
    {"op": "read", "execution": "B", "consequence": "X", "expect": {"error": "not_visible"}}
  ]
}"#;

const WRONG: &[u8] = br#"{
  "scenario": "these expectations do not hold",
  "clock": "2026-01-01T12:00:00Z",
  "steps": [
    {"op": "register", "execution": "A", "expect": {"ok": {"state": "ENDED"}}},
    {"op": "state", "consequence": "X", "expect": {"ok": {}}},
    {"op": "release", "execution": "A", "consequence": "X",
     "during_evaluation": [{"op": "state", "consequence": "X", "expect": {"error": "consequence_not_found"}}]},
    {"op": "submit", "execution": "A", "consequence": "X",
     "material": {"consequence_type": "a", "target": "b", "payload": [1]},
     "expect": {"ok": {"consequence": {"payload": [1.0]}}}}
  ]
}"#;

#[test]
fn a_scenario_is_summed_up_a_line_a_step() {
    let files = Files::new([("refused.json", REFUSED)]);
    assert_snapshot!(files.run(&["scenario", "run", "refused.json"]));
}

#[test]
fn a_trace_is_one_json_object_a_step_and_keeps_every_value_exactly() {
    let files = Files::new([("refused.json", REFUSED)]);
    assert_snapshot!(files.run(&["scenario", "run", "--trace", "refused.json"]));
}

#[test]
fn nested_steps_come_before_the_step_that_holds_them() {
    let file = scenario("actuation-hinders-no-reads.json");
    assert_snapshot!(run(&["scenario", "run", "--trace", file.to_str().unwrap()]));
}

#[test]
fn an_expectation_that_does_not_hold_is_shown_with_what_was_found() {
    let files = Files::new([("wrong.json", WRONG)]);
    assert_snapshot!(files.run(&["scenario", "run", "wrong.json"]));
}

#[test]
fn in_a_trace_it_is_told_on_standard_error() {
    let files = Files::new([("wrong.json", WRONG)]);
    assert_snapshot!(files.run(&["scenario", "run", "wrong.json", "--trace"]));
}

#[test]
fn nothing_is_played_if_one_of_the_files_is_invalid() {
    let files = Files::new([("refused.json", REFUSED), ("empty.json", b"")]);
    assert_snapshot!(files.run(&["scenario", "run", "refused.json", "empty.json"]));
}

#[test]
fn a_file_that_is_no_scenario_is_refused_with_the_path() {
    let head = r#""scenario": "s", "clock": "2026-01-01T12:00:00Z""#;
    let step = |step: &str| format!(r#"{{{head}, "steps": [{step}]}}"#);
    let nested = |depth: usize| {
        let open =
            r#"{"op": "release", "execution": "A", "consequence": "X", "during_actuation": ["#;
        step(&format!("{}{}", open.repeat(depth), "]}".repeat(depth)))
    };
    let invalid = [
        format!(r#"{{{head}}}"#),
        format!(r#"{{{head}, "steps": [], "stpes": []}}"#),
        format!(r#"{{{head}, "steps": {{}}}}"#),
        r#"{"scenario": "s", "clock": "2026-01-01T12:00:00", "steps": []}"#.into(),
        r#"{"scenario": "s", "clock": 0, "steps": []}"#.into(),
        step("1"),
        step(r#"{"execution": "A"}"#),
        step(r#"{"op": "registre", "execution": "A"}"#),
        step(r#"{"op": "register", "execution": 1}"#),
        step(r#"{"op": "register", "execution": "A", "execution": "B"}"#),
        step(r#"{"op": "register", "execution": "A", "consequence": "X"}"#),
        step(
            r#"{"op": "submit", "execution": "A", "consequence": "X", "material": {"target": ""}}"#,
        ),
        step(
            r#"{"op": "submit", "execution": "A", "consequence": "X", "parent": null, "material": {"consequence_type": "", "target": "", "payload": 1}}"#,
        ),
        step(r#"{"op": "advance", "by": "1"}"#),
        step(r#"{"op": "state", "consequence": "X", "expect": {}}"#),
        step(r#"{"op": "state", "consequence": "X", "expect": {"error": 1}}"#),
        step(r#"{"op": "state", "consequence": "X", "expect": {"error": "a", "ok": {}}}"#),
        step(r#"{"op": "release", "execution": "A", "consequence": "X", "authority": "absent"}"#),
        step(
            r#"{"op": "release", "execution": "A", "consequence": "X", "authority": {"valid_for": "1"}}"#,
        ),
        step(r#"{"op": "release", "execution": "A", "consequence": "X", "actuator": null}"#),
        step(
            r#"{"op": "release", "execution": "A", "consequence": "X", "during_evaluation": [{"op": "wait"}]}"#,
        ),
        nested(9),
    ];
    let mut seen = String::new();
    for text in invalid {
        let ran =
            Files::new([("file.json", text.as_bytes())]).run(&["scenario", "run", "file.json"]);
        seen += &format!("{text}\n{ran}\n");
    }
    assert_snapshot!(seen);
    let deepest = nested(8);
    let ran =
        Files::new([("file.json", deepest.as_bytes())]).run(&["scenario", "run", "file.json"]);
    assert_eq!(ran.status, Some(0), "{ran}");
}

#[test]
fn on_a_ledger_the_trace_is_the_same() {
    let file = scenario("actuation-hinders-no-reads.json");
    let trace = ["scenario", "run", "--trace", file.to_str().unwrap(), "--store"];
    let on = |store: &'static str| run(&[&trace[..], &[store]].concat()).to_string();
    assert_eq!(on("memory"), on("sqlite"));
}

#[test]
fn a_store_that_is_not_known_is_refused() {
    let files = Files::new([("refused.json", REFUSED)]);
    assert_snapshot!(files.run(&["scenario", "run", "refused.json", "--store", "paper"]));
}

#[test]
fn an_expectation_inside_a_never_reached_release_did_not_hold_either() {
    let inner = r#"{"op": "state", "consequence": "X", "expect": {"error": "not_visible"}}"#;
    let release = |id: &str, inner: &str| {
        format!(
            r#"{{"op": "release", "execution": "{id}", "consequence": "X", "during_evaluation": [{inner}]}}"#
        )
    };
    let text = format!(
        r#"{{"scenario": "s", "clock": "2026-01-01T12:00:00Z", "steps": [{}, {}]}}"#,
        release("", inner),
        release("A", &release("A", inner)),
    );
    let files = Files::new([("file.json", text.as_bytes())]);
    assert_snapshot!(files.run(&["scenario", "run", "file.json"]));
}

#[test]
fn standard_input_is_not_taken_for_two_files() {
    let first = std::fs::read_dir(scenario("")).unwrap().map(|entry| entry.unwrap().path());
    let valid = first.filter(|path| path.extension().is_some_and(|ext| ext == "json")).min();
    let valid = std::fs::read(valid.unwrap()).unwrap();
    assert_snapshot!(run_with(&["scenario", "run", "-", "-"], &valid));
}
