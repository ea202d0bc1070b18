//! Reads what is to be written out of the material.

use std::collections::BTreeMap;

use rustix::fs::Mode;
use swampbox_material::{Material, MaterialError, Path, Value};

use super::FileActuator;
use super::digest::Digest;
use super::root::Root;
use crate::payload::{Payload, refuse, string, wrong_kind};

/// A file to be written below a configured root.
#[derive(Debug)]
pub(crate) struct Request<'a> {
    pub(crate) root: &'a Root,
    pub(crate) write: Write<'a>,
}

/// What is to be written below whatever root, and what has to be there before.
#[derive(Debug)]
pub(crate) struct Write<'a> {
    pub(crate) path: FilePath<'a>,
    pub(crate) content: &'a str,
    /// None if there must be no file.
    pub(crate) expected: Option<Digest>,
    pub(crate) mode: Option<Mode>,
}

/// A path of names, none of which means another directory than the one of that name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FilePath<'a> {
    // INVARIANT (beneath): both satisfy `check_path`, and neither begins or ends with a slash.
    pub(crate) parents: Option<&'a str>,
    pub(crate) name: &'a str,
}

const FIELDS: [&str; 4] = ["path", "content", "expected_sha256", "mode"];

const MAX_PATH_BYTES: usize = 1_024;
const MAX_NAME_BYTES: usize = 255;
const MAX_CONTENT_BYTES: usize = 16_777_216;

/// Reading, writing and executing, for the owner, the group and others.
const PERMISSIONS: u64 = 0o777;

impl<'a> Request<'a> {
    /// # Errors
    ///
    /// `invalid_document`, with the path in the material.
    pub(crate) fn read(
        material: &'a Material,
        roots: &'a BTreeMap<String, Root>,
    ) -> Result<Self, MaterialError> {
        let write = Write::read(material)?;
        let Some(root) = roots.get(&**material.target()) else {
            let [_, target, _] = Material::FIELDS;
            return refuse("no root of this name is configured", Path::root().key(target));
        };
        Ok(Self { root, write })
    }
}

impl<'a> Write<'a> {
    /// # Errors
    ///
    /// `invalid_document`, with the path in the material.
    pub(crate) fn read(material: &'a Material) -> Result<Self, MaterialError> {
        let payload = Payload::of_type(material, FileActuator::CONSEQUENCE_TYPE, &FIELDS)?;
        let path = file_path(payload.required("path")?, payload.path_of("path"))?;
        let content = string(payload.required("content")?, || payload.path_of("content"))?;
        if content.len() > MAX_CONTENT_BYTES {
            let message = "the content has more than 16777216 bytes";
            return refuse(message, payload.path_of("content"));
        }
        let expected =
            expected(payload.required("expected_sha256")?, payload.path_of("expected_sha256"))?;
        let mode = match payload.field("mode") {
            Some(value) => Some(mode(value, payload.path_of("mode"))?),
            None => None,
        };
        Ok(Self { path, content, expected, mode })
    }
}

fn file_path(value: &Value, path: Path) -> Result<FilePath<'_>, MaterialError> {
    let text = string(value, || path.clone())?;
    if let Err(problem) = check_path(text) {
        return refuse(problem, path);
    }
    Ok(match text.rsplit_once('/') {
        Some((parents, name)) => FilePath { parents: Some(parents), name },
        None => FilePath { parents: None, name: text },
    })
}

fn check_path(text: &str) -> Result<(), &'static str> {
    if text.is_empty() {
        return Err("the path is empty");
    }
    if text.starts_with('/') {
        return Err("the path is absolute; it has to be relative to the root");
    }
    if text.contains('\0') {
        return Err("the path holds a NUL");
    }
    if text.len() > MAX_PATH_BYTES {
        return Err("the path has more than 1024 bytes");
    }
    text.split('/').try_for_each(|name| match name {
        "" => Err("the path has an empty part"),
        "." | ".." => Err("the path has a part `.` or `..`"),
        _ if name.len() > MAX_NAME_BYTES => Err("the path has a part of more than 255 bytes"),
        _ => Ok(()),
    })
}

fn expected(value: &Value, path: Path) -> Result<Option<Digest>, MaterialError> {
    let text = match value {
        Value::Null => return Ok(None),
        Value::String(text) => text,
        other => return wrong_kind(other, "a string or null", path),
    };
    match Digest::parse(text) {
        Some(digest) => Ok(Some(digest)),
        None => refuse("a SHA-256 has 64 hexadecimal digits in lower case", path),
    }
}

fn mode(value: &Value, path: Path) -> Result<Mode, MaterialError> {
    let Value::Integer(number) = value else {
        return wrong_kind(value, "an integer", path);
    };
    match number.as_u64() {
        Some(bits @ ..=PERMISSIONS) => {
            Ok(Mode::from_raw_mode(u32::try_from(bits).unwrap_or_default()))
        }
        _ => refuse("the mode is not from 0 to 511, which is 777 in octal", path),
    }
}
