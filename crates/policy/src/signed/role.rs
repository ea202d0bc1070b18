use std::sync::Arc;

use swampbox_custody::Snapshot;
use swampbox_material::Pattern;

/// What a key may decide about: consequences of some types, done to some targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    name: Arc<str>,
    consequence_types: Pattern,
    targets: Pattern,
}

impl Role {
    /// A role by this name, for what both patterns match.
    pub fn new(name: &str, consequence_types: Pattern, targets: Pattern) -> Self {
        Self { name: name.into(), consequence_types, targets }
    }

    /// Its name, by which the basis of a decision tells it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is enough to decide about this consequence.
    pub(super) fn covers(&self, snapshot: &Snapshot) -> bool {
        let material = &snapshot.material;
        self.consequence_types.matches(material.consequence_type())
            && self.targets.matches(material.target())
    }
}
