//! One attempt on one claim: robots.txt, the request, and the meaning of the answer.
//!
//! A claim follows at most one redirect: the target becomes a URL of its own in the frontier, one hop
//! further, and waits for its site's turn like any other. So no redirect escapes politeness, budgets,
//! robots.txt or the address guard, and a circle ends at a known URL. Start at [`attempt`].

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use bytes::Bytes;
use newslode_common::outcome::Outcome;
use newslode_common::schedule::{Class, Next};
use newslode_common::store::{Claim, Completion, NewUrl, Validators, Why};
use newslode_common::version::ContentHash;
use newslode_page::Page;
use newslode_page::reading::{CanonicalUrl, resolve};
use newslode_page::time::Timestamp;
use tokio::time::Instant;
use url::Url;

use crate::chain;
use crate::directives::Directives;
use crate::error::{Attempt, Fate, FetchError, Policy, doubled};
use crate::fetch::{self, Answer, Wanted};
use crate::publish;
use crate::robots::Verdict;
use crate::shared::Shared;

/// Works on a claim until its completion is known.
///
/// # Errors
/// Only errors that waiting does not solve: a server refuses.
pub(crate) async fn attempt(shared: &Shared, claim: &Claim) -> anyhow::Result<Completion> {
    let url = claim.url.to_url();
    if let Some(completion) = robots_gate(shared, claim, &url).await? {
        return Ok(completion);
    }
    // Without their page, validators would only bring a 304 for a page that we do not have.
    let sent = if claim.content.is_some() { claim.validators.clone() } else { Validators::default() };
    let started = Instant::now();
    let asked_at = shared.clock.now();
    let reply = shared.fetcher.page(&url, &sent, Wanted::Page).await;
    shared.parts.metrics.fetch_seconds.observe(started.elapsed().as_secs_f64());
    let now = shared.clock.now();
    shared.heed_slowness(claim, asked_at.until(now)).await?;
    shared.heed_wish(claim, reply.retry_after).await?;
    let reply = match chain::to_its_end(shared, claim, Wanted::Page, reply).await? {
        Ok(reply) => reply,
        Err(outcome) => return Ok(ended(outcome)),
    };
    let now = shared.clock.now();
    match reply.answer {
        Err(error) => Ok(failed(shared, claim, &error, now)),
        Ok(Answer::Page { content_type, body, validators, directives }) => {
            if asks_not_to_be_mined(shared, claim, directives, content_type.clone(), body.clone()).await? {
                return Ok(ended(Outcome::Noindex));
            }
            take(shared, claim, content_type, body, validators, now).await
        }
        Ok(Answer::NotModified { validators }) => Ok(unchanged(shared, claim, validators, now)),
        Ok(Answer::Redirect { location, .. }) => redirected(shared, claim, &url, &location, now).await,
        Ok(Answer::Gone) => Ok(ended(Outcome::Gone)),
        Ok(Answer::Refused(status)) => {
            tracing::debug!(%url, status, "refused");
            Ok(ended(Outcome::Refused))
        }
        Ok(Answer::NotHtml) => Ok(ended(Outcome::NotHtml)),
        Ok(Answer::Empty) => Ok(ended(Outcome::Empty)),
    }
}

/// The completion of a claim whose fetch failed.
pub(crate) fn failed(shared: &Shared, claim: &Claim, error: &FetchError, now: Timestamp) -> Completion {
    tracing::debug!(url = %claim.url, error = fetch::chain(error), "failed");
    match error.fate(this_attempt(claim), policy(shared)) {
        Fate::End(outcome) => {
            given_up(claim, error);
            ended(outcome)
        }
        Fate::Retry { after, counts, rest_site } => {
            let due = now.plus(after);
            Completion::Retry { due, counts, rest_site_until: rest_site.then_some(due) }
        }
    }
}

fn policy(shared: &Shared) -> Policy {
    let first = Duration::from_millis(shared.config.retry_ms);
    Policy { first, attempts: shared.config.max_attempts }
}

/// Of a seed a person wants to know why.
fn given_up(claim: &Claim, error: &FetchError) {
    if claim.why == Why::Seed {
        tracing::warn!(url = %claim.url, error = fetch::chain(error), "a seed cannot be fetched");
    }
}

fn this_attempt(claim: &Claim) -> Attempt {
    Attempt { counted: claim.attempts.saturating_add(1), claim: claim.fetch }
}

/// Done for good, without a page.
fn ended(outcome: Outcome) -> Completion {
    Completion::Done { outcome, content: None, validators: Validators::default(), next: None, schedule: None }
}

/// Done until the page is fetched again after `crawler.revisit_s`.
fn good(
    shared: &Shared,
    outcome: Outcome,
    content: Option<ContentHash>,
    validators: Validators,
    now: Timestamp,
) -> Completion {
    let revisit = shared.config.revisit_s;
    let due = (revisit > 0).then(|| now.plus(Duration::from_secs(revisit)));
    let next = due.map(|due| Next { due, class: Class::New });
    Completion::Done { outcome, content, validators, next, schedule: None }
}

fn unchanged(shared: &Shared, claim: &Claim, validators: Validators, now: Timestamp) -> Completion {
    good(shared, Outcome::Unchanged, claim.content, validators, now)
}

