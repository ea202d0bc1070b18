//! Cedar policies, in a program that was built with them.

use std::sync::Arc;

use swampbox_authority::AuthorityProvider;
use swampbox_policy::approvals::Directory;

use super::Config;
use crate::failure::Failure;

#[cfg(not(feature = "cedar"))]
impl Config {
    pub(super) fn cedar(
        &self,
        _: Arc<dyn Directory>,
    ) -> Result<Box<dyn AuthorityProvider>, Failure> {
        let problem = "this program was built without Cedar; build it with `--features cedar`";
        Err(self.invalid("cedar", problem))
    }
}

#[cfg(feature = "cedar")]
impl Config {
    pub(super) fn cedar(
        &self,
        principals: Arc<dyn Directory>,
    ) -> Result<Box<dyn AuthorityProvider>, Failure> {
        use std::time::Duration;

        use swampbox_actuators::{
            CommandActuator, FileActuator, GitActuator, GitHubActuator, HttpActuator,
        };
        use swampbox_custody::ExecutionId;
        use swampbox_policy::LookupFailure;
        use swampbox_policy::cedar::{Cedar, CedarPolicies, CheckedPolicies, PolicyError};

        /// What the schema knows that is made for policies which look at no payload.
        const TYPES: [&str; 7] = [
            HttpActuator::CONSEQUENCE_TYPE,
            FileActuator::CONSEQUENCE_TYPE,
            CommandActuator::CONSEQUENCE_TYPE,
            GitActuator::PATCH,
            GitActuator::PUSH,
            GitHubActuator::ISSUE,
            GitHubActuator::COMMENT,
        ];

        let Some(cedar) = &self.file.cedar else {
            return Err(self.invalid("authority", "`cedar` needs a `[cedar]` table"));
        };
        let policies = self.text(&cedar.policies)?;
        let checked = match &cedar.schema {
            Some(schema) => CheckedPolicies::load(&policies, &self.text(schema)?),
            None => CheckedPolicies::with_default_schema(&policies, TYPES),
        };
        // A failure is one line.
        let listed = |error: &PolicyError| {
            error.problems().iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        };
        let checked = checked.map_err(|error| self.invalid("cedar", listed(&error)))?;
        let behind = move |execution: &ExecutionId| {
            let principal = principals.behind(execution).map_err(LookupFailure::new)?;
            Ok(principal.to_string())
        };
        let lasts = Duration::from_secs(cedar.window_seconds.get());
        Ok(Box::new(Cedar::new(Arc::new(CedarPolicies::new(checked)), behind, lasts)))
    }
}
