//! Which policies and schemas are taken. What this module asserts stands in it, since it may be left out
//! of a run.

use insta::assert_snapshot;
use swampbox_policy::cedar::CheckedPolicies;

use crate::cedar_fixture::schema;

const GOOD: &str = r#"@id("all") permit(principal, action, resource);"#;

#[test]
fn policies_and_schema_are_known_by_their_digests() {
    let checked = CheckedPolicies::load(GOOD, &schema("String")).unwrap();
    // As `sha256sum` tells of the text.
    assert_eq!(
        checked.policies_digest(),
        "00bedb4b335c9f7fafee7b03a1f40569b9f4bab065971701db66ed1ca9a86d50"
    );
    let other = CheckedPolicies::load(&format!("{GOOD} "), &schema("Long")).unwrap();
    assert_ne!(other.policies_digest(), checked.policies_digest());
    assert_ne!(other.schema_digest(), checked.schema_digest());
}

#[test]
fn no_policy_at_all_is_taken_and_allows_nothing() {
    assert!(CheckedPolicies::load("", &schema("String")).is_ok());
}

#[test]
fn text_that_does_not_parse_is_refused_with_its_line() {
    assert_snapshot!(refused("@id(\"a\")\npermit(principal, action resource);"), @"policy_invalid: the policies, line 2, column 26: unexpected token `resource`");
}

#[test]
fn an_in_on_strings_is_a_type_error() {
    assert_snapshot!(
        refused("@id(\"a\")\nforbid(principal, action, resource)\nwhen { \"a\" in context.payload };"),
        @"
    policy_invalid: the policies, line 3, column 8: for policy `a`, unexpected type: expected __cedar::internal::AnyEntity but saw String (try using `contains`, `containsAny`, or `containsAll` to examine the contents of a set)
    the policies, line 3, column 15: for policy `a`, unexpected type: expected Set<__cedar::internal::AnyEntity>, or __cedar::internal::AnyEntity but saw String (try using `like` to examine the contents of a string)
    "
    );
}

#[test]
fn a_number_compared_with_a_string_is_a_type_error() {
    assert_snapshot!(
        refused("@id(\"a\") permit(principal, action, resource) when { context.payload == 1 };"),
        @"policy_invalid: the policies, line 1, column 53: the types Long and String are not compatible (for policy `a`, both operands to a `==` expression must have compatible types. Types must be exactly equal to be compatible)"
    );
}

#[test]
fn an_attribute_that_the_schema_does_not_declare_is_refused() {
    assert_snapshot!(
        refused("@id(\"a\") permit(principal, action, resource) when { principal.role == \"ops\" };"),
        @"policy_invalid: the policies, line 1, column 53: for policy `a`, attribute `role` on entity type `Execution` not found (did you mean `principal`?)"
    );
}

#[test]
fn an_optional_attribute_that_is_not_asked_for_first_is_refused() {
    assert_snapshot!(
        refused("@id(\"a\") forbid(principal, action, resource) when { context.lineage.parent == \"X\" };"),
        @r#"policy_invalid: the policies, line 1, column 53: for policy `a`, unable to guarantee safety of access to optional attribute `lineage.parent` in context for Action::"note" (try testing for the attribute's presence with `context.lineage has parent && ..`)"#
    );
}

#[test]
fn an_action_that_the_schema_does_not_declare_is_refused() {
    assert_snapshot!(
        refused("@id(\"a\")\npermit(principal, action == Action::\"notes\", resource);"),
        @r#"
    policy_invalid: the policies, line 1, column 1: for policy `a`, policy is impossible: the policy expression evaluates to false for all valid requests
    the policies, line 1, column 1: for policy `a`, unable to find an applicable action given the policy scope constraints
    the policies, line 2, column 29: for policy `a`, unrecognized action `Action::"notes"` (did you mean `Action::"note"`?)
    "#
    );
}

#[test]
fn a_policy_that_can_never_apply_is_refused() {
    assert_snapshot!(
        refused("@id(\"a\") forbid(principal, action, resource) when { false };"),
        @"policy_invalid: the policies, line 1, column 1: for policy `a`, policy is impossible: the policy expression evaluates to false for all valid requests"
    );
}

#[test]
fn characters_that_look_like_others_are_refused() {
    assert_snapshot!(
        refused("@id(\"a\") permit(principal, action, resource == Target::\"in\u{202e}box\");"),
        @r#"policy_invalid: the policies, line 1, column 1: for policy `a`, identifier `in\u{202e}box` contains BIDI control characters"#
    );
}

#[test]
fn all_that_is_wrong_is_told_at_once() {
    assert_snapshot!(
        refused(
            "@id(\"a\")\npermit(principal, action, resource)\nwhen { context.payload > 1 };\n\
             @id(\"b\")\npermit(principal, action, resource)\nwhen { context.amount > 1 };"
        ),
        @r#"
    policy_invalid: the policies, line 3, column 8: for policy `a`, unexpected type: expected Long but saw String
    the policies, line 6, column 8: for policy `b`, attribute `amount` in context for Action::"note" not found (did you mean `payload`?)
    "#
    );
}

