//! One site, followed on simulated time.

use std::collections::VecDeque;

use newslode_common::outcome::Outcome;
use newslode_common::schedule::outcome::{Consequence, Target, consequence};
use newslode_common::schedule::{
    Allowance, Class, ListingId, ListingKind, Next, Reading, ScheduleConfig, SiteSchedule, Trouble,
};
use newslode_crawler::listing::discover::in_robots;
use newslode_crawler::listing::sniff;
use newslode_newsworld::Reply;
use newslode_newsworld::living::{Answer, Ask, LivingSite, LivingWorld, Seen};
use newslode_page::article::PageKind;
use newslode_page::{CanonicalUrl, Page, Timestamp, article};

use super::Ablation;
use super::pages::{Pages, Role};
use super::queue::{Queues, Taken};
use super::reading::{View, hash};

/// Least time between two requests to a site, in milliseconds.
const DELAY_MS: u64 = 1_000;
/// Time that robots.txt is kept, in milliseconds.
const ROBOTS_KEPT: u64 = 86_400_000;
/// Validators are sent while the last full answer is younger than this, in milliseconds.
const VALIDATORS_KEPT: u64 = 3_600_000;
/// Requests of this many milliseconds count when a site blocks.
const RECENT: u64 = 600_000;
/// A silence is explained for this long after its cause, in milliseconds.
const TWO_HOURS: u64 = 7_200_000;
/// Stories of a page that make it a section: of any page, and of one that a menu leads to.
const MANY_STORIES: usize = 8;
const FEW_STORIES: usize = 2;

/// Whether an article was published within the last day, as far as is known.
fn is_recent(published: Option<&str>, now: Timestamp) -> bool {
    let day = published.and_then(|text| text.get(..10)?.parse::<jiff::civil::Date>().ok());
    let age =
        day.map(|day| i64::from(now.day()) - i64::from(day.since(EPOCH).map_or(0, |span| span.get_days())));
    age.is_none_or(|days| days <= 1)
}

/// Whether nothing explains a silence of the site now or in the last two hours.
fn is_well(site: &LivingSite, now: u64) -> bool {
    let troubles = &site.troubles;
    let near = |from: u64, until: u64| from <= now && now <= until + TWO_HOURS;
    let is_away = troubles.outages.iter().any(|outage| near(outage.span.from_ms, outage.span.until_ms));
    let is_walled = troubles.wall.is_some_and(|wall| near(wall.from_ms, wall.until_ms));
    let is_blind = troubles.redesign.is_some_and(|redesign| redesign.script_front && redesign.at_ms <= now);
    !is_away && !is_walled && !is_blind
}

/// Day 0 of [`Timestamp::day`].
const EPOCH: jiff::civil::Date = jiff::civil::date(1970, 1, 1);

/// A site's crawl.
pub(super) struct Crawl<'w> {
    world: &'w LivingWorld,
    pub(super) config: &'w ScheduleConfig,
    pub(super) ablation: Ablation,
    pub(super) schedule: SiteSchedule,
    pub(super) allowance: Allowance,
    pub(super) pages: Pages,
    pub(super) queues: Queues,
    /// No request before.
    turn: Timestamp,
    rules: Option<robotxt::Robots>,
    rules_until: Timestamp,
    delay_ms: u64,
    recent: VecDeque<Timestamp>,
    log: Vec<Seen>,
    silent_since: Option<u64>,
    alarms: Vec<Timestamp>,
}

