//! Visits that could not read their page: by the outcome table the page waits, its whole site rests, or the page ends.
//!
//! [`FetchError::meaning`] says what an error means, and the
//! [outcome table](newslode_common::schedule::outcome) what an outcome means for the page. This module carries both
//! out. Start at [`Visit::failed`] and [`Visit::unreadable`].

use std::time::Duration;

use anyhow::Context as _;
use newslode_common::message::Ending;
use newslode_common::outcome::Outcome;
use newslode_common::schedule::outcome::{Consequence, STAYS_AFTER_END, Target, Waits, consequence};
use newslode_common::schedule::{
    AfterFailure, Class, FailedTry, ListingKind, Next, RepeatedEvent, Role, ServerSays, SiteSchedule,
    Trouble, Vanished, name,
};
use newslode_common::store::teach::{rest, teach};
use newslode_common::store::{Completion, Why};
use newslode_page::time::Timestamp;

use super::state::Visit;
use crate::error::{FetchError, LONGEST_WAIT, Meaning, with_causes};
use crate::network::Blame;

/// A page that was blocked waits this much longer than its site rests, in milliseconds, so that other pages are asked
/// for first: a page that is refused alone must not let its site rest again and again.
const OTHERS_FIRST_MS: u64 = 300_000;

impl Visit<'_> {
    /// Completes a visit whose fetch brought no usable answer.
    pub(super) async fn failed(self, error: &FetchError) -> anyhow::Result<Completion> {
        let completion = match error.meaning(self.page.target()) {
            Meaning::NotTaken(outcome) => self.unreadable(outcome).await?,
            Meaning::Fails(outcome) => self.site_fails(outcome).await?,
            Meaning::Busy { outcome, trouble, retry_after } => {
                self.site_is_busy(outcome, trouble, retry_after).await?
            }
            Meaning::OurBug(outcome) => self.fails_alone(outcome),
        };
        self.log(error, &completion);
        Ok(completion)
    }

    /// Completes a visit whose robots.txt could not be read, so nothing of its host may be requested. robots.txt is requested
    /// again at `until`.
    pub(super) async fn robots_failed(
        self,
        error: &FetchError,
        until: Timestamp,
    ) -> anyhow::Result<Completion> {
        let completion = match error.robots_meaning(self.page.target()) {
            Meaning::NotTaken(outcome) => self.unreadable(outcome).await?,
            // An earlier try would be spent on an old answer.
            Meaning::Fails(outcome) | Meaning::OurBug(outcome) if self.is_tried_again(outcome) => {
                self.try_again(outcome, ServerSays::Nothing, until, SiteRests::No)
            }
            Meaning::Busy { outcome, .. } if self.is_tried_again(outcome) => {
                self.try_again(outcome, ServerSays::Nothing, until, SiteRests::UntilNextTry)
            }
            Meaning::Fails(outcome) | Meaning::OurBug(outcome) | Meaning::Busy { outcome, .. } => {
                self.rest(outcome, Trouble::RobotsUnreachable, Wish::default()).await?
            }
        };
        self.log(error, &completion);
        Ok(completion)
    }

    /// Completes a visit that was answered with a status that is neither a success, nor "not found", nor a failure of the
    /// server.
    pub(super) async fn refused(mut self, status: u16) -> anyhow::Result<Completion> {
        tracing::debug!(url = %self.claim.url, status, "refused");
        if status == 403 {
            return self.unreadable(Outcome::Refused).await;
        }
        // A 403 may mean that the site blocks us. Other statuses concern the page alone.
        let next = self.schedule_alone(Outcome::Refused).await?;
        Ok(self.without_page(Outcome::Refused, next))
    }

    /// Completes a visit whose outcome brought no page.
    pub(super) async fn unreadable(mut self, outcome: Outcome) -> anyhow::Result<Completion> {
        let next = match (consequence(outcome, self.page.target()), self.page.role) {
            (Consequence::SiteRests(trouble, _), _) => {
                return self.rest(outcome, trouble, Wish::default()).await;
            }
            (Consequence::TriedAgain, _) => {
                return Ok(self.try_again(outcome, ServerSays::Nothing, self.now, SiteRests::No));
            }
            (Consequence::Absent(_), Role::Listing(kind)) => {
                let (id, now) = (self.listing_id(), self.now);
                let next = self
                    .teach(|site| {
                        site.meet(&self.claim.url, kind);
                        site.miss(id, now)
                    })
                    .await?;
                self.page.missed = self.page.missed.saturating_add(1);
                self.end_if_over(outcome, self.page.missed >= 2).await?;
                next
            }
            (
                Consequence::Schedule
                | Consequence::Waits(_)
                | Consequence::Absent(_)
                | Consequence::Moves
                | Consequence::MovesOnceConfirmed
                | Consequence::IsReadElsewhere
                | Consequence::Leaves
                | Consequence::IsDone
                | Consequence::Ends,
                _,
            ) => {
                let next = self.schedule_alone(outcome).await?;
                self.end_if_over(outcome, next.is_none()).await?;
                next.or_else(|| self.stays_after_end())
            }
        };
        Ok(self.without_page(outcome, next))
    }

    /// Schedules the next visit of a page that fails while its site answers. If there is none and the page was never read,
    /// the site's schedule notes that it left unread.
    pub(super) async fn schedule_alone(&mut self, outcome: Outcome) -> anyhow::Result<Option<Next>> {
        let next = match (outcome, consequence(outcome, self.page.target())) {
            (Outcome::Disallowed, Consequence::Absent(waits)) => {
                self.look_again(Vanished::Forbidden, waits).await?
            }
            (_, Consequence::Absent(waits)) => self.look_again(Vanished::NotFound, waits).await?,
            _ => self.next_alone(outcome),
        };
        let is_unread = self.page.visits.first.is_none() && next.is_none();
        if let Some(day) = self.page.shown_on().filter(|_| is_unread) {
            self.teach(|site| site.leave_unread(day, outcome, self.now)).await?;
        }
        Ok(next)
    }

    fn next_alone(&mut self, outcome: Outcome) -> Option<Next> {
        match consequence(outcome, self.page.target()) {
            Consequence::SiteRests(_, waits) | Consequence::Waits(waits) => {
                self.page.unreadable(waits, self.now)
            }
            Consequence::Absent(waits) => self.page.not_found(waits, self.now),
            Consequence::Schedule
            | Consequence::Moves
            | Consequence::MovesOnceConfirmed
            | Consequence::IsReadElsewhere
            | Consequence::Leaves
            | Consequence::IsDone
            | Consequence::TriedAgain
            | Consequence::Ends => None,
        }
    }

    /// When to ask again for a page that was not found or shows something else; `None` if it is gone. An article that was read
    /// before is kept while that is the trouble of its site.
    pub(super) async fn look_again(&mut self, how: Vanished, waits: Waits) -> anyhow::Result<Option<Next>> {
        let before = self.page.failed.filter(|_| self.page.missed > 0);
        let next = self.page.not_found(waits, self.now);
        let is_of_site = self.note_vanished(how, before).await?;
        if next.is_none() && is_of_site {
            tracing::info!(url = %self.claim.url, ?how,
                "many articles of the site answer so: it may be the site's trouble, and nothing is taken out yet");
            return Ok(self.page.missed_with_others(self.now));
        }
        Ok(next)
    }

    /// Records that the article vanished, if it was read before. `before` is the time of the visit before, if that did not find it
    /// either. Returns whether that is the trouble of its site.
    pub(super) async fn note_vanished(&self, how: Vanished, before: Option<u64>) -> anyhow::Result<bool> {
        let was_read = self.claim.content.is_some() && !self.page.is_gone;
        if self.page.role != Role::Page || !was_read {
            return Ok(false);
        }
        let (article, now) = (name(self.claim.url.as_str()), self.now);
        self.teach(|site| site.note_vanished(article, how, before, now)).await
    }

    /// The completion of a visit that failed for a reason that says nothing of the site.
    pub(super) fn fails_alone(mut self, outcome: Outcome) -> Completion {
        if self.is_tried_again(outcome) {
            return self.try_again(outcome, ServerSays::Nothing, self.now, SiteRests::No);
        }
        let next = self.next_alone(outcome);
        self.without_page(outcome, next)
    }

    /// Keeps the record of a page for a day after the miner was told that it is gone: if the message is lost with its process,
    /// it is sent again from the record.
    pub(super) fn stays_after_end(&self) -> Option<Next> {
        let due = self.now.plus(STAYS_AFTER_END);
        self.page.is_gone.then_some(Next { due, class: Class::Rest })
    }

    /// Tells the miner of a page that is gone or forbidden, once later visits have confirmed it.
    async fn end_if_over(&mut self, outcome: Outcome, is_over: bool) -> anyhow::Result<()> {
        match outcome {
            Outcome::Gone if is_over => self.end(Ending::NotFound).await,
            Outcome::Disallowed if is_over => self.end(Ending::Disallowed).await,
            _ => Ok(()),
        }
    }

    /// Whether the table says that a page with this outcome is tried again instead.
    fn is_tried_again(&self, outcome: Outcome) -> bool {
        consequence(outcome, self.page.target()) == Consequence::TriedAgain
    }

    /// The next try of a page that is due once, not before a time; or its end, if it was tried often enough.
    fn try_again(
        &self,
        outcome: Outcome,
        server: ServerSays,
        not_before: Timestamp,
        site_rests: SiteRests,
    ) -> Completion {
        let counted = self.claim.attempts.saturating_add(1);
        let failed = FailedTry { counted, claim: self.claim.fetch, server };
        match self.due_once().after_failure(failed, self.now) {
            AfterFailure::GiveUp => self.without_page(outcome, None),
            AfterFailure::TryAgain { due, counts } => {
                let due = due.max(not_before).max(self.not_before.unwrap_or_default());
                let rest_site_until = match site_rests {
                    SiteRests::UntilNextTry => Some(due),
                    SiteRests::No => None,
                };
                Completion::Retry { due, counts, rest_site_until }
            }
        }
    }

    /// Completes a visit on which the server, or the way to it, failed. Where pages are due once, the page is tried again and
    /// its site does not rest: a site has many hosts, and one that is gone must not stop the others. That host is not asked
    /// again and again, since its robots.txt is remembered as unreachable.
    async fn site_fails(self, outcome: Outcome) -> anyhow::Result<Completion> {
        if self.is_tried_again(outcome) {
            return Ok(self.try_again(outcome, ServerSays::Nothing, self.now, SiteRests::No));
        }
        self.rest(outcome, Trouble::Failing, Wish::default()).await
    }

    /// Completes a visit on which the server asked us to come back later.
    async fn site_is_busy(
        mut self,
        outcome: Outcome,
        trouble: Trouble,
        retry_after: Option<Duration>,
    ) -> anyhow::Result<Completion> {
        if self.is_due_once() {
            let server = retry_after.map_or(ServerSays::Busy, ServerSays::RetryAfter);
            return Ok(self.try_again(outcome, server, self.now, SiteRests::UntilNextTry));
        }
        // One address may be asked too much of, or be out of order. The front page speaks for the site, and so do two others.
        let is_asked = trouble != Trouble::Failing || retry_after.is_some();
        let is_front = self.page.role == Role::Listing(ListingKind::Front);
        let others = self.note_repeat(RepeatedEvent::Busy).await?;
        if !is_front && others == 0 {
            let wait = retry_after.map(|wait| self.now.plus(wait.min(LONGEST_WAIT)));
            self.not_before = wait.max(self.not_before);
            let trouble = if matches!(trouble, Trouble::Blocked(_)) { Trouble::Busy } else { trouble };
            return self.rest(outcome, trouble, Wish { until: None, is_asked }).await;
        }
        let wish = match trouble {
            // A block holds the wish itself.
            Trouble::Blocked(_) => None,
            Trouble::Failing | Trouble::RobotsUnreachable | Trouble::Busy => retry_after,
        };
        let until = wish.map(|wait| self.now.plus(wait.min(LONGEST_WAIT)));
        self.rest(outcome, trouble, Wish { until, is_asked }).await
    }

    /// Lets the site rest, while the page keeps its place. If other pages answered since this page failed before, or other hosts
    /// answer and its own does not, the page is at fault and waits alone.
    async fn rest(mut self, outcome: Outcome, trouble: Trouble, wish: Wish) -> anyhow::Result<Completion> {
        let before = self.page.failed;
        let site = self.site_schedule().await?;
        let is_stranger = !wish.is_asked && site.is_stranger(self.claim.url.origin());
        if is_stranger || site.fails_alone(before) {
            let next = self.schedule_alone(outcome).await?;
            return Ok(self.without_page(outcome, next));
        }
        let (requests, now) = (self.claim.recent, self.now);
        let (frontier, site, config) = (self.shared.parts.frontier.as_ref(), &self.claim.site, self.config());
        let lesson = |schedule: &mut SiteSchedule| {
            let mut rest = schedule.trouble(trouble, requests, now);
            rest.until = rest.until.max(wish.until.unwrap_or_default());
            if wish.is_asked {
                schedule.asks_to_wait();
            }
            rest
        };
        let resting = || rest(frontier, site, config, now, &lesson);
        let until = self.shared.retry_store_call(resting).await.context("cannot let a site rest")?.until;
        tracing::debug!(%site, %outcome, ?until, "the site rests");
        if matches!(outcome, Outcome::Unreachable | Outcome::Timeout | Outcome::RobotsUnreachable) {
            self.shared.parts.network.blamed(site, trouble);
        }
        self.page.failed = Some(now.0 / 1_000);
        let is_behind_others =
            matches!(trouble, Trouble::Blocked(_) | Trouble::Busy) && self.page.target() == Target::Article;
        let due = if is_behind_others { Timestamp(until.0 + OTHERS_FIRST_MS) } else { self.claim.was.due };
        let next = Next { due, class: self.claim.was.class };
        Ok(self.without_page(outcome, Some(next)))
    }

    /// Whom to blame for a request that nothing answered. `is_new`: the site was asked just now. If it is the network, what sites
    /// were blamed for since the last answer is taken back.
    pub(super) async fn blame(&self, is_new: bool) -> anyhow::Result<Blame> {
        let network = &self.shared.parts.network;
        let blame = match is_new {
            true => network.failed(&self.claim.site, self.shared.clock.now()),
            false if network.outage().is_some() => Blame::Network,
            false => Blame::Site,
        };
        self.shared.parts.metrics.network_down.set(i64::from(blame == Blame::Network));
        for (site, trouble) in network.take_blamed() {
            let (frontier, config, now) = (self.shared.parts.frontier.as_ref(), self.config(), self.now);
            let forgiving = || teach(frontier, &site, config, now, |schedule| schedule.forgive(trouble));
            self.shared.retry_store_call(forgiving).await.context("cannot change a site's schedule")?;
        }
        Ok(blame)
    }

    /// Notes that the site answered, so that there is a network.
    pub(super) fn site_is_reached(&self) {
        self.shared.parts.network.answered(&self.claim.site);
        self.shared.parts.metrics.network_down.set(0);
    }

    /// The completion of a visit while this machine has no network: it says nothing of the page or its site.
    pub(super) fn waits_for_network(&self) -> Completion {
        let now = self.shared.clock.now();
        let due = now.plus(self.shared.parts.network.pause(now));
        Completion::Retry { due, counts: false, rest_site_until: Some(due) }
    }

    /// Logs why a page could not be read. Operators want to know why a seed failed, once.
    fn log(&self, error: &FetchError, completion: &Completion) {
        let (url, error) = (&self.claim.url, with_causes(error));
        let is_seed = self.claim.why == Why::Seed;
        let is_over = matches!(completion, Completion::Done { next: None, .. });
        if is_seed && is_over {
            tracing::warn!(%url, error, "a seed cannot be fetched");
        } else if is_seed && !self.is_due_once() && self.page.failed.is_none() {
            tracing::warn!(%url, error, "a seed cannot be fetched now; it is tried again");
        } else {
            tracing::debug!(%url, error, "failed");
        }
    }
}

/// What a site wishes that rests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Wish {
    /// No request before this time.
    until: Option<Timestamp>,
    /// Whether it asked us to come back later: with a 429, or with a `Retry-After`.
    is_asked: bool,
}

/// Whether the whole site rests until the next try of a page that is due once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SiteRests {
    UntilNextTry,
    No,
}
