//! Checks of versions: the newest version of a page counts, once, in whatever order versions arrive.

use super::helpers::*;

/// The store under test is ready.
pub async fn the_store_is_ready(state: &dyn SiteState) {
    ok(state.ready().await);
}

/// A site that nobody counted is empty, and a question about it creates nothing.
pub async fn an_unknown_site_is_empty(state: &dyn SiteState) {
    let name = "unknown-state";
    forget(state, name).await;
    check_version(state, name, "a", None).await;
    assert_eq!(ok(state.versions(&site(name), &[]).await), []);
    assert_eq!(ok(state.apply(&site(name), &[]).await), []);
    for table in Table::ALL {
        assert_eq!(ok(state.cells(&site(name), *table).await), BTreeMap::new());
    }
    assert_eq!(ok(state.pages(&site(name)).await), []);
    assert!(ok(state.sites().await).iter().all(|(listed, _)| *listed != site(name)));
}

/// The first version of a page: it is stored and its cells are added.
pub async fn a_first_version_counts(state: &dyn SiteState) {
    let name = "first";
    forget(state, name).await;
    count(state, name, &[change(name, "a", None, version(1, 1), &[("jazz", 2), ("rock", -3)])]).await;
    check_labels(state, name, &[("jazz", 2), ("rock", -3)]).await;
    check_version(state, name, "a", version(1, 1)).await;
    assert_eq!(
        ok(state.pages(&site(name)).await),
        [(url(name, "a"), version(1, 1).unwrap_or_else(|| panic!()))]
    );
    forget(state, name).await;
}

/// Versions come in the order of the question, pages in the order of their URLs.
pub async fn versions_come_in_the_asked_order(state: &dyn SiteState) {
    let name = "order";
    forget(state, name).await;
    let batch = [("c", 3), ("a", 1), ("b", 2)]
        .map(|(path, number)| change(name, path, None, version(u64::from(number), number), &[("jazz", 1)]));
    count(state, name, &batch).await;
    let asked = ["b", "missing", "c", "a", "b"].map(|path| url(name, path));
    let found = ok(state.versions(&site(name), &asked).await);
    assert_eq!(found, [version(2, 2), None, version(3, 3), version(1, 1), version(2, 2)]);
    let pages: Vec<_> = ok(state.pages(&site(name)).await).into_iter().map(|(url, _)| url).collect();
    assert_eq!(pages, ["a", "b", "c"].map(|path| url(name, path)));
    forget(state, name).await;
}

/// A newer version takes the place of the older one; fetch numbers may skip.
pub async fn a_newer_version_replaces(state: &dyn SiteState) {
    let name = "newer";
    forget(state, name).await;
    count(state, name, &[change(name, "a", None, version(1, 1), &[("jazz", 2)])]).await;
    let newer = change(name, "a", version(1, 1), version(7, 2), &[("jazz", -1), ("rock", 4)]);
    count(state, name, &[newer]).await;
    check_labels(state, name, &[("jazz", 1), ("rock", 4)]).await;
    check_version(state, name, "a", version(7, 2)).await;
    forget(state, name).await;
}

/// An older fetch that arrives late has no effect.
pub async fn a_late_version_changes_nothing(state: &dyn SiteState) {
    let name = "late-version";
    forget(state, name).await;
    count(state, name, &[change(name, "a", None, version(2, 2), &[("jazz", 1)])]).await;
    for late in [
        change(name, "a", version(2, 2), version(1, 1), &[("rock", 1)]),
        change(name, "a", version(2, 2), version(2, 1), &[("rock", 1)]),
    ] {
        assert_eq!(apply(state, name, &[late]).await, [Applied::Stale]);
        check_labels(state, name, &[("jazz", 1)]).await;
        check_version(state, name, "a", version(2, 2)).await;
    }
    forget(state, name).await;
}

/// Versions are judged before expectations: a late message is acknowledged, never tried again.
pub async fn a_late_version_is_stale_even_if_unexpected(state: &dyn SiteState) {
    let name = "late-unexpected";
    forget(state, name).await;
    count(state, name, &[change(name, "a", None, version(5, 2), &[("jazz", 1)])]).await;
    for expected in [None, version(1, 1), version(9, 9)] {
        let late = change(name, "a", expected, version(4, 1), &[("rock", 1)]);
        assert_eq!(apply(state, name, &[late]).await, [Applied::Stale]);
    }
    check_labels(state, name, &[("jazz", 1)]).await;
    forget(state, name).await;
}