impl<'w> Crawl<'w> {
    pub(super) fn new(
        world: &'w LivingWorld,
        config: &'w ScheduleConfig,
        ablation: Ablation,
        seed: &str,
    ) -> Crawl<'w> {
        let start = Timestamp(world.start());
        let mut crawl = Crawl {
            world,
            config,
            ablation,
            schedule: SiteSchedule::default(),
            allowance: Allowance::full(SiteSchedule::default().per_day(config), start),
            pages: Pages::default(),
            queues: Queues::new(ablation == Ablation::OneQueue),
            turn: start,
            rules: None,
            rules_until: start,
            delay_ms: DELAY_MS,
            recent: VecDeque::new(),
            log: Vec::new(),
            silent_since: None,
            alarms: Vec::new(),
        };
        if let Ok(url) = seed.parse() {
            crawl.meet_listing(&url, ListingKind::Front, start);
        }
        crawl
    }

    /// Crawls until a time.
    pub(super) fn run(&mut self, end: Timestamp) {
        while let Some(now) = self.queues.when(self.turn, &self.allowance).filter(|now| *now < end) {
            if let Some(taken) = self.queues.take(now, &self.allowance) {
                self.visit(taken, now);
            } else {
                self.turn = Timestamp(now.0 + 1);
            }
            self.listen(now);
        }
    }

    /// The fetches of articles, and the number of false alarms.
    pub(super) fn into_results(self) -> (Vec<Seen>, usize) {
        let site = self.log.first().map_or(0, |seen| seen.site);
        let sites = self.world.sites();
        let is_false = |at: &&Timestamp| sites.get(site).is_some_and(|site| is_well(site, at.0));
        let false_alarms = self.alarms.iter().filter(is_false).count();
        (self.log, false_alarms)
    }

    /// Notes a silence when it begins to be told.
    fn listen(&mut self, now: Timestamp) {
        let since = self.schedule.silence(now).map(|silence| silence.since);
        if since.is_some() && since != self.silent_since {
            self.alarms.push(now);
        }
        self.silent_since = since;
    }

    fn visit(&mut self, taken: Taken, now: Timestamp) {
        let page = self.pages.get_mut(taken.page);
        if page.role == Role::Page && page.visits.is_late(taken.due, now) {
            let next = page.visits.skip(now, self.config);
            self.wait(taken.page, next);
            return;
        }
        let url = page.url.clone();
        if now >= self.rules_until && !self.read_rules(&url, now) {
            self.rest(taken, Trouble::RobotsUnreachable, now);
            return;
        }
        let now = now.max(self.turn);
        if self.rules.as_ref().is_some_and(|rules| !rules.is_url_allowed(&url.to_url())) {
            self.unreadable(taken, Outcome::Disallowed, now);
            return;
        }
        match self.ask(taken.page, &url, now) {
            Answer::Timeout => self.unreadable(taken, Outcome::Timeout, now),
            Answer::Reply(reply) => self.answered(taken, &url, &reply, now),
        }
    }

    /// Asks for robots.txt. Returns whether its rules are known.
    fn read_rules(&mut self, url: &CanonicalUrl, now: Timestamp) -> bool {
        let Ok(place) = format!("{}/robots.txt", url.origin()).parse::<CanonicalUrl>() else { return true };
        self.spend(now);
        let reply = match self.world.answer(&Ask::plain(url.host(), "/robots.txt"), now.0) {
            Answer::Reply(reply) if reply.status < 500 && reply.status != 429 => reply,
            // Rules that were read before go on for a while.
            Answer::Reply(_) | Answer::Timeout => {
                self.rules_until = Timestamp(now.0 + RECENT);
                return self.rules.is_some();
            }
        };
        self.rules_until = Timestamp(now.0 + ROBOTS_KEPT);
        let text = if reply.status == 200 { reply.body.as_slice() } else { b"" };
        let rules = robotxt::Robots::parse(text, robotxt::Agent::Exact("newslode"));
        let asked = rules.crawl_delay().map_or(0, |delay| u64::try_from(delay.as_millis()).unwrap_or(0));
        self.delay_ms = asked.max(DELAY_MS);
        self.turn = self.turn.max(Timestamp(now.0 + self.delay_ms));
        self.rules = Some(rules);
        for map in in_robots(&String::from_utf8_lossy(text), &place) {
            self.meet_listing(&map, ListingKind::Map, now);
        }
        true
    }

    /// Counts a request and sets the next turn.
    fn spend(&mut self, now: Timestamp) {
        self.allowance.take(now);
        self.recent.push_back(now);
        while self.recent.front().is_some_and(|first| first.0 + RECENT < now.0) {
            self.recent.pop_front();
        }
        let delay = self.delay_ms.max(self.schedule.delay_ms(now));
        self.turn = Timestamp(now.0 + delay);
    }

    fn ask(&mut self, page: usize, url: &CanonicalUrl, now: Timestamp) -> Answer {
        self.spend(now);
        let known = self.pages.get(page);
        let full = match known.role {
            Role::Listing(_) => self.schedule.listing(ListingId::of(url)).and_then(|listing| listing.full),
            Role::Page | Role::Behind { .. } => None,
        };
        let is_fresh = full.is_some_and(|full| now.0 < full * 1_000 + VALIDATORS_KEPT);
        let etag = known.etag.as_deref().filter(|_| is_fresh);
        let ask = Ask { host: url.host(), path: url.path(), if_none_match: etag, if_modified_since: None };
        self.world.answer(&ask, now.0)
    }

    fn answered(&mut self, taken: Taken, url: &CanonicalUrl, reply: &Reply, now: Timestamp) {
        match reply.status {
            200 => {
                self.pages.get_mut(taken.page).unread = 0;
                self.read(taken, url, reply, now);
            }
            304 => {
                self.see(url, now);
                let next = self.listed(taken.page, None, now);
                self.wait(taken.page, next);
            }
            301 | 302 | 303 | 307 | 308 => self.moved(taken, url, reply, now),
            404 | 410 => {
                self.schedule.answered();
                self.see(url, now);
                self.unreadable(taken, Outcome::Gone, now);
            }
            500.. => self.unreadable(taken, Outcome::ServerError, now),
            _ => self.unreadable(taken, Outcome::Refused, now),
        }
    }

    /// Writes down that an article's address was answered.
    fn see(&mut self, url: &CanonicalUrl, now: Timestamp) {
        if let Some((site, article)) = self.world.article_of(url.host(), url.path()) {
            self.log.push(Seen { site, article, at_ms: now.0 });
        }
    }

    fn read(&mut self, taken: Taken, url: &CanonicalUrl, reply: &Reply, now: Timestamp) {
        self.pages.get_mut(taken.page).etag = reply.header("etag").map(str::to_owned);
        let content_type = reply.header("content-type");
        let role = self.pages.get(taken.page).role;
        if sniff(content_type, &reply.body) {
            let view = View::of_listing(url, content_type, &reply.body, now).unwrap_or_default();
            if let (Role::Page, Some(kind)) = (role, view.kind) {
                self.become_listing(taken.page, kind);
            }
            let next = self.show(taken.page, &view, now);
            self.wait(taken.page, next);
            return;
        }
        let page = Page::parse(url, content_type, &reply.body);
        let next = match role {
            Role::Listing(_) => self.show(taken.page, &View::of_page(&page), now),
            Role::Behind { depth, mark } => {
                self.show_behind(&View::of_page(&page), depth, mark, now);
                None
            }
            Role::Page => self.read_page(taken.page, &page, now),
        };
        self.wait(taken.page, next);
    }

    fn read_page(&mut self, number: usize, page: &Page, now: Timestamp) -> Option<Next> {
        let (kind, found) = article(page, now);
        let view = View::of_page(page);
        let known = self.pages.get_mut(number);
        let least = if known.is_in_menu { FEW_STORIES } else { MANY_STORIES };
        let is_list = kind != PageKind::Article && view.stories.len() >= least;
        if is_list && known.visits.first.is_none() {
            self.become_listing(number, ListingKind::Section);
            return self.show(number, &view, now);
        }
        let Some(found) = found else {
            return known.visits.read(Reading::NoArticle, now, self.config);
        };
        let text = hash(&found.text());
        let reading = if text == known.text { Reading::Same } else { Reading::Changed };
        known.text = text;
        let (is_first, by) = (known.visits.first.is_none(), known.by);
        let next = known.visits.read(reading, now, self.config);
        if is_first {
            let by = by.filter(|_| self.ablation != Ablation::AllNewLinks);
            self.schedule.confirm(by, is_recent(found.published.as_deref(), now), now);
            self.allowance.resize(self.schedule.per_day(self.config), now);
        }
        self.see(&page.url, now);
        for (story, _) in &view.stories {
            self.meet(story, None, Class::New, now);
        }
        next
    }

    fn moved(&mut self, taken: Taken, url: &CanonicalUrl, reply: &Reply, now: Timestamp) {
        self.schedule.answered();
        let location = reply.header("location").unwrap_or_default();
        let Some(target) = newslode_page::reading::resolve(&url.to_url(), location) else { return };
        let known = self.pages.get(taken.page).clone();
        if target.site() != url.site() || target == *url {
            self.unreadable(taken, Outcome::RedirectLoop, now);
            return;
        }
        match known.role {
            Role::Listing(kind) => {
                self.meet_listing(&target, kind, now);
                let next = SiteSchedule::moved(now);
                self.wait(taken.page, Some(next));
            }
            Role::Page => {
                self.meet(&target, known.by, Class::New, now);
            }
            Role::Behind { .. } => {}
        }
    }

    /// What follows from a visit that could not read its page.
    fn unreadable(&mut self, taken: Taken, outcome: Outcome, now: Timestamp) {
        let known = self.pages.get_mut(taken.page);
        known.unread += 1;
        let (unread, url) = (known.unread, known.url.clone());
        let target = if matches!(known.role, Role::Listing(_)) { Target::Listing } else { Target::Article };
        let due = |seconds: u64| Timestamp(now.0 + seconds * 1_000);
        match consequence(outcome, target) {
            Consequence::SiteRests(..) if self.ablation == Ablation::NoRests => {
                if outcome != Outcome::Refused && unread < 4 {
                    self.queues.push(taken.page, Next { due: due(2 << unread), class: taken.class });
                }
            }
            Consequence::SiteRests(trouble, _) => self.rest(taken, trouble, now),
            Consequence::Absent(_) if target == Target::Listing => {
                let next = self.schedule.miss(ListingId::of(&url), now);
                self.wait(taken.page, next);
            }
            Consequence::Absent(waits) | Consequence::Waits(waits) => {
                let next = waits.after(unread).map(|wait| Next { due: due(wait), class: Class::Recheck });
                self.wait(taken.page, next);
            }
            Consequence::Schedule | Consequence::Moves | Consequence::Leaves => {}
        }
    }

    /// The site rests, and the page waits as it did.
    fn rest(&mut self, taken: Taken, trouble: Trouble, now: Timestamp) {
        let requests = u32::try_from(self.recent.len()).unwrap_or(u32::MAX);
        let rest = self.schedule.trouble(trouble, requests, now);
        if matches!(trouble, Trouble::Blocked(_)) {
            self.recent.clear();
        }
        self.turn = self.turn.max(rest.until);
        self.queues.push(taken.page, Next { due: taken.due, class: taken.class });
    }

    fn wait(&mut self, page: usize, next: Option<Next>) {
        if let Some(next) = next {
            self.queues.push(page, next);
        }
    }
}
