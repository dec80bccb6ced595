//! Checks of scheduling: classes, allowances, what visits have taught, and what is noted of pages.

use super::helpers::*;
use crate::schedule::{Class, ListingKind, Next, PageSchedule, Role, SiteSchedule};
use crate::store::{Again, Note, Pace};

fn scheduled(name: &str, path: &str, class: Class) -> NewUrl {
    let schedule = PageSchedule { text: 7, ..PageSchedule::in_menu() };
    NewUrl { class, schedule: Some(schedule), ..link(&url(name, path), 1, Why::Link) }
}

/// Sets a site's pace without teaching it anything.
async fn pace(store: &dyn Frontier, name: &str, pace: Pace, now: Timestamp) {
    let (schedule, number) = ok(store.schedule(&site(name)).await);
    assert!(ok(store.put_schedule(&site(name), &schedule, number, pace, now).await), "nobody else wrote");
}

async fn path_of(store: &dyn Frontier, name: &str, now: Timestamp) -> Option<String> {
    claim(store, name, now).await.map(|claim| claim.url.path().to_owned())
}

/// Of the URLs that are due, those of the first class go first, whatever the time since when they are due.
pub async fn classes_are_served_in_their_order(store: &dyn Frontier) {
    let name = "classes";
    fresh_site(store, name, &settings()).await;
    for (ms, path, class) in [
        (0, "past", Class::Past),
        (0, "rest", Class::Rest),
        (1, "recheck", Class::Recheck),
        (2, "late", Class::New),
        (1, "early", Class::New),
        (3, "listing", Class::Listing),
    ] {
        ok(store.add(&[scheduled(name, path, class)], at(ms)).await);
    }
    for wanted in ["/listing", "/early", "/late", "/recheck", "/rest", "/past"] {
        assert_eq!(path_of(store, name, at(10)).await.as_deref(), Some(wanted));
    }
    assert_eq!(path_of(store, name, at(10)).await, None);
    clean_up(store, name).await;
}

/// A URL keeps its class and its schedule, and waits in the class that its completion names.
pub async fn a_completion_says_where_a_url_waits(store: &dyn Frontier) {
    let name = "waits";
    fresh_site(store, name, &settings()).await;
    let new = scheduled(name, "a", Class::New);
    ok(store.add(std::slice::from_ref(&new), START).await);
    let first = some(claim(store, name, at(5)).await);
    assert_eq!(first.was, Next { due: START, class: Class::New });
    assert_eq!(first.schedule, new.schedule);
    complete(store, &first, retry(at(20), false), at(6)).await;
    let again = some(claim(store, name, at(30)).await);
    assert_eq!(again.was, Next { due: at(20), class: Class::New }, "a retry waits in the same class");
    let listing = PageSchedule::of(Role::Listing(ListingKind::Feed));
    let next = Next { due: at(40), class: Class::Listing };
    complete(store, &again, ended(Outcome::Fetched, Some(next), Some(listing)), at(31)).await;
    let held = entry(store, &new.url).await;
    assert_eq!((held.due, held.class, held.schedule), (Some(at(40)), Class::Listing, Some(listing)));
    assert_eq!(held.seen, Some(at(31)), "the last good fetch");
    let third = some(claim(store, name, at(40)).await);
    assert_eq!((third.was, third.schedule), (next, Some(listing)));
    let later = Next { due: at(90), class: Class::Rest };
    complete(store, &third, ended(Outcome::Gone, Some(later), third.schedule), at(41)).await;
    let missed = entry(store, &new.url).await;
    assert_eq!((missed.due, missed.seen), (Some(at(90)), Some(at(31))), "what is gone was not seen");
    clean_up(store, name).await;
}

