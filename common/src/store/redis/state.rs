//! Mined state in Redis: a hash of counts a table, a hash of counted versions a site.

use std::collections::BTreeMap;

use async_trait::async_trait;
use bytes::Bytes;

use super::{RedisStore, function, library, pack};
use crate::contribution::Table;
use crate::page::{CanonicalUrl, Site};
use crate::store::{Applied, Change, SiteState, StoreError, StoreResult};
use crate::version::Version;

#[async_trait]
impl SiteState for RedisStore {
    async fn versions(&self, site: &Site, urls: &[CanonicalUrl]) -> StoreResult<Vec<Option<Version>>> {
        if urls.is_empty() {
            return Ok(Vec::new());
        }
        let mut ask = redis::cmd("HMGET");
        ask.arg(self.keys().versions(site));
        urls.iter().for_each(|url| {
            ask.arg(url.as_str());
        });
        let held: Vec<Option<String>> = self.connection().call(&ask).await?;
        held.into_iter().map(|text| text.map(|text| pack::version(&text)).transpose()).collect()
    }

    async fn apply(&self, site: &Site, changes: &[Change]) -> StoreResult<Vec<Applied>> {
        if changes.is_empty() {
            return Ok(Vec::new());
        }
        self.announce(site).await?;
        let mut call = function("nl1_apply", &self.keys().mined(site));
        call.arg(site.as_str()).arg(pack::batch(changes));
        let verdicts: Vec<String> = self.connection().call(&call).await?;
        if verdicts.len() != changes.len() {
            let (given, judged) = (changes.len(), verdicts.len());
            return Err(StoreError::Corrupt(format!("{given} changes were sent, {judged} were judged")));
        }
        verdicts.iter().map(|text| verdict(text)).collect()
    }

    async fn cells(&self, site: &Site, table: Table) -> StoreResult<BTreeMap<String, i64>> {
        let held: Vec<(String, String)> =
            self.connection().call(redis::cmd("HGETALL").arg(self.keys().cells(site, table))).await?;
        held.into_iter().map(|(key, count)| Ok((key, pack::number(&count)?))).collect()
    }

    async fn pages(&self, site: &Site) -> StoreResult<Vec<(CanonicalUrl, Version)>> {
        let held: BTreeMap<String, String> =
            self.connection().call(redis::cmd("HGETALL").arg(self.keys().versions(site))).await?;
        held.iter().map(|(url, version)| Ok((pack::url(url)?, pack::version(version)?))).collect()
    }

    async fn sites(&self) -> StoreResult<Vec<(Site, u64)>> {
        let buckets = self.buckets().await?;
        let held: Vec<BTreeMap<String, u64>> = self
            .each(&buckets, |bucket| {
                let mut ask = redis::cmd("HGETALL");
                ask.arg(self.keys().state(*bucket));
                ask
            })
            .await?;
        let all: BTreeMap<String, u64> = held.into_iter().flatten().collect();
        all.into_iter().map(|(name, counter)| Ok((pack::site(&name)?, counter))).collect()
    }

    async fn forget(&self, site: &Site) -> StoreResult<()> {
        let mut call = function("nl1_forget", &self.keys().mined(site));
        self.connection().call(call.arg(site.as_str())).await
    }

    async fn value(&self, name: &str) -> StoreResult<Option<(u64, Bytes)>> {
        let mut ask = redis::cmd("HMGET");
        ask.arg(self.keys().value(name)).arg("version").arg("bytes");
        let (version, bytes): (Option<u64>, Option<Vec<u8>>) = self.connection().call(&ask).await?;
        Ok(version.zip(bytes.map(Bytes::from)))
    }

    async fn put_value(&self, name: &str, expected: Option<u64>, bytes: Bytes) -> StoreResult<Option<u64>> {
        let mut call = function("nl1_put_value", &[self.keys().value(name)]);
        call.arg(expected.map(|version| version.to_string()).unwrap_or_default()).arg(&bytes[..]);
        self.connection().call(&call).await
    }

    async fn ready(&self) -> StoreResult<()> {
        library::check(self.connection()).await
    }

    async fn incarnation(&self) -> StoreResult<String> {
        library::run_id(self.connection()).await
    }
}

fn verdict(text: &str) -> StoreResult<Applied> {
    match text.split_at_checked(1) {
        Some(("A", "")) => Ok(Applied::Applied),
        Some(("S", "")) => Ok(Applied::Stale),
        Some(("C", "")) => Ok(Applied::Conflict(None)),
        Some(("C", stored)) => Ok(Applied::Conflict(Some(pack::version(stored)?))),
        _ => Err(StoreError::Corrupt(format!("`{text}` is no verdict on a change"))),
    }
}
