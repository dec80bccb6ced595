//! By what pages of a site are alike, as far as that tells what they are.

use crate::extract::hashes::bytes_hash_32;

/// The groups of pages of its site that a page belongs to, each as a hash; 0 if the page has nothing to go by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Likeness {
    /// By the names of its folders, the shape of its address, the place of its text, the place of its headline.
    pub(super) groups: [u32; 4],
}

/// A text as a number that is never 0: the same on every machine and in every version.
pub(super) fn hash(text: &str) -> u32 {
    bytes_hash_32(text.as_bytes()).max(1)
}
