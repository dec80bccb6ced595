//! Mined state in Redis: a hash of counted versions for each site, and its sums (`sums.rs`).

use std::collections::BTreeMap;

use async_trait::async_trait;
use bytes::Bytes;

use super::{RedisStore, function, pack, server};
use crate::store::error::long;
use crate::store::log::{self, History, Log};
use crate::store::wholes::Wholes;
use crate::store::{Applied, Change, Memory, SiteState, StoreError, StoreResult, Sums};
use crate::version::{ContentHash, Version};
use newslode_page::contribution::Table;
use newslode_page::reading::short::short_url;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

#[async_trait]
impl SiteState for RedisStore {
    async fn versions(&self, site: &Site, urls: &[CanonicalUrl]) -> StoreResult<Vec<Option<Version>>> {
        if urls.is_empty() {
            return Ok(Vec::new());
        }
        let mut ask = redis::cmd("HMGET");
        ask.arg(self.keys().versions(site));
        urls.iter().for_each(|url| {
            ask.arg(short_url(site.as_str(), url).as_ref());
        });
        let held: Vec<Option<Vec<u8>>> = self.connection().call(&ask).await?;
        held.into_iter()
            .map(|bytes| Ok(bytes.map(|bytes| pack::version(&bytes)).transpose()?.map(|(v, _)| v)))
            .collect()
    }

    async fn apply(&self, site: &Site, changes: &[Change]) -> StoreResult<Vec<Applied>> {
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        self.announce(site).await?;
        let mut wholes = Wholes::new(changes);
        while let Some(batch) = wholes.batch() {
            wholes.take(&self.apply_whole(site, &batch).await?);
        }
        Ok(wholes.verdicts())
    }

    async fn sums(&self, site: &Site, tables: &[Table]) -> StoreResult<Sums> {
        self.read_sums(site, tables).await
    }

    async fn history(&self, site: &Site, homes: &[String]) -> StoreResult<History> {
        self.read_history(site, homes).await
    }

    async fn snapshot(&self, site: &Site, tables: &[Table]) -> StoreResult<(u64, Sums)> {
        self.read_snapshot(site, tables).await
    }

    async fn log(&self, bucket: u16, after: u64, most: usize) -> StoreResult<Log> {
        self.read_log(bucket, after, most).await
    }

    async fn pages(&self, site: &Site) -> StoreResult<Vec<(CanonicalUrl, Version)>> {
        let pages = self.pages_with_days(site).await?;
        Ok(pages.into_iter().map(|(url, version, _)| (url, version)).collect())
    }

    async fn counted_before(
        &self,
        site: &Site,
        before: Timestamp,
    ) -> StoreResult<Vec<(CanonicalUrl, Version)>> {
        let pages = self.pages_with_days(site).await?.into_iter();
        let old =
            pages.filter(|(_, version, day)| *day < before.day() && version.content != ContentHash::NONE);
        Ok(old.map(|(url, version, _)| (url, version)).collect())
    }

    async fn sites(&self) -> StoreResult<Vec<(Site, u64)>> {
        let buckets = self.all_buckets().await?;
        let held: Vec<BTreeMap<String, u64>> = self
            .each(&buckets, |bucket| {
                let mut ask = redis::cmd("HGETALL");
                ask.arg(self.keys().state(*bucket));
                ask
            })
            .await?;
        let used = buckets.iter().zip(&held).filter(|(_, sites)| !sites.is_empty());
        self.list_again(used.map(|(bucket, _)| *bucket)).await?;
        let all: BTreeMap<String, u64> = held.into_iter().flatten().collect();
        all.into_iter().map(|(name, counter)| Ok((pack::site(&name)?, counter))).collect()
    }

    async fn forget(&self, site: &Site) -> StoreResult<()> {
        let mut call = function("nl2_forget", &self.keys().mined(site));
        call.arg(site.as_str()).arg(log::entry(site.as_str(), &[])).arg(log::blank()?);
        self.connection().call(&call).await
    }

    async fn value(&self, name: &str) -> StoreResult<Option<(u64, Bytes)>> {
        let mut ask = redis::cmd("HMGET");
        ask.arg(self.keys().value(name)).arg("version").arg("bytes");
        let (version, bytes): (Option<u64>, Option<Vec<u8>>) = self.connection().call(&ask).await?;
        Ok(version.zip(bytes.map(Bytes::from)))
    }

    async fn put_value(&self, name: &str, expected: Option<u64>, bytes: Bytes) -> StoreResult<Option<u64>> {
        let mut call = function("nl2_put_value", &[self.keys().value(name)]);
        call.arg(expected.map(|version| version.to_string()).unwrap_or_default()).arg(&bytes[..]);
        self.connection().call(&call).await
    }

    async fn ready(&self) -> StoreResult<()> {
        server::check(self.connection()).await
    }

    async fn incarnation(&self) -> StoreResult<String> {
        server::run_id(self.connection()).await
    }

    async fn memory(&self) -> StoreResult<Option<Memory>> {
        server::fullest(self.connection()).await
    }
}

impl RedisStore {
    /// A site's pages with the days of their fetches, by URL.
    async fn pages_with_days(&self, site: &Site) -> StoreResult<Vec<(CanonicalUrl, Version, u32)>> {
        let held: BTreeMap<String, Vec<u8>> =
            self.connection().call(redis::cmd("HGETALL").arg(self.keys().versions(site))).await?;
        let page = |(url, bytes): (&String, &Vec<u8>)| {
            let (version, day) = pack::version(bytes)?;
            Ok((long(site.as_str(), url)?, version, day))
        };
        let mut pages = held.iter().map(page).collect::<StoreResult<Vec<_>>>()?;
        pages.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        Ok(pages)
    }
}

pub(super) fn verdict(bytes: &[u8]) -> StoreResult<Applied> {
    match bytes {
        b"A" => Ok(Applied::Applied),
        b"S" => Ok(Applied::Stale),
        b"C" => Ok(Applied::Conflict(None)),
        [b'C', stored @ ..] => Ok(Applied::Conflict(Some(pack::version(stored)?.0))),
        _ => Err(StoreError::Corrupt(format!("{bytes:?} is not a verdict on a change"))),
    }
}
