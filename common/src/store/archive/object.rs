//! An archive of objects: in a folder (`file:///var/newslode`), in S3 (`s3://bucket/prefix`, with credentials
//! from the usual `AWS_…` variables: see [`bucket`]), or in memory.
//!
//! An object is `<kind>/<first two hex digits>/<content>.zst`. It begins with a frame that holds the time of
//! the put and that `zstd` skips, so the `zstd` tool reads the object as it is. Of a value that was discarded only
//! this frame is left, with the time of that. Stores read no clock, so
//! expiry uses that time and never the object's own. It lists all objects and reads 16 bytes of each. Where
//! that is too much (S3 with millions of pages), use the bucket's lifecycle rules instead. If another process
//! puts a value again just while it expires, the new value may be lost with it.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt};
use object_store::aws::AmazonS3;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path;
use object_store::prefix::PrefixStore;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};
use url::Url;

use super::bucket;
use super::packing::{blocking, pack, unpack};
use crate::store::{Expired, Kind, PageArchive, StoreError, StoreResult};
use crate::version::ContentHash;
use newslode_page::time::Timestamp;

/// Number of objects that expiry reads at once.
const AT_ONCE: usize = 16;
/// A skippable frame of zstd: magic, then the length of its content (8 bytes), little-endian.
const FRAME: [u8; 8] = [0x50, 0x2a, 0x4d, 0x18, 8, 0, 0, 0];
/// Length of the frame with its content: milliseconds since 1970, little-endian.
const HEAD: usize = FRAME.len() + 8;

/// Pages by content, one object each. Clones are handles of the same archive.
#[derive(Clone)]
pub struct ObjectArchive {
    store: Arc<dyn ObjectStore>,
    is_bucket: bool,
}

impl ObjectArchive {
    /// Checks that `archive.url` can be parsed. Makes no folder and no request.
    ///
    /// # Errors
    /// As [`ObjectArchive::open`].
    pub fn check(url: &str) -> StoreResult<()> {
        place(url, std::env::vars()).map(drop)
    }

    /// Opens the archive at a URL: `file://` (the folder is made), `s3://bucket/prefix`, `memory://`.
    ///
    /// # Errors
    /// [`StoreError::Refused`] if the text is no such URL, the folder cannot be made, or the bucket's
    /// settings are incomplete. No request is made yet.
    pub fn open(url: &str) -> StoreResult<ObjectArchive> {
        ObjectArchive::open_with(url, std::env::vars())
    }