/// Each claim takes a token; without one nothing is claimed. Later classes leave tokens for the first ones.
pub async fn an_allowance_is_spent_and_fills_again(store: &dyn Frontier) {
    let name = "allowance";
    fresh_site(store, name, &settings()).await;
    // 96 a day: a bucket of 24 tokens, and one more in a quarter of an hour.
    pace(store, name, Pace { per_day: Some(96), ..Pace::default() }, START).await;
    let urls: Vec<NewUrl> =
        (0..30).map(|page| scheduled(name, &format!("rest{page:02}"), Class::Rest)).collect();
    ok(store.add(&urls, START).await);
    let mut rest = 0;
    while let Some(claim) = claim(store, name, START).await {
        rest += 1;
        let tokens = claim.allowance.map(|allowance| allowance.tokens(START));
        assert_eq!(tokens, Some(24_000 - rest * 1_000), "a claim tells what is left after it");
    }
    assert_eq!(rest, 15, "two fifths of 24 tokens are left");
    let urls: Vec<NewUrl> =
        (0..30).map(|page| scheduled(name, &format!("new{page:02}"), Class::New)).collect();
    ok(store.add(&urls, START).await);
    let mut new = 0;
    while claim(store, name, START).await.is_some() {
        new += 1;
    }
    assert_eq!(new, 9, "new articles may take the last token");
    let ready = status(store, name).await.ready.unwrap_or_default();
    assert!((at(900_000)..=at(900_002)).contains(&ready), "the next token comes after 15 minutes: {ready:?}");
    assert_eq!(claim(store, name, Timestamp(ready.0 - 10)).await, None, "claimed without a token");
    let free = some(claim(store, name, ready).await);
    assert_eq!(claim(store, name, ready).await, None);
    // Without a request there is no delay, but the bucket still fills from now on.
    complete(store, &free, Completion::Skipped { next: None, schedule: free.schedule }, ready).await;
    let next = status(store, name).await.ready.unwrap_or_default();
    assert!(next <= ready, "the token is back");
    some(claim(store, name, ready).await);
    let next = status(store, name).await.ready.unwrap_or_default();
    assert!((ready..=Timestamp(ready.0 + 900_002)).contains(&next) && next > ready, "{next:?}");
    clean_up(store, name).await;
}

/// Another number of requests a day keeps the tokens that are there, up to the new capacity.
pub async fn a_changed_allowance_keeps_its_tokens(store: &dyn Frontier) {
    let name = "resized";
    fresh_site(store, name, &settings()).await;
    for (per_day, wanted) in [(960, 240_000), (96, 24_000), (960, 24_000)] {
        pace(store, name, Pace { per_day: Some(per_day), ..Pace::default() }, START).await;
        let allowance = status(store, name).await.allowance;
        assert_eq!(allowance.map(|allowance| allowance.tokens(START)), Some(wanted), "at {per_day} a day");
    }
    pace(store, name, Pace::default(), START).await;
    assert_eq!(status(store, name).await.allowance, None);
    clean_up(store, name).await;
}

/// The delay that experience taught holds beside the settings' one, and may sink again.
pub async fn a_learnt_delay_holds_and_may_sink(store: &dyn Frontier) {
    let name = "learnt-delay";
    site_with(store, name, &SiteSettings { delay_ms: 100, ..settings() }, &["a", "b", "c"]).await;
    some(claim(store, name, START).await);
    pace(store, name, Pace { delay_ms: 5_000, ..Pace::default() }, at(1)).await;
    assert_eq!(claim(store, name, at(4_999)).await, None, "claimed before the learnt delay");
    some(claim(store, name, at(5_000)).await);
    pace(store, name, Pace { delay_ms: 10, ..Pace::default() }, at(5_001)).await;
    assert_eq!(claim(store, name, at(5_099)).await, None, "claimed before the site's own delay");
    some(claim(store, name, at(5_100)).await);
    clean_up(store, name).await;
}

/// A pace may let the site rest. A longer rest stays.
pub async fn a_rest_is_never_shortened(store: &dyn Frontier) {
    let name = "rests";
    site_with(store, name, &settings(), &["a"]).await;
    for until in [Some(at(900)), Some(at(500)), None] {
        pace(store, name, Pace { rest_until: until, ..Pace::default() }, START).await;
        assert_eq!(status(store, name).await.ready, Some(at(900)));
    }
    assert_eq!(claim(store, name, at(899)).await, None, "a resting site was claimed");
    some(claim(store, name, at(900)).await);
    clean_up(store, name).await;
}

