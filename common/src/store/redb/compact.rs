//! Gives the space of a file that is not used back to the disk.
//!
//! What is deleted leaves free pages inside the file, which are used again; the file gets shorter only by what is free at its end.
//! Compaction moves pages to the front, so all that is free comes to the end. No other process may have the file open meanwhile.

use std::path::Path;

use ::redb::{CompactionError, ReadableDatabase as _};

use super::{builder, cannot_open, format_of, without_panic, wrong_format};
use crate::store::{StoreError, StoreResult};

/// Compacts a file that no process has open. Blocks for as long as it takes to read and write what is in use, several times.
/// A kill in the midst costs nothing but a check of the file when it is opened next.
///
/// # Errors
/// [`StoreError::InUse`] if another process writes or reads the file; as those of [`RedbStore::open`](super::RedbStore::open)
/// otherwise.
pub fn compact(path: &Path) -> StoreResult<()> {
    let shown = path.display().to_string();
    without_panic(&shown, || {
        let mut database = builder(&shown).open(path).map_err(|error| cannot_open(&shown, error))?;
        if format_of(&database.begin_read()?, &shown)?.is_none() {
            return Err(wrong_format(&shown, None));
        }
        // Each pass makes some progress; it is done when one makes none.
        while database.compact().map_err(|error| cannot_compact(&shown, error))? {}
        Ok(())
    })
}

fn cannot_compact(shown: &str, error: CompactionError) -> StoreError {
    match error {
        CompactionError::Storage(error) => error.into(),
        error => StoreError::InUse(format!("`{shown}` is being read by another process ({error})")),
    }
}
