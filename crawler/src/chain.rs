//! Redirects that are followed within one claim, with the cookies that they set.
//!
//! Two kinds are followed. A listing that redirects is read where it leads, at its own address and pace. And some servers
//! send a page only if the request brings back a cookie that they set on the way, perhaps by way of another host: once a
//! redirect has set one, it is followed. The cookies are those of this chain and no others; each goes only to the hosts
//! that it was set for (RFC 6265), and all are forgotten at the end. Each hop asks robots.txt, waits for the delay of
//! its site and books its turn, so that no other claim comes too near, and takes a token of the site's allowance. Start at [`follow`];
//! `docs/decisions/0075-one-answer-teaches-little.md` says why.

use std::time::Duration;

use anyhow::Context as _;
use cookie_store::CookieStore;
use newslode_common::outcome::Outcome;
use newslode_common::store::teach::take_turn;
use newslode_common::store::{Claim, Validators};
use newslode_page::reading::Site;
use url::Url;

use crate::fetch::{Answer, Reply, Wanted};
use crate::robots::RobotsVerdict;
use crate::shared::Shared;

/// Most cookies of a chain, and most bytes of one.
const MOST_COOKIES: usize = 50;
const MOST_BYTES: usize = 4_096;

/// When a redirect is followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Follow {
    /// Always.
    Always,
    /// Once the chain has set a cookie.
    WithCookies,
}

/// What a chain came to.
pub(crate) struct Followed {
    /// The last answer. A redirect was not followed.
    pub(crate) reply: Reply,
    /// Whose answer it is.
    pub(crate) at: Url,
    /// Whether all redirects on the way were permanent ones.
    pub(crate) is_permanent: bool,
}

/// The cookies of one chain.
#[derive(Default)]
struct CookieJar(CookieStore);

impl CookieJar {
    /// Applies a `Set-Cookie` header of the answer of a URL. A cookie for all hosts below a public suffix is kept for its own host.
    fn set(&mut self, cookie: &str, url: &Url) {
        if cookie.len() > MOST_BYTES || self.0.iter_unexpired().count() >= MOST_COOKIES {
            return;
        }
        let is_domain =
            |part: &&str| part.trim_start().get(..6).is_some_and(|name| name.eq_ignore_ascii_case("domain"));
        let is_suffix = |part: &str| {
            let domain = part
                .split_once('=')
                .map(|(_, domain)| domain.trim().trim_start_matches('.').to_ascii_lowercase());
            domain.is_some_and(|domain| psl::domain_str(&domain).is_none())
        };
        let mut kept = cookie.to_owned();
        if cookie.split(';').skip(1).filter(is_domain).any(is_suffix) {
            kept = cookie.split(';').filter(|part| !is_domain(part)).collect::<Vec<_>>().join(";");
        }
        // One that is malformed, or for another host, is not kept.
        let _ignored = self.0.parse(&kept, url);
    }

    /// The `Cookie` header of a request.
    fn header(&self, url: &Url) -> String {
        let mut pairs: Vec<String> =
            self.0.get_request_values(url).map(|(name, value)| format!("{name}={value}")).collect();
        // The store is in no order.
        pairs.sort_unstable();
        pairs.join("; ")
    }
}

/// Follows the redirects of a claimed URL from its first reply. An error is the outcome of a chain that has no end.
///
/// # Errors
/// Only errors that waiting does not solve.
pub(crate) async fn follow(
    shared: &Shared,
    claim: &Claim,
    wanted: Wanted,
    first: Reply,
    when: Follow,
) -> anyhow::Result<Result<Followed, Outcome>> {
    let mut followed = Followed { reply: first, at: claim.url.to_url(), is_permanent: true };
    let (mut jar, mut has_cookies) = (CookieJar::default(), false);
    let mut seen = vec![(followed.at.clone(), String::new())];
    loop {
        let Ok(Answer::Redirect { location, cookies, is_permanent }) = &followed.reply.answer else {
            return Ok(Ok(followed));
        };
        for cookie in cookies {
            jar.set(cookie, &followed.at);
            has_cookies = true;
        }
        if when == Follow::WithCookies && !has_cookies {
            return Ok(Ok(followed));
        }
        let Some(target) = target(&followed.at, location) else { return Ok(Ok(followed)) };
        // The same address with the same cookies would answer the same again.
        let cookies = jar.header(&target);
        let step = (target.clone(), cookies.clone());
        if seen.contains(&step) || seen.len() > shared.config.max_redirects as usize {
            return Ok(Err(Outcome::RedirectLoop));
        }
        seen.push(step);
        // The request for robots.txt waits for a turn as well.
        if !shared.robots.is_known(&target) && !wait_for_next_turn(shared, claim, &target).await? {
            return Ok(Ok(followed));
        }
        match shared.robots.verdict_of(&target).await.0 {
            RobotsVerdict::Rules(rules) if rules.robots.allows(&target) => {}
            RobotsVerdict::Rules(_) => return Ok(Err(Outcome::Disallowed)),
            RobotsVerdict::Unreachable { .. } => return Ok(Err(Outcome::RedirectLoop)),
        }
        if !wait_for_next_turn(shared, claim, &target).await? {
            return Ok(Ok(followed));
        }
        let is_permanent = followed.is_permanent && *is_permanent;
        let reply = shared.fetcher.page_with(&target, &Validators::default(), wanted, &cookies).await;
        followed = Followed { reply, at: target, is_permanent };
    }
}

