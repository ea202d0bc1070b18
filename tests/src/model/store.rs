//! The executions, the consequences, and the rules of custody.
//!
//! Each rule reads as its row in the contract: the codes stand in the order of the checks.

use super::value::{Material, Value};

/// What the model remembers.
#[derive(Debug, Default)]
pub(super) struct Store {
    executions: Vec<Execution>,
    consequences: Vec<Consequence>,
}

#[derive(Debug)]
struct Execution {
    id: String,
    is_active: bool,
}

/// A consequence as it stands.
#[derive(Clone, Debug)]
pub(super) struct Consequence {
    pub(super) id: String,
    pub(super) origin: String,
    pub(super) custodian: Option<String>,
    pub(super) parent: Option<String>,
    pub(super) material: Material,
    /// `CONTAINED`, `RELEASED` or `UNCERTAIN`.
    pub(super) state: &'static str,
    pub(super) release_in_progress: bool,
}

impl Store {
    pub(super) fn register(&mut self, execution: &str) -> Result<Value, &'static str> {
        match self.executions.iter().find(|e| e.id == execution) {
            Some(known) if known.is_active => {}
            Some(_) => return Err("execution_ended"),
            None => self.executions.push(Execution { id: execution.to_owned(), is_active: true }),
        }
        Ok(execution_state(execution, "ACTIVE"))
    }

    pub(super) fn end(&mut self, execution: &str) -> Result<Value, &'static str> {
        self.check_active(execution)?;
        let in_progress = |c: &Consequence| c.is_held_by(execution) && c.release_in_progress;
        check(!self.consequences.iter().any(in_progress), "release_in_progress")?;

        for known in self.executions.iter_mut().filter(|e| e.id == execution) {
            known.is_active = false;
        }
        for held in self.consequences.iter_mut().filter(|c| c.is_held_by(execution)) {
            if held.state == "CONTAINED" {
                held.custodian = None;
            }
        }
        Ok(execution_state(execution, "ENDED"))
    }

    pub(super) fn submit(
        &mut self,
        execution: &str,
        id: &str,
        material: &Material,
        parent: Option<&str>,
    ) -> Result<Value, &'static str> {
        self.check_active(execution)?;
        check(self.find(id).is_none(), "consequence_exists")?;
        if let Some(parent) = parent {
            check(parent != id, "own_parent")?;
            let parent = self.find(parent).ok_or("parent_not_found")?;
            check(!parent.release_in_progress, "parent_release_in_progress")?;
            check(parent.state == "CONTAINED", "parent_not_contained")?;
            check(parent.is_held_by(execution), "parent_not_in_custody")?;
        }

        let submitted = Consequence {
            id: id.to_owned(),
            origin: execution.to_owned(),
            custodian: Some(execution.to_owned()),
            parent: parent.map(str::to_owned),
            material: material.clone(),
            state: "CONTAINED",
            release_in_progress: false,
        };
        self.consequences.push(submitted.clone());
        Ok(submitted.to_value())
    }

    pub(super) fn read(&self, execution: &str, id: &str) -> Result<Value, &'static str> {
        self.check_active(execution)?;
        let found = self.find(id).ok_or("not_visible")?;
        check(found.is_held_by(execution), "not_visible")?;
        Ok(found.to_value())
    }

    pub(super) fn transfer(
        &mut self,
        source: &str,
        target: &str,
        id: &str,
    ) -> Result<Value, &'static str> {
        self.check_active(source)?;
        self.check_active(target)?;
        check(source != target, "same_execution")?;
        let found = self.find(id).ok_or("not_visible")?;
        check(!found.release_in_progress, "release_in_progress")?;
        check(found.state == "CONTAINED", "not_contained")?;
        check(found.is_held_by(source), "not_visible")?;
        self.give_to(id, target)
    }

    pub(super) fn inspect(&self, id: &str) -> Result<Value, &'static str> {
        let found = self.find(id).ok_or("not_quarantined")?;
        check(found.state == "CONTAINED", "not_quarantined")?;
        check(found.custodian.is_none(), "not_quarantined")?;
        Ok(found.to_value())
    }

    pub(super) fn adopt(&mut self, execution: &str, id: &str) -> Result<Value, &'static str> {
        self.check_active(execution)?;
        let found = self.find(id).ok_or("consequence_not_found")?;
        check(!found.release_in_progress, "release_in_progress")?;
        check(found.state == "CONTAINED", "not_adoptable")?;
        check(found.custodian.is_none(), "not_quarantined")?;
        self.give_to(id, execution)
    }

    pub(super) fn state(&self, id: &str) -> Result<Value, &'static str> {
        let found = self.find(id).ok_or("consequence_not_found")?;
        Ok(Value::map([("release_state", Value::text(found.state))]))
    }

    /// The first step of a release: what is checked before the provider is asked. Gives the
    /// snapshot that the provider is asked with.
    pub(super) fn request(&self, execution: &str, id: &str) -> Result<Consequence, &'static str> {
        self.check_active(execution)?;
        let found = self.find(id).ok_or("consequence_not_found")?;
        check(!found.release_in_progress, "release_in_progress")?;
        check(found.state == "CONTAINED", "consequence_not_releasable")?;
        check(found.custodian.is_some(), "consequence_not_in_active_custody")?;
        check(found.is_held_by(execution), "not_current_custodian")?;
        Ok(found.clone())
    }

    /// The third step of a release: what is checked again once the provider has answered.
    pub(super) fn recheck(&self, execution: &str, id: &str) -> Result<(), &'static str> {
        let found = self.find(id).ok_or("consequence_not_found")?;
        check(found.state == "CONTAINED", "consequence_not_releasable")?;
        check(found.is_held_by(execution), "custody_changed_before_release")?;
        check(!found.release_in_progress, "release_in_progress")
    }

    pub(super) fn mark(&mut self, id: &str) {
        self.set(id, |found| found.release_in_progress = true);
    }

    pub(super) fn clear_mark(&mut self, id: &str) {
        self.set(id, |found| found.release_in_progress = false);
    }

    /// Commits the outcome of a release.
    pub(super) fn settle(&mut self, id: &str, state: &'static str) {
        self.set(id, |found| {
            found.state = state;
            found.release_in_progress = false;
        });
    }

    fn check_active(&self, execution: &str) -> Result<(), &'static str> {
        let known = self.executions.iter().find(|e| e.id == execution);
        let known = known.ok_or("execution_not_registered")?;
        check(known.is_active, "execution_not_active")
    }

    fn give_to(&mut self, id: &str, execution: &str) -> Result<Value, &'static str> {
        self.set(id, |found| found.custodian = Some(execution.to_owned()));
        let given = self.find(id).ok_or("consequence_not_found")?;
        Ok(given.to_value())
    }

    fn find(&self, id: &str) -> Option<&Consequence> {
        self.consequences.iter().find(|c| c.id == id)
    }

    fn set(&mut self, id: &str, change: impl Fn(&mut Consequence)) {
        self.consequences.iter_mut().filter(|c| c.id == id).for_each(change);
    }
}

