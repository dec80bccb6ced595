//! What a site's visits have taught: its listings, how much it publishes, its troubles and its rhythm.
//!
//! One value a site, small enough to be read and written whole. Callers keep it
//! with a version, so that two who change it at once do not lose each other's change.

use std::collections::BTreeMap;

use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::allowance::MOST_PER_DAY;
use super::elsewhere::Elsewheres;
use super::listing::ARTICLE;
use super::origins::Origins;
use super::outcome::LISTING;
use super::output::ArticleDays;
use super::repeats::Repeats;
use super::rhythm::Rhythm;
use super::trouble::Troubles;
use super::vanished::VanishedArticles;
use super::{
    Allowance, AskedPace, Class, DAY, Days, Elsewhere, FeedHints, HOUR, Health, Listing, ListingId,
    ListingKind, MINUTE, MassVanishing, Missed, Next, Output, Past, RepeatedEvent, Rest, ScheduleConfig,
    Shown, Silence, Trouble, Vanished, at, name, seconds,
};
use crate::outcome::Outcome;

/// The rhythm of a listing is known after so many seconds; before, what it says of its pace may hasten its visits.
const LEARNT: u64 = 6 * HOUR;
/// A listing is visited the second time after this, in seconds.
const SECOND_VISIT: u64 = 5 * MINUTE;
/// A listing that is not found for this long leaves, in seconds.
const FORGET_ABSENT: u64 = 28 * DAY;
/// Time constant of how much a site publishes, in seconds: a half-life of seven days.
const PUBLISHING_MEMORY: u64 = 7 * DAY * 1_443 / 1_000;
/// What is assumed of a new site: 25 articles in six hours. It counts less and less, and nothing after two days.
const PUBLISHING_PRIOR: (u64, u64) = (25 * ARTICLE, 6 * HOUR);
/// See [`PUBLISHING_PRIOR`].
const PRIOR_FADES: u64 = 2 * DAY;
/// Maximum number of links from a site's unproven sections, all taken together, that are read with the news.
const UNPROVEN_LINKS: u64 = 40;
/// And at most one in this many of the URLs that the site may get in a day.
const UNPROVEN_SHARE: u64 = 10;
/// A site has too few listings if none has shown a new article for this long after its first one, in seconds,
const UNLISTED_FOR: u64 = 3 * DAY;
/// and so many new ones were read meanwhile.
const UNLISTED_ARTICLES: u64 = 5;
/// Intervals are stretched at most this many times while tokens are short.
const MOST_STRETCH: u64 = 10;

/// A site's schedule. Times are whole seconds since the epoch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteSchedule {
    listings: BTreeMap<ListingId, Listing>,
    /// Articles found within a day of their publication, in 2⁻¹⁶ of an article; fades.
    published: u64,
    /// For how long that was counted, in seconds; fades.
    counted: u64,
    counted_at: Option<u64>,
    troubles: Troubles,
    rhythm: Rhythm,
    missed: Missed,
    /// Least time between two requests that slow answers have taught, in milliseconds.
    slow_ms: u64,
    /// The days of the past that an operator asked for.
    past: Option<Past>,
    /// What its pages turned out to be.
    yields: Option<Yields>,
    /// Articles that were read before and that their addresses no longer show.
    vanished: Option<VanishedArticles>,
    /// What feeds say of their own pace.
    hints: Option<BTreeMap<ListingId, FeedHints>>,
    /// Listings that lead to another site.
    elsewhere: Option<Elsewheres>,
    /// The pace that it asks for.
    asked_pace: Option<AskedPace>,
    /// Articles by the day on which they were read.
    article_days: Option<ArticleDays>,
    /// What several of its addresses did lately.
    repeats: Option<Repeats>,
    /// Its origins that answer.
    origins: Option<Origins>,
}

/// What the pages of a site turned out to be, each at its first reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Yields {
    /// Articles, since this is counted.
    pub articles: u64,
    /// When the first and the last of them were read, in seconds since the epoch; 0: there was none.
    pub first: u64,
    /// See `first`.
    pub last: u64,
    /// Pages since the last article that are none, and no listings; counted up to [`MOST_OTHERS`].
    pub others: u32,
    /// Those of them that hold hardly any text.
    pub bare: u32,
    /// When the first of them was read, in seconds since the epoch.
    pub others_since: u64,
}

