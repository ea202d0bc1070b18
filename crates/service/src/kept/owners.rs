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
    /// The issuer that knew them, if it was one.
    pub(crate) issuer: Option<Arc<str>>,
    pub(crate) token: KeyHash,
}

/// What a ledger keeps of who made its executions.
///
/// To make one takes two steps: it is claimed before it is registered, and owned after. A claim gives
/// way to another one of the same principal, as a service that ended in between would leave it for
/// good; an owner never does. So of many who try at once, one gets it, with the one token that works.
pub(crate) trait Owning {
    /// Who made this execution through the service, or is about to, if anybody is.
    fn owner(&self, execution: &ExecutionId) -> Result<Option<Owner>, StoreFailure>;

    /// Claims an execution, unless it is somebody else's, or owned.
    fn claim(&self, execution: &ExecutionId, owner: &Owner) -> Result<Option<Claim>, StoreFailure>;

    /// Makes what was claimed one's own. Says whether no other claim took the place of this one.
    fn own(&self, claim: Claim) -> Result<bool, StoreFailure>;
}

/// An execution that is claimed.
#[derive(Debug)]
pub(crate) struct Claim {
    record: NewRecord,
    version: u64,
}

const CLAIMED: &str = "claimed";
const OWNED: &str = "owned";

impl Owning for LedgerCustody {
    fn owner(&self, execution: &ExecutionId) -> Result<Option<Owner>, StoreFailure> {
        let record = self.record(EXECUTION, execution.as_str())?;
        record.map(|record| read(&record.document)).transpose()
    }

    fn claim(&self, execution: &ExecutionId, owner: &Owner) -> Result<Option<Claim>, StoreFailure> {
        let present = self.record(EXECUTION, execution.as_str())?;
        if let Some(present) = &present {
            let before = read(&present.document)?;
            if present.status != CLAIMED || before.principal != owner.principal {
                return Ok(None);
            }
        }
        let issuer = owner.issuer.as_deref().map(|issuer| ("issuer", Json::from(issuer)));
        let document = [
            ("principal", Json::from(owner.principal.as_str())),
            ("token_sha256", Json::from(owner.token.to_string().as_str())),
        ];
        let record = NewRecord {
            kind: EXECUTION.into(),
            id: execution.to_string(),
            status: CLAIMED.into(),
            document: Json::object(document.into_iter().chain(issuer)),
            execution: Some(execution.clone()),
            consequence: None,
        };
        let version = self.put_record(record.clone(), present.map(|record| record.version))?;
        Ok(version.map(|version| Claim { record, version }))
    }

    fn own(&self, claim: Claim) -> Result<bool, StoreFailure> {
        let record = NewRecord { status: OWNED.into(), ..claim.record };
        Ok(self.put_record(record, Some(claim.version))?.is_some())
    }
}

fn read(document: &Json) -> Result<Owner, StoreFailure> {
    let mut fields = Fields::of(document, &Path::root()).map_err(StoreFailure::new)?;
    let mut text = |name| fields.string(name).cloned().map_err(StoreFailure::new);
    let principal = text("principal")?.parse().map_err(StoreFailure::new)?;
    let token = text("token_sha256")?.parse().map_err(StoreFailure::new)?;
    let issuer = match fields.optional("issuer") {
        Some(_) => Some(fields.string("issuer").map_err(StoreFailure::new)?.clone()),
        None => None,
    };
    Ok(Owner { principal, issuer, token })
}
