//! The candidates for a field: the values that a page offers, how likely each is, and its sources.
//!
//! Titles, authors and days are chosen among such values, from the page alone (`decide` of each field) or with what the
//! site's other pages have at the same sources and places ([`super::site`]).

use crate::reading::NodeId;

/// A value that a field may have.
#[derive(Clone, Debug)]
pub(super) struct Choice {
    /// As the article would give it.
    pub(super) value: String,
    /// Values with equal keys are the same value.
    pub(super) key: String,
    /// How likely it is right, from the page alone.
    pub(super) likelihood: f32,
    /// Its sources: the number of each, and the node that shows it.
    pub(super) sources: Vec<(u8, Option<NodeId>)>,
    /// The name of the most trusted source.
    pub(super) witness: &'static str,
}

/// The likeliest choice; among equals, the first.
pub(super) fn likeliest<'c>(choices: impl Iterator<Item = &'c Choice>) -> Option<&'c Choice> {
    choices.fold(None, |best: Option<&Choice>, choice| match best {
        Some(best) if best.likelihood.total_cmp(&choice.likelihood).is_ge() => Some(best),
        _ => Some(choice),
    })
}