/// So many pages without an article are enough to say that a site yields none.
const ENOUGH_OTHERS: u32 = 30;
/// More are not counted.
const MOST_OTHERS: u32 = 99;

impl Yields {
    /// Whether pages are read, and none of the new ones is an article, for a day at least. `is_fresh`: the site never showed an
    /// article, so that nothing need be waited for.
    fn is_without_articles(&self, is_fresh: bool, now: u64) -> bool {
        let since = self.last.max(self.others_since);
        self.others >= ENOUGH_OTHERS && (is_fresh || now.saturating_sub(since) >= DAY)
    }

    /// Whether most pages that are no articles hold hardly any text, as those do that scripts fill.
    #[must_use]
    pub fn are_bare(&self) -> bool {
        self.bare * 2 > self.others
    }
}

impl SiteSchedule {
    /// Makes a listing known. Returns whether it is new.
    pub fn meet(&mut self, url: &CanonicalUrl, kind: ListingKind) -> bool {
        let id = ListingId::of(url);
        if self.listings.contains_key(&id) {
            return false;
        }
        self.listings.insert(id, Listing::new(url.clone(), kind));
        true
    }

    /// Forgets a listing.
    pub fn retire(&mut self, id: ListingId) {
        self.listings.remove(&id);
        self.hint(id, FeedHints::default());
        self.change_elsewhere(|elsewhere| elsewhere.forget(id));
    }

    /// Notes what a feed says of its own pace, instead of what it said before.
    pub fn hint(&mut self, id: ListingId, hints: FeedHints) {
        let mut known = self.hints.take().unwrap_or_default();
        if hints.is_empty() || !self.listings.contains_key(&id) {
            known.remove(&id);
        } else {
            known.insert(id, hints);
        }
        self.hints = Some(known).filter(|known| !known.is_empty());
    }

    /// What a feed says of its own pace, if it says something.
    #[must_use]
    pub fn hints(&self, id: ListingId) -> Option<&FeedHints> {
        self.hints.as_ref()?.get(&id)
    }

    /// A listing.
    #[must_use]
    pub fn listing(&self, id: ListingId) -> Option<&Listing> {
        self.listings.get(&id)
    }

    /// How many more links of [unproven](Listing::is_unproven) sections are read with the news; the others wait with the
    /// backlog. A site may link to sections without end that never show an article, so all of them share a few.
    /// `max_pages` is the site's budget of a day.
    #[must_use]
    pub fn unproven_links_left(&self, max_pages: u64) -> u64 {
        let unproven = self.listings.values().filter(|listing| listing.is_unproven() && !listing.is_junky());
        let shown: u64 = unproven.map(|listing| listing.shown).sum();
        (max_pages / UNPROVEN_SHARE).min(UNPROVEN_LINKS).saturating_sub(shown)
    }

    /// Notes a good visit of a listing. `shown` is nothing after a 304 or the same bytes.
    pub fn visit(
        &mut self,
        id: ListingId,
        shown: Option<Shown>,
        now: Timestamp,
        allowance: &Allowance,
        config: &ScheduleConfig,
    ) -> Next {
        self.end_troubles(now);
        let time = seconds(now);
        self.change_elsewhere(|elsewhere| elsewhere.visit(id, time));
        let Some(listing) = self.listings.get_mut(&id) else {
            return Next { due: at(time + config.longest_interval_s), class: Class::Listing };
        };
        self.origins.get_or_insert_default().note(listing.url.origin(), time);
        let passed = listing.last.map(|last| time.saturating_sub(last));
        listing.visit(time);
        if let Some(shown) = shown {
            listing.full = Some(time);
            listing.mark = shown.top;
        }
        listing.interval = listing.cheapest(config.request_price_s);
        let wait = match passed {
            None => self.second_visit(id, config),
            Some(passed) => self.interval(id, passed, shown.unwrap_or_default(), allowance, now, config),
        };
        // What is new now cannot have been confirmed yet, so it is judged at the next visit.
        if let (Some(listing), Some(shown), Some(_)) = (self.listings.get_mut(&id), shown, passed) {
            listing.shown += u64::from(shown.new);
        }
        let put_off = self.hints(id).map_or(0, |hints| hints.put_off(time + wait));
        Next { due: at(time + wait + put_off), class: Class::Listing }
    }

