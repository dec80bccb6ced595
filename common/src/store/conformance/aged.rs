//! Checks that an archive lists its values by age, and that a value that it removes leaves a mark.
//!
//! Values of other checks may be in the archive, so each check looks only at its own. Start at [`all`].

use bytes::Bytes;

use super::{checks, ok, url};
use crate::store::{Aged, AgedArchive, Kind, KindUse};
use crate::version::ContentHash;
use newslode_page::time::Timestamp;

checks! { AgedArchive:
    values_are_listed_by_age,
    a_list_goes_on_after_a_value,
    what_is_removed_says_since_when,
    what_was_put_again_is_not_removed,
    putting_again_brings_it_back,
    deleting_forgets_the_removal,
    a_removal_expires,
    only_what_was_listed_is_replaced,
    use_is_what_is_there,
}

/// A removal in these checks.
const REMOVED: Timestamp = Timestamp(9_000);

fn content(name: &str) -> ContentHash {
    ContentHash::of(&url("aged", ""), Some("conformance"), name.as_bytes())
}

async fn put(archive: &dyn AgedArchive, name: &str, at: u64) {
    ok(archive.put(Kind::Page, content(name), Bytes::from(name.repeat(9)), Timestamp(at)).await);
}

/// The values of these names, in the order in which the archive lists them.
async fn listed(archive: &dyn AgedArchive, names: &[&str]) -> Vec<Aged> {
    let contents: Vec<_> = names.iter().map(|name| content(name)).collect();
    let all = ok(archive.oldest(Kind::Page, None, usize::MAX).await);
    all.into_iter().filter(|value| contents.contains(&value.content)).collect()
}

async fn remove(archive: &dyn AgedArchive, name: &str) -> u64 {
    ok(archive.remove(Kind::Page, &listed(archive, &[name]).await, REMOVED).await)
}

async fn removed(archive: &dyn AgedArchive, name: &str) -> Option<Timestamp> {
    ok(archive.removed(Kind::Page, content(name)).await)
}

async fn clean(archive: &dyn AgedArchive, names: &[&str]) {
    for name in names {
        ok(archive.delete(Kind::Page, content(name)).await);
    }
}

/// The oldest put comes first, whatever was put before it; each kind has its own list.
pub async fn values_are_listed_by_age(archive: &dyn AgedArchive) {
    let names = ["third", "first", "second"];
    clean(archive, &names).await;
    for (name, at) in names.into_iter().zip([3_000, 1_000, 2_000]) {
        put(archive, name, at).await;
    }
    ok(archive.put(Kind::Hierarchy, content("first"), Bytes::new(), Timestamp(1)).await);
    let found: Vec<_> =
        listed(archive, &names).await.iter().map(|value| (value.content, value.put_at.0)).collect();
    let expected = [("first", 1_000), ("second", 2_000), ("third", 3_000)];
    assert_eq!(found, expected.map(|(name, at)| (content(name), at)), "values are not listed by age");
    ok(archive.delete(Kind::Hierarchy, content("first")).await);
    clean(archive, &names).await;
}

/// A list of some values goes on after the last one, also among values of the same time.
pub async fn a_list_goes_on_after_a_value(archive: &dyn AgedArchive) {
    let names = ["a", "b", "c", "d"];
    clean(archive, &names).await;
    for name in names {
        put(archive, name, 1_000).await;
    }
    let (mut found, mut after) = (Vec::new(), None);
    while let Some(value) = ok(archive.oldest(Kind::Page, after, 1).await).first().copied() {
        assert_ne!(Some(value), after, "a list does not go on");
        found.push(value);
        after = Some(value);
    }
    assert_eq!(found, ok(archive.oldest(Kind::Page, None, usize::MAX).await), "a list has gaps");
    clean(archive, &names).await;
}

/// A removed value is not found; the archive says when it was removed, and lists it no longer.
pub async fn what_is_removed_says_since_when(archive: &dyn AgedArchive) {
    clean(archive, &["gone", "kept"]).await;
    put(archive, "gone", 1_000).await;
    put(archive, "kept", 1_000).await;
    assert_eq!(removed(archive, "gone").await, None, "a value that is there has a mark");
    assert_eq!(remove(archive, "gone").await, 1);
    assert_eq!(ok(archive.get(Kind::Page, content("gone")).await), None, "a removed value is still found");
    assert_eq!(removed(archive, "gone").await, Some(REMOVED), "nothing says that it was removed");
    assert!(listed(archive, &["gone"]).await.is_empty(), "a removed value is still listed");
    assert_eq!(removed(archive, "never").await, None, "a value that was never there has a mark");
    assert_eq!(removed(archive, "kept").await, None);
    assert!(ok(archive.get(Kind::Page, content("kept")).await).is_some(), "another value was removed");
    clean(archive, &["gone", "kept"]).await;
}

