//! Checks of the ends of claims.
//!
//! Each claim ends once, by its holder, with its effect on the URL, the site's rest and the tally.

use super::helpers::*;

/// A site whose server asked for a rest is left alone until then, with all its URLs.
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

/// A retried URL is due at its time. Attempts count where they should, and start anew once the URL is done.
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
    assert_eq!((last.attempts, last.fetch), (2, FIRST + 4));
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
    assert_eq!((second.fetch, second.attempts), (FIRST + 2, 0));
    clean_up(store, name).await;
}

/// A done URL is due again at its next time, or never.
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

/// `Unchanged` without content keeps the old content. Any other end sets it.
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

/// A slow crawler can still end its claim if nobody took the URL meanwhile.
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

/// The status counts all URLs, the waiting ones and the claimed ones, and gives the next due time.
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

/// An engine ends all leases at its start: claimed URLs are due, and the old claims are void.
pub async fn released_leases_are_due_again(store: &dyn Frontier) {
    let name = "release-leases";
    site_with(store, name, &settings(), &["a", "b", "c"]).await;
    let (held, other) = (some(claim(store, name, START).await), some(claim(store, name, START).await));
    ok(store.release_leases(at(5)).await);
    assert_eq!(status(store, name).await.leased, 0);
    for claim in [&held, &other] {
        let entry = entry(store, &claim.url).await;
        assert_eq!((entry.due, entry.leased, entry.fetch), (Some(at(5)), false, FIRST + 1));
    }
    assert_eq!(ok(store.complete(&held, Completion::Released, at(6)).await), Completed::Lost);
    for _ in 0..3 {
        some(claim(store, name, at(6)).await);
    }
    assert_eq!(ok(store.release_leases(at(7)).await), 3, "the number of ended leases");
    assert_eq!(ok(store.release_leases(at(7)).await), 0, "leases ended twice");
    clean_up(store, name).await;
}
