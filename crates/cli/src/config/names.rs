//! Who is behind an execution.

use swampbox_custody::{ExecutionId, Principal};
use swampbox_material::Pattern;
use swampbox_policy::approvals::{Directory, UnknownPrincipal};

/// In whose name executions act: the first pattern that matches says it, and without one an execution
/// is a principal of its own.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) executions: Vec<(Pattern, Principal)>,
}

impl Directory for Names {
    fn behind(&self, execution: &ExecutionId) -> Result<Principal, UnknownPrincipal> {
        let known = self.executions.iter().find(|(pattern, _)| pattern.matches(execution.as_str()));
        match known {
            Some((_, principal)) => Ok(principal.clone()),
            None => execution.as_str().parse().map_err(UnknownPrincipal::new),
        }
    }

    fn known_as(&self, name: &Principal) -> Result<Principal, UnknownPrincipal> {
        Ok(name.clone())
    }
}
