//! Reads what is to be run out of the material.

use std::collections::BTreeMap;

use swampbox_material::{Material, MaterialError, Path, Value};

use super::{CommandActuator, DeclaredCommand};
use crate::payload::{Payload, refuse, string, wrong_kind};

/// A declared command and what the material adds to it.
#[derive(Debug)]
pub(crate) struct Invocation<'a> {
    pub(crate) name: &'a str,
    pub(crate) command: &'a DeclaredCommand,
    pub(crate) arguments: Vec<&'a str>,
    pub(crate) stdin: Option<&'a str>,
}

const FIELDS: [&str; 2] = ["arguments", "stdin"];

const MAX_ARGUMENTS: usize = 256;
const MAX_ARGUMENT_BYTES: usize = 65_536;
const MAX_STDIN_BYTES: usize = 1_048_576;

impl<'a> Invocation<'a> {
    /// # Errors
    ///
    /// `invalid_document`, with the path in the material.
    pub(crate) fn read(
        material: &'a Material,
        commands: &'a BTreeMap<String, DeclaredCommand>,
    ) -> Result<Self, MaterialError> {
        let (arguments, stdin) = read(material)?;
        let Some((name, command)) = commands.get_key_value(&**material.target()) else {
            let [_, target, _] = Material::FIELDS;
            return refuse("no command of this name is declared", Path::root().key(target));
        };
        Ok(Self { name, command, arguments, stdin })
    }
}

/// What is added to whatever command: arguments and the standard input.
///
/// # Errors
///
/// `invalid_document`, with the path in the material.
fn read(material: &Material) -> Result<(Vec<&str>, Option<&str>), MaterialError> {
    let payload = Payload::of_type(material, CommandActuator::CONSEQUENCE_TYPE, &FIELDS)?;
    let path = payload.path_of("arguments");
    let arguments = arguments(payload.required("arguments")?, &path)?;
    let stdin = match payload.field("stdin") {
        Some(value) => Some(stdin(value, payload.path_of("stdin"))?),
        None => None,
    };
    Ok((arguments, stdin))
}

fn arguments<'a>(value: &'a Value, path: &Path) -> Result<Vec<&'a str>, MaterialError> {
    let Some(given) = value.as_list() else {
        return wrong_kind(value, "a list", path.clone());
    };
    let mut arguments = Vec::new();
    let mut bytes = 0;
    for (index, value) in given.items().iter().enumerate() {
        let path = path.index(index);
        if index == MAX_ARGUMENTS {
            return refuse("there are more than 256 arguments", path);
        }
        let argument = string(value, || path.clone())?;
        bytes += argument.len();
        if bytes > MAX_ARGUMENT_BYTES {
            return refuse("the arguments have more than 65536 bytes together", path);
        }
        if argument.contains('\0') {
            return refuse("the argument holds a NUL, which no program can be given", path);
        }
        arguments.push(argument);
    }
    Ok(arguments)
}

fn stdin(value: &Value, path: Path) -> Result<&str, MaterialError> {
    let text = string(value, || path.clone())?;
    if text.len() > MAX_STDIN_BYTES {
        return refuse("the standard input has more than 1048576 bytes", path);
    }
    Ok(text)
}
