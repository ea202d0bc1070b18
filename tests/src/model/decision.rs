//! The scripted decision and its validation.

use super::scenario::Authority;
use super::store::{Consequence, check, is_identifier};
use super::time;
use super::value::{Material, Value, find};

/// The fields of a decision.
const FIELDS: [&str; 7] = [
    "decision_id",
    "verdict",
    "consequence_id",
    "execution_id",
    "bound_consequence",
    "issued_at",
    "valid_until",
];

/// A decision as the provider answered it, well formed or not.
#[derive(Debug)]
pub(super) struct Decision {
    fields: Vec<(String, Value)>,
}

/// When a decision holds: from `issued_at`, and before `valid_until`.
#[derive(Debug)]
pub(super) struct Window {
    issued_at: i128,
    valid_until: i128,
}

impl Decision {
    /// What the scripted provider answers about `asked` at the time `now`; none where it fails or
    /// panics.
    pub(super) fn scripted(authority: &Authority, asked: &Consequence, now: i128) -> Option<Self> {
        let Authority::Decision(overrides) = authority else {
            return None;
        };
        let issued_offset = overrides.issued_offset.as_deref().unwrap_or("0");
        let valid_for = overrides.valid_for.as_deref().unwrap_or("300");
        let issued_at = now + time::seconds(issued_offset)?;
        let valid_until = issued_at + time::seconds(valid_for)?;
        let custodian = asked.custodian.as_deref().unwrap_or_default();
        let mut fields = vec![
            ("decision_id".to_owned(), Value::text("decision-1")),
            ("verdict".to_owned(), Value::text("ALLOW")),
            ("consequence_id".to_owned(), Value::text(&asked.id)),
            ("execution_id".to_owned(), Value::text(custodian)),
            ("bound_consequence".to_owned(), asked.material.to_value()),
            ("issued_at".to_owned(), timestamp(issued_at)),
            ("valid_until".to_owned(), timestamp(valid_until)),
        ];
        for (name, value) in &overrides.fields {
            fields.retain(|(known, _)| known != name);
            fields.push((name.clone(), value.clone()));
        }
        Some(Self { fields })
    }

    /// The decision's id, where it is well formed, whatever else is wrong.
    pub(super) fn id(&self) -> Option<&str> {
        self.identifier("decision_id")
    }

    /// The fourth step of a release, all but its clock: the checks in the contract's order.
    pub(super) fn validate(&self, asked: &Consequence, now: i128) -> Result<Window, &'static str> {
        // Well formed: `authority_invalid`.
        let has_all = FIELDS.iter().all(|name| self.field(name).is_some());
        check(has_all, "authority_invalid")?;
        let has_unknown = self.fields.iter().any(|(name, _)| !FIELDS.contains(&name.as_str()));
        check(!has_unknown, "authority_invalid")?;
        self.id().ok_or("authority_invalid")?;
        let consequence_id = self.identifier("consequence_id").ok_or("authority_invalid")?;
        let execution_id = self.identifier("execution_id").ok_or("authority_invalid")?;
        let verdict = self.field("verdict").and_then(Value::as_text);
        let verdict = verdict.ok_or("authority_invalid")?;
        check(verdict == "ALLOW" || verdict == "DENY", "authority_invalid")?;

        check(verdict == "ALLOW", "authority_not_allowed")?;
        check(consequence_id == asked.id, "authority_consequence_mismatch")?;
        check(Some(execution_id) == asked.custodian.as_deref(), "authority_custodian_mismatch")?;

        let bound = self.field("bound_consequence").and_then(Material::from_value);
        let bound = bound.ok_or("authority_invalid")?;
        check(bound == asked.material, "authority_material_mismatch")?;

        let issued_at = self.time("issued_at").ok_or("authority_invalid_timestamp")?;
        let valid_until = self.time("valid_until").ok_or("authority_invalid_timestamp")?;
        check(valid_until > issued_at, "authority_invalid_timestamp")?;
        let window = Window { issued_at, valid_until };
        window.check(now)?;
        Ok(window)
    }

    fn identifier(&self, name: &str) -> Option<&str> {
        let text = self.field(name)?.as_text()?;
        is_identifier(text).then_some(text)
    }

    fn time(&self, name: &str) -> Option<i128> {
        time::parse(self.field(name)?.as_text()?)
    }

    fn field(&self, name: &str) -> Option<&Value> {
        find(&self.fields, name)
    }
}

impl Window {
    /// The window, checked at a reading of the clock.
    pub(super) fn check(&self, now: i128) -> Result<(), &'static str> {
        check(now >= self.issued_at, "authority_not_yet_valid")?;
        check(now < self.valid_until, "authority_expired")
    }
}

/// The time as a field of a decision. A time that RFC 3339 can't say becomes a text that is no
/// timestamp.
fn timestamp(time: i128) -> Value {
    Value::Str(time::format(time).unwrap_or_else(|| "beyond the years 0000 to 9999".to_owned()))
}
