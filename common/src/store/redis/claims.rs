//! Claims from Redis.
//!
//! A claim asks the buckets in use for sites whose time has come, and calls the function only where there are
//! some. The function checks again, so crawlers that saw the same site do not disturb each other.

use std::sync::atomic::Ordering;
use std::time::Duration;

use futures::future::join_all;

use super::{IN_FLIGHT, RedisStore, function, pack};
use crate::schedule::Next;
use crate::store::short::long;
use crate::store::{BUCKETS, Claim, StoreError, StoreResult};
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;

impl RedisStore {
    /// Claims up to `most` URLs, at most one per site, beginning where the last call ended.
    pub(super) async fn claim_urls(
        &self,
        now: Timestamp,
        lease: Duration,
        most: usize,
    ) -> StoreResult<Vec<Claim>> {
        let mut claims = Vec::new();
        if most == 0 {
            return Ok(claims);
        }
        let mut buckets = self.buckets().await?;
        let start = self.shared.next_bucket.load(Ordering::Relaxed);
        let first = buckets.partition_point(|bucket| *bucket < start);
        buckets.rotate_left(first);
        for part in buckets.chunks(IN_FLIGHT) {
            let found = self.claimable(part, now, most - claims.len()).await;
            let found = match found {
                Err(error) if claims.is_empty() => return Err(error),
                other => other.unwrap_or_default(),
            };
            if let Some((last, _)) = found.last() {
                self.shared.next_bucket.store((last + 1) % BUCKETS, Ordering::Relaxed);
            }
            let calls = found.iter().map(|(bucket, sites)| self.claim_in(*bucket, sites, now, lease));
            let mut failed = None;
            for answer in join_all(calls).await {
                match answer {
                    Ok(taken) => claims.extend(taken),
                    Err(error) => failed = Some(error),
                }
            }
            match failed {
                Some(error) if claims.is_empty() => return Err(error),
                // One missing answer is no reason to give up the claims in other buckets.
                Some(error) => tracing::warn!(%error, "a claim in one bucket failed"),
                None => {}
            }
            if claims.len() >= most {
                break;
            }
        }
        Ok(claims)
    }

    /// At most `most` sites whose time has come, by bucket, the longest waiting first.
    async fn claimable(
        &self,
        buckets: &[u16],
        now: Timestamp,
        most: usize,
    ) -> StoreResult<Vec<(u16, Vec<Site>)>> {
        let names: Vec<Vec<String>> = self
            .each(buckets, |bucket| {
                let mut ask = redis::cmd("ZRANGEBYSCORE");
                ask.arg(self.keys().sites(*bucket)).arg("-inf").arg(pack::millis(now.0));
                ask.arg("LIMIT").arg(0).arg(most);
                ask
            })
            .await?;
        let mut left = most;
        let mut found = Vec::new();
        for (bucket, names) in buckets.iter().zip(names) {
            let sites: Vec<Site> =
                names.iter().take(left).map(|name| pack::site(name)).collect::<StoreResult<_>>()?;
            left -= sites.len();
            if !sites.is_empty() {
                found.push((*bucket, sites));
            }
        }
        Ok(found)
    }

    async fn claim_in(
        &self,
        bucket: u16,
        sites: &[Site],
        now: Timestamp,
        lease: Duration,
    ) -> StoreResult<Vec<Claim>> {
        let lease_until = Timestamp(pack::millis(now.plus(lease).0));
        let mut keys = vec![self.keys().sites(bucket)];
        sites.iter().for_each(|site| keys.extend(self.keys().claimed(site)));
        let mut call = function("nl2_claim", &keys);
        call.arg(pack::millis(now.0)).arg(lease_until.0);
        sites.iter().for_each(|site| {
            call.arg(site.as_str());
        });
        let reply: Vec<Vec<u8>> = self.connection().call(&call).await?;
        let (claims, rest) = reply.as_chunks::<7>();
        if !rest.is_empty() {
            return Err(StoreError::Corrupt("a broken answer to a claim".into()));
        }
        claims.iter().map(|parts| claimed(parts, lease_until)).collect()
    }
}

/// Reads a claim: site, URL, record, plan, due time, allowance, recent requests.
fn claimed(parts: &[Vec<u8>; 7], lease_until: Timestamp) -> StoreResult<Claim> {
    let text = |part: &Vec<u8>| {
        String::from_utf8(part.clone()).map_err(|_| StoreError::Corrupt("a claim that is not text".into()))
    };
    let [site, url, record, plan, due, allowance, recent] = parts;
    let site = text(site)?;
    let held = pack::entry(long(&site, &text(url)?)?, &text(record)?)?;
    let plan = pack::plan(Some(plan))?;
    Ok(Claim {
        site: pack::site(&site)?,
        url: held.url,
        depth: held.depth,
        why: held.why,
        hops: held.hops,
        was: Next { due: pack::time(&text(due)?)?, class: plan.class },
        fetch: held.fetch,
        attempts: held.attempts,
        lease_until,
        validators: held.validators,
        content: held.content,
        schedule: plan.schedule,
        allowance: pack::allowance(&text(allowance)?)?,
        recent: pack::number(&text(recent)?)?,
    })
}
