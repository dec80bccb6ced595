//! Checks of adding sites and URLs.
//!
//! Settings, budgets, depth and reason: adding is idempotent, and its order has no effect.

use super::helpers::*;

/// A site is known once its settings were put. Putting them again replaces them.
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
    assert_eq!(ok(store.add(std::slice::from_ref(&page), START).await), Added { new: 1, ..Added::default() });
    let before = ok(store.entries(&site(name)).await);
    assert_eq!(
        ok(store.add(std::slice::from_ref(&page), at(500)).await),
        Added { known: 1, ..Added::default() }
    );
    assert_eq!(ok(store.entries(&site(name)).await), before, "adding a known URL changed something");
    let wanted = Entry {
        url: page.url.clone(),
        depth: 3,
        why: Why::Instance,
        hops: 0,
        fetch: FIRST,
        attempts: 0,
        due: Some(START),
        leased: false,
        class: Class::New,
        seen: None,
        schedule: None,
        outcome: None,
        content: None,
        validators: Validators::default(),
    };
    assert_eq!(before, [wanted]);
    clean_up(store, name).await;
}

/// The same holds within one call.
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

/// One call may add URLs of several sites; each goes to its own.
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

/// A site that no seed named keeps no URLs.
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

/// New settings apply from then on.
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

/// No URL is deeper than `max_depth`.
pub async fn a_too_deep_url_is_refused(store: &dyn Frontier) {
    let name = "depth";
    fresh_site(store, name, &SiteSettings { max_depth: 2, ..settings() }).await;
    let urls = [link(&url(name, "in"), 2, Why::Link), link(&url(name, "out"), 3, Why::Seed)];
    assert_eq!(ok(store.add(&urls, START).await), Added { new: 1, too_deep: 1, ..Added::default() });
    assert_eq!(ok(store.entry(&url(name, "out")).await), None);
    clean_up(store, name).await;
}

/// Budgets concern new URLs: a known one stays known, however deep it was found this time.
pub async fn a_known_url_is_never_refused(store: &dyn Frontier) {
    let name = "known-deep";
    site_with(store, name, &SiteSettings { max_depth: 2, max_pages: 1, ..settings() }, &["a"]).await;
    let added = ok(store.add(&[link(&url(name, "a"), 9, Why::Link)], START).await);
    assert_eq!(added, Added { known: 1, ..Added::default() });
    assert_eq!(entry(store, &url(name, "a")).await.depth, 1);
    clean_up(store, name).await;
}

/// The smallest depth wins, whenever it comes.
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

/// The strongest reason wins. A page that was fetched for a weaker one is reported, once.
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

/// Adding is idempotent, and its order does not matter.
pub async fn adding_ends_the_same_in_any_order(store: &dyn Frontier) {
    let name = "any-order";
    let whys = [Why::Link, Why::Seed, Why::Concept, Why::Instance];
    let mut urls: Vec<NewUrl> = (0..60)
        .map(|index: u32| {
            let why = whys[(index as usize * 7) % 4];
            link(&url(name, &format!("p{}", index % 13)), (index * 5) % 9, why)
        })
        .collect();
    let mut dice = crate::store::conformance::Dice(newslode_page::splitmix::SplitMix(3));
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

/// Removing a site forgets its URLs and settings, and those of no other site.
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

/// A claim ends as `Lost` after its site was removed, even if the site is back and claimed again.
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
