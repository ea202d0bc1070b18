//! JSON in and out, by a reader and a writer that are not the product's.

use std::fmt::Write as _;

use struson::reader::{JsonReader, JsonStreamReader, ReaderSettings, ValueType};

use super::value::{Value, find};

/// Reads one JSON text, strictly: no text after it, no key twice in one object, numbers exactly.
///
/// # Errors
///
/// What is wrong and where, for a person.
pub fn read(text: &str) -> Result<Value, String> {
    let settings = ReaderSettings {
        allow_multiple_top_level: false,
        max_nesting_depth: Some(256),
        restrict_number_values: false,
        ..ReaderSettings::default()
    };
    let mut reader = JsonStreamReader::new_custom(text.as_bytes(), settings);
    let value = next_value(&mut reader)?;
    reader.consume_trailing_whitespace().map_err(|error| error.to_string())?;
    Ok(value)
}

fn next_value(reader: &mut JsonStreamReader<&[u8]>) -> Result<Value, String> {
    let broken = |error: struson::reader::ReaderError| error.to_string();
    Ok(match reader.peek().map_err(broken)? {
        ValueType::Null => {
            reader.next_null().map_err(broken)?;
            Value::Null
        }
        ValueType::Boolean => Value::Bool(reader.next_bool().map_err(broken)?),
        ValueType::Number => number(reader.next_number_as_string().map_err(broken)?)?,
        ValueType::String => Value::Str(reader.next_string().map_err(broken)?),
        ValueType::Array => {
            let mut items = Vec::new();
            reader.begin_array().map_err(broken)?;
            while reader.has_next().map_err(broken)? {
                items.push(next_value(reader)?);
            }
            reader.end_array().map_err(broken)?;
            Value::List(items)
        }
        ValueType::Object => {
            let mut pairs = Vec::new();
            reader.begin_object().map_err(broken)?;
            while reader.has_next().map_err(broken)? {
                let key = reader.next_name_owned().map_err(broken)?;
                if find(&pairs, &key).is_some() {
                    return Err(format!("the key `{key}` is there twice"));
                }
                pairs.push((key, next_value(reader)?));
            }
            reader.end_object().map_err(broken)?;
            Value::Map(pairs)
        }
    })
}

/// "A number without fraction and exponent" is an integer, any other a float.
fn number(text: String) -> Result<Value, String> {
    if !text.contains(['.', 'e', 'E']) {
        return Ok(Value::Int(text));
    }
    let number = text.parse().map_err(|_| format!("`{text}` is no number"))?;
    Ok(Value::Float(number))
}

/// Writes the value as JSON text: integers as they are given, floats with a fraction or an
/// exponent, infinite ones as `1e400` and `-1e400`.
pub fn write(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(digits) => digits.clone(),
        Value::Float(number) if number.is_finite() => format!("{number:?}"),
        Value::Float(number) if *number > 0.0 => "1e400".to_owned(),
        Value::Float(_) => "-1e400".to_owned(),
        Value::Str(text) => write_text(text),
        Value::List(items) => {
            let items: Vec<String> = items.iter().map(write).collect();
            format!("[{}]", items.join(","))
        }
        Value::Map(pairs) => {
            let member =
                |(key, value): &(String, Value)| format!("{}:{}", write_text(key), write(value));
            let members: Vec<String> = pairs.iter().map(member).collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

fn write_text(text: &str) -> String {
    let mut written = String::from('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => written.extend(['\\', c]),
            c if c < ' ' => {
                let _ = write!(written, "\\u{:04x}", u32::from(c));
            }
            c => written.push(c),
        }
    }
    written.push('"');
    written
}

#[cfg(test)]
mod tests {
    use super::{read, write};

    #[test]
    fn what_is_written_reads_back_as_it_was() {
        for text in [
            r#"{"a":[1,1.0,-0.0,1e100,5e-324,null,true,false],"b":{},"":[]}"#,
            r#"["\"\\\u0000\u001f","é\u2028","😀"]"#,
            "123456789012345678901234567890",
        ] {
            let value = read(text).unwrap();
            assert_eq!(read(&write(&value)), Ok(value), "{text}");
        }
    }

    #[test]
    fn a_key_given_twice_is_refused_in_any_spelling() {
        assert!(read(r#"{"a":1,"\u0061":1}"#).is_err());
    }
}
