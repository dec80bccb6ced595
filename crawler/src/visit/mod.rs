//! One visit of a URL: what the site's and the page's schedules learn from it, and when the next one is.
//!
//! Where the news is followed, listings are read here, so that what they show is asked for at once, however long the
//! queue of pages is. What a page is, an article or not, the miner tells later; until then the page waits. Where
//! concepts or all links are followed, each page is due once and the miner adds the links. Either way a visit takes the
//! same steps: robots.txt, the request, the answer. What an outcome means for the page is in one table,
//! [`newslode_common::schedule::outcome`]. Start at [`visit`].

mod links;
mod maps;
mod page_links;
mod past;
mod queries;
mod redirect;
mod rendered;
mod state;
mod trouble;

use std::time::Duration;

use newslode_common::config::Noindex;
use newslode_common::message::Ending;
use newslode_common::outcome::Outcome;
use newslode_common::page_span;
use newslode_common::schedule::outcome::MOVED;
use newslode_common::schedule::past::{Source, SourceKind};
use newslode_common::schedule::{Class, Listing, ListingKind, Next, RepeatedEvent, Role, Vanished};
use newslode_common::store::{Claim, Completion, Validators};
use newslode_common::version::ContentHash;
use newslode_page::reading::canonical;
use tokio::time::Instant;
use tracing::Instrument as _;
use url::Url;

use crate::chain::{self, Follow, Followed};
use crate::error::{FetchError, LONGEST_WAIT};
use crate::fetch::{Answer, FetchedBody, Reply, Wanted};
use crate::network::Blame;
use crate::robots::RobotsVerdict;
use crate::shared::Shared;
use page_links::{PageLinks, WALL_ADDRESSES};
use redirect::Redirect;
use state::Visit;
pub(crate) use state::at_the_next_turn;

/// Validators of a listing are sent while its last full answer is younger than this, in milliseconds: some servers
/// answer "not modified" for ever.
const VALIDATORS_TRUSTED_MS: u64 = 3_600_000;

/// A listing of which only a part came is asked for again after this at the latest.
const AFTER_CUT: Duration = Duration::from_secs(900);

/// Works on a claim until its completion is known.
///
/// # Errors
/// Only errors that waiting does not solve: a server refuses.
pub(crate) async fn visit(shared: &Shared, claim: &Claim) -> anyhow::Result<Completion> {
    let mut completion = Visit::new(shared, claim).run().await?;
    if let Completion::Done { outcome, schedule: Some(page), .. } = &mut completion {
        page.visited.note(shared.clock.now(), *outcome);
    }
    Visit::new(shared, claim).end_in_the_past(&mut completion).await?;
    Ok(completion)
}

/// The completion of a visit that panicked.
pub(crate) fn panicked(shared: &Shared, claim: &Claim, error: &FetchError) -> Completion {
    let visit = Visit::new(shared, claim);
    visit.fails_alone(error.meaning(visit.page.target()).outcome())
}