    fn second_visit(&self, id: ListingId, config: &ScheduleConfig) -> u64 {
        let is_section = self.listings.get(&id).is_some_and(|listing| listing.kind == ListingKind::Section);
        let turn = self.listings.len() as u64 * DAY / config.silent_visits.max(1) / 4;
        if is_section { SECOND_VISIT.max(turn) } else { SECOND_VISIT }
    }

    fn interval(
        &self,
        id: ListingId,
        passed: u64,
        shown: Shown,
        allowance: &Allowance,
        now: Timestamp,
        config: &ScheduleConfig,
    ) -> u64 {
        let Some(listing) = self.listings.get(&id) else { return config.longest_interval_s };
        let said = self.hints(id).filter(|_| listing.span < LEARNT).and_then(FeedHints::interval);
        let by_rate = said.map_or(listing.interval, |said| listing.interval.min(said));
        let mut wait = stretched(by_rate, allowance, now).min(config.longest_interval_s);
        let least = self.listings.values().map(|listing| listing.interval).min();
        if least == Some(listing.interval) {
            wait = wait.min(stretched(config.lead_interval_s, allowance, now));
        }
        if listing.is_silent() {
            let silent = self.listings.values().filter(|listing| listing.is_silent()).count() as u64;
            let turn = silent * DAY / config.silent_visits.max(1);
            wait = wait.max(turn.min(config.longest_silent_s));
        }
        if shown.new >= 3 && shown.new * 2 >= shown.links && !listing.is_junky() {
            wait = wait.min(passed / 2);
        }
        wait.max(config.least_interval_s)
    }

    /// Notes that a listing was not found (404, 410). `None`: it leaves.
    pub fn miss(&mut self, id: ListingId, now: Timestamp) -> Option<Next> {
        let time = seconds(now);
        let listing = self.listings.get_mut(&id)?;
        let since = *listing.absent.get_or_insert(time);
        listing.fails = listing.fails.saturating_add(1);
        if listing.kind != ListingKind::Front && time.saturating_sub(since) > FORGET_ABSENT {
            self.retire(id);
            return None;
        }
        let wait = LISTING.after(listing.fails)?;
        Some(Next { due: at(time + wait), class: Class::Listing })
    }

    /// Notes since when a listing redirects for good, in seconds since the epoch.
    pub fn redirects_since(&mut self, id: ListingId, since: u64) {
        if let Some(listing) = self.listings.get_mut(&id) {
            listing.absent = Some(since);
        }
    }

    /// Notes where the visit of a listing ended: on another site, or on its own. To be called before
    /// [`visit`](SiteSchedule::visit), with the same time.
    pub fn leads_to(&mut self, id: ListingId, site: Option<&Site>, now: Timestamp) {
        match site {
            Some(site) => self.elsewhere.get_or_insert_default().note(id, site, seconds(now)),
            None => self.change_elsewhere(|elsewhere| elsewhere.forget(id)),
        }
    }

    fn change_elsewhere(&mut self, change: impl FnOnce(&mut Elsewheres)) {
        if let Some(elsewhere) = &mut self.elsewhere {
            change(elsewhere);
        }
        self.elsewhere = self.elsewhere.take().filter(|elsewhere| !elsewhere.is_empty());
    }

    /// The other site that this one leads to for a day or more.
    #[must_use]
    pub fn redirected(&self) -> Option<&Elsewhere> {
        self.elsewhere.as_ref()?.of_site(self.listings.values(), self.rhythm.last())
    }

    /// Notes that a listing has another address now: the old one is asked for weekly, in case it returns.
    pub fn moved(now: Timestamp) -> Next {
        Next { due: at(seconds(now) + 7 * DAY), class: Class::Listing }
    }