/// Asks robots.txt. `None`: the page may be fetched.
async fn robots_gate(shared: &Shared, claim: &Claim, url: &Url) -> anyhow::Result<Option<Completion>> {
    let (verdict, asked) = shared.robots.of(url).await;
    let (reason, until) = match verdict {
        Verdict::Rules(rules) => {
            if asked {
                shared.heed_delay(&claim.site, &rules.robots).await?;
            }
            if !rules.robots.is_url_allowed(url) {
                return Ok(Some(ended(Outcome::Disallowed)));
            }
            // The request for robots.txt took this turn; the page waits for the next one.
            return Ok(asked.then(|| Completion::Retry { due: claim.was.due, counts: false, rest_site_until: None }));
        }
        Verdict::Unreachable { reason, until } => (reason, until),
    };
    if matches!(*reason, FetchError::PrivateAddress(_)) {
        given_up(claim, &reason);
        return Ok(Some(ended(Outcome::PrivateAddress)));
    }
    let policy = policy(shared);
    let attempt = this_attempt(claim);
    if attempt.counted >= policy.attempts {
        given_up(claim, &reason);
        return Ok(Some(ended(Outcome::RobotsUnreachable)));
    }
    // Wait until robots.txt is asked for again. Otherwise the attempt would be spent on an old answer.
    let now = shared.clock.now();
    let due = now.plus(doubled(policy.first, attempt.counted)).max(until);
    // A host that asks for a rest gets it for the whole site. A host that is gone does not stop the site's
    // others.
    let rests = match *reason {
        FetchError::Busy { .. } => Some(due),
        FetchError::Connect { .. }
        | FetchError::PrivateAddress(_)
        | FetchError::Timeout { .. }
        | FetchError::Broken { .. }
        | FetchError::Server { .. }
        | FetchError::TooLarge { .. }
        | FetchError::Panicked { .. } => None,
    };
    Ok(Some(Completion::Retry { due, counts: true, rest_site_until: rests }))
}

/// Whether the header or the markup says `noindex`. The markup is read off the reactor.
async fn asks_not_to_be_mined(
    shared: &Shared,
    claim: &Claim,
    directives: Directives,
    content_type: Option<String>,
    body: Bytes,
) -> anyhow::Result<bool> {
    if directives.noindex {
        return Ok(true);
    }
    let (url, token, now) = (claim.url.clone(), shared.config.product_token().to_owned(), shared.clock.now());
    let parsed = shared.parts.parsed.clone();
    let reading = move || {
        let page = Page::parse(&url, content_type.as_deref(), &body);
        let is_noindex = Directives::of_page(&page, &token, now).noindex;
        if !is_noindex {
            parsed.keep(ContentHash::of(&url, content_type.as_deref(), &body), Arc::new(page));
        }
        is_noindex
    };
    tokio::task::spawn_blocking(reading).await.context("reading a page panicked")
}

/// Archives and publishes a page, unless it is the one we already have.
async fn take(
    shared: &Shared,
    claim: &Claim,
    content_type: Option<String>,
    body: Bytes,
    validators: Validators,
    now: Timestamp,
) -> anyhow::Result<Completion> {
    shared.parts.metrics.fetched_bytes.inc_by(body.len() as u64);
    let Some(page) = publish::seal(claim, content_type, body, now).await? else {
        return Ok(unchanged(shared, claim, validators, now));
    };
    let content = page.content;
    publish::hand_over(&shared.parts, &shared.outages, page, now).await?;
    Ok(good(shared, Outcome::Fetched, Some(content), validators, now))
}

async fn redirected(
    shared: &Shared,
    claim: &Claim,
    url: &Url,
    location: &str,
    now: Timestamp,
) -> anyhow::Result<Completion> {
    // Not a web page, so we do not follow it.
    let Some(target) = resolve(url, location) else { return Ok(ended(Outcome::Redirected)) };
    if target == claim.url || claim.hops >= shared.config.max_redirects {
        return Ok(ended(Outcome::RedirectLoop));
    }
    if admits(shared, claim, &target).await? {
        let new = NewUrl::once(target, claim.depth, claim.why, claim.hops + 1);
        add_target(shared, claim, &new, now).await?;
    }
    Ok(ended(Outcome::Redirected))
}

/// Adds a redirect's target to the frontier.
pub(crate) async fn add_target(
    shared: &Shared,
    claim: &Claim,
    new: &NewUrl,
    now: Timestamp,
) -> anyhow::Result<()> {
    let adding = || shared.parts.frontier.add(std::slice::from_ref(new), now);
    let added = shared.persist(adding).await.context("cannot add a redirect's target")?;
    if added.over_budget > 0 && claim.why == Why::Seed {
        tracing::warn!(url = %claim.url, target = %new.url,
            "a seed's redirect is not followed: the site's page budget of the day is spent");
    }
    Ok(())
}

/// Whether a redirect's target may enter the frontier. It may inside its site, or from a seed, since a site
/// may have moved away from the seed's address. The new site then gets the seed's limits.
pub(crate) async fn admits(shared: &Shared, claim: &Claim, target: &CanonicalUrl) -> anyhow::Result<bool> {
    let site = target.site();
    if site == claim.site {
        return Ok(true);
    }
    if claim.why != Why::Seed {
        return Ok(false);
    }
    let frontier = &shared.parts.frontier;
    let known = shared.persist(|| frontier.site(&site)).await.context("cannot read a site's settings")?;
    if known.is_some() {
        return Ok(true);
    }
    let own = shared.persist(|| frontier.site(&claim.site)).await.context("cannot read a site's settings")?;
    // The site was removed meanwhile, so its redirect no longer matters.
    let Some(settings) = own else { return Ok(false) };
    shared.persist(|| frontier.put_site(&site, &settings)).await.context("cannot add a site")?;
    tracing::info!(seed = %claim.url, %site, "the seed redirects to another site, which is crawled with its limits");
    Ok(true)
}