impl Consequence {
    fn is_held_by(&self, execution: &str) -> bool {
        self.custodian.as_deref() == Some(execution)
    }

    /// The snapshot of the scenario files.
    fn to_value(&self) -> Value {
        Value::map([
            ("consequence_id", Value::text(&self.id)),
            ("origin_execution_id", Value::text(&self.origin)),
            ("current_execution_id", text_or_null(self.custodian.as_deref())),
            ("parent_consequence_id", text_or_null(self.parent.as_deref())),
            ("consequence_type", Value::text(&self.material.consequence_type)),
            ("target", Value::text(&self.material.target)),
            ("payload", self.material.payload.clone()),
            ("release_state", Value::text(self.state)),
        ])
    }
}

/// A non-empty string without leading or trailing white space, without control characters, of at
/// most 256 bytes.
pub(super) fn is_identifier(text: &str) -> bool {
    !text.is_empty()
        && text.trim() == text
        && !text.chars().any(char::is_control)
        && text.len() <= 256
}

/// The text, or null for none.
pub(super) fn text_or_null(text: Option<&str>) -> Value {
    text.map_or(Value::Null, Value::text)
}

/// The refusal with this code, unless the condition holds.
pub(super) fn check(holds: bool, code: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(code) }
}

fn execution_state(execution: &str, state: &str) -> Value {
    Value::map([("execution", Value::text(execution)), ("state", Value::text(state))])
}
