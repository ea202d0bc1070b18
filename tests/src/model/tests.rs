//! Cases worked by hand from the contract.

mod steps;

use steps::{adopt, decision, end, note, plain, play, register, scenario, state, submit, transfer};

use super::{Authority, Material, Overrides, Release, Step, TraceLine, Value, run};

#[test]
fn an_heir_needs_its_own_authority_and_its_release_happens_once() {
    let replayed = decision([("consequence_id", Value::text("X"))]);
    let relabelled = decision([("bound_consequence", note(1).to_value())]);
    let trace = play(vec![
        register("A"),
        register("B"),
        submit("A", "X", note(1), None),
        end("A"),
        Step::Read { execution: "B".to_owned(), consequence: "X".to_owned() },
        plain("B", "X"),
        submit("B", "C", note(2), Some("X")),
        Step::Inspect { consequence: "X".to_owned() },
        adopt("B", "X"),
        submit("B", "C", note(2), Some("X")),
        Step::Release(Release { authority: replayed, ..Release::plain("B", "C") }),
        Step::Release(Release { authority: relabelled, ..Release::plain("B", "C") }),
        plain("B", "C"),
        plain("B", "C"),
        state("X"),
    ]);
    assert_eq!(
        trace,
        [
            "1 register ok",
            "2 register ok",
            "3 submit ok",
            "4 end ok",
            "5 read not_visible",
            "6 release CONTAINED consequence_not_in_active_custody 0/0",
            "7 submit parent_not_in_custody",
            "8 inspect ok",
            "9 adopt ok",
            "10 submit ok",
            "11 release CONTAINED authority_consequence_mismatch 1/0",
            "12 release CONTAINED authority_material_mismatch 1/0",
            "13 release RELEASED actuator_succeeded 1/1",
            "14 release CONTAINED consequence_not_releasable 0/0",
            "15 state CONTAINED",
        ]
    );
}

#[test]
fn nothing_moves_a_consequence_while_its_release_is_in_progress() {
    let trace = play(vec![
        register("A"),
        register("B"),
        submit("A", "X", note(1), None),
        submit("A", "Y", note(1), None),
        Step::Release(Release {
            during_actuation: vec![
                transfer("A", "B", "X"),
                adopt("B", "X"),
                end("A"),
                submit("A", "C", note(2), Some("X")),
                plain("A", "X"),
                state("X"),
                transfer("A", "B", "Y"),
            ],
            ..Release::plain("A", "X")
        }),
        transfer("A", "B", "X"),
        adopt("B", "X"),
        submit("A", "C", note(2), Some("X")),
        end("A"),
    ]);
    assert_eq!(
        trace.split_at(4).1,
        [
            "5.actuation.1 transfer release_in_progress",
            "5.actuation.2 adopt release_in_progress",
            "5.actuation.3 end release_in_progress",
            "5.actuation.4 submit parent_release_in_progress",
            "5.actuation.5 release CONTAINED release_in_progress 0/0",
            "5.actuation.6 state CONTAINED",
            "5.actuation.7 transfer ok",
            "5 release RELEASED actuator_succeeded 1/1",
            "6 transfer not_contained",
            "7 adopt not_adoptable",
            "8 submit parent_not_contained",
            "9 end ok",
        ]
    );
}

#[test]
fn what_happens_during_the_evaluation_is_seen_at_the_recheck() {
    let during = |steps: Vec<Step>| {
        Step::Release(Release { during_evaluation: steps, ..Release::plain("A", "X") })
    };
    let trace = play(vec![
        register("A"),
        register("B"),
        submit("A", "X", note(1), None),
        during(vec![transfer("A", "B", "X")]),
        transfer("B", "A", "X"),
        during(vec![transfer("A", "B", "X"), transfer("B", "A", "X"), plain("A", "X")]),
    ]);
    assert_eq!(
        trace.split_at(3).1,
        [
            "4.evaluation.1 transfer ok",
            "4 release CONTAINED custody_changed_before_release 1/0",
            "5 transfer ok",
            "6.evaluation.1 transfer ok",
            "6.evaluation.2 transfer ok",
            "6.evaluation.3 release RELEASED actuator_succeeded 1/1",
            "6 release CONTAINED consequence_not_releasable 1/0",
        ]
    );
}

