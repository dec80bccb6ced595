//! The promises of a page archive: bytes come back as they were put, until they are deleted or expire.
//!
//! `expire` acts on a whole archive. The checks expire only data with times long past, so they may share it
//! with data of today. Start at [`all`].

use bytes::Bytes;

use super::{Dice, START, checks, ok, url};
use crate::store::{Kind, PageArchive};
use crate::version::ContentHash;
use newslode_page::splitmix::SplitMix;
use newslode_page::time::Timestamp;

checks! { PageArchive:
    what_was_put_is_found_byte_for_byte,
    an_empty_value_is_a_value,
    three_megabytes_come_back,
    what_was_never_put_is_none,
    kinds_are_kept_apart,
    contents_are_kept_apart,
    putting_again_replaces,
    what_is_deleted_is_gone,
    deleting_what_is_not_there_is_fine,
    what_was_put_before_expires_and_nothing_else,
    putting_again_renews,
    what_is_discarded_is_gone_and_noted,
    what_was_discarded_can_be_put_again,
    deleting_forgets_that_it_was_discarded,
    the_note_of_what_was_discarded_expires,
}

fn content(name: &str) -> ContentHash {
    ContentHash::of(&url("archive", ""), Some("conformance"), name.as_bytes())
}

fn noise(bytes: usize) -> Bytes {
    let mut dice = Dice(SplitMix(7));
    (0..bytes.div_ceil(8)).flat_map(|_| dice.next().to_le_bytes()).take(bytes).collect()
}

async fn put(archive: &dyn PageArchive, kind: Kind, content: ContentHash, bytes: &Bytes) {
    ok(archive.put(kind, content, bytes.clone(), START).await);
}

async fn check_round_trip(archive: &dyn PageArchive, name: &str, bytes: Bytes) {
    for kind in Kind::ALL {
        put(archive, *kind, content(name), &bytes).await;
    }
    for kind in Kind::ALL {
        let found = ok(archive.get(*kind, content(name)).await);
        assert!(found.as_ref() == Some(&bytes), "{kind:?}: other bytes came back than were put ({name})");
        ok(archive.delete(*kind, content(name)).await);
    }
}

/// `get` finds what `put` returned `Ok` for, byte for byte: text, every byte, noise, zeroes.
pub async fn what_was_put_is_found_byte_for_byte(archive: &dyn PageArchive) {
    check_round_trip(archive, "text", Bytes::from_static("<p>Zürich\r\n\0 ﷽</p>".as_bytes())).await;
    check_round_trip(archive, "every byte", (0..=u8::MAX).collect()).await;
    check_round_trip(archive, "noise", noise(70_001)).await;
    check_round_trip(archive, "zeroes", vec![0; 200_000].into()).await;
    check_round_trip(archive, "one", Bytes::from_static(b"x")).await;
}

/// An empty value is not an absent one.
pub async fn an_empty_value_is_a_value(archive: &dyn PageArchive) {
    check_round_trip(archive, "empty", Bytes::new()).await;
}

/// Large pages, compressible or not.
pub async fn three_megabytes_come_back(archive: &dyn PageArchive) {
    check_round_trip(archive, "large noise", noise(3 << 20)).await;
    check_round_trip(archive, "large text", b"news ".repeat(600_000).into()).await;
}

/// A get of content that was never put is `None`.
pub async fn what_was_never_put_is_none(archive: &dyn PageArchive) {
    for kind in Kind::ALL {
        assert_eq!(ok(archive.get(*kind, content("never put")).await), None);
    }
}

/// One content may have a value of each kind.
pub async fn kinds_are_kept_apart(archive: &dyn PageArchive) {
    let here = content("kinds");
    for kind in Kind::ALL {
        put(archive, *kind, here, &Bytes::from(kind.name())).await;
    }
    for kind in Kind::ALL {
        assert_eq!(ok(archive.get(*kind, here).await), Some(Bytes::from(kind.name())));
    }
    ok(archive.delete(Kind::Page, here).await);
    assert_eq!(ok(archive.get(Kind::Page, here).await), None);
    for kind in Kind::ALL.iter().filter(|kind| **kind != Kind::Page) {
        assert!(ok(archive.get(*kind, here).await).is_some(), "deleting the page took the {kind:?} along");
        ok(archive.delete(*kind, here).await);
    }
}

