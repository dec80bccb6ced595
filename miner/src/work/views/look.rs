//! One look at one site: its new pages stream past its templates, and the pages that are due are viewed.
//!
//! New pages, which the log of the site's bucket names, are shown to the templates in use. Pages that none accepts wait,
//! and when enough wait, new templates are tried. Then pages are viewed with everything that is known: all pages if an
//! epoch of the site ends or a person taught something, else the new ones and those that waited for a new template.
//! An epoch ends when the site has changed by [`EPOCH`] times the pages that it had. The knowledge is written last, over the
//! version that was read: if two miners look at once, one is told to look again, and an interrupted look
//! leaves no trace in it. Start at [`look`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use futures::{StreamExt, TryStreamExt};
use newslode_common::store::Kind;
use newslode_common::time;
use newslode_common::version::ContentHash;
use newslode_page::Page;
use newslode_page::extract::SiteKnowledge;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::template::{MOST_PAGES, Template, induce};
use newslode_page::time::Timestamp;
use tokio_util::sync::CancellationToken;

use super::news::News;
use super::page::{Pace, Reader, accepted_by, view_page};
use super::report::ViewReport;
use super::value::{SiteValue, Values};
use crate::mining::templates::Reason;
use crate::work::archive::open_and_keep;
use crate::work::error::BatchError;
use crate::work::generations::Generations;
use crate::work::known::{Known, LookedAt};
use crate::work::parts::Parts;

/// The template that accepts a page, and when that page was fetched.
type By = Option<(u32, Timestamp)>;

/// Changed pages that end an epoch, for each page that it began with: a site that grew has four times as many. So all work ever
/// done on views stays within a small multiple of the site's pages.
const EPOCH: u64 = 3;
/// With fewer pages there is nothing to tell them apart by.
const LEAST_PAGES: u64 = 2;

/// Which sites are viewed as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Those whose epoch ends.
    Grown,
    /// Those where anything changed.
    Changed,
}

/// A look that is under way.
struct Look<'a> {
    parts: &'a Parts,
    site: &'a Site,
    pace: Pace,
    stop: &'a CancellationToken,
    known: Known,
    generations: Arc<Generations>,
    learnt: Vec<u32>,
}

/// Looks at a site. Returns false if another look is needed: told to stop, or somebody else wrote meanwhile.
///
/// # Errors
/// When a store or the broker fails; looking again is safe.
pub(super) async fn look(
    parts: &Parts,
    site: &Site,
    (when, pace): (When, Pace),
    stop: &CancellationToken,
    values: &mut Values,
    report: &mut ViewReport,
) -> Result<bool, BatchError> {
    let start = Instant::now();
    let state = parts.stores.state.as_ref();
    let (known, held) = Known::read(state, site).await?;
    let news = News::since(state, site, known.looked.position).await?;
    let changed = known.looked.changed + news.pages.len() as u64;
    // Where the log does not reach back, nobody knows which pages are new.
    let is_gap = news.are_all && known.looked.epoch.is_some();
    let is_whole = known.is_new || is_gap || is_due(&known.looked, changed, when);
    if news.pages.is_empty() && !is_whole {
        return Ok(true);
    }
    let generations = Arc::new(Generations::read(state).await?);
    let mut look = Look { parts, site, pace, stop, known, generations, learnt: Vec::new() };
    let new = look.articles(&news.contents()).await?;
    let is_learning = look.observe(&new).await?;
    look.known.looked = LookedAt { position: news.position, changed, ..look.known.looked.clone() };
    let (value, due) = match is_whole {
        true => look.end_epoch(&news).await?,
        false => (look.value(values).await?, news.contents()),
    };
    if !look.view(value, due, is_learning, report).await? || !look.end(held, report).await? {
        return Ok(false);
    }
    if is_whole {
        report.sites += 1;
        parts.metrics.view_seconds.observe(start.elapsed().as_secs_f64());
    }
    Ok(true)
}

/// Whether all pages of a site are to be viewed again, given how many changed.
fn is_due(looked: &LookedAt, changed: u64, when: When) -> bool {
    match (when, &looked.epoch) {
        (_, None) => changed >= LEAST_PAGES,
        (When::Changed, Some(_)) => changed > 0,
        (When::Grown, Some(_)) => changed >= (looked.pages * EPOCH).max(1),
    }
}

