//! Asks for the past of sites: from when to when, and which lists are visited first.
//!
//! What is known of a site's past is part of its schedule ([`Past`](crate::schedule::Past)); a visit reads and continues it. Here it is
//! begun, or continued at a new start: sources that were lost between two calls of the store are added again. Start at [`ask_for`].

use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

use super::teach::teach;
use super::{Again, Entry, Frontier, NewUrl, StoreResult, Why};
use crate::schedule::past::Source;
use crate::schedule::{Class, Days, ListingKind, PageSchedule, Role, ScheduleConfig};

/// Links between a seed and what an operator asked for. It is no deeper for being found by way of many lists.
pub const DEPTH: u32 = 1;

/// Asks for what a site published on these days. What was read for the same days before is not read again.
///
/// # Errors
/// When the store fails.
pub async fn ask_for(
    frontier: &dyn Frontier,
    site: &Site,
    config: &ScheduleConfig,
    window: Days,
    now: Timestamp,
) -> StoreResult<()> {
    let entries = frontier.entries(site).await?;
    let role = |entry: &Entry| entry.schedule.map(|schedule| schedule.role);
    let listings = |kind: ListingKind| {
        let of_kind = |entry: &&Entry| role(entry) == Some(Role::Listing(kind));
        entries.iter().filter(of_kind).map(|entry| entry.url.clone()).collect::<Vec<_>>()
    };
    let fronts = listings(ListingKind::Front);
    let maps = [listings(ListingKind::Map), listings(ListingKind::NewsMap)].concat();
    let open = teach(frontier, site, config, now, |schedule| {
        let goes_on = schedule.ask_for(window);
        let Some(past) = schedule.past_mut() else { return Vec::new() };
        if !goes_on {
            for url in &fronts {
                past.meet(url, Source::Overview);
            }
            for url in &maps {
                past.meet(url, Source::Map);
            }
        }
        past.try_again();
        past.open().map(|open| open.url.clone()).collect()
    })
    .await?;
    start(frontier, &open, now).await
}

/// Makes lists of the past due. One that is visited anyway keeps its schedule, and is visited now.
///
/// # Errors
/// When the store fails.
pub async fn start(frontier: &dyn Frontier, urls: &[CanonicalUrl], now: Timestamp) -> StoreResult<()> {
    let mut new = Vec::with_capacity(urls.len());
    for url in urls {
        let held = frontier.entry(url).await?;
        let waits =
            held.as_ref().is_some_and(|entry| entry.leased || entry.due.is_some_and(|due| due <= now));
        let known = held.and_then(|entry| entry.schedule).filter(|schedule| schedule.role != Role::Archive);
        if waits {
            continue;
        }
        let class = if known.is_some() { Class::Listing } else { Class::Past };
        let schedule = known.unwrap_or_else(|| PageSchedule::of(Role::Archive));
        new.push(NewUrl {
            url: url.clone(),
            depth: DEPTH,
            why: Why::Link,
            hops: 0,
            class,
            again: Again::Now,
            schedule: Some(schedule),
        });
    }
    // Those that were met first are due first.
    let count = new.len() as u64;
    for (place, one) in new.iter().enumerate() {
        let due = Timestamp(now.0.saturating_sub(count - place as u64));
        frontier.add(std::slice::from_ref(one), due).await?;
    }
    Ok(())
}
