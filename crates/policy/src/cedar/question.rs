use std::collections::{HashMap, HashSet};
use std::error::Error;

use cedar_policy::{
    Context, Entities, Entity, EntityId, EntityTypeName, EntityUid, Request,
    RequestValidationError, RestrictedExpression,
};
use swampbox_custody::{ExecutionId, Snapshot};

use super::policies::CheckedPolicies;
use super::shape::{Shapeless, shape};

/// What policies are asked about one consequence. It fits their schema.
pub(super) struct Question {
    pub(super) request: Request,
    pub(super) entities: Entities,
}

/// There is no question that could be asked.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoQuestion {
    #[error(transparent)]
    Shapeless(#[from] Shapeless),
    #[error("the consequence does not fit the schema: {0}")]
    Unfit(String),
}

impl Question {
    /// The question whether `custodian`, acting for `principal`, may release what `snapshot` shows.
    pub(super) fn about(
        snapshot: &Snapshot,
        custodian: &ExecutionId,
        principal: &str,
        policies: &CheckedPolicies,
    ) -> Result<Self, NoQuestion> {
        let types = &policies.types;
        let execution = uid(&types.execution, custodian.as_str());
        let action = uid(&types.action, snapshot.material.consequence_type());
        let target = uid(&types.target, snapshot.material.target());

        let mut context = vec![("lineage".to_owned(), lineage(snapshot, custodian)?)];
        if policies.with_payload {
            context.push(("payload".to_owned(), shape(snapshot.material.payload())?));
        }
        let context = Context::from_pairs(context).map_err(unfit)?;

        let principal = RestrictedExpression::new_string(principal.to_owned());
        let attributes = HashMap::from([("principal".to_owned(), principal)]);
        let acting = Entity::new(execution.clone(), attributes, HashSet::new()).map_err(unfit)?;
        let known = [acting, Entity::with_uid(target.clone())];

        let schema = Some(&policies.schema);
        let request = Request::new(execution, action, target, context, schema).map_err(refused)?;
        let entities = Entities::from_entities(known, schema).map_err(unfit)?;
        Ok(Self { request, entities })
    }
}

fn lineage(
    snapshot: &Snapshot,
    custodian: &ExecutionId,
) -> Result<RestrictedExpression, NoQuestion> {
    let parent = snapshot.parent_consequence_id.as_ref().map(|id| ("parent", id.as_str()));
    let ids =
        [("origin", snapshot.origin_execution_id.as_str()), ("custodian", custodian.as_str())];
    let ids = ids
        .into_iter()
        .chain(parent)
        .map(|(name, id)| (name.to_owned(), RestrictedExpression::new_string(id.to_owned())));
    RestrictedExpression::new_record(ids).map_err(unfit)
}

fn uid(name: &EntityTypeName, id: &str) -> EntityUid {
    EntityUid::from_type_name_and_id(name.clone(), EntityId::new(id))
}

/// Cedar tells the context as a whole, which is left out: it is the consequence, and may be long.
fn refused(error: RequestValidationError) -> NoQuestion {
    match error {
        RequestValidationError::InvalidContext(error) => {
            let action = error.action();
            NoQuestion::Unfit(format!("its context is not what is declared for `{action}`"))
        }
        error => unfit(error),
    }
}

fn unfit(error: impl Error) -> NoQuestion {
    let mut told = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        told = format!("{told}: {cause}");
        source = cause.source();
    }
    NoQuestion::Unfit(told)
}
