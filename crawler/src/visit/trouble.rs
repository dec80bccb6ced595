//! Visits that could not read their page: by the outcome table the page waits, or its whole site rests.

use std::time::Duration;

use anyhow::Context as _;
use newslode_common::message::{Ending, GonePage};
use newslode_common::outcome::Outcome;
use newslode_common::schedule::outcome::{Consequence, Target, consequence};
use newslode_common::schedule::{Class, Next, PageSchedule, Role, SiteSchedule, Trouble};
use newslode_common::store::teach::rest;
use newslode_common::store::{Claim, Completion, Why};
use newslode_page::time::Timestamp;

use super::{Visit, kept};
use crate::error::FetchError;
use crate::fetch;
use crate::publish;

/// After a block other pages are asked for first: a page that is refused alone must not let its site rest again and
/// again. In milliseconds.
const OTHERS_FIRST: u64 = 300_000;
/// A page that is gone leaves after this.
const FAREWELL: Duration = Duration::from_secs(86_400);

/// The next visit of a page that fails while its site answers.
pub(super) fn alone(known: &mut PageSchedule, outcome: Outcome, now: Timestamp) -> Option<Next> {
    match consequence(outcome, known.target()) {
        Consequence::SiteRests(_, waits) | Consequence::Waits(waits) => known.unreadable(waits, now),
        Consequence::Absent(waits) => known.not_found(waits, now),
        Consequence::Schedule | Consequence::Moves | Consequence::Leaves => None,
    }
}

