//! The faults of a label's links over all sites that link it.
//!
//! A bad label has different faults on different sites ("more" leads nowhere on one site, and to many pages on the next), so
//! faults of all kinds add up. Faults on half of the sites are enough.

use std::cmp::Reverse;

use crate::mining::faults::Fault;

/// The faults of a label's links on the sites that link it.
#[derive(Default)]
pub(super) struct Tally {
    /// For each of [`Fault::ALL`]: the number of sites, and the fault's rank in the order in which faults
    /// were first met.
    met: [(usize, usize); Fault::ALL.len()],
    faults: usize,
}

impl Tally {
    /// Adds one more site.
    pub(super) fn add(&mut self, fault: Option<Fault>) {
        let Some(at) = fault.and_then(|fault| Fault::ALL.iter().position(|kind| *kind == fault)) else {
            return;
        };
        if let Some((sites, first)) = self.met.get_mut(at) {
            if *sites == 0 {
                *first = self.faults;
            }
            *sites += 1;
        }
        self.faults += 1;
    }

    /// The most frequent fault, if half or more of the sites that link the label have one. Ties go to the
    /// fault that was met first.
    pub(super) fn usual(&self, linked: usize) -> Option<Fault> {
        let most =
            Fault::ALL.iter().zip(self.met).max_by_key(|(_, (sites, first))| (*sites, Reverse(*first)));
        most.filter(|_| self.faults > 0 && 2 * self.faults >= linked).map(|(kind, _)| *kind)
    }
}
