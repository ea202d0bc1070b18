//! Who and what the steps of one scenario speak of, and a guess at how things stand.
//!
//! The guess takes it that each step so far went well. It is there so that many steps have a
//! chance to succeed; how things really stand, the model alone knows.

use super::number::Numbers;
use super::payload;
use crate::model::Material;

const EXECUTIONS: [&str; 4] = ["exec-A", "exec-B", "exéc-C", "D"];
pub(super) const CONSEQUENCES: [&str; 6] = ["X", "Y", "note/Z", "P", "Q", "ζ"];

pub(super) struct Cast {
    pub(super) executions: Vec<&'static str>,
    pub(super) consequences: Vec<Known>,
}

/// A consequence and how it may stand.
#[derive(Clone)]
pub(super) struct Known {
    pub(super) id: &'static str,
    pub(super) material: Material,
    pub(super) standing: Standing,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Standing {
    NotSubmitted,
    HeldBy(&'static str),
    Quarantined,
}

impl Cast {
    pub(super) fn new(numbers: &mut Numbers) -> Self {
        let executions = 2 + numbers.below(3);
        let consequences = 2 + numbers.below(5);
        let known = |id| Known {
            id,
            material: payload::material(numbers),
            standing: Standing::NotSubmitted,
        };
        Self {
            executions: EXECUTIONS.into_iter().take(executions).collect(),
            consequences: CONSEQUENCES.into_iter().take(consequences).map(known).collect(),
        }
    }

    /// A consequence: mostly one whose standing pleases, seldom one that nobody submits.
    pub(super) fn consequence(
        &self,
        numbers: &mut Numbers,
        pleases: impl Fn(Standing) -> bool,
    ) -> Known {
        if numbers.chance(2) {
            return Known {
                id: "nowhere",
                material: payload::material(numbers),
                standing: Standing::NotSubmitted,
            };
        }
        let pleasing: Vec<&Known> =
            self.consequences.iter().filter(|c| pleases(c.standing)).collect();
        let chosen = if numbers.chance(85) && !pleasing.is_empty() {
            pleasing.get(numbers.below(pleasing.len())).copied()
        } else {
            self.consequences.get(numbers.below(self.consequences.len()))
        };
        match chosen {
            Some(known) => known.clone(),
            None => self.consequence(numbers, pleases),
        }
    }

    /// Is there a consequence whose standing pleases?
    pub(super) fn has(&self, pleases: impl Fn(Standing) -> bool) -> bool {
        self.consequences.iter().any(|c| pleases(c.standing))
    }

    /// An execution, mostly the one that holds the consequence.
    pub(super) fn holder(&self, numbers: &mut Numbers, id: &str) -> &'static str {
        match self.standing(id) {
            Standing::HeldBy(holder) if numbers.chance(85) => holder,
            _ => self.execution(numbers),
        }
    }

    /// An execution, mostly another one than this.
    pub(super) fn another(&self, numbers: &mut Numbers, execution: &str) -> &'static str {
        let chosen = self.execution(numbers);
        if chosen == execution && numbers.chance(85) {
            return self.another(numbers, execution);
        }
        chosen
    }

    pub(super) fn execution(&self, numbers: &mut Numbers) -> &'static str {
        if numbers.chance(2) {
            return "ghost";
        }
        numbers.pick(&self.executions)
    }

    /// Guesses that the consequence now stands so.
    pub(super) fn guess(&mut self, id: &str, standing: Standing) {
        for known in self.consequences.iter_mut().filter(|c| c.id == id) {
            known.standing = standing;
        }
    }

    /// Guesses that the execution has ended, and that nobody speaks of it often any more.
    pub(super) fn guess_ended(&mut self, execution: &'static str) {
        for known in &mut self.consequences {
            if known.standing == Standing::HeldBy(execution) {
                known.standing = Standing::Quarantined;
            }
        }
        if self.executions.len() > 1 {
            self.executions.retain(|other| *other != execution);
        }
    }

    pub(super) fn standing(&self, id: &str) -> Standing {
        let known = self.consequences.iter().find(|c| c.id == id);
        known.map_or(Standing::NotSubmitted, |known| known.standing)
    }
}
