//! The OpenAPI document.

use std::collections::BTreeSet;

use insta::assert_snapshot;
use swampbox_material::json::Json;
use swampbox_service::openapi;

use crate::served::Served;

#[test]
fn the_document_is_this_one_and_the_service_gives_it_to_anybody() {
    let document = openapi::document();
    assert_snapshot!("openapi", pretty(&document));
    assert_eq!(Served::new().as_nobody().get("/openapi.json").body, document);
}

#[test]
fn every_schema_that_is_named_is_there_and_every_one_that_is_there_is_named() {
    let document = openapi::document().to_string();
    let named = document.split("#/components/schemas/").skip(1);
    let named: BTreeSet<&str> = named.map(|rest| rest.split('"').next().unwrap()).collect();
    let there = openapi::document();
    let there = ["components", "schemas"]
        .iter()
        .fold(&there, |part, name| part.as_object().unwrap().get(name).unwrap());
    let there: BTreeSet<&str> =
        there.as_object().unwrap().iter().map(|(name, _)| &**name).collect();
    assert_eq!(named, there);
}

fn pretty(document: &Json) -> String {
    let document: serde_json::Value = serde_json::from_str(&document.to_string()).unwrap();
    serde_json::to_string_pretty(&document).unwrap()
}
