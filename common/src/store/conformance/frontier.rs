//! What a frontier promises: each URL once, each claim to one crawler, each site at its pace.
//!
//! Where the trait leaves a corner open, the checks settle it: a known URL is `known` whatever its new
//! depth; a claim ends by its number, and only while it is leased; a site that was removed and comes
//! back does not honour old claims; the last outcome of a URL is the one that is tallied.
//! Start at [`all`]; checks of claims and their ends are in the second half.

use std::collections::BTreeMap;
use std::time::Duration;

use super::{START, checks, ok, site, url};
use crate::outcome::Outcome;
use crate::page::CanonicalUrl;
use crate::store::{
    Added, Claim, Completed, Completion, Entry, Frontier, NewUrl, SiteSettings, SiteStatus, Validators, Why,
};
use crate::time::Timestamp;
use crate::version::ContentHash;

checks! { Frontier:
    settings_are_kept_and_replaced,
    a_url_is_known_once,
    a_url_twice_in_one_call_is_known_once,
    sites_may_be_mixed_in_one_call,
    a_url_of_no_seed_is_refused,
    the_page_budget_is_never_exceeded,
    a_raised_page_budget_admits_more,
    a_too_deep_url_is_refused,
    a_known_url_is_never_refused,
    a_shallower_depth_wins,
    a_stronger_reason_wins_and_is_reported_for_fetched_pages,
    adding_ends_the_same_in_any_order,
    a_removed_site_is_forgotten,
    a_claim_of_a_removed_site_is_lost,
    a_claim_carries_what_is_known_of_the_url,
    a_url_is_not_claimed_before_it_is_due,
    a_leased_url_is_claimed_by_nobody_else,
    concurrent_claims_share_no_url,
    an_ended_lease_is_due_again,
    a_call_claims_at_most_one_url_a_site_and_at_most_the_asked_number,
    the_delay_holds_between_two_claims_of_a_site,
    a_raised_delay_holds_from_the_last_claim_and_is_never_lowered,
    a_paused_site_is_not_claimed,
    a_resting_site_is_not_claimed,
    retry_waits_and_counts_attempts,
    a_released_claim_is_due_at_once,
    a_done_url_is_due_again_only_at_its_time,
    an_unchanged_page_keeps_its_content,
    a_completion_after_the_lease_went_elsewhere_is_lost,
    a_late_completion_counts_while_nobody_else_claimed,
    a_claim_ends_once,
    outcomes_are_tallied_once_per_url,
    status_counts_what_is_pending_and_leased,
    released_leases_are_due_again,
}

const LEASE: Duration = Duration::from_secs(60);
const PLENTY: usize = 1_000;

fn settings() -> SiteSettings {
    SiteSettings { max_pages: 100, max_depth: 10, delay_ms: 0, paused: false, labels: BTreeMap::new() }
}

/// Milliseconds after the start of the checks.
fn at(ms: u64) -> Timestamp {
    Timestamp(START.0 + ms)
}

fn link(url: &CanonicalUrl, depth: u32, why: Why) -> NewUrl {
    NewUrl { url: url.clone(), depth, why, hops: 0 }
}

/// Makes a check's site known, without URLs.
async fn fresh_site(store: &dyn Frontier, name: &str, settings: &SiteSettings) {
    ok(store.remove_site(&site(name)).await);
    ok(store.put_site(&site(name), settings).await);
}

/// A fresh site with these pages due at the start.
async fn site_with(store: &dyn Frontier, name: &str, settings: &SiteSettings, paths: &[&str]) {
    fresh_site(store, name, settings).await;
    let urls: Vec<NewUrl> = paths.iter().map(|path| link(&url(name, path), 1, Why::Link)).collect();
    let added = ok(store.add(&urls, START).await);
    assert_eq!(added.new, paths.len() as u64, "adding new URLs: {added:?}");
}

async fn clean_up(store: &dyn Frontier, name: &str) {
    ok(store.remove_site(&site(name)).await);
}

