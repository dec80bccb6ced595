//! How much of what a site's listings showed was read, day by day, and why the rest was not.
//!
//! Counted are pages that a listing showed as new, not those of its first visit. A page that turned out to be no
//! article counts in neither direction.

use std::collections::BTreeMap;

use newslode_common::outcome::Outcome;
use newslode_common::schedule::SiteSchedule;
use newslode_common::store::{Entry, Frontier};
use newslode_common::time;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use serde::Serialize;

use super::explain::unknown_site;

/// A page that waits for less than this is on its way, in milliseconds.
const ON_ITS_WAY: u64 = 3_600_000;

/// What became of the pages that listings showed on one day.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct DayCounts {
    /// Articles that were read.
    pub(crate) read: u64,
    /// Pages that are no articles.
    pub(crate) no_article: u64,
    /// Pages that wait or whose text is under way, for less than an hour.
    pub(crate) on_its_way: u64,
    /// Articles that were not read, or not yet, by reason.
    pub(crate) missed: BTreeMap<&'static str, u64>,
}

/// The days of sites on which their listings showed something: of this site, or of all; the last day is today.
///
/// # Errors
/// When the store fails or does not know the site.
pub(crate) async fn site_days(
    frontier: &dyn Frontier,
    site: Option<Site>,
    number_of_days: u32,
    now: Timestamp,
) -> anyhow::Result<Vec<SiteDay>> {
    let sites = match site {
        None => frontier.status().await?.into_iter().map(|status| status.site).collect(),
        Some(site) if frontier.site(&site).await?.is_none() => return Err(unknown_site(&site)),
        Some(site) => vec![site],
    };
    let mut found = Vec::new();
    for site in sites {
        let (schedule, _) = frontier.schedule(&site).await?;
        let days = count_days(&schedule, &frontier.entries(&site).await?, now);
        for ago in (0..number_of_days).rev() {
            let day = now.day().saturating_sub(ago);
            let row = SiteDay::new(&site, day, days.get(&day).cloned().unwrap_or_default(), &schedule);
            if !row.is_empty() {
                found.push(row);
            }
        }
    }
    Ok(found)
}

/// Sorts the pages that listings showed by day.
pub(crate) fn count_days(
    schedule: &SiteSchedule,
    entries: &[Entry],
    now: Timestamp,
) -> BTreeMap<u32, DayCounts> {
    let mut days: BTreeMap<u32, DayCounts> = BTreeMap::new();
    for entry in entries {
        let Some(known) = entry.schedule else { continue };
        let Some(shown_on) = known.shown_on() else { continue };
        let day = days.entry(shown_on).or_default();
        let is_young = now.0.saturating_sub(known.met * 1_000) < ON_ITS_WAY;
        match entry.outcome {
            _ if known.visits.first.is_some() => day.read += 1,
            Some(Outcome::NotHtml | Outcome::Empty) => day.no_article += 1,
            Some(Outcome::Fetched | Outcome::Unchanged) if known.is_told => day.no_article += 1,
            _ if is_young => day.on_its_way += 1,
            Some(Outcome::Fetched | Outcome::Unchanged) => *day.missed.entry(UNDER_WAY).or_default() += 1,
            Some(outcome) => *day.missed.entry(outcome.name()).or_default() += 1,
            None => *day.missed.entry(WAITS).or_default() += 1,
        }
    }
    // Pages that left the frontier unread have no entry any more; the site's schedule counted them.
    let today = now.day();
    for shown_on in today.saturating_sub(30)..=today {
        for (outcome, count) in schedule.missed().left(shown_on) {
            let day = days.entry(shown_on).or_default();
            match outcome {
                Outcome::NotHtml | Outcome::Empty => day.no_article += u64::from(count),
                _ => *day.missed.entry(outcome.name()).or_default() += u64::from(count),
            }
        }
    }
    days
}