#[test]
fn two_policies_of_one_id_are_refused() {
    assert_snapshot!(
        refused(&format!("{GOOD}\n@id(\"b\") {}\n{GOOD}", &GOOD[11..])),
        @r#"policy_invalid: the policies, line 3, column 1: the policy at line 1 has the id "all" too"#
    );
}

#[test]
fn a_policy_without_an_id_is_refused() {
    assert_snapshot!(
        refused(&format!("{GOOD}\npermit(principal, action, resource);\n@id permit(principal, action, resource);")),
        @r#"
    policy_invalid: the policies, line 2, column 1: a policy has no id; write `@id("…")` before it
    the policies, line 3, column 1: a policy has no id; write `@id("…")` before it
    "#
    );
}

#[test]
fn an_annotation_given_twice_is_refused() {
    assert_snapshot!(
        refused("@id(\"a\") @id(\"b\") permit(principal, action, resource);"),
        @"policy_invalid: the policies, line 1, column 10: duplicate annotation: @id"
    );
}

#[test]
fn a_key_given_twice_in_a_record_is_refused() {
    assert_snapshot!(
        refused("@id(\"a\") permit(principal, action, resource) when { {a: 1, a: 2}.a == 1 };"),
        @"policy_invalid: the policies, line 1, column 53: duplicate key `a` in record literal"
    );
}

#[test]
fn a_template_is_refused() {
    assert_snapshot!(
        refused(&format!("{GOOD}\n@id(\"b\") forbid(principal == ?principal, action, resource);")),
        @"policy_invalid: the policies, line 2, column 1: a template is not used by anybody; write a policy without slots"
    );
}

#[test]
fn a_schema_that_does_not_parse_is_refused_with_its_line() {
    assert_snapshot!(refused_schema("entity Execution;\nentity Target\naction"), @"policy_invalid: the schema, line 3, column 1: error parsing schema: unexpected token `action`");
}

#[test]
fn a_schema_that_declares_a_name_twice_is_refused() {
    let twice = format!("{}entity Target;\n", schema("String"));
    assert_snapshot!(refused_schema(&twice), @"policy_invalid: the schema, line 2, column 8: error parsing schema: `Target` is declared twice");
}

#[test]
fn a_schema_that_gives_an_attribute_two_types_is_refused() {
    assert_snapshot!(refused_schema(&schema("{ a: Long, a: String }")), @r#"policy_invalid: the schema, line 7, column 54: the attribute "a" is declared twice"#);
}

#[test]
fn an_attribute_is_found_twice_however_it_is_written() {
    for payload in [
        r#"{ a: Long, "a": String }"#,
        r#"{ a?: Long, b: Long, a : String }"#,
        r#"{ "\u{61}"?: Long, // a: Long
             a // once more
             : String }"#,
        r#"{ b: { a: Long, a: Bool } }"#,
        r#"{ b: Set<{ a: Long, a: Bool }> }"#,
    ] {
        let told = refused_schema(&schema(payload));
        assert!(told.contains(r#"the attribute "a" is declared twice"#), "{told}");
    }
}

#[test]
fn an_attribute_may_be_declared_in_different_records() {
    let payload = r#"{
        // a: Long, a: Long
        a: { a: Long, "a: b": Long, b: Set<{ a: Long }> },
        b: { a: Target, "\"": Long, ":": Long },
    }"#;
    assert!(CheckedPolicies::load(GOOD, &schema(payload)).is_ok());
}

#[test]
fn a_schema_with_an_unknown_type_is_refused() {
    assert_snapshot!(refused_schema(&schema("Money")), @"policy_invalid: the schema, line 7, column 43: failed to resolve type: Money (`Money` has not been declared as a common or entity type)");
}

#[test]
fn a_schema_without_executions_and_targets_is_refused() {
    assert_snapshot!(refused_schema("entity User;"), @"
    policy_invalid: the schema: it declares no entity type `Execution`
    the schema: it declares no entity type `Target`
    ");
}

#[test]
fn a_schema_that_hides_a_built_in_type_is_refused() {
    assert_snapshot!(refused_schema(&format!("{}type String = Long;\n", schema("String"))), @"policy_invalid: the schema, line 9, column 6: error parsing schema: this uses a reserved schema keyword: `String` (Keywords such as `entity`, `extension`, `set` and `record` cannot be used as common type names)");
}

#[test]
fn under_the_default_schema_a_policy_can_not_name_the_payload() {
    let policy = "@id(\"a\") permit(principal, action, resource) when { context.payload == 1 };";
    assert_snapshot!(
        CheckedPolicies::with_default_schema(policy, ["note"]).unwrap_err(),
        @r#"the policies, line 1, column 53: for policy `a`, attribute `payload` in context for Action::"note" not found (did you mean `lineage`?)"#
    );
}

#[test]
fn under_the_default_schema_any_consequence_type_can_be_an_action() {
    let odd = ["a \"b\"", "line\nbreak", "\u{202e}", ""];
    assert!(CheckedPolicies::with_default_schema(GOOD, odd).is_ok());
}

fn refused(policies: &str) -> String {
    told(policies, &schema("String"))
}

fn refused_schema(schema: &str) -> String {
    told("", schema)
}

fn told(policies: &str, schema: &str) -> String {
    let error = CheckedPolicies::load(policies, schema).unwrap_err();
    format!("{}: {error}", error.code())
}