impl Visit<'_> {
    /// What follows from a visit that could not read its page.
    pub(super) async fn unreadable(mut self, outcome: Outcome) -> anyhow::Result<Completion> {
        match (consequence(outcome, self.known.target()), self.known.role) {
            (Consequence::SiteRests(trouble, _), _) => self.rest(outcome, trouble, None).await,
            (Consequence::Absent(_), Role::Listing(kind)) => {
                let (id, now) = (self.id(), self.now);
                let next = self
                    .teach(|site| {
                        site.meet(&self.claim.url, kind);
                        site.miss(id, now)
                    })
                    .await?;
                self.known.missed = self.known.missed.saturating_add(1);
                self.end_if_over(outcome).await?;
                Ok(kept(self.claim, outcome, next, self.known))
            }
            _ => {
                let next = self.waits_alone(outcome).await?;
                self.end_if_over(outcome).await?;
                Ok(kept(self.claim, outcome, next.or_else(|| self.farewell()), self.known))
            }
        }
    }

    /// The next visit of a page that fails while its site answers. That it leaves unread is noted.
    pub(super) async fn waits_alone(&mut self, outcome: Outcome) -> anyhow::Result<Option<Next>> {
        let next = alone(&mut self.known, outcome, self.now);
        let is_unread = self.known.visits.first.is_none() && next.is_none();
        if let Some(day) = self.known.shown_on().filter(|_| is_unread) {
            self.teach(|site| site.leave_unread(day, outcome, self.now)).await?;
        }
        Ok(next)
    }

    /// A page that the miner was told is gone stays for a day: if the message is lost with its process, it is sent
    /// again from the page's record.
    pub(super) fn farewell(&self) -> Option<Next> {
        let due = self.now.plus(FAREWELL);
        self.known.is_gone.then_some(Next { due, class: Class::Rest })
    }

    /// Tells the miner of a page that is gone, once a second visit has confirmed it, or that is forbidden now.
    async fn end_if_over(&mut self, outcome: Outcome) -> anyhow::Result<()> {
        match outcome {
            Outcome::Gone if self.known.missed >= 2 => self.end(Ending::NotFound).await,
            Outcome::Disallowed => self.end(Ending::Disallowed).await,
            _ => Ok(()),
        }
    }

    /// Tells the miner, once, that a page which was handed on is not to be kept.
    pub(super) async fn end(&mut self, ending: Ending) -> anyhow::Result<()> {
        if self.claim.content.is_some() && !self.known.is_gone {
            self.tell_of(ending).await?;
            self.known.is_gone = true;
        }
        Ok(())
    }

    /// Tells the miner how a page ended.
    pub(super) async fn tell_of(&self, ending: Ending) -> anyhow::Result<()> {
        let Claim { url, site, fetch, .. } = self.claim;
        let gone = GonePage { url: url.clone(), site: site.clone(), fetch: *fetch, at: self.now, ending };
        publish::tell_gone(&self.shared.parts, &self.shared.outages, &gone).await
    }

    /// A status that is neither a success, nor "not found", nor the server's own failure. Only 403 says that we
    /// are not welcome; others say something of the page alone.
    pub(super) async fn refused(mut self, status: u16) -> anyhow::Result<Completion> {
        tracing::debug!(url = %self.claim.url, status, "refused");
        if status == 403 {
            return self.rest(Outcome::Refused, Trouble::Blocked(None), None).await;
        }
        let next = self.waits_alone(Outcome::Refused).await?;
        Ok(kept(self.claim, Outcome::Refused, next, self.known))
    }

    /// A fetch without a usable answer.
    pub(super) async fn failed(self, error: &FetchError) -> anyhow::Result<Completion> {
        self.tell(error);
        let (outcome, trouble, wish) = match error {
            FetchError::PrivateAddress(_) => return self.unreadable(Outcome::PrivateAddress).await,
            FetchError::TooLarge { .. } => return self.unreadable(Outcome::TooLarge).await,
            FetchError::Busy { status: 429, retry_after, .. } => {
                let wish = retry_after.map(|wait| wait.as_secs().max(1));
                (Outcome::Refused, Trouble::Blocked(wish), None)
            }
            FetchError::Busy { retry_after, .. } => (Outcome::ServerError, Trouble::Failing, *retry_after),
            FetchError::Server { .. } => (Outcome::ServerError, Trouble::Failing, None),
            FetchError::Timeout { .. } => (Outcome::Timeout, Trouble::Failing, None),
            FetchError::Connect { .. } | FetchError::Broken { .. } | FetchError::Panicked { .. } => {
                (Outcome::Unreachable, Trouble::Failing, None)
            }
        };
        let wish = wish.map(|wait| self.now.plus(wait.min(crate::error::LONGEST_WAIT)));
        self.rest(outcome, trouble, wish).await
    }

    /// robots.txt could not be read, so nothing of its host may be asked for.
    pub(super) async fn robots_failed(&self, reason: &FetchError) -> anyhow::Result<Completion> {
        self.tell(reason);
        let visit = *self;
        match reason {
            FetchError::PrivateAddress(_) => visit.unreadable(Outcome::PrivateAddress).await,
            _ => visit.rest(Outcome::RobotsUnreachable, Trouble::RobotsUnreachable, None).await,
        }
    }

    /// Of a seed a person wants to know why, once.
    fn tell(&self, error: &FetchError) {
        let error = fetch::chain(error);
        if self.claim.why == Why::Seed && self.known.failed.is_none() {
            tracing::warn!(url = %self.claim.url, error, "a seed cannot be fetched now; it is tried again");
        } else {
            tracing::debug!(url = %self.claim.url, error, "failed");
        }
    }

    /// The site rests, and the page waits as it did. If other pages answered since the page failed before, the page
    /// waits alone.
    async fn rest(
        mut self,
        outcome: Outcome,
        trouble: Trouble,
        wish: Option<Timestamp>,
    ) -> anyhow::Result<Completion> {
        let before = self.known.failed;
        if self.site_schedule().await?.fails_alone(before) {
            let next = self.waits_alone(outcome).await?;
            return Ok(kept(self.claim, outcome, next, self.known));
        }
        let (requests, now) = (self.claim.recent, self.now);
        let (frontier, site, config) = (self.shared.parts.frontier.as_ref(), &self.claim.site, self.config());
        let lesson = |schedule: &mut SiteSchedule| {
            let mut rest = schedule.trouble(trouble, requests, now);
            rest.until = rest.until.max(wish.unwrap_or_default());
            rest
        };
        let resting = || rest(frontier, site, config, now, &lesson);
        let until = self.shared.persist(resting).await.context("cannot let a site rest")?.until;
        tracing::debug!(%site, %outcome, ?until, "the site rests");
        self.known.failed = Some(now.0 / 1_000);
        let is_behind_others =
            matches!(trouble, Trouble::Blocked(_)) && self.known.target() == Target::Article;
        let due = if is_behind_others { Timestamp(until.0 + OTHERS_FIRST) } else { self.claim.was.due };
        let next = Next { due, class: self.claim.was.class };
        Ok(kept(self.claim, outcome, Some(next), self.known))
    }
}
