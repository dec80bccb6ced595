//! Patterns, and the distance of a window of symbols from one (`[SP §4]`, `IsMatch` and `Consensus`).
//!
//! A pattern is a sequence of slots. A slot accepts one of several symbols and may be optional. The distance is
//! Levenshtein's, except that leaving out an optional slot is free. The consensus of a pattern and a window
//! accepts both: a replacement becomes an alternative, a gap an optional slot.

/// One place of a pattern.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PatternSlot {
    /// Ascending, at least one.
    pub(crate) symbols: Vec<u32>,
    pub(crate) is_optional: bool,
}

impl PatternSlot {
    fn new(symbol: u32, is_optional: bool) -> PatternSlot {
        PatternSlot { symbols: vec![symbol], is_optional }
    }

    fn accepts(&self, symbol: u32) -> bool {
        match self.symbols[..] {
            [only] => only == symbol,
            _ => self.symbols.binary_search(&symbol).is_ok(),
        }
    }

    fn add(&mut self, symbol: u32) {
        if let Err(at) = self.symbols.binary_search(&symbol) {
            self.symbols.insert(at, symbol);
        }
    }

    fn gap(&self) -> u32 {
        u32::from(!self.is_optional)
    }
}

/// The pattern that accepts exactly these symbols.
pub(crate) fn literal_pattern(symbols: &[u32]) -> Vec<PatternSlot> {
    symbols.iter().map(|&symbol| PatternSlot::new(symbol, false)).collect()
}

/// The longest window that can be near a pattern of `slots`: with d ≤ w/3 and w ≤ slots + d.
pub(super) fn longest_window(slots: usize) -> usize {
    slots + slots / 2
}

/// A window at the beginning of a sequence: its length, and its distance from the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) length: usize,
    pub(super) distance: u32,
}

/// The window at the beginning of `rest` that is nearest to the pattern, if its distance is at most a third of
/// the longer of the two. On a tie, the one whose length is closest to the pattern's, then the shorter.
/// `is_exact` accepts only distance 0.
pub(super) fn nearest_window(pattern: &[PatternSlot], rest: &[u32], is_exact: bool) -> Option<Window> {
    let slots = pattern.len();
    let rest = &rest[..rest.len().min(longest_window(slots))];
    let most = if is_exact { 0 } else { (slots.max(rest.len()) / 3) as u32 };
    let row = last_row(pattern, rest, most)?;
    let is_near = |&(length, distance): &(usize, u32)| {
        if is_exact { distance == 0 } else { 3 * distance as usize <= slots.max(length) }
    };
    let windows = row.into_iter().enumerate().skip(1).filter(is_near);
    let (length, distance) =
        windows.min_by_key(|&(length, distance)| (distance, length.abs_diff(slots), length))?;
    Some(Window { length, distance })
}

/// Distances of the pattern from all prefixes of a sequence; `None` once all must exceed `most`.
fn last_row(pattern: &[PatternSlot], symbols: &[u32], most: u32) -> Option<Vec<u32>> {
    let mut row: Vec<u32> = (0..=symbols.len() as u32).collect();
    for slot in pattern {
        let mut diagonal = row[0];
        row[0] += slot.gap();
        let mut least = row[0];
        for (at, &symbol) in symbols.iter().enumerate() {
            let replaced = diagonal + u32::from(!slot.accepts(symbol));
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(diagonal + slot.gap()).min(row[at] + 1);
            least = least.min(row[at + 1]);
        }
        if least > most {
            return None;
        }
    }
    Some(row)
}

/// The pattern that accepts both pattern and window. Of equally cheap alignments, from the end, it prefers
/// replacing, then leaving a slot out.
pub(super) fn consensus(pattern: &[PatternSlot], window: &[u32]) -> Vec<PatternSlot> {
    // Levenshtein's table, row by row: cell (i, j) is the distance of the first i slots from the first j symbols.
    let width = window.len() + 1;
    let mut table: Vec<u32> = (0..width as u32).collect();
    for (slot, above) in pattern.iter().zip(0..) {
        let above = above * width;
        table.push(table[above] + slot.gap());
        for (at, &symbol) in window.iter().enumerate() {
            let replaced = table[above + at] + u32::from(!slot.accepts(symbol));
            let left_out = table[above + at + 1] + slot.gap();
            table.push(replaced.min(left_out).min(table[above + width + at] + 1));
        }
    }
    // Trace the cheapest alignment back from the last cell. The order of the arms is the order of preference.
    let (mut i, mut j) = (pattern.len(), window.len());
    let mut slots = Vec::new();
    while i > 0 || j > 0 {
        let here = table[i * width + j];
        let slot = i.checked_sub(1).map(|i| &pattern[i]);
        let symbol = j.checked_sub(1).map(|j| window[j]);
        match (slot, symbol) {
            (Some(slot), Some(symbol))
                if here == table[(i - 1) * width + j - 1] + u32::from(!slot.accepts(symbol)) =>
            {
                let mut both = slot.clone();
                both.add(symbol);
                slots.push(both);
                (i, j) = (i - 1, j - 1);
            }
            (Some(slot), _) if here == table[(i - 1) * width + j] + slot.gap() => {
                slots.push(PatternSlot { is_optional: true, ..slot.clone() });
                i -= 1;
            }
            (_, Some(symbol)) => {
                slots.push(PatternSlot::new(symbol, true));
                j -= 1;
            }
            (_, None) => break,
        }
    }
    slots.reverse();
    slots
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn symbols() -> impl Strategy<Value = Vec<u32>> {
        prop::collection::vec(0u32..4, 1..12)
    }

    #[test]
    fn replacements_become_alternatives_and_gaps_optional() {
        let both = consensus(&literal_pattern(&[1, 2, 3]), &[1, 9, 3]);
        assert_eq!(both[1], PatternSlot { symbols: vec![2, 9], is_optional: false });
        let shorter = consensus(&both, &[1, 3]);
        assert!(shorter[1].is_optional && shorter.len() == 3);
        assert_eq!(nearest_window(&shorter, &[1, 3, 1], true), Some(Window { length: 2, distance: 0 }));
    }

    #[test]
    fn a_third_may_differ() {
        let near = |window: &[u32]| nearest_window(&literal_pattern(&[1, 2, 3]), window, false);
        assert_eq!(near(&[1, 7, 3]), Some(Window { length: 3, distance: 1 }));
        assert_eq!(near(&[7, 8, 3]), None);
        assert_eq!(nearest_window(&literal_pattern(&[1, 2]), &[1, 7], false), None);
    }

    proptest! {
        #[test]
        fn a_consensus_takes_what_it_was_made_of(a in symbols(), b in symbols(), c in symbols()) {
            let all = consensus(&consensus(&literal_pattern(&a), &b), &c);
            for window in [&a, &b, &c] {
                let row = last_row(&all, window, u32::MAX).unwrap();
                prop_assert_eq!(row[window.len()], 0);
            }
        }
    }
}