/// Claims until a URL of the check's site comes or nothing is due; gives the other sites' claims back.
async fn claim(store: &dyn Frontier, name: &str, now: Timestamp) -> Option<Claim> {
    let (mut mine, mut others) = (Vec::new(), Vec::new());
    while mine.is_empty() {
        let claims = ok(store.claim(now, LEASE, PLENTY).await);
        if claims.is_empty() {
            break;
        }
        let (ours, theirs): (Vec<_>, Vec<_>) = claims.into_iter().partition(|c| c.site == site(name));
        mine.extend(ours);
        others.extend(theirs);
    }
    for other in others {
        ok(store.complete(&other, Completion::Released, now).await);
    }
    assert!(mine.len() <= 1, "one call claimed {} URLs of one site", mine.len());
    mine.pop()
}

#[track_caller]
fn some(claim: Option<Claim>) -> Claim {
    claim.unwrap_or_else(|| panic!("a URL is due and its site's turn has come, but nothing was claimed"))
}

fn done(outcome: Outcome, content: Option<ContentHash>, next_due: Option<Timestamp>) -> Completion {
    Completion::Done { outcome, content, validators: Validators::default(), next_due }
}

fn retry(due: Timestamp, counts: bool) -> Completion {
    Completion::Retry { due, counts, rest_site_until: None }
}

async fn complete(store: &dyn Frontier, claim: &Claim, completion: Completion, now: Timestamp) {
    let completed = ok(store.complete(claim, completion, now).await);
    assert_eq!(completed, Completed::Recorded, "a completion within its lease is recorded");
}

async fn entry(store: &dyn Frontier, url: &CanonicalUrl) -> Entry {
    match ok(store.entry(url).await) {
        Some(entry) => entry,
        None => panic!("`{url}` was added and has no entry"),
    }
}

async fn status(store: &dyn Frontier, name: &str) -> SiteStatus {
    let all = ok(store.status().await);
    assert!(all.is_sorted_by(|one, next| one.site < next.site), "sites are not in order of their names");
    match all.into_iter().find(|status| status.site == site(name)) {
        Some(status) => status,
        None => panic!("`{name}` is not among the sites"),
    }
}

// ---------------------------------------------------------------------------------- sites and adding

/// A site is known once its settings were put; putting again replaces them.
pub async fn settings_are_kept_and_replaced(store: &dyn Frontier) {
    let name = "settings";
    ok(store.remove_site(&site(name)).await);
    assert_eq!(ok(store.site(&site(name)).await), None);
    let labels = BTreeMap::from([("team".to_owned(), "north \u{1f} süd".to_owned())]);
    for (delay_ms, paused) in [(5_000, true), (250, false)] {
        let wanted =
            SiteSettings { max_pages: u64::MAX, delay_ms, paused, labels: labels.clone(), ..settings() };
        ok(store.put_site(&site(name), &wanted).await);
        assert_eq!(ok(store.site(&site(name)).await), Some(wanted.clone()));
        assert_eq!(status(store, name).await.settings, wanted);
    }
    clean_up(store, name).await;
}

/// Adding a URL again changes nothing.
pub async fn a_url_is_known_once(store: &dyn Frontier) {
    let name = "known-once";
    fresh_site(store, name, &settings()).await;
    let page = link(&url(name, "a?b=1"), 3, Why::Instance);
    assert_eq!(ok(store.add(&[page.clone()], START).await), Added { new: 1, ..Added::default() });
    let before = ok(store.entries(&site(name)).await);
    assert_eq!(ok(store.add(&[page.clone()], at(500)).await), Added { known: 1, ..Added::default() });
    assert_eq!(ok(store.entries(&site(name)).await), before, "adding a known URL changed something");
    let wanted = Entry {
        url: page.url.clone(),
        depth: 3,
        why: Why::Instance,
        hops: 0,
        fetch: 0,
        attempts: 0,
        due: Some(START),
        leased: false,
        outcome: None,
        content: None,
        validators: Validators::default(),
    };
    assert_eq!(before, [wanted]);
    clean_up(store, name).await;
}

