//! Changes of a site's sums, page by page, and the verdicts on them.

use newslode_page::contribution::Delta;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;

use crate::version::{ContentHash, Version};

/// One page's change to its site's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The page.
    pub url: CanonicalUrl,
    /// The version that `delta` subtracts; `None`: the page does not count yet.
    pub expected: Option<Version>,
    /// The version that counts afterwards. Content [`ContentHash::NONE`] removes the page's counts; its fetch
    /// number stays, so that a late message cannot bring it back.
    pub new: Version,
    /// When that version was fetched. Stored to the day, for [`counted_before`](super::SiteState::counted_before).
    pub fetched_at: Timestamp,
    /// New contribution − old contribution.
    pub delta: Delta,
    /// Whether the same fetch is counted again, as other algorithms see it. Then `new` replaces another
    /// version of its own fetch, if that one still counts.
    pub again: bool,
}

impl Change {
    /// Whether the change may replace a stored version.
    #[must_use]
    pub fn is_newer(&self, stored: Version) -> bool {
        counts_again(self.again, self.new, stored) || self.new.is_newer(stored)
    }
}

/// Whether `new` is other algorithms' view of the fetch that `stored` counts.
pub(super) fn counts_again(again: bool, new: Version, stored: Version) -> bool {
    let counts = |version: Version| version.content != ContentHash::NONE;
    again && new.fetch == stored.fetch && new.content != stored.content && counts(new) && counts(stored)
}

/// The verdict on one change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// Counted.
    Applied,
    /// Not newer than the counted version: a duplicate or a late message without effect.
    Stale,
    /// The stored version, given here, is not `expected`: read that version's contribution and try again.
    Conflict(Option<Version>),
}
