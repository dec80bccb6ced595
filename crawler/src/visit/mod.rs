//! One visit of a scheduled URL: what the site's and the page's schedules learn from it, and when the next one is.
//!
//! Listings are read here, so that what they show is asked for at once, however long the queue of pages is. What a
//! page is, an article or not, the miner tells later; until then the page waits. Every outcome has its consequence
//! in one table, [`newslode_common::schedule::outcome`]: nothing ends for ever that may come back. Start at
//! [`visit`].

mod links;
mod trouble;
mod view;

use anyhow::Context as _;
use bytes::Bytes;
use newslode_common::message::Ending;
use newslode_common::outcome::Outcome;
use newslode_common::schedule::{
    Class, Listing, ListingId, ListingKind, Next, PageSchedule, Role, ScheduleConfig, SiteSchedule,
};
use newslode_common::store::teach::teach;
use newslode_common::store::{Again, Claim, Completion, NewUrl, Validators};
use newslode_common::version::ContentHash;
use newslode_page::reading::{CanonicalUrl, resolve};
use newslode_page::time::Timestamp;
use tokio::time::Instant;
use url::Url;

use crate::attempt::{add_target, admits};
use crate::chain;
use crate::fetch::{Answer, Wanted};
use crate::publish;
use crate::robots::Verdict;
use crate::shared::Shared;
use view::{Fetched, View};

/// Validators are sent while the last full answer is younger than this, in milliseconds: some servers answer
/// "not modified" for ever.
const VALIDATORS_KEPT: u64 = 3_600_000;

/// Works on a claim until its completion is known.
///
/// # Errors
/// Only errors that waiting does not solve: a server refuses.
pub(crate) async fn visit(shared: &Shared, claim: &Claim, known: PageSchedule) -> anyhow::Result<Completion> {
    let mut completion = Visit { shared, claim, known, now: shared.clock.now() }.run().await?;
    if let Completion::Done { outcome, schedule: Some(known), .. } = &mut completion {
        known.visited.note(shared.clock.now(), *outcome);
    }
    Ok(completion)
}

/// The completion of a visit that panicked.
pub(crate) fn panicked(claim: &Claim, mut known: PageSchedule, now: Timestamp) -> Completion {
    let next = trouble::alone(&mut known, Outcome::Unreachable, now);
    kept(claim, Outcome::Unreachable, next, known)
}

/// The end of a visit that brought no page: what was known of the page before stays known.
fn kept(claim: &Claim, outcome: Outcome, next: Option<Next>, known: PageSchedule) -> Completion {
    let (content, validators) = (claim.content, claim.validators.clone());
    Completion::Done { outcome, content, validators, next, schedule: Some(known) }
}

/// A visit in progress.
#[derive(Clone, Copy)]
struct Visit<'v> {
    shared: &'v Shared,
    claim: &'v Claim,
    /// What is known of the page: at first as it was claimed.
    known: PageSchedule,
    now: Timestamp,
}