/// Also within one call.
pub async fn a_url_twice_in_one_call_is_known_once(store: &dyn Frontier) {
    let name = "twice";
    fresh_site(store, name, &settings()).await;
    let page = url(name, "a");
    let added = ok(store.add(&[link(&page, 4, Why::Link), link(&page, 2, Why::Concept)], START).await);
    assert_eq!(added, Added { new: 1, known: 1, ..Added::default() });
    let entry = entry(store, &page).await;
    assert_eq!((entry.depth, entry.why), (2, Why::Concept));
    assert_eq!(status(store, name).await.urls, 1);
    clean_up(store, name).await;
}

/// One call may bring URLs of several sites; each goes to its own.
pub async fn sites_may_be_mixed_in_one_call(store: &dyn Frontier) {
    let names = ["mixed-a", "mixed-b", "mixed-c"];
    for name in names {
        fresh_site(store, name, &settings()).await;
    }
    let urls: Vec<NewUrl> =
        (0..9).map(|index: usize| link(&url(names[index % 3], &format!("p{index}")), 1, Why::Link)).collect();
    assert_eq!(ok(store.add(&urls, START).await), Added { new: 9, ..Added::default() });
    for name in names {
        let entries = ok(store.entries(&site(name)).await);
        assert_eq!(entries.len(), 3, "URLs of {name}");
        assert!(entries.iter().all(|entry| entry.url.site() == site(name)), "a URL went to another site");
        assert!(
            entries.is_sorted_by(|one, next| one.url < next.url),
            "entries are not in order of their URLs"
        );
        clean_up(store, name).await;
    }
}

/// Nothing is kept of a site that no seed named.
pub async fn a_url_of_no_seed_is_refused(store: &dyn Frontier) {
    let name = "unseeded";
    ok(store.remove_site(&site(name)).await);
    let added = ok(store.add(&[link(&url(name, "a"), 1, Why::Seed)], START).await);
    assert_eq!(added, Added { unknown_site: 1, ..Added::default() });
    assert_eq!(ok(store.entry(&url(name, "a")).await), None);
    assert_eq!(ok(store.entries(&site(name)).await), []);
}

/// Never more URLs than `max_pages`, in one call or many.
pub async fn the_page_budget_is_never_exceeded(store: &dyn Frontier) {
    let name = "budget";
    fresh_site(store, name, &SiteSettings { max_pages: 5, ..settings() }).await;
    let urls: Vec<NewUrl> = (0..8).map(|page| link(&url(name, &format!("p{page}")), 1, Why::Link)).collect();
    let added = ok(store.add(&urls[..3], START).await);
    assert_eq!(added, Added { new: 3, ..Added::default() });
    let added = ok(store.add(&urls, START).await);
    assert_eq!(added, Added { new: 2, known: 3, over_budget: 3, ..Added::default() });
    assert_eq!(ok(store.entries(&site(name)).await).len(), 5);
    assert_eq!(status(store, name).await.urls, 5);
    clean_up(store, name).await;
}

/// New settings count from then on.
pub async fn a_raised_page_budget_admits_more(store: &dyn Frontier) {
    let name = "raised-budget";
    site_with(store, name, &SiteSettings { max_pages: 1, ..settings() }, &["a"]).await;
    let second = [link(&url(name, "b"), 1, Why::Link)];
    assert_eq!(ok(store.add(&second, START).await).over_budget, 1);
    ok(store.put_site(&site(name), &SiteSettings { max_pages: 2, ..settings() }).await);
    assert_eq!(ok(store.add(&second, START).await).new, 1);
    assert_eq!(ok(store.entries(&site(name)).await).len(), 2, "new settings forgot URLs");
    clean_up(store, name).await;
}

/// None deeper than `max_depth`.
pub async fn a_too_deep_url_is_refused(store: &dyn Frontier) {
    let name = "depth";
    fresh_site(store, name, &SiteSettings { max_depth: 2, ..settings() }).await;
    let urls = [link(&url(name, "in"), 2, Why::Link), link(&url(name, "out"), 3, Why::Seed)];
    assert_eq!(ok(store.add(&urls, START).await), Added { new: 1, too_deep: 1, ..Added::default() });
    assert_eq!(ok(store.entry(&url(name, "out")).await), None);
    clean_up(store, name).await;
}

