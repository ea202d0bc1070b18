//! The schemas that the actuators publish for their payloads.

use swampbox_actuators::{GitActuator, GitHubActuator};
use swampbox_material::Value;

#[test]
fn a_schema_is_closed_and_says_whose_it_is() {
    for (kind, schema) in [
        (GitActuator::PATCH, GitActuator::PATCH_PAYLOAD_SCHEMA),
        (GitActuator::PUSH, GitActuator::PUSH_PAYLOAD_SCHEMA),
        (GitHubActuator::ISSUE, GitHubActuator::ISSUE_PAYLOAD_SCHEMA),
        (GitHubActuator::COMMENT, GitHubActuator::COMMENT_PAYLOAD_SCHEMA),
    ] {
        let schema = Value::from_json(schema.as_bytes()).unwrap();
        let schema = schema.as_map().unwrap();
        assert_eq!(schema.get("title"), Some(&Value::from(kind)));
        assert_eq!(
            schema.get("$schema").and_then(Value::as_str),
            Some("https://json-schema.org/draft/2020-12/schema")
        );
        assert_eq!(schema.get("type"), Some(&Value::from("object")));
        assert_eq!(schema.get("additionalProperties"), Some(&Value::from(false)));
    }
}
