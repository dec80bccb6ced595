//! The names of a type's fields, as its derived form reads them.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::forward_to_deserialize_any;

/// The fields of a struct, in the order in which they are written; nothing for other types.
pub(super) fn field_names<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    match T::deserialize(FieldNameReader) {
        Err(FieldNames(fields)) => fields,
        Ok(_) => &[],
    }
}

/// A deserializer that reads nothing: it fails with the names of the fields that a type asks for.
struct FieldNameReader;

/// The "error": the names of the fields.
#[derive(Debug)]
struct FieldNames(&'static [&'static str]);

impl fmt::Display for FieldNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl std::error::Error for FieldNames {}

impl de::Error for FieldNames {
    fn custom<M: fmt::Display>(_: M) -> FieldNames {
        FieldNames(&[])
    }
}

impl<'de> Deserializer<'de> for FieldNameReader {
    type Error = FieldNames;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, FieldNames> {
        Err(FieldNames(fields))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, FieldNames> {
        Err(FieldNames(&[]))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
