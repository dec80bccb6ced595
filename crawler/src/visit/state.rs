//! A visit in progress: what it works on, what it changes, and how it ends.
//!
//! The steps of a visit are methods of [`Visit`] in the modules beside this one. Here are the ones that several of them
//! need: to change the site's schedule, to hand a page to the miner, and to complete the claim.

use anyhow::Context as _;
use newslode_common::message::{Ending, FetchedPage, GonePage, envelope};
use newslode_common::outcome::Outcome;
use newslode_common::rights::{Rights, read_rights, rights_key};
use newslode_common::schedule::{
    DueOnce, ListingId, Next, PageSchedule, RepeatedEvent, Role, ScheduleConfig, SiteSchedule, name,
};
use newslode_common::store::teach::teach;
use newslode_common::store::{Claim, Completion, Kind, Validators};
use newslode_common::version::ContentHash;
use newslode_page::reading::{Listed, canonical};
use newslode_page::time::Timestamp;
use url::Url;

use crate::fetch::FetchedBody;
use crate::publish;
use crate::shared::Shared;

/// A visit in progress.
#[derive(Clone, Copy)]
pub(super) struct Visit<'v> {
    pub(super) shared: &'v Shared,
    pub(super) claim: &'v Claim,
    /// The page's schedule: at first as it was claimed.
    pub(super) page: PageSchedule,
    pub(super) now: Timestamp,
    /// When the server wants this URL to be asked for again at the earliest.
    pub(super) not_before: Option<Timestamp>,
    /// Whether an operator asked for the past of the site, and this page may list some of it.
    pub(super) may_list_past: bool,
}

