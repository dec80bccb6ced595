//! What the checks of the frontier share.

pub(super) use std::collections::BTreeMap;
pub(super) use std::time::Duration;

pub(super) use super::super::{START, ok, site, url};
pub(super) use crate::outcome::Outcome;
pub(super) use crate::schedule::{Class, Next, PageSchedule};
pub(super) use crate::store::{
    Added, Claim, Claimed, Completed, Completion, Entry, Frontier, NewUrl, SiteSettings, SiteStatus,
    Validators, Why,
};
pub(super) use crate::version::ContentHash;
pub(super) use newslode_page::reading::CanonicalUrl;
pub(super) use newslode_page::time::Timestamp;

pub(super) const LEASE: Duration = Duration::from_secs(60);
pub(super) const PLENTY: usize = 1_000;
/// The number before that of the first claim of a URL that is added at the start.
pub(super) const FIRST: u64 = START.0 / 86_400_000 * 1_000;

pub(super) fn settings() -> SiteSettings {
    SiteSettings { max_pages: 100, max_depth: 10, delay_ms: 0, paused: false, labels: BTreeMap::new() }
}

/// Milliseconds after the start of the checks.
pub(super) fn at(ms: u64) -> Timestamp {
    Timestamp(START.0 + ms)
}

pub(super) fn link(url: &CanonicalUrl, depth: u32, why: Why) -> NewUrl {
    NewUrl::once(url.clone(), depth, why, 0)
}

/// Makes a new site for a check, without URLs.
pub(super) async fn fresh_site(store: &dyn Frontier, name: &str, settings: &SiteSettings) {
    ok(store.remove_site(&site(name)).await);
    ok(store.put_site(&site(name), settings).await);
}

/// Makes a new site with these pages, due at the start.
pub(super) async fn site_with(store: &dyn Frontier, name: &str, settings: &SiteSettings, paths: &[&str]) {
    fresh_site(store, name, settings).await;
    let urls: Vec<NewUrl> = paths.iter().map(|path| link(&url(name, path), 1, Why::Link)).collect();
    let added = ok(store.add(&urls, START).await);
    assert_eq!(added.new, paths.len() as u64, "adding new URLs: {added:?}");
}

pub(super) fn ended(outcome: Outcome, next: Option<Next>, schedule: Option<PageSchedule>) -> Completion {
    let content = Some(ContentHash([1; 16]));
    Completion::Done { outcome, content, validators: Validators::default(), next, schedule }
}

pub(super) async fn clean_up(store: &dyn Frontier, name: &str) {
    ok(store.remove_site(&site(name)).await);
}

/// Claims until a URL of the check's site comes or no URL is due. Gives the claims of other sites back.
pub(super) async fn claim(store: &dyn Frontier, name: &str, now: Timestamp) -> Option<Claim> {
    let (mut mine, mut others) = (Vec::new(), Vec::new());
    while mine.is_empty() {
        let claims = ok(store.claim(now, LEASE, PLENTY).await).claims;
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
pub(super) fn some(claim: Option<Claim>) -> Claim {
    claim.unwrap_or_else(|| panic!("a URL is due and its site's turn has come, but nothing was claimed"))
}

pub(super) fn done(
    outcome: Outcome,
    content: Option<ContentHash>,
    next_due: Option<Timestamp>,
) -> Completion {
    let next = next_due.map(|due| Next { due, class: Class::New });
    Completion::Done { outcome, content, validators: Validators::default(), next, schedule: None }
}

pub(super) fn retry(due: Timestamp, counts: bool) -> Completion {
    Completion::Retry { due, counts, rest_site_until: None }
}

pub(super) async fn complete(store: &dyn Frontier, claim: &Claim, completion: Completion, now: Timestamp) {
    let completed = ok(store.complete(claim, completion, now).await);
    assert_eq!(completed, Completed::Recorded, "a completion within its lease is recorded");
}

pub(super) async fn entry(store: &dyn Frontier, url: &CanonicalUrl) -> Entry {
    match ok(store.entry(url).await) {
        Some(entry) => entry,
        None => panic!("`{url}` was added and has no entry"),
    }
}

pub(super) async fn status(store: &dyn Frontier, name: &str) -> SiteStatus {
    let all = ok(store.status().await);
    assert!(all.is_sorted_by(|one, next| one.site < next.site), "sites are not in order of their names");
    match all.into_iter().find(|status| status.site == site(name)) {
        Some(status) => status,
        None => panic!("`{name}` is not among the sites"),
    }
}