    /// Notes a first good fetch that shows an article. `by` showed it first, after its own first visit. `is_recent`: it
    /// was published within the last day, as far as is known. What is found on a site's first day, and no listing showed as
    /// new, says nothing of how much it publishes: it was published over days.
    pub fn confirm(&mut self, by: Option<ListingId>, is_recent: bool, now: Timestamp) {
        self.end_troubles(now);
        let time = seconds(now);
        let before = self.yields();
        let first = if before.articles == 0 { time } else { before.first };
        let last = before.last.max(time);
        self.yields = Some(Yields { articles: before.articles + 1, first, last, ..Yields::default() });
        if let Some(listing) =
            by.and_then(|id| self.listings.get_mut(&id)).filter(|listing| listing.visits > 1)
        {
            listing.credit += ARTICLE;
            listing.confirmed += 1;
            self.rhythm.count(time);
        }
        self.fade(time);
        if is_recent && (by.is_some() || self.counted >= DAY) {
            self.published += ARTICLE;
        }
    }

    /// Counts the first reading of an article, beside [`confirm`](SiteSchedule::confirm). `is_full`: its text is whole.
    pub fn count_article(&mut self, is_recent: bool, is_full: bool, now: Timestamp) {
        self.article_days.get_or_insert_default().count(is_recent, is_full, now);
    }

    /// What the site brought lately; nothing if that was never counted.
    #[must_use]
    pub fn output(&self, now: Timestamp) -> Option<Output> {
        Some(self.article_days.as_ref()?.output(self.yields().first, now))
    }

    /// Notes that a page that was read for the first time is neither an article nor a listing. `is_bare`: it holds hardly any
    /// text. Returns whether that says anything new.
    pub fn read_other(&mut self, is_bare: bool, now: Timestamp) -> bool {
        let yields = self.yields.get_or_insert_default();
        if yields.others >= MOST_OTHERS {
            return false;
        }
        if yields.others == 0 {
            yields.others_since = seconds(now);
        }
        yields.others += 1;
        yields.bare += u32::from(is_bare);
        true
    }

    /// What the site's pages turned out to be.
    #[must_use]
    pub fn yields(&self) -> Yields {
        self.yields.unwrap_or_default()
    }

    fn fade(&mut self, now: u64) {
        let begun = *self.counted_at.get_or_insert(now);
        let passed = now.saturating_sub(begun).min(PUBLISHING_MEMORY);
        // Shorter steps would round the fading away.
        if passed >= HOUR {
            self.published -= self.published * passed / PUBLISHING_MEMORY;
            self.counted = self.counted + passed - self.counted * passed / PUBLISHING_MEMORY;
            self.counted_at = Some(now);
        }
    }

    /// Brings back what a clock noted that was ahead: nothing was later than now.
    pub fn bring_back(&mut self, now: Timestamp) {
        let time = seconds(now);
        self.listings.values_mut().for_each(|listing| listing.bring_back(time));
        self.counted_at = self.counted_at.map(|counted| counted.min(time));
        self.troubles.bring_back(time);
        self.rhythm.bring_back(time);
        if let Some(yields) = &mut self.yields {
            for noted in [&mut yields.first, &mut yields.last, &mut yields.others_since] {
                *noted = (*noted).min(time);
            }
        }
        if let Some(vanished) = &mut self.vanished {
            vanished.bring_back(time);
        }
        if let Some(elsewhere) = &mut self.elsewhere {
            elsewhere.bring_back(time);
        }
        if let Some(days) = &mut self.article_days {
            days.bring_back(now);
        }
        if let Some(repeats) = &mut self.repeats {
            repeats.bring_back(time);
        }
        if let Some(origins) = &mut self.origins {
            origins.bring_back(time);
        }
    }

    /// Requests a day that the site gets.
    #[must_use]
    pub fn per_day(&self, config: &ScheduleConfig) -> u64 {
        let left = PRIOR_FADES.saturating_sub(self.counted);
        let assumed = |what: u64| u128::from(what) * u128::from(left) / u128::from(PRIOR_FADES);
        let counted = (u128::from(self.counted) + assumed(PUBLISHING_PRIOR.1)) * u128::from(ARTICLE);
        let published = u128::from(self.published) + assumed(PUBLISHING_PRIOR.0);
        let requests = published * u128::from(DAY) * u128::from(config.article_requests) / counted.max(1);
        let requests = u64::try_from(requests).unwrap_or(u64::MAX);
        config.base_requests.saturating_add(requests).min(MOST_PER_DAY)
    }

    /// Notes trouble after this many requests in the last ten minutes.
    pub fn trouble(&mut self, trouble: Trouble, requests: u32, now: Timestamp) -> Rest {
        self.set_asked_to_wait(false);
        self.troubles.add(trouble, requests, now)
    }

