//! Redirects.
//!
//! A single redirect proves nothing: it may be a maintenance page, a login, a consent wall or another site's page for half an
//! hour. So nothing moves because of one.
//!
//! A listing is read where it leads ([`chain`](crate::chain)), keeps its address, and is asked for at its own pace. The
//! target is a listing of its own from then on only if the listing never showed anything at its own address, or if it has
//! redirected there for good for a day, several times in a row; then the old address is asked for weekly.
//!
//! An article that was read before has moved when a second visit, a day later, is redirected, too. At an address where
//! nothing was read yet, the target is another address of the story, and becomes a URL of its own, one hop further; a
//! temporary redirect is asked for once more after an hour. If several addresses lead to the same place, it is none of
//! their stories: nothing is believed, and they are asked for again. Start at [`Visit::listing_elsewhere`] and
//! [`Visit::moved`].

use anyhow::Context as _;
use newslode_common::config::Noindex;
use newslode_common::message::Ending;
use newslode_common::outcome::Outcome;
use newslode_common::schedule::outcome::{LOOK_AGAIN, MOVED};
use newslode_common::schedule::{
    Class, Listing, ListingId, ListingKind, Next, PageSchedule, PastRead, Role, SiteSchedule, Vanished, name,
};
use newslode_common::store::teach::teach;
use newslode_common::store::{Again, Claim, Completion, NewUrl, Validators, Why};
use newslode_page::reading::{CanonicalUrl, Site, canonical, resolve};
use url::Url;

use super::page_links::PageLinks;
use super::state::Visit;
use crate::fetch::FetchedBody;

/// A listing moves after this many visits in a row that its address redirected for good to the same target.
const MOVES_AFTER: u32 = 3;
/// And after this time, in seconds.
const MOVES_AFTER_S: u64 = 86_400;

/// A redirect that was not followed further.
#[derive(Clone, Copy)]
pub(super) struct Redirect<'r> {
    /// The address that redirects.
    pub(super) at: &'r Url,
    /// The `Location`.
    pub(super) location: &'r str,
    /// Whether it says that the page has moved for good.
    pub(super) is_permanent: bool,
}

