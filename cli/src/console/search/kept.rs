//! The folder of the search index within a run's folder, and the lock of the process that writes it.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::folder::owner_only;

/// Name of the folder within a run's folder.
pub(super) const FOLDER: &str = "newslode.search";
/// The locked file within it. The system releases the lock with the process.
const LOCK: &str = "lock";

/// The folder, held by this process until it is dropped.
pub(super) struct KeptFolder {
    path: PathBuf,
    _lock: File,
}

impl KeptFolder {
    /// Holds a run's folder, and makes it if it is missing; nothing if another process holds it.
    ///
    /// # Errors
    /// When it cannot be written to.
    pub(super) fn hold(run: &Path) -> io::Result<Option<KeptFolder>> {
        let path = run.join(FOLDER);
        if !path.exists() {
            fs::create_dir(&path)?;
            // An index repeats the words of all articles.
            if let Some(owner_only) = owner_only() {
                fs::set_permissions(&path, owner_only)?;
            }
        }
        let lock = File::options().write(true).create(true).truncate(false).open(path.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(KeptFolder { path, _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes what it holds, but for the lock.
    pub(super) fn clear(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if entry.file_name() != LOCK {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    }
}
