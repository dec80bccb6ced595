//! The frontier in Redis. One sorted set per bucket says when each site may be claimed; six sorted sets per
//! site do so for its URLs: one for each class, and one for claimed URLs.
//! [`claims`](super::claims) hands the URLs out.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use futures::stream::{StreamExt, TryStreamExt};

use super::{IN_FLIGHT, RedisStore, function, pack};
use crate::message::wire;
use crate::outcome::Outcome;
use crate::schedule::{Allowance, Next, PageSchedule, SiteSchedule, name};
use crate::store::error::long;
use crate::store::{
    Added, Again, Claim, Claimed, Completed, Completion, Entry, Frontier, NewUrl, Note, Pace, SiteSettings,
    SiteStatus, StoreError, StoreResult, Validators, bucket,
};
use newslode_page::reading::short::short_url;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

/// Members of a sorted set with their scores. A map could not be read from RESP3, which sends pairs.
type Scores = Vec<(String, String)>;

/// A record, its plan, its due time and the end of its lease, as Redis returns them.
type EntryFields = (Option<String>, Option<Vec<u8>>, Option<String>, Option<String>);

#[async_trait]
impl Frontier for RedisStore {
    async fn put_site(&self, site: &Site, settings: &SiteSettings) -> StoreResult<()> {
        self.announce(site).await?;
        let labels = serde_json::to_string(&settings.labels)
            .map_err(|error| StoreError::Corrupt(format!("labels of `{site}`: {error}")))?;
        let mut call = function("nl2_put_site", &self.keys().frontier(site));
        call.arg(site.as_str()).arg(settings.max_pages).arg(settings.max_depth);
        call.arg(pack::millis(settings.delay_ms)).arg(u8::from(settings.paused)).arg(labels);
        let turn: String = self.connection().call(&call).await?;
        self.hint(site, &turn).await
    }

    async fn site(&self, site: &Site) -> StoreResult<Option<SiteSettings>> {
        let meta: BTreeMap<String, String> =
            self.connection().call(redis::cmd("HGETALL").arg(self.keys().meta(site))).await?;
        settings(&meta)
    }

    async fn remove_site(&self, site: &Site) -> StoreResult<()> {
        let mut call = function("nl2_remove_site", &self.keys().frontier(site));
        self.connection().call(call.arg(site.as_str())).await
    }

    async fn add(&self, urls: &[NewUrl], now: Timestamp) -> StoreResult<Added> {
        let mut by_site: BTreeMap<Site, Vec<&NewUrl>> = BTreeMap::new();
        for url in urls {
            by_site.entry(url.url.site()).or_default().push(url);
        }
        let mut added = Added::default();
        for (site, urls) in by_site {
            let part = self.add_to(&site, &urls, now).await?;
            added.new += part.new;
            added.known += part.known;
            added.over_budget += part.over_budget;
            added.too_deep += part.too_deep;
            added.unknown_site += part.unknown_site;
            added.promoted.extend(part.promoted);
        }
        Ok(added)
    }

    async fn claim(&self, now: Timestamp, lease: Duration, most: usize) -> StoreResult<Claimed> {
        self.claim_urls(now, lease, most).await
    }

    async fn complete(
        &self,
        claim: &Claim,
        completion: Completion,
        now: Timestamp,
    ) -> StoreResult<Completed> {
        let mut call = function("nl2_complete", &self.keys().frontier(&claim.site));
        call.arg(claim.site.as_str())
            .arg(short_url(claim.site.as_str(), &claim.url).as_ref())
            .arg(claim.fetch);
        call.arg(pack::millis(claim.lease_until.0)).arg(pack::millis(now.0));
        let time =
            |time: Option<Timestamp>| time.map(|time| pack::millis(time.0).to_string()).unwrap_or_default();
        match completion {
            Completion::Done { outcome, content, validators, next, schedule } => {
                let keep = content.is_none() && outcome == Outcome::Unchanged;
                call.arg("done").arg(outcome.name());
                call.arg(content.map_or("-".to_owned(), |content| content.to_string())).arg(u8::from(keep));
                call.arg(pack::validators_text(&validators));
                next_args(&mut call, next, schedule.as_ref())?
            }
            Completion::Skipped { next, schedule } => {
                call.arg("skipped");
                next_args(&mut call, next, schedule.as_ref())?
            }
            Completion::Retry { due, counts, rest_site_until } => {
                call.arg("retry").arg(time(Some(due))).arg(u8::from(counts)).arg(time(rest_site_until))
            }
            Completion::Released => call.arg("released"),
        };
        call.arg(name_bytes(&claim.url));
        let (recorded, turn): (bool, String) = self.connection().call(&call).await?;
        self.hint(&claim.site, &turn).await?;
        Ok(if recorded { Completed::Recorded } else { Completed::Lost })
    }

