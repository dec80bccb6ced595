//! The verdict on each label, and the reason.

use std::collections::BTreeMap;

use crate::mining::faults::Fault;

/// The verdict on a label, and the reason.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// A concept.
    Concept,
    /// Fewer sites than the support show it.
    TooFewSites,
    /// Holds no letter.
    NoWord,
    /// Never the text of a link (first abridgement rule).
    NowhereALink,
    /// All of its links leave their site (second abridgement rule).
    LeavesItsSite,
    /// Its links have faults on half of its sites; this is the most frequent fault.
    Fault(Fault),
    /// It keeps company with menus and services.
    BadCompany,
    /// Its pages file no stories of their own (third abridgement rule).
    FilesNothing,
    /// None of its pages could be read, though pages of most candidates were.
    Unread,
    /// Its sites file articles under other labels (their own schemes).
    FilesNoArticle,
    /// A list of names says that it names no property of a story: home, all, uncategorized.
    Furniture,
}

impl Verdict {
    /// In words, after "`label` is …".
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Concept => "a concept",
            Verdict::TooFewSites => "not a concept: too few sites show it",
            Verdict::NoWord => "not a concept: it has no letters",
            Verdict::NowhereALink => "not a concept: it is never a link",
            Verdict::LeavesItsSite => "not a concept: all of its links leave their site",
            Verdict::Fault(Fault::Counts) => "not a concept: it is a count, with many different numbers",
            Verdict::Fault(Fault::InText) => "not a concept: its links are in running text",
            Verdict::Fault(Fault::LeadsNowhere) => {
                "not a concept: its links lead to script, mail, their own page or the front page"
            }
            Verdict::Fault(Fault::LeadsAnywhere) => "not a concept: it leads to many different pages",
            Verdict::Fault(Fault::SecondName) => "not a concept: other labels name its pages first",
            Verdict::FilesNothing => "not a concept: the pages it leads to file no stories of their own",
            Verdict::Unread => "not a concept: none of the pages it leads to could be read",
            Verdict::FilesNoArticle => "not a concept: its sites have schemes and file no article under it",
            Verdict::Furniture => {
                "not a concept: the list `house` has it as furniture of sites, such as home and all"
            }
            Verdict::BadCompany => "not a concept: it appears among menu items and services",
        }
    }
}

/// One label over all sites.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Sites that show it, as indices into the summaries.
    pub sites: Vec<usize>,
    /// Mean over its sites of the traits of its links, 0 to 1; 0 if it is not a candidate.
    pub own: f64,
    /// Its score after the company rule.
    pub score: f64,
    /// Mean share of its links that spell it.
    pub(super) spelled: f64,
    /// Mean share of its links that come after the page's last long link.
    pub(super) tail: f64,
    /// Mean share of its links that are instances of a group.
    pub(super) grouped: f64,
    /// Among the sites where a page of this label was read, the share on which such a page files stories;
    /// `None` if no page was read.
    pub files: Option<f64>,
    /// The verdict.
    pub verdict: Verdict,
}

#[cfg(test)]
impl Judged {
    /// A concept with good values in every field, on the sites 0 to `sites`.
    pub(crate) fn made(sites: usize) -> Judged {
        let (own, score, spelled, tail, grouped) = (1.0, 1.0, 1.0, 0.0, 1.0);
        let (sites, verdict) = ((0..sites).collect(), Verdict::Concept);
        Judged { sites, own, score, spelled, tail, grouped, files: None, verdict }
    }
}

/// The verdict on a key, even on one that [`judge`](super::judge) does not list.
#[must_use]
pub fn verdict_of(judged: &BTreeMap<String, Judged>, key: &str) -> Verdict {
    judged.get(key).map_or(Verdict::TooFewSites, |label| label.verdict)
}