/// Hashes that share their first bytes are different contents.
pub async fn contents_are_kept_apart(archive: &dyn PageArchive) {
    let mut twin = content("twins");
    twin.0[15] ^= 1;
    put(archive, Kind::Page, content("twins"), &Bytes::from_static(b"one")).await;
    put(archive, Kind::Page, twin, &Bytes::from_static(b"other")).await;
    assert_eq!(ok(archive.get(Kind::Page, content("twins")).await), Some(Bytes::from_static(b"one")));
    ok(archive.delete(Kind::Page, content("twins")).await);
    assert_eq!(ok(archive.get(Kind::Page, twin).await), Some(Bytes::from_static(b"other")));
    ok(archive.delete(Kind::Page, twin).await);
}

/// The last put counts, even if it is shorter.
pub async fn putting_again_replaces(archive: &dyn PageArchive) {
    let here = content("replaced");
    put(archive, Kind::Article, here, &noise(5_000)).await;
    put(archive, Kind::Article, here, &Bytes::from_static(b"short")).await;
    assert_eq!(ok(archive.get(Kind::Article, here).await), Some(Bytes::from_static(b"short")));
    ok(archive.delete(Kind::Article, here).await);
}

/// A deleted value is as if it was never put, and can be put again.
pub async fn what_is_deleted_is_gone(archive: &dyn PageArchive) {
    let here = content("deleted");
    put(archive, Kind::Page, here, &Bytes::from_static(b"once")).await;
    ok(archive.delete(Kind::Page, here).await);
    assert_eq!(ok(archive.get(Kind::Page, here).await), None, "a deleted value is still found");
    put(archive, Kind::Page, here, &Bytes::from_static(b"again")).await;
    assert_eq!(ok(archive.get(Kind::Page, here).await), Some(Bytes::from_static(b"again")));
    ok(archive.delete(Kind::Page, here).await);
}

/// Deleting an absent value is fine.
pub async fn deleting_what_is_not_there_is_fine(archive: &dyn PageArchive) {
    for kind in Kind::ALL {
        ok(archive.delete(*kind, content("never there")).await);
    }
}

/// `expire` deletes values of every kind that were put before a time, counts them, and leaves the rest.
pub async fn what_was_put_before_expires_and_nothing_else(archive: &dyn PageArchive) {
    let (old, edge, young) = (content("old"), content("edge"), content("young"));
    ok(archive.expire(Timestamp(3_000)).await);
    for kind in Kind::ALL {
        ok(archive.put(*kind, old, Bytes::from_static(b"old"), Timestamp(999)).await);
    }
    ok(archive.put(Kind::Page, edge, Bytes::from_static(b"edge"), Timestamp(1_000)).await);
    ok(archive.put(Kind::Page, young, Bytes::from_static(b"young"), START).await);

    let count = ok(archive.expire(Timestamp(1_000)).await).values;
    assert_eq!(count, Kind::ALL.len() as u64, "what was put before expires, and only that");
    for kind in Kind::ALL {
        assert_eq!(ok(archive.get(*kind, old).await), None, "an expired {kind:?} is still found");
    }
    assert!(ok(archive.get(Kind::Page, edge).await).is_some(), "put at the time is not put before it");
    assert!(ok(archive.get(Kind::Page, young).await).is_some(), "a later put expired");
    assert_eq!(ok(archive.expire(Timestamp(1_000)).await).values, 0, "what is gone expires again");
    assert_eq!(ok(archive.expire(Timestamp(1_001)).await).values, 1);
    ok(archive.delete(Kind::Page, young).await);
}

