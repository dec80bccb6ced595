//! The names of a type's fields, as its derived form reads them.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::forward_to_deserialize_any;

/// The fields of a struct, in the order in which they are written; nothing for other types.
pub(super) fn fields<'de, T: Deserialize<'de>>() -> &'static [&'static str] {
    match T::deserialize(Asked) {
        Err(Told(fields)) => fields,
        Ok(_) => &[],
    }
}

/// Reads nothing: ends as soon as a type says what it wants to read.
struct Asked;

/// The fields that were asked for.
#[derive(Debug)]
struct Told(&'static [&'static str]);

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl std::error::Error for Told {}

impl de::Error for Told {
    fn custom<M: fmt::Display>(_: M) -> Told {
        Told(&[])
    }
}

impl<'de> Deserializer<'de> for Asked {
    type Error = Told;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        _: V,
    ) -> Result<V::Value, Told> {
        Err(Told(fields))
    }

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Told> {
        Err(Told(&[]))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map enum identifier ignored_any
    }
}
