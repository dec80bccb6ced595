//! A hash that is the same on every machine.

use newslode_page::contribution::names::{name_bits, short_name};

pub(in crate::mining) fn hash(text: &str) -> u64 {
    name_bits(&short_name(text)).unwrap_or_default()
}