    async fn raise_delay(&self, site: &Site, delay: Duration) -> StoreResult<()> {
        let delay = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        let mut call = function("nl2_raise_delay", &self.keys().frontier(site));
        self.connection().call(call.arg(site.as_str()).arg(pack::millis(delay))).await
    }

    async fn schedule(&self, site: &Site) -> StoreResult<(SiteSchedule, u64)> {
        let call = function("nl2_schedule", &self.keys().frontier(site));
        let (held, bytes): (Option<String>, Option<Vec<u8>>) = self.connection().call(&call).await?;
        let (Some(held), Some(bytes)) = (held, bytes) else { return Ok((SiteSchedule::default(), 0)) };
        let broken =
            |error: wire::WireError| StoreError::Corrupt(format!("the schedule of `{site}`: {error}"));
        Ok((wire::decode_without_last(&bytes).map_err(broken)?, pack::number(&held)?))
    }

    async fn put_schedule(
        &self,
        site: &Site,
        schedule: &SiteSchedule,
        expected: u64,
        pace: Pace,
        now: Timestamp,
    ) -> StoreResult<bool> {
        let bytes = wire::encode(schedule).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        let mut call = function("nl2_put_schedule", &self.keys().frontier(site));
        call.arg(site.as_str()).arg(expected).arg(bytes);
        call.arg(pace.per_day.map(|per_day| per_day.to_string()).unwrap_or_default());
        call.arg(pack::millis(pace.delay_ms)).arg(pack::millis(now.0));
        let rest = pace.rest_until.map(|until| pack::millis(until.0).to_string());
        call.arg(rest.unwrap_or_default()).arg(pace.beside_claims);
        let (put, turn): (bool, String) = self.connection().call(&call).await?;
        self.hint(site, &turn).await?;
        Ok(put)
    }

    async fn note(&self, note: &Note) -> StoreResult<bool> {
        let site = note.url.site();
        let mut call = function("nl2_note", &self.keys().frontier(&site));
        call.arg(site.as_str()).arg(short_url(site.as_str(), &note.url).as_ref()).arg(note.fetch);
        next_args(&mut call, note.next, Some(&note.schedule))?;
        call.arg(pack::millis(note.at.0)).arg(name_bytes(&note.url));
        let (noted, turn): (bool, String) = self.connection().call(&call).await?;
        self.hint(&site, &turn).await?;
        Ok(noted)
    }

    async fn forget_url(&self, url: &CanonicalUrl) -> StoreResult<bool> {
        let site = url.site();
        let mut call = function("nl2_forget_url", &self.keys().frontier(&site));
        call.arg(site.as_str()).arg(short_url(site.as_str(), url).as_ref()).arg(name_bytes(url));
        self.connection().call(&call).await
    }

    async fn left(&self, url: &CanonicalUrl, now: Timestamp) -> StoreResult<Option<u32>> {
        let mut call = function("nl2_left", &self.keys().frontier(&url.site()));
        let day: i64 = self.connection().call(call.arg(name_bytes(url)).arg(pack::millis(now.0))).await?;
        Ok(u32::try_from(day).ok())
    }

    async fn entry(&self, url: &CanonicalUrl) -> StoreResult<Option<Entry>> {
        let site = url.site();
        let mut call = function("nl2_entry", &self.keys().frontier(&site));
        let (record, plan, due, lease): EntryFields =
            self.connection().call(call.arg(short_url(site.as_str(), url).as_ref())).await?;
        record
            .map(|record| entry(url.clone(), &record, plan.as_deref(), due.as_deref(), lease.as_deref()))
            .transpose()
    }