    /// The same with these variables instead of the environment's.
    ///
    /// # Errors
    /// As [`ObjectArchive::open`].
    pub fn open_with(
        url: &str,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> StoreResult<ObjectArchive> {
        let place = place(url, variables)?;
        let is_bucket = matches!(place, Place::Bucket(_));
        let store: Arc<dyn ObjectStore> = match place {
            Place::Memory => Arc::new(InMemory::new()),
            Place::Bucket(bucket) => Arc::new(bucket),
            Place::Folder(folder) => {
                std::fs::create_dir_all(&folder).map_err(|error| refused(url, &error))?;
                let local = LocalFileSystem::new_with_prefix(&folder);
                // An archived page must survive a crash of the machine.
                Arc::new(local.map_err(|error| refused(url, &error))?.with_fsync(true))
            }
        };
        Ok(ObjectArchive { store, is_bucket })
    }

    /// The answer, or `None` if the object is not there.
    fn found<T>(&self, answer: object_store::Result<T>) -> StoreResult<Option<T>> {
        match answer {
            Ok(found) => Ok(Some(found)),
            Err(error) if self.is_bucket && bucket::is_absent(&error) => Ok(None),
            Err(object_store::Error::NotFound { .. }) if !self.is_bucket => Ok(None),
            Err(error) => Err(meaning(&error)),
        }
    }

    /// The frame of an object, and a byte of its value if it was not discarded.
    async fn begins(&self, kind: Kind, content: ContentHash) -> StoreResult<Option<Bytes>> {
        self.found(self.store.get_range(&path(kind, content), 0..HEAD as u64 + 1).await)
    }

    /// Deletes an object if it was put before a time.
    async fn expire_one(&self, object: ObjectMeta, before: Timestamp) -> StoreResult<ExpiryOutcome> {
        // Other programs may keep files in the same folder.
        let Some(kind) = kind_of(&object.location) else { return Ok(ExpiryOutcome::Other) };
        let Some(head) = self.found(self.store.get_range(&object.location, 0..HEAD as u64).await)? else {
            return Ok(ExpiryOutcome::Other);
        };
        if put_at(&head)? >= before {
            return Ok(ExpiryOutcome::Left(kind, object.size));
        }
        Ok(self
            .found(self.store.delete(&object.location).await)?
            .map_or(ExpiryOutcome::Other, |()| ExpiryOutcome::Deleted))
    }
}

/// What expiry did with an object.
enum ExpiryOutcome {
    /// It was too old, and is deleted.
    Deleted,
    /// It stays, with so many bytes.
    Left(Kind, u64),
    /// It is not ours, or another process deleted it.
    Other,
}

/// A place for objects.
enum Place {
    Memory,
    Folder(PathBuf),
    Bucket(PrefixStore<AmazonS3>),
}

fn place(url: &str, variables: impl IntoIterator<Item = (String, String)>) -> StoreResult<Place> {
    let parsed = Url::parse(url).map_err(|error| refused(url, &error))?;
    match parsed.scheme() {
        "memory" => Ok(Place::Memory),
        "file" => {
            let folder = parsed.to_file_path().map_err(|()| refused(url, &"not a local path"))?;
            Ok(Place::Folder(folder))
        }
        "s3" => bucket::open(&parsed, variables).map(Place::Bucket).map_err(|reason| refused(url, &reason)),
        other => Err(refused(url, &format!("the scheme is `{other}`, not file, s3 or memory"))),
    }
}

fn refused(url: &str, reason: &dyn std::fmt::Display) -> StoreError {
    StoreError::Refused(format!("`archive.url` is `{url}`: {reason}"))
}

fn path(kind: Kind, content: ContentHash) -> Path {
    let name = content.to_string();
    let (folder, _) = name.split_at(2);
    Path::from(format!("{}/{folder}/{name}.zst", kind.name()))
}

fn kind_of(path: &Path) -> Option<Kind> {
    let name = path.as_ref().strip_suffix(".zst")?.split('/').next()?;
    Kind::ALL.iter().copied().find(|kind| kind.name() == name)
}

/// The time at which an object was put.
fn put_at(object: &[u8]) -> StoreResult<Timestamp> {
    let time = object.strip_prefix(&FRAME).and_then(|rest| rest.first_chunk());
    let time = time.ok_or_else(|| StoreError::Corrupt("an archived object lacks its header".to_owned()))?;
    Ok(Timestamp(u64::from_le_bytes(*time)))
}

fn meaning(error: &object_store::Error) -> StoreError {
    match error {
        object_store::Error::InvalidPath { .. } => StoreError::Refused(error.to_string()),
        error => bucket::meaning(error),
    }
}

#[async_trait]
impl PageArchive for ObjectArchive {
    async fn put(&self, kind: Kind, content: ContentHash, bytes: Bytes, now: Timestamp) -> StoreResult<()> {
        let packed = blocking(move || pack(&bytes)).await?;
        let object = [&FRAME[..], &now.0.to_le_bytes(), &packed].concat();
        self.store.put(&path(kind, content), object.into()).await.map(drop).map_err(|error| meaning(&error))
    }

    async fn get(&self, kind: Kind, content: ContentHash) -> StoreResult<Option<Bytes>> {
        let Some(found) = self.found(self.store.get(&path(kind, content)).await)? else { return Ok(None) };
        let object = found.bytes().await.map_err(|error| meaning(&error))?;
        put_at(&object)?;
        if object.len() == HEAD {
            return Ok(None);
        }
        blocking(move || unpack(&object)).await.map(Some)
    }

    async fn delete(&self, kind: Kind, content: ContentHash) -> StoreResult<()> {
        self.found(self.store.delete(&path(kind, content)).await).map(drop)
    }

    async fn discard(&self, kind: Kind, content: ContentHash, now: Timestamp) -> StoreResult<bool> {
        if self.begins(kind, content).await?.is_none_or(|begins| begins.len() <= HEAD) {
            return Ok(false);
        }
        let note = [&FRAME[..], &now.0.to_le_bytes()].concat();
        let noted = self.store.put(&path(kind, content), note.into()).await;
        noted.map(|_| true).map_err(|error| meaning(&error))
    }

    async fn removed(&self, kind: Kind, content: ContentHash) -> StoreResult<Option<Timestamp>> {
        let begins = self.begins(kind, content).await?;
        begins.filter(|begins| begins.len() == HEAD).map(|head| put_at(&head)).transpose()
    }

    fn knows_removals(&self) -> bool {
        false
    }

    async fn expire(&self, before: Timestamp) -> StoreResult<Expired> {
        self.store
            .list(None)
            .map_err(|error| meaning(&error))
            .map(|object| async move { self.expire_one(object?, before).await })
            .buffer_unordered(AT_ONCE)
            .try_fold(Expired::default(), |mut expired, outcome| async move {
                match outcome {
                    ExpiryOutcome::Deleted => expired.values += 1,
                    ExpiryOutcome::Left(kind, bytes) => *expired.left.entry(kind).or_default() += bytes,
                    ExpiryOutcome::Other => {}
                }
                Ok(expired)
            })
            .await
    }
}