impl<'v> Visit<'v> {
    pub(super) fn new(shared: &'v Shared, claim: &'v Claim) -> Visit<'v> {
        Visit {
            shared,
            claim,
            page: PageSchedule::of_record(claim.schedule),
            now: shared.clock.now(),
            not_before: None,
            may_list_past: false,
        }
    }

    pub(super) fn is_due_once(&self) -> bool {
        self.page.role == Role::Once
    }

    /// The numbers of the schedule that follows the news.
    pub(super) fn config(&self) -> &'v ScheduleConfig {
        &self.shared.schedule
    }

    /// The numbers of pages that are due once.
    pub(super) fn due_once(&self) -> DueOnce {
        let config = &self.shared.config;
        DueOnce { retry_ms: config.retry_ms, max_attempts: config.max_attempts, revisit_s: config.revisit_s }
    }

    /// The name of this URL as a listing of its site.
    pub(super) fn listing_id(&self) -> ListingId {
        ListingId::of(&self.claim.url)
    }

    /// Changes the site's schedule.
    pub(super) async fn teach<T>(&self, lesson: impl Fn(&mut SiteSchedule) -> T) -> anyhow::Result<T> {
        let (frontier, site) = (self.shared.parts.frontier.as_ref(), &self.claim.site);
        let teaching = || teach(frontier, site, self.config(), self.now, &lesson);
        self.shared.retry_store_call(teaching).await.context("cannot change a site's schedule")
    }

    pub(super) async fn site_schedule(&self) -> anyhow::Result<SiteSchedule> {
        let frontier = &self.shared.parts.frontier;
        let reading = || frontier.schedule(&self.claim.site);
        let (schedule, _) =
            self.shared.retry_store_call(reading).await.context("cannot read a site's schedule")?;
        Ok(schedule)
    }

    /// Records an event of this address. Returns how many other addresses of the site had the same event lately.
    pub(super) async fn note_repeat(&self, event: RepeatedEvent<'_>) -> anyhow::Result<usize> {
        let (url, now) = (&self.claim.url, self.now);
        self.teach(|site| site.note_repeat(event, url, now)).await
    }

    /// Notes that the site answered, even if not with the page. For pages that are due once nobody asks how their site is:
    /// they wait for nothing but their own next try.
    pub(super) async fn site_answered(&self) -> anyhow::Result<()> {
        if self.is_due_once() {
            return Ok(());
        }
        let (origin, now) = (self.claim.url.origin(), self.now);
        self.teach(|site| site.answered(origin, now)).await
    }

    /// Records that the site answered after a redirect: both the origin of the claimed address and that of `at`.
    pub(super) async fn site_answered_at(&self, at: &Url) -> anyhow::Result<()> {
        let (origin, now) = (self.claim.url.origin(), self.now);
        let target = canonical(at).filter(|target| target.site() == self.claim.site);
        self.teach(|site| {
            site.answered(origin, now);
            target.iter().for_each(|target| site.answered(target.origin(), now));
        })
        .await
    }

    /// Records that the site answered, and, if the page was read as an article before, that the article is still there.
    pub(super) async fn article_is_present(&self) -> anyhow::Result<()> {
        if self.page.visits.first.is_none() {
            return self.site_answered().await;
        }
        let (article, origin, now) = (name(self.claim.url.as_str()), self.claim.url.origin(), self.now);
        self.teach(|site| site.note_present(article, origin, now)).await
    }

    /// What a listing says of the page as it was archived last; `None` also if that page cannot be read.
    pub(super) async fn archived_note(&self) -> Option<Listed> {
        let sealed = self.shared.parts.archive.get(Kind::Page, self.claim.content?).await.ok()??;
        envelope::open::<FetchedPage>(&sealed).ok()?.listed
    }

    /// Keeps what is said of the uses of a page that is handed on: by its headers, its elements (`markup`) and the files of its
    /// origin. The same page again keeps what was said before: the stricter holds. Without the record rights are unknown, so
    /// an archive that fails costs nothing else.
    pub(super) async fn keep_rights(&self, fetched: &FetchedBody, markup: Rights, is_same: bool) {
        let url = &self.claim.url;
        let mut rights = fetched.rights.clone();
        rights.add_all(markup);
        rights.add_all(self.shared.robots.rights_of(&url.to_url()));
        rights.add_all(self.shared.site_files.rights_of(&self.claim.site, &url.to_url()));
        let archive = &self.shared.parts.archive;
        let key = rights_key(url);
        let keeping = async {
            if self.claim.content.is_some() {
                let before = read_rights(archive.as_ref(), url).await?;
                if is_same {
                    let mut both = before.clone();
                    both.add_all(std::mem::take(&mut rights));
                    rights = both;
                }
                if rights.is_same(&before) {
                    return Ok(());
                }
            }
            match (rights.is_empty(), serde_json::to_vec(&rights)) {
                (false, Ok(json)) => archive.put(Kind::Rights, key, json.into(), self.now).await,
                _ => archive.delete(Kind::Rights, key).await,
            }
        };
        if let Err(error) = keeping.await {
            tracing::warn!(%url, %error, "cannot keep what is said of the uses of a page; they are unknown until it is fetched again");
        }
    }

    /// Hands a page on for mining: archives it, then publishes it. `None`: the miner has it already; that is so if
    /// the bytes are the last ones and `is_known`.
    pub(super) async fn archive_and_publish(
        &self,
        is_known: bool,
        fetched: FetchedBody,
    ) -> anyhow::Result<Option<ContentHash>> {
        let claim = Claim { content: self.claim.content.filter(|_| is_known), ..self.claim.clone() };
        let Some(page) = publish::seal_page(&claim, fetched, self.now).await? else {
            return Ok(None);
        };
        let content = page.content;
        publish::archive_and_publish(&self.shared.parts, &self.shared.outages, page, self.now).await?;
        Ok(Some(content))
    }

    /// Tells the miner, once, that a page which was handed on must no longer be kept. A page that is due once keeps
    /// what it said when it was read.
    pub(super) async fn end(&mut self, ending: Ending) -> anyhow::Result<()> {
        if self.claim.content.is_some() && !self.page.is_gone && !self.is_due_once() {
            self.tell_miner(ending).await?;
            self.page.is_gone = true;
        }
        Ok(())
    }

    /// Tells the miner how a page ended.
    pub(super) async fn tell_miner(&self, ending: Ending) -> anyhow::Result<()> {
        let Claim { url, site, fetch, .. } = self.claim;
        let gone = GonePage { url: url.clone(), site: site.clone(), fetch: *fetch, at: self.now, ending };
        publish::publish_gone(&self.shared.parts, &self.shared.outages, &gone).await
    }

    /// The completion of a visit with this outcome.
    pub(super) fn done(
        &self,
        outcome: Outcome,
        content: Option<ContentHash>,
        validators: Validators,
        next: Option<Next>,
    ) -> Completion {
        let wait = |next: Next| Next { due: next.due.max(self.not_before.unwrap_or_default()), ..next };
        let next = next.map(wait);
        Completion::Done { outcome, content, validators, next, schedule: self.page.into_record() }
    }

    /// The completion of a visit that brought no page. The record keeps what it had of the page before.
    pub(super) fn without_page(&self, outcome: Outcome, next: Option<Next>) -> Completion {
        self.done(outcome, self.claim.content, self.claim.validators.clone(), next)
    }

    /// The completion of a claim for which no request was needed.
    pub(super) fn skipped(&self, next: Option<Next>) -> Completion {
        Completion::Skipped { next, schedule: self.page.into_record() }
    }
}

/// The completion of a claim whose turn passed without a request for the page: it waits for the next turn.
pub(crate) fn at_the_next_turn(claim: &Claim) -> Completion {
    Completion::Retry { due: claim.was.due, counts: false, rest_site_until: None }
}