    async fn entries(&self, site: &Site) -> StoreResult<Vec<Entry>> {
        let call = function("nl2_entries", &self.keys().frontier(site));
        let (records, plans, due, leases): (
            BTreeMap<String, String>,
            BTreeMap<String, Vec<u8>>,
            Scores,
            Scores,
        ) = self.connection().call(&call).await?;
        let [due, leases] = [due, leases].map(BTreeMap::from_iter);
        let entries = records
            .iter()
            .map(|(url, record)| {
                let (due, lease) = (due.get(url).map(String::as_str), leases.get(url).map(String::as_str));
                entry(long(site.as_str(), url)?, record, plans.get(url).map(Vec::as_slice), due, lease)
            })
            .collect::<StoreResult<Vec<_>>>();
        let mut entries = entries?;
        entries.sort_unstable_by(|one, other| one.url.cmp(&other.url));
        Ok(entries)
    }

    async fn status(&self) -> StoreResult<Vec<SiteStatus>> {
        let mut sites = self.known_sites().await?;
        sites.sort_unstable();
        let all: Vec<Option<SiteStatus>> = futures::stream::iter(sites)
            .map(|site| async move { self.status_of(site).await })
            .buffered(IN_FLIGHT)
            .try_collect()
            .await?;
        Ok(all.into_iter().flatten().collect())
    }

    async fn release_leases(&self, now: Timestamp) -> StoreResult<u64> {
        let sites = self.known_sites().await?;
        let released: Vec<(u64, String)> = self
            .each(&sites, |site| {
                let mut call = function("nl2_release_leases", &self.keys().frontier(site));
                call.arg(site.as_str()).arg(pack::millis(now.0));
                call
            })
            .await?;
        let turns = sites.iter().zip(&released).map(|(site, (_, turn))| (bucket(site), turn.as_str()));
        self.hint_all(turns).await?;
        Ok(released.iter().map(|(urls, _)| urls).sum())
    }
}

impl RedisStore {
    async fn add_to(&self, site: &Site, urls: &[&NewUrl], now: Timestamp) -> StoreResult<Added> {
        let mut call = function("nl2_add", &self.keys().frontier(site));
        call.arg(site.as_str()).arg(pack::millis(now.0));
        call.arg(pack::validators_text(&Validators::default()));
        for url in urls {
            call.arg(short_url(site.as_str(), &url.url).as_ref())
                .arg(url.depth)
                .arg(pack::why_code(url.why))
                .arg(url.hops)
                .arg(url.class.number())
                .arg(again(url.again))
                .arg(pack::schedule_bytes(url.schedule.as_ref())?)
                .arg(name_bytes(&url.url));
        }
        let reply: Vec<String> = self.connection().call(&call).await?;
        let Some((counts, promoted)) = reply.split_first_chunk::<6>() else {
            return Err(StoreError::Corrupt("the answer to added URLs is too short".into()));
        };
        let [new, known, over_budget, too_deep, unknown_site, turn] = counts;
        self.hint(site, turn).await?;
        Ok(Added {
            new: pack::number(new)?,
            known: pack::number(known)?,
            over_budget: pack::number(over_budget)?,
            too_deep: pack::number(too_deep)?,
            unknown_site: pack::number(unknown_site)?,
            promoted: promoted.iter().map(|url| long(site.as_str(), url)).collect::<StoreResult<_>>()?,
        })
    }

    /// All sites that a seed named.
    async fn known_sites(&self) -> StoreResult<Vec<Site>> {
        let buckets = self.all_buckets().await?;
        let names: Vec<Vec<String>> = self
            .each(&buckets, |bucket| {
                let mut ask = redis::cmd("ZRANGE");
                ask.arg(self.keys().sites(*bucket)).arg(0).arg(-1);
                ask
            })
            .await?;
        let used = buckets.iter().zip(&names).filter(|(_, names)| !names.is_empty());
        self.list_again(used.map(|(bucket, _)| *bucket)).await?;
        names.iter().flatten().map(|name| pack::site(name)).collect()
    }

    /// The status of a site; `None` if it was removed meanwhile.
    async fn status_of(&self, site: Site) -> StoreResult<Option<SiteStatus>> {
        let mut call = function("nl2_status", &self.keys().frontier(&site));
        type Reply = (BTreeMap<String, String>, u64, u64, u64, String, String, BTreeMap<String, u64>, u64);
        let (meta, urls, pending, leased, first, ready, tally, remembered): Reply =
            self.connection().call(call.arg(site.as_str())).await?;
        let time =
            |text: &str| Some(text).filter(|text| !matches!(*text, "" | "inf")).map(pack::time).transpose();
        let Some(settings) = settings(&meta)? else { return Ok(None) };
        Ok(Some(SiteStatus {
            turn: turn(&meta, settings.delay_ms)?,
            settings,
            urls,
            remembered,
            pending,
            leased,
            next_due: time(&first)?,
            ready: time(&ready)?,
            allowance: allowance_of(&meta)?,
            outcomes: tally
                .into_iter()
                .map(|(name, urls)| Ok((pack::outcome(&name)?, urls)))
                .collect::<StoreResult<_>>()?,
            site,
        }))
    }
}

