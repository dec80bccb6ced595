//! Free space on the disk that pages are written to.
//!
//! A disk that is full stops everything on it, also what would make room. So fetching stops while there is less than a
//! reserve, and goes on by itself. Start at [`Room`].

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::telemetry::metrics::Metrics;

/// Time between two questions to a disk.
const ASK_EVERY: Duration = Duration::from_secs(1);

/// Free bytes on the disk of a folder for users without privileges.
///
/// # Errors
/// When the folder is not there, or its disk does not say.
pub fn free_bytes(folder: &Path) -> std::io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// File systems of other machines, by the numbers that Linux gives them (statfs(2)). FUSE and 9P are left out: what they lead to may
/// be of this machine.
const NETWORK: [(u32, &str); 7] = [
    (0x0000_6969, "NFS"),
    (0x0000_517b, "SMB"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB"),
    (0x5346_414f, "AFS"),
    (0x00c3_6400, "Ceph"),
    (0x7375_7245, "Coda"),
];

/// The kind of the network drive that a folder is on; nothing if it is on a disk of this machine, or nobody can say.
///
/// # Errors
/// When the folder is not there.
#[cfg(target_os = "linux")]
pub fn network_drive(folder: &Path) -> std::io::Result<Option<&'static str>> {
    // The number has 32 bits, and the field may be wider.
    Ok(network_name(rustix::fs::statfs(folder)?.f_type as u32))
}

/// The same where the system gives no such numbers.
///
/// # Errors
/// Never.
#[cfg(not(target_os = "linux"))]
pub fn network_drive(_: &Path) -> std::io::Result<Option<&'static str>> {
    Ok(None)
}

#[cfg_attr(not(target_os = "linux"), expect(dead_code))]
fn network_name(number: u32) -> Option<&'static str> {
    NETWORK.iter().find(|(known, _)| *known == number).map(|(_, name)| *name)
}

/// Less space is free than the reserve.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error(
    "only {} MiB are free on the disk of `{}`, and {} MiB are the reserve (`archive.reserve_mb`)",
    free >> 20, folder.display(), reserve >> 20
)]
pub struct Shortage {
    /// The folder.
    pub folder: PathBuf,
    /// Free bytes.
    pub free: u64,
    /// The reserve, in bytes.
    pub reserve: u64,
}

/// The space that fetching leaves free on a disk.
#[derive(Debug)]
pub struct Room {
    folder: PathBuf,
    reserve: u64,
    /// When the disk was asked last, and what it said: a disk on a network may be slow to answer.
    asked: Mutex<Option<(Instant, Option<Shortage>)>>,
    is_short: AtomicBool,
}

impl Room {
    /// On the disk of this folder, at least so many MiB stay free.
    #[must_use]
    pub fn new(folder: &Path, reserve_mb: u64) -> Room {
        let reserve = reserve_mb.saturating_mul(1 << 20);
        Room {
            folder: folder.to_path_buf(),
            reserve,
            asked: Mutex::default(),
            is_short: AtomicBool::new(false),
        }
    }

    /// The room for the archive at this URL, if it is a folder.
    #[must_use]
    pub fn of_archive(url: &str, reserve_mb: u64) -> Option<Room> {
        let folder = url::Url::parse(url).ok().filter(|url| url.scheme() == "file")?.to_file_path().ok()?;
        Some(Room::new(&folder, reserve_mb))
    }

    /// Whether the reserve is free, as the disk said within the last second.
    ///
    /// # Errors
    /// How much is missing. A disk that does not say how much is free has enough.
    pub fn look(&self) -> Result<(), Shortage> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.as_ref().is_none_or(|(at, _)| at.elapsed() >= ASK_EVERY) {
            *asked = Some((Instant::now(), self.ask()));
        }
        asked.as_ref().and_then(|(_, shortage)| shortage.clone()).map_or(Ok(()), Err)
    }

    fn ask(&self) -> Option<Shortage> {
        let Room { folder, reserve, .. } = self;
        let free = free_bytes(folder).ok().filter(|free| free < reserve)?;
        Some(Shortage { folder: folder.clone(), free, reserve: *reserve })
    }

    /// The same; logs when space becomes short and when it is there again, and says so in `newslode_disk_short`.
    pub fn is_there(&self, metrics: &Metrics) -> bool {
        let looked = self.look();
        let was_short = self.is_short.swap(looked.is_err(), Ordering::Relaxed);
        match &looked {
            Err(shortage) if !was_short => {
                tracing::warn!(%shortage, "fetching stops until there is room; it then goes on by itself");
            }
            Ok(()) if was_short => {
                tracing::info!(folder = %self.folder.display(), "there is room again; fetching goes on")
            }
            _ => {}
        }
        metrics.disk_short.set(i64::from(looked.is_err()));
        looked.is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_drives_are_told_from_disks() {
        // ext4, XFS, Btrfs, tmpfs, overlayfs, ZFS, FUSE.
        for disk in [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630, 0x2fc1_2fc1, 0x6573_5546] {
            assert_eq!(network_name(disk), None, "{disk:x}");
        }
        assert_eq!(network_name(0x6969), Some("NFS"));
        assert_eq!(network_name(0xff53_4d42), Some("CIFS"));
        assert_eq!(network_drive(tempfile::tempdir().unwrap().path()).unwrap(), None);
    }

    #[test]
    fn a_disk_with_less_than_the_reserve_is_short_and_says_how_much_is_free() {
        let folder = tempfile::tempdir().unwrap();
        let metrics = Metrics::new().unwrap();
        let free = free_bytes(folder.path()).unwrap();
        assert!(Room::new(folder.path(), 0).is_there(&metrics));
        assert_eq!(metrics.disk_short.get(), 0);
        let short = Room::new(folder.path(), (free >> 20) + 100_000);
        let shortage = short.look().unwrap_err().to_string();
        assert!(shortage.contains("`archive.reserve_mb`") && shortage.contains("MiB are free"), "{shortage}");
        assert!(!short.is_there(&metrics));
        assert_eq!(metrics.disk_short.get(), 1);
    }

    #[test]
    fn only_an_archive_in_a_folder_has_a_disk() {
        assert!(Room::of_archive("file:///var/lib/newslode/archive", 1).is_some());
        assert!(Room::of_archive("s3://bucket/prefix", 1).is_none());
        assert!(Room::of_archive("memory:///", 1).is_none());
    }
}
