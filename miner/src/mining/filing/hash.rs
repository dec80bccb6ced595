//! A hash that is the same on every machine.

use newslode_page::contribution::names::{bits, name};

pub(super) fn hash(text: &str) -> u64 {
    bits(&name(text)).unwrap_or_default()
}
