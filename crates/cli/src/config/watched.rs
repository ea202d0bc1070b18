//! Whether what was decided by still holds.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use swampbox_authority::{AuthorityProvider, AuthorityRequest, DecisionDocument, NoDecision};
use swampbox_custody::{ExecutionId, Principal};
use swampbox_ledger::LedgerCustody;
use swampbox_policy::approvals::{Directory, UnknownPrincipal};
use swampbox_policy::signed::Revocations;
use swampbox_service::Revoked;

use super::{Config, read};

/// The files that a configuration was read from, each with the text that it had then; none if there
/// was no file.
#[derive(Debug, Default)]
pub(super) struct Sources {
    texts: RefCell<Texts>,
}

type Texts = BTreeMap<PathBuf, Option<Arc<str>>>;

impl Sources {
    pub(super) fn note(&self, path: PathBuf, text: Option<&str>) {
        // What was read first counts: if it was another text the second time, it has changed.
        self.texts.borrow_mut().entry(path).or_insert_with(|| text.map(Arc::from));
    }

    /// Those that were there.
    pub(super) fn paths(&self) -> Vec<PathBuf> {
        let texts = self.texts.borrow();
        texts.iter().filter(|(_, text)| text.is_some()).map(|(path, _)| path.clone()).collect()
    }

    /// Whether one of the files is not any more what it was, or that can't be told.
    pub(super) fn have_changed(&self) -> bool {
        have_changed(&self.texts.borrow())
    }
}

fn have_changed(texts: &Texts) -> bool {
    texts.iter().any(|(path, text)| match text {
        Some(text) => !read::text(path).is_ok_and(|now| now == **text),
        None => path.try_exists().unwrap_or(true),
    })
}

/// An authority that decides nothing once what it was made from has changed, or its decision was
/// revoked in the ledger. It is asked about both before an answer is taken and once more at the edge.
pub(super) struct Watched {
    authority: Box<dyn AuthorityProvider>,
    texts: Texts,
    revoked: Revoked,
}

/// It goes to whoever proposed, too, and names no file.
const CHANGED: &str = "the configuration, or a policy that it names, is not what it was when it was \
                       read, so somebody else may decide now; begin again, and start the service \
                       again that goes by it";

impl Config {
    /// The authority, which was made from this configuration.
    pub(super) fn watched(
        &self,
        authority: Box<dyn AuthorityProvider>,
        ledger: &Arc<LedgerCustody>,
    ) -> Watched {
        let texts = self.sources.texts.borrow().clone();
        Watched { authority, texts, revoked: Revoked::of(ledger.clone()) }
    }

    /// The directory that approvals of this configuration ask.
    pub(super) fn watched_directory(&self, directory: Arc<dyn Directory>) -> Arc<dyn Directory> {
        Arc::new(WatchedDirectory { directory, texts: self.sources.texts.borrow().clone() })
    }
}

/// Tells nobody who is who once the configuration has changed that says it, so nobody is let decide by
/// terms that do not hold any more.
pub(super) struct WatchedDirectory {
    directory: Arc<dyn Directory>,
    texts: Texts,
}

impl Watched {
    fn holds(&self) -> Result<(), NoDecision> {
        match have_changed(&self.texts) {
            false => Ok(()),
            true => Err(NoDecision::revoked(CHANGED)),
        }
    }

    /// Whether this decision, or one that it rests on or uses up, was revoked.
    fn is_not_revoked(&self, decision: &DecisionDocument) -> Result<(), NoDecision> {
        for id in decision.decision_id().iter().chain(decision.consumes()) {
            if self.revoked.decision_is_revoked(id).map_err(NoDecision::new)? {
                return Err(NoDecision::revoked(format!("the decision {id:?} was revoked")));
            }
        }
        decision.parts().iter().flatten().try_for_each(|part| self.is_not_revoked(part))
    }
}

impl WatchedDirectory {
    fn holds(&self) -> Result<(), UnknownPrincipal> {
        match have_changed(&self.texts) {
            false => Ok(()),
            true => Err(UnknownPrincipal::new(CHANGED)),
        }
    }
}

impl Directory for WatchedDirectory {
    fn behind(&self, execution: &ExecutionId) -> Result<Principal, UnknownPrincipal> {
        self.holds()?;
        self.directory.behind(execution)
    }

    fn known_as(&self, name: &Principal) -> Result<Principal, UnknownPrincipal> {
        self.holds()?;
        self.directory.known_as(name)
    }
}

impl AuthorityProvider for Watched {
    fn evaluate(&self, request: &AuthorityRequest) -> Result<DecisionDocument, NoDecision> {
        self.holds()?;
        let decision = self.authority.evaluate(request)?;
        self.is_not_revoked(&decision)?;
        Ok(decision)
    }

    fn stands(
        &self,
        request: &AuthorityRequest,
        decision: &DecisionDocument,
    ) -> Result<(), NoDecision> {
        // Last what is ours, as the authority may take its time.
        self.authority.stands(request, decision)?;
        self.is_not_revoked(decision)?;
        self.holds()
    }

    fn name(&self) -> &str {
        self.authority.name()
    }
}
