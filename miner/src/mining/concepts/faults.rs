//! What is wrong with a label's links: by site, and over the sites.
//!
//! A section's label leads to one page that has no better name. Sites break that in different ways for the
//! same label ("more" leads nowhere on one, to ever other pages on the next), so faults of all kinds add up:
//! half of the sites are enough. Start at [`Tally`].

use std::cmp::Reverse;

use newslode_page::contribution::{Role, url_id};
use newslode_page::reading::CanonicalUrl;

use super::Verdict;
use crate::mining::summary::{LabelSummary, SiteSummary};

/// Pages that a label of one site leads to: beyond these, it leads anywhere.
const FEW_TARGETS: usize = 4;
/// Stories of its own that a page files at least if it is a section's.
pub(crate) const SECTION_STORIES: u64 = 3;
/// All that [`SiteSummary::fault`] finds.
const KINDS: [Verdict; 5] =
    [Verdict::Counts, Verdict::InText, Verdict::LeadsNowhere, Verdict::LeadsAnywhere, Verdict::SecondName];

/// What is wrong with a label's links on the sites that link it.
#[derive(Default)]
pub(super) struct Tally {
    /// Of each of [`KINDS`] the sites, and which fault it was when it was met first.
    met: [(usize, usize); KINDS.len()],
    faults: usize,
}

impl Tally {
    /// Takes in one more site.
    pub(super) fn add(&mut self, fault: Option<Verdict>) {
        let Some(at) = fault.and_then(|fault| KINDS.iter().position(|kind| *kind == fault)) else { return };
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
    pub(super) fn usual(&self, linked: usize) -> Option<Verdict> {
        let most = KINDS.iter().zip(self.met).max_by_key(|(_, (sites, first))| (*sites, Reverse(*first)));
        most.filter(|_| self.faults > 0 && 2 * self.faults >= linked).map(|(kind, _)| *kind)
    }
}

impl SiteSummary {
    /// What is wrong with the links of one of the site's labels.
    pub(crate) fn fault(&self, key: &str, label: &LabelSummary) -> Option<Verdict> {
        if self.is_counter(key) {
            Some(Verdict::Counts)
        } else if label.share(Role::InText) >= 0.5 {
            Some(Verdict::InText)
        } else if label.share(Role::Empty) >= 0.5 {
            Some(Verdict::LeadsNowhere)
        } else if label.share(Role::Many) >= 0.5 || is_scattered(label) {
            Some(Verdict::LeadsAnywhere)
        } else {
            is_second_name(label).then_some(Verdict::SecondName)
        }
    }

    /// Whether a page files stories of its own; `None` if it was not counted.
    pub(crate) fn is_section(&self, page: &CanonicalUrl) -> Option<bool> {
        self.filing.get(&url_id(page)).map(|stories| *stories >= SECTION_STORIES)
    }
}

/// Whether a label leads to ever other pages of its site: its few most usual ones are not half of it.
fn is_scattered(label: &LabelSummary) -> bool {
    let mut pages: Vec<u64> = label.targets.values().copied().collect();
    pages.sort_unstable_by(|a, b| b.cmp(a));
    let (usual, all) = (pages.iter().take(FEW_TARGETS - 1).sum::<u64>(), pages.iter().sum::<u64>());
    pages.len() >= FEW_TARGETS && 2 * usual < all
}

/// Whether most pages that link the label to another page name that page before it: a target is counted
/// for the first label of a page that leads there.
fn is_second_name(label: &LabelSummary) -> bool {
    let named: u64 = label.targets.values().sum();
    let linking = label.pages(Role::Inside).saturating_sub(label.pages(Role::Empty));
    linking > 0 && 2 * named < linking
}