impl<'v> Visit<'v> {
    async fn run(mut self) -> anyhow::Result<Completion> {
        if self.known.is_gone && self.claim.was.class == Class::Rest && self.known.role == Role::Page {
            return Ok(Completion::Skipped { next: None, schedule: Some(self.known) });
        }
        if self.known.role == Role::Page && self.known.visits.is_late(self.claim.was.due, self.now) {
            let next = self.known.visits.skip(self.now, self.config());
            return Ok(Completion::Skipped { next, schedule: Some(self.known) });
        }
        let url = self.claim.url.to_url();
        if let Some(completion) = self.robots(&url).await? {
            return Ok(completion);
        }
        let wanted = match self.known.role {
            Role::Listing(_) => Wanted::Listing,
            // Menus lead to feeds, too.
            Role::Page if self.known.is_in_menu => Wanted::Listing,
            Role::Page | Role::Behind { .. } => Wanted::Page,
        };
        let before = match self.known.role {
            Role::Listing(_) => self.site_schedule().await?.listing(self.id()).cloned(),
            Role::Page | Role::Behind { .. } => None,
        };
        let full = before.as_ref().and_then(|listing| listing.full);
        let is_fresh = full.is_some_and(|full| self.now.0 < full * 1_000 + VALIDATORS_KEPT);
        let sent = if is_fresh { self.claim.validators.clone() } else { Validators::default() };
        let started = Instant::now();
        let asked_at = self.shared.clock.now();
        let reply = self.shared.fetcher.page(&url, &sent, wanted).await;
        self.shared.parts.metrics.fetch_seconds.observe(started.elapsed().as_secs_f64());
        self.now = self.shared.clock.now();
        self.shared.heed_slowness(self.claim, asked_at.until(self.now)).await?;
        self.shared.heed_wish(self.claim, reply.retry_after).await?;
        let reply = match chain::to_its_end(self.shared, self.claim, wanted, reply).await? {
            Ok(reply) => reply,
            Err(outcome) => return self.unreadable(outcome).await,
        };
        self.now = self.shared.clock.now();
        match reply.answer {
            Ok(Answer::Page { content_type, body, validators, directives }) => {
                self.read(Fetched { content_type, body, directives }, validators, before).await
            }
            Ok(Answer::NotModified { validators }) => self.not_modified(validators).await,
            Ok(Answer::Redirect { location, .. }) => self.moved(&url, &location).await,
            Ok(Answer::Gone) => {
                self.site_answered().await?;
                self.unreadable(Outcome::Gone).await
            }
            Ok(Answer::Refused(status)) => self.refused(status).await,
            Ok(Answer::NotHtml) => self.unreadable(Outcome::NotHtml).await,
            Ok(Answer::Empty) => self.unreadable(Outcome::Empty).await,
            Err(error) => self.failed(&error).await,
        }
    }