/// Budgets are for new URLs: a known one is known, however deep it was found now.
pub async fn a_known_url_is_never_refused(store: &dyn Frontier) {
    let name = "known-deep";
    site_with(store, name, &SiteSettings { max_depth: 2, max_pages: 1, ..settings() }, &["a"]).await;
    let added = ok(store.add(&[link(&url(name, "a"), 9, Why::Link)], START).await);
    assert_eq!(added, Added { known: 1, ..Added::default() });
    assert_eq!(entry(store, &url(name, "a")).await.depth, 1);
    clean_up(store, name).await;
}

/// The least depth wins, whenever it comes.
pub async fn a_shallower_depth_wins(store: &dyn Frontier) {
    let name = "shallower";
    fresh_site(store, name, &settings()).await;
    let page = url(name, "a");
    for (depth, wanted) in [(4, 4), (7, 4), (2, 2), (3, 2)] {
        ok(store.add(&[link(&page, depth, Why::Link)], START).await);
        assert_eq!(entry(store, &page).await.depth, wanted, "after depth {depth}");
    }
    clean_up(store, name).await;
}

/// The strongest reason wins; a page that was fetched under a weaker one is reported, once.
pub async fn a_stronger_reason_wins_and_is_reported_for_fetched_pages(store: &dyn Frontier) {
    let name = "reason";
    site_with(store, name, &settings(), &["a"]).await;
    let page = url(name, "a");
    let added = ok(store.add(&[link(&page, 1, Why::Instance)], START).await);
    assert_eq!(added.promoted, [], "a page that was never fetched has no links to look at");
    assert_eq!(entry(store, &page).await.why, Why::Instance);

    let claimed = some(claim(store, name, START).await);
    complete(store, &claimed, done(Outcome::Fetched, Some(ContentHash([1; 16])), None), START).await;
    let added = ok(store.add(&[link(&page, 1, Why::Link)], START).await);
    assert_eq!((added.promoted, entry(store, &page).await.why), (vec![], Why::Instance), "a weaker reason");
    let added = ok(store.add(&[link(&page, 1, Why::Concept)], START).await);
    assert_eq!(added, Added { known: 1, promoted: vec![page.clone()], ..Added::default() });
    let after = entry(store, &page).await;
    assert_eq!((after.why, after.due), (Why::Concept, None), "a stronger reason makes nothing due");
    let added = ok(store.add(&[link(&page, 1, Why::Concept)], START).await);
    assert_eq!(added.promoted, [], "the same reason again promotes again");
    clean_up(store, name).await;
}

/// Adding is idempotent and its order does not matter.
pub async fn adding_ends_the_same_in_any_order(store: &dyn Frontier) {
    let name = "any-order";
    let whys = [Why::Link, Why::Seed, Why::Concept, Why::Instance];
    let mut urls: Vec<NewUrl> = (0..60)
        .map(|index: u32| {
            let why = whys[(index as usize * 7) % 4];
            link(&url(name, &format!("p{}", index % 13)), (index * 5) % 9, why)
        })
        .collect();
    let mut dice = super::Dice(3);
    let mut ends = Vec::new();
    for size in [60, 1, 7] {
        fresh_site(store, name, &settings()).await;
        for part in urls.chunks(size).chain(urls.chunks(60)) {
            ok(store.add(part, START).await);
        }
        ends.push(ok(store.entries(&site(name)).await));
        dice.shuffle(&mut urls);
    }
    assert_eq!(ends[0].len(), 13);
    assert!(ends.iter().all(|end| *end == ends[0]), "the order of adding shows in the entries");
    clean_up(store, name).await;
}

