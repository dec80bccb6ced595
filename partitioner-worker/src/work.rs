//! The whole path of one page: bytes → tree → hierarchy → contribution → article → message.
//!
//! This is the border that no page crosses: limits make the result coarser and are noted, and a panic
//! below ends the page, not the worker; such a page contributes nothing and its notes say why. No clock is
//! read: the time budget buys a number of steps ([`Params::within`]), the parser is limited in bytes, nodes
//! and depth, so that the same bytes give the same contribution on every machine.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use newslode_common::article::Article;
use newslode_common::contribution::Contribution;
use newslode_common::hierarchy::{Hierarchy, Node, NodeKind};
use newslode_common::message::{FetchedPage, PageNotes, PartitionedPage};
use newslode_common::page::PageLimits;

use crate::contribution::bounded;
use crate::extract::article;
use crate::partition::hierarchy;
use crate::{Page, Params};

/// Characters kept of what a panic said.
const MAX_REASON: usize = 300;

/// The parser's limits: those of [`PageLimits`] that do not depend on the machine.
#[must_use]
pub fn limits() -> PageLimits {
    PageLimits { max_parse_time: Duration::MAX, ..PageLimits::default() }
}

/// What a fetched page says. `bytes` is its body, content encoding undone; the `body` of `fetched` is not
/// looked at. Never panics.
#[must_use]
pub fn work(
    fetched: &FetchedPage,
    bytes: &[u8],
    params: &Params,
    budget: Duration,
) -> (PartitionedPage, Hierarchy) {
    let params = params.within(budget);
    let said = catch_unwind(AssertUnwindSafe(|| said(fetched, bytes, &params)));
    let Said { contribution, article, notes, hierarchy } =
        said.unwrap_or_else(|panic| failed(fetched, &params, &reason(&*panic)));
    let page = PartitionedPage {
        url: fetched.url.clone(),
        site: fetched.site.clone(),
        depth: fetched.depth,
        why: fetched.why,
        version: fetched.version,
        fetched_at: fetched.fetched_at,
        contribution,
        article,
        notes,
    };
    (page, hierarchy)
}

struct Said {
    contribution: Contribution,
    article: Option<Article>,
    notes: PageNotes,
    hierarchy: Hierarchy,
}

fn said(fetched: &FetchedPage, bytes: &[u8], params: &Params) -> Said {
    #[cfg(test)]
    tests::panic_if_asked(fetched);
    let page = Page::parse(&fetched.url, fetched.content_type.as_deref(), bytes, &limits());
    let mut hierarchy = hierarchy(&page, params);
    let (contribution, is_cut) = bounded(&page, &hierarchy);
    if is_cut && !hierarchy.coarse.iter().any(|limit| limit == "leaves") {
        hierarchy.coarse.push("leaves".into());
        hierarchy.coarse.sort_unstable();
    }
    let (_, article) = article(&page, fetched.fetched_at);
    let notes = PageNotes { coarse: hierarchy.coarse.clone(), failed: None, leaves: hierarchy.leaves };
    Said { contribution, article, notes, hierarchy }
}

fn failed(fetched: &FetchedPage, params: &Params, reason: &str) -> Said {
    let root = Node { parent: None, kind: NodeKind::Page, label: None, promotion: None, block: None };
    let hierarchy = Hierarchy {
        url: fetched.url.as_str().to_owned(),
        title: None,
        method: params.digest(),
        coarse: Vec::new(),
        leaves: 0,
        boundaries: Vec::new(),
        site_version: None,
        nodes: vec![root],
    };
    let notes = PageNotes { failed: Some(reason.to_owned()), ..PageNotes::default() };
    Said { contribution: Contribution::default(), article: None, notes, hierarchy }
}

fn reason(panic: &(dyn std::any::Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
    said.unwrap_or_else(|| "a panic without words".into()).chars().take(MAX_REASON).collect()
}

#[cfg(test)]
mod tests;