    fn config(&self) -> &'v ScheduleConfig {
        &self.shared.schedule
    }

    fn id(&self) -> ListingId {
        ListingId::of(&self.claim.url)
    }

    /// Changes what the site's visits have taught.
    async fn teach<T>(&self, lesson: impl Fn(&mut SiteSchedule) -> T) -> anyhow::Result<T> {
        let (frontier, site) = (self.shared.parts.frontier.as_ref(), &self.claim.site);
        let teaching = || teach(frontier, site, self.config(), self.now, &lesson);
        self.shared.persist(teaching).await.context("cannot change a site's schedule")
    }

    async fn site_schedule(&self) -> anyhow::Result<SiteSchedule> {
        let frontier = &self.shared.parts.frontier;
        let reading = || frontier.schedule(&self.claim.site);
        let (schedule, _) = self.shared.persist(reading).await.context("cannot read a site's schedule")?;
        Ok(schedule)
    }

    /// Asks robots.txt. `None`: the page may be fetched now.
    async fn robots(&mut self, url: &Url) -> anyhow::Result<Option<Completion>> {
        let (verdict, asked) = self.shared.robots.of(url).await;
        let rules = match verdict {
            Verdict::Rules(rules) => rules,
            Verdict::Unreachable { reason, .. } => return self.robots_failed(&reason).await.map(Some),
        };
        if asked {
            self.shared.heed_delay(&self.claim.site, &rules.robots).await?;
            self.meet_listings(rules.maps.iter().map(|map| (map.clone(), ListingKind::Map)).collect())
                .await?;
            // The request for robots.txt took this turn and its token; the page waits for the next one.
            let due = self.claim.was.due;
            return Ok(Some(Completion::Retry { due, counts: false, rest_site_until: None }));
        }
        if rules.robots.is_url_allowed(url) {
            return Ok(None);
        }
        self.unreadable(Outcome::Disallowed).await.map(Some)
    }

    /// The site answered, if not with the page.
    async fn site_answered(&self) -> anyhow::Result<()> {
        let now = self.now;
        self.teach(|site| site.answered(now)).await
    }

    async fn not_modified(mut self, validators: Validators) -> anyhow::Result<Completion> {
        self.known.answered();
        let next = match self.known.role {
            Role::Listing(kind) => self.listed(kind, None).await?,
            Role::Page => {
                self.site_answered().await?;
                self.known.same(self.now, &self.shared.schedule)
            }
            Role::Behind { .. } => None,
        };
        Ok(self.done(Outcome::Unchanged, self.claim.content, validators, next))
    }

    fn done(
        &self,
        outcome: Outcome,
        content: Option<ContentHash>,
        validators: Validators,
        next: Option<Next>,
    ) -> Completion {
        Completion::Done { outcome, content, validators, next, schedule: Some(self.known) }
    }

    /// Reads what the page shows, and hands it on for mining if that is wanted.
    async fn read(
        mut self,
        page: Fetched,
        validators: Validators,
        before: Option<Listing>,
    ) -> anyhow::Result<Completion> {
        self.shared.parts.metrics.fetched_bytes.inc_by(page.body.len() as u64);
        let view = View::of(self.claim, self.known, page.clone(), self.shared, self.now).await?;
        let Fetched { content_type, body, .. } = page;
        if let (Role::Page, Some(kind)) = (self.known.role, view.kind) {
            self.known.role = Role::Listing(kind);
        }
        match self.known.role {
            Role::Listing(kind) => {
                let before = before.unwrap_or_else(|| Listing::new(self.claim.url.clone(), kind));
                let next = self.show(&view, kind, &before).await?;
                self.known.answered();
                if view.is_noindex {
                    return self.noindex(validators, next).await;
                }
                let (outcome, content) = self.mine_again(&view, content_type, body).await?;
                Ok(self.done(outcome, content, validators, next))
            }
            Role::Behind { depth, mark } => {
                self.site_answered().await?;
                self.show_behind(&view, depth, mark).await?;
                self.known.answered();
                Ok(self.done(Outcome::Fetched, self.claim.content, validators, None))
            }
            Role::Page => {
                self.site_answered().await?;
                if !view.is_same {
                    self.known.stories = view.stories();
                    self.meet_stories(&view, None, self.class_of_links()).await?;
                }
                if view.is_noindex {
                    let next = self.waits_alone(Outcome::Noindex).await?;
                    return self.noindex(validators, next).await;
                }
                self.known.answered();
                self.hand_on(content_type, body, validators).await
            }
        }
    }

    /// The end of every visit of a page that must not be mined. It has no content, so that the same bytes are handed
    /// on should they be free again.
    async fn noindex(mut self, validators: Validators, next: Option<Next>) -> anyhow::Result<Completion> {
        self.end(Ending::Noindex).await?;
        Ok(self.done(Outcome::Noindex, None, validators, next))
    }

    /// Where the links of a page wait that is no listing: with new articles if it was one itself. What comes from the
    /// backlog or from a menu may be a calendar that links to next month for ever.
    fn class_of_links(&self) -> Class {
        let is_news = self.claim.was.class == Class::New && !self.known.is_in_menu;
        let is_article = self.known.visits.first.is_some();
        if is_news || is_article { Class::New } else { Class::Rest }
    }

    /// Hands a page on whose text may be an article, unless it is as it was.
    async fn hand_on(
        mut self,
        content_type: Option<String>,
        body: Bytes,
        validators: Validators,
    ) -> anyhow::Result<Completion> {
        // What nobody has told us about yet may have been lost on its way.
        let is_known = self.known.is_told && !self.known.is_to_be_shown(self.now);
        let claim = Claim { content: self.claim.content.filter(|_| is_known), ..self.claim.clone() };
        let Some(page) = publish::seal(&claim, content_type, body, self.now).await? else {
            let next = self.known.same(self.now, &self.shared.schedule);
            return Ok(self.done(Outcome::Unchanged, self.claim.content, validators, next));
        };
        let content = page.content;
        publish::hand_over(&self.shared.parts, &self.shared.outages, page, self.now).await?;
        let next = self.known.hand_on(self.now, &self.shared.schedule);
        Ok(self.done(Outcome::Fetched, Some(content), validators, Some(next)))
    }

    /// Hands a listing on for mining if it is a page that changed, and not too soon after the last time. Returns
    /// the visit's outcome, and the content that was handed on last.
    async fn mine_again(
        &mut self,
        view: &View,
        content_type: Option<String>,
        body: Bytes,
    ) -> anyhow::Result<(Outcome, Option<ContentHash>)> {
        let wait = self.config().mine_again_s;
        let is_soon = self.known.handed_on.is_some_and(|last| self.now.0 / 1_000 < last + wait);
        if !view.is_html || is_soon {
            return Ok((Outcome::Fetched, self.claim.content));
        }
        let is_known = !self.known.is_to_be_shown(self.now);
        let claim = Claim { content: self.claim.content.filter(|_| is_known), ..self.claim.clone() };
        let Some(page) = publish::seal(&claim, content_type, body, self.now).await? else {
            return Ok((Outcome::Unchanged, self.claim.content));
        };
        let content = page.content;
        publish::hand_over(&self.shared.parts, &self.shared.outages, page, self.now).await?;
        (self.known.handed_on, self.known.is_gone) = (Some(self.now.0 / 1_000), false);
        Ok((Outcome::Fetched, Some(content)))
    }

    /// The target of a redirect takes the page's place. The old address of a listing is asked for weekly.
    async fn moved(mut self, url: &Url, location: &str) -> anyhow::Result<Completion> {
        self.site_answered().await?;
        let Some(target) = resolve(url, location) else { return self.unreadable(Outcome::NotHtml).await };
        let is_loop = target == self.claim.url || self.claim.hops >= self.shared.config.max_redirects;
        if is_loop || !admits(self.shared, self.claim, &target).await? {
            return self.unreadable(Outcome::RedirectLoop).await;
        }
        self.end(Ending::Moved(target.clone())).await?;
        let is_story = self.known.role == Role::Page && self.known.by.is_some();
        if is_story && self.claim.content.is_none() {
            // It is another address of what is there.
            self.tell_of(Ending::Moved(target.clone())).await?;
        }
        let next = match self.known.role {
            Role::Listing(kind) => {
                self.move_listing(target, kind).await?;
                Some(SiteSchedule::moved(self.now))
            }
            Role::Page => {
                let schedule = PageSchedule {
                    is_in_menu: self.known.is_in_menu,
                    met: self.known.met,
                    ..PageSchedule::page(self.known.by, self.now)
                };
                self.add_target(target, self.claim.was.class, schedule).await?;
                self.farewell()
            }
            Role::Behind { .. } => None,
        };
        Ok(kept(self.claim, Outcome::Redirected, next, self.known))
    }

    async fn move_listing(&self, target: CanonicalUrl, kind: ListingKind) -> anyhow::Result<()> {
        let site = target.site();
        let (frontier, config, now) = (self.shared.parts.frontier.as_ref(), self.config(), self.now);
        let meeting = || teach(frontier, &site, config, now, |schedule| schedule.meet(&target, kind));
        let is_new = self.shared.persist(meeting).await.context("cannot change a site's schedule")?;
        if is_new {
            let listing = PageSchedule::of(Role::Listing(kind));
            self.add_target(target, Class::Listing, listing).await?;
        }
        Ok(())
    }

    async fn add_target(
        &self,
        target: CanonicalUrl,
        class: Class,
        schedule: PageSchedule,
    ) -> anyhow::Result<()> {
        let again = if matches!(schedule.role, Role::Listing(_)) { Again::Now } else { Again::Never };
        let once = NewUrl::once(target, self.claim.depth, self.claim.why, self.claim.hops + 1);
        let new = NewUrl { class, again, schedule: Some(schedule), ..once };
        add_target(self.shared, self.claim, &new, self.now).await
    }
}