/// Removing a site forgets its URLs and settings, and no other site's.
pub async fn a_removed_site_is_forgotten(store: &dyn Frontier) {
    let (name, neighbours) = ("removed", ["removed2", "remove"]);
    site_with(store, name, &settings(), &["a", "b"]).await;
    for neighbour in neighbours {
        site_with(store, neighbour, &settings(), &["a"]).await;
    }
    ok(store.remove_site(&site(name)).await);
    assert_eq!(ok(store.site(&site(name)).await), None);
    assert_eq!(ok(store.entry(&url(name, "a")).await), None);
    assert_eq!(ok(store.entries(&site(name)).await), []);
    assert!(ok(store.status().await).iter().all(|status| status.site != site(name)));
    assert_eq!(claim(store, name, at(1)).await, None, "a URL of a removed site was claimed");
    assert_eq!(ok(store.add(&[link(&url(name, "a"), 1, Why::Link)], START).await).unknown_site, 1);
    for neighbour in neighbours {
        assert_eq!(ok(store.entries(&site(neighbour)).await).len(), 1, "{neighbour} lost its URL");
        clean_up(store, neighbour).await;
    }
}

/// A claim ends as `Lost` after its site was removed, even when the site is back and claimed again.
pub async fn a_claim_of_a_removed_site_is_lost(store: &dyn Frontier) {
    let name = "removed-claim";
    site_with(store, name, &settings(), &["a"]).await;
    let old = some(claim(store, name, START).await);
    ok(store.remove_site(&site(name)).await);
    let gone = || done(Outcome::Gone, None, None);
    assert_eq!(ok(store.complete(&old, gone(), START).await), Completed::Lost);
    site_with(store, name, &settings(), &["a"]).await;
    let new = some(claim(store, name, at(5)).await);
    assert_eq!(
        ok(store.complete(&old, gone(), at(6)).await),
        Completed::Lost,
        "an old claim ended a new one"
    );
    complete(store, &new, gone(), at(6)).await;
    clean_up(store, name).await;
}

// ---------------------------------------------------------------------------------- claims

/// A claim says what is known of its URL and counts the claims of it.
pub async fn a_claim_carries_what_is_known_of_the_url(store: &dyn Frontier) {
    let name = "carries";
    fresh_site(store, name, &settings()).await;
    let page = NewUrl { url: url(name, "a"), depth: 4, why: Why::Concept, hops: 2 };
    ok(store.add(&[page.clone()], START).await);
    let mut wanted = Claim {
        url: page.url.clone(),
        site: site(name),
        depth: 4,
        why: Why::Concept,
        hops: 2,
        fetch: 1,
        attempts: 0,
        lease_until: at(10).plus(LEASE),
        validators: Validators::default(),
        content: None,
    };
    let first = some(claim(store, name, at(10)).await);
    assert_eq!(first, wanted);
    let leased = entry(store, &page.url).await;
    assert_eq!((leased.fetch, leased.leased, leased.due), (1, true, Some(wanted.lease_until)));

    let validators = Validators { etag: Some("W/\"é\"".to_owned()), last_modified: Some("Mon".to_owned()) };
    let content = Some(ContentHash([9; 16]));
    let fetched = Completion::Done {
        outcome: Outcome::Fetched,
        content,
        validators: validators.clone(),
        next_due: Some(at(20)),
    };
    complete(store, &first, fetched, at(11)).await;
    let kept = entry(store, &page.url).await;
    assert_eq!(
        (kept.content, &kept.validators, kept.outcome),
        (content, &validators, Some(Outcome::Fetched))
    );
    assert_eq!((kept.leased, kept.due), (false, Some(at(20))));
    wanted = Claim { fetch: 2, lease_until: at(20).plus(LEASE), validators, content, ..wanted };
    assert_eq!(some(claim(store, name, at(20)).await), wanted);
    clean_up(store, name).await;
}

/// A URL that was added at a time is not claimed before it.
pub async fn a_url_is_not_claimed_before_it_is_due(store: &dyn Frontier) {
    let name = "not-due";
    fresh_site(store, name, &settings()).await;
    ok(store.add(&[link(&url(name, "a"), 1, Why::Link)], at(1_000)).await);
    assert_eq!(claim(store, name, at(999)).await, None, "claimed before it is due");
    some(claim(store, name, at(1_000)).await);
    clean_up(store, name).await;
}

