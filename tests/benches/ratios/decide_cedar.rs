use std::collections::{HashMap, HashSet};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use cedar_policy::{
    Authorizer, Context, Decision, Entities, Entity, EntityId, EntityTypeName, EntityUid,
    PolicySet, Request, Response, RestrictedExpression, Schema,
};
use swampbox_custody::ExecutionId;
use swampbox_policy::LookupFailure;
use swampbox_policy::cedar::{Cedar, CedarPolicies, CheckedPolicies};

use crate::Failure;
use crate::decide::{decisions, request};
use crate::measure::{in_turns, timed_each};
use crate::report::{Aim, Line};

/// The provider against Cedar itself with the same policies, request, entities and context. Cedar is
/// given what a caller has to make for each consequence, and once more what was made before.
pub(crate) fn cedar() -> Result<Vec<Line>, Failure> {
    let few =
        ["cedar, 1 policy / Cedar itself", "cedar, 1 policy / Cedar, its question made before"];
    let some = [
        "cedar, 100 policies / Cedar itself",
        "cedar, 100 policies / Cedar, its question made before",
    ];
    let many = [
        "cedar, 10,000 policies / Cedar itself",
        "cedar, 10,000 policies / Cedar, its question made before",
    ];
    let measured = [against_itself(few, 1, 100)?, against_itself(some, 100, 20)?];
    let many = against_itself(many, 10_000, 1)?;
    Ok(measured.into_iter().flatten().chain(many).collect())
}

fn against_itself(
    names: [&'static str; 2],
    count: usize,
    together: u32,
) -> Result<[Line; 2], Failure> {
    const ROUNDS: usize = 31;
    let policies = policies(count)?;
    let request = request("asked")?;
    let checked = CheckedPolicies::load(&policies, SCHEMA)?;
    let olga = |_: &ExecutionId| Ok::<_, LookupFailure>("olga".to_owned());
    let minute = Duration::from_secs(60);
    let provider = Cedar::new(Arc::new(CedarPolicies::new(checked)), olga, minute);

    let direct = Direct::new(&policies)?;
    let (question, entities) = direct.question()?;
    let [provider, itself, prepared] = in_turns(
        ROUNDS,
        [
            &|| decisions(&provider, &request, together),
            &|| {
                timed_each(together, || {
                    let (question, entities) = direct.question()?;
                    direct.ask(&question, &entities)
                })
            },
            &|| timed_each(together, || direct.ask(&question, &entities)),
        ],
    )?;
    let [whole, alone] = names;
    Ok([
        Line::of_times(whole, provider, itself, Aim::RatioAtMost(1.3)),
        Line::of_times(alone, provider, prepared, Aim::None),
    ])
}

const SCHEMA: &str = r#"
entity Execution = { principal: String };
entity Target;
type Lineage = { origin: String, custodian: String, parent?: String };
action "note" appliesTo {
    principal: [Execution],
    resource: [Target],
    context: { lineage: Lineage, payload: { text: String, urgent: Bool } },
};
"#;

/// So many policies, of which the last one only is about what is asked.
fn policies(count: usize) -> Result<String, Failure> {
    let mut text = String::new();
    for number in 1..=count {
        let target = if number == count { "inbox".into() } else { format!("inbox-{number}") };
        writeln!(
            text,
            r#"@id("policy-{number}")
permit(principal, action == Action::"note", resource == Target::"{target}")
when {{ principal.principal == "olga" && !context.payload.urgent }};"#
        )?;
    }
    Ok(text)
}

/// Cedar without us.
struct Direct {
    authorizer: Authorizer,
    policies: PolicySet,
    schema: Schema,
    execution: EntityTypeName,
    action: EntityTypeName,
    target: EntityTypeName,
}

impl Direct {
    fn new(policies: &str) -> Result<Self, Failure> {
        Ok(Self {
            authorizer: Authorizer::new(),
            policies: policies.parse()?,
            schema: Schema::from_cedarschema_str(SCHEMA)?.0,
            execution: "Execution".parse()?,
            action: "Action".parse()?,
            target: "Target".parse()?,
        })
    }

    /// What the provider makes of the same consequence.
    fn question(&self) -> Result<(Request, Entities), Failure> {
        let uid = |name: &EntityTypeName, id| {
            EntityUid::from_type_name_and_id(name.clone(), EntityId::new(id))
        };
        let text = |text: &str| RestrictedExpression::new_string(text.to_owned());
        let lineage = [("origin".into(), text("agent")), ("custodian".into(), text("agent"))];
        let payload = [
            ("text".into(), text("to be decided about")),
            ("urgent".into(), RestrictedExpression::new_bool(false)),
        ];
        let context = Context::from_pairs([
            ("lineage".into(), RestrictedExpression::new_record(lineage)?),
            ("payload".into(), RestrictedExpression::new_record(payload)?),
        ])?;
        let (execution, target) = (uid(&self.execution, "agent"), uid(&self.target, "inbox"));
        let attributes = HashMap::from([("principal".to_owned(), text("olga"))]);
        let acting = Entity::new(execution.clone(), attributes, HashSet::new())?;
        let known = [acting, Entity::with_uid(target.clone())];
        let schema = Some(&self.schema);
        let action = uid(&self.action, "note");
        let request = Request::new(execution, action, target, context, schema)?;
        Ok((request, Entities::from_entities(known, schema)?))
    }

    fn ask(&self, question: &Request, entities: &Entities) -> Result<Response, Failure> {
        let response = self.authorizer.is_authorized(question, &self.policies, entities);
        match response.decision() {
            Decision::Allow => Ok(response),
            Decision::Deny => Err("Cedar denied what the policies permit".into()),
        }
    }
}
