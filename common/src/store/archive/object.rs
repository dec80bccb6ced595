//! The archive over a file system, S3, or any other object store.
//!
//! Keys are `<kind>/<first two digits>/<hash>`. An object is the time it was put (8 bytes, little
//! endian, milliseconds) and a zstd frame, written whole. Expiry asks every object for its time; where
//! that is too many requests, a lifecycle rule of the object store does the same.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use futures::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, PutPayload};

use super::{compress, decompress};
use crate::store::{Kind, PageArchive, StoreError, StoreResult};
use crate::time::Timestamp;
use crate::version::ContentHash;

/// Bytes of the time in front of every object.
const TIME: usize = 8;

/// Pages in an object store; clones share it.
#[derive(Clone)]
pub struct ObjectArchive {
    store: Arc<dyn ObjectStore>,
    root: Path,
}

fn failed(error: object_store::Error) -> StoreError {
    match error {
        error @ (object_store::Error::PermissionDenied { .. }
        | object_store::Error::Unauthenticated { .. }) => StoreError::Refused(format!("archive: {error}")),
        other => StoreError::Unavailable(format!("archive: {other}")),
    }
}

impl ObjectArchive {
    /// Opens `file:///folder` (made if missing) or `s3://bucket/prefix` (credentials from the
    /// environment).
    ///
    /// # Errors
    /// When the URL is not understood or the folder cannot be made.
    pub fn open(url: &str) -> StoreResult<ObjectArchive> {
        let refused = |reason: String| StoreError::Refused(format!("archive `{url}`: {reason}"));
        let parsed = url::Url::parse(url).map_err(|error| refused(error.to_string()))?;
        if parsed.scheme() == "file" {
            let folder = parsed.to_file_path().map_err(|()| refused("is no absolute path".into()))?;
            std::fs::create_dir_all(&folder).map_err(|error| refused(error.to_string()))?;
            let local = object_store::local::LocalFileSystem::new_with_prefix(&folder);
            return Ok(ObjectArchive::over(
                Arc::new(local.map_err(|e| refused(e.to_string()))?),
                Path::default(),
            ));
        }
        let options = std::env::vars().filter(|(name, _)| name.starts_with("AWS_"));
        let (store, root) =
            object_store::parse_url_opts(&parsed, options.map(|(k, v)| (k.to_lowercase(), v)))
                .map_err(|error| refused(error.to_string()))?;
        Ok(ObjectArchive::over(Arc::from(store), root))
    }

    /// Over an object store that is open already, below `root`.
    #[must_use]
    pub fn over(store: Arc<dyn ObjectStore>, root: Path) -> ObjectArchive {
        ObjectArchive { store, root }
    }

    fn path(&self, kind: Kind, content: ContentHash) -> Path {
        let hash = content.to_string();
        let parts = [kind.name(), &hash[..2], &hash].map(object_store::path::PathPart::from);
        self.root.parts().chain(parts).collect()
    }
}

#[async_trait]
impl PageArchive for ObjectArchive {
    async fn put(&self, kind: Kind, content: ContentHash, bytes: Bytes, now: Timestamp) -> StoreResult<()> {
        let mut object = now.0.to_le_bytes().to_vec();
        object.extend(compress(bytes).await?);
        self.store.put(&self.path(kind, content), PutPayload::from(object)).await.map_err(failed)?;
        Ok(())
    }

    async fn get(&self, kind: Kind, content: ContentHash) -> StoreResult<Option<Bytes>> {
        match self.store.get(&self.path(kind, content)).await {
            Ok(found) => {
                let object = found.bytes().await.map_err(failed)?;
                let packed =
                    object.get(TIME..).ok_or_else(|| StoreError::Corrupt("an object is cut short".into()))?;
                Ok(Some(decompress(packed)?))
            }
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(other) => Err(failed(other)),
        }
    }

    async fn delete(&self, kind: Kind, content: ContentHash) -> StoreResult<()> {
        match self.store.delete(&self.path(kind, content)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(other) => Err(failed(other)),
        }
    }

    async fn expire(&self, before: Timestamp) -> StoreResult<u64> {
        let mut expired = 0;
        let mut objects = self.store.list(Some(&self.root));
        while let Some(object) = objects.try_next().await.map_err(failed)? {
            let head = self.store.get_range(&object.location, 0..TIME as u64).await.map_err(failed)?;
            let put = <[u8; TIME]>::try_from(head.as_ref()).map_or(0, u64::from_le_bytes);
            if put < before.0 {
                self.store.delete(&object.location).await.map_err(failed)?;
                expired += 1;
            }
        }
        Ok(expired)
    }
}
