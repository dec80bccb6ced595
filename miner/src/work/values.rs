//! Values of the store of which the last writer is right.

use newslode_common::store::{SiteState, StoreError, StoreResult};

/// Another writer may come between our read and our write. After this many times we give up.
const ROUNDS: usize = 5;

/// Writes a value unless it is there already. If another writer was first, ours replaces its value. Returns whether
/// anything changed.
///
/// # Errors
/// When the store fails, or others write all the time.
pub(super) async fn put(state: &dyn SiteState, name: &str, bytes: Vec<u8>) -> StoreResult<bool> {
    for _ in 0..ROUNDS {
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

/// Empties a value, if there is one.
///
/// # Errors
/// When the store fails.
pub(super) async fn empty(state: &dyn SiteState, name: &str) -> StoreResult<()> {
    match state.value(name).await? {
        Some((_, bytes)) if !bytes.is_empty() => put(state, name, Vec::new()).await.map(|_| ()),
        _ => Ok(()),
    }
}
