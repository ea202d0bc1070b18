use std::collections::BTreeSet;
use std::fmt::Write;

use cedar_policy::EntityId;

/// The schema for policies that do not look at the payload: each of these consequence types is an
/// action, and the context holds the lineage alone.
///
/// It is a beginning for a schema of one's own: declare `payload` in the context of an action, and its
/// policies may use it.
///
/// ```
/// let schema = swampbox_policy::cedar::default_schema(["mail"]);
/// assert_eq!(
///     schema,
///     r#"entity Execution = { principal: String };
/// entity Target;
/// type Lineage = { origin: String, custodian: String, parent?: String };
/// action "mail" appliesTo {
///     principal: [Execution],
///     resource: [Target],
///     context: { lineage: Lineage },
/// };
/// "#
/// );
/// ```
pub fn default_schema<'t>(consequence_types: impl IntoIterator<Item = &'t str>) -> String {
    let mut schema = String::from(
        "entity Execution = { principal: String };\n\
         entity Target;\n\
         type Lineage = { origin: String, custodian: String, parent?: String };\n",
    );
    for consequence_type in consequence_types.into_iter().collect::<BTreeSet<_>>() {
        let action = EntityId::new(consequence_type);
        // Writing to a string can't fail.
        let _ = writeln!(
            schema,
            "action \"{}\" appliesTo {{\n    principal: [Execution],\n    resource: [Target],\n    \
             context: {{ lineage: Lineage }},\n}};",
            action.escaped()
        );
    }
    schema
}
