//! The folder of a search index: nobody else may read it, and it does not outlive its process for long.
//!
//! An index repeats the words of all articles, in a folder that all users of the machine share. A process that is killed cannot
//! remove its own, so each folder has a locked file in it, and the system releases the lock with the process. The next console
//! removes the folders whose lock nobody holds.
//! Invariant: a folder with a lock that can be taken belongs to a dead process. So the file gets its name once it is locked.

use std::fs::{self, File, Metadata};
use std::io;
use std::path::Path;

use tempfile::TempDir;

/// Beginning of the folders' names.
const PREFIX: &str = "newslode-console-";
/// The locked file.
const LOCK: &str = "lock";
/// Its name until it is locked.
const UNLOCKED: &str = "lock.new";

/// A folder for an index; dropping it removes it.
pub(super) struct IndexFolder {
    folder: TempDir,
    // Released after the folder was removed.
    _lock: File,
}

impl IndexFolder {
    /// Makes a folder for temporary files.
    pub(super) fn create() -> io::Result<IndexFolder> {
        IndexFolder::create_in(&std::env::temp_dir())
    }

    fn create_in(parent: &Path) -> io::Result<IndexFolder> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        let owner_only = owner_only();
        if let Some(owner_only) = &owner_only {
            builder.permissions(owner_only.clone());
        }
        let folder = builder.tempdir_in(parent)?;
        let unlocked = folder.path().join(UNLOCKED);
        let lock = File::create_new(&unlocked)?;
        lock.lock()?;
        fs::rename(unlocked, folder.path().join(LOCK))?;
        Ok(IndexFolder { folder, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders of consoles that were killed. What cannot be removed stays for the next one.
pub(in crate::console) fn remove_leftovers() {
    match remove_leftovers_in(&std::env::temp_dir()) {
        Ok(0) => {}
        Ok(removed) => tracing::info!("removed {removed} search indexes of consoles that were killed"),
        Err(error) => tracing::warn!("cannot look for search indexes of consoles that were killed: {error}"),
    }
}

fn remove_leftovers_in(parent: &Path) -> io::Result<usize> {
    let ours = tempfile::tempfile_in(parent)?.metadata()?;
    let mut removed = 0;
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        // `DirEntry::metadata` does not follow links.
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX)
            && entry.metadata().is_ok_and(|about| about.is_dir() && is_private(&about, &ours));
        // A folder without a lock is about to get one, or is of a version that had none.
        let Ok(lock) = File::open(entry.path().join(LOCK)) else { continue };
        if is_ours && lock.try_lock().is_ok() && fs::remove_dir_all(entry.path()).is_ok() {
            removed += 1;
        }
    }
    Ok(removed)
}

/// Permissions of a folder that nobody else may read.
#[cfg(unix)]
pub(super) fn owner_only() -> Option<fs::Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(fs::Permissions::from_mode(0o700))
}

/// Whether we own it and nobody else may change what is in it.
#[cfg(unix)]
fn is_private(about: &Metadata, ours: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    about.uid() == ours.uid() && about.mode() & 0o077 == 0
}

/// Elsewhere each user has a folder for temporary files.
#[cfg(not(unix))]
pub(super) fn owner_only() -> Option<fs::Permissions> {
    None
}

#[cfg(not(unix))]
fn is_private(_: &Metadata, _: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_dead_processes_are_removed_and_no_others() {
        let parent = tempfile::tempdir().unwrap();
        let living = IndexFolder::create_in(parent.path()).unwrap();
        fs::write(living.path().join("words"), "secret").unwrap();
        // The lock of a process that was killed is released, and its folder is there.
        let IndexFolder { folder, _lock } = IndexFolder::create_in(parent.path()).unwrap();
        let dead = folder.keep();
        fs::write(dead.join("words"), "secret").unwrap();
        drop(_lock);
        let other = parent.path().join("newslode-console-older-version");
        fs::create_dir(&other).unwrap();
        let foreign = parent.path().join("somebody-elses");
        fs::create_dir(&foreign).unwrap();
        File::create(foreign.join(LOCK)).unwrap();
        assert_eq!(remove_leftovers_in(parent.path()).unwrap(), 1);
        assert!(!dead.exists() && living.path().join("words").exists() && other.exists() && foreign.exists());
        let path = living.path().to_owned();
        drop(living);
        assert!(!path.exists());
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_may_read_an_index() {
        use std::os::unix::fs::PermissionsExt as _;
        let parent = tempfile::tempdir().unwrap();
        let made = IndexFolder::create_in(parent.path()).unwrap();
        assert_eq!(fs::metadata(made.path()).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_others_may_change_and_a_link_are_left_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let parent = tempfile::tempdir().unwrap();
        let IndexFolder { folder, _lock } = IndexFolder::create_in(parent.path()).unwrap();
        let shared = folder.keep();
        drop(_lock);
        fs::set_permissions(&shared, fs::Permissions::from_mode(0o777)).unwrap();
        let target = tempfile::tempdir().unwrap();
        File::create(target.path().join(LOCK)).unwrap();
        std::os::unix::fs::symlink(target.path(), parent.path().join("newslode-console-link")).unwrap();
        assert_eq!(remove_leftovers_in(parent.path()).unwrap(), 0);
        assert!(shared.exists() && target.path().join(LOCK).exists());
    }
}
