//! Times that a clock wrote which was ahead.
//!
//! A machine's clock may have been days ahead while a run was worked on, and right at its next start. Then the last visits lie in the
//! future, and so does what follows from them: what is due, whose turn it is, until when a site rests, when it has tokens and room in
//! its budget. Each wait stays as long as it was, but begins now; no wait is longer than a rule can give. What that clock did not touch
//! keeps its time. Start at [`RedbStore::bring_back_times`].

use std::time::Duration;

use ::redb::ReadableTable as _;

use super::handle::RedbStore;
use super::index::{Index, SITES};
use super::records::{EntryRecord, SiteRecord, decode};
use crate::schedule::PageSchedule;
use crate::store::StoreResult;
use newslode_page::time::Timestamp;

/// A clock that shows an earlier time is wrong itself (2025-01-01), as on a machine that starts without one.
const EARLIEST: Timestamp = Timestamp(1_735_689_600_000);
/// No rule lets a site rest longer.
const LONGEST_REST: Duration = Duration::from_secs(86_400);

impl RedbStore {
    /// Brings back the times that a clock wrote which was ahead, so that sites are asked as if their last visits were now. `longest`: no
    /// page waits longer. Returns by how much that clock was ahead, as far as the sites tell; `None`: it was not, and nothing is
    /// changed. Only for an embedded engine at its start, after the leases are released.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn bring_back_times(&self, now: Timestamp, longest: Duration) -> StoreResult<Option<Duration>> {
        let sites = self.read(|transaction| {
            let mut sites = Vec::new();
            for pair in transaction.open_table(SITES)?.iter()? {
                let (name, bytes) = pair?;
                sites.push((name.value().to_owned(), last_noted(&decode(bytes.value())?)));
            }
            Ok(sites)
        });
        let sites = sites.await?;
        let last = sites.iter().map(|(_, noted)| *noted).max().unwrap_or_default();
        if last <= now || now < EARLIEST {
            return Ok(None);
        }
        // All sites in one transaction: it changes the times that show how far the clock was ahead.
        self.write(move |transaction| {
            let mut index = Index::open(transaction)?;
            sites.iter().try_for_each(|(site, _)| bring_back(&mut index, site, now, longest))
        })
        .await?;
        Ok(Some(now.until(last)))
    }
}

/// The last time that a site's record notes as past.
fn last_noted(record: &SiteRecord) -> Timestamp {
    let tokens = record.allowance.map(|allowance| allowance.at);
    [record.claimed, tokens].into_iter().flatten().fold(record.day_began, Timestamp::max)
}

fn bring_back(index: &mut Index<'_>, site: &str, now: Timestamp, longest: Duration) -> StoreResult<()> {
    let Some(mut record) = index.site(site)? else { return Ok(()) };
    let claimed = record.claimed.filter(|claimed| *claimed > now);
    for (url, old) in index.entries_of(site)? {
        let mut new = old.clone();
        new.due = old.due.map(|due| due_by_right_clock(&old, due, claimed, now, longest));
        new.seen = old.seen.map(|seen| seen.min(now));
        if let Some(schedule) = &mut new.schedule {
            schedule.bring_back(now);
        }
        if new != old {
            index.put(site, &url, Some(&old), &new)?;
        }
    }
    let (mut schedule, number) = index.schedule(site)?;
    let before = schedule.clone();
    schedule.bring_back(now);
    if schedule != before {
        index.put_schedule(site, &schedule, number + 1)?;
    }
    // A rest follows from a request.
    let rest = claimed.unwrap_or(now).until(record.rest_until).min(LONGEST_REST);
    record.rest_until = record.rest_until.min(now.plus(rest));
    record.claimed = record.claimed.map(|claimed| claimed.min(now));
    record.day_began = record.day_began.min(now);
    if let Some(allowance) = &mut record.allowance {
        allowance.at = allowance.at.min(now);
    }
    index.save(site, &mut record)
}

