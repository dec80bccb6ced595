//! Claims from Redis.
//!
//! A claim asks the buckets to which [hints](super::turns) lead for sites whose time has come, and calls the
//! function only where there are some. The function checks again, so crawlers that saw the same site do not disturb
//! each other.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::future::join_all;

use super::turns::{AskedBucket, turn_text};
use super::{RedisStore, function, pack};
use crate::schedule::Next;
use crate::store::error::long;
use crate::store::{Claim, Claimed, StoreError, StoreResult};
use newslode_page::time::Timestamp;

/// A bucket that did not answer is asked again after this.
const UNANSWERED: Duration = Duration::from_secs(1);

/// The sites of a bucket with their turns, the first one first.
type Turns = Vec<(String, f64)>;

impl RedisStore {
    /// Claims up to `most` URLs, at most one per site.
    pub(super) async fn claim_urls(
        &self,
        now: Timestamp,
        lease: Duration,
        most: usize,
    ) -> StoreResult<Claimed> {
        let (mut claimed, mut asked) = (Claimed::default(), BTreeSet::new());
        while claimed.claims.len() < most {
            match self.claim_more(now, lease, most, &mut claimed, &mut asked).await {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) if claimed.claims.is_empty() => return Err(error),
                Err(error) => {
                    // One missing answer is no reason to give up the claims in other buckets.
                    tracing::warn!(%error, "cannot claim in one bucket; claiming in the others");
                    break;
                }
            }
        }
        Ok(claimed)
    }

    /// Follows the hints to buckets that were not asked yet. Returns whether there were some. A bucket is asked once: a
    /// site without a delay could be claimed again at once.
    async fn claim_more(
        &self,
        now: Timestamp,
        lease: Duration,
        most: usize,
        claimed: &mut Claimed,
        asked: &mut BTreeSet<u16>,
    ) -> StoreResult<bool> {
        let wanted = most - claimed.claims.len();
        let mut hints = self.read_hints(now, wanted + asked.len()).await?;
        if hints.must_sweep {
            self.sweep().await?;
            return Ok(true);
        }
        hints.due.retain(|(bucket, _)| asked.insert(*bucket));
        let answers = self.claim_from(&hints.due, now, lease, wanted).await?;
        let mut failed = None;
        let mut found = Vec::new();
        for ((bucket, hint), answer) in hints.due.into_iter().zip(answers) {
            let turn = match answer {
                Ok((claims, turn)) => {
                    claimed.claims.extend(claims);
                    turn
                }
                Err(error) => {
                    failed = Some(error);
                    pack::millis(now.plus(UNANSWERED).0).to_string()
                }
            };
            found.push(AskedBucket { bucket, hint, turn });
        }
        self.correct(&found).await?;
        let turns = found.iter().map(AskedBucket::turn).collect::<StoreResult<Vec<_>>>()?;
        claimed.next = turns.into_iter().flatten().chain(hints.later).min();
        failed.map_or(Ok(!found.is_empty()), Err)
    }

    /// Claims up to `most` URLs from buckets. Each answer also holds the bucket's first turn.
    async fn claim_from(
        &self,
        buckets: &[(u16, String)],
        now: Timestamp,
        lease: Duration,
        most: usize,
    ) -> StoreResult<Vec<StoreResult<(Vec<Claim>, String)>>> {
        let turns: Vec<Turns> = self
            .each(buckets, |(bucket, _)| {
                let mut ask = redis::cmd("ZRANGE");
                ask.arg(self.keys().sites(*bucket)).arg(0).arg(most.saturating_sub(1)).arg("WITHSCORES");
                ask
            })
            .await?;
        let mut left = most;
        let calls = buckets.iter().zip(&turns).map(|((bucket, _), turns)| {
            let due = turns.iter().take_while(|(_, turn)| *turn <= now.0 as f64).take(left);
            let sites: Vec<&str> = due.map(|(site, _)| site.as_str()).collect();
            left -= sites.len();
            self.claim_in(*bucket, sites, turns, now, lease)
        });
        Ok(join_all(calls.collect::<Vec<_>>()).await)
    }

    /// Claims of these sites of a bucket. Returns the bucket's first turn, too.
    async fn claim_in(
        &self,
        bucket: u16,
        sites: Vec<&str>,
        turns: &Turns,
        now: Timestamp,
        lease: Duration,
    ) -> StoreResult<(Vec<Claim>, String)> {
        if sites.is_empty() {
            return Ok((Vec::new(), turn_text(turns.first().map(|(_, turn)| *turn))));
        }
        let lease_until = Timestamp(pack::millis(now.plus(lease).0));
        let mut keys = vec![self.keys().sites(bucket)];
        for site in &sites {
            keys.extend(self.keys().claimed(&pack::site(site)?));
        }
        let mut call = function("nl2_claim", &keys);
        call.arg(pack::millis(now.0)).arg(lease_until.0).arg(sites);
        let mut reply: Vec<Vec<u8>> = self.connection().call(&call).await?;
        let turn = reply.pop().and_then(|turn| String::from_utf8(turn).ok());
        let (claims, []) = reply.as_chunks::<7>() else {
            return Err(StoreError::Corrupt("the answer to a claim has an unexpected shape".into()));
        };
        let claims = claims.iter().map(|parts| claimed(parts, lease_until)).collect::<StoreResult<_>>()?;
        Ok((claims, turn.unwrap_or_default()))
    }
}

/// Reads a claim: site, URL, record, plan, due time, allowance, recent requests.
fn claimed(parts: &[Vec<u8>; 7], lease_until: Timestamp) -> StoreResult<Claim> {
    let text = |part: &Vec<u8>| {
        String::from_utf8(part.clone())
            .map_err(|_| StoreError::Corrupt("the answer to a claim is not text".into()))
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