/// A value is as old as its last put.
pub async fn putting_again_renews(archive: &dyn PageArchive) {
    let here = content("renewed");
    ok(archive.expire(Timestamp(3_000)).await);
    ok(archive.put(Kind::Contribution, here, Bytes::from_static(b"same"), Timestamp(1_000)).await);
    ok(archive.put(Kind::Contribution, here, Bytes::from_static(b"same"), Timestamp(2_000)).await);
    assert_eq!(
        ok(archive.expire(Timestamp(1_500)).await).values,
        0,
        "the renewed value expired by its first put"
    );
    assert_eq!(ok(archive.get(Kind::Contribution, here).await), Some(Bytes::from_static(b"same")));
    assert_eq!(ok(archive.expire(Timestamp(2_001)).await).values, 1, "a renewed value is there once");
}

/// Discarded bytes are not found, and the archive knows when they were discarded. Discarding absent bytes leaves no note.
pub async fn what_is_discarded_is_gone_and_noted(archive: &dyn PageArchive) {
    let (gone, kept, never) = (content("discarded"), content("beside discarded"), content("never there"));
    put(archive, Kind::Page, gone, &noise(1_000)).await;
    put(archive, Kind::Hierarchy, gone, &noise(1_000)).await;
    put(archive, Kind::Page, kept, &Bytes::new()).await;
    let at = Timestamp(START.0 + 7);
    assert_eq!(ok(archive.removed(Kind::Page, gone).await), None, "what is there is noted as removed");
    assert!(ok(archive.discard(Kind::Page, gone, at).await), "discard says that the bytes were absent");
    assert!(
        !ok(archive.discard(Kind::Page, gone, Timestamp(at.0 + 1)).await),
        "discard says that discarded bytes were there"
    );
    assert_eq!(ok(archive.get(Kind::Page, gone).await), None, "discarded bytes are still found");
    assert_eq!(ok(archive.removed(Kind::Page, gone).await), Some(at), "nothing says when it was discarded");
    assert_eq!(
        ok(archive.get(Kind::Hierarchy, gone).await),
        Some(noise(1_000)),
        "another kind was discarded"
    );
    assert_eq!(ok(archive.get(Kind::Page, kept).await), Some(Bytes::new()), "other bytes were discarded");
    assert_eq!(ok(archive.removed(Kind::Page, kept).await), None, "an empty value is no removal");
    assert!(!ok(archive.discard(Kind::Page, never, at).await));
    assert_eq!(ok(archive.removed(Kind::Page, never).await), None, "absent bytes have a note");
    for (kind, content) in [(Kind::Page, gone), (Kind::Hierarchy, gone), (Kind::Page, kept)] {
        ok(archive.delete(kind, content).await);
    }
}

/// Bytes that are put again are there as if they had never been discarded.
pub async fn what_was_discarded_can_be_put_again(archive: &dyn PageArchive) {
    let back = content("back");
    put(archive, Kind::Page, back, &noise(100)).await;
    ok(archive.discard(Kind::Page, back, START).await);
    put(archive, Kind::Page, back, &noise(200)).await;
    assert_eq!(ok(archive.get(Kind::Page, back).await), Some(noise(200)), "bytes do not come back");
    assert_eq!(ok(archive.removed(Kind::Page, back).await), None, "what came back is still noted");
    ok(archive.delete(Kind::Page, back).await);
}

/// Of what is deleted nothing is left, not even a note.
pub async fn deleting_forgets_that_it_was_discarded(archive: &dyn PageArchive) {
    let forgotten = content("forgotten");
    put(archive, Kind::Page, forgotten, &noise(100)).await;
    ok(archive.discard(Kind::Page, forgotten, START).await);
    ok(archive.delete(Kind::Page, forgotten).await);
    assert_eq!(ok(archive.removed(Kind::Page, forgotten).await), None, "deleted bytes are still noted");
}

/// A note expires by the time of the discard.
pub async fn the_note_of_what_was_discarded_expires(archive: &dyn PageArchive) {
    let (old, at) = (content("old note"), Timestamp(9_000));
    ok(archive.put(Kind::Page, old, noise(100), Timestamp(1_000)).await);
    ok(archive.discard(Kind::Page, old, at).await);
    ok(archive.expire(at).await);
    assert_eq!(ok(archive.removed(Kind::Page, old).await), Some(at), "a note expires by the time of the put");
    ok(archive.expire(Timestamp(at.0 + 1)).await);
    assert_eq!(ok(archive.removed(Kind::Page, old).await), None, "a note does not expire");
}
