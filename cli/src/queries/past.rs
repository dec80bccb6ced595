//! How much of the past that an operator asked for was read: by day, or by month if the window is long.
//!
//! An article is listed on the day that a sitemap, an archive or another dated list says; it is read if the page that came was an
//! article. The counts are taken from the frontier's records, which the pages of the past keep, so they do not depend on how often a run was
//! stopped and continued. Start at [`coverage`] for a run, and at [`SitePast::of`] for one site.

use std::collections::BTreeMap;

use newslode_common::schedule::past::{SourceKind, Tally};
use newslode_common::schedule::{Days, Past, PastRead, Role, SiteSchedule};
use newslode_common::store::{Entry, Frontier, StoreResult};
use newslode_common::time;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use serde::Serialize;

/// A longer window is told by month.
const MOST_DAYS: u32 = 45;

/// How much was read of the past of all sites.
#[derive(Debug, Serialize)]
pub(crate) struct Coverage {
    pub(crate) since: String,
    pub(crate) until: String,
    pub(crate) listed: u64,
    pub(crate) read: u64,
    /// Read by listed; nothing if nothing is listed.
    pub(crate) share: Option<f64>,
    /// Whether nothing is left to ask for.
    pub(crate) complete: bool,
    pub(crate) sites: Vec<SiteCoverage>,
}

/// How much was read of the past of a site.
#[derive(Debug, Default, Serialize)]
pub(crate) struct SiteCoverage {
    pub(crate) site: String,
    pub(crate) listed: u64,
    pub(crate) read: u64,
    /// Articles that are listed and wait to be asked for.
    pub(crate) waiting: u64,
    /// Pages that came, or did not come, and are no articles.
    pub(crate) no_article: u64,
    /// Articles that sources list without a day. They are not asked for.
    pub(crate) undated: u64,
    /// Articles that the budget (`--max-pages`) refused. They are listed.
    pub(crate) over_budget: u64,
    /// Sources that have not answered yet.
    pub(crate) unanswered: usize,
    /// Sources that were not read yet.
    pub(crate) unread_sources: usize,
    pub(crate) complete: bool,
    pub(crate) sources: BTreeMap<SourceKind, Tally>,
    /// By day, or by month if the window is long; the newest first.
    pub(crate) periods: Vec<Period>,
}

/// The past of one site, whoever asked for it.
#[derive(Debug, Serialize)]
pub(crate) struct SitePast {
    pub(crate) since: String,
    pub(crate) until: String,
    #[serde(flatten)]
    pub(crate) coverage: SiteCoverage,
}

/// Counts of a day or a month.
#[derive(Debug, Serialize)]
pub(crate) struct Period {
    /// `2024-05-17` or `2024-05`.
    pub(crate) period: String,
    pub(crate) listed: u64,
    pub(crate) read: u64,
}

/// Counts what was read of the past that was asked for of all sites. `None`: nothing was.
///
/// # Errors
/// When the store fails.
pub(crate) async fn coverage(frontier: &dyn Frontier, window: Days) -> StoreResult<Option<Coverage>> {
    let mut sites = Vec::new();
    for status in frontier.status().await? {
        let (schedule, _) = frontier.schedule(&status.site).await?;
        let Some(past) = schedule.past().filter(|past| past.window() == window) else { continue };
        let entries = frontier.entries(&status.site).await?;
        sites.push(SiteCoverage { site: status.site.to_string(), ..site_coverage(past, &entries, window) });
    }
    if sites.is_empty() {
        return Ok(None);
    }
    let (listed, read) =
        sites.iter().fold((0, 0), |(listed, read), site| (listed + site.listed, read + site.read));
    Ok(Some(Coverage {
        since: day_text(window.first),
        until: day_text(window.last),
        listed,
        read,
        share: share(read, listed),
        complete: sites.iter().all(|site| site.complete),
        sites,
    }))
}

impl SitePast {
    /// Counts what was read of a site's past. `None`: nobody asked for it.
    pub(crate) fn of(site: &Site, schedule: &SiteSchedule, entries: &[Entry]) -> Option<SitePast> {
        let past = schedule.past()?;
        let window = past.window();
        let coverage = SiteCoverage { site: site.to_string(), ..site_coverage(past, entries, window) };
        Some(SitePast { since: day_text(window.first), until: day_text(window.last), coverage })
    }

    /// The coverage in a sentence.
    pub(crate) fn in_words(&self) -> String {
        format!("from {} to {}: {}", self.since, self.until, self.coverage.parts().join("; "))
    }
}

/// The share of what is listed that was read.
pub(crate) fn share(read: u64, listed: u64) -> Option<f64> {
    (listed > 0).then(|| (read as f64 / listed as f64 * 1_000.0).round() / 1_000.0)
}

