//! The faults of a label's links on one site.
//!
//! A section's label leads to one page that has no better name, and that page files stories of its own. A label without these
//! traits has a fault. Start at [`SiteSummary::fault`].

use newslode_page::contribution::Role;
use newslode_page::reading::CanonicalUrl;

use crate::mining::summary::{LabelSummary, SiteSummary, page_name};

/// With this many targets on one site a label may lead anywhere.
const FEW_TARGETS: usize = 4;
/// The least number of own stories that makes a page a section.
pub(crate) const SECTION_STORIES: u64 = 3;

/// A fault of a label's links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It occurs with many different numbers, as "3 comments" does.
    Counts,
    /// Its links are in running text.
    InText,
    /// It leads nowhere: to script, mail, its own page or the front page.
    LeadsNowhere,
    /// It leads to many pages, as "view all" does.
    LeadsAnywhere,
    /// Other labels before it name its targets, as a section's name does for "more" under it.
    SecondName,
}

impl Fault {
    /// All faults.
    pub(crate) const ALL: [Fault; 5] =
        [Fault::Counts, Fault::InText, Fault::LeadsNowhere, Fault::LeadsAnywhere, Fault::SecondName];
}

impl SiteSummary {
    /// The fault of the links of one of the site's labels, if there is one.
    pub(crate) fn fault(&self, key: &str, label: &LabelSummary) -> Option<Fault> {
        if self.is_counter(key) {
            Some(Fault::Counts)
        } else if label.share(Role::InText) >= 0.5 {
            Some(Fault::InText)
        } else if label.share(Role::Empty) >= 0.5 {
            Some(Fault::LeadsNowhere)
        } else if label.share(Role::Many) >= 0.5 || is_scattered(label) {
            Some(Fault::LeadsAnywhere)
        } else {
            is_second_name(label).then_some(Fault::SecondName)
        }
    }

    /// Whether a page files stories of its own; `None` if it was not counted.
    pub(crate) fn is_section(&self, page: &CanonicalUrl) -> Option<bool> {
        self.filing.get(&page_name(page)).map(|stories| *stories >= SECTION_STORIES)
    }
}

/// Whether a label leads to many different pages of its site: its few most frequent targets make up less than
/// half.
fn is_scattered(label: &LabelSummary) -> bool {
    let mut pages: Vec<u64> = label.targets.values().copied().collect();
    pages.sort_unstable_by(|a, b| b.cmp(a));
    let (usual, all) = (pages.iter().take(FEW_TARGETS - 1).sum::<u64>(), pages.iter().sum::<u64>());
    pages.len() >= FEW_TARGETS && 2 * usual < all
}

/// Whether most pages that link the label to another page name that page before it. A page counts a target
/// only for the first label that leads there.
fn is_second_name(label: &LabelSummary) -> bool {
    let named: u64 = label.targets.values().sum();
    let linking = label.pages(Role::Inside).saturating_sub(label.pages(Role::Empty));
    linking > 0 && 2 * named < linking
}