/// A repeated call, as after a lost answer, changes nothing more.
pub async fn a_repeated_call_is_stale(state: &dyn SiteState) {
    let name = "repeated";
    forget(state, name).await;
    let batch = [
        change(name, "a", None, version(1, 1), &[("jazz", 1)]),
        change(name, "b", None, version(1, 2), &[("jazz", 1)]),
    ];
    count(state, name, &batch).await;
    for _ in 0..2 {
        assert_eq!(apply(state, name, &batch).await, [Applied::Stale, Applied::Stale]);
    }
    check_labels(state, name, &[("jazz", 2)]).await;
    forget(state, name).await;
}

/// A delta that subtracts another version than the stored one is not counted.
pub async fn an_unexpected_version_is_a_conflict_and_names_the_stored_one(state: &dyn SiteState) {
    let name = "conflict";
    forget(state, name).await;
    count(state, name, &[change(name, "a", None, version(2, 2), &[("jazz", 1)])]).await;
    for expected in [None, version(1, 2), version(2, 1), version(3, 2)] {
        let wrong = change(name, "a", expected, version(3, 3), &[("rock", 1)]);
        assert_eq!(apply(state, name, &[wrong]).await, [Applied::Conflict(version(2, 2))], "{expected:?}");
    }
    check_labels(state, name, &[("jazz", 1)]).await;
    check_version(state, name, "a", version(2, 2)).await;
    forget(state, name).await;
}

/// This also holds if nothing is stored.
pub async fn a_change_that_expects_more_than_is_stored_is_a_conflict(state: &dyn SiteState) {
    let name = "conflict-none";
    forget(state, name).await;
    let wrong = change(name, "a", version(1, 1), version(2, 2), &[("rock", 1)]);
    assert_eq!(apply(state, name, &[wrong]).await, [Applied::Conflict(None)]);
    check_labels(state, name, &[]).await;
    assert_eq!(ok(state.pages(&site(name)).await), []);
    forget(state, name).await;
}

/// A removed page keeps its fetch number, so that a late message cannot bring it back.
pub async fn a_removed_page_counts_nothing_and_stays_removed(state: &dyn SiteState) {
    let name = "removal";
    forget(state, name).await;
    count(state, name, &[change(name, "a", None, version(1, 1), &[("jazz", 1)])]).await;
    count(state, name, &[change(name, "a", version(1, 1), version(3, 0), &[("jazz", -1)])]).await;
    check_labels(state, name, &[]).await;
    check_version(state, name, "a", version(3, 0)).await;
    assert_eq!(ok(state.pages(&site(name)).await).len(), 1, "a removed page is still listed");
    for expected in [None, version(3, 0)] {
        let late = change(name, "a", expected, version(2, 2), &[("rock", 1)]);
        assert_eq!(apply(state, name, &[late]).await, [Applied::Stale], "a late message after the removal");
    }
    check_labels(state, name, &[]).await;
    forget(state, name).await;
}

/// A newer fetch brings a removed page back.
pub async fn a_removed_page_can_come_back(state: &dyn SiteState) {
    let name = "comeback";
    forget(state, name).await;
    count(state, name, &[change(name, "a", None, version(1, 0), &[])]).await;
    let blind = change(name, "a", None, version(2, 2), &[("jazz", 1)]);
    assert_eq!(apply(state, name, &[blind]).await, [Applied::Conflict(version(1, 0))]);
    count(state, name, &[change(name, "a", version(1, 0), version(2, 2), &[("jazz", 1)])]).await;
    check_labels(state, name, &[("jazz", 1)]).await;
    forget(state, name).await;
}

