//! The labels that one site links, as few bytes.

use newslode_page::contribution::names::{bits, split};
use newslode_page::contribution::{Cell, Table};
use rustc_hash::FxHashSet;

use super::summary::Tables;

/// The labels that a site links, by the bits of their names, in order.
#[must_use]
pub fn labels(tables: &Tables) -> Vec<u64> {
    let keys = tables.get(&Table::Labels).into_iter().flatten().map(|(key, _)| key);
    let linked = keys.filter(|key| Cell { table: Table::Labels, key: (*key).clone() }.is_watched());
    let mut labels: Vec<u64> = linked.filter_map(|key| bits(split(key)?.0)).collect();
    labels.sort_unstable();
    labels
}

/// The labels that a site links, by the bits of their names, as they were at some time and what came and went since.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linked {
    /// Number of labels at that time.
    base: usize,
    came: FxHashSet<u64>,
    went: FxHashSet<u64>,
}

/// Labels that may come and go, beside an eighth of those that there were, before they are written again.
const SPARE: usize = 512;

impl Linked {
    /// With so many labels.
    #[must_use]
    pub fn of(base: usize) -> Linked {
        Linked { base, ..Linked::default() }
    }

    /// With so many labels then, and what came and went since.
    #[must_use]
    pub fn restored(base: usize, came: &[u64], went: &[u64]) -> Linked {
        Linked { base, came: came.iter().copied().collect(), went: went.iter().copied().collect() }
    }

    /// What came and what went since, in order.
    #[must_use]
    pub fn changes(&self) -> [Vec<u64>; 2] {
        [&self.came, &self.went].map(|labels| {
            let mut labels: Vec<u64> = labels.iter().copied().collect();
            labels.sort_unstable();
            labels
        })
    }

    /// The site begins to link a label.
    pub fn come(&mut self, label: u64) {
        if !self.went.remove(&label) {
            self.came.insert(label);
        }
    }

    /// The site ceases to link a label.
    pub fn go(&mut self, label: u64) {
        if !self.came.remove(&label) {
            self.went.insert(label);
        }
    }

    /// Whether so much came and went that the labels are to be written again.
    #[must_use]
    pub fn is_old(&self) -> bool {
        self.came.len() + self.went.len() > SPARE + self.base / 8
    }

    /// The labels now, in order, given those at that time.
    #[must_use]
    pub fn now(&self, base: &[u64]) -> Vec<u64> {
        let stayed = base.iter().filter(|label| !self.went.contains(label));
        let mut now: Vec<u64> = stayed.chain(&self.came).copied().collect();
        now.sort_unstable();
        now.dedup();
        now
    }
}

/// Labels in order, as the differences between neighbours, seven bits a byte.
#[must_use]
pub fn pack(labels: &[u64]) -> Vec<u8> {
    let (mut bytes, mut last) = (Vec::new(), 0);
    for label in labels {
        let mut rest = label.wrapping_sub(last);
        last = *label;
        while rest > 127 {
            bytes.push((rest & 127) as u8 | 128);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    bytes
}

/// The labels that were packed; `None` if the bytes are broken.
#[must_use]
pub fn unpack(bytes: &[u8]) -> Option<Vec<u64>> {
    let (mut labels, mut last, mut by, mut shift) = (Vec::new(), 0u64, 0u64, 0u32);
    for byte in bytes {
        by |= u64::from(byte & 127).checked_shl(shift)?;
        shift += 7;
        if byte & 128 == 0 {
            last = last.wrapping_add(by);
            labels.push(last);
            (by, shift) = (0, 0);
        }
    }
    (shift == 0).then_some(labels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back() {
        for labels in [vec![], vec![0], vec![0, 1, 127, 128, 300, 1 << 40, u64::MAX - 1, u64::MAX]] {
            assert_eq!(unpack(&pack(&labels)), Some(labels));
        }
        let packed = pack(&[1 << 30]);
        assert_eq!(unpack(&packed[..packed.len() - 1]), None);
        assert_eq!(unpack(&[255; 11]), None);
    }

    #[test]
    fn labels_that_come_and_go_are_those_that_there_are() {
        let mut linked = Linked::of(3);
        linked.go(2);
        linked.come(9);
        linked.come(4);
        linked.go(9);
        linked.come(2);
        linked.go(3);
        assert_eq!(linked.now(&[1, 2, 3]), [1, 2, 4]);
        assert!(!linked.is_old());
        (10..600).for_each(|label| linked.come(label));
        assert!(linked.is_old());
    }
}
