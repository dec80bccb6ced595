//! One page of a look: it is read from the archive, computed outside the reactor at a pace, and written back
//! if it changed.
//!
//! A panic ends the page's view, as it ends a page's partition. Readers are told of an article that changed
//! before it is archived: at least once.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use newslode_common::message::FetchedPage;
use newslode_common::store::Kind;
use newslode_common::time;
use newslode_common::version::ContentHash;
use newslode_page::Page;
use newslode_page::article::Article;
use newslode_page::extract::SiteKnowledge;
use newslode_page::hierarchy::{Block, Label, xml};
use newslode_page::time::Timestamp;
use newslode_page::wisdom;

use super::value::SiteValue;
use crate::mining::{articles, blocks};
use crate::work::archive::{open, open_and_keep};
use crate::work::error::BatchError;
use crate::work::generations::Generations;
use crate::work::histories::history::Fetch;
use crate::work::parts::Parts;

/// How much of the machine views may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Pages at once.
    pub at_once: usize,
    /// Per cent of the time that each of them works; it rests for the remainder. 1 to 100.
    pub share: u32,
}

/// The knowledge that pages are viewed with.
pub(super) struct Reader {
    /// For articles.
    pub(super) known: SiteKnowledge,
    /// For marks; without it hierarchies are left alone.
    pub(super) value: Option<Arc<SiteValue>>,
    /// To find a page by the name under which it is counted.
    pub(super) generations: Arc<Generations>,
}

/// How one page's marks ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Marked,
    Unchanged,
    Missing,
    Failed,
}

/// The result for one page.
#[derive(Clone, Copy, Debug)]
pub(super) struct Viewed {
    pub(super) content: ContentHash,
    /// Its marks; `None` if hierarchies are left alone.
    pub(super) marks: Option<End>,
    /// Whether its article changed; `None` if it has none.
    pub(super) article: Option<bool>,
    /// The template that accepts it, if that was asked, and when the page was fetched.
    pub(super) by: Option<(u32, Timestamp)>,
}

/// The computed views of a page.
struct Made {
    xml: Option<String>,
    article: Option<Article>,
    by: Option<(u32, Timestamp)>,
    fetch: Fetch,
}

/// Computes outside the reactor, and rests as long as the pace demands.
pub(in crate::work) async fn paced<T: Send + 'static>(
    pace: Pace,
    work: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    let start = Instant::now();
    let made = tokio::task::spawn_blocking(work).await;
    let rest: Duration = start.elapsed() * 100_u32.saturating_sub(pace.share) / pace.share.max(1);
    if !rest.is_zero() {
        tokio::time::sleep(rest).await;
    }
    made.map_err(|panic| panic.to_string()).and_then(|made| made)
}

/// The known template that accepts a page; `None` also for a page that cannot be read.
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

/// Reads a page, makes its views and writes what changed.
pub(super) async fn view_page(
    parts: Parts,
    reader: Arc<Reader>,
    content: ContentHash,
    is_asked: bool,
    pace: Pace,
) -> Result<Viewed, BatchError> {
    let is_marked = reader.value.is_some();
    let ended = |end| Viewed { content, marks: is_marked.then_some(end), article: None, by: None };
    let Some((_, page)) = reader.generations.page(parts.stores.archive.as_ref(), content).await? else {
        return Ok(ended(End::Missing));
    };
    let hierarchy = if is_marked { parts.stores.archive.get(Kind::Hierarchy, content).await? } else { None };
    let article = parts.stores.archive.get(Kind::Article, content).await?;
    let article: Option<Article> = article.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let (before, held) = (hierarchy.clone(), article.clone());
    let parsed = parts.stores.parsed.clone();
    let work = move || make(&reader, open(&page, &parsed)?, hierarchy, held.as_ref(), is_asked);
    let made = match paced(pace, work).await {
        Ok(made) => made,
        Err(reason) => {
            tracing::warn!(%content, reason, "cannot compute the view of a page; the page keeps its last one");
            return Ok(ended(End::Failed));
        }
    };
    let is_changed = made.article.is_some();
    if let (Some(before), Some(now)) = (&article, &made.article) {
        if articles::says_something_else(before, now) {
            parts.histories().revise(now, made.fetch, time::now()).await?;
        }
        let json = serde_json::to_vec(now).unwrap_or_default();
        parts.stores.archive.put(Kind::Article, content, json.into(), time::now()).await?;
    }
    let marks = match made.xml {
        Some(xml) if before.as_deref() != Some(xml.as_bytes()) => {
            parts.stores.archive.put(Kind::Hierarchy, content, xml.into(), time::now()).await?;
            End::Marked
        }
        Some(_) => End::Unchanged,
        None => End::Missing,
    };
    Ok(Viewed { article: article.map(|_| is_changed), by: made.by, ..ended(marks) })
}

fn make(
    reader: &Reader,
    (fetched, page): (FetchedPage, Arc<Page>),
    hierarchy: Option<Bytes>,
    held: Option<&Article>,
    is_asked: bool,
) -> Result<Made, String> {
    let xml = match (&reader.value, hierarchy) {
        (Some(value), Some(hierarchy)) => Some(marked(value, &page, &hierarchy)?),
        _ => None,
    };
    let view = |held| articles::view(&reader.known, &page, fetched.fetched_at, held);
    let accepted = || reader.known.template_of(&page).map(|version| (version, fetched.fetched_at));
    let fetch = Fetch { number: fetched.version.fetch, at: fetched.fetched_at };
    Ok(Made { xml, article: held.and_then(view), by: is_asked.then(accepted).flatten(), fetch })
}

/// The hierarchy with its informative blocks marked, as XML.
fn marked(value: &SiteValue, page: &Page, hierarchy: &[u8]) -> Result<String, String> {
    let text = std::str::from_utf8(hierarchy).map_err(|error| error.to_string())?;
    let mut hierarchy = xml::read(text).map_err(|error| error.to_string())?;
    if hierarchy.leaves as usize != page.leaves.len() {
        return Err("the hierarchy was made by other page algorithms".into());
    }
    let found = wisdom::blocks(page, &value.terms, &value.wisdom);
    let of = blocks::of_labels(&found);
    hierarchy.mark(value.version.clone(), |label: &Label| -> Block { of(label) });
    Ok(xml::write(&hierarchy))
}
