//! Decisions by policies in [Cedar](https://docs.cedarpolicy.com).
//!
//! The question that a policy is asked:
//!
//! | part | is |
//! | --- | --- |
//! | `principal` | `Execution::"…"`, the id of the execution; its attribute `principal` is who it acts for, as [`PrincipalOf`] tells |
//! | `action` | `Action::"…"`, the consequence type |
//! | `resource` | `Target::"…"`, the target |
//! | `context.payload` | the payload, if the schema is the operator's own; see below |
//! | `context.lineage` | `{ origin, custodian, parent? }`, ids as strings; a root has no `parent` |
//!
//! ALLOW needs a `permit`, no `forbid`, and no error at all: Cedar skips a policy that fails, and here
//! that is a denial. So is a consequence that the schema or Cedar's values can't express. What was
//! the matter stands in the basis, with the policies that determined the answer and the digests of
//! policies and schema.
//!
//! # What a payload looks like to a policy
//!
//! | payload | in Cedar |
//! | --- | --- |
//! | an integer of 64 bits | `Long` |
//! | a boolean, a string | `Bool`, `String` |
//! | a mapping | a record of the same keys |
//! | a list | a record of `"#0"`, `"#1"`, … and `"#length"`: a Cedar set would lose order and repetition |
//! | `null`, a float, a larger integer | nothing: denied |
//! | a mapping with a key that begins with `#`, which could be taken for a list | nothing: denied |
//! | more than [`MAX_PAYLOAD_VALUES`] values | nothing: denied |
//!
//! Different payloads look different, and nothing is converted. An object whose keys are Cedar's own
//! markers, such as `__entity`, is an ordinary record. What the schema does not declare is not ignored:
//! the request does not fit it, and is denied.
//!
//! ```cedarschema
//! entity Execution = { principal: String };
//! entity Target;
//! type Lineage = { origin: String, custodian: String, parent?: String };
//! action "mail" appliesTo {
//!     principal: [Execution],
//!     resource: [Target],
//!     context: { lineage: Lineage, payload: { to: String, copies?: Long } },
//! };
//! ```

mod policies;
mod problem;
mod provider;
mod question;
mod repeated;
mod schema;
mod shape;

pub use policies::{CedarPolicies, CheckedPolicies};
pub use problem::{PolicyError, PolicyFile, PolicyProblem};
pub use provider::{Cedar, PrincipalOf};
pub use schema::default_schema;
pub use shape::MAX_PAYLOAD_VALUES;
