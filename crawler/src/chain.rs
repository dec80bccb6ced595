//! Redirects that set a cookie: followed inside their origin, within one claim.
//!
//! Some servers send a page only if the request brings back a cookie that they set on the way. So a redirect with a cookie
//! is followed within its claim, with the cookies of this chain and no others; they are forgotten with it. Each hop
//! waits for the site's delay and books its turn, so that no other claim comes too near. A chain that returns
//! to its page gives the page; one that leads to another page ends there as any redirect does, and that page is a
//! URL of its own. Start at [`follow_cookie_redirects`]; `docs/decisions/0038-cookies-of-a-chain.md` says why.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::Context as _;
use newslode_common::outcome::Outcome;
use newslode_common::schedule::Rest;
use newslode_common::store::teach::rest;
use newslode_common::store::{Claim, Validators};
use newslode_page::reading::resolve;

use crate::fetch::{Answer, Reply, Wanted};
use crate::robots::RobotsVerdict;
use crate::shared::Shared;

/// Most cookies of a chain, and most bytes of one.
const MOST_COOKIES: usize = 50;
const MOST_BYTES: usize = 4_096;

/// The cookies of one chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct CookieJar(BTreeMap<String, String>);

impl CookieJar {
    /// Applies a `Set-Cookie` header. An empty value, or an age of zero or less, removes the cookie.
    fn set(&mut self, cookie: &str) {
        let mut parts = cookie.split(';');
        let pair = parts.next().and_then(|pair| pair.split_once('='));
        let Some((name, value)) = pair.filter(|_| cookie.len() <= MOST_BYTES) else { return };
        let (name, value) = (name.trim(), value.trim());
        let is_over = parts.filter_map(|part| part.split_once('=')).any(|(key, age)| {
            key.trim().eq_ignore_ascii_case("max-age") && age.trim().parse::<i64>().is_ok_and(|age| age <= 0)
        });
        if is_over || value.is_empty() {
            self.0.remove(name);
        } else if !name.is_empty() && (self.0.len() < MOST_COOKIES || self.0.contains_key(name)) {
            self.0.insert(name.to_owned(), value.to_owned());
        }
    }

    /// The `Cookie` header.
    fn header(&self) -> String {
        let pairs: Vec<String> = self.0.iter().map(|(name, value)| format!("{name}={value}")).collect();
        pairs.join("; ")
    }
}

/// Follows a redirect that sets a cookie, if the reply is one; returns any other reply as it is. The result is the reply of
/// the claimed URL, or a redirect to another one, or the outcome that says why there is neither.
///
/// # Errors
/// Only errors that waiting does not solve.
pub(crate) async fn follow_cookie_redirects(
    shared: &Shared,
    claim: &Claim,
    wanted: Wanted,
    first: Reply,
) -> anyhow::Result<Result<Reply, Outcome>> {
    let start = claim.url.to_url();
    let (mut at, mut reply, mut jar) = (start.clone(), first, CookieJar::default());
    let mut seen = Vec::new();
    loop {
        let Ok(Answer::Redirect { location, cookies }) = &reply.answer else {
            let is_elsewhere = at != start && matches!(reply.answer, Ok(Answer::Page { .. }));
            return Ok(Ok(if is_elsewhere { redirect_to(reply, at.as_str()) } else { reply }));
        };
        cookies.iter().for_each(|cookie| jar.set(cookie));
        let target = resolve(&at, location).map(|target| target.to_url());
        let Some(target) = target.filter(|to| to.origin() == start.origin() && !jar.0.is_empty()) else {
            let location = at.join(location).map_or_else(|_| location.clone(), |url| url.to_string());
            return Ok(Ok(redirect_to(reply, &location)));
        };
        // The same address with the same cookies would answer the same again.
        let step = (target.clone(), jar.clone());
        if seen.contains(&step) || seen.len() >= shared.config.max_redirects as usize {
            return Ok(Err(Outcome::RedirectLoop));
        }
        seen.push(step);
        if let RobotsVerdict::Rules(rules) = shared.robots.verdict_of(&target).await.0
            && !rules.robots.is_url_allowed(&target)
        {
            return Ok(Err(Outcome::Disallowed));
        }
        if !wait_for_next_turn(shared, claim).await? {
            return Ok(Err(Outcome::RedirectLoop));
        }
        reply = shared.fetcher.page_with(&target, &Validators::default(), wanted, &jar.header()).await;
        at = target;
    }
}

/// A redirect to this address.
fn redirect_to(reply: Reply, to: &str) -> Reply {
    let answer = Answer::Redirect { location: to.to_owned(), cookies: Vec::new() };
    Reply { answer: Ok(answer), ..reply }
}

/// Waits for the site's next turn and takes it. `false`: the turn comes too late for this claim's lease.
async fn wait_for_next_turn(shared: &Shared, claim: &Claim) -> anyhow::Result<bool> {
    let (frontier, now) = (shared.parts.frontier.as_ref(), shared.clock.now());
    let settings = shared
        .retry_store_call(|| frontier.site(&claim.site))
        .await
        .context("cannot read a site's settings")?;
    let known = shared.retry_store_call(|| frontier.schedule(&claim.site)).await;
    let taught = known.context("cannot read a site's schedule")?.0.delay_ms(now);
    let delay = Duration::from_millis(settings.map_or(0, |settings| settings.delay_ms).max(taught));
    let turn = now.plus(delay);
    if turn.plus(shared.fetcher.timeout()) >= claim.lease_until {
        return Ok(false);
    }
    // Another claim may have come since ours, but before now: it is a delay away from this turn, and so is the next.
    let config = shared.config_for(claim);
    let booked = Rest { until: turn.plus(delay), delay_ms: taught };
    let booking = || rest(frontier, &claim.site, &config, now, |_| booked);
    shared.retry_store_call(booking).await.context("cannot take a site's turn")?;
    shared.clock.sleep(delay).await;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jar_keeps_names_and_values_within_limits() {
        let mut jar = CookieJar::default();
        for cookie in
            ["a=1; Path=/; HttpOnly", " b = 2=3 ;Secure", "c=4; max-age=60", "no", "=5", "", "long=", "d=6"]
        {
            jar.set(cookie);
        }
        assert_eq!(jar.header(), "a=1; b=2=3; c=4; d=6");
        for cookie in ["a=7; Max-Age=0", "b=; Path=/", "c=8; MAX-AGE=-1", "d=9"] {
            jar.set(cookie);
        }
        assert_eq!(jar.header(), "d=9");
        (0..2 * MOST_COOKIES).for_each(|n| jar.set(&format!("n{n}=1")));
        jar.set(&format!("e={}", "x".repeat(MOST_BYTES)));
        assert_eq!(jar.0.len(), MOST_COOKIES);
    }
}
