//! What becomes of a URL's record when it is added, claimed, completed, noted or released.

use super::index::Index;
use super::records::{EntryRecord, SiteRecord, url};
use crate::outcome::Outcome;
use crate::schedule::{Class, Next, name};
use crate::store::frontier::first_fetch;
use crate::store::{
    Added, Again, Claim, Completed, Completion, NewUrl, Note, StoreError, StoreResult, Validators,
};
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;

pub(super) fn add(
    index: &mut Index<'_>,
    site: &str,
    urls: &[NewUrl],
    now: Timestamp,
    added: &mut Added,
) -> StoreResult<()> {
    let Some(mut record) = index.site(site)? else {
        added.unknown_site += urls.len() as u64;
        return Ok(());
    };
    for new in urls {
        let name = name(new.url.as_str());
        if let Some(known) = index.entry(site, new.url.as_str())? {
            added.known += 1;
            if meet(index, &mut record, site, new, known, now)? {
                added.promoted.push(new.url.clone());
            }
        } else if new.again != Again::Now && index.show(site, name, now)? {
            added.known += 1;
        } else if new.depth > record.settings.max_depth {
            added.too_deep += 1;
        } else if !record.admits(new.class, now) {
            added.over_budget += 1;
        } else {
            index.put(site, new.url.as_str(), None, &fresh(new, now))?;
            record.remembered -= u64::from(index.forget(site, name)?);
            record.urls += 1;
            record.pending += 1;
            added.new += 1;
        }
    }
    index.save(site, &mut record)
}

fn fresh(new: &NewUrl, now: Timestamp) -> EntryRecord {
    EntryRecord {
        depth: new.depth,
        why: new.why,
        hops: new.hops,
        fetch: first_fetch(now),
        attempts: 0,
        due: Some(now),
        leased: false,
        class: new.class,
        seen: None,
        schedule: new.schedule,
        outcome: None,
        content: None,
        validators: Validators::default(),
    }
}

/// Takes over the smaller depth and the stronger reason, and whether the URL is asked for again. Returns true if
/// the page was fetched and its links deserve another look.
fn meet(
    index: &mut Index<'_>,
    record: &mut SiteRecord,
    site: &str,
    new: &NewUrl,
    known: EntryRecord,
    now: Timestamp,
) -> StoreResult<bool> {
    let mut better = known.clone();
    better.depth = known.depth.min(new.depth);
    better.why = known.why.max(new.why);
    let is_waiting = known.due.is_some();
    match new.again {
        Again::Now if !known.leased => {
            better.due = Some(now);
            better.attempts = 0;
            better.class = new.class;
            better.schedule = new.schedule;
        }
        Again::IfFetchedBefore(changed)
            if !known.leased && is_waiting && known.seen.is_some_and(|seen| seen < changed) =>
        {
            better.due = known.due.min(Some(now));
            better.class = Class::Recheck;
        }
        Again::Never | Again::Now | Again::IfFetchedBefore(_) => {}
    }
    record.pending += u64::from(better.due.is_some() && !is_waiting);
    if better != known {
        index.put(site, new.url.as_str(), Some(&known), &better)?;
    }
    Ok(new.why > known.why && known.content.is_some())
}

/// Claims the first URL of the site, if it is due.
pub(super) fn claim(
    index: &mut Index<'_>,
    site: &str,
    now: Timestamp,
    lease_until: Timestamp,
) -> StoreResult<Option<Claim>> {
    let broken = |what: &str| StoreError::Corrupt(format!("the frontier of `{site}` {what}"));
    let mut record = index.site(site)?.ok_or_else(|| broken("has a turn but no record"))?;
    let Some(text) = index.next(site, &record, now)? else {
        return Err(broken("has a turn but nothing to claim"));
    };
    let old = index.entry(site, &text)?.ok_or_else(|| broken("has something due without a record"))?;
    let new = EntryRecord { fetch: old.fetch + 1, due: Some(lease_until), leased: true, ..old.clone() };
    index.put(site, &text, Some(&old), &new)?;
    if !old.leased {
        record.pending = record.pending.saturating_sub(1);
        record.leased += 1;
    }
    record.claimed = Some(now);
    if let Some(allowance) = &mut record.allowance {
        allowance.take(now);
    }
    let recent = record.recent.count(now);
    index.save(site, &mut record)?;
    Ok(Some(Claim {
        url: url(&text)?,
        site: Site::of_host(site),
        depth: new.depth,
        why: new.why,
        hops: new.hops,
        fetch: new.fetch,
        attempts: new.attempts,
        lease_until,
        was: Next { due: old.due.unwrap_or(now), class: old.class },
        validators: new.validators,
        content: new.content,
        schedule: new.schedule,
        allowance: record.allowance,
        recent,
    }))
}

