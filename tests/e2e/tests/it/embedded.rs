//! `newslode mine` over the same world twice, and the proof of the counts.

use newslode_common::store::{Applied, Change, SiteState};
use newslode_common::time;
use newslode_common::version::{ContentHash, Version};
use newslode_page::contribution::{Cell, Delta, Table};

use crate::lab::{Lab, digests_of, open, small_world};

#[tokio::test(flavor = "multi_thread")]
async fn two_runs_are_equal_and_a_wrong_counter_is_found() {
    let lab = Lab::of(small_world(3)).await;
    let (digests, _) = lab.undisturbed(&[]).await;
    let again = lab.json(&lab.mining("again", &["--workers", "3"])).await;
    assert_eq!(digests_of(&again), digests);

    let run = lab.path("again");
    let folder = run.to_str().unwrap();
    let proof = lab.json(&["verify", "--quiet", "--json", folder]).await;
    assert_eq!((&proof["different"], &proof["sites"]), (&0.into(), &3.into()));

    let site = count_one_label_too_often(&run).await;
    let found = lab.run(&["verify", "--quiet", folder]).await;
    assert_eq!(found.code, Some(1), "{}{}", found.out, found.err);
    assert!(found.out.contains(&format!("{site}: Labels `")), "{}", found.out);
    assert!(found.out.contains("1 counters differ, 0 pages"), "{}", found.out);
}

/// Counts a page again with one more label. Returns its site.
async fn count_one_label_too_often(run: &std::path::Path) -> String {
    let store = open(run);
    let (site, _) = store.sites().await.unwrap().swap_remove(1);
    let pages = store.pages(&site).await.unwrap();
    let (url, version) = pages.into_iter().find(|(_, held)| held.content != ContentHash::NONE).unwrap();
    let (key, _) = store.cells(&site, Table::Labels).await.unwrap().pop_first().unwrap();
    let mut delta = Delta::default();
    delta.add(Cell { table: Table::Labels, key }, 1);
    let new = Version { fetch: version.fetch + 1, ..version };
    let change = Change { url, expected: Some(version), new, fetched_at: time::now(), delta, again: false };
    assert_eq!(store.apply(&site, &[change]).await.unwrap(), [Applied::Applied]);
    site.to_string()
}
