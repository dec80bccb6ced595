//! Which of a site's pages were viewed last, and whether so many changed that it is time again.
//!
//! The record is a value of the store: 32 bits of each viewed page's content hash, sorted. A page counts
//! as changed if its bits are not there, or if bits are there that no page has: new, changed and removed
//! pages alike. Two contents with the same bits hide one change of thousands, which the next one shows.

use std::collections::BTreeSet;

use bytes::Bytes;
use newslode_common::store::{SiteState, StoreResult};
use newslode_common::version::{ContentHash, Version};
use newslode_page::reading::{CanonicalUrl, Site};

/// Of so many pages one must have changed.
const ONE_IN: usize = 4;
/// Of fewer pages none is told from others.
const LEAST_PAGES: usize = 2;

/// Which sites are viewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Those of which a quarter changed since their last view.
    Grown,
    /// Those of which anything changed.
    Changed,
}

/// The contents of a site's counted pages, in brief.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Viewed(BTreeSet<[u8; 4]>);

impl Viewed {
    /// Of these pages; removed ones are left out.
    #[must_use]
    pub(super) fn of(pages: &[(CanonicalUrl, Version)]) -> Viewed {
        let counted = pages.iter().map(|(_, version)| version.content).filter(|c| *c != ContentHash::NONE);
        Viewed(counted.filter_map(|content| content.0.first_chunk().copied()).collect())
    }
}

/// What the store holds of a site's last view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Record {
    viewed: Viewed,
    /// The value's version in the store.
    held: Option<u64>,
}

impl Record {
    /// Reads a site's record; an empty one if it was never viewed.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) async fn read(state: &dyn SiteState, site: &Site) -> StoreResult<Record> {
        let Some((version, bytes)) = state.value(&name(site)).await? else { return Ok(Record::default()) };
        let viewed = Viewed(bytes.as_chunks().0.iter().copied().collect());
        Ok(Record { viewed, held: Some(version) })
    }

    /// Whether a site with these pages is to be viewed.
    #[must_use]
    pub(super) fn is_due(&self, pages: &Viewed, when: When) -> bool {
        let changed = self.viewed.0.symmetric_difference(&pages.0).count();
        let least = match when {
            When::Changed => 1,
            When::Grown => self.viewed.0.len().div_ceil(ONE_IN).max(1),
        };
        pages.0.len() >= LEAST_PAGES && changed >= least
    }

    /// Records that these pages were viewed. Another miner that was first has viewed the site, too, and
    /// its record is as true as this one.
    ///
    /// # Errors
    /// When the store fails.
    pub(super) async fn write(&self, state: &dyn SiteState, site: &Site, viewed: Viewed) -> StoreResult<()> {
        let bytes: Bytes = viewed.0.iter().flatten().copied().collect();
        state.put_value(&name(site), self.held, bytes).await?;
        Ok(())
    }
}

fn name(site: &Site) -> String {
    format!("viewed/{site}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(of: std::ops::Range<u32>) -> Viewed {
        Viewed(of.map(u32::to_be_bytes).collect())
    }

    #[track_caller]
    fn check(before: Viewed, now: Viewed, grown: bool, changed: bool) {
        let record = Record { viewed: before, held: None };
        assert_eq!((record.is_due(&now, When::Grown), record.is_due(&now, When::Changed)), (grown, changed));
    }

    #[test]
    fn a_quarter_of_new_changed_or_removed_pages_is_time_again() {
        check(pages(0..0), pages(0..1), false, false);
        check(pages(0..0), pages(0..2), true, true);
        check(pages(0..100), pages(0..100), false, false);
        check(pages(0..100), pages(0..124), false, true);
        check(pages(0..100), pages(0..125), true, true);
        check(pages(0..100), pages(0..75), true, true);
        // Thirteen pages changed: their contents are gone and others are there.
        check(pages(0..100), pages(13..113), true, true);
    }
}
