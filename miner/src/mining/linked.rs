//! The labels that one site links, stored compactly: as they were at some time, and the changes since.

use newslode_page::contribution::names::{name_bits, split_name};
use newslode_page::contribution::{Cell, Table};
use rustc_hash::FxHashSet;

use super::summary::Tables;

/// The labels that a site links, by the bits of their names, in order.
#[must_use]
pub fn labels(tables: &Tables) -> Vec<u64> {
    let keys = tables.get(&Table::Labels).into_iter().flatten().map(|(key, _)| key);
    let linked = keys.filter(|key| Cell { table: Table::Labels, key: (*key).clone() }.is_watched());
    let mut labels: Vec<u64> = linked.filter_map(|key| name_bits(split_name(key)?.0)).collect();
    labels.sort_unstable();
    labels
}

/// The labels that a site links, by the bits of their names, as changes to those that it linked at some time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Linked {
    /// Number of labels that the site linked then.
    base: usize,
    added: FxHashSet<u64>,
    removed: FxHashSet<u64>,
}

/// Number of changes, beside an eighth of the labels then, from which the labels are written again.
const SPARE: usize = 512;

impl Linked {
    /// No changes yet to this number of labels.
    #[must_use]
    pub fn of(base: usize) -> Linked {
        Linked { base, ..Linked::default() }
    }

    /// These changes to this number of labels.
    #[must_use]
    pub fn restored(base: usize, added: &[u64], removed: &[u64]) -> Linked {
        Linked { base, added: added.iter().copied().collect(), removed: removed.iter().copied().collect() }
    }

    /// The added and the removed labels, in order.
    #[must_use]
    pub fn changes(&self) -> [Vec<u64>; 2] {
        [&self.added, &self.removed].map(|labels| {
            let mut labels: Vec<u64> = labels.iter().copied().collect();
            labels.sort_unstable();
            labels
        })
    }

    /// The site starts linking a label.
    pub fn add(&mut self, label: u64) {
        if !self.removed.remove(&label) {
            self.added.insert(label);
        }
    }

    /// The site stops linking a label.
    pub fn remove(&mut self, label: u64) {
        if !self.added.remove(&label) {
            self.removed.insert(label);
        }
    }

    /// Whether there are so many changes that the labels should be written again.
    #[must_use]
    pub fn has_many_changes(&self) -> bool {
        self.added.len() + self.removed.len() > SPARE + self.base / 8
    }

    /// The labels that the site links now, in order, given those that it linked then.
    #[must_use]
    pub fn labels(&self, base: &[u64]) -> Vec<u64> {
        let stayed = base.iter().filter(|label| !self.removed.contains(label));
        let mut now: Vec<u64> = stayed.chain(&self.added).copied().collect();
        now.sort_unstable();
        now.dedup();
        now
    }
}

/// Packs labels, which are in order, as the differences between neighbours: seven bits a byte, the eighth says that more
/// follow.
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
    fn packed_labels_are_read_back() {
        for labels in [vec![], vec![0], vec![0, 1, 127, 128, 300, 1 << 40, u64::MAX - 1, u64::MAX]] {
            assert_eq!(unpack(&pack(&labels)), Some(labels));
        }
        let packed = pack(&[1 << 30]);
        assert_eq!(unpack(&packed[..packed.len() - 1]), None);
        assert_eq!(unpack(&[255; 11]), None);
    }

    #[test]
    fn adding_and_removing_sites_leaves_the_labels_of_those_that_remain() {
        let mut linked = Linked::of(3);
        linked.remove(2);
        linked.add(9);
        linked.add(4);
        linked.remove(9);
        linked.add(2);
        linked.remove(3);
        assert_eq!(linked.labels(&[1, 2, 3]), [1, 2, 4]);
        assert!(!linked.has_many_changes());
        (10..600).for_each(|label| linked.add(label));
        assert!(linked.has_many_changes());
    }
}