/// Where a redirect leads, if that is a web address. It is asked for as it is written, but for the fragment.
fn target(at: &Url, location: &str) -> Option<Url> {
    let mut target = at.join(location).ok().filter(|target| matches!(target.scheme(), "http" | "https"))?;
    target.set_fragment(None);
    Some(target)
}

/// Waits for the next turn of the site of the next hop and takes it. `false`: the turn comes too late for this claim's lease.
async fn wait_for_next_turn(shared: &Shared, claim: &Claim, next: &Url) -> anyhow::Result<bool> {
    let (frontier, now) = (shared.parts.frontier.as_ref(), shared.clock.now());
    let site = Site::of_host(next.host_str().unwrap_or_default());
    let settings = async |site: &Site| {
        let read = || frontier.site(site);
        shared.retry_store_call(read).await.context("cannot read a site's settings")
    };
    // A site that is not followed has no turns of its own, so the next turn of ours is taken.
    let (site, settings) = match settings(&site).await? {
        Some(known) => (&site, Some(known)),
        None => (&claim.site, settings(&claim.site).await?),
    };
    let known = shared.retry_store_call(|| frontier.schedule(site)).await;
    let taught = known.context("cannot read a site's schedule")?.0.delay_ms(now);
    let delay = Duration::from_millis(settings.map_or(0, |settings| settings.delay_ms).max(taught));
    let turn = now.plus(delay);
    if turn.plus(shared.fetcher.timeout()) >= claim.lease_until {
        return Ok(false);
    }
    // Another claim may have come since ours, but before now: it is a delay away from this turn, and so is the next.
    let config = shared.config_for(claim);
    let booking = || take_turn(frontier, site, &config, now, turn.plus(delay));
    shared.retry_store_call(booking).await.context("cannot take a site's turn")?;
    shared.clock.sleep(delay).await;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn a_jar_keeps_names_and_values_within_limits() {
        let (mut jar, at) = (CookieJar::default(), url("https://a.test/x"));
        for cookie in ["a=1; Path=/; HttpOnly", " b = 2=3 ;Secure", "c=4; max-age=60", "no", "=5", "", "d=6"]
        {
            jar.set(cookie, &at);
        }
        assert_eq!(jar.header(&at), "a=1; b=2=3; c=4; d=6");
        for cookie in ["a=7; Path=/; Max-Age=0", "c=8; MAX-AGE=-1", "d=9"] {
            jar.set(cookie, &at);
        }
        assert_eq!(jar.header(&at), "b=2=3; d=9");
        (0..2 * MOST_COOKIES).for_each(|n| jar.set(&format!("n{n}=1"), &at));
        jar.set(&format!("e={}", "x".repeat(MOST_BYTES)), &at);
        assert_eq!(jar.header(&at).split("; ").count(), MOST_COOKIES);
    }

    #[test]
    fn a_cookie_goes_only_where_it_was_set_for() {
        let mut jar = CookieJar::default();
        let (bare, www, other) = (url("http://a.co.uk/"), url("http://www.a.co.uk/"), url("http://b.co.uk/"));
        jar.set("own=1", &bare);
        jar.set("wide=2; Domain=a.co.uk", &bare);
        jar.set("foreign=3; Domain=b.co.uk", &bare);
        jar.set("all=4; Domain=.co.uk; Path=/", &bare);
        assert_eq!(jar.header(&bare), "all=4; own=1; wide=2");
        assert_eq!(jar.header(&www), "wide=2");
        assert_eq!(jar.header(&other), "");
        jar.set("locked=5; Secure", &url("https://a.co.uk/"));
        assert!(!jar.header(&bare).contains("locked"));
    }
}
