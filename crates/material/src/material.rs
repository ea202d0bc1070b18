use std::sync::Arc;

use crate::json::{self, Fields, Json, Node};
use crate::{Difference, MaterialError, Path, Shown, Value};

/// What a consequence is: its type, its target and its payload.
///
/// Two consequences with equal material would do the same thing. Ids, lineage and custody are
/// not material. Cloning is cheap.
#[derive(Clone, Debug, Eq)]
pub struct Material {
    parts: Arc<Parts>,
}

#[derive(Debug, PartialEq, Eq)]
struct Parts {
    consequence_type: Arc<str>,
    target: Arc<str>,
    payload: Value,
}

impl Material {
    /// The fields that make up material, in the order in which they are written.
    pub const FIELDS: [&'static str; 3] = ["consequence_type", "target", "payload"];

    /// Material of these three parts. Neither string is trimmed, folded or normalised.
    pub fn new(
        consequence_type: impl Into<Arc<str>>,
        target: impl Into<Arc<str>>,
        payload: Value,
    ) -> Self {
        let (consequence_type, target) = (consequence_type.into(), target.into());
        Self { parts: Arc::new(Parts { consequence_type, target, payload }) }
    }

    /// Reads `{"consequence_type": …, "target": …, "payload": …}` strictly.
    ///
    /// # Errors
    ///
    /// Those of [`Value::from_json`], and `invalid_document` for a missing, unknown or wrongly
    /// typed field.
    pub fn from_json(text: &[u8]) -> Result<Self, MaterialError> {
        // The payload stands inside one container, the document.
        let document: Value = json::read_inside(text, 1)?;
        let (consequence_type, target, payload) = parts(&document, &Path::root())?;
        Ok(Self::new(consequence_type, target, payload.clone()))
    }

    /// Reads material from a part of a larger document, which stands there at `path`.
    ///
    /// # Errors
    ///
    /// As [`Material::from_json`].
    pub fn from_document(document: &Json, path: &Path) -> Result<Self, MaterialError> {
        let (consequence_type, target, payload) = parts(document, path)?;
        Ok(Self::new(consequence_type, target, payload.to_value(&path.key("payload"))?))
    }

    /// The consequence type: what kind of effect this is.
    pub fn consequence_type(&self) -> &Arc<str> {
        &self.parts.consequence_type
    }

    /// The target: what the effect is done to.
    pub fn target(&self) -> &Arc<str> {
        &self.parts.target
    }

    /// The payload: everything else that the effect depends on.
    pub fn payload(&self) -> &Value {
        &self.parts.payload
    }

    /// The material as a document with the fields of [`Material::FIELDS`].
    pub fn to_document(&self) -> Json {
        Json::object([
            ("consequence_type", Json::String(self.consequence_type().clone())),
            ("target", Json::String(self.target().clone())),
            ("payload", Json::from(self.payload())),
        ])
    }

    /// Every place where `other` differs from this material, in this material's order. Empty
    /// exactly if the two are equal.
    pub fn differences(&self, other: &Material) -> Vec<Difference> {
        Difference::between(self, other)
    }

    /// The material as a person may safely read it: nothing hidden, nothing cut.
    pub fn shown(&self) -> Shown<'_> {
        Shown::material(self)
    }
}

impl PartialEq for Material {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.parts, &other.parts) || self.parts == other.parts
    }
}

/// Material as it is written in a larger document: of the right form, its payload not yet looked
/// into.
#[derive(Clone, Debug)]
pub struct WrittenMaterial {
    consequence_type: Arc<str>,
    target: Arc<str>,
    payload: Json,
    path: Path,
}

impl WrittenMaterial {
    /// The parts of material that stands at `path`.
    ///
    /// # Errors
    ///
    /// `invalid_document` for a missing, unknown or wrongly typed field.
    pub fn from_document(document: &Json, path: &Path) -> Result<Self, MaterialError> {
        let (consequence_type, target, payload) = parts(document, path)?;
        Ok(Self { consequence_type, target, payload: payload.clone(), path: path.key("payload") })
    }

    /// The material, if its payload is within material's domain.
    ///
    /// # Errors
    ///
    /// `depth_exceeded`, `non_finite_number` or `unsupported_value`, with the path.
    pub fn material(&self) -> Result<Material, MaterialError> {
        let payload = self.payload.to_value(&self.path)?;
        Ok(Material::new(self.consequence_type.clone(), self.target.clone(), payload))
    }

    /// It as it was written, whether or not its payload is within the domain.
    pub fn to_document(&self) -> Json {
        let [consequence_type, target, payload] = Material::FIELDS;
        Json::object([
            (consequence_type, Json::String(self.consequence_type.clone())),
            (target, Json::String(self.target.clone())),
            (payload, self.payload.clone()),
        ])
    }

    /// Where its payload stands.
    pub fn payload_path(&self) -> &Path {
        &self.path
    }
}

/// The parts of material that stands at `path`.
fn parts<'a, N: Node>(
    document: &'a N,
    path: &Path,
) -> Result<(Arc<str>, Arc<str>, &'a N), MaterialError> {
    let [consequence_type, target, payload] = Material::FIELDS;
    let mut fields = Fields::of(document, path)?;
    let parts = (
        fields.string(consequence_type)?.clone(),
        fields.string(target)?.clone(),
        fields.required(payload)?,
    );
    fields.finish()?;
    Ok(parts)
}