fn site_coverage(past: &Past, entries: &[Entry], window: Days) -> SiteCoverage {
    let periods = periods(window);
    let mut counts: BTreeMap<Days, (u64, u64)> = periods.iter().map(|(days, _)| (*days, (0, 0))).collect();
    let (mut waiting, mut no_article) = (0, 0);
    let mut found = SiteCoverage {
        undated: past.undated(),
        over_budget: past.refused().values().sum(),
        unanswered: past.unanswered(),
        unread_sources: past.open().count() - past.unanswered(),
        sources: past.tallies().clone(),
        ..SiteCoverage::default()
    };
    let mut count = |days: Days, listed: u64, read: u64| {
        found.listed += listed;
        found.read += read;
        // What is dated by its month counts for the period that holds its first day.
        let period = periods.iter().find(|(period, _)| period.contains(days.first));
        if let Some(count) = period.and_then(|(period, _)| counts.get_mut(period)) {
            *count = (count.0 + listed, count.1 + read);
        }
    };
    for entry in entries {
        let Some((days, read)) = listed(past, entry) else { continue };
        let Some(days) = days.and(window).filter(|_| read != PastRead::Moved) else { continue };
        count(days, 1, u64::from(read == PastRead::Article));
        waiting += u64::from(read == PastRead::Waits);
        no_article += u64::from(read == PastRead::NoArticle);
    }
    past.refused().into_iter().for_each(|(days, stories)| count(days, stories, 0));
    (found.waiting, found.no_article) = (waiting, no_article);
    found.complete = past.is_over() && found.waiting == 0;
    let period = |(days, name): &(Days, String)| {
        let (listed, read) = counts.get(days).copied().unwrap_or_default();
        Period { period: name.clone(), listed, read }
    };
    found.periods = periods.iter().map(period).collect();
    found
}

/// The days on which a page is listed, and what is known of it.
fn listed(past: &Past, entry: &Entry) -> Option<(Days, PastRead)> {
    let schedule = entry.schedule?;
    match schedule.role {
        Role::Past { days, read } => Some((days, read)),
        Role::Page => {
            let day = past.live_day(&entry.url)?;
            let is_article = schedule.visits.first.is_some();
            let read = match (is_article, schedule.is_told) {
                (true, _) => PastRead::Article,
                (false, true) => PastRead::NoArticle,
                (false, false) => PastRead::Waits,
            };
            Some((Days::one(day), read))
        }
        _ => None,
    }
}

/// The days or months of a window with their names, the newest first.
fn periods(window: Days) -> Vec<(Days, String)> {
    if window.count() > MOST_DAYS {
        let name = |month: Days| day_text(month.first).get(..7).unwrap_or_default().to_owned();
        return window.months().into_iter().map(|month| (month, name(month))).collect();
    }
    (window.first..=window.last).rev().map(|day| (Days::one(day), day_text(day))).collect()
}

pub(crate) fn day_text(day: u32) -> String {
    let text = time::iso(Timestamp(u64::from(day) * 86_400_000));
    text.split('T').next().unwrap_or_default().to_owned()
}

/// Words for sources of a kind.
fn kind_in_words(kind: SourceKind) -> &'static str {
    match kind {
        SourceKind::Overview => "overviews",
        SourceKind::Map => "sitemaps",
        SourceKind::Archive => "archives of months or days",
        SourceKind::Page => "pages of lists",
    }
}

impl Coverage {
    /// The coverage as text: a table, and a paragraph for each site.
    pub(crate) fn in_words(&self) -> String {
        let mut text = format!("the past from {} to {}, as dated sources list it:\n", self.since, self.until);
        let line = |name: &str, listed: u64, read: u64| {
            let share = share(read, listed).map_or("-".to_owned(), |share| format!("{share:.3}"));
            format!("  {name:<10} {listed:>8} listed {read:>8} read  {share}\n")
        };
        let mut sums: Vec<(&str, u64, u64)> = Vec::new();
        for site in &self.sites {
            for (place, period) in site.periods.iter().enumerate() {
                match sums.get_mut(place) {
                    Some(sum) => (sum.1, sum.2) = (sum.1 + period.listed, sum.2 + period.read),
                    None => sums.push((&period.period, period.listed, period.read)),
                }
            }
        }
        sums.iter().for_each(|(name, listed, read)| text.push_str(&line(name, *listed, *read)));
        text.push_str(&line("total", self.listed, self.read));
        self.sites.iter().for_each(|site| text.push_str(&site.in_words()));
        text
    }
}

impl SiteCoverage {
    /// The parts of a sentence: articles read of those listed, the sources, and what is missing and why.
    fn parts(&self) -> Vec<String> {
        let read: Vec<String> = self
            .sources
            .iter()
            .filter(|(kind, tally)| **kind != SourceKind::Overview && tally.read > 0)
            .map(|(kind, tally)| format!("{} {}", tally.read, kind_in_words(*kind)))
            .collect();
        let sources = if read.is_empty() { "no dated source was found".to_owned() } else { read.join(", ") };
        let mut parts = vec![format!("{} of {} articles, from: {sources}", self.read, self.listed)];
        let mut count = |number: u64, what: &str| {
            if number > 0 {
                parts.push(format!("{number} {what}"));
            }
        };
        count(self.over_budget, "were refused by the budget of a day");
        count(self.waiting, "wait");
        count(self.no_article, "were not there or are no articles");
        count(self.undated, "are listed without a day and were not asked for");
        count(self.unread_sources as u64, "sources were not read yet");
        count(self.unanswered as u64, "sources did not answer");
        parts
    }

    fn in_words(&self) -> String {
        let mut text = format!("  {}: {}\n", self.site, self.parts().join("; "));
        if self.over_budget > 0 {
            text.push_str(&format!(
                "  {}: the budget of a day is spent, of which the past gets half; to continue, run the same command with a larger --max-pages, or tomorrow\n",
                self.site
            ));
        } else if !self.complete {
            text.push_str(&format!("  {}: run the same command again to continue\n", self.site));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_window_is_told_by_month() {
        let names = |first, count| {
            let periods = periods(Days { first, last: first + count - 1 });
            periods.into_iter().map(|(_, name)| name).collect::<Vec<_>>()
        };
        // 2024-04-30
        assert_eq!(names(19_843, 3), ["2024-05-02", "2024-05-01", "2024-04-30"]);
        assert_eq!(names(19_843, 46), ["2024-06", "2024-05", "2024-04"]);
    }
}