#[test]
fn the_window_ends_before_its_last_moment() {
    let valid_for_ten = |validation: &str, actuation: &str| {
        Step::Release(Release {
            authority: Authority::Decision(Overrides {
                valid_for: Some("10".to_owned()),
                ..Overrides::default()
            }),
            actuator: Some("DEFINITE_NOT_EXECUTED".to_owned()),
            advance_before_validation: Some(validation.to_owned()),
            advance_before_actuation: Some(actuation.to_owned()),
            ..Release::plain("A", "X")
        })
    };
    let trace = play(vec![
        register("A"),
        submit("A", "X", note(1), None),
        valid_for_ten("9.999999998", "0.000000001"),
        valid_for_ten("9.999999999", "0.000000001"),
        valid_for_ten("10", "0"),
        valid_for_ten("5", "-5.000000001"),
        valid_for_ten("1e12", "0"),
        valid_for_ten("5", "-1e12"),
        Step::Advance { by: "0".to_owned() },
    ]);
    assert_eq!(
        trace.split_at(2).1,
        [
            "3 release CONTAINED actuator_definitely_not_executed 1/1",
            "4 release CONTAINED authority_expired 1/0",
            "5 release CONTAINED authority_expired 1/0",
            "6 release CONTAINED authority_not_yet_valid 1/0",
            "7 release CONTAINED clock_invalid 1/0",
            "8 release CONTAINED clock_invalid 1/0",
            "9 advance 2026-01-01T12:00:34.999999998Z",
        ]
    );
}

#[test]
fn the_first_failing_check_of_a_decision_decides() {
    // From the last check to the first: each override is checked before those above it.
    let wrong = [
        ("valid_until", Value::text("soon"), "authority_invalid_timestamp"),
        ("bound_consequence", note(2).to_value(), "authority_material_mismatch"),
        ("bound_consequence", Value::Null, "authority_invalid"),
        ("execution_id", Value::text("B"), "authority_custodian_mismatch"),
        ("consequence_id", Value::text("Y"), "authority_consequence_mismatch"),
        ("verdict", Value::text("DENY"), "authority_not_allowed"),
        ("scope", Value::Null, "authority_invalid"),
    ];
    let mut fields: Vec<(String, Value)> = Vec::new();
    for (name, value, code) in wrong {
        fields.retain(|(known, _)| known != name);
        fields.push((name.to_owned(), value));
        let overrides = Overrides { fields: fields.clone(), ..Overrides::default() };
        let authority = Authority::Decision(overrides);
        let trace = play(vec![
            register("A"),
            submit("A", "X", note(1), None),
            Step::Release(Release { authority, ..Release::plain("A", "X") }),
        ]);
        assert_eq!(trace[2], format!("3 release CONTAINED {code} 1/0"));
    }
}

#[test]
fn a_refusal_names_the_decision_wherever_its_id_is_well_formed() {
    let decided_by = |decision_id: Value| {
        let authority = decision([("decision_id", decision_id), ("verdict", Value::Null)]);
        let scenario = scenario(vec![
            register("A"),
            submit("A", "X", note(1), None),
            Step::Release(Release { authority, ..Release::plain("A", "X") }),
        ]);
        let result = run(&scenario)[2].outcome.clone().unwrap();
        result.at("release").unwrap().at("authority_decision_id").unwrap().clone()
    };
    assert_eq!(decided_by(Value::text("d-7")), Value::text("d-7"));
    assert_eq!(decided_by(Value::text(" d-7")), Value::Null);
    assert_eq!(decided_by(Value::int(7)), Value::Null);
}

#[test]
fn a_bad_id_comes_before_bad_material_and_that_before_the_rules() {
    let endless = Material { payload: Value::Float(f64::INFINITY), ..note(1) };
    let trace = play(vec![
        submit(" A", "X", endless.clone(), None),
        submit("A", "X", endless.clone(), Some("")),
        submit("A", "X", endless, None),
        submit("A", "X", note(1), None),
    ]);
    assert_eq!(
        trace,
        [
            "1 submit invalid_identifier",
            "2 submit invalid_identifier",
            "3 submit non_finite_number",
            "4 submit execution_not_registered",
        ]
    );
}

#[test]
fn an_ending_execution_keeps_its_name_on_what_is_terminal() {
    let scenario = scenario(vec![
        register("A"),
        submit("A", "X", note(1), None),
        Step::Release(Release {
            actuator: Some("FAILED".to_owned()),
            during_actuation: vec![Step::Read {
                execution: "A".to_owned(),
                consequence: "X".to_owned(),
            }],
            ..Release::plain("A", "X")
        }),
        end("A"),
    ]);
    let trace: Vec<String> = run(&scenario).iter().map(TraceLine::to_string).collect();
    assert_eq!(
        trace.split_at(2).1,
        [
            r#"{"step":"3.actuation.1","op":"read","ok":{"consequence":{"consequence_id":"X","origin_execution_id":"A","current_execution_id":"A","parent_consequence_id":null,"consequence_type":"note","target":"inbox","payload":{"n":1},"release_state":"CONTAINED"}}}"#,
            r#"{"step":"3","op":"release","ok":{"release":{"consequence_id":"X","status":"UNCERTAIN","reason":"actuator_outcome_uncertain","authority_decision_id":"decision-1","actuator_outcome":"UNCERTAIN"},"provider_calls":1,"actuator_calls":1}}"#,
            r#"{"step":"4","op":"end","ok":{"execution":"A","state":"ENDED"}}"#,
        ]
    );
}