/// A claim that sent no request gives the site's turn and its token back.
pub async fn a_skipped_claim_costs_nothing(store: &dyn Frontier) {
    let name = "skipped";
    fresh_site(store, name, &SiteSettings { delay_ms: 60_000, ..settings() }).await;
    pace(store, name, Pace { per_day: Some(96), ..Pace::default() }, START).await;
    ok(store.add(&[scheduled(name, "a", Class::New), scheduled(name, "b", Class::New)], START).await);
    let first = some(claim(store, name, START).await);
    let next = Next { due: at(1_000_000), class: Class::Rest };
    let skipped = Completion::Skipped { next: Some(next), schedule: first.schedule };
    complete(store, &first, skipped, at(1)).await;
    let held = entry(store, &first.url).await;
    assert_eq!((held.due, held.class, held.outcome, held.seen), (Some(next.due), Class::Rest, None, None));
    let second = some(claim(store, name, at(1)).await);
    assert_ne!(second.url, first.url);
    assert_eq!(second.allowance.map(|allowance| allowance.tokens(at(1))), Some(23_000));
    clean_up(store, name).await;
}

/// A request beside the claims takes a token of the allowance, whether or not the allowance changes.
pub async fn a_request_beside_the_claims_takes_a_token(store: &dyn Frontier) {
    let name = "beside";
    fresh_site(store, name, &settings()).await;
    let requests = |per_day, beside_claims| Pace { per_day, beside_claims, ..Pace::default() };
    pace(store, name, requests(None, 3), START).await;
    pace(store, name, requests(Some(96), 0), START).await;
    pace(store, name, requests(Some(96), 2), START).await;
    pace(store, name, requests(Some(192), 1), START).await;
    ok(store.add(&[scheduled(name, "a", Class::New)], START).await);
    let claim = some(claim(store, name, START).await);
    // The bucket held 24, and the claim takes one as well.
    assert_eq!(claim.allowance.map(|allowance| allowance.tokens(START)), Some(20_000));
    clean_up(store, name).await;
}

/// What a site's visits have taught is replaced only by who read it, and goes with the site.
pub async fn what_visits_taught_is_replaced_by_who_read_it(store: &dyn Frontier) {
    let name = "taught";
    ok(store.remove_site(&site(name)).await);
    let mut taught = SiteSchedule::default();
    taught.meet(&url(name, "feed"), ListingKind::Feed);
    let none = Pace::default();
    let unknown = ok(store.put_schedule(&site(name), &taught, 0, none, START).await);
    assert!(!unknown, "a site without a seed was taught");
    fresh_site(store, name, &settings()).await;
    assert_eq!(ok(store.schedule(&site(name)).await), (SiteSchedule::default(), 0));
    assert!(ok(store.put_schedule(&site(name), &taught, 0, none, START).await));
    let (held, number) = ok(store.schedule(&site(name)).await);
    assert_eq!(held, taught);
    assert!(
        !ok(store.put_schedule(&site(name), &SiteSchedule::default(), 0, none, START).await),
        "it was read before"
    );
    assert_eq!(ok(store.schedule(&site(name)).await), (taught.clone(), number), "a refused value was kept");
    taught.meet(&url(name, "map"), ListingKind::Map);
    assert!(ok(store.put_schedule(&site(name), &taught, number, none, START).await));
    assert_eq!(ok(store.schedule(&site(name)).await).0, taught);
    ok(store.remove_site(&site(name)).await);
    assert_eq!(ok(store.schedule(&site(name)).await), (SiteSchedule::default(), 0), "it outlived its site");
}