/// A removal replaces what its own fetch brought, without another fetch. The next fetch is newer than both.
pub async fn a_removal_takes_the_place_of_its_own_fetch(state: &dyn SiteState) {
    let name = "own-fetch";
    forget(state, name).await;
    count(state, name, &[change(name, "a", None, version(3, 3), &[("jazz", 1)])]).await;
    let older = change(name, "a", version(3, 3), version(2, 0), &[("jazz", -1)]);
    assert_eq!(apply(state, name, &[older]).await, [Applied::Stale], "a removal of an older fetch");
    let removal = change(name, "a", version(3, 3), version(3, 0), &[("jazz", -1)]);
    count(state, name, std::slice::from_ref(&removal)).await;
    check_labels(state, name, &[]).await;
    let again = change(name, "a", version(3, 0), version(3, 3), &[("jazz", 1)]);
    assert_eq!(apply(state, name, &[removal, again]).await, [Applied::Stale; 2], "what was removed stays so");
    count(state, name, &[change(name, "a", version(3, 0), version(4, 3), &[("jazz", 1)])]).await;
    check_labels(state, name, &[("jazz", 1)]).await;
    forget(state, name).await;
}

/// Only a change marked `again` may replace its own fetch, and only while that fetch still counts. Its
/// expected version is judged as for any other change, and repeating it has no effect.
pub async fn a_fetch_is_counted_again_as_other_algorithms_see_it(state: &dyn SiteState) {
    let name = "counted-again";
    forget(state, name).await;
    count(state, name, &[change(name, "a", None, version(3, 3), &[("jazz", 1)])]).await;
    let anew = |expected, new, cells| Change { again: true, ..change(name, "a", expected, new, cells) };
    let silent = change(name, "a", version(3, 3), version(3, 4), &[("rock", 1)]);
    assert_eq!(apply(state, name, &[silent]).await, [Applied::Stale], "a change that does not say so");
    let blind = anew(version(3, 9), version(3, 4), &[("rock", 1)]);
    assert_eq!(apply(state, name, &[blind]).await, [Applied::Conflict(version(3, 3))]);
    let good = anew(version(3, 3), version(3, 4), &[("jazz", -1), ("rock", 2)]);
    count(state, name, std::slice::from_ref(&good)).await;
    assert_eq!(apply(state, name, &[good]).await, [Applied::Stale], "the same once more");
    check_labels(state, name, &[("rock", 2)]).await;
    check_version(state, name, "a", version(3, 4)).await;
    let older = anew(version(3, 4), version(2, 5), &[("jazz", 1)]);
    assert_eq!(apply(state, name, &[older]).await, [Applied::Stale], "an older fetch");
    count(state, name, &[change(name, "a", version(3, 4), version(3, 0), &[("rock", -2)])]).await;
    let gone = anew(version(3, 0), version(3, 5), &[("jazz", 1)]);
    assert_eq!(apply(state, name, &[gone]).await, [Applied::Stale], "what was removed stays so");
    check_labels(state, name, &[]).await;
    forget(state, name).await;
}

/// The day of the counted fetch is kept. Pages that count nothing are not found.
pub async fn pages_are_found_by_the_day_of_their_fetch(state: &dyn SiteState) {
    let name = "days";
    forget(state, name).await;
    let day = |days: u64| Timestamp(START.0 + days * 86_400_000);
    let fetched = |path: &str, expected, new, days| Change {
        fetched_at: day(days),
        ..change(name, path, expected, new, &[])
    };
    let batch = ["a", "b", "c"].map(|path| fetched(path, None, version(1, 1), 0));
    count(state, name, &batch).await;
    count(state, name, &[fetched("b", version(1, 1), version(2, 2), 3)]).await;
    count(state, name, &[fetched("c", version(1, 1), version(1, 0), 0)]).await;
    let found = async |days: u64| {
        let before = ok(state.counted_before(&site(name), day(days)).await);
        before.into_iter().map(|(url, version)| (url.path().to_owned(), version)).collect::<Vec<_>>()
    };
    let page = |path: &str, fetch| {
        ("/".to_owned() + path, Version { fetch, content: ContentHash([fetch as u8; 16]) })
    };
    assert_eq!(found(0).await, []);
    assert_eq!(found(1).await, [page("a", 1)]);
    assert_eq!(found(3).await, [page("a", 1)]);
    assert_eq!(found(4).await, [page("a", 1), page("b", 2)]);
    forget(state, name).await;
}
