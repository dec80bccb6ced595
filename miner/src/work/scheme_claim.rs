//! Which schemes the miners of a store use.
//!
//! This is the value [`NAME`] of the store: the digest and the names of the schemes by which the taxonomy is aligned. Each miner
//! writes it at its start, since the process that started last has the newest configuration. A miner with other schemes does
//! not fold, so that the taxonomy does not change to and fro; it works on otherwise. Start at [`SchemeClaim`].

use newslode_common::store::{SiteState, StoreError, StoreResult};
use serde::{Deserialize, Serialize};

use crate::mining::schemes::SchemeSet;
use crate::work::values;

/// The value's name.
pub const NAME: &str = "schemes";

/// The schemes that the miners of a store use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClaimedSchemes {
    /// Their [digest](SchemeSet::digest).
    pub digest: String,
    /// Their names.
    pub names: Vec<String>,
}

/// A miner's claim that its schemes are those of the store.
#[derive(Debug, Default)]
pub struct SchemeClaim {
    is_made: bool,
}

impl SchemeClaim {
    /// Makes the schemes of this process those of the store. It is made once; see [`SchemeClaim::check`].
    ///
    /// # Errors
    /// When the store fails.
    pub async fn make(&mut self, state: &dyn SiteState, ours: &SchemeSet) -> StoreResult<()> {
        let claim = ClaimedSchemes { digest: ours.digest().to_owned(), names: ours.names().to_vec() };
        let bytes = serde_json::to_vec(&claim).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        values::put(state, NAME, bytes).await?;
        self.is_made = true;
        Ok(())
    }

    /// The schemes of a miner that was started later with others; `None` if this process may fold. Makes the claim if that
    /// failed before.
    ///
    /// # Errors
    /// When the store fails or holds something else.
    pub async fn check(
        &mut self,
        state: &dyn SiteState,
        ours: &SchemeSet,
    ) -> StoreResult<Option<ClaimedSchemes>> {
        let held = match state.value(NAME).await? {
            Some((_, bytes)) if self.is_made => serde_json::from_slice::<ClaimedSchemes>(&bytes)
                .map_err(|error| StoreError::Corrupt(format!("the value `{NAME}`: {error}")))?,
            _ => {
                self.make(state, ours).await?;
                return Ok(None);
            }
        };
        Ok((held.digest != ours.digest()).then_some(held))
    }
}

#[cfg(test)]
mod tests {
    use newslode_common::store::redb::RedbStore;

    use super::*;
    use crate::mining::schemes::Builtin;

    #[tokio::test]
    async fn the_miner_that_started_last_folds() {
        let store = RedbStore::in_memory().unwrap();
        let (none, house) = (SchemeSet::default(), Builtin::House);
        let some = SchemeSet::new(Vec::new(), vec![(house, house.scheme().unwrap())]);
        let (mut old, mut new) = (SchemeClaim::default(), SchemeClaim::default());
        old.make(&store, &none).await.unwrap();
        assert_eq!(old.check(&store, &none).await.unwrap(), None);
        new.make(&store, &some).await.unwrap();
        assert_eq!(new.check(&store, &some).await.unwrap(), None);
        let claimed = old.check(&store, &none).await.unwrap().unwrap();
        assert_eq!(claimed.names, ["house"]);
        // It is started again with the same schemes as the new one.
        let mut again = SchemeClaim::default();
        again.make(&store, &some).await.unwrap();
        assert_eq!(again.check(&store, &some).await.unwrap(), None);
        // A claim that failed at the start is made before the next fold.
        assert_eq!(SchemeClaim::default().check(&store, &some).await.unwrap(), None);
    }
}
