//! Strict JSON.
//!
//! [`Value::from_json`](crate::Value::from_json) reads material. [`Json`] is for the documents
//! around it (a decision, a scenario, a request): it is read just as strictly, but keeps numbers
//! as they were written and may nest deeper, so that what is out of material's domain can be
//! refused where it stands instead of spoiling the whole document.
//!
//! Both refuse, with the path: text that is not JSON, a key given twice, nesting over the bound,
//! and a text longer than [`MAX_DOCUMENT_BYTES`] or of more values than [`MAX_DOCUMENT_VALUES`]. Keys that some library uses as a private
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
pub(crate) use fields::Node;
pub use object::Object;

pub(crate) use reader::{read, read_inside};
pub(crate) use writer::write_value;

/// The greatest length of a JSON text that is read, in bytes: 64 MiB.
pub const MAX_DOCUMENT_BYTES: usize = 64 << 20;

/// The greatest number of values in a JSON text, containers and what they hold both counted: what
/// takes two bytes as text may take a hundred in memory.
pub const MAX_DOCUMENT_VALUES: usize = 4 << 20;

/// The greatest container depth of a [`Json`] document.
pub const MAX_DOCUMENT_DEPTH: usize = 128;
