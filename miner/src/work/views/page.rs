//! The views of one page: read from the archive, computed off the reactor at a pace, and written back if they changed.
//!
//! A panic ends the page's view, as it ends a page's partition. The event of a changed article is published before the
//! article is archived: at least once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use newslode_common::message::FetchedPage;
use newslode_common::store::Kind;
use newslode_common::version::ContentHash;
use newslode_page::Page;
use newslode_page::article::Article;
use newslode_page::extract::SiteKnowledge;
use newslode_page::hierarchy::{Block, Label, xml};
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;
use newslode_page::wisdom;

use super::site_value::SiteValue;
use crate::mining::articles::ArticleView;
use crate::mining::{articles, blocks};
use crate::work::announcing::{announce_if_waiting, is_waiting, tells_enough};
use crate::work::archive::{open, open_and_keep};
use crate::work::error::BatchError;
use crate::work::generations::Generations;
use crate::work::histories::history::{ArticleHistory, Fetch};
use crate::work::histories::read_history;
use crate::work::parts::Parts;

/// The limit that a hierarchy names if its blocks were found without some of the terms beside links.
const BLOCKS: &str = "blocks";

/// How much of the machine a background computation may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Number of pages that are computed concurrently.
    pub at_once: usize,
    /// Per cent of the time for which each of them computes; it sleeps for the remainder. 1 to 100.
    pub share: u32,
}

impl Pace {
    /// How long to rest after work that took so long.
    #[must_use]
    pub fn rest_after(self, took: Duration) -> Duration {
        took * 100_u32.saturating_sub(self.share) / self.share.max(1)
    }
}

/// What pages are viewed with.
pub(super) struct ViewContext {
    /// Reads articles.
    pub(super) known: SiteKnowledge,
    /// Finds informative blocks; without it hierarchies stay as they are.
    pub(super) value: Option<Arc<SiteValue>>,
    /// Find a page by the name under which it is counted.
    pub(super) generations: Arc<Generations>,
}

/// The result of marking one page's hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MarkOutcome {
    Marked,
    Unchanged,
    Missing,
    Failed,
}

/// The result for one page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Viewed {
    pub(super) content: ContentHash,
    /// The result of marking; `None` if hierarchies stay as they are.
    pub(super) marks: Option<MarkOutcome>,
    /// Whether its article changed; `None` if it has none.
    pub(super) article: Option<bool>,
    /// The template that accepts it, if that was asked, and when the page was fetched.
    pub(super) by: Option<(u32, Timestamp)>,
    /// Whether it became an article, or is none any more.
    pub(super) is_other_kind: bool,
}

/// The computed views of a page.
struct ComputedViews {
    xml: Option<String>,
    article: ArticleView,
    by: Option<(u32, Timestamp)>,
    url: CanonicalUrl,
    fetch: Fetch,
}

/// Computes off the reactor, then sleeps as long as the pace demands.
pub(in crate::work) async fn paced<T: Send + 'static>(
    pace: Pace,
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let start = Instant::now();
    let views = tokio::task::spawn_blocking(work).await;
    let rest = pace.rest_after(start.elapsed());
    if !rest.is_zero() {
        tokio::time::sleep(rest).await;
    }
    views.map_err(|panic| panic.to_string()).and_then(|views| views)
}

/// The template that accepts a page; `None` also for a page that cannot be read.
pub(super) async fn accepted_by(
    parts: Parts,
    known: Arc<SiteKnowledge>,
    generations: Arc<Generations>,
    content: ContentHash,
    pace: Pace,
) -> Result<(ContentHash, Option<(u32, Timestamp)>), BatchError> {
    let Some((_, bytes)) = generations.page(parts.stores.archive.as_ref(), content).await? else {
        return Ok((content, None));
    };
    let accepted = move || {
        let (fetched, page) = open_and_keep(&bytes, &parts.stores.parsed)?;
        Ok(known.template_of(&page).map(|version| (version, fetched.fetched_at)))
    };
    Ok((content, paced(pace, accepted).await.ok().flatten()))
}

