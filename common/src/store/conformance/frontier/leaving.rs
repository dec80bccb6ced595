//! Checks of URLs that leave: what is remembered of them, and for how long.

use super::helpers::*;
use crate::schedule::PageSchedule;
use crate::store::{Again, Note, REMEMBERED_DAYS};

/// Days after the start.
fn days(days: u32) -> Timestamp {
    at(u64::from(days) * 86_400_000)
}

/// A page with a schedule.
fn page(name: &str, path: &str) -> NewUrl {
    NewUrl { schedule: Some(PageSchedule::page(None, START)), ..link(&url(name, path), 1, Why::Link) }
}

/// Claims the page that is due and completes it for good.
async fn end(store: &dyn Frontier, name: &str, now: Timestamp) -> Claim {
    let claimed = some(claim(store, name, now).await);
    complete(store, &claimed, ended(Outcome::Gone, None, claimed.schedule), now).await;
    claimed
}

async fn add(store: &dyn Frontier, new: &NewUrl, now: Timestamp) -> (u64, u64) {
    let added = ok(store.add(std::slice::from_ref(new), now).await);
    (added.new, added.known)
}

/// A page that is not asked for again leaves: it has no record and is known. So does one that is noted so.
pub async fn what_is_not_asked_for_again_leaves_and_is_remembered(store: &dyn Frontier) {
    let name = "leaves";
    fresh_site(store, name, &settings()).await;
    let (one, other, once) = (page(name, "one"), page(name, "other"), link(&url(name, "once"), 1, Why::Link));
    assert_eq!(add(store, &one, START).await, (1, 0));
    end(store, name, START).await;
    assert_eq!(ok(store.entry(&one.url).await), None);
    let held = status(store, name).await;
    assert_eq!((held.urls, held.remembered, held.pending, held.next_due), (0, 1, 0, None));
    assert_eq!(held.outcomes, BTreeMap::from([(Outcome::Gone, 1)]), "what happened stays counted");
    assert_eq!(add(store, &one, at(1)).await, (0, 1));
    assert_eq!(claim(store, name, at(1)).await, None, "it is not asked for");

    add(store, &other, at(1)).await;
    let claimed = some(claim(store, name, at(1)).await);
    let waits = Next { due: at(500), class: Class::Rest };
    complete(store, &claimed, ended(Outcome::Fetched, Some(waits), other.schedule), at(2)).await;
    let (url, fetch, schedule) = (other.url.clone(), claimed.fetch, PageSchedule::page(None, START));
    assert!(ok(store.note(&Note { url, fetch, at: at(2), next: None, schedule }).await));
    assert_eq!(ok(store.entry(&other.url).await), None);
    let held = status(store, name).await;
    assert_eq!((held.urls, held.remembered, held.pending), (0, 2, 0));

    assert_eq!(add(store, &once, at(3)).await, (1, 0));
    let claimed = some(claim(store, name, at(3)).await);
    complete(store, &claimed, ended(Outcome::Fetched, None, None), at(3)).await;
    assert!(ok(store.entry(&once.url).await).is_some(), "a page without a schedule stays");
    ok(store.remove_site(&site(name)).await);
    fresh_site(store, name, &settings()).await;
    assert_eq!(add(store, &one, at(4)).await, (1, 0), "a removed site remembers nothing");
    clean_up(store, name).await;
}

/// A page that has left is known until nobody has shown it for long.
pub async fn what_is_shown_stays_remembered(store: &dyn Frontier) {
    let name = "shown";
    fresh_site(store, name, &settings()).await;
    let shown = page(name, "a");
    add(store, &shown, START).await;
    end(store, name, START).await;
    let mut day = 0;
    for _ in 0..3 {
        assert_eq!(ok(store.left(&shown.url, days(day)).await), Some(days(day).day()));
        day += REMEMBERED_DAYS;
        assert_eq!(add(store, &shown, days(day)).await, (0, 1), "after {day} days");
    }
    assert_eq!(ok(store.left(&shown.url, days(day + REMEMBERED_DAYS + 1)).await), None);
    assert_eq!(
        add(store, &shown, days(day + REMEMBERED_DAYS + 1)).await,
        (1, 0),
        "nobody showed it for long"
    );
    assert_eq!(status(store, name).await.remembered, 0);
    clean_up(store, name).await;
}

/// A page that has left comes back if it is to be asked for now, and its claims count on.
pub async fn what_has_left_may_come_back(store: &dyn Frontier) {
    let name = "comes-back";
    fresh_site(store, name, &settings()).await;
    let back = page(name, "a");
    add(store, &back, START).await;
    let before = end(store, name, START).await;
    let now = NewUrl { again: Again::Now, ..back.clone() };
    assert_eq!(add(store, &now, days(1)).await, (1, 0));
    let held = status(store, name).await;
    assert_eq!((held.urls, held.remembered, held.pending), (1, 0, 1));
    let claimed = end(store, name, days(1)).await;
    assert!(claimed.fetch > before.fetch, "{} after {}", claimed.fetch, before.fetch);
    clean_up(store, name).await;
}

/// A forgotten page has no record, is not remembered, and its claim is lost.
pub async fn a_forgotten_url_is_new_again(store: &dyn Frontier) {
    let name = "forgotten";
    fresh_site(store, name, &settings()).await;
    let forgotten = page(name, "a");
    assert!(!ok(store.forget_url(&forgotten.url).await), "it was never known");
    add(store, &forgotten, START).await;
    end(store, name, START).await;
    assert!(ok(store.forget_url(&forgotten.url).await));
    assert_eq!(add(store, &forgotten, at(1)).await, (1, 0));
    let claimed = some(claim(store, name, at(1)).await);
    assert!(ok(store.forget_url(&forgotten.url).await));
    let held = status(store, name).await;
    assert_eq!((held.urls, held.remembered, held.pending, held.leased), (0, 0, 0, 0));
    let late = ok(store.complete(&claimed, ended(Outcome::Fetched, None, claimed.schedule), at(2)).await);
    assert_eq!(late, Completed::Lost);
    clean_up(store, name).await;
}

/// However many pages have left, each is known, and no other one is.
pub async fn many_urls_are_remembered_one_by_one(store: &dyn Frontier) {
    let name = "many";
    const MANY: u32 = 700;
    fresh_site(store, name, &SiteSettings { max_pages: 10_000, ..settings() }).await;
    let pages: Vec<NewUrl> = (0..MANY).map(|n| page(name, &format!("{n}"))).collect();
    ok(store.add(&pages, START).await);
    for _ in &pages {
        end(store, name, START).await;
    }
    assert_eq!(status(store, name).await.remembered, u64::from(MANY));
    assert_eq!(ok(store.add(&pages, at(1)).await).known, u64::from(MANY));
    for n in (0..MANY).step_by(7) {
        assert!(ok(store.forget_url(&url(name, &format!("{n}"))).await));
    }
    let left = u64::from(MANY - MANY.div_ceil(7));
    assert_eq!(status(store, name).await.remembered, left);
    let added = ok(store.add(&pages, at(2)).await);
    assert_eq!((added.known, added.new), (left, u64::from(MANY) - left));
    clean_up(store, name).await;
}
