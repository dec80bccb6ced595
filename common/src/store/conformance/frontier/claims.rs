//! Checks of claims: who gets a URL, and when.
//!
//! Leases, turns, delays and pauses: a due URL goes to one crawler, and a site to one at a time.

use super::helpers::*;

/// A claim carries the knowledge of its URL and counts the URL's claims.
pub async fn a_claim_carries_what_is_known_of_the_url(store: &dyn Frontier) {
    let name = "carries";
    fresh_site(store, name, &settings()).await;
    let page = NewUrl::once(url(name, "a"), 4, Why::Concept, 2);
    ok(store.add(std::slice::from_ref(&page), START).await);
    let mut wanted = Claim {
        url: page.url.clone(),
        site: site(name),
        depth: 4,
        why: Why::Concept,
        hops: 2,
        fetch: FIRST + 1,
        attempts: 0,
        was: Next { due: START, class: Class::New },
        lease_until: at(10).plus(LEASE),
        validators: Validators::default(),
        content: None,
        schedule: None,
        allowance: None,
        recent: 1,
    };
    let first = some(claim(store, name, at(10)).await);
    assert_eq!(first, wanted);
    let leased = entry(store, &page.url).await;
    assert_eq!((leased.fetch, leased.leased, leased.due), (FIRST + 1, true, Some(wanted.lease_until)));

    let validators = Validators { etag: Some("W/\"é\"".to_owned()), last_modified: Some("Mon".to_owned()) };
    let content = Some(ContentHash([9; 16]));
    let fetched = Completion::Done {
        outcome: Outcome::Fetched,
        content,
        validators: validators.clone(),
        next: Some(Next { due: at(20), class: Class::New }),
        schedule: None,
    };
    complete(store, &first, fetched, at(11)).await;
    let kept = entry(store, &page.url).await;
    assert_eq!(
        (kept.content, &kept.validators, kept.outcome),
        (content, &validators, Some(Outcome::Fetched))
    );
    assert_eq!((kept.leased, kept.due), (false, Some(at(20))));
    let was = Next { due: at(20), class: Class::New };
    wanted = Claim {
        fetch: FIRST + 2,
        was,
        lease_until: at(20).plus(LEASE),
        validators,
        content,
        recent: 2,
        ..wanted
    };
    assert_eq!(some(claim(store, name, at(20)).await), wanted);
    clean_up(store, name).await;
}

/// A URL is not claimed before the time at which it was added.
pub async fn a_url_is_not_claimed_before_it_is_due(store: &dyn Frontier) {
    let name = "not-due";
    fresh_site(store, name, &settings()).await;
    ok(store.add(&[link(&url(name, "a"), 1, Why::Link)], at(1_000)).await);
    assert_eq!(claim(store, name, at(999)).await, None, "claimed before it is due");
    some(claim(store, name, at(1_000)).await);
    clean_up(store, name).await;
}

/// Nobody else gets a URL until its lease ends.
pub async fn a_leased_url_is_claimed_by_nobody_else(store: &dyn Frontier) {
    let name = "leased";
    site_with(store, name, &settings(), &["a"]).await;
    let claimed = some(claim(store, name, START).await);
    for now in [START, at(1), Timestamp(claimed.lease_until.0 - 1)] {
        assert_eq!(claim(store, name, now).await, None, "a leased URL was claimed again");
    }
    clean_up(store, name).await;
}

