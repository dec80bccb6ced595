//! What is wrong with a label's links over all sites that link it.
//!
//! Sites break a label in different ways ("more" leads nowhere on one, to ever other pages on the next), so
//! faults of all kinds add up: half of the sites are enough.

use std::cmp::Reverse;

use crate::mining::faults::Fault;

/// What is wrong with a label's links on the sites that link it.
#[derive(Default)]
pub(super) struct Tally {
    /// Of each of [`Fault::ALL`] the sites, and which fault it was when it was met first.
    met: [(usize, usize); Fault::ALL.len()],
    faults: usize,
}

impl Tally {
    /// Takes in one more site.
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

    /// What is wrong on half or more of the sites that link the label; the most usual of several faults, of equally
    /// usual ones the first site's.
    pub(super) fn usual(&self, linked: usize) -> Option<Fault> {
        let most =
            Fault::ALL.iter().zip(self.met).max_by_key(|(_, (sites, first))| (*sites, Reverse(*first)));
        most.filter(|_| self.faults > 0 && 2 * self.faults >= linked).map(|(kind, _)| *kind)
    }
}