    /// Notes that the last trouble is a wish: the site asks us to come back later.
    pub fn asks_to_wait(&mut self) {
        self.set_asked_to_wait(true);
    }

    fn set_asked_to_wait(&mut self, is_asked: bool) {
        if is_asked || self.asked_pace.is_some() {
            self.asked_pace.get_or_insert_default().is_asked_to_wait = is_asked;
        }
    }

    /// Notes the `Crawl-delay` of one of its hosts, as far as it is honoured, in milliseconds. The longest one holds for the site.
    pub fn asks_delay(&mut self, delay_ms: u64) {
        if delay_ms > self.asked_pace().crawl_delay_ms {
            self.asked_pace.get_or_insert_default().crawl_delay_ms = delay_ms;
        }
    }

    /// The pace that the site asks for.
    #[must_use]
    pub fn asked_pace(&self) -> AskedPace {
        self.asked_pace.unwrap_or_default()
    }

    /// Takes back a failure that was not the site's own: no site answered at that time.
    pub fn forgive(&mut self, trouble: Trouble) {
        self.troubles.forgive(trouble);
    }

    fn end_troubles(&mut self, now: Timestamp) {
        self.set_asked_to_wait(false);
        self.troubles.end(now);
    }

    /// Whether the site asks for a delay that leaves too few requests for what it publishes.
    fn is_paced_too_slowly(&self) -> bool {
        // Before, it is a guess how much it publishes.
        if self.counted < DAY {
            return false;
        }
        let articles =
            u128::from(self.published) * u128::from(DAY) / (u128::from(self.counted) * u128::from(ARTICLE));
        let delay = self.asked_pace().crawl_delay_ms.max(self.troubles.taught_delay_ms());
        AskedPace::is_too_slow(delay, u64::try_from(articles).unwrap_or(u64::MAX))
    }

    /// Whether articles come in that are new, and for days no listing has shown one of them. A site that nobody visits is not judged.
    fn has_too_few_listings(&self) -> bool {
        let last_look = self.listings.values().filter_map(|listing| listing.last).max().unwrap_or(0);
        let first = self.yields().first;
        self.rhythm.is_empty()
            && first > 0
            && last_look >= first + UNLISTED_FOR
            && self.published >= UNLISTED_ARTICLES * ARTICLE
    }

    /// Notes a good answer of any page of this [origin](CanonicalUrl::origin).
    pub fn answered(&mut self, origin: &str, now: Timestamp) {
        self.end_troubles(now);
        self.origins.get_or_insert_default().note(origin, seconds(now));
    }

    /// Records that an article that was read before, of this [name](super::name), vanished. `before` is the time of the visit
    /// before, if that did not find it either. Returns whether that is the trouble of the site: many articles vanished in the
    /// same way within an hour, now or at that time.
    pub fn note_vanished(
        &mut self,
        article: u64,
        how: Vanished,
        before: Option<u64>,
        now: Timestamp,
    ) -> bool {
        self.vanished.get_or_insert_default().note(article, how, before, now)
    }

    /// Records that an article that was read before, of this [name](super::name), is still there.
    pub fn note_present(&mut self, article: u64, origin: &str, now: Timestamp) {
        self.answered(origin, now);
        self.vanished.get_or_insert_default().note_present(article, now);
    }

    /// Records an event of an address. Returns how many other addresses of the site had the same event within the last hour (busy
    /// answers: ten minutes), 0 to 4.
    pub fn note_repeat(&mut self, event: RepeatedEvent<'_>, address: &CanonicalUrl, now: Timestamp) -> usize {
        self.repeats.get_or_insert_default().note(event, name(address.as_str()), seconds(now))
    }

    /// In which way many of its articles vanished within an hour, if that is its trouble now and it neither blocks nor fails.
    #[must_use]
    pub fn mass_vanishing(&self, now: Timestamp) -> Option<MassVanishing> {
        let vanished = self.vanished.as_ref().filter(|_| self.troubles.health().is_none());
        vanished?.now(seconds(now))
    }

    /// Whether other pages answer while one fails: a good answer came after that page failed before.
    #[must_use]
    pub fn fails_alone(&self, failed_before: Option<u64>) -> bool {
        failed_before.is_some_and(|time| self.troubles.answered_since(time))
    }

