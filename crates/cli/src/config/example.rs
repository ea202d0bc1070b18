//! The example that `config example` prints. A test reads it.

/// A configuration with a comment for each key, in which `approver` decides.
pub(crate) fn example(approver: &str) -> String {
    include_str!("example.toml").replace("APPROVER", &toml::Value::from(approver).to_string())
}
