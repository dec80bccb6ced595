//! Redirects: the target takes the page's place.
//!
//! A claim follows at most one redirect. The target becomes a URL of its own in the frontier, one hop further, and waits
//! for its site's turn like any other. So no redirect escapes politeness, budgets, robots.txt or the address guard, and
//! a circle ends at a known URL. Start at [`Visit::moved`].

use anyhow::Context as _;
use newslode_common::message::Ending;
use newslode_common::outcome::Outcome;
use newslode_common::schedule::{Class, ListingKind, PageSchedule, Role, SiteSchedule};
use newslode_common::store::teach::teach;
use newslode_common::store::{Again, Completion, NewUrl, Why};
use newslode_page::reading::{CanonicalUrl, resolve};
use url::Url;

use super::state::Visit;

impl Visit<'_> {
    /// Completes a visit that was redirected. The old address of a listing is asked for weekly.
    pub(super) async fn moved(mut self, url: &Url, location: &str) -> anyhow::Result<Completion> {
        self.site_answered().await?;
        let Some(target) = resolve(url, location) else { return self.unreadable(Outcome::NotHtml).await };
        let is_loop = target == self.claim.url || self.claim.hops >= self.shared.config.max_redirects;
        if is_loop || !self.admits(&target).await? {
            return self.unreadable(Outcome::RedirectLoop).await;
        }
        self.end(Ending::Moved(target.clone())).await?;
        let is_story = self.page.role == Role::Page && self.page.by.is_some();
        if is_story && self.claim.content.is_none() {
            // Nothing was read at this address, but it is another address of the story at the target.
            self.tell_miner(Ending::Moved(target.clone())).await?;
        }
        let next = match self.page.role {
            Role::Listing(kind) => {
                self.move_listing(target, kind).await?;
                Some(SiteSchedule::moved(self.now))
            }
            Role::Page => {
                let schedule = PageSchedule {
                    is_in_menu: self.page.is_in_menu,
                    met: self.page.met,
                    ..PageSchedule::page(self.page.by, self.now)
                };
                self.add_target(target, self.claim.was.class, schedule).await?;
                self.stays_after_end()
            }
            Role::Once => {
                self.add_target(target, self.claim.was.class, self.page).await?;
                None
            }
            Role::Behind { .. } => None,
        };
        Ok(self.without_page(Outcome::Redirected, next))
    }

    async fn move_listing(&self, target: CanonicalUrl, kind: ListingKind) -> anyhow::Result<()> {
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
