//! The whole path of one page: bytes → tree → hierarchy → contribution → article.
//!
//! No failure of a page gets past this module. Limits make the result coarser and are noted. A panic ends the
//! page, not the process: such a page contributes nothing, and its notes say why. No clock is read: a time
//! budget becomes a number of steps ([`Params::within`]), and the parser's limits are in bytes, nodes and depth.
//! So the same bytes give the same contribution on every machine.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde::{Deserialize, Serialize};

use crate::article::Article;
use crate::bounds::{Excess, bytes, most};
use crate::contribution::Contribution;
use crate::contribution::counting::bounded_contribution;
use crate::discovery::declared_address;
use crate::extract::{SlotUse, crawled_article, slots};
use crate::hierarchy::{Hierarchy, Node, NodeKind};
use crate::partition::Params;
use crate::partition::hierarchy;
use crate::reading::CanonicalUrl;
use crate::reading::Page;
use crate::time::Timestamp;

/// Longest kept panic message, in characters.
const MAX_REASON: usize = 300;
/// Most limits that one page can meet.
const MAX_COARSE: usize = 32;
/// Most bytes of the name of a limit.
const MAX_NAME: usize = 256;

/// The results for one page.
///
/// ```
/// use newslode_page::{Params, Timestamp, analyse};
///
/// let url = "https://news.example.org/".parse()?;
/// // Bytes of any kind have an analysis; limits that made it coarser, and failures, are noted.
/// let found = analyse(&url, None, &[0xff, b'<', 0, b'a'], Timestamp(0), &Params::default());
/// assert_eq!(found.article, None);
/// assert_eq!(found.notes.failed, None);
/// # Ok::<(), newslode_page::reading::CanonicalUrlError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The page's labels under their headers.
    pub hierarchy: Hierarchy,
    /// The page's contribution to its site's state.
    pub contribution: Contribution,
    /// Where the page may name its place in the site.
    pub slots: Vec<SlotUse>,
    /// The article, if the page is one.
    pub article: Option<Article>,
    /// The address that the page declares as its own, if that is another one.
    pub canonical: Option<CanonicalUrl>,
    /// Problems met on the way.
    pub notes: PageNotes,
}

/// Problems met with a page; each is counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageNotes {
    /// Limits that made the result coarser: `bytes`, `nodes`, `depth`, `leaves`.
    pub coarse: Vec<String>,
    /// The message of a caught panic. The page could not be analysed and its contribution is empty.
    pub failed: Option<String>,
    /// Leaves of the page.
    pub leaves: u32,
}

impl PageNotes {
    /// Whether a page can have these notes.
    ///
    /// # Errors
    /// Names the field that exceeds its limit.
    pub fn check(&self) -> Result<(), Excess> {
        most("coarse", "entries", self.coarse.len(), MAX_COARSE)?;
        self.coarse.iter().try_for_each(|limit| bytes("coarse", limit, MAX_NAME))?;
        let reason = self.failed.as_deref().unwrap_or_default();
        most("failed", "characters", reason.chars().count(), MAX_REASON)
    }
}

/// Analyses a page. `bytes` is its body after content decoding. `fetched_at` bounds the article's dates: none may
/// be later. Never panics.
///
/// ```
/// use newslode_page::{Params, Timestamp, analyse};
///
/// let url = "https://news.example.org/2024/05/02/rain-ends-the-drought".parse()?;
/// let html = "<title>Rain ends the drought - The Herald</title><meta property=og:type content=article>\
///             <h1>Rain ends the drought</h1><p>After eleven dry weeks it rained over the valley on Thursday, \
///             and the farmers came out of their houses to watch it fall.<p>The reservoir above the town \
///             rose by a hand's breadth before noon, the water board said, and the ban on watering gardens ends.";
/// let fetched_at = Timestamp(1_714_700_000_000);
/// let found = analyse(&url, Some("text/html"), html.as_bytes(), fetched_at, &Params::default());
/// assert_eq!(found.notes.leaves, 3);
/// assert_eq!(found.article.and_then(|article| article.title).as_deref(), Some("Rain ends the drought"));
/// assert!(found.contribution.terms.iter().any(|term| term.term == "drought"));
/// # Ok::<(), newslode_page::reading::CanonicalUrlError>(())
/// ```
#[must_use]
pub fn analyse(
    url: &CanonicalUrl,
    content_type: Option<&str>,
    bytes: &[u8],
    fetched_at: Timestamp,
    params: &Params,
) -> Analysis {
    analyse_by(url, || Page::parse(url, content_type, bytes), fetched_at, params)
}

/// Analyses what `parse` returns for the page at this address, as [`analyse`] does; a panic in `parse` is one of the page.
#[must_use]
pub fn analyse_by(
    url: &CanonicalUrl,
    parse: impl FnOnce() -> Page,
    fetched_at: Timestamp,
    params: &Params,
) -> Analysis {
    catch_panic(url, params, || analyse_parsed(&parse(), fetched_at, params))
}

/// Analyses a page that is parsed already, as [`analyse`] does. Never panics.
#[must_use]
pub fn analyse_page(page: &Page, fetched_at: Timestamp, params: &Params) -> Analysis {
    catch_panic(&page.url, params, || analyse_parsed(page, fetched_at, params))
}

/// Runs `work`; a panic becomes an empty analysis with the panic's message.
fn catch_panic(url: &CanonicalUrl, params: &Params, work: impl FnOnce() -> Analysis) -> Analysis {
    let result = catch_unwind(AssertUnwindSafe(|| {
        #[cfg(test)]
        tests::panic_if_asked(url);
        work()
    }));
    result.unwrap_or_else(|panic| failed_analysis(url, params, &panic_message(&*panic)))
}

fn analyse_parsed(page: &Page, fetched_at: Timestamp, params: &Params) -> Analysis {
    let mut hierarchy = hierarchy(page, params);
    let (contribution, is_cut) = bounded_contribution(page, &hierarchy);
    if is_cut && !hierarchy.coarse.iter().any(|limit| limit == "leaves") {
        hierarchy.coarse.push("leaves".into());
        hierarchy.coarse.sort_unstable();
    }
    let (_, article) = crawled_article(page, fetched_at);
    let notes = PageNotes { coarse: hierarchy.coarse.clone(), failed: None, leaves: hierarchy.leaves };
    Analysis {
        hierarchy,
        contribution,
        slots: slots(page),
        article,
        canonical: declared_address(page),
        notes,
    }
}

/// The analysis of a page that could not be analysed: a root alone, and no contribution.
fn failed_analysis(url: &CanonicalUrl, params: &Params, reason: &str) -> Analysis {
    let root = Node { parent: None, kind: NodeKind::Page, label: None, promotion: None, block: None };
    let hierarchy = Hierarchy {
        url: url.as_str().to_owned(),
        title: None,
        method: params.digest(),
        coarse: Vec::new(),
        leaves: 0,
        boundaries: Vec::new(),
        site_version: None,
        nodes: vec![root],
    };
    let notes = PageNotes { failed: Some(reason.to_owned()), ..PageNotes::default() };
    let (contribution, slots) = (Contribution::default(), Vec::new());
    Analysis { hierarchy, contribution, slots, article: None, canonical: None, notes }
}

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let message = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let message = message.or_else(|| panic.downcast_ref::<String>().cloned());
    message.unwrap_or_else(|| "a panic without a message".into()).chars().take(MAX_REASON).collect()
}

#[cfg(test)]
mod tests;
