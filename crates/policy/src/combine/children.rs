use std::fmt;
use std::iter;

use swampbox_authority::AuthorityProvider;

/// The providers that a combination is made of, in their order: at least one.
pub(super) struct Children {
    first: Box<dyn AuthorityProvider>,
    more: Vec<Box<dyn AuthorityProvider>>,
}

impl Children {
    pub(super) fn of(first: impl AuthorityProvider + 'static) -> Self {
        Self { first: Box::new(first), more: Vec::new() }
    }

    pub(super) fn push(&mut self, child: impl AuthorityProvider + 'static) {
        self.more.push(Box::new(child));
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &dyn AuthorityProvider> {
        iter::once(&self.first).chain(&self.more).map(AsRef::as_ref)
    }

    pub(super) fn count(&self) -> usize {
        1 + self.more.len()
    }
}

/// The names of the children.
impl fmt::Debug for Children {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|child| child.name())).finish()
    }
}