/// A note holds for the claim that fetched the page, once that claim has ended and until the next one.
pub async fn a_note_is_taken_for_the_last_fetch_only(store: &dyn Frontier) {
    let name = "noted";
    fresh_site(store, name, &settings()).await;
    let new = scheduled(name, "a", Class::New);
    ok(store.add(std::slice::from_ref(&new), START).await);
    let schedule = PageSchedule { text: 99, ..PageSchedule::page(None, START) };
    let next = Next { due: at(70), class: Class::Recheck };
    let note = |fetch| Note { url: new.url.clone(), fetch, at: START, next: Some(next), schedule };
    let first = some(claim(store, name, START).await);
    assert!(!ok(store.note(&note(first.fetch)).await), "the page is claimed");
    let waits = Next { due: at(500), class: Class::Rest };
    complete(store, &first, ended(Outcome::Fetched, Some(waits), new.schedule), at(1)).await;
    assert!(!ok(store.note(&note(first.fetch + 1)).await), "no such claim");
    assert!(ok(store.note(&note(first.fetch)).await));
    let held = entry(store, &new.url).await;
    assert_eq!((held.due, held.class, held.schedule), (Some(at(70)), Class::Recheck, Some(schedule)));
    assert_eq!(status(store, name).await.pending, 1);
    assert_eq!(claim(store, name, at(69)).await, None);
    let second = some(claim(store, name, at(70)).await);
    complete(store, &second, ended(Outcome::Fetched, Some(waits), second.schedule), at(71)).await;
    assert!(!ok(store.note(&note(first.fetch)).await), "an older claim's note was taken");
    assert!(ok(store.note(&note(second.fetch)).await));
    assert_eq!(status(store, name).await.pending, 1);
    ok(store.remove_site(&site(name)).await);
    assert!(!ok(store.note(&note(second.fetch)).await), "the site is forgotten");
}

/// A known URL that is added again is asked for now, after a change, or as before.
pub async fn a_known_url_may_be_asked_for_again(store: &dyn Frontier) {
    let name = "again";
    fresh_site(store, name, &settings()).await;
    let new = scheduled(name, "a", Class::New);
    let with = |again, class| NewUrl { again, class, ..new.clone() };
    ok(store.add(std::slice::from_ref(&new), START).await);
    let first = some(claim(store, name, START).await);
    ok(store.add(&[with(Again::Now, Class::Listing)], at(1)).await);
    assert!(entry(store, &new.url).await.leased, "a claimed URL stays claimed");
    let waits = Next { due: at(10_000), class: Class::Rest };
    complete(store, &first, ended(Outcome::Fetched, Some(waits), new.schedule), at(100)).await;
    for (again, due, class) in [
        (Again::Never, at(10_000), Class::Rest),
        (Again::IfFetchedBefore(at(100)), at(10_000), Class::Rest),
        (Again::IfFetchedBefore(at(101)), at(200), Class::Recheck),
    ] {
        ok(store.add(&[with(again, Class::New)], at(200)).await);
        let held = entry(store, &new.url).await;
        assert_eq!((held.due, held.class), (Some(due), class), "after {again:?}");
    }
    let second = some(claim(store, name, at(200)).await);
    complete(store, &second, ended(Outcome::Fetched, None, second.schedule), at(201)).await;
    ok(store.add(&[with(Again::IfFetchedBefore(at(900)), Class::New)], at(300)).await);
    assert_eq!(ok(store.entry(&new.url).await), None, "what has left is not rechecked");
    let other = NewUrl {
        schedule: Some(PageSchedule::of(Role::Listing(ListingKind::Front))),
        ..with(Again::Now, Class::Listing)
    };
    ok(store.add(std::slice::from_ref(&other), at(400)).await);
    let held = entry(store, &new.url).await;
    assert_eq!((held.due, held.class, held.schedule), (Some(at(400)), Class::Listing, other.schedule));
    assert_eq!((status(store, name).await.urls, status(store, name).await.pending), (1, 1));
    some(claim(store, name, at(400)).await);
    clean_up(store, name).await;
}

