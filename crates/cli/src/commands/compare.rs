use std::path::Path;

use swampbox_material::json::{Fields, Json};
use swampbox_material::{Code, Material, MaterialError};

use crate::failure::{Exit, Failure};
use crate::input;
use crate::output::{Output, Painted};

/// The name by which a receipt speaks of this comparison.
const COMPARATOR: &str = "same_material_consequence";

pub(super) fn run(
    declaration: &Path,
    proposal: Option<&Path>,
    json: bool,
    out: &mut Output,
) -> Result<Exit, Failure> {
    let (declared, proposed) = match proposal {
        Some(proposal) => (read_material(declaration)?, read_material(proposal)?),
        None if declaration == Path::new("-") => read_both(declaration)?,
        None => {
            let message = "a PROPOSAL is needed beside it, or `-` to read both from standard input";
            let subject = declaration.to_string_lossy();
            return Err(Failure::new(Code::InvalidDocument, &subject, message));
        }
    };
    let differences = declared.differences(&proposed);
    let result = if differences.is_empty() { "MATERIAL_MATCH" } else { "MATERIAL_MISMATCH" };
    if json {
        out.json(&receipt(result))?;
    } else if differences.is_empty() {
        out.line(Painted::good(result))?;
    } else {
        out.line(Painted::bad(result))?;
        for difference in &differences {
            out.line(format_args!("  {difference}"))?;
        }
    }
    Ok(if differences.is_empty() { Exit::Done } else { Exit::No })
}

fn receipt(result: &str) -> Json {
    let fields = Material::FIELDS.iter().map(|&field| Json::from(field)).collect();
    let receipt = [("comparator", Json::from(COMPARATOR)), ("fields", Json::List(fields))];
    Json::object([("result", Json::from(result)), ("comparison_receipt", Json::object(receipt))])
}

fn read_material(path: &Path) -> Result<Material, Failure> {
    let input = input::read(path)?;
    Material::from_json(&input.text).map_err(|error| Failure::material(&input.name, &error))
}

/// Reads `{"declaration": …, "proposed": …}`.
fn read_both(path: &Path) -> Result<(Material, Material), Failure> {
    let input = input::read(path)?;
    let read = || -> Result<_, MaterialError> {
        let document = Json::read(&input.text)?;
        let root = swampbox_material::Path::root();
        let mut fields = Fields::of(&document, &root)?;
        let declared = fields.required("declaration")?;
        let proposed = fields.required("proposed")?;
        fields.finish()?;
        let declared = Material::from_document(declared, &root.key("declaration"))?;
        Ok((declared, Material::from_document(proposed, &root.key("proposed"))?))
    };
    read().map_err(|error| Failure::material(&input.name, &error))
}
