//! Strict material: exact values, type-strict equality and strict JSON.
//!
//! What an agent wants to do to the outside world is described by its [`Material`]: a
//! consequence type, a target and a payload. Authority is bound to material, so this crate
//! answers one question with certainty: *is this the same thing that was allowed?*
//!
//! - [`Value`] holds exactly the domain of the contract. A value that breaks a rule (a NaN, two
//!   equal keys, nesting over [`MAX_MATERIAL_DEPTH`]) can't be constructed.
//! - Equality is type-strict and structural. It never looks at serialised text.
//! - JSON is read and written here, because a general reader loses what equality needs: digits
//!   of big integers, the second of two equal keys, the difference between `1` and `1.0`.
//!
//! ```
//! use swampbox_material::Material;
//!
//! let declared = Material::from_json(
//!     br#"{"consequence_type": "mail", "target": "ops", "payload": {"n": 1}}"#,
//! )?;
//! let proposed = Material::from_json(
//!     br#"{"consequence_type": "mail", "target": "ops", "payload": {"n": 1.0}}"#,
//! )?;
//! assert_ne!(declared, proposed);
//! assert_eq!(declared.differences(&proposed)[0].to_string(), "$.payload.n: 1 is not 1.0");
//! # Ok::<(), swampbox_material::MaterialError>(())
//! ```

mod code;
mod convert;
mod difference;
mod error;
pub mod hex;
pub mod json;
mod map;
mod material;
mod number;
mod path;
mod pattern;
mod show;
mod value;

pub use code::Code;
pub use difference::Difference;
pub use error::{MaterialError, Position, Problem};
pub use map::Map;
pub use material::{Material, WrittenMaterial};
pub use number::{Float, Integer, MAX_INTEGER_DIGITS};
pub use path::{Path, Segment};
pub use pattern::{InvalidPattern, Pattern};
pub use show::Shown;
pub use value::{List, MAX_MATERIAL_DEPTH, Value};
