//! An index of the texts that were read lately, so that one which is nearly the same is found.
//!
//! Prints that differ in at most three bits agree in one of their four quarters, and many that differ in a few more. So a
//! text is put into four places, each named by the first bits of a quarter, and looked for there. A place is a versioned
//! value of the store; two miners that meet in one see each other's text. What is found is a hint: the life of the article
//! decides. Start at [`meet`].

use std::collections::BTreeSet;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use futures::future::try_join_all;
use newslode_common::store::{SiteState, StoreError, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::time::Timestamp;

use crate::mining::prints::MOST_NEAR_BITS;

/// Days for which a text is found.
const KEPT_DAYS: u16 = 4;
/// Most texts in a place; the oldest leave.
const MOST: usize = 1_024;
/// Bits of a quarter that name a place. More places would cost more memory than they save reading.
const PLACE_BITS: u32 = 14;
/// Another miner may write into a place between our read and our write. After this many times we give up.
const ROUNDS: usize = 64;
/// Bytes of a text in a place: print, name of its life, day.
const BYTES: usize = 26;

/// Makes a text findable under the name of its article's life. Returns the names of others that were nearly the same
/// within the last days.
///
/// # Errors
/// When the store fails; then it may be repeated.
pub(super) async fn meet(
    state: &dyn SiteState,
    print: u64,
    name: ContentHash,
    now: Timestamp,
) -> StoreResult<BTreeSet<ContentHash>> {
    let text = Text { print, name, day: u16::try_from(now.day()).unwrap_or(u16::MAX) };
    let found = try_join_all((0..4).map(|quarter| meet_in(state, quarter, text))).await?;
    let near = |other: &Text| (other.print ^ print).count_ones() <= MOST_NEAR_BITS && other.name != name;
    Ok(found.into_iter().flatten().filter(near).map(|other| other.name).collect())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Text {
    print: u64,
    name: ContentHash,
    day: u16,
}

/// Puts a text into its place for a quarter of the print, and returns what the place holds.
async fn meet_in(state: &dyn SiteState, quarter: u32, text: Text) -> StoreResult<Vec<Text>> {
    let place = (text.print >> (16 * quarter) & 0xffff) >> (16 - PLACE_BITS);
    let value = format!("texts/{quarter}/{place:x}");
    for _ in 0..ROUNDS {
        let (version, bytes) = state.value(&value).await?.unzip();
        let mut texts = read(&bytes.unwrap_or_default())?;
        if texts.contains(&text) {
            return Ok(texts);
        }
        texts.retain(|other| other.day + KEPT_DAYS >= text.day && other.name != text.name);
        texts.push(text);
        let cut = texts.len().saturating_sub(MOST);
        let kept = texts.split_off(cut);
        if state.put_value(&value, version, write(&kept)).await?.is_some() {
            return Ok(kept);
        }
    }
    Err(StoreError::Unavailable(format!("others write `{value}` all the time")))
}

fn read(bytes: &[u8]) -> StoreResult<Vec<Text>> {
    let (texts, []) = bytes.as_chunks::<BYTES>() else {
        return Err(StoreError::Corrupt(format!("{} bytes are no list of texts", bytes.len())));
    };
    Ok(texts.iter().map(|text| Text::read(text)).collect())
}

fn write(texts: &[Text]) -> Bytes {
    let mut bytes = BytesMut::with_capacity(texts.len() * BYTES);
    texts.iter().for_each(|text| text.write(&mut bytes));
    bytes.freeze()
}

impl Text {
    fn read(mut bytes: &[u8]) -> Text {
        let print = bytes.get_u64_le();
        let mut name = ContentHash::NONE;
        bytes.copy_to_slice(&mut name.0);
        Text { print, name, day: bytes.get_u16_le() }
    }

    fn write(&self, to: &mut BytesMut) {
        to.put_u64_le(self.print);
        to.put_slice(&self.name.0);
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

    async fn met(store: &RedbStore, print: u64, number: u16, day: u64) -> Vec<ContentHash> {
        meet(store, print, name(number), Timestamp(day * DAY)).await.unwrap().into_iter().collect()
    }

    #[tokio::test]
    async fn what_differs_by_three_bits_is_found_wherever_they_are() {
        let store = RedbStore::in_memory().unwrap();
        let print = 0x0123_4567_89ab_cdef;
        assert_eq!(met(&store, print, 1, 9).await, []);
        assert_eq!(met(&store, print, 1, 9).await, [], "not itself");
        for (number, bits) in [(2, [0, 16, 32]), (3, [63, 47, 31]), (4, [1, 2, 3])] {
            let other = bits.iter().fold(print, |other, bit| other ^ (1 << bit));
            assert!(met(&store, other, number, 9).await.contains(&name(1)), "{bits:?}");
        }
        let far = [0, 1, 2, 3, 4, 5, 6].iter().fold(print, |other, bit| other ^ (1 << bit));
        assert!(!met(&store, far, 5, 9).await.contains(&name(1)));
    }

    #[tokio::test]
    async fn a_text_is_found_for_days() {
        let store = RedbStore::in_memory().unwrap();
        met(&store, 7, 1, 100).await;
        assert_eq!(met(&store, 7, 2, 104).await, [name(1)]);
        assert_eq!(met(&store, 7, 3, 105).await, [name(2)]);
    }

    #[tokio::test]
    async fn a_place_ends() {
        let store = RedbStore::in_memory().unwrap();
        for number in 0..1_030 {
            met(&store, 7, number, 100).await;
        }
        let found = met(&store, 7, 2_000, 100).await;
        assert_eq!(found.len(), MOST - 1);
        assert!(!found.contains(&name(0)) && found.contains(&name(1_029)));
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn of_two_that_meet_at_once_one_sees_the_other() {
        let store = RedbStore::in_memory().unwrap();
        for print in 0..50 {
            let print = print << 3;
            let (one, other) = tokio::join!(met(&store, print, 1, 100), met(&store, print, 2, 100));
            assert!(one.contains(&name(2)) || other.contains(&name(1)), "{print}");
        }
    }

    proptest! {
        #[test]
        fn texts_come_back(texts in prop::collection::vec((any::<u64>(), any::<[u8; 16]>(), any::<u16>()), 0..9)) {
            let text = |(print, name, day)| Text { print, name: ContentHash(name), day };
            let texts: Vec<Text> = texts.into_iter().map(text).collect();
            prop_assert_eq!(read(&write(&texts)).unwrap(), texts);
        }

        #[test]
        fn other_bytes_are_refused(length in 1..BYTES) {
            prop_assert!(read(&vec![0; length]).is_err());
        }
    }
}
