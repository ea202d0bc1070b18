//! Policies, and what they say about one consequence of exec-A, who acts for alice.

use std::sync::Arc;
use std::time::Duration;

use swampbox_authority::{AuthorityProvider, AuthorityRequest, DecisionDocument};
use swampbox_custody::{ExecutionId, ReleaseState, Snapshot};
use swampbox_material::json::Json;
use swampbox_material::{Material, Value};
use swampbox_policy::LookupFailure;
use swampbox_policy::cedar::{Cedar, CedarPolicies, CheckedPolicies, PrincipalOf};

use crate::signed_fixture::{NOW, parsed};

/// A schema in which a note has a payload of this type.
pub(crate) fn schema(payload: &str) -> String {
    format!(
        r#"entity Execution = {{ principal: String }};
entity Target;
type Lineage = {{ origin: String, custodian: String, parent?: String }};
action "note" appliesTo {{
    principal: [Execution],
    resource: [Target],
    context: {{ lineage: Lineage, payload: {payload} }},
}};
"#
    )
}

/// These policies, for a note with a payload of this type.
pub(crate) fn checked(policies: &str, payload: &str) -> CheckedPolicies {
    CheckedPolicies::load(policies, &schema(payload)).unwrap()
}

/// A provider under which each execution acts for alice.
pub(crate) fn provider(policies: CheckedPolicies) -> Cedar<impl PrincipalOf> {
    shared(&Arc::new(CedarPolicies::new(policies)))
}

/// The same, with policies that can be replaced.
pub(crate) fn shared(policies: &Arc<CedarPolicies>) -> Cedar<impl PrincipalOf + use<>> {
    let alice = |_: &ExecutionId| Ok::<_, LookupFailure>("alice".to_owned());
    Cedar::new(policies.clone(), alice, Duration::from_secs(60))
}

/// The request to release a note with this payload, or whatever else.
pub(crate) fn request(consequence_type: &str, payload: &str) -> AuthorityRequest {
    let payload = Value::from_json(payload.as_bytes()).unwrap();
    let snapshot = Snapshot {
        consequence_id: parsed("X"),
        origin_execution_id: parsed("exec-0"),
        current_execution_id: Some(parsed("exec-A")),
        parent_consequence_id: None,
        material: Material::new(consequence_type, "inbox", payload),
        release_state: ReleaseState::Contained,
    };
    AuthorityRequest { snapshot, evaluated_at: parsed(NOW) }
}

/// What these policies say about a note with this payload, of this type in the schema.
pub(crate) fn said(policies: &str, payload_type: &str, payload: &str) -> String {
    let provider = provider(checked(policies, payload_type));
    told(&provider.evaluate(&request("note", payload)).unwrap())
}

/// The verdict, the policies that determined it and the errors.
pub(crate) fn told(decision: &DecisionDocument) -> String {
    let document = Json::read(decision.as_received().as_bytes()).unwrap();
    let field = |document: &Json, name| document.as_object().unwrap().get(name).unwrap().clone();
    let list = |name| match field(decision.basis().unwrap(), name) {
        Json::List(texts) => {
            let texts = texts.iter().map(|text| text.as_str().unwrap().to_owned());
            texts.collect::<Vec<_>>()
        }
        other => panic!("{name} is {other}"),
    };
    let mut told = field(&document, "verdict").as_str().unwrap().to_owned();
    for id in list("determined_by") {
        told += &format!("\nby: {id}");
    }
    for error in list("errors") {
        told += &format!("\nerror: {error}");
    }
    told
}
