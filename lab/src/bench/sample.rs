//! Pages to measure on, and ways to read them.

use newslode::input;
use newslode_page::partition::{PaperParams, Scope};
use newslode_page::{Page, Params};

/// A page to measure on.
pub(crate) struct Sample {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
}

/// A way from a page's bytes to its hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The default parameters.
    Default,
    /// The paper's parameters over the whole page.
    PaperPage,
}

impl Way {
    pub(crate) fn named(name: &str) -> Option<Way> {
        [Way::Default, Way::PaperPage].into_iter().find(|way| way.name() == name)
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Way::Default => "default",
            Way::PaperPage => "paper-page",
        }
    }

    pub(super) fn params(self) -> Params {
        match self {
            Way::Default => Params::default(),
            Way::PaperPage => {
                let papers = PaperParams { scope: Scope::Page, ..PaperParams::default() };
                Params { papers, ..Params::paper() }
            }
        }
    }
}

/// Reads a page of a bench.
pub(super) fn parsed(bytes: &[u8]) -> anyhow::Result<Page> {
    Ok(Page::parse(&input::made_up("bench.html")?, Some("text/html; charset=utf-8"), bytes))
}
