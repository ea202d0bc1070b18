use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use cedar_policy::{
    EntityTypeName, Policy, PolicyId, PolicySet, Schema, ValidationMode, Validator,
};
use miette::Diagnostic;
use swampbox_material::Shown;

use super::problem::{PolicyError, PolicyFile, PolicyProblem};
use super::repeated::repeated;
use super::schema::default_schema;
use crate::hex;

/// The policies that decide now. They can be replaced while decisions are made; one that was made
/// under the old ones does not stand at the edge any more.
#[derive(Debug)]
pub struct CedarPolicies {
    current: RwLock<Arc<CheckedPolicies>>,
}

impl CedarPolicies {
    /// These policies.
    pub fn new(policies: CheckedPolicies) -> Self {
        Self { current: RwLock::new(Arc::new(policies)) }
    }

    /// Puts these policies in the place of those that were there.
    pub fn replace(&self, policies: CheckedPolicies) {
        *self.current.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policies);
    }

    /// Those that decide now.
    pub fn current(&self) -> Arc<CheckedPolicies> {
        self.current.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Policies that were found good for their schema.
///
/// ```
/// use swampbox_policy::cedar::CheckedPolicies;
///
/// let policies = r#"
///     @id("mail-to-ops")
///     permit(principal, action == Action::"mail", resource == Target::"ops")
///     when { principal.principal == "alice" };
/// "#;
/// assert!(CheckedPolicies::with_default_schema(policies, ["mail"]).is_ok());
///
/// let error = CheckedPolicies::with_default_schema(policies, ["note"]).unwrap_err();
/// assert_eq!(error.problems()[0].position().unwrap().line, 2);
/// # Ok::<(), swampbox_policy::cedar::PolicyError>(())
/// ```
#[derive(Debug)]
pub struct CheckedPolicies {
    // INVARIANT (checked): validated strictly against `schema` without an error or a warning; every
    // policy is static and has the id that it gives itself.
    pub(super) set: PolicySet,
    pub(super) schema: Schema,
    pub(super) types: EntityTypes,
    /// Whether policies are shown the payload.
    pub(super) with_payload: bool,
    policies_digest: String,
    schema_digest: String,
}

/// The types that the parts of a question have.
#[derive(Debug)]
pub(super) struct EntityTypes {
    pub(super) execution: EntityTypeName,
    pub(super) action: EntityTypeName,
    pub(super) target: EntityTypeName,
}

impl CheckedPolicies {
    /// Reads and checks policies and their schema, both in Cedar's own syntax. The schema declares, in
    /// the context of each action, `lineage` and `payload`.
    ///
    /// # Errors
    ///
    /// `policy_invalid`, with the lines: text that does not parse, a type error in strict validation,
    /// any warning (a policy that can never apply, characters that look like others), a policy without
    /// an `@id`, an id or an attribute given twice, a template.
    pub fn load(policies: &str, schema: &str) -> Result<Self, PolicyError> {
        Self::check(policies, schema, true)
    }

    /// Reads and checks policies that do not look at the payload, under the
    /// [`default_schema`](super::default_schema) for these consequence types.
    ///
    /// # Errors
    ///
    /// As [`CheckedPolicies::load`].
    pub fn with_default_schema<'t>(
        policies: &str,
        consequence_types: impl IntoIterator<Item = &'t str>,
    ) -> Result<Self, PolicyError> {
        Self::check(policies, &default_schema(consequence_types), false)
    }

    /// The SHA-256 digest of the policies' text, in hexadecimal digits.
    pub fn policies_digest(&self) -> &str {
        &self.policies_digest
    }

    /// The SHA-256 digest of the schema's text, in hexadecimal digits.
    pub fn schema_digest(&self) -> &str {
        &self.schema_digest
    }

    fn check(policies: &str, schema: &str, with_payload: bool) -> Result<Self, PolicyError> {
        let (policies_digest, schema_digest) =
            (hex::sha256(policies.as_bytes()), hex::sha256(schema.as_bytes()));
        let types = EntityTypes::new()?;
        let schema = types.schema(schema)?;
        let (set, offsets) = named(policies)?;
        let validator = Validator::new(schema.clone());
        let result = validator.validate(&set, ValidationMode::Strict);
        let told = |diagnostic: &dyn Diagnostic, policy: &PolicyId| {
            let told = PolicyProblem::told(PolicyFile::Policies, policies, diagnostic);
            let offset = offsets.get(AsRef::<str>::as_ref(policy)).copied();
            if told.position().is_some() { told } else { told.at(policies, offset.unwrap_or(0)) }
        };
        let errors = result.validation_errors().map(|error| told(error, error.policy_id()));
        let warnings =
            result.validation_warnings().map(|warning| told(warning, warning.policy_id()));
        PolicyError::unless_none(errors.chain(warnings).collect())?;
        Ok(Self { set, schema, types, with_payload, policies_digest, schema_digest })
    }
}