/// Until its lease ends nobody else gets a URL.
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
    let claims: Vec<Claim> = futures::future::join_all(calls).await.into_iter().flat_map(ok).collect();
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

/// A URL whose crawler died is due again when the lease ends, as the next fetch.
pub async fn an_ended_lease_is_due_again(store: &dyn Frontier) {
    let name = "lease-end";
    site_with(store, name, &settings(), &["a"]).await;
    let first = some(claim(store, name, START).await);
    let second = some(claim(store, name, first.lease_until).await);
    assert_eq!((second.url, second.fetch), (first.url, 2));
    assert_eq!(second.lease_until, first.lease_until.plus(LEASE));
    clean_up(store, name).await;
}

/// A call claims at most one URL a site, and never more than asked for.
pub async fn a_call_claims_at_most_one_url_a_site_and_at_most_the_asked_number(store: &dyn Frontier) {
    let names = ["most-a", "most-b", "most-c", "most-d"];
    for name in names {
        site_with(store, name, &settings(), &["a", "b", "c"]).await;
    }
    let mut held = Vec::new();
    for most in [0, 1, 3, PLENTY] {
        let claims = ok(store.claim(START, LEASE, most).await);
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

/// Between two claims of a site at least its delay passes, whoever claims and however they end.
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

/// A raised delay counts from the last claim (robots.txt is read during the first), and never sinks.
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

/// Nothing of a paused site is claimed; what is held can be ended; it goes on where it stood.
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

/// A site whose server asked for a rest is left alone until then, all its URLs.
pub async fn a_resting_site_is_not_claimed(store: &dyn Frontier) {
    let name = "resting";
    site_with(store, name, &settings(), &["a", "b", "c"]).await;
    let (first, second) = (some(claim(store, name, START).await), some(claim(store, name, START).await));
    for (claim, rest) in [(first, at(5_000)), (second, at(3_000))] {
        let wait = Completion::Retry { due: at(10), counts: false, rest_site_until: Some(rest) };
        complete(store, &claim, wait, at(1)).await;
    }
    assert_eq!(status(store, name).await.turn, at(5_000), "the longest rest holds");
    assert_eq!(claim(store, name, at(4_999)).await, None, "a resting site was claimed");
    some(claim(store, name, at(5_000)).await);
    clean_up(store, name).await;
}

/// A retried URL is due at its time; attempts count where they should, and start anew once done.
pub async fn retry_waits_and_counts_attempts(store: &dyn Frontier) {
    let name = "retry";
    site_with(store, name, &settings(), &["a"]).await;
    let mut now = START;
    for (counts, attempts) in [(true, 1), (false, 1), (true, 2)] {
        let claimed = some(claim(store, name, now).await);
        let due = now.plus(Duration::from_secs(1));
        complete(store, &claimed, retry(due, counts), now).await;
        let entry = entry(store, &claimed.url).await;
        assert_eq!(
            (entry.attempts, entry.due, entry.leased, entry.outcome),
            (attempts, Some(due), false, None)
        );
        assert_eq!(claim(store, name, Timestamp(due.0 - 1)).await, None, "retried before its time");
        now = due;
    }
    let last = some(claim(store, name, now).await);
    assert_eq!((last.attempts, last.fetch), (2, 4));
    complete(store, &last, done(Outcome::ServerError, None, Some(now)), now).await;
    assert_eq!(some(claim(store, name, now).await).attempts, 0, "attempts were not counted anew");
    clean_up(store, name).await;
}

/// A claim that was given back never happened, but its number is spent.
pub async fn a_released_claim_is_due_at_once(store: &dyn Frontier) {
    let name = "released";
    site_with(store, name, &settings(), &["a"]).await;
    let first = some(claim(store, name, START).await);
    complete(store, &first, Completion::Released, at(50)).await;
    let back = entry(store, &first.url).await;
    assert_eq!((back.due, back.leased, back.attempts, back.outcome), (Some(at(50)), false, 0, None));
    let second = some(claim(store, name, at(50)).await);
    assert_eq!((second.fetch, second.attempts), (2, 0));
    clean_up(store, name).await;
}

/// A done URL comes again at `next_due`, or never.
pub async fn a_done_url_is_due_again_only_at_its_time(store: &dyn Frontier) {
    let name = "done";
    site_with(store, name, &settings(), &["a", "b"]).await;
    let (one, other) = (some(claim(store, name, START).await), some(claim(store, name, START).await));
    complete(store, &one, done(Outcome::Fetched, Some(ContentHash([1; 16])), None), at(1)).await;
    complete(store, &other, done(Outcome::Fetched, Some(ContentHash([2; 16])), Some(at(900))), at(1)).await;
    assert_eq!(entry(store, &one.url).await.due, None);
    assert_eq!(claim(store, name, at(899)).await, None, "a done URL was claimed before its time");
    let again = some(claim(store, name, at(900)).await);
    assert_eq!((&again.url, again.content), (&other.url, Some(ContentHash([2; 16]))));
    let far = at(1_000_000_000);
    complete(store, &again, done(Outcome::Gone, None, None), at(901)).await;
    assert_eq!(claim(store, name, far).await, None, "a URL that is done for good was claimed");
    clean_up(store, name).await;
}

/// `Unchanged` without content keeps the content from before; any other end sets it.
pub async fn an_unchanged_page_keeps_its_content(store: &dyn Frontier) {
    let name = "unchanged";
    site_with(store, name, &settings(), &["a"]).await;
    let (one, two) = (Some(ContentHash([1; 16])), Some(ContentHash([2; 16])));
    let steps = [
        (Outcome::Fetched, one, one),
        (Outcome::Unchanged, None, one),
        (Outcome::Unchanged, two, two),
        (Outcome::Gone, None, None),
    ];
    for (outcome, given, wanted) in steps {
        let claimed = some(claim(store, name, START).await);
        complete(store, &claimed, done(outcome, given, Some(START)), START).await;
        assert_eq!(entry(store, &claimed.url).await.content, wanted, "after {outcome} with {given:?}");
    }
    clean_up(store, name).await;
}

/// A completion after the URL was claimed again changes nothing.
pub async fn a_completion_after_the_lease_went_elsewhere_is_lost(store: &dyn Frontier) {
    let name = "elsewhere";
    site_with(store, name, &settings(), &["a"]).await;
    let slow = some(claim(store, name, START).await);
    let fast = some(claim(store, name, slow.lease_until).await);
    let before = (entry(store, &slow.url).await, status(store, name).await);
    let ends = [
        done(Outcome::Gone, None, None),
        Completion::Retry { due: at(1), counts: true, rest_site_until: Some(at(9_000_000)) },
        Completion::Released,
    ];
    for end in ends {
        let lost = ok(store.complete(&slow, end, slow.lease_until).await);
        assert_eq!(lost, Completed::Lost, "the lease went to another");
    }
    assert_eq!(
        (entry(store, &slow.url).await, status(store, name).await),
        before,
        "a lost claim changed something"
    );
    complete(store, &fast, done(Outcome::Gone, None, None), slow.lease_until).await;
    clean_up(store, name).await;
}

/// A slow crawler whose URL nobody took meanwhile still ends its claim.
pub async fn a_late_completion_counts_while_nobody_else_claimed(store: &dyn Frontier) {
    let name = "late";
    site_with(store, name, &settings(), &["a"]).await;
    let slow = some(claim(store, name, START).await);
    let late = slow.lease_until.plus(LEASE);
    complete(store, &slow, done(Outcome::Gone, None, None), late).await;
    assert_eq!(claim(store, name, late).await, None, "a completed URL came back when its old lease ended");
    clean_up(store, name).await;
}

/// A claim ends once; the second end is `Lost`.
pub async fn a_claim_ends_once(store: &dyn Frontier) {
    let name = "once";
    let ends = || [done(Outcome::Gone, None, Some(at(9))), retry(at(9), true), Completion::Released];
    for first in ends() {
        for second in ends() {
            site_with(store, name, &settings(), &["a"]).await;
            let claimed = some(claim(store, name, START).await);
            complete(store, &claimed, first.clone(), at(1)).await;
            let before = entry(store, &claimed.url).await;
            assert_eq!(ok(store.complete(&claimed, second, at(2)).await), Completed::Lost);
            assert_eq!(
                entry(store, &claimed.url).await,
                before,
                "the second end of a claim changed something"
            );
        }
    }
    clean_up(store, name).await;
}

/// A site's tally counts each URL once, by its last outcome.
pub async fn outcomes_are_tallied_once_per_url(store: &dyn Frontier) {
    let name = "tally";
    site_with(store, name, &settings(), &["a", "b", "c"]).await;
    let outcomes = [Outcome::Fetched, Outcome::Gone, Outcome::Gone];
    for outcome in outcomes {
        let claimed = some(claim(store, name, START).await);
        complete(store, &claimed, done(outcome, None, Some(at(100))), START).await;
    }
    let tally = BTreeMap::from([(Outcome::Fetched, 1), (Outcome::Gone, 2)]);
    assert_eq!(status(store, name).await.outcomes, tally);
    let retried = some(claim(store, name, at(100)).await);
    complete(store, &retried, retry(at(200), true), at(100)).await;
    assert_eq!(status(store, name).await.outcomes, tally, "a retry is no outcome");
    for _ in 0..3 {
        let claimed = some(claim(store, name, at(200)).await);
        complete(store, &claimed, done(Outcome::Fetched, None, None), at(200)).await;
    }
    assert_eq!(status(store, name).await.outcomes, BTreeMap::from([(Outcome::Fetched, 3)]));
    clean_up(store, name).await;
}

/// The status counts URLs, those that wait, those that are claimed, and names the next due time.
pub async fn status_counts_what_is_pending_and_leased(store: &dyn Frontier) {
    let name = "status";
    site_with(store, name, &settings(), &["a", "b", "c", "d"]).await;
    let counts = |status: SiteStatus| (status.urls, status.pending, status.leased, status.next_due);
    assert_eq!(counts(status(store, name).await), (4, 4, 0, Some(START)));
    let claims = [
        some(claim(store, name, START).await),
        some(claim(store, name, START).await),
        some(claim(store, name, START).await),
    ];
    assert_eq!(counts(status(store, name).await), (4, 1, 3, Some(START)));
    let [one, two, three] = claims;
    complete(store, &one, done(Outcome::Fetched, None, None), at(1)).await;
    complete(store, &two, retry(at(800), true), at(1)).await;
    let last = some(claim(store, name, at(2)).await);
    assert_eq!(counts(status(store, name).await), (4, 1, 2, Some(at(800))));
    for claim in [three, last] {
        complete(store, &claim, done(Outcome::Fetched, None, Some(at(700))), at(3)).await;
    }
    assert_eq!(counts(status(store, name).await), (4, 3, 0, Some(at(700))));
    clean_up(store, name).await;
}

/// An engine that starts ends all leases: what was claimed is due, and the old claims are void.
pub async fn released_leases_are_due_again(store: &dyn Frontier) {
    let name = "release-leases";
    site_with(store, name, &settings(), &["a", "b", "c"]).await;
    let (held, other) = (some(claim(store, name, START).await), some(claim(store, name, START).await));
    ok(store.release_leases(at(5)).await);
    assert_eq!(status(store, name).await.leased, 0);
    for claim in [&held, &other] {
        let entry = entry(store, &claim.url).await;
        assert_eq!((entry.due, entry.leased, entry.fetch), (Some(at(5)), false, 1));
    }
    assert_eq!(ok(store.complete(&held, Completion::Released, at(6)).await), Completed::Lost);
    for _ in 0..3 {
        some(claim(store, name, at(6)).await);
    }
    assert_eq!(ok(store.release_leases(at(7)).await), 3, "the number of ended leases");
    assert_eq!(ok(store.release_leases(at(7)).await), 0, "leases ended twice");
    clean_up(store, name).await;
}
