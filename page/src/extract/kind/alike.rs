//! By what pages of a site are alike, as far as that tells what they are.

/// The groups of pages of its site that a page belongs to, each as a hash; 0 if the page has nothing to go by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Likeness {
    /// By the names of its folders, the shape of its address, the place of its text, the place of its headline.
    pub(super) groups: [u32; 4],
}

/// A text as a number that is never 0: the same on every machine and in every version.
pub(super) fn hash(text: &str) -> u32 {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    ((hash ^ (hash >> 32)) as u32).max(1)
}