impl Visit<'_> {
    async fn run(mut self) -> anyhow::Result<Completion> {
        if let Some(completion) = self.needs_no_request() {
            return Ok(completion);
        }
        if self.is_read_archive().await? {
            return Ok(self.skipped(None));
        }
        // 1. robots.txt.
        let url = self.claim.url.to_url();
        if let Some(completion) = self.robots(&url).await? {
            return Ok(completion);
        }
        // 2. The request.
        let (before, source) = self.known_of_listing().await?;
        let wanted = match self.page.role {
            Role::Listing(ListingKind::Feed | ListingKind::Map | ListingKind::NewsMap) => Wanted::Feed,
            Role::Archive if source.as_ref().is_some_and(|source| source.kind() == SourceKind::Map) => {
                Wanted::Feed
            }
            Role::Listing(_) | Role::Archive => Wanted::Listing,
            // Menus lead to feeds, too.
            Role::Page if self.page.is_in_menu => Wanted::Listing,
            Role::Page | Role::Behind { .. } | Role::Past { .. } | Role::Once => Wanted::Page,
        };
        let browser = match self.browser_for(&url, wanted).await {
            Ok(browser) => browser,
            // The site is not asked for what cannot be loaded.
            Err(error) => return Ok(self.waits_for_browser(&error)),
        };
        // A list of the past is wanted whole, changed or not. What scripts make may change while the page itself does not.
        let sent = if browser.is_none() && source.is_none() && self.may_send_validators(before.as_ref()) {
            self.claim.validators.clone()
        } else {
            Validators::default()
        };
        let started = Instant::now();
        let asked_at = self.shared.clock.now();
        let fetch = page_span!("fetch", otel.kind = "client", server.address = url.host_str());
        let reply = self.shared.fetcher.page(&url, &sent, wanted).instrument(fetch).await;
        self.shared.parts.metrics.fetch_seconds.observe(started.elapsed().as_secs_f64());
        self.now = self.shared.clock.now();
        // 3. What the answer says of the site, whatever it says of the page.
        match &reply.answer {
            Err(error) if error.is_without_answer() => {
                if self.blame(true).await? == Blame::Network {
                    return Ok(self.waits_for_network());
                }
            }
            _ => self.site_is_reached(),
        }
        match &reply.answer {
            Err(FetchError::Busy { .. }) => self.shared.slow_down_busy_site(self.claim).await?,
            _ => self.shared.adapt_to_response_time(self.claim, asked_at.until(self.now)).await?,
        }
        self.not_before = reply.retry_after.map(|wait| self.now.plus(wait.min(LONGEST_WAIT)));
        let target = match &reply.answer {
            Ok(Answer::Redirect { location, .. }) => url.join(location).ok(),
            _ => None,
        };
        let is_shared = match &target {
            Some(target) => self.leads_to_shared_place(target).await?,
            None => false,
        };
        let leads_to = target.as_ref().and_then(canonical).map(|target| target.site());
        let follow = self.follow(&url, &reply, is_shared).await?;
        let followed = match chain::follow(self.shared, self.claim, wanted, reply, follow).await? {
            Ok(followed) => followed,
            Err(outcome) => {
                if let Some(site) = leads_to.filter(|site| *site != self.claim.site) {
                    self.note_where_it_leads(&site).await?;
                }
                return self.unreadable(outcome).await;
            }
        };
        let followed = match self.render(browser, followed).await {
            Ok(followed) => followed,
            Err(error) => return self.not_rendered(&error).await,
        };
        self.now = self.shared.clock.now();
        if followed.at != url {
            return self.elsewhere(&url, followed, before, is_shared).await;
        }
        // 4. What the answer means for the page.
        match followed.reply.answer {
            Ok(Answer::Page { mut fetched, validators }) => {
                fetched.listed = match self.page.role {
                    Role::Page | Role::Past { .. } => self.shared.listed.get(&self.claim.url).await,
                    Role::Listing(_) | Role::Behind { .. } | Role::Archive | Role::Once => None,
                };
                // A later "not modified" would speak of the whole page.
                let validators = if fetched.is_cut { Validators::default() } else { validators };
                self.read(*fetched, validators, before).await
            }
            Ok(Answer::NotModified { validators }) => self.not_modified(validators).await,
            Ok(Answer::Redirect { location, is_permanent, .. }) => {
                let redirect = Redirect { at: &url, location: &location, is_permanent };
                self.moved(redirect, before, is_shared).await
            }
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

    /// Whether what may be an article redirects to a place to which other addresses of its site redirected lately.
    async fn leads_to_shared_place(&self, target: &Url) -> anyhow::Result<bool> {
        if self.is_due_once() {
            return Ok(false);
        }
        // The query often holds the way back.
        let place = format!("{}{}", target.host_str().unwrap_or_default(), target.path());
        let others = self.note_repeat(RepeatedEvent::Detour(&place)).await?;
        Ok(self.page.role == Role::Page && (others > 0 || target.path() == "/"))
    }

    /// How far a redirect is followed within this visit.
    async fn follow(&self, url: &Url, reply: &Reply, is_shared: bool) -> anyhow::Result<Follow> {
        let Ok(Answer::Redirect { location, .. }) = &reply.answer else { return Ok(Follow::WithCookies) };
        let is_followed = match self.page.role {
            Role::Listing(_) => !self.leads_to_known_listing(url, location).await?,
            // Perhaps it is a consent page that leads back.
            Role::Page => is_shared,
            Role::Archive => true,
            Role::Behind { .. } | Role::Past { .. } | Role::Once => false,
        };
        Ok(if is_followed { Follow::Always } else { Follow::WithCookies })
    }

    /// Completes a visit whose redirects ended at another address than they began.
    async fn elsewhere(
        self,
        url: &Url,
        Followed { reply, at, is_permanent }: Followed,
        before: Option<Listing>,
        is_shared: bool,
    ) -> anyhow::Result<Completion> {
        match (reply.answer, self.page.role) {
            (Ok(Answer::Page { fetched, .. }), role @ (Role::Listing(_) | Role::Archive)) => {
                let Role::Listing(kind) = role else { return self.archive_elsewhere(&at, *fetched).await };
                self.site_answered_at(&at).await?;
                self.listing_elsewhere(&at, is_permanent, *fetched, kind, before).await
            }
            // The page is a URL of its own.
            (Ok(Answer::Page { .. }), _) => {
                let redirect = Redirect { at: url, location: at.as_str(), is_permanent };
                self.moved(redirect, before, is_shared).await
            }
            (Ok(Answer::Redirect { location, .. }), _) => {
                let redirect = Redirect { at: &at, location: &location, is_permanent };
                self.moved(redirect, before, is_shared).await
            }
            // Nothing that another address answers says that this page is gone, or that its site fails.
            _ => {
                if let Some(target) = canonical(&at) {
                    self.note_where_it_leads(&target.site()).await?;
                }
                self.unreadable(Outcome::RedirectLoop).await
            }
        }
    }

    /// The completion of a page that is not asked for now: it is gone, or its recheck comes too late to be of use.
    fn needs_no_request(&mut self) -> Option<Completion> {
        if self.page.is_read_past() {
            return Some(self.skipped(None));
        }
        if self.page.role != Role::Page {
            return None;
        }
        if self.page.is_gone && self.claim.was.class == Class::Rest {
            return Some(self.skipped(None));
        }
        if self.page.visits.is_late(self.claim.was.due, self.now) {
            let next = self.page.visits.skip(self.now, self.config());
            return Some(self.skipped(next));
        }
        None
    }

    /// What earlier visits of a listing taught, and what it is to the past if it is to be read for that.
    async fn known_of_listing(&mut self) -> anyhow::Result<(Option<Listing>, Option<Source>)> {
        let may_list = match self.page.role {
            Role::Listing(_) | Role::Archive => true,
            Role::Page => self.page.is_in_menu,
            Role::Behind { .. } | Role::Past { .. } | Role::Once => false,
        };
        if !may_list {
            return Ok((None, None));
        }
        let site = self.site_schedule().await?;
        let id = self.listing_id();
        self.may_list_past = site.past().is_some();
        let is_listing = matches!(self.page.role, Role::Listing(_));
        let before = site.listing(id).filter(|_| is_listing).cloned();
        let source = site.past().and_then(|past| past.source(id)).map(|open| open.source.clone());
        Ok((before, source))
    }

    /// Whether to ask only for what changed. `before`: what the visits of a listing had taught until now.
    fn may_send_validators(&self, before: Option<&Listing>) -> bool {
        match self.page.role {
            Role::Listing(_) => before
                .and_then(|listing| listing.full)
                .is_some_and(|full| self.now.0 < full * 1_000 + VALIDATORS_TRUSTED_MS),
            Role::Page | Role::Behind { .. } | Role::Past { .. } | Role::Archive => false,
            // Without their page, validators would only bring a 304 for a page that we do not have.
            Role::Once => self.claim.content.is_some(),
        }
    }

    /// Asks robots.txt. `None`: the page may be fetched now.
    async fn robots(&mut self, url: &Url) -> anyhow::Result<Option<Completion>> {
        let (verdict, asked) = self.shared.robots.verdict_of(url).await;
        // Rules may be those of a day ago.
        if let RobotsVerdict::Unreachable { reason, .. } = &verdict
            && asked
            && !reason.is_without_answer()
        {
            self.site_is_reached();
        }
        let rules = match verdict {
            RobotsVerdict::Rules(rules) => rules,
            RobotsVerdict::Unreachable { reason, .. }
                if reason.is_without_answer() && self.blame(asked).await? == Blame::Network =>
            {
                self.shared.robots.forget_failure(url);
                return Ok(Some(self.waits_for_network()));
            }
            RobotsVerdict::Unreachable { reason, until } => {
                return self.robots_failed(&reason, until).await.map(Some);
            }
        };
        if asked {
            self.shared.apply_crawl_delay(self.claim, &rules.robots).await?;
            if !self.is_due_once() {
                let maps = rules.maps.iter().map(|map| (map.clone(), ListingKind::Map));
                self.add_listings(maps.collect()).await?;
            }
            // The request for robots.txt took this turn and its token.
            return Ok(Some(at_the_next_turn(self.claim)));
        }
        if rules.robots.allows(url) {
            if self.shared.site_files.ask_if_due(&self.claim.site, url, &rules.robots).await {
                return Ok(Some(at_the_next_turn(self.claim)));
            }
            return Ok(None);
        }
        self.unreadable(Outcome::Disallowed).await.map(Some)
    }

    async fn not_modified(mut self, validators: Validators) -> anyhow::Result<Completion> {
        self.page.answered();
        let next = match self.page.role {
            Role::Listing(kind) => self.note_listing_visit(kind, None).await?,
            Role::Page => {
                self.article_is_present().await?;
                self.page.same(self.now, self.config())
            }
            Role::Behind { .. } | Role::Past { .. } | Role::Archive => None,
            Role::Once => self.due_once().after_success(self.now),
        };
        Ok(self.done(Outcome::Unchanged, self.claim.content, validators, next))
    }

    /// Reads what the page shows, and hands it on for mining if that is wanted.
    async fn read(
        mut self,
        fetched: FetchedBody,
        validators: Validators,
        before: Option<Listing>,
    ) -> anyhow::Result<Completion> {
        self.shared.parts.metrics.fetched_bytes.inc_by(fetched.body.len() as u64);
        let mut page_links =
            PageLinks::of(self.claim, self.page, fetched.clone(), self.shared, self.now, self.may_list_past)
                .await?;
        if let Some(target) = &page_links.refresh {
            let url = self.claim.url.to_url();
            let is_shared = self.leads_to_shared_place(&target.to_url()).await?;
            let redirect = Redirect { at: &url, location: target.as_str(), is_permanent: false };
            return self.moved(redirect, before, is_shared).await;
        }
        let is_cut = fetched.is_cut;
        if is_cut && self.page.role == Role::Page && self.claim.content.is_some() && !page_links.is_same {
            // Part of a page never replaces the whole one.
            let next = self.schedule_alone(Outcome::Unreachable).await?;
            return Ok(self.without_page(Outcome::Unreachable, next));
        }
        let is_wall = match page_links.text {
            Some(text) => self.note_repeat(RepeatedEvent::Text(text)).await? >= WALL_ADDRESSES,
            None => false,
        };
        if is_wall {
            tracing::debug!(url = %self.claim.url, "the page shows what other addresses of its site show");
            self.site_answered().await?;
            self.note_vanished(Vanished::OtherPage, None).await?;
            return self.unreadable(Outcome::Empty).await;
        }
        if page_links.is_no_article
            && !self.page.is_gone
            && let Some(again) = self.look_again(Vanished::OtherPage, MOVED).await?
        {
            // A maintenance page, or a login: it is handed on once later visits confirm it.
            self.site_answered().await?;
            return Ok(self.without_page(Outcome::Unchanged, Some(again)));
        }
        if let (Role::Page, Some(kind)) = (self.page.role, page_links.kind) {
            self.page.role = Role::Listing(kind);
        }
        if self.shared.config.noindex == Noindex::Record {
            page_links.is_noindex = false;
        }
        match self.page.role {
            Role::Listing(kind) => {
                let before = before.unwrap_or_else(|| Listing::new(self.claim.url.clone(), kind));
                page_links.drop_invented_queries(before.mark);
                let next = self.take_in_listing(&page_links, kind, &before).await?;
                self.page.answered();
                if is_cut {
                    // What it shows is news; what it does not show says nothing.
                    let next = next.map(|next| self.soon(next));
                    return Ok(self.done(Outcome::Fetched, self.claim.content, validators, next));
                }
                if page_links.is_noindex {
                    return self.noindex(validators, next).await;
                }
                // What other listings say of a listing is no evidence of an article.
                let fetched = FetchedBody { listed: None, ..fetched };
                let (outcome, content) = self.mine_listing(&page_links, fetched).await?;
                Ok(self.done(outcome, content, validators, next))
            }
            Role::Behind { depth, mark } => {
                self.site_answered().await?;
                self.take_in_page_behind(&page_links, depth, mark).await?;
                self.page.answered();
                Ok(self.done(Outcome::Fetched, self.claim.content, validators, None))
            }
            Role::Page => {
                if page_links.is_no_article || page_links.is_noindex {
                    self.site_answered().await?;
                } else {
                    self.article_is_present().await?;
                }
                if !page_links.is_same {
                    self.page.stories = page_links.stories();
                    let with_the_news = if self.links_to_news(&page_links) { u64::MAX } else { 0 };
                    self.add_stories(&page_links, None, with_the_news).await?;
                }
                if page_links.is_noindex {
                    // The miner never hears of it, so the page is counted here, at its first reading.
                    let was_read = self
                        .page
                        .visited
                        .iter()
                        .any(|visit| visit.outcome == Outcome::Noindex || visit.verdict.is_some());
                    if !was_read {
                        let now = self.now;
                        self.teach(|site| site.read_other(false, now)).await?;
                    }
                    let next = self.schedule_alone(Outcome::Noindex).await?;
                    return self.noindex(validators, next).await;
                }
                self.page.answered();
                self.mine_page(fetched, page_links, validators).await
            }
            Role::Archive => self.read_archive(&page_links, Outcome::Fetched).await,
            Role::Past { .. } => {
                self.site_answered().await?;
                if page_links.is_noindex {
                    return self.noindex(validators, None).await;
                }
                if !page_links.is_html {
                    return self.unreadable(Outcome::NotHtml).await;
                }
                self.page.answered();
                self.mine_page(fetched, page_links, validators).await
            }
            Role::Once => {
                if page_links.is_noindex {
                    return self.noindex(validators, None).await;
                }
                self.mine_page(fetched, page_links, validators).await
            }
        }
    }

    /// The end of every visit of a page that must not be mined. It has no content, so that the same bytes are handed
    /// on should they be free again.
    async fn noindex(mut self, validators: Validators, next: Option<Next>) -> anyhow::Result<Completion> {
        self.end(Ending::Noindex).await?;
        Ok(self.done(Outcome::Noindex, None, validators, next))
    }

    /// Whether what a page links to that is no listing is read with the news: if it is an article. A page that is none may link
    /// to others like it for ever, as a calendar does to its next month; and so may what comes from the backlog or a menu.
    fn links_to_news(&self, page_links: &PageLinks) -> bool {
        let is_news = self.claim.was.class == Class::New && !self.page.is_in_menu;
        let was_article = self.page.visits.first.is_some();
        was_article || (is_news && page_links.is_article.unwrap_or(true))
    }

    /// The next visit of a listing of which a part was read.
    pub(super) fn soon(&self, next: Next) -> Next {
        Next { due: next.due.min(self.now.plus(AFTER_CUT)), ..next }
    }

    /// Hands a page on whose text may be an article, unless it is as it was.
    async fn mine_page(
        mut self,
        mut fetched: FetchedBody,
        page_links: PageLinks,
        validators: Validators,
    ) -> anyhow::Result<Completion> {
        let is_same = page_links.is_same;
        self.keep_rights(&fetched, page_links.rights, is_same).await;
        // A page that the miner has not reported back may have been lost on its way, so it is handed over again. The
        // miner never reports pages that are due once; after a crash it finds them in the frontier.
        let mut is_known = self.is_due_once() || (self.page.is_told && !self.page.is_to_be_shown(self.now));
        // The same content keeps the first note that it was archived with; one without any is handed on again once there is one.
        if is_same && (fetched.listed.is_some() || !is_known) {
            let archived = self.archived_note().await;
            is_known &= archived.is_some() || fetched.listed.is_none();
            fetched.listed = archived.or(fetched.listed);
        }
        let content = self.archive_and_publish(is_known, fetched).await?;
        let next = match (self.is_due_once(), content) {
            (true, _) => self.due_once().after_success(self.now),
            (false, Some(_)) => Some(self.page.hand_on(self.now, self.config())),
            (false, None) => self.page.same(self.now, self.config()),
        };
        let outcome = if content.is_some() { Outcome::Fetched } else { Outcome::Unchanged };
        Ok(self.done(outcome, content.or(self.claim.content), validators, next))
    }

    /// Hands a listing on for mining if it is a page that changed, and not too soon after the last time. Returns
    /// the visit's outcome, and the content that was handed on last.
    async fn mine_listing(
        &mut self,
        page_links: &PageLinks,
        fetched: FetchedBody,
    ) -> anyhow::Result<(Outcome, Option<ContentHash>)> {
        let wait = self.config().mine_again_s;
        let is_soon = self.page.handed_on.is_some_and(|last| self.now.0 / 1_000 < last + wait);
        if !page_links.is_html || is_soon {
            return Ok((Outcome::Fetched, self.claim.content));
        }
        let is_known = !self.page.is_to_be_shown(self.now);
        let Some(content) = self.archive_and_publish(is_known, fetched).await? else {
            return Ok((Outcome::Unchanged, self.claim.content));
        };
        (self.page.handed_on, self.page.is_gone) = (Some(self.now.0 / 1_000), false);
        Ok((Outcome::Fetched, Some(content)))
    }
}
