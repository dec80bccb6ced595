//! The parts of a label key, `language:stems`.

/// The language of a label key; empty if it names none.
pub(in crate::mining) fn language(key: &str) -> &str {
    key.split_once(':').map_or("", |(language, _)| language)
}

/// The stems of a label key, in order.
pub(in crate::mining) fn stems(key: &str) -> impl Iterator<Item = &str> {
    key.split_once(':').map_or(key, |(_, stems)| stems).split(' ')
}
