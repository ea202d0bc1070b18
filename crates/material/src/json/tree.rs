use std::sync::Arc;
use std::vec::Drain;

use super::cursor::{Kind, Numeral};
use super::{Json, MAX_DOCUMENT_DEPTH, Number, Object};
use crate::map::{Duplicate, Map};
use crate::{Float, Integer, List, MAX_MATERIAL_DEPTH, Problem, Value};

/// What the reader builds: [`Value`] for material, [`Json`] for the documents around it.
pub(crate) trait Tree: Sized {
    const MAX_DEPTH: usize;
    const NULL: Self;
    fn boolean(value: bool) -> Self;
    fn number(numeral: Numeral<'_>) -> Result<Self, Problem>;
    fn string(text: &str) -> Self;
    fn list(items: Drain<'_, Self>) -> Self;
    fn map(entries: Drain<'_, (Arc<str>, Self)>) -> Result<Self, Duplicate>;
}

impl Tree for Value {
    const MAX_DEPTH: usize = MAX_MATERIAL_DEPTH;
    const NULL: Self = Value::Null;

    fn boolean(value: bool) -> Self {
        Value::Bool(value)
    }

    fn number(numeral: Numeral<'_>) -> Result<Self, Problem> {
        match numeral.kind {
            Kind::Small(small) => Ok(Value::from(small)),
            Kind::Integer => Integer::from_json_digits(numeral.text).map(Value::Integer),
            Kind::Float => Float::from_json_digits(numeral.text).map(Value::Float),
        }
    }

    fn string(text: &str) -> Self {
        Value::from(text)
    }

    fn list(items: Drain<'_, Self>) -> Self {
        Value::List(List::from_items(items.collect()))
    }

    fn map(entries: Drain<'_, (Arc<str>, Self)>) -> Result<Self, Duplicate> {
        Map::from_entries(entries).map(Value::Map)
    }
}

impl Tree for Json {
    const MAX_DEPTH: usize = MAX_DOCUMENT_DEPTH;
    const NULL: Self = Json::Null;

    fn boolean(value: bool) -> Self {
        Json::Bool(value)
    }

    fn number(numeral: Numeral<'_>) -> Result<Self, Problem> {
        Ok(Json::Number(Number::from_digits(numeral.text)))
    }

    fn string(text: &str) -> Self {
        Json::from(text)
    }

    fn list(items: Drain<'_, Self>) -> Self {
        Json::List(items.collect())
    }

    fn map(entries: Drain<'_, (Arc<str>, Self)>) -> Result<Self, Duplicate> {
        Object::from_entries(entries).map(Json::Map)
    }
}