/// Crawlers that claim at the same time get different URLs.
pub async fn concurrent_claims_share_no_url(store: &dyn Frontier) {
    let name = "concurrent";
    let paths: Vec<String> = (0..12).map(|page| format!("p{page}")).collect();
    site_with(store, name, &settings(), &paths.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let calls = (0..24).map(|_| store.claim(START, LEASE, PLENTY));
    let claimed = futures::future::join_all(calls).await.into_iter();
    let claims: Vec<Claim> = claimed.flat_map(|claimed| ok(claimed).claims).collect();
    let (mine, others): (Vec<_>, Vec<_>) = claims.into_iter().partition(|claim| claim.site == site(name));
    for other in others {
        ok(store.complete(&other, Completion::Released, START).await);
    }
    let mut urls: Vec<_> = mine.into_iter().map(|claim| claim.url).collect();
    let calls_that_got_one = urls.len();
    urls.sort();
    urls.dedup();
    assert_eq!(urls.len(), calls_that_got_one, "a URL was claimed twice");
    assert_eq!(urls.len(), 12, "every URL was due and there were more calls than URLs");
    clean_up(store, name).await;
}

/// A URL whose crawler died is due again when the lease ends, with the next fetch number.
pub async fn an_ended_lease_is_due_again(store: &dyn Frontier) {
    let name = "lease-end";
    site_with(store, name, &settings(), &["a"]).await;
    let first = some(claim(store, name, START).await);
    let second = some(claim(store, name, first.lease_until).await);
    assert_eq!((second.url, second.fetch), (first.url, FIRST + 2));
    assert_eq!(second.lease_until, first.lease_until.plus(LEASE));
    clean_up(store, name).await;
}

/// Who sleeps until the next turn that a claim told claims each URL as soon as it can be had.
pub async fn who_waits_for_the_next_turn_misses_none(store: &dyn Frontier) {
    let name = "next-turn";
    let settings = SiteSettings { delay_ms: 2_000, ..settings() };
    fresh_site(store, name, &settings).await;
    ok(store.add(&[link(&url(name, "a"), 1, Why::Link)], at(5_000)).await);
    let (first, now) = wait_for(store, name, at(0)).await;
    assert_eq!(now, at(5_000), "the time at which it was added");
    let (again, now) = wait_for(store, name, now).await;
    assert_eq!((now, again.fetch), (first.lease_until, first.fetch + 1), "the end of the lease");
    let due = now.plus(Duration::from_secs(7));
    complete(store, &again, done(Outcome::Fetched, None, Some(due)), now).await;
    let (third, now) = wait_for(store, name, now).await;
    assert_eq!(now, due, "the next visit");
    ok(store.add(&[link(&url(name, "b"), 1, Why::Link)], now).await);
    let (other, later) = wait_for(store, name, now).await;
    assert_eq!((other.url, later), (url(name, "b"), now.plus(Duration::from_secs(2))), "the delay");
    let now = later;
    complete(store, &third, Completion::Released, now).await;
    ok(store.put_site(&site(name), &SiteSettings { paused: true, ..settings.clone() }).await);
    assert!(ok(store.claim(now, LEASE, PLENTY).await).claims.is_empty(), "a paused site was claimed");
    ok(store.put_site(&site(name), &settings).await);
    let (_, later) = wait_for(store, name, now).await;
    assert_eq!(later, now.plus(Duration::from_secs(2)), "the site goes on");
    clean_up(store, name).await;
    assert_eq!(claim(store, name, at(9_000_000)).await, None);
}

/// Claims, and sleeps until the next turn where nothing is due. Returns the claim and when it was had.
async fn wait_for(store: &dyn Frontier, name: &str, from: Timestamp) -> (Claim, Timestamp) {
    let mut now = from;
    for _ in 0..9 {
        let Claimed { mut claims, next } = ok(store.claim(now, LEASE, PLENTY).await);
        if let Some(claim) = claims.pop() {
            assert_eq!(claim.site, site(name), "a site of another check");
            return (claim, now);
        }
        let Some(next) = next else { panic!("at {now:?} something waits, and no next turn is told") };
        assert!(next > now, "at {now:?} nothing could be claimed, and the next turn is {next:?}");
        now = next;
    }
    panic!("the next turns lead to no claim");
}

/// A call claims at most one URL per site, and never more than asked for.
pub async fn a_call_claims_at_most_one_url_a_site_and_at_most_the_asked_number(store: &dyn Frontier) {
    let names = ["most-a", "most-b", "most-c", "most-d"];
    for name in names {
        site_with(store, name, &settings(), &["a", "b", "c"]).await;
    }
    let mut held = Vec::new();
    for most in [0, 1, 3, PLENTY] {
        let claims = ok(store.claim(START, LEASE, most).await).claims;
        assert!(claims.len() <= most, "{} claims where {most} were asked for", claims.len());
        let mut sites: Vec<_> = claims.iter().map(|claim| claim.site.clone()).collect();
        sites.sort();
        sites.dedup();
        assert_eq!(sites.len(), claims.len(), "two URLs of one site in one call");
        held.extend(claims);
    }
    for name in names {
        assert!(held.iter().any(|claim| claim.site == site(name)), "{name} was due and not claimed");
    }
    for claim in held {
        ok(store.complete(&claim, Completion::Released, START).await);
    }
    for name in names {
        clean_up(store, name).await;
    }
}

/// At least a site's delay passes between two of its claims, whoever claims and however they end.
pub async fn the_delay_holds_between_two_claims_of_a_site(store: &dyn Frontier) {
    let name = "delay";
    site_with(store, name, &SiteSettings { delay_ms: 1_000, ..settings() }, &["a", "b", "c"]).await;
    let first = some(claim(store, name, at(100)).await);
    complete(store, &first, done(Outcome::Gone, None, None), at(101)).await;
    assert_eq!(status(store, name).await.turn, at(1_100));
    for early in [101, 500, 1_099] {
        assert_eq!(claim(store, name, at(early)).await, None, "claimed {early} ms after the start");
    }
    let second = some(claim(store, name, at(1_100)).await);
    complete(store, &second, Completion::Released, at(1_200)).await;
    assert_eq!(claim(store, name, at(2_099)).await, None, "a released claim shortened the delay");
    some(claim(store, name, at(2_100)).await);
    clean_up(store, name).await;
}

/// A raised delay counts from the last claim, during which robots.txt is read, and is never lowered.
pub async fn a_raised_delay_holds_from_the_last_claim_and_is_never_lowered(store: &dyn Frontier) {
    let name = "raised-delay";
    site_with(store, name, &SiteSettings { delay_ms: 1_000, ..settings() }, &["a", "b"]).await;
    some(claim(store, name, START).await);
    for (asked, wanted) in [(5_000, 5_000), (2_000, 5_000)] {
        ok(store.raise_delay(&site(name), Duration::from_millis(asked)).await);
        assert_eq!(ok(store.site(&site(name)).await).map(|site| site.delay_ms), Some(wanted));
    }
    assert_eq!(claim(store, name, at(4_999)).await, None, "the raised delay was not kept");
    some(claim(store, name, at(5_000)).await);
    let unknown = site("raised-delay-unknown");
    ok(store.raise_delay(&unknown, Duration::from_secs(1)).await);
    assert_eq!(ok(store.site(&unknown).await), None, "a delay made a site known");
    clean_up(store, name).await;
}

/// A paused site is not claimed, but its open claims can end. Later it goes on where it stood.
pub async fn a_paused_site_is_not_claimed(store: &dyn Frontier) {
    let name = "paused";
    site_with(store, name, &settings(), &["a", "b"]).await;
    let held = some(claim(store, name, START).await);
    ok(store.put_site(&site(name), &SiteSettings { paused: true, ..settings() }).await);
    assert_eq!(claim(store, name, at(1)).await, None, "a URL of a paused site was claimed");
    complete(store, &held, done(Outcome::Gone, None, None), at(2)).await;
    ok(store.add(&[link(&url(name, "c"), 1, Why::Link)], at(3)).await);
    assert_eq!(claim(store, name, at(4)).await, None, "an added URL woke a paused site");
    ok(store.put_site(&site(name), &settings()).await);
    some(claim(store, name, at(5)).await);
    some(claim(store, name, at(5)).await);
    clean_up(store, name).await;
}
