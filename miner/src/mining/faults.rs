//! What is wrong with a label's links on one site.
//!
//! A section's label leads to one page that has no better name; a section's page files stories of its own. Start
//! at [`SiteSummary::fault`].

use newslode_page::contribution::{Role, url_id};
use newslode_page::reading::CanonicalUrl;

use crate::mining::summary::{LabelSummary, SiteSummary};

/// Pages that a label of one site leads to: beyond these, it leads anywhere.
const FEW_TARGETS: usize = 4;
/// Stories of its own that a page files at least if it is a section's.
pub(crate) const SECTION_STORIES: u64 = 3;

/// What may be wrong with a label's links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It stands there with ever other numbers, as "3 comments" does.
    Counts,
    /// It stands in running text.
    InText,
    /// It leads nowhere: to script, mail, its own page or the front page.
    LeadsNowhere,
    /// It leads to many pages, as "view all" does.
    LeadsAnywhere,
    /// Its targets are named by another label that stands before it, as those of "more" under a section's
    /// name are.
    SecondName,
}

impl Fault {
    /// All of them.
    pub(crate) const ALL: [Fault; 5] =
        [Fault::Counts, Fault::InText, Fault::LeadsNowhere, Fault::LeadsAnywhere, Fault::SecondName];
}

impl SiteSummary {
    /// What is wrong with the links of one of the site's labels.
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
