//! The length of the longest common subsequence, computed 64 cells of the table at a time.
//!
//! The differences along a row of the table are kept as bits (Crochemore et al. 2001; Hyyrö 2004): a zero in
//! `row` is a step up. Exact for every input; time is the product of the lengths over 64.

/// Length of the longest common subsequence of two sequences of symbols.
pub(crate) fn length(a: &[u32], b: &[u32]) -> usize {
    if a == b {
        return a.len();
    }
    let mut symbols: Vec<u32> = a.to_vec();
    symbols.sort_unstable();
    symbols.dedup();
    // For each symbol, a bit for every place of `a` that has it.
    let words = a.len().div_ceil(64);
    let mut places = vec![0u64; symbols.len() * words];
    for (i, symbol) in a.iter().enumerate() {
        if let Ok(at) = symbols.binary_search(symbol) {
            places[at * words + i / 64] |= 1 << (i % 64);
        }
    }
    let mut row = vec![u64::MAX; words];
    for symbol in b {
        let Ok(at) = symbols.binary_search(symbol) else { continue };
        // row = (row + (row & places)) | (row & !places): each run of ones moves its lowest hit up by the carry.
        let mut carry = false;
        for (cells, &place) in row.iter_mut().zip(&places[at * words..(at + 1) * words]) {
            let hit = *cells & place;
            let (sum, over) = cells.overflowing_add(hit);
            let (sum, again) = sum.overflowing_add(u64::from(carry));
            carry = over || again;
            *cells = sum | (*cells & !hit);
        }
    }
    let ones = |i: usize| (row[i / 64] >> (i % 64)) & 1 == 1;
    (0..a.len()).filter(|&i| !ones(i)).count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::partition::papers::plain;

    proptest! {
        #[test]
        fn fast_is_plain(
            a in prop::collection::vec(0u32..5, 0..200),
            b in prop::collection::vec(0u32..6, 0..200),
        ) {
            prop_assert_eq!(length(&a, &b), plain::common_subsequence(&a, &b));
        }
    }
}