impl EntityTypes {
    fn new() -> Result<Self, PolicyError> {
        let name = |name: &str| {
            let parsed = name.parse::<EntityTypeName>();
            parsed.map_err(|error| PolicyProblem::new(PolicyFile::Schema, error.to_string()))
        };
        Ok(Self { execution: name("Execution")?, action: name("Action")?, target: name("Target")? })
    }

    fn schema(&self, text: &str) -> Result<Schema, PolicyError> {
        let told =
            |diagnostic: &dyn Diagnostic| PolicyProblem::told(PolicyFile::Schema, text, diagnostic);
        let (schema, warnings) =
            Schema::from_cedarschema_str(text).map_err(|error| told(&error))?;
        let warnings = warnings.map(|warning| told(&warning));
        let twice = repeated(text).into_iter().map(|(name, offset)| {
            let problem = format!("the attribute {} is declared twice", Shown::brief(&name));
            PolicyProblem::new(PolicyFile::Schema, problem).at(text, offset)
        });
        PolicyError::unless_none(warnings.chain(twice).collect())?;
        let needed = [&self.execution, &self.target];
        let missing = needed.into_iter().filter(|name| !schema.entity_types().any(|t| t == *name));
        let missing = missing.map(|name| {
            let problem = format!("it declares no entity type `{name}`");
            PolicyProblem::new(PolicyFile::Schema, problem)
        });
        PolicyError::unless_none(missing.collect())?;
        Ok(schema)
    }
}

/// The policies of a text, each under the id that it gives itself, and by id where each begins.
fn named(text: &str) -> Result<(PolicySet, BTreeMap<String, usize>), PolicyError> {
    let problem = |problem: String| PolicyProblem::new(PolicyFile::Policies, problem);
    let set = text.parse::<PolicySet>();
    let set = set.map_err(|errors| {
        let told =
            errors.iter().map(|error| PolicyProblem::told(PolicyFile::Policies, text, error));
        let told: Vec<_> = told.collect();
        PolicyError::unless_none(told).err().unwrap_or_else(|| problem(errors.to_string()).into())
    })?;
    let templates = set.templates().map(|template| {
        let offset = text.find(&template.to_cedar()).unwrap_or_default();
        problem("a template is not used by anybody; write a policy without slots".into())
            .at(text, offset)
    });
    PolicyError::unless_none(templates.collect())?;

    let mut ids = BTreeMap::new();
    let mut problems = Vec::new();
    let mut policies = Vec::new();
    for (policy, offset) in in_order(&set, text) {
        let id = policy.annotation("id").unwrap_or_default();
        if id.is_empty() {
            let lacking = "a policy has no id; write `@id(\"…\")` before it";
            problems.push(problem(lacking.into()).at(text, offset));
        } else if let Some(first) = ids.insert(id.to_owned(), offset) {
            let line = text.get(..first).unwrap_or_default().matches('\n').count() + 1;
            let twice = format!("the policy at line {line} has the id {} too", Shown::brief(id));
            problems.push(problem(twice).at(text, offset));
        }
        policies.push(policy.new_id(PolicyId::new(id)));
    }
    PolicyError::unless_none(problems)?;
    let set = PolicySet::from_policies(policies).map_err(|error| problem(error.to_string()))?;
    Ok((set, ids))
}

/// All policies as they stand in the text, and where each begins.
fn in_order<'s>(set: &'s PolicySet, text: &str) -> Vec<(&'s Policy, usize)> {
    let mut policies: Vec<_> = set.policies().collect();
    // Cedar numbers the policies of a text from 0.
    policies.sort_by_key(|policy| {
        let id: &str = policy.id().as_ref();
        id.strip_prefix("policy").and_then(|number| number.parse::<usize>().ok())
    });
    let mut from = 0;
    let policies = policies.into_iter().map(|policy| {
        let source = policy.to_cedar().unwrap_or_default();
        let found = text.get(from..).and_then(|rest| rest.find(&source));
        let offset = found.map_or(from, |found| from + found);
        from = offset + source.len();
        (policy, offset)
    });
    policies.collect()
}