/// Reads a page, computes its views and writes what changed.
pub(super) async fn view_page(
    parts: Parts,
    context: Arc<ViewContext>,
    content: ContentHash,
    asks_template: bool,
    pace: Pace,
) -> Result<Viewed, BatchError> {
    let is_marked = context.value.is_some();
    let ended = |end| {
        let marks = is_marked.then_some(end);
        Viewed { content, marks, article: None, by: None, is_other_kind: false }
    };
    let Some((_, page)) = context.generations.page(parts.stores.archive.as_ref(), content).await? else {
        return Ok(ended(MarkOutcome::Missing));
    };
    let hierarchy = if is_marked { parts.stores.archive.get(Kind::Hierarchy, content).await? } else { None };
    let article = parts.stores.archive.get(Kind::Article, content).await?;
    let article: Option<Article> = article.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let (before, held) = (hierarchy.clone(), article.clone());
    let parsed = parts.stores.parsed.clone();
    let knows_enough = tells_enough(&context.known);
    let work = move || compute(&context, open(&page, &parsed)?, hierarchy, held.as_ref(), asks_template);
    let mut views = match paced(pace, work).await {
        Ok(views) => views,
        Err(reason) => {
            tracing::warn!(%content, reason, "cannot compute the view of a page; the page keeps its last one");
            return Ok(ended(MarkOutcome::Failed));
        }
    };
    let is_other_kind = match views.article {
        ArticleView::Unchanged => false,
        ArticleView::Now(_) => article.is_none(),
        ArticleView::NoArticle => article.is_some(),
    };
    if is_other_kind {
        let history = read_history(parts.stores.archive.as_ref(), &views.url).await?;
        let is_none = views.article == ArticleView::NoArticle;
        // Where its history says so already, a kill came before the archive did: this ends it.
        let is_refused = |history: &ArticleHistory| {
            history.is_no_article() != is_none && !history.may_change_kind(parts.clock.now())
        };
        if history.as_ref().is_some_and(is_refused) {
            views.article = ArticleView::Unchanged;
        }
    }
    let is_changed = views.article != ArticleView::Unchanged;
    let is_article = article.is_some() || matches!(views.article, ArticleView::Now(_));
    match (&article, &views.article) {
        (Some(article), ArticleView::Unchanged) if knows_enough => {
            announce_if_waiting(&parts, article, parts.clock.now()).await?;
        }
        (_, ArticleView::Unchanged) | (None, ArticleView::NoArticle) => {}
        (before, ArticleView::Now(now)) => {
            // While its site is too young, an article that waits goes on waiting.
            let is_due = match is_waiting(&parts, &views.url).await? {
                true => knows_enough,
                false => before.as_ref().is_none_or(|before| articles::says_something_else(before, now)),
            };
            if is_due {
                parts.histories().revise(now, views.fetch, parts.clock.now()).await?;
            }
            let json = serde_json::to_vec(now).unwrap_or_default();
            parts.stores.archive.put(Kind::Article, content, json.into(), parts.clock.now()).await?;
        }
        (Some(before), ArticleView::NoArticle) => {
            parts.histories().withdraw(before, parts.clock.now()).await?;
            parts.stores.archive.delete(Kind::Article, content).await?;
        }
    }
    let marks = match views.xml {
        Some(xml) if before.as_deref() != Some(xml.as_bytes()) => {
            parts.stores.archive.put(Kind::Hierarchy, content, xml.into(), parts.clock.now()).await?;
            MarkOutcome::Marked
        }
        Some(_) => MarkOutcome::Unchanged,
        None => MarkOutcome::Missing,
    };
    let is_other_kind = is_other_kind && is_changed;
    Ok(Viewed { article: is_article.then_some(is_changed), by: views.by, is_other_kind, ..ended(marks) })
}

fn compute(
    context: &ViewContext,
    (fetched, page): (FetchedPage, Arc<Page>),
    hierarchy: Option<Bytes>,
    held: Option<&Article>,
    asks_template: bool,
) -> Result<ComputedViews, String> {
    let xml = match (&context.value, hierarchy) {
        (Some(value), Some(hierarchy)) => Some(mark_blocks(value, &page, &hierarchy)?),
        _ => None,
    };
    let article = articles::view(&context.known, &page, fetched.fetched_at, held);
    let accepted = || context.known.template_of(&page).map(|version| (version, fetched.fetched_at));
    let fetch = Fetch { number: fetched.version.fetch, at: fetched.fetched_at };
    Ok(ComputedViews { xml, article, by: asks_template.then(accepted).flatten(), url: fetched.url, fetch })
}

/// The hierarchy with its informative blocks marked, as XML.
fn mark_blocks(value: &SiteValue, page: &Page, hierarchy: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(hierarchy).map_err(|error| error.to_string())?;
    let mut hierarchy = xml::read(text).map_err(|error| error.to_string())?;
    if hierarchy.leaves as usize != page.leaves.len() {
        return Err("the hierarchy was views by other page algorithms".into());
    }
    let found = wisdom::find_blocks(page, &value.terms, &value.wisdom);
    hierarchy.coarse.retain(|limit| limit != BLOCKS);
    if found.is_coarse {
        hierarchy.coarse.push(BLOCKS.to_owned());
        hierarchy.coarse.sort_unstable();
    }
    let of = blocks::of_labels(&found);
    hierarchy.mark(value.version.clone(), |label: &Label| -> Block { of(label) });
    Ok(xml::write(&hierarchy))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_followed_by_a_rest_that_keeps_its_share_of_the_time() {
        let rest = |share| Pace { at_once: 1, share }.rest_after(Duration::from_secs(6));
        let seconds = [(100, 0), (50, 6), (25, 18), (10, 54), (1, 594), (0, 600)];
        for (share, expected) in seconds {
            assert_eq!(rest(share), Duration::from_secs(expected), "{share}");
        }
    }
}
