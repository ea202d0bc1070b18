//! Who is behind an execution.

use std::sync::Arc;

use swampbox_custody::{ExecutionId, Principal, StoreFailure};
use swampbox_ledger::{LedgerCustody, NewRecord};
use swampbox_material::Path;
use swampbox_material::json::{Fields, Json};
use swampbox_policy::approvals::{Directory, UnknownPrincipal};

use crate::principal::KeyHash;

const EXECUTION: &str = "execution";

/// Who is behind each execution: the principal that made it through the service, and for any other
/// whoever `otherwise` says.
pub struct Owners {
    ledger: Arc<LedgerCustody>,
    otherwise: Arc<dyn Directory>,
}

impl Owners {
    /// Those of this ledger.
    pub fn of(ledger: Arc<LedgerCustody>, otherwise: Arc<dyn Directory>) -> Self {
        Self { ledger, otherwise }
    }
}

impl Directory for Owners {
    fn behind(&self, execution: &ExecutionId) -> Result<Principal, UnknownPrincipal> {
        match self.ledger.owner(execution).map_err(UnknownPrincipal::new)? {
            Some(owner) => Ok(owner.principal),
            None => self.otherwise.behind(execution),
        }
    }

    fn known_as(&self, name: &Principal) -> Result<Principal, UnknownPrincipal> {
        self.otherwise.known_as(name)
    }
}

/// Who made an execution, and the hash of the token that acts as it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) principal: Principal,
    pub(crate) token: KeyHash,
}

/// What a ledger keeps of who made its executions.
pub(crate) trait Owning {
    /// Who made this execution through the service, if anybody did.
    fn owner(&self, execution: &ExecutionId) -> Result<Option<Owner>, StoreFailure>;

    /// Keeps who makes an execution, in the place of whoever tried before, and never got so far that
    /// it was registered. Says whether nobody else came first.
    fn own(
        &self,
        execution: &ExecutionId,
        owner: &Owner,
        before: Option<&Owner>,
    ) -> Result<bool, StoreFailure>;
}

impl Owning for LedgerCustody {
    fn owner(&self, execution: &ExecutionId) -> Result<Option<Owner>, StoreFailure> {
        let record = self.record(EXECUTION, execution.as_str())?;
        record.map(|record| read(&record.document)).transpose()
    }

    fn own(
        &self,
        execution: &ExecutionId,
        owner: &Owner,
        before: Option<&Owner>,
    ) -> Result<bool, StoreFailure> {
        let present = self.record(EXECUTION, execution.as_str())?;
        let found = present.as_ref().map(|record| read(&record.document)).transpose()?;
        if found.as_ref() != before {
            return Ok(false);
        }
        let record = NewRecord {
            kind: EXECUTION.into(),
            id: execution.to_string(),
            status: "owned".into(),
            document: Json::object([
                ("principal", Json::from(owner.principal.as_str())),
                ("token_sha256", Json::from(owner.token.to_string().as_str())),
            ]),
            execution: Some(execution.clone()),
            consequence: None,
        };
        let expected = present.map(|record| record.version);
        Ok(self.put_record(record, expected)?.is_some())
    }
}

fn read(document: &Json) -> Result<Owner, StoreFailure> {
    let mut fields = Fields::of(document, &Path::root()).map_err(StoreFailure::new)?;
    let mut text = |name| fields.string(name).map_err(StoreFailure::new);
    let principal = text("principal")?.parse().map_err(StoreFailure::new)?;
    let token = text("token_sha256")?.parse().map_err(StoreFailure::new)?;
    Ok(Owner { principal, token })
}