impl Look<'_> {
    /// The contents for which the archive holds articles.
    async fn articles(&self, of: &[ContentHash]) -> Result<Vec<ContentHash>, BatchError> {
        let mut found = Vec::new();
        for content in of {
            if self.parts.stores.archive.get(Kind::Article, *content).await?.is_some() {
                found.push(*content);
            }
        }
        Ok(found)
    }

    /// The pages of these contents that the archive holds, parsed.
    async fn load(&self, contents: &[ContentHash]) -> Result<Vec<Arc<Page>>, BatchError> {
        let mut pages = Vec::new();
        for content in contents {
            let found = self.generations.page(self.parts.stores.archive.as_ref(), *content).await?;
            let Some((_, bytes)) = found else { continue };
            let parsed = self.parts.stores.parsed.clone();
            let opened = tokio::task::spawn_blocking(move || open_and_keep(&bytes, &parsed)).await;
            pages.extend(opened.ok().and_then(Result::ok).map(|(_, page)| page));
        }
        Ok(pages)
    }

    /// Shows new articles to the templates in use, and learns new templates from those that wait. Returns
    /// whether learning was tried.
    async fn observe(&mut self, new: &[ContentHash]) -> Result<bool, BatchError> {
        let mut by: BTreeMap<ContentHash, By> = BTreeMap::new();
        if !self.known.templates.live().is_empty() {
            let mut live = SiteKnowledge::default();
            let of = |live: &crate::mining::templates::Live<Template>| Template {
                version: live.version,
                ..live.template.clone()
            };
            live.set_templates(self.known.templates.live().iter().map(of).collect());
            let live = Arc::new(live);
            let (parts, pace, generations) = (self.parts.clone(), self.pace, self.generations.clone());
            let contents = new.to_vec();
            let work = contents.into_iter().map(move |content| {
                accepted_by(parts.clone(), live.clone(), generations.clone(), content, pace)
            });
            by = futures::stream::iter(work).buffer_unordered(self.pace.at_once.max(1)).try_collect().await?;
        }
        let (metrics, templates) = (&self.parts.metrics.template_pages, &mut self.known.templates);
        let (_, before) = templates.acceptance();
        templates.observe(new.iter().map(|content| (*content, by.get(content).copied().flatten())));
        let accepted = templates.acceptance().1 - before;
        metrics.with_label_values(&["accepted"]).inc_by(accepted);
        metrics.with_label_values(&["waiting"]).inc_by(new.len() as u64 - accepted);
        if !templates.is_time_to_learn() {
            return Ok(false);
        }
        let waiting = self.known.templates.waiting();
        let step = waiting.len().div_ceil(MOST_PAGES).max(1);
        let sample: Vec<ContentHash> = waiting.iter().step_by(step).copied().collect();
        let pages = self.load(&sample).await?;
        let made = tokio::task::spawn_blocking(move || induce(&references(&pages))).await;
        let made = made.unwrap_or_else(|panic| {
            tracing::warn!(site = %self.site, %panic, "learning templates of a site panicked; its articles are read without new ones");
            Vec::new()
        });
        self.learnt = self.known.templates.learn(made, time::now());
        Ok(true)
    }

    /// Ends an epoch: chooses anew the articles with which the site's others are compared, and computes the value
    /// with which all its pages are viewed. Returns the value and the pages.
    async fn end_epoch(
        &mut self,
        news: &News,
    ) -> Result<(Option<Arc<SiteValue>>, Vec<ContentHash>), BatchError> {
        let all = match news.are_all {
            true => news.pages.clone().into_iter().collect(),
            false => News::since(self.parts.stores.state.as_ref(), self.site, 0).await?.pages,
        };
        let counted: Vec<(CanonicalUrl, ContentHash)> =
            all.into_iter().filter(|(_, content)| *content != ContentHash::NONE).collect();
        let contents: Vec<ContentHash> = counted.iter().map(|(_, content)| *content).collect();
        let held: BTreeSet<&ContentHash> = contents.iter().collect();
        self.known.templates.retain(|content| held.contains(content));
        self.compare(&contents).await?;
        let value = SiteValue::of_epoch(&self.parts.stores, self.site, &counted).await?;
        let epoch = Some(value.version.clone());
        let pages = counted.len() as u64;
        self.known.looked = LookedAt { epoch, pages, changed: 0, ..self.known.looked.clone() };
        Ok((Some(Arc::new(value)), contents))
    }

    /// The value with which new pages are viewed until the epoch ends.
    async fn value(&self, values: &mut Values) -> Result<Option<Arc<SiteValue>>, BatchError> {
        let Some(epoch) = &self.known.looked.epoch else { return Ok(None) };
        Ok(values.get(self.parts.stores.state.as_ref(), self.site, epoch).await?)
    }

    /// Chooses anew the articles with which the site's others are compared: evenly, by URL.
    async fn compare(&mut self, contents: &[ContentHash]) -> Result<(), BatchError> {
        let step = contents.len().div_ceil(MOST_PAGES).max(1);
        let sample: Vec<ContentHash> = contents.iter().step_by(step).copied().collect();
        let articles = self.articles(&sample).await?;
        let pages = self.load(&articles).await?;
        self.known.site.see_only(&references(&pages));
        Ok(())
    }

    /// Views the pages that are due and, after learning, those that waited. Returns false if told to stop before
    /// the end.
    async fn view(
        &mut self,
        value: Option<Arc<SiteValue>>,
        mut due: Vec<ContentHash>,
        is_learning: bool,
        report: &mut ViewReport,
    ) -> Result<bool, BatchError> {
        let waiting: BTreeSet<ContentHash> = match is_learning {
            true => self.known.templates.waiting().iter().copied().collect(),
            false => BTreeSet::new(),
        };
        due.extend(&waiting);
        due.sort_unstable();
        due.dedup();
        let reader =
            Arc::new(Reader { known: self.known.reader(), value, generations: self.generations.clone() });
        let due: Vec<(ContentHash, bool)> =
            due.into_iter().map(|content| (content, waiting.contains(&content))).collect();
        let (parts, pace) = (self.parts.clone(), self.pace);
        let work = due.into_iter();
        let work = work.map(move |(content, is_asked)| {
            view_page(parts.clone(), reader.clone(), content, is_asked, pace)
        });
        let mut work = futures::stream::iter(work).buffer_unordered(self.pace.at_once.max(1));
        let mut by: BTreeMap<ContentHash, By> = BTreeMap::new();
        while let Some(viewed) = work.next().await {
            let viewed = viewed?;
            report.count(&self.parts.metrics, &viewed);
            by.insert(viewed.content, viewed.by);
            if self.stop.is_cancelled() {
                return Ok(false);
            }
        }
        drop(work);
        if is_learning {
            let settled = self.known.templates.settle(|content| by.get(content).copied().flatten());
            self.parts.metrics.template_pages.with_label_values(&["settled"]).inc_by(settled as u64);
        }
        Ok(true)
    }

    /// Drops past templates and writes the knowledge. Returns false if somebody else wrote meanwhile.
    async fn end(&mut self, held: Option<u64>, report: &mut ViewReport) -> Result<bool, BatchError> {
        let reasons = self.known.templates.drop_past(time::now());
        self.known.is_new = false;
        if !self.known.write(self.parts.stores.state.as_ref(), self.site, held).await? {
            return Ok(false);
        }
        let live = |version: &&u32| self.known.templates.is_live(**version);
        let learnt: Vec<u32> = self.learnt.iter().filter(live).copied().collect();
        let count = |event: &str, by: usize| {
            self.parts.metrics.templates.with_label_values(&[event]).inc_by(by as u64);
        };
        count("learnt", learnt.len());
        for reason in &reasons {
            count(if matches!(reason, Reason::Crowded) { "crowded" } else { "layout_changed" }, 1);
        }
        if !learnt.is_empty() || !reasons.is_empty() {
            tracing::info!(site = %self.site, ?learnt, dropped = ?reasons, "the site's templates changed");
        }
        report.learnt += learnt.len() as u64;
        report.dropped += reasons.len() as u64;
        Ok(true)
    }
}

fn references(pages: &[Arc<Page>]) -> Vec<&Page> {
    pages.iter().map(AsRef::as_ref).collect()
}