pub(super) fn complete(
    index: &mut Index<'_>,
    claim: &Claim,
    completion: &Completion,
    now: Timestamp,
) -> StoreResult<Completed> {
    let (site, page) = (claim.site.as_str(), claim.url.as_str());
    let (Some(mut record), Some(old)) = (index.site(site)?, index.entry(site, page)?) else {
        return Ok(Completed::Lost);
    };
    // Claim numbers start again after a site was removed. The end of the lease tells old claims from new
    // ones.
    if !old.leased || old.fetch != claim.fetch || old.due != Some(claim.lease_until) {
        return Ok(Completed::Lost);
    }
    let mut new = EntryRecord { leased: false, ..old.clone() };
    match completion {
        Completion::Done { outcome, content, validators, next, schedule } => {
            record.tally(old.outcome, *outcome);
            new.outcome = Some(*outcome);
            new.attempts = 0;
            wait(&mut new, *next);
            new.schedule = *schedule;
            if schedule.is_some() && matches!(outcome, Outcome::Fetched | Outcome::Unchanged) {
                new.seen = Some(now);
            }
            new.validators = validators.clone();
            let kept = old.content.filter(|_| *outcome == Outcome::Unchanged);
            new.content = content.or(kept);
        }
        Completion::Skipped { next, schedule } => {
            wait(&mut new, *next);
            new.schedule = *schedule;
            // No request was sent, so the next one need not wait for this one.
            record.claimed = None;
            if let Some(allowance) = &mut record.allowance {
                allowance.give_back();
            }
        }
        Completion::Retry { due, counts, rest_site_until } => {
            new.due = Some(*due);
            new.attempts = old.attempts.saturating_add(u32::from(*counts));
            record.rest_until = record.rest_until.max(rest_site_until.unwrap_or_default());
        }
        Completion::Released => new.due = Some(now),
    }
    record.leased = record.leased.saturating_sub(1);
    record.pending += u64::from(new.due.is_some());
    put_or_leave(index, &mut record, (site, page), &old, &new, now)?;
    index.save(site, &mut record)?;
    Ok(Completed::Recorded)
}

/// Writes a record, or lets a scheduled URL leave that is not asked for again.
fn put_or_leave(
    index: &mut Index<'_>,
    record: &mut SiteRecord,
    (site, page): (&str, &str),
    old: &EntryRecord,
    new: &EntryRecord,
    now: Timestamp,
) -> StoreResult<()> {
    if new.due.is_some() || new.schedule.is_none() {
        return index.put(site, page, Some(old), new);
    }
    index.take(site, page, old)?;
    let dropped = index.remember(site, name(page), now)?;
    record.urls = record.urls.saturating_sub(1);
    record.remembered = (record.remembered + 1).saturating_sub(dropped);
    Ok(())
}

/// Forgets a URL. Returns whether it was known.
pub(super) fn forget(index: &mut Index<'_>, site: &str, page: &str) -> StoreResult<bool> {
    let Some(mut record) = index.site(site)? else { return Ok(false) };
    let known = index.entry(site, page)?;
    if let Some(old) = &known {
        index.take(site, page, old)?;
        record.urls = record.urls.saturating_sub(1);
        record.leased = record.leased.saturating_sub(u64::from(old.leased));
        record.pending = record.pending.saturating_sub(u64::from(old.due.is_some() && !old.leased));
    }
    let is_remembered = index.forget(site, name(page))?;
    record.remembered = record.remembered.saturating_sub(u64::from(is_remembered));
    index.save(site, &mut record)?;
    Ok(known.is_some() || is_remembered)
}

fn wait(entry: &mut EntryRecord, next: Option<Next>) {
    entry.due = next.map(|next| next.due);
    entry.class = next.map_or(entry.class, |next| next.class);
}

pub(super) fn take_note(index: &mut Index<'_>, note: &Note) -> StoreResult<bool> {
    let (site, page) = (note.url.site(), note.url.as_str());
    let (Some(mut record), Some(old)) = (index.site(site.as_str())?, index.entry(site.as_str(), page)?)
    else {
        return Ok(false);
    };
    if old.leased || old.fetch != note.fetch {
        return Ok(false);
    }
    let mut new = EntryRecord { schedule: Some(note.schedule), ..old.clone() };
    wait(&mut new, note.next);
    record.pending = record.pending.saturating_sub(u64::from(old.due.is_some()));
    record.pending += u64::from(new.due.is_some());
    put_or_leave(index, &mut record, (site.as_str(), page), &old, &new, note.at)?;
    index.save(site.as_str(), &mut record)?;
    Ok(true)
}

pub(super) fn release(index: &mut Index<'_>, site: &str, page: &str, now: Timestamp) -> StoreResult<()> {
    let (Some(mut record), Some(old)) = (index.site(site)?, index.entry(site, page)?) else {
        return Err(StoreError::Corrupt(format!("`{page}` is leased but has no record")));
    };
    let new = EntryRecord { leased: false, due: Some(now), ..old.clone() };
    index.put(site, page, Some(&old), &new)?;
    record.leased = record.leased.saturating_sub(1);
    record.pending += 1;
    index.save(site, &mut record)
}