/// The page was never requested: the site rests, or its allowance is spent on pages that go first.
const WAITS: &str = "not_asked_for";
/// The page was fetched, and the miner did not say yet what it is.
const UNDER_WAY: &str = "not_mined";

/// A site's day.
#[derive(Serialize)]
pub(crate) struct SiteDay {
    pub(crate) site: Site,
    /// ISO 8601, UTC.
    pub(crate) day: String,
    /// Pages that listings showed as new.
    pub(crate) shown: u64,
    #[serde(flatten)]
    pub(crate) of: DayCounts,
    /// Links to news that the page budget refused. What they lead to is not known, so all count as missed.
    pub(crate) refused_by_budget: u32,
    /// Share of the articles that was read, in thousandths; nothing if there were none.
    pub(crate) recall: Option<u64>,
}

impl SiteDay {
    fn new(site: &Site, day: u32, of: DayCounts, schedule: &SiteSchedule) -> SiteDay {
        let refused_by_budget = schedule.missed().refused(day);
        let missed = of.missed.values().sum::<u64>() + u64::from(refused_by_budget);
        let shown = of.read + of.no_article + of.on_its_way + missed;
        let recall = (of.read * 1_000).checked_div(of.read + missed);
        let at = Timestamp(u64::from(day) * 86_400_000);
        let day_text = time::iso(at).chars().take(10).collect();
        SiteDay { site: site.clone(), day: day_text, shown, of, refused_by_budget, recall }
    }

    fn is_empty(&self) -> bool {
        self.shown == 0 && self.refused_by_budget == 0
    }
}

#[cfg(test)]
mod tests {
    use newslode_common::schedule::{Class, ListingId, PageSchedule, ScheduleConfig};
    use newslode_common::store::{Validators, Why};

    use super::*;

    const NOW: Timestamp = Timestamp(1_700_000_000_000);

    fn entry(met: u64, outcome: Option<Outcome>, text: Option<Option<u64>>) -> Entry {
        let mut known = PageSchedule::page(Some(ListingId(7)), Timestamp(NOW.0 - met * 1_000));
        if let Some(text) = text {
            known.told(text, NOW, &ScheduleConfig::default());
        }
        Entry {
            url: "https://a.test/story".parse().unwrap(),
            depth: 1,
            why: Why::Link,
            hops: 0,
            fetch: 1,
            attempts: 0,
            due: Some(NOW),
            leased: false,
            class: Class::New,
            seen: None,
            schedule: Some(known),
            outcome,
            content: None,
            validators: Validators::default(),
        }
    }

    #[test]
    fn each_page_that_was_shown_is_read_or_has_a_reason() {
        let fetched = Some(Outcome::Fetched);
        let entries = [
            entry(7_200, fetched, Some(Some(5))),
            entry(7_200, fetched, Some(None)),
            entry(60, None, None),
            entry(7_200, None, None),
            entry(7_200, fetched, None),
            entry(7_200, Some(Outcome::Timeout), None),
        ];
        let mut schedule = SiteSchedule::default();
        schedule.leave_unread(NOW.day(), Outcome::Gone, NOW);
        schedule.leave_unread(NOW.day(), Outcome::NotHtml, NOW);
        schedule.refuse(3, NOW);
        let days = count_days(&schedule, &entries, NOW);
        let row = SiteDay::new(&Site::of_host("a.test"), NOW.day(), days[&NOW.day()].clone(), &schedule);
        assert_eq!((row.shown, row.of.read, row.of.no_article, row.of.on_its_way), (11, 1, 2, 1));
        let missed: Vec<_> = row.of.missed.clone().into_iter().collect();
        assert_eq!(missed, [("gone", 1), (WAITS, 1), (UNDER_WAY, 1), ("timeout", 1)]);
        assert_eq!(row.recall, Some(125), "one of eight: three links were refused");
        assert_eq!((row.day.as_str(), row.refused_by_budget), ("2023-11-14", 3));
    }
}
