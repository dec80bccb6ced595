//! Which sites are too costly to learn: how many of their pages were compared, and how many were left out.
//!
//! Learning templates compares pages with each other, in a bounded number of steps. Of a site whose pages take more, the larger
//! ones are left out and read without a template. The value `learning/SITE` says so until a later learning needs no cut, so
//! that `newslode status` and `newslode explain` can tell.

use newslode_common::store::{SiteState, StoreError, StoreResult};
use newslode_page::reading::Site;
use newslode_page::template::Learnt;
use serde::{Deserialize, Serialize};

use crate::work::values;

/// A learning that left out pages because comparing all of them takes too many steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LearningCut {
    /// Number of pages that were compared with each other.
    pub compared: usize,
    /// Number of pages that would have been compared, had they taken fewer steps.
    pub sampled: usize,
}

impl LearningCut {
    /// What a learning left out, if anything.
    pub(super) fn of(learnt: &Learnt) -> Option<LearningCut> {
        learnt.is_cut().then_some(LearningCut { compared: learnt.compared, sampled: learnt.sampled })
    }

    /// What the site's last learning left out, if anything.
    ///
    /// # Errors
    /// When the store fails or holds something else.
    pub async fn read(state: &dyn SiteState, site: &Site) -> StoreResult<Option<LearningCut>> {
        let held = state.value(&value_name(site)).await?;
        let Some((_, bytes)) = held.filter(|(_, bytes)| !bytes.is_empty()) else { return Ok(None) };
        let wrong = |error: serde_json::Error| {
            StoreError::Corrupt(format!("the value `{}`: {error}", value_name(site)))
        };
        serde_json::from_slice(&bytes).map(Some).map_err(wrong)
    }

    /// Replaces what the store says of a site's last learning.
    pub(super) async fn write(
        cut: Option<LearningCut>,
        state: &dyn SiteState,
        site: &Site,
    ) -> StoreResult<()> {
        match cut.and_then(|cut| serde_json::to_vec(&cut).ok()) {
            Some(bytes) => values::put(state, &value_name(site), bytes).await.map(|_| ()),
            None => values::empty(state, &value_name(site)).await,
        }
    }
}

/// Forgets it for a removed site.
pub(super) async fn forget(state: &dyn SiteState, site: &Site) -> StoreResult<()> {
    values::empty(state, &value_name(site)).await
}

fn value_name(site: &Site) -> String {
    format!("learning/{site}")
}

#[cfg(test)]
mod tests {
    use newslode_common::store::redb::RedbStore;

    use super::*;

    #[tokio::test]
    async fn a_cut_is_said_until_a_learning_needs_none() {
        let (store, site) = (RedbStore::in_memory().unwrap(), Site::of_host("large.example"));
        assert_eq!(LearningCut::read(&store, &site).await.unwrap(), None);
        let learnt = Learnt { compared: 24, sampled: 48, ..Learnt::default() };
        LearningCut::write(LearningCut::of(&learnt), &store, &site).await.unwrap();
        let cut = LearningCut { compared: 24, sampled: 48 };
        assert_eq!(LearningCut::read(&store, &site).await.unwrap(), Some(cut));
        assert_eq!(LearningCut::read(&store, &Site::of_host("small.example")).await.unwrap(), None);
        let whole = Learnt { compared: 48, ..learnt };
        LearningCut::write(LearningCut::of(&whole), &store, &site).await.unwrap();
        assert_eq!(LearningCut::read(&store, &site).await.unwrap(), None);
    }
}
