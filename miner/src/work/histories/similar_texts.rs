//! An index of the texts that were read lately, to find those that are nearly the same.
//!
//! Two SimHashes (64 bits) that differ in at most three bits agree in one of their four quarters. Many that differ in a few
//! more bits do, too. So each text is stored in four slots, one for each quarter, named by the quarter's first bits, and
//! looked up in the same four. A slot is a versioned value of the store, so of two miners that write into one at once, at
//! least one sees the other's text. A match is a hint: the article's history decides. Start at [`insert_and_find`].

use std::collections::BTreeSet;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use futures::future::try_join_all;
use newslode_common::store::{SiteState, StoreError, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::time::Timestamp;

use crate::mining::fingerprints::MOST_NEAR_BITS;

/// Number of days for which a text is found.
const KEPT_DAYS: u16 = 4;
/// Maximum number of texts in a slot; the oldest are dropped.
const MAX_TEXTS: usize = 1_024;
/// Number of a quarter's bits that name its slot. More slots would cost more memory than they save reading.
const SLOT_BITS: u32 = 14;
/// Number of attempts to write a slot that other miners keep writing.
const MAX_ATTEMPTS: usize = 64;
/// Bytes of a text in a slot: simhash, key of its history, day.
const ENTRY_BYTES: usize = 26;

/// Inserts a text with the key of its article's history. Returns the keys of others that were nearly the same within the
/// last days.
///
/// # Errors
/// When the store fails; then it may be repeated.
pub(super) async fn insert_and_find(
    state: &dyn SiteState,
    simhash: u64,
    key: ContentHash,
    now: Timestamp,
) -> StoreResult<BTreeSet<ContentHash>> {
    let text = IndexedText { simhash, key, day: u16::try_from(now.day()).unwrap_or(u16::MAX) };
    let found = try_join_all((0..4).map(|quarter| insert_into_slot(state, quarter, text))).await?;
    let near =
        |other: &IndexedText| (other.simhash ^ simhash).count_ones() <= MOST_NEAR_BITS && other.key != key;
    Ok(found.into_iter().flatten().filter(near).map(|other| other.key).collect())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct IndexedText {
    simhash: u64,
    key: ContentHash,
    day: u16,
}

/// Puts a text into the slot of one quarter of its SimHash, and returns the texts of the slot.
async fn insert_into_slot(
    state: &dyn SiteState,
    quarter: u32,
    text: IndexedText,
) -> StoreResult<Vec<IndexedText>> {
    let slot = (text.simhash >> (16 * quarter) & 0xffff) >> (16 - SLOT_BITS);
    let value = format!("texts/{quarter}/{slot:x}");
    for _ in 0..MAX_ATTEMPTS {
        let (version, bytes) = state.value(&value).await?.unzip();
        let mut texts = decode(&bytes.unwrap_or_default())?;
        if texts.contains(&text) {
            return Ok(texts);
        }
        texts.retain(|other| other.day + KEPT_DAYS >= text.day && other.key != text.key);
        texts.push(text);
        let cut = texts.len().saturating_sub(MAX_TEXTS);
        let kept = texts.split_off(cut);
        if state.put_value(&value, version, encode(&kept)).await?.is_some() {
            return Ok(kept);
        }
    }
    Err(StoreError::Unavailable(format!("other miners keep changing the value `{value}`")))
}

fn decode(bytes: &[u8]) -> StoreResult<Vec<IndexedText>> {
    let (texts, []) = bytes.as_chunks::<ENTRY_BYTES>() else {
        return Err(StoreError::Corrupt(format!("{} bytes are not a list of texts", bytes.len())));
    };
    Ok(texts.iter().map(|text| IndexedText::read(text)).collect())
}

fn encode(texts: &[IndexedText]) -> Bytes {
    let mut bytes = BytesMut::with_capacity(texts.len() * ENTRY_BYTES);
    texts.iter().for_each(|text| text.write(&mut bytes));
    bytes.freeze()
}

impl IndexedText {
    fn read(mut bytes: &[u8]) -> IndexedText {
        let simhash = bytes.get_u64_le();
        let mut key = ContentHash::NONE;
        bytes.copy_to_slice(&mut key.0);
        IndexedText { simhash, key, day: bytes.get_u16_le() }
    }

    fn write(&self, to: &mut BytesMut) {
        to.put_u64_le(self.simhash);
        to.put_slice(&self.key.0);
        to.put_u16_le(self.day);
    }
}

#[cfg(test)]
mod tests {
    use newslode_common::store::redb::RedbStore;
    use proptest::prelude::*;

    use super::*;

    const DAY: u64 = 86_400_000;

    fn name(number: u16) -> ContentHash {
        let [high, low] = number.to_be_bytes();
        ContentHash(std::array::from_fn(|at| if at == 0 { high } else { low }))
    }

    async fn insert(store: &RedbStore, simhash: u64, number: u16, day: u64) -> Vec<ContentHash> {
        insert_and_find(store, simhash, name(number), Timestamp(day * DAY))
            .await
            .unwrap()
            .into_iter()
            .collect()
    }

    #[tokio::test]
    async fn texts_that_differ_by_three_bits_are_found_wherever_the_bits_are() {
        let store = RedbStore::in_memory().unwrap();
        let simhash = 0x0123_4567_89ab_cdef;
        assert_eq!(insert(&store, simhash, 1, 9).await, []);
        assert_eq!(insert(&store, simhash, 1, 9).await, [], "not itself");
        for (number, bits) in [(2, [0, 16, 32]), (3, [63, 47, 31]), (4, [1, 2, 3])] {
            let other = bits.iter().fold(simhash, |other, bit| other ^ (1 << bit));
            assert!(insert(&store, other, number, 9).await.contains(&name(1)), "{bits:?}");
        }
        let far = [0, 1, 2, 3, 4, 5, 6].iter().fold(simhash, |other, bit| other ^ (1 << bit));
        assert!(!insert(&store, far, 5, 9).await.contains(&name(1)));
    }

    #[tokio::test]
    async fn a_text_is_found_for_several_days() {
        let store = RedbStore::in_memory().unwrap();
        insert(&store, 7, 1, 100).await;
        assert_eq!(insert(&store, 7, 2, 104).await, [name(1)]);
        assert_eq!(insert(&store, 7, 3, 105).await, [name(2)]);
    }

    #[tokio::test]
    async fn a_full_slot_drops_its_oldest_texts() {
        let store = RedbStore::in_memory().unwrap();
        for number in 0..1_030 {
            insert(&store, 7, number, 100).await;
        }
        let found = insert(&store, 7, 2_000, 100).await;
        assert_eq!(found.len(), MAX_TEXTS - 1);
        assert!(!found.contains(&name(0)) && found.contains(&name(1_029)));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn one_of_two_texts_inserted_at_once_finds_the_other() {
        let store = RedbStore::in_memory().unwrap();
        for simhash in 0..50 {
            let simhash = simhash << 3;
            let (one, other) = tokio::join!(insert(&store, simhash, 1, 100), insert(&store, simhash, 2, 100));
            assert!(one.contains(&name(2)) || other.contains(&name(1)), "{simhash}");
        }
    }

    proptest! {
        #[test]
        fn encoded_texts_are_read_back(texts in prop::collection::vec((any::<u64>(), any::<[u8; 16]>(), any::<u16>()), 0..9)) {
            let text = |(simhash, name, day)| IndexedText { simhash, key: ContentHash(name), day };
            let texts: Vec<IndexedText> = texts.into_iter().map(text).collect();
            prop_assert_eq!(decode(&encode(&texts)).unwrap(), texts);
        }

        #[test]
        fn bytes_of_another_length_are_refused(length in 1..ENTRY_BYTES) {
            prop_assert!(decode(&vec![0; length]).is_err());
        }
    }
}
