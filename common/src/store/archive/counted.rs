//! An archive whose failures are counted.

use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use newslode_page::time::Timestamp;

use crate::failpoint;
use crate::store::{Expired, Kind, PageArchive, StoreResult};
use crate::telemetry::metrics::Metrics;
use crate::version::ContentHash;

/// Passes each call on to an archive, counts those that fail in `newslode_archive_failures_total`, and tells what an
/// expiry left in `newslode_archive_bytes`.
pub struct CountedArchive<A> {
    archive: A,
    metrics: Arc<Metrics>,
}

impl<A> CountedArchive<A> {
    /// Counts the failures of an archive.
    pub fn new(archive: A, metrics: Arc<Metrics>) -> CountedArchive<A> {
        CountedArchive { archive, metrics }
    }

    fn counted<T>(&self, call: &str, answer: StoreResult<T>) -> StoreResult<T> {
        if answer.is_err() {
            self.metrics.archive_failures.with_label_values(&[call]).inc();
        }
        answer
    }
}

#[async_trait]
impl<A: PageArchive> PageArchive for CountedArchive<A> {
    async fn put(&self, kind: Kind, content: ContentHash, bytes: Bytes, now: Timestamp) -> StoreResult<()> {
        self.counted("put", self.archive.put(kind, content, bytes, now).await)?;
        failpoint::effect(|| format!("archive put {}", kind.name()));
        Ok(())
    }

    async fn get(&self, kind: Kind, content: ContentHash) -> StoreResult<Option<Bytes>> {
        self.counted("get", self.archive.get(kind, content).await)
    }

    async fn delete(&self, kind: Kind, content: ContentHash) -> StoreResult<()> {
        self.counted("delete", self.archive.delete(kind, content).await)?;
        failpoint::effect(|| format!("archive delete {}", kind.name()));
        Ok(())
    }

    async fn discard(&self, kind: Kind, content: ContentHash, now: Timestamp) -> StoreResult<bool> {
        let was_there = self.counted("delete", self.archive.discard(kind, content, now).await)?;
        failpoint::effect(|| format!("archive discard {}", kind.name()));
        Ok(was_there)
    }

    fn knows_removals(&self) -> bool {
        self.archive.knows_removals()
    }

    async fn removed(&self, kind: Kind, content: ContentHash) -> StoreResult<Option<Timestamp>> {
        self.counted("get", self.archive.removed(kind, content).await)
    }

    async fn expire(&self, before: Timestamp) -> StoreResult<Expired> {
        let expired = self.counted("expire", self.archive.expire(before).await)?;
        for (kind, bytes) in &expired.left {
            let bytes = i64::try_from(*bytes).unwrap_or(i64::MAX);
            self.metrics.archive_bytes.with_label_values(&[kind.name()]).set(bytes);
        }
        Ok(expired)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::archive::ObjectArchive;
    use crate::store::{StoreError, conformance};

    #[tokio::test]
    async fn it_is_an_archive_and_what_is_absent_is_no_failure() {
        let metrics = Metrics::new().unwrap();
        let archive = CountedArchive::new(ObjectArchive::open("memory:///").unwrap(), metrics.clone());
        conformance::archive::all(&archive).await;
        for call in ["put", "get", "delete", "expire"] {
            assert_eq!(metrics.archive_failures.with_label_values(&[call]).get(), 0, "{call}");
        }
        let text = Bytes::from_static(b"some text");
        archive.put(Kind::History, ContentHash([1; 16]), text, Timestamp(5_000)).await.unwrap();
        let left = archive.expire(Timestamp(5_000)).await.unwrap().left[&Kind::History];
        assert!(left > 9, "{left}");
        assert_eq!(metrics.archive_bytes.with_label_values(&["life"]).get(), left as i64);
    }

    /// An archive that is away.
    struct Away;

    fn away<T>() -> StoreResult<T> {
        Err(StoreError::Unavailable("away".into()))
    }

    #[async_trait]
    impl PageArchive for Away {
        async fn put(&self, _: Kind, _: ContentHash, _: Bytes, _: Timestamp) -> StoreResult<()> {
            away()
        }

        async fn get(&self, _: Kind, _: ContentHash) -> StoreResult<Option<Bytes>> {
            away()
        }

        async fn delete(&self, _: Kind, _: ContentHash) -> StoreResult<()> {
            away()
        }

        async fn expire(&self, _: Timestamp) -> StoreResult<Expired> {
            away()
        }
    }

    #[tokio::test]
    async fn each_call_that_fails_is_counted_under_its_name() {
        let metrics = Metrics::new().unwrap();
        let archive = CountedArchive::new(Away, metrics.clone());
        let count = || {
            ["put", "get", "delete", "expire"]
                .map(|call| metrics.archive_failures.with_label_values(&[call]).get())
        };
        let (kind, content, at) = (Kind::Page, ContentHash([7; 16]), Timestamp(1));
        assert!(archive.put(kind, content, Bytes::new(), at).await.is_err());
        assert_eq!(count(), [1, 0, 0, 0]);
        assert!(archive.get(kind, content).await.is_err());
        assert_eq!(count(), [1, 1, 0, 0]);
        assert!(archive.delete(kind, content).await.is_err());
        assert_eq!(count(), [1, 1, 1, 0]);
        assert!(archive.expire(at).await.is_err());
        assert_eq!(count(), [1, 1, 1, 1]);
    }
}
