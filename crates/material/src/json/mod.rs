//! Strict JSON.
//!
//! [`Value::from_json`](crate::Value::from_json) reads material. [`Json`] is for the documents
//! around it (a decision, a scenario, a request): it is read just as strictly, but keeps numbers
//! as they were written and may nest deeper, so that what is out of material's domain can be
//! refused where it stands instead of spoiling the whole document.
//!
//! Both refuse, with the path: text that is not JSON, a key given twice, nesting over the bound,
//! and a text longer than [`MAX_DOCUMENT_BYTES`]. Keys that some library uses as a private
//! marker are ordinary keys.

mod cursor;
mod document;
mod failure;
mod fields;
mod object;
mod plain;
mod reader;
mod recent;
mod tree;
mod writer;

pub use document::{Json, Number};
pub use fields::Fields;
pub use object::Object;

pub(crate) use reader::read;
pub(crate) use writer::write_value;

/// The greatest length of a JSON text that is read, in bytes: 64 MiB.
pub const MAX_DOCUMENT_BYTES: usize = 64 << 20;

/// The greatest container depth of a [`Json`] document.
pub const MAX_DOCUMENT_DEPTH: usize = 128;