fn entry(
    url: CanonicalUrl,
    record: &str,
    plan: Option<&[u8]>,
    due: Option<&str>,
    lease: Option<&str>,
) -> StoreResult<Entry> {
    let due = due.or(lease).map(pack::time).transpose()?;
    let pack::Plan { class, seen, schedule } = pack::plan(plan)?;
    Ok(Entry { due, leased: lease.is_some(), class, seen, schedule, ..pack::entry(url, record)? })
}

/// Adds the arguments of a next visit: due time, class, and what is known of the URL.
fn next_args<'c>(
    call: &'c mut redis::Cmd,
    next: Option<Next>,
    schedule: Option<&PageSchedule>,
) -> StoreResult<&'c mut redis::Cmd> {
    call.arg(next.map(|next| pack::millis(next.due.0).to_string()).unwrap_or_default());
    call.arg(next.map(|next| next.class.number().to_string()).unwrap_or_default());
    Ok(call.arg(pack::schedule_bytes(schedule)?))
}

/// The name under which a URL is remembered once it has left.
fn name_bytes(url: &CanonicalUrl) -> Vec<u8> {
    name(url.as_str()).to_be_bytes().to_vec()
}

/// When a known URL is asked for again, as the function `add` takes it.
fn again(again: Again) -> String {
    match again {
        Again::Never => "-".into(),
        Again::IfFetchedBefore(time) => pack::millis(time.0).to_string(),
        Again::Now => "now".into(),
    }
}

/// Reads the allowance from a site's hash.
fn allowance_of(meta: &BTreeMap<String, String>) -> StoreResult<Option<Allowance>> {
    let fields = ["per_day", "milli", "at"].map(|name| meta.get(name).map(String::as_str));
    match fields {
        [Some(per_day), Some(milli), Some(at)] => pack::allowance(&format!("{per_day} {milli} {at}")),
        _ => Ok(None),
    }
}

/// Reads settings from a site's hash. The delay is the larger one of the seed's and robots.txt's.
fn settings(meta: &BTreeMap<String, String>) -> StoreResult<Option<SiteSettings>> {
    let field = |name: &str| meta.get(name).map_or("0", String::as_str);
    if !meta.contains_key("max_pages") {
        return Ok(None);
    }
    let labels = serde_json::from_str(field("labels"))
        .map_err(|error| StoreError::Corrupt(format!("the labels of a site: {error}")))?;
    Ok(Some(SiteSettings {
        max_pages: pack::number(field("max_pages"))?,
        max_depth: pack::number(field("max_depth"))?,
        delay_ms: pack::number::<u64>(field("delay_ms"))?.max(pack::number(field("floor_ms"))?),
        paused: field("paused") == "1",
        labels,
    }))
}

/// The earliest time to claim the site; as `settings` in `waiting.lua`.
fn turn(meta: &BTreeMap<String, String>, delay_ms: u64) -> StoreResult<Timestamp> {
    let rest: u64 = meta.get("rest").map_or(Ok(0), |text| pack::number(text))?;
    let slow: u64 = meta.get("slow_ms").map_or(Ok(0), |text| pack::number(text))?;
    let last: Option<u64> = meta.get("last").map(|text| pack::number(text)).transpose()?;
    Ok(Timestamp(rest.max(last.map_or(0, |last| last.saturating_add(delay_ms.max(slow))))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_turn_is_the_later_of_rest_and_delay() {
        let meta = |fields: &[(&str, &str)]| {
            fields.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
        };
        assert_eq!(turn(&meta(&[]), 500).unwrap(), Timestamp(0));
        assert_eq!(turn(&meta(&[("last", "1000")]), 500).unwrap(), Timestamp(1500));
        assert_eq!(turn(&meta(&[("last", "1000"), ("rest", "9000")]), 500).unwrap(), Timestamp(9000));
    }
}
