//! The promises of a frontier: each URL once, each claim to one crawler, each site at its pace.
//!
//! The checks also settle what the trait leaves open. A known URL is `known` whatever its new depth. A claim
//! ends by its number, and only while it is leased. A site that was removed and comes back does not honour
//! old claims. The tally counts the last outcome of a URL.
//! Start at [`all`]. The checks are in the modules, by topic.

mod adding;
mod claims;
mod ends;
mod leaving;
mod schedules;

pub use self::adding::*;
pub use self::claims::*;
pub use self::ends::*;
pub use self::leaving::*;
pub use self::schedules::*;

use std::collections::BTreeMap;
use std::time::Duration;

use super::{START, checks, ok, site, url};
use crate::outcome::Outcome;
use crate::schedule::{Class, Next, PageSchedule};
use crate::store::{
    Added, Claim, Claimed, Completed, Completion, Entry, Frontier, NewUrl, SiteSettings, SiteStatus,
    Validators, Why,
};
use crate::version::ContentHash;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;

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
    who_waits_for_the_next_turn_misses_none,
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
    classes_are_served_in_their_order,
    a_completion_says_where_a_url_waits,
    an_allowance_is_spent_and_fills_again,
    a_changed_allowance_keeps_its_tokens,
    a_learnt_delay_holds_and_may_sink,
    a_rest_is_never_shortened,
    a_skipped_claim_costs_nothing,
    what_visits_taught_is_replaced_by_who_read_it,
    a_note_is_taken_for_the_last_fetch_only,
    a_known_url_may_be_asked_for_again,
    requests_are_counted_for_ten_minutes,
    a_page_budget_is_of_a_day,
    what_is_not_asked_for_again_leaves_and_is_remembered,
    what_is_shown_stays_remembered,
    what_has_left_may_come_back,
    a_forgotten_url_is_new_again,
    many_urls_are_remembered_one_by_one,
    the_backlog_leaves_half_of_the_budget,
}

const LEASE: Duration = Duration::from_secs(60);
const PLENTY: usize = 1_000;
/// The number before that of the first claim of a URL that is added at the start.
const FIRST: u64 = START.0 / 86_400_000 * 1_000;

fn settings() -> SiteSettings {
    SiteSettings { max_pages: 100, max_depth: 10, delay_ms: 0, paused: false, labels: BTreeMap::new() }
}

/// Milliseconds after the start of the checks.
fn at(ms: u64) -> Timestamp {
    Timestamp(START.0 + ms)
}

fn link(url: &CanonicalUrl, depth: u32, why: Why) -> NewUrl {
    NewUrl::once(url.clone(), depth, why, 0)
}

/// Makes a new site for a check, without URLs.
async fn fresh_site(store: &dyn Frontier, name: &str, settings: &SiteSettings) {
    ok(store.remove_site(&site(name)).await);
    ok(store.put_site(&site(name), settings).await);
}

/// Makes a new site with these pages, due at the start.
async fn site_with(store: &dyn Frontier, name: &str, settings: &SiteSettings, paths: &[&str]) {
    fresh_site(store, name, settings).await;
    let urls: Vec<NewUrl> = paths.iter().map(|path| link(&url(name, path), 1, Why::Link)).collect();
    let added = ok(store.add(&urls, START).await);
    assert_eq!(added.new, paths.len() as u64, "adding new URLs: {added:?}");
}

fn ended(outcome: Outcome, next: Option<Next>, schedule: Option<PageSchedule>) -> Completion {
    let content = Some(ContentHash([1; 16]));
    Completion::Done { outcome, content, validators: Validators::default(), next, schedule }
}

async fn clean_up(store: &dyn Frontier, name: &str) {
    ok(store.remove_site(&site(name)).await);
}

/// Claims until a URL of the check's site comes or no URL is due. Gives the claims of other sites back.
async fn claim(store: &dyn Frontier, name: &str, now: Timestamp) -> Option<Claim> {
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
fn some(claim: Option<Claim>) -> Claim {
    claim.unwrap_or_else(|| panic!("a URL is due and its site's turn has come, but nothing was claimed"))
}

fn done(outcome: Outcome, content: Option<ContentHash>, next_due: Option<Timestamp>) -> Completion {
    let next = next_due.map(|due| Next { due, class: Class::New });
    Completion::Done { outcome, content, validators: Validators::default(), next, schedule: None }
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
