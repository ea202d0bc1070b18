//! Somebody else's reader, and what it makes of a text.

use struson::reader::{JsonReader, JsonStreamReader, ReaderError, ReaderSettings, ValueType};
use swampbox_material::json::Json;

/// The document that struson reads, or none if it finds that the text is not JSON.
///
/// Struson knows no bound of numbers, and lets a key come twice: the last one stays here.
pub(crate) fn read(text: &[u8]) -> Option<Json> {
    let settings = ReaderSettings {
        max_nesting_depth: None,
        restrict_number_values: false,
        ..ReaderSettings::default()
    };
    let mut reader = JsonStreamReader::new_custom(text, settings);
    let document = document(&mut reader).ok()?;
    reader.consume_trailing_whitespace().ok()?;
    Some(document)
}

fn document(reader: &mut JsonStreamReader<&[u8]>) -> Result<Json, ReaderError> {
    Ok(match reader.peek()? {
        ValueType::Null => {
            reader.next_null()?;
            Json::Null
        }
        ValueType::Boolean => Json::Bool(reader.next_bool()?),
        ValueType::Number => {
            Json::read(reader.next_number_as_str()?.as_bytes()).expect("a number is JSON")
        }
        ValueType::String => Json::from(reader.next_str()?),
        ValueType::Array => {
            let mut items = Vec::new();
            reader.begin_array()?;
            while reader.has_next()? {
                items.push(document(reader)?);
            }
            reader.end_array()?;
            Json::List(items)
        }
        ValueType::Object => {
            let mut entries = Vec::new();
            reader.begin_object()?;
            while reader.has_next()? {
                entries.push((reader.next_name_owned()?, document(reader)?));
            }
            reader.end_object()?;
            Json::object(entries)
        }
    })
}