/// A claim tells how many requests the site got within the last ten minutes.
pub async fn requests_are_counted_for_ten_minutes(store: &dyn Frontier) {
    let name = "recent";
    let paths: Vec<String> = (0..8).map(|page| format!("p{page}")).collect();
    site_with(store, name, &settings(), &paths.iter().map(String::as_str).collect::<Vec<_>>()).await;
    // Windows begin at multiples of ten minutes.
    let start = Timestamp(START.0.next_multiple_of(600_000));
    let mut counts = Vec::new();
    for ms in [0, 1, 2, 3, 600_000, 900_000, 3_000_000] {
        counts.push(some(claim(store, name, Timestamp(start.0 + ms)).await).recent);
    }
    assert_eq!(counts, [1, 2, 3, 4, 5, 4, 1]);
    clean_up(store, name).await;
}

/// A page budget is spent within a day, which begins with the first URL; then there is another one.
pub async fn a_page_budget_is_of_a_day(store: &dyn Frontier) {
    let name = "daily";
    const DAY: u64 = 86_400_000;
    fresh_site(store, name, &SiteSettings { max_pages: 2, ..settings() }).await;
    let mut page = 0;
    for (ms, admitted) in [(0, 2), (DAY - 1, 0), (DAY, 2), (DAY + 5, 0), (2 * DAY - 1, 0), (5 * DAY, 2)] {
        let urls: Vec<NewUrl> = (0..3)
            .map(|_| {
                page += 1;
                link(&url(name, &format!("p{page}")), 1, Why::Link)
            })
            .collect();
        let added = ok(store.add(&urls, at(ms)).await);
        assert_eq!((added.new, added.over_budget), (admitted, 3 - admitted), "after {ms} ms");
    }
    clean_up(store, name).await;
}

/// What is past leaves three fifths of the allowance to what a site publishes now, and is claimed when there is more.
pub async fn the_past_waits_for_tokens(store: &dyn Frontier) {
    let name = "past";
    fresh_site(store, name, &settings()).await;
    pace(store, name, Pace { per_day: Some(96), ..Pace::default() }, START).await;
    let urls: Vec<NewUrl> =
        (0..30).map(|page| scheduled(name, &format!("past{page:02}"), Class::Past)).collect();
    ok(store.add(&urls, START).await);
    let mut past = 0;
    while let Some(claimed) = claim(store, name, START).await {
        past += 1;
        complete(store, &claimed, ended(Outcome::Fetched, None, claimed.schedule), START).await;
    }
    assert_eq!(past, 10, "three fifths of 24 tokens are left");
    let ready = status(store, name).await.ready.unwrap_or_default();
    assert!(
        (at(360_000)..=at(360_002)).contains(&ready),
        "two fifths of a token come in 6 minutes: {ready:?}"
    );
    ok(store.add(&[scheduled(name, "rest", Class::Rest)], at(1)).await);
    assert_eq!(path_of(store, name, at(1)).await.as_deref(), Some("/rest"), "the backlog need not wait");
    clean_up(store, name).await;
}

/// The last classes may use half of a site's page budget, so that a long backlog cannot crowd out the news.
pub async fn the_backlog_leaves_half_of_the_budget(store: &dyn Frontier) {
    let name = "backlog";
    fresh_site(store, name, &SiteSettings { max_pages: 5, ..settings() }).await;
    let all = |kind: &str, class| -> Vec<NewUrl> {
        (0..9).map(|page| scheduled(name, &format!("{kind}{page}"), class)).collect()
    };
    let backlog = ok(store.add(&all("old", Class::Rest), START).await);
    assert_eq!((backlog.new, backlog.over_budget), (3, 6));
    let past = ok(store.add(&all("past", Class::Past), START).await);
    assert_eq!((past.new, past.over_budget), (0, 9));
    let news = ok(store.add(&all("new", Class::New), START).await);
    assert_eq!((news.new, news.over_budget), (2, 7));
    clean_up(store, name).await;
}