impl Visit<'_> {
    /// Whether the answer leads to a listing that is visited anyway, so that it need not be followed.
    pub(super) async fn leads_to_known_listing(&self, at: &Url, location: &str) -> anyhow::Result<bool> {
        let Some(target) = resolve(at, location).filter(|target| *target != self.claim.url) else {
            return Ok(false);
        };
        self.is_listing(&target).await
    }

    async fn is_listing(&self, target: &CanonicalUrl) -> anyhow::Result<bool> {
        let frontier = &self.shared.parts.frontier;
        let site = target.site();
        let reading = || frontier.schedule(&site);
        let known = self.shared.retry_store_call(reading).await.context("cannot read a site's schedule")?;
        Ok(known.0.listing(ListingId::of(target)).is_some())
    }

    /// Completes the visit of a listing whose page was found at another address. Its links are links of the listing.
    pub(super) async fn listing_elsewhere(
        mut self,
        at: &Url,
        is_permanent: bool,
        fetched: FetchedBody,
        kind: ListingKind,
        before: Option<Listing>,
    ) -> anyhow::Result<Completion> {
        let Some(target) = canonical(at) else { return self.unreadable(Outcome::RedirectLoop).await };
        self.note_where_it_leads(&target.site()).await?;
        let redirects = self.page.missed;
        let place = Claim { url: target.clone(), content: None, ..self.claim.clone() };
        let mut page_links =
            PageLinks::of(&place, self.page, fetched.clone(), self.shared, self.now, self.may_list_past)
                .await?;
        let before = before.unwrap_or_else(|| Listing::new(self.claim.url.clone(), kind));
        page_links.drop_invented_queries(before.mark);
        let next = self.take_in_listing(&page_links, kind, &before).await?;
        self.page.answered();
        self.page.missed = redirects;
        let next = self.after_redirect(&target, kind, is_permanent, &before, next).await?;
        // A page of another host, or one that shows nothing, is not this listing's page.
        let is_own = at.host_str() == self.claim.url.to_url().host_str() && !page_links.stories.is_empty();
        let next = if fetched.is_cut { next.map(|next| self.soon(next)) } else { next };
        let is_noindex = page_links.is_noindex && self.shared.config.noindex == Noindex::Heed;
        let content = match is_own && !is_noindex && !fetched.is_cut {
            true => self.mine_listing(&page_links, fetched).await?.1,
            false => self.claim.content,
        };
        Ok(self.done(Outcome::Redirected, content, Validators::default(), next))
    }

    /// Notes on which site the visit of a listing ended.
    pub(super) async fn note_where_it_leads(&self, site: &Site) -> anyhow::Result<()> {
        if !matches!(self.page.role, Role::Listing(_)) {
            return Ok(());
        }
        let (id, now) = (self.listing_id(), self.now);
        let other = (*site != self.claim.site).then_some(site);
        self.teach(|schedule| schedule.leads_to(id, other, now)).await
    }

    /// When the listing is asked for next, and whether the target becomes a listing of its own.
    async fn after_redirect(
        &mut self,
        target: &CanonicalUrl,
        kind: ListingKind,
        is_permanent: bool,
        before: &Listing,
        next: Option<Next>,
    ) -> anyhow::Result<Option<Next>> {
        // 1. How often in a row, and since when, it has led there for good.
        let key = if is_permanent { name(target.as_str()) } else { 0 };
        let is_same = is_permanent && self.page.text == key;
        self.page.missed = if is_same { self.page.missed.saturating_add(1) } else { u32::from(is_permanent) };
        self.page.text = key;
        let now = self.now.0 / 1_000;
        let since = before.absent.filter(|_| is_same).unwrap_or(now);
        if is_permanent {
            let id = self.listing_id();
            self.teach(|site| site.redirects_since(id, since)).await?;
        }
        let has_moved = self.page.missed >= MOVES_AFTER && now >= since + MOVES_AFTER_S;
        // 2. A listing that never showed anything at its own address may be known by an old one.
        let is_new = before.full.is_none();
        if (has_moved || is_new) && self.admits(target).await? {
            self.meet_target(target.clone(), kind).await?;
        }
        Ok(if has_moved { Some(SiteSchedule::moved(self.now)) } else { next })
    }

    /// Completes a visit that was redirected and whose target was not read. `is_shared`: other addresses lead to the same place.
    pub(super) async fn moved(
        mut self,
        redirect: Redirect<'_>,
        before: Option<Listing>,
        is_shared: bool,
    ) -> anyhow::Result<Completion> {
        self.site_answered().await?;
        let Some(target) = resolve(redirect.at, redirect.location) else {
            return self.unreadable(Outcome::NotHtml).await;
        };
        self.note_where_it_leads(&target.site()).await?;
        if target == self.claim.url || self.claim.hops >= self.shared.config.max_redirects || is_shared {
            self.note_vanished(Vanished::Moved, None).await?;
            return self.unreadable(Outcome::RedirectLoop).await;
        }
        let next = match self.page.role {
            Role::Listing(kind) => {
                let before = before.unwrap_or_else(|| Listing::new(self.claim.url.clone(), kind));
                let redirects = self.page.missed;
                let next = self.note_listing_visit(kind, None).await?;
                self.page.answered();
                self.page.missed = redirects;
                self.after_redirect(&target, kind, redirect.is_permanent, &before, next).await?
            }
            Role::Page => {
                if !self.admits(&target).await? || self.is_kept_from_reader(&target, redirect).await? {
                    self.note_vanished(Vanished::Moved, None).await?;
                    return self.unreadable(Outcome::RedirectLoop).await;
                }
                self.story_moved(target, redirect.is_permanent).await?
            }
            Role::Once => {
                if !self.admits(&target).await? {
                    return self.unreadable(Outcome::RedirectLoop).await;
                }
                self.add_target(target, self.claim.was.class, self.page).await?;
                None
            }
            Role::Past { .. } => {
                if !self.admits(&target).await? {
                    return self.unreadable(Outcome::RedirectLoop).await;
                }
                self.add_target(target, Class::Past, self.page).await?;
                self.page.past_is_over(PastRead::Moved, self.now)
            }
            Role::Behind { .. } | Role::Archive => None,
        };
        Ok(self.without_page(Outcome::Redirected, next))
    }

    /// Takes in that what may be an article redirects to an address of its own. `None`: it has left.
    async fn story_moved(
        &mut self,
        target: CanonicalUrl,
        is_permanent: bool,
    ) -> anyhow::Result<Option<Next>> {
        let is_known = self.claim.content.is_some() && !self.page.is_gone;
        let is_first = self.page.missed == 0;
        if is_known && let Some(again) = self.look_again(Vanished::Moved, MOVED).await? {
            return Ok(Some(again));
        }
        self.end(Ending::Moved(target.clone())).await?;
        if self.page.by.is_some() && self.claim.content.is_none() {
            // Nothing was read at this address, but it is another address of the story at the target.
            self.tell_miner(Ending::Moved(target.clone())).await?;
        }
        let (is_in_menu, met) = (self.page.is_in_menu, self.page.met);
        let schedule = PageSchedule { is_in_menu, met, ..PageSchedule::page(self.page.by, self.now) };
        self.add_target(target, self.claim.was.class, schedule).await?;
        if !is_known && is_first && !is_permanent {
            self.page.missed = 1;
            let due = self.now.plus(LOOK_AGAIN);
            return Ok(Some(Next { due, class: Class::Recheck }));
        }
        Ok(self.stays_after_end())
    }

    /// Whether a story that was never read redirects again for a while, and no article was read at the target since the first time.
    /// Then the target may be a login or a maintenance page whose address holds the way back, so that each story has its own.
    async fn is_kept_from_reader(
        &self,
        target: &CanonicalUrl,
        redirect: Redirect<'_>,
    ) -> anyhow::Result<bool> {
        if redirect.is_permanent || self.page.missed == 0 || self.claim.content.is_some() {
            return Ok(false);
        }
        let frontier = &self.shared.parts.frontier;
        let entry = self
            .shared
            .retry_store_call(|| frontier.entry(target))
            .await
            .context("cannot read the record of a redirect's target")?;
        // A page that left the frontier was a twin of an article, or has had its visits.
        Ok(entry
            .map(|entry| PageSchedule::of_record(entry.schedule))
            .is_some_and(|page| page.role == Role::Page && page.text == 0))
    }

    /// Makes the target of a redirect a listing of its own, if it is none yet.
    async fn meet_target(&self, target: CanonicalUrl, kind: ListingKind) -> anyhow::Result<()> {
        let site = target.site();
        let (frontier, config, now) = (self.shared.parts.frontier.as_ref(), self.config(), self.now);
        let meeting = || teach(frontier, &site, config, now, |schedule| schedule.meet(&target, kind));
        let is_new =
            self.shared.retry_store_call(meeting).await.context("cannot change a site's schedule")?;
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
        let new = NewUrl { class, again, schedule: schedule.into_record(), ..once };
        let adding = || self.shared.parts.frontier.add(std::slice::from_ref(&new), self.now);
        let added = self.shared.retry_store_call(adding).await.context("cannot add a redirect's target")?;
        if added.over_budget > 0 && self.claim.why == Why::Seed {
            tracing::warn!(url = %self.claim.url, target = %new.url,
                "a seed's redirect is not followed: the site's page budget of the day is spent");
        }
        Ok(())
    }

    /// Whether a redirect's target may enter the frontier. It may inside its site, or from a seed, since a site
    /// may have moved away from the seed's address. The new site then gets the seed's limits.
    async fn admits(&self, target: &CanonicalUrl) -> anyhow::Result<bool> {
        let (shared, claim, site) = (self.shared, self.claim, target.site());
        if site == claim.site {
            return Ok(true);
        }
        if claim.why != Why::Seed {
            return Ok(false);
        }
        let frontier = &shared.parts.frontier;
        let known = shared
            .retry_store_call(|| frontier.site(&site))
            .await
            .context("cannot read a site's settings")?;
        if known.is_some() {
            return Ok(true);
        }
        let own = shared
            .retry_store_call(|| frontier.site(&claim.site))
            .await
            .context("cannot read a site's settings")?;
        // The site was removed meanwhile, so its redirect no longer matters.
        let Some(settings) = own else { return Ok(false) };
        shared.retry_store_call(|| frontier.put_site(&site, &settings)).await.context("cannot add a site")?;
        tracing::info!(seed = %claim.url, %site,
            "the seed redirects to another site, which is crawled with its limits");
        Ok(true)
    }
}
