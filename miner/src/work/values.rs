//! Values of the store for which the last writer wins, as for the taxonomy.

use newslode_common::store::{SiteState, StoreError, StoreResult};

/// Name of the taxonomy's value, which readers use; its bytes are JSON.
pub const TAXONOMY: &str = "taxonomy";
/// Number of attempts to write while other writers are first.
const MAX_ATTEMPTS: usize = 5;

/// Writes a value, over that of another writer if need be. Returns false if the value was there already.
///
/// # Errors
/// When the store fails, or other writers keep being first.
pub(super) async fn put(state: &dyn SiteState, name: &str, bytes: Vec<u8>) -> StoreResult<bool> {
    for _ in 0..MAX_ATTEMPTS {
        let held = state.value(name).await?;
        if held.as_ref().is_some_and(|(_, held)| *held == bytes) {
            return Ok(false);
        }
        let version = held.map(|(version, _)| version);
        if state.put_value(name, version, bytes.clone().into()).await?.is_some() {
            return Ok(true);
        }
    }
    Err(StoreError::Unavailable(format!("other miners keep changing the value `{name}`")))
}

/// Replaces a value by an empty one, if there is one. Values cannot be deleted.
///
/// # Errors
/// When the store fails.
pub(super) async fn empty(state: &dyn SiteState, name: &str) -> StoreResult<()> {
    match state.value(name).await? {
        Some((_, bytes)) if !bytes.is_empty() => put(state, name, Vec::new()).await.map(|_| ()),
        _ => Ok(()),
    }
}
