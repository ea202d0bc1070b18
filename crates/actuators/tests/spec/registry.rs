//! Which actuator carries out what, and what is refused before it is submitted.

use std::sync::Arc;

use insta::assert_snapshot;
use swampbox_actuators::{Declaration, Declared, HttpActuator, Registry};
use swampbox_boundary::{
    Actuator, ActuatorFailure, ActuatorReport, Admission, Observation, Sighting,
};
use swampbox_material::{Material, Value};

use crate::fixture::{Server, release_through};

/// Does nothing, and says that it did.
struct Says {
    name: &'static str,
    schema: &'static str,
}

impl Actuator for Says {
    fn actuate(&self, _: Admission<'_>) -> Result<ActuatorReport, ActuatorFailure> {
        Ok(ActuatorReport::succeeded(format!("by {}", self.name)))
    }

    fn observe(&self, _: &Material) -> Observation {
        Observation::present(format!("seen by {}", self.name))
    }

    fn name(&self) -> &str {
        self.name
    }
}

impl Declared for Says {
    fn declarations(&self) -> Vec<Declaration> {
        vec![Declaration { consequence_type: "note", payload_schema: self.schema }]
    }
}

fn says(name: &'static str) -> Arc<Says> {
    Arc::new(Says { name, schema: "true" })
}

fn routes(routes: &[(&str, &'static str)]) -> Registry {
    let mut registry = Registry::new();
    for (target, name) in routes {
        registry.route("note", target.parse().unwrap(), says(name)).unwrap();
    }
    registry
}

fn note(target: &str) -> Material {
    Material::new("note", target, Value::Null)
}

fn checked(registry: &Registry, material: &Material) -> String {
    match registry.check(material) {
        Ok(()) => registry.actuator_of(material).unwrap().to_owned(),
        Err(error) => format!("{}: {error}", error.code()),
    }
}

#[test]
fn a_consequence_goes_to_the_one_actuator_whose_route_matches() {
    let registry = routes(&[("inbox", "first"), ("outbox/*", "second"), ("outbox/1", "third")]);
    let told = ["inbox", "outbox/2", "outbox/1", "elsewhere", "inbox "]
        .map(|target| format!("{target:?}: {}", checked(&registry, &note(target))));
    let other = checked(&registry, &Material::new("Note", "inbox", Value::Null));
    assert_snapshot!(format!("{}\nanother type: {other}", told.join("\n")));
}

#[test]
fn what_no_route_or_two_match_is_surely_not_done() {
    let registry = routes(&[("a*", "first"), ("*b", "second")]);
    let told = ["a", "ab", "c"].map(|target| release_through(&registry, note(target)));
    assert_snapshot!(told.join("\n"));
}

#[test]
fn an_observation_is_made_by_the_actuator_that_would_have_acted() {
    let registry = routes(&[("inbox", "first")]);
    assert_eq!(registry.observe(&note("inbox")).evidence(), "seen by first");
    assert_eq!(registry.observe(&note("elsewhere")).sighting(), Sighting::Unknown);
}

#[test]
fn an_actuator_is_not_given_a_type_that_it_does_not_take() {
    let mut registry = Registry::new();
    let refused = registry.route("mail", "*".parse().unwrap(), says("the post")).unwrap_err();
    assert_eq!(refused.to_string(), "the post does not carry out \"mail\"; it takes `note`");
    let schema = r#"{"type": "strnig"}"#;
    let wrong = Arc::new(Says { name: "the post", schema });
    let refused = registry.route("note", "*".parse().unwrap(), wrong).unwrap_err();
    assert_snapshot!(refused);
}

fn http() -> Registry {
    let mut registry = Registry::new();
    let actuator = Arc::new(HttpActuator::builder().build());
    registry.route("http.request", "http*".parse().unwrap(), actuator).unwrap();
    registry
}

#[test]
fn a_payload_that_does_not_fit_is_refused_with_its_path() {
    let payloads = [
        "null",
        r#"{"method": "GET"}"#,
        r#"{"method": "get", "url": "http://x"}"#,
        r#"{"method": "GET", "url": 7}"#,
        r#"{"method": "GET", "url": "http://x", "headers": {"a\u200bb": [1]}}"#,
        r#"{"method": "POST", "url": "http://x", "body": "", "json": 1}"#,
        r#"{"method": "GET", "url": "http://x", "token": "secret"}"#,
        r#"{"method": "POST", "url": "http://x", "json": [100000000000000000000, 1.5, null]}"#,
        r#"{"method": "POST", "url": "http://x", "body": -100000000000000000000}"#,
    ];
    let told = payloads.map(|payload| {
        let value = Value::from_json(payload.as_bytes()).unwrap();
        let material = Material::new("http.request", "http://x", value);
        format!("{payload}\n  {}", checked(&http(), &material))
    });
    assert_snapshot!(told.join("\n"));
}

#[test]
fn a_request_through_a_registry_is_sent_like_any_other() {
    let server = Server::answering("HTTP/1.1 204 No Content\r\n\r\n");
    let payload = format!(r#"{{"method": "GET", "url": "{}/thing"}}"#, server.origin());
    let payload = Value::from_json(payload.as_bytes()).unwrap();
    let material = Material::new("http.request", server.origin().as_str(), payload);
    assert!(http().check(&material).is_ok());
    let told = release_through(http(), material);
    assert!(told.starts_with("SUCCEEDED, RELEASED: 204 No Content"), "{told}");
    assert!(server.finish().starts_with("GET /thing HTTP/1.1"));
}
