//! What became of each label, and by what.

use std::collections::BTreeMap;

use crate::mining::faults::Fault;

/// What became of a label, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// A concept.
    Concept,
    /// Shown by fewer sites than the support.
    TooFewSites,
    /// Holds no letter.
    NoWord,
    /// Nowhere the text of a link (first abridgement rule).
    NowhereALink,
    /// All of its links leave their site (second abridgement rule).
    LeavesItsSite,
    /// Something is wrong with its links on half of its sites; mostly this.
    Fault(Fault),
    /// Its company is that of menus and services.
    BadCompany,
    /// The pages that it leads to file no stories of their own (third abridgement rule).
    FilesNothing,
    /// None of its pages could be read, while those of most candidates were.
    Unread,
}

impl Verdict {
    /// In words, after "`label` is …".
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Concept => "a concept",
            Verdict::TooFewSites => "no concept: too few sites show it",
            Verdict::NoWord => "no concept: it holds no letter",
            Verdict::NowhereALink => "no concept: it is nowhere a link",
            Verdict::LeavesItsSite => "no concept: all of its links leave their site",
            Verdict::Fault(Fault::Counts) => "no concept: it counts, with ever other numbers",
            Verdict::Fault(Fault::InText) => "no concept: it stands in running text",
            Verdict::Fault(Fault::LeadsNowhere) => {
                "no concept: its links lead to script, mail, their own or the front page"
            }
            Verdict::Fault(Fault::LeadsAnywhere) => "no concept: it leads to many pages at once",
            Verdict::Fault(Fault::SecondName) => "no concept: its pages have another name beside it",
            Verdict::FilesNothing => "no concept: the pages it leads to file no stories of their own",
            Verdict::Unread => "no concept: none of the pages it leads to could be read",
            Verdict::BadCompany => "no concept: it stands among menu items and services",
        }
    }
}

/// One label over all sites.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// Sites that show it, as indices into the summaries.
    pub sites: Vec<usize>,
    /// Mean over its sites of how its links look, 0 to 1; 0 for what is no candidate.
    pub own: f64,
    /// The same after the company rule.
    pub score: f64,
    /// Mean share of its links that spell it.
    pub(super) spelled: f64,
    /// Mean share of its links that stand after the last long one.
    pub(super) tail: f64,
    /// Mean share of its links that are instances of a group.
    pub(super) grouped: f64,
    /// Share of the sites whose pages of this label were read where these file stories; `None` where
    /// none was read.
    pub files: Option<f64>,
    /// What became of it.
    pub verdict: Verdict,
}

#[cfg(test)]
impl Judged {
    /// A concept in all its looks, on the first so many sites.
    pub(crate) fn made(sites: usize) -> Judged {
        let (own, score, spelled, tail, grouped) = (1.0, 1.0, 1.0, 0.0, 1.0);
        let (sites, verdict) = ((0..sites).collect(), Verdict::Concept);
        Judged { sites, own, score, spelled, tail, grouped, files: None, verdict }
    }
}

/// Why a key is no concept though [`judge`](super::judge) says nothing of it.
#[must_use]
pub fn verdict_of(judged: &BTreeMap<String, Judged>, key: &str) -> Verdict {
    judged.get(key).map_or(Verdict::TooFewSites, |label| label.verdict)
}