/// When a page is due. If the other clock noted anything of it, it waits for as long as it was to wait after that. `claimed`: when
/// that clock had the last request to its site.
fn due_by_right_clock(
    page: &EntryRecord,
    due: Timestamp,
    claimed: Option<Timestamp>,
    now: Timestamp,
    longest: Duration,
) -> Timestamp {
    if due <= now {
        return due;
    }
    let noted = page.schedule.as_ref().and_then(PageSchedule::last_noted).max(page.seen);
    let was_asked_for = page.outcome.is_some() || page.attempts > 0 || page.seen.is_some();
    let wait = match noted.filter(|noted| *noted > now) {
        Some(noted) => noted.until(due),
        // It was due when it was added.
        None if !was_asked_for => Duration::ZERO,
        // Nothing is noted of a page that is due once.
        None if page.schedule.is_none() => claimed.unwrap_or(now).until(due),
        None => now.until(due),
    };
    now.plus(wait.min(longest))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::outcome::Outcome;
    use crate::schedule::{Class, ListingKind, Next, Role, SiteSchedule, Trouble};
    use crate::store::{Claim, Completion, Frontier, NewUrl, Pace, SiteSettings, Validators, Why};
    use newslode_page::reading::{CanonicalUrl, Site};

    const NOW: Timestamp = Timestamp(1_800_000_000_000);
    const LEASE: Duration = Duration::from_secs(60);
    const LONGEST: Duration = Duration::from_secs(28 * 86_400);

    fn after(time: Timestamp, minutes: u64) -> Timestamp {
        time.plus(Duration::from_secs(60 * minutes))
    }

    fn url(path: &str) -> CanonicalUrl {
        format!("https://news.test/{path}").parse().unwrap()
    }

    fn site() -> Site {
        url("").site()
    }

    async fn add(store: &RedbStore, path: &str, schedule: Option<PageSchedule>, now: Timestamp) {
        let new = NewUrl { schedule, ..NewUrl::once(url(path), 1, Why::Link, 0) };
        assert_eq!(store.add(&[new], now).await.unwrap().new, 1);
    }

    async fn claim(store: &RedbStore, now: Timestamp) -> Claim {
        store.claim(now, LEASE, 1).await.unwrap().claims.pop().unwrap()
    }

    /// Adds and reads a page.
    async fn visit(store: &RedbStore, path: &str, mut page: PageSchedule, next: Next, now: Timestamp) {
        add(store, path, Some(page), now).await;
        let claim = claim(store, now).await;
        assert_eq!(claim.url, url(path));
        page.visited.note(now, Outcome::Fetched);
        let done = Completion::Done {
            outcome: Outcome::Fetched,
            content: None,
            validators: Validators::default(),
            next: Some(next),
            schedule: Some(page),
        };
        store.complete(&claim, done, now).await.unwrap();
    }

    /// A run whose clock was right at first, then five days ahead.
    async fn run_of_two_clocks(ahead: Timestamp) -> RedbStore {
        let store = RedbStore::in_memory().unwrap();
        let settings = SiteSettings {
            max_pages: 4,
            max_depth: 9,
            delay_ms: 1_000,
            paused: false,
            labels: BTreeMap::new(),
        };
        store.put_site(&site(), &settings).await.unwrap();
        let week = Next { due: after(NOW, 7 * 1_440), class: Class::Rest };
        visit(&store, "old", PageSchedule::page(None, NOW), week, NOW).await;

        let listing = Next { due: after(ahead, 10), class: Class::Listing };
        visit(&store, "", PageSchedule::of(Role::Listing(ListingKind::Front)), listing, ahead).await;
        let recheck = Next { due: after(ahead, 55), class: Class::Recheck };
        visit(&store, "article", PageSchedule::page(None, ahead), recheck, after(ahead, 1)).await;
        add(&store, "fails", None, after(ahead, 2)).await;
        let fails = claim(&store, after(ahead, 2)).await;
        let rest_site_until = Some(after(ahead, 7));
        let retry = Completion::Retry { due: after(ahead, 22), counts: true, rest_site_until };
        store.complete(&fails, retry, after(ahead, 2)).await.unwrap();
        add(&store, "new", Some(PageSchedule::page(None, after(ahead, 3))), after(ahead, 3)).await;
        let mut learnt = SiteSchedule::default();
        learnt.trouble(Trouble::Failing, 1, after(ahead, 3));
        learnt.confirm(None, true, after(ahead, 3));
        let pace = Pace { per_day: Some(40), ..Pace::default() };
        assert!(store.put_schedule(&site(), &learnt, 0, pace, after(ahead, 3)).await.unwrap());
        store
    }

    #[tokio::test]
    async fn a_run_whose_clock_was_days_ahead_goes_on_by_the_right_one() {
        let ahead = after(NOW, 5 * 1_440);
        let store = run_of_two_clocks(ahead).await;
        let asked = |claimed: crate::store::Claimed| claimed.claims.len();
        assert_eq!(
            asked(store.claim(after(NOW, 1_440), LEASE, 9).await.unwrap()),
            0,
            "it was quiet for days"
        );

        let was_ahead = store.bring_back_times(NOW, LONGEST).await.unwrap();
        assert_eq!(was_ahead, Some(NOW.until(after(ahead, 3))));
        let mut due = BTreeMap::new();
        for entry in store.entries(&site()).await.unwrap() {
            let path = entry.url.as_str().trim_start_matches("https://news.test/").to_owned();
            due.insert(path, NOW.until(entry.due.unwrap()).as_secs() / 60);
            assert!(entry.seen.is_none_or(|seen| seen <= NOW), "{entry:?}");
            assert!(entry.schedule.and_then(|page| page.last_noted()).is_none_or(|noted| noted <= NOW));
        }
        let wanted = [("", 10), ("article", 54), ("fails", 20), ("new", 0), ("old", 7 * 1_440)];
        assert_eq!(due, wanted.map(|(path, minutes)| (path.to_owned(), minutes)).into());
        let status = store.status().await.unwrap().remove(0);
        assert_eq!(status.turn, after(NOW, 5), "its rest is as long as it was to be");
        assert_eq!(status.ready, Some(status.turn));
        assert!(status.allowance.unwrap().at <= NOW, "tokens come again");
        assert_eq!(claim(&store, status.turn).await.url, url("new"));
        assert_eq!(store.bring_back_times(status.turn, LONGEST).await.unwrap(), None);
        // The budget of that day is spent; the next one begins a day from now.
        add(&store, "one more", None, after(NOW, 1_441)).await;
    }

    #[tokio::test]
    async fn a_clock_that_is_right_changes_nothing() {
        let ahead = after(NOW, 5 * 1_440);
        let store = run_of_two_clocks(ahead).await;
        let before = store.entries(&site()).await.unwrap();
        assert_eq!(store.bring_back_times(after(ahead, 3), LONGEST).await.unwrap(), None);
        // One that was never set knows nothing.
        assert_eq!(store.bring_back_times(Timestamp(86_400_000), LONGEST).await.unwrap(), None);
        assert_eq!(store.entries(&site()).await.unwrap(), before);
    }
}