    /// Whether other origins of the site answer, and this [origin](CanonicalUrl::origin) never did, or no longer does.
    #[must_use]
    pub fn is_stranger(&self, origin: &str) -> bool {
        self.origins.as_ref().is_some_and(|origins| origins.is_stranger(origin))
    }

    /// Notes the delay that the time of the site's answers asks for, in milliseconds.
    pub fn slow_down(&mut self, delay_ms: u64) {
        self.slow_ms = delay_ms;
    }

    /// Least time between two requests that blocks and slow answers have taught, in milliseconds.
    pub fn delay_ms(&mut self, now: Timestamp) -> u64 {
        self.troubles.delay_ms(now).max(self.slow_ms)
    }

    /// Notes that a page which a listing showed on this day leaves and was never read.
    pub fn leave_unread(&mut self, day: u32, outcome: Outcome, now: Timestamp) {
        self.missed.leave(day, outcome, now);
    }

    /// Notes that the page budget refused this many links to news.
    pub fn refuse(&mut self, links: u64, now: Timestamp) {
        self.missed.refuse(links, now);
    }

    /// What listings showed and nobody read.
    #[must_use]
    pub fn missed(&self) -> &Missed {
        &self.missed
    }

    /// The days of the past that an operator asked for.
    #[must_use]
    pub fn past(&self) -> Option<&Past> {
        self.past.as_ref()
    }

    /// The same, to be changed.
    pub fn past_mut(&mut self) -> Option<&mut Past> {
        self.past.as_mut()
    }

    /// Asks for these days of the past. What was read for the same days before stays; returns whether there was that.
    pub fn ask_for(&mut self, window: Days) -> bool {
        let goes_on = self.past.as_ref().is_some_and(|past| past.window() == window);
        if !goes_on {
            self.past = Some(Past::new(window));
        }
        goes_on
    }

    /// All listings.
    pub fn listings(&self) -> impl Iterator<Item = &Listing> {
        self.listings.values()
    }

    /// How the site is.
    #[must_use]
    pub fn health(&self, now: Timestamp) -> Health {
        let silence = || self.silence(now).map(|_| Health::Quiet);
        // Versions before counted what was published, but not what was read.
        let is_fresh = self.yields().articles == 0 && self.published == 0 && self.rhythm.is_empty();
        let is_without =
            || self.yields().is_without_articles(is_fresh, seconds(now)).then_some(Health::NoArticles);
        let have_vanished = || {
            self.mass_vanishing(now).map(|mass| match mass.how {
                Vanished::Forbidden => Health::Blocked,
                Vanished::NotFound | Vanished::Moved | Vanished::OtherPage => Health::Failing,
            })
        };
        let trouble = self.troubles.health().map(|trouble| match trouble {
            Health::Blocked | Health::Failing if self.asked_pace().is_asked_to_wait => Health::RateLimited,
            trouble => trouble,
        });
        trouble
            .or_else(|| self.redirected().map(|_| Health::Redirected))
            .or_else(have_vanished)
            .or_else(is_without)
            .or_else(|| self.is_paced_too_slowly().then_some(Health::RateLimited))
            .or_else(silence)
            .or_else(|| self.has_too_few_listings().then_some(Health::TooFewListings))
            .unwrap_or(Health::Healthy)
    }

    /// A silence that the site's rhythm does not explain.
    #[must_use]
    pub fn silence(&self, now: Timestamp) -> Option<Silence> {
        self.rhythm.silence(seconds(now))
    }
}

/// A wait, longer while so few tokens are left that even what can wait goes without: the rest takes what is over, so a
/// bound above its own would have it slow the listings down.
fn stretched(wait: u64, allowance: &Allowance, now: Timestamp) -> u64 {
    let enough = Class::Rest.threshold(allowance.capacity());
    let tokens = u64::try_from(allowance.tokens(now)).unwrap_or(0).max(1);
    if tokens >= enough {
        return wait;
    }
    let longest = wait.saturating_mul(MOST_STRETCH);
    let scaled = u128::from(wait) * u128::from(enough) / u128::from(tokens);
    u64::try_from(scaled).unwrap_or(longest).min(longest)
}

#[cfg(test)]
mod tests;