/// A value that was put again after it was listed stays.
pub async fn what_was_put_again_is_not_removed(archive: &dyn AgedArchive) {
    clean(archive, &["raced"]).await;
    put(archive, "raced", 1_000).await;
    let before = listed(archive, &["raced"]).await;
    put(archive, "raced", 2_000).await;
    assert_eq!(ok(archive.remove(Kind::Page, &before, REMOVED).await), 0);
    assert!(ok(archive.get(Kind::Page, content("raced")).await).is_some(), "a renewed value was removed");
    clean(archive, &["raced"]).await;
    assert_eq!(ok(archive.remove(Kind::Page, &before, REMOVED).await), 0, "what is deleted was removed");
    assert_eq!(removed(archive, "raced").await, None);
}

/// A removed value that is put again is there as if it had never been removed.
pub async fn putting_again_brings_it_back(archive: &dyn AgedArchive) {
    clean(archive, &["back"]).await;
    put(archive, "back", 1_000).await;
    remove(archive, "back").await;
    put(archive, "back", 10_000).await;
    assert!(ok(archive.get(Kind::Page, content("back")).await).is_some(), "a value does not come back");
    assert_eq!(removed(archive, "back").await, None, "what came back is still removed");
    assert_eq!(listed(archive, &["back"]).await.len(), 1);
    clean(archive, &["back"]).await;
}

/// What is deleted was not removed to save space.
pub async fn deleting_forgets_the_removal(archive: &dyn AgedArchive) {
    put(archive, "forgotten", 1_000).await;
    remove(archive, "forgotten").await;
    clean(archive, &["forgotten"]).await;
    assert_eq!(removed(archive, "forgotten").await, None, "a deleted value is still known to be removed");
}

/// A removal expires by its own time.
pub async fn a_removal_expires(archive: &dyn AgedArchive) {
    clean(archive, &["expiring"]).await;
    put(archive, "expiring", 1_000).await;
    remove(archive, "expiring").await;
    ok(archive.expire(REMOVED).await);
    assert_eq!(removed(archive, "expiring").await, Some(REMOVED));
    ok(archive.expire(Timestamp(REMOVED.0 + 1)).await);
    assert_eq!(removed(archive, "expiring").await, None, "a removal does not expire");
}

/// A value is replaced, with the time that is given, unless it was put again after it was listed.
pub async fn only_what_was_listed_is_replaced(archive: &dyn AgedArchive) {
    clean(archive, &["replaced"]).await;
    put(archive, "replaced", 1_000).await;
    let [value] = listed(archive, &["replaced"]).await[..] else { panic!("a value is not listed once") };
    assert!(ok(archive.replace(Kind::Page, value, "other".into(), Timestamp(1_000)).await));
    assert_eq!(
        ok(archive.get(Kind::Page, value.content).await),
        Some("other".into()),
        "nothing was replaced"
    );
    assert!(ok(archive.replace(Kind::Page, value, "third".into(), Timestamp(2_000)).await));
    assert!(!ok(archive.replace(Kind::Page, value, "late".into(), Timestamp(3_000)).await));
    assert_eq!(
        ok(archive.get(Kind::Page, value.content).await),
        Some("third".into()),
        "a renewed value was replaced"
    );
    assert_eq!(listed(archive, &["replaced"]).await[0].put_at, Timestamp(2_000));
    clean(archive, &["replaced"]).await;
    assert!(!ok(archive.replace(Kind::Page, value, "gone".into(), Timestamp(1_000)).await));
    assert_eq!(ok(archive.get(Kind::Page, value.content).await), None, "what was deleted came back");
}

/// The use of each kind grows with a put, changes with another one, and shrinks with a removal and a deletion.
pub async fn use_is_what_is_there(archive: &dyn AgedArchive) {
    let names = ["one", "two"];
    clean(archive, &names).await;
    let before = ok(archive.usage().await);
    let check = async |names: &[&str], what: &str| {
        let values = listed(archive, names).await;
        let held = before.get(&Kind::Page).copied().unwrap_or_default();
        let expected = KindUse {
            values: held.values + values.len() as u64,
            bytes: held.bytes + values.iter().map(|value| value.bytes).sum::<u64>(),
        };
        let mut found = ok(archive.usage().await);
        assert_eq!(found.remove(&Kind::Page), Some(expected), "the use is wrong after {what}");
        for (kind, held) in found {
            assert_eq!(Some(&held), before.get(&kind), "the use of {kind:?} changed with {what}");
        }
    };
    put(archive, "one", 1_000).await;
    put(archive, "two", 2_000).await;
    assert!(listed(archive, &names).await.iter().all(|value| value.bytes > 0));
    check(&names, "a put").await;
    ok(archive.put(Kind::Page, content("one"), vec![7; 5_000].into(), Timestamp(3_000)).await);
    check(&names, "another put").await;
    remove(archive, "one").await;
    check(&["two"], "a removal").await;
    clean(archive, &names).await;
    check(&[], "a deletion").await;
}
