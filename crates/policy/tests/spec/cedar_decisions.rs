//! What policies decide. What this module asserts stands in it, since it may be left out of a run.

use std::sync::Arc;
use std::time::Duration;

use insta::assert_snapshot;
use swampbox_authority::AuthorityProvider;
use swampbox_custody::ExecutionId;
use swampbox_policy::LookupFailure;
use swampbox_policy::cedar::{Cedar, CedarPolicies, CheckedPolicies};

use crate::cedar_fixture::{checked, provider, request, said, shared, told};
use crate::signed_fixture::{Between, held, released, still};

const ALL: &str = r#"@id("all") permit(principal, action, resource);"#;

#[test]
fn a_permit_allows_and_is_named() {
    assert_snapshot!(said(ALL, "Long", "1"), @"
    ALLOW
    by: all
    ");
}

#[test]
fn without_a_permit_it_is_denied() {
    assert_snapshot!(said("", "Long", "1"), @"DENY");
}

#[test]
fn a_forbid_outweighs_every_permit_and_is_named() {
    let policies = format!("{ALL} @id(\"no\") forbid(principal, action, resource);");
    assert_snapshot!(said(&policies, "Long", "1"), @"
    DENY
    by: no
    ");
}

#[test]
fn of_many_policies_none_is_left_out() {
    let permits = (0..12).map(|n| format!("@id(\"{n}\") permit(principal, action, resource);"));
    let permits = permits.collect::<Vec<_>>().join("\n");
    let told = said(&permits, "Long", "1");
    assert_eq!(told.lines().count(), 13, "{told}");
    let forbid = "@id(\"no\") forbid(principal, action, resource);";
    assert_eq!(said(&format!("{permits}\n{forbid}"), "Long", "1"), "DENY\nby: no");
}

#[test]
fn who_acts_what_is_done_and_to_whom_can_be_asked() {
    let policies = r#"
        @id("exact")
        permit(
            principal == Execution::"exec-A",
            action == Action::"note",
            resource == Target::"inbox"
        )
        when {
            principal.principal == "alice"
                && context.lineage.origin == "exec-0"
                && context.lineage.custodian == "exec-A"
                && !(context.lineage has parent)
        };"#;
    assert_snapshot!(said(policies, "Long", "1"), @"
    ALLOW
    by: exact
    ");
}

#[test]
fn the_parent_can_be_asked_for() {
    let policies = r#"
        @id("child")
        permit(principal, action, resource)
        when { context.lineage has parent && context.lineage.parent == "P" };"#;
    let mut request = request("note", "1");
    request.snapshot.parent_consequence_id = Some("P".parse().unwrap());
    let answer = provider(checked(policies, "Long")).evaluate(&request).unwrap();
    assert_snapshot!(told(&answer), @"
    ALLOW
    by: child
    ");
}

#[test]
fn a_forbid_that_fails_is_a_denial() {
    let policies = format!(
        "{ALL} @id(\"limit\") forbid(principal, action, resource) when {{ context.payload * 2 > 10 }};"
    );
    let whole = "9223372036854775807";
    assert_snapshot!(said(&policies, "Long", "1"), @"
    ALLOW
    by: all
    ");
    assert_snapshot!(said(&policies, "Long", whole), @"
    DENY
    error: error while evaluating policy `limit`: integer overflow while attempting to multiply the values `9223372036854775807` and `2`
    ");
}

#[test]
fn a_permit_that_fails_is_a_denial_even_beside_another() {
    let policies = format!(
        "{ALL} @id(\"other\") permit(principal, action, resource) when {{ context.payload * 2 > 10 }};"
    );
    assert_snapshot!(said(&policies, "Long", "-9223372036854775808"), @"
    DENY
    error: error while evaluating policy `other`: integer overflow while attempting to multiply the values `-9223372036854775808` and `2`
    ");
}

#[test]
fn all_64_bits_of_an_integer_are_seen() {
    let policies = "@id(\"most\") permit(principal, action, resource) \
                    when { context.payload == 9223372036854775807 };";
    assert_snapshot!(said(policies, "Long", "9223372036854775807"), @"
    ALLOW
    by: most
    ");
    assert_snapshot!(said(policies, "Long", "9223372036854775806"), @"DENY");
}

#[test]
fn what_has_no_counterpart_is_denied_with_its_path() {
    for payload in ["9223372036854775808", "-9223372036854775809", "1.0", "1e2", "null"] {
        let told = said(ALL, "{ a: Long }", &format!(r#"{{"a": [7, {payload}]}}"#));
        assert!(
            told.starts_with("DENY\nerror: ") && told.contains(" at $.payload.a[1] "),
            "{told}"
        );
    }
    assert_snapshot!(said(ALL, "{ a: Long }", r#"{"a": 9223372036854775808}"#), @"
    DENY
    error: an integer of more than 64 bits at $.payload.a can't be shown to a policy
    ");
    assert_snapshot!(said(ALL, "{ a: Long }", r#"{"a": 1.0}"#), @"
    DENY
    error: a float at $.payload.a can't be shown to a policy
    ");
    assert_snapshot!(said(ALL, "{ a: Long }", r#"{"a": null}"#), @"
    DENY
    error: null at $.payload.a can't be shown to a policy
    ");
    assert_snapshot!(said(ALL, "{ a: Long }", r##"{"a": {"#0": 1}}"##), @r##"
    DENY
    error: a key that begins with `#` at $.payload.a["#0"] can't be shown to a policy
    "##);
}

#[test]
fn a_list_is_a_record_that_keeps_order_repetition_and_length() {
    let list = r##"{ "#length": Long, "#0"?: String, "#1"?: String }"##;
    let policies = r##"
        @id("first")
        permit(principal, action, resource)
        when { context.payload["#length"] == 2 && context.payload has "#0" && context.payload["#0"] == "a" };"##;
    assert_snapshot!(said(policies, list, r#"["a", "a"]"#), @"
    ALLOW
    by: first
    ");
    assert_snapshot!(said(policies, list, r#"["b", "a"]"#), @"DENY");
    assert_snapshot!(said(policies, list, "[]"), @"DENY");
}

#[test]
fn an_empty_list_is_no_empty_mapping() {
    assert_snapshot!(said(ALL, "{}", "{}"), @"
    ALLOW
    by: all
    ");
    assert_snapshot!(said(ALL, "{}", "[]"), @r#"
    DENY
    error: the consequence does not fit the schema: its context is not what is declared for `Action::"note"`
    "#);
}

#[test]
fn the_markers_of_cedar_are_ordinary_keys() {
    let record = r#"{ "__entity"?: { "type": String, "id": String } }"#;
    let payload = r#"{"__entity": {"type": "Execution", "id": "exec-A"}}"#;
    assert_snapshot!(said(ALL, record, payload), @"
    ALLOW
    by: all
    ");
    let function = r#"{"__extn": {"fn": "ip", "arg": "10.0.0.1"}}"#;
    assert_snapshot!(said(ALL, "ipaddr", function), @r#"
    DENY
    error: the consequence does not fit the schema: its context is not what is declared for `Action::"note"`
    "#);
}

#[test]
fn a_deep_payload_is_seen_to_its_depth() {
    let (mut value, mut record, mut path) = ("7".to_owned(), "Long".to_owned(), String::new());
    for _ in 0..16 {
        value = format!(r#"{{"a": {value}}}"#);
        record = format!("{{ a: {record} }}");
        path += ".a";
    }
    let policies = format!(
        "@id(\"deep\") permit(principal, action, resource) when {{ context.payload{path} == 7 }};"
    );
    assert_snapshot!(said(&policies, &record, &value), @"
    ALLOW
    by: deep
    ");
    assert_snapshot!(said(&policies, &record, &value.replace('7', "8")), @"DENY");
}

#[test]
fn a_payload_of_too_many_values_is_denied() {
    let list = format!("[{}]", vec!["1"; 10_000].join(","));
    assert_snapshot!(said(ALL, "Long", &list), @"
    DENY
    error: a payload of more than 10000 values can't be shown to a policy
    ");
}

#[test]
fn what_the_schema_does_not_declare_is_denied() {
    assert_snapshot!(said(ALL, "{ a: Long }", r#"{"a": 1, "b": 2}"#), @r#"
    DENY
    error: the consequence does not fit the schema: its context is not what is declared for `Action::"note"`
    "#);
}

#[test]
fn what_the_schema_declares_and_is_not_there_is_denied() {
    assert_snapshot!(said(ALL, "{ a: Long, b: Long }", r#"{"a": 1}"#), @r#"
    DENY
    error: the consequence does not fit the schema: its context is not what is declared for `Action::"note"`
    "#);
}

#[test]
fn another_type_than_the_schema_declares_is_denied() {
    assert_snapshot!(said(ALL, "{ a: Long }", r#"{"a": "1"}"#), @r#"
    DENY
    error: the consequence does not fit the schema: its context is not what is declared for `Action::"note"`
    "#);
    assert_snapshot!(said(ALL, "{ a: Long }", r#"{"a": true}"#), @r#"
    DENY
    error: the consequence does not fit the schema: its context is not what is declared for `Action::"note"`
    "#);
}

#[test]
fn an_action_that_the_schema_does_not_declare_is_denied() {
    let answer = provider(checked(ALL, "Long")).evaluate(&request("payment", "1")).unwrap();
    assert_snapshot!(told(&answer), @r#"
    DENY
    error: the consequence does not fit the schema: request's action `Action::"payment"` is not declared in the schema
    "#);
}

#[test]
fn targets_that_the_schema_does_not_let_the_action_have_are_denied() {
    let schema = crate::cedar_fixture::schema("Long").replace("[Target]", "[Execution]");
    let checked = CheckedPolicies::load(ALL, &schema).unwrap();
    let answer = provider(checked).evaluate(&request("note", "1")).unwrap();
    assert_snapshot!(told(&answer), @r#"
    DENY
    error: the consequence does not fit the schema: resource type `Target` is not valid for `Action::"note"`
    "#);
}

#[test]
fn a_schema_in_which_executions_have_more_denies() {
    let schema = crate::cedar_fixture::schema("Long")
        .replace("{ principal: String }", "{ principal: String, team: String }");
    let checked = CheckedPolicies::load(ALL, &schema).unwrap();
    let answer = provider(checked).evaluate(&request("note", "1")).unwrap();
    assert_snapshot!(told(&answer), @r#"
    DENY
    error: the consequence does not fit the schema: entity does not conform to the schema: expected entity `Execution::"exec-A"` to have attribute `team`, but it does not
    "#);
}

#[test]
fn under_the_default_schema_the_payload_is_not_looked_at() {
    let policies = "@id(\"inbox\") permit(principal, action == Action::\"note\", resource == Target::\"inbox\");";
    let provider = provider(CheckedPolicies::with_default_schema(policies, ["note"]).unwrap());
    let answer = provider.evaluate(&request("note", r#"{"a": 1.5}"#)).unwrap();
    assert_snapshot!(told(&answer), @"
    ALLOW
    by: inbox
    ");
    let answer = provider.evaluate(&request("payment", "1")).unwrap();
    assert_snapshot!(told(&answer), @r#"
    DENY
    error: the consequence does not fit the schema: request's action `Action::"payment"` is not declared in the schema
    "#);
}

#[test]
fn the_decision_is_bound_to_what_was_asked_and_says_what_it_rests_on() {
    let answer = provider(checked(ALL, "Long")).evaluate(&request("note", "1")).unwrap();
    assert_snapshot!(answer.as_received(), @r#"{"decision_id":"cedar-49b03e743a8572d5eee8e24b3d0343b4509d9999a7352e433c1ef17d24ca761f","verdict":"ALLOW","consequence_id":"X","execution_id":"exec-A","bound_consequence":{"consequence_type":"note","target":"inbox","payload":1},"issued_at":"2026-01-01T12:00:00Z","valid_until":"2026-01-01T12:01:00Z"}"#);
    assert_snapshot!(answer.basis().unwrap(), @r#"{"policies_sha256":"00bedb4b335c9f7fafee7b03a1f40569b9f4bab065971701db66ed1ca9a86d50","schema_sha256":"6db1f3c3b6fc2ab8a9a6bda7db9924a217876eb3c5aa553d614035868ad278a0","principal":"alice","determined_by":["all"],"errors":[]}"#);
}

#[test]
fn a_release_under_a_permit_goes_through() {
    let provider = provider(checked(ALL, "Long"));
    let told = released(&held(), "X", provider, still());
    assert_snapshot!(told.lines().next().unwrap(), @"RELEASED actuator_succeeded");
}

#[test]
fn policies_that_are_replaced_meanwhile_stop_it() {
    let policies = Arc::new(CedarPolicies::new(checked(ALL, "Long")));
    let other = || policies.replace(checked(&format!("{ALL}\n"), "Long"));
    let told = released(&held(), "X", Between(shared(&policies), other), still());
    assert_snapshot!(told.lines().take(2).collect::<Vec<_>>().join("\n"), @"
    CONTAINED authority_revoked
    because: the decision does not stand any more: the policies, their schema or the principal are not those that decided
    ");
}

#[test]
fn a_schema_that_is_replaced_meanwhile_stops_it() {
    let policies = Arc::new(CedarPolicies::new(checked(ALL, "Long")));
    let other = || policies.replace(checked(ALL, "Bool"));
    let told = released(&held(), "X", Between(shared(&policies), other), still());
    assert_snapshot!(told.lines().next().unwrap(), @"CONTAINED authority_revoked");
}

#[test]
fn the_same_policies_loaded_again_do_not_stop_it() {
    let policies = Arc::new(CedarPolicies::new(checked(ALL, "Long")));
    let same = || policies.replace(checked(ALL, "Long"));
    let told = released(&held(), "X", Between(shared(&policies), same), still());
    assert_snapshot!(told.lines().next().unwrap(), @"RELEASED actuator_succeeded");
}

#[test]
fn another_principal_at_the_edge_stops_it() {
    let now = std::sync::Mutex::new("alice");
    let principal = |_: &ExecutionId| Ok::<_, LookupFailure>((*now.lock().unwrap()).to_owned());
    let policies = Arc::new(CedarPolicies::new(checked(ALL, "Long")));
    let cedar = Cedar::new(policies, principal, Duration::from_secs(60));
    let told = released(&held(), "X", Between(cedar, || *now.lock().unwrap() = "mallory"), still());
    assert_snapshot!(told.lines().next().unwrap(), @"CONTAINED authority_revoked");
}

#[test]
fn without_a_principal_there_is_no_decision() {
    let nobody = |_: &ExecutionId| Err::<String, _>(LookupFailure::new("the directory is away"));
    let policies = Arc::new(CedarPolicies::new(checked(ALL, "Long")));
    let cedar = Cedar::new(policies, nobody, Duration::from_secs(60));
    let told = released(&held(), "X", cedar, still());
    assert_snapshot!(told.lines().take(2).collect::<Vec<_>>().join("\n"), @"
    CONTAINED authority_unavailable
    because: the authority gave no decision: the directory is away
    ");
}
