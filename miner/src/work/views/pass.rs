//! One pass over one site: its templates observe the new pages, then the pages that are due are viewed.
//!
//! 1. The templates in use are tried on the new pages, which the log of the site's bucket names. Pages that none accepts wait.
//!    When enough wait, new templates are learnt from them.
//! 2. Pages are viewed with everything that is known of the site: all pages if an epoch of the site ends or a person taught
//!    something, otherwise the new ones and, after learning, those that waited. An epoch ends when [`EPOCH_GROWTH`] times as
//!    many pages changed as the site had; earlier, if the site rests, or is small and a day passed ([`is_due`]).
//! 3. The knowledge is written last, over the version that was read. If two miners view a site at once, one of them must do
//!    it again; an interrupted pass leaves no trace in the knowledge.
//!
//! Start at [`view_changes`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::{StreamExt, TryStreamExt};
use newslode_common::config::Noarchive;
use newslode_common::store::Kind;
use newslode_common::version::ContentHash;
use newslode_page::Page;
use newslode_page::extract::{KindEvidence, SiteKinds, SiteKnowledge};
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::template::{Learnt, MOST_COMPARED_PAGES, Template, induce_templates};
use newslode_page::time::Timestamp;
use tokio_util::sync::CancellationToken;

use super::changes::SiteChanges;
use super::cut::LearningCut;
use super::page::{Pace, ViewContext, accepted_by, paced, view_page};
use super::report::ViewReport;
use super::site_value::{SiteValue, SiteValueCache};
use crate::mining::templates::Reason;
use crate::work::archive::open_and_keep;
use crate::work::error::BatchError;
use crate::work::generations::Generations;
use crate::work::knowledge::{Knowledge, ViewProgress};
use crate::work::parts::Parts;
use crate::work::places;

/// The version of the template that accepts a page, and when that page was fetched.
type AcceptedBy = Option<(u32, Timestamp)>;

/// Number of changed pages that end an epoch, for each page at its start. A site that only grew then has four times as many
/// pages. So the work ever spent on views stays within a small multiple of the site's pages.
const EPOCH_GROWTH: u64 = 3;
/// Most pages from which the kinds of a site are learnt; more hardly change a verdict.
const MOST_COMPARED_KINDS: usize = 300;
/// The part of a site's pages, as a divisor, that must have changed for the epoch to end when the site comes to rest. Those who
/// follow a site that stops growing must not keep what a quarter of its pages knew.
const PART_AT_REST: u64 = 4;
/// The longest epoch of a site that changes and has fewer pages than kinds are learnt from. A small site grows to four times
/// its pages in months or never.
const LONGEST_SMALL_EPOCH: Duration = Duration::from_secs(86_400);
/// With fewer pages there is nothing to compare a page with.
const MIN_PAGES: u64 = 2;

/// When all pages of a site are viewed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// When the site's epoch ends, while the site changes.
    Grown,
    /// When the site's epoch ends, after nothing changed since the last pass.
    AtRest,
    /// When anything changed.
    Changed,
}

/// A pass that is under way.
struct SitePass<'a> {
    parts: &'a Parts,
    site: &'a Site,
    pace: Pace,
    stop: &'a CancellationToken,
    knowledge: Knowledge,
    generations: Arc<Generations>,
    learnt: Vec<u32>,
    /// The pages that count, if all of them are viewed.
    counted: Vec<(CanonicalUrl, ContentHash)>,
    /// Whether a view changed which pages are articles.
    has_other_articles: bool,
}

/// Views the pages of a site that are due. Returns false if the pass must be repeated: it was stopped, or another miner wrote
/// first.
///
/// # Errors
/// When a store or the broker fails; repeating the pass is safe.
pub(super) async fn view_changes(
    parts: &Parts,
    site: &Site,
    (when, pace): (When, Pace),
    stop: &CancellationToken,
    values: &mut SiteValueCache,
    report: &mut ViewReport,
) -> Result<bool, BatchError> {
    let start = Instant::now();
    let state = parts.stores.state.as_ref();
    let (knowledge, version) = Knowledge::read(state, site).await?;
    let changes = SiteChanges::since(state, site, knowledge.progress.position).await?;
    let changed = knowledge.progress.changed + changes.pages.len() as u64;
    // If the log does not reach back to the last pass, any page may be new.
    let is_gap = changes.is_complete && knowledge.progress.epoch.is_some();
    let is_whole =
        knowledge.has_new_lessons || is_gap || is_due(&knowledge.progress, changed, when, parts.clock.now());
    if changes.pages.is_empty() && !is_whole {
        return Ok(true);
    }
    let generations = Arc::new(Generations::read(state).await?);
    let mut pass = SitePass {
        parts,
        site,
        pace,
        stop,
        knowledge,
        generations,
        learnt: Vec::new(),
        counted: Vec::new(),
        has_other_articles: false,
    };
    let new = pass.with_articles(&changes.contents()).await?;
    let is_learning = pass.observe(&new).await?;
    pass.knowledge.progress =
        ViewProgress { position: changes.position, changed, ..pass.knowledge.progress.clone() };
    let (value, due) = match is_whole {
        true => pass.end_epoch(&changes).await?,
        false => (pass.site_value(values).await?, changes.contents()),
    };
    if !pass.view(value, due, is_learning, report).await? {
        return Ok(false);
    }
    if is_whole && pass.has_other_articles {
        pass.learn_scheme().await?;
    }
    if !pass.finish(version, report).await? {
        return Ok(false);
    }
    if is_whole {
        report.sites += 1;
        parts.metrics.view_seconds.observe(start.elapsed().as_secs_f64());
    }
    Ok(true)
}

/// Whether all pages of a site are viewed again, given how many changed.
fn is_due(progress: &ViewProgress, changed: u64, when: When, now: Timestamp) -> bool {
    let is_small_and_old = progress.pages < MOST_COMPARED_KINDS as u64
        && progress.viewed_at.is_none_or(|at| at.plus(LONGEST_SMALL_EPOCH) <= now);
    match (when, &progress.epoch) {
        (_, None) => changed >= MIN_PAGES,
        (_, Some(_)) if changed == 0 => false,
        (When::Changed, Some(_)) => true,
        (_, Some(_)) if is_small_and_old || changed >= progress.pages * EPOCH_GROWTH => true,
        (When::AtRest, Some(_)) => changed * PART_AT_REST >= progress.pages,
        (When::Grown, Some(_)) => false,
    }
}

impl SitePass<'_> {
    /// The contents for which the archive holds articles.
    async fn with_articles(&self, contents: &[ContentHash]) -> Result<Vec<ContentHash>, BatchError> {
        let mut found = Vec::new();
        for content in contents {
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

    /// Tries the templates in use on new articles, and learns new templates from those that wait. Returns whether learning
    /// was tried.
    async fn observe(&mut self, new: &[ContentHash]) -> Result<bool, BatchError> {
        // Which template in use accepts each new article.
        let mut by: BTreeMap<ContentHash, AcceptedBy> = BTreeMap::new();
        if !self.knowledge.templates.live().is_empty() {
            let mut live = SiteKnowledge::default();
            let of = |live: &crate::mining::templates::Live<Template>| Template {
                version: live.version,
                ..live.template.clone()
            };
            live.set_templates(self.knowledge.templates.live().iter().map(of).collect());
            let live = Arc::new(live);
            let (parts, pace, generations) = (self.parts.clone(), self.pace, self.generations.clone());
            let contents = new.to_vec();
            let work = contents.into_iter().map(move |content| {
                accepted_by(parts.clone(), live.clone(), generations.clone(), content, pace)
            });
            by = futures::stream::iter(work).buffer_unordered(self.pace.at_once.max(1)).try_collect().await?;
        }
        let (metrics, templates) = (&self.parts.metrics.template_pages, &mut self.knowledge.templates);
        let (_, before) = templates.acceptance();
        templates.observe(new.iter().map(|content| (*content, by.get(content).copied().flatten())));
        let accepted = templates.acceptance().1 - before;
        metrics.with_label_values(&["accepted"]).inc_by(accepted);
        metrics.with_label_values(&["waiting"]).inc_by(new.len() as u64 - accepted);
        if !templates.is_time_to_learn() {
            return Ok(false);
        }
        // New templates are learnt from a sample of those that wait, evenly in the order of their arrival.
        let waiting = self.knowledge.templates.waiting();
        let step = waiting.len().div_ceil(MOST_COMPARED_PAGES).max(1);
        let sample: Vec<ContentHash> = waiting.iter().step_by(step).copied().collect();
        let pages = self.load(&sample).await?;
        let made = tokio::task::spawn_blocking(move || induce_templates(&page_refs(&pages))).await;
        let made = made.unwrap_or_else(|panic| {
            tracing::warn!(site = %self.site, %panic, "learning templates of a site panicked; its articles are read without new ones");
            Learnt::default()
        });
        let cut = LearningCut::of(&made);
        if let Some(LearningCut { compared, sampled }) = cut {
            self.parts.metrics.templates.with_label_values(&["cut"]).inc();
            tracing::warn!(
                site = %self.site, compared, sampled,
                "the site's pages are too large to compare; templates are learnt from the smaller ones, the larger ones are read without"
            );
        }
        LearningCut::write(cut, self.parts.stores.state.as_ref(), self.site).await?;
        self.learnt = self.knowledge.templates.learn(made.templates, self.parts.clock.now());
        Ok(true)
    }

    /// Starts a new epoch: chooses the articles with which others are compared, and computes the value with which all pages
    /// are viewed. Returns the value and the pages.
    async fn end_epoch(
        &mut self,
        changes: &SiteChanges,
    ) -> Result<(Option<Arc<SiteValue>>, Vec<ContentHash>), BatchError> {
        let all = match changes.is_complete {
            true => changes.pages.clone().into_iter().collect(),
            false => SiteChanges::since(self.parts.stores.state.as_ref(), self.site, 0).await?.pages,
        };
        let counted: Vec<(CanonicalUrl, ContentHash)> =
            all.into_iter().filter(|(_, content)| *content != ContentHash::NONE).collect();
        let mut contents = Vec::new();
        for (_, content) in &counted {
            let archive = self.parts.stores.archive.as_ref();
            // A page whose bytes were removed keeps its last view, and others are not compared with it.
            let is_asked = archive.knows_removals() || self.parts.noarchive == Noarchive::Drop;
            if !is_asked || self.generations.removed(archive, *content).await?.is_none() {
                contents.push(*content);
            }
        }
        let held: BTreeSet<&ContentHash> = contents.iter().collect();
        self.knowledge.templates.retain(|content| held.contains(content));
        self.choose_siblings(&contents).await?;
        self.learn_kinds(contents.clone()).await?;
        self.counted = counted.clone();
        self.learn_scheme().await?;
        let value = SiteValue::for_new_epoch(&self.parts.stores, self.site, &counted).await?;
        let epoch = Some(value.version.clone());
        let pages = counted.len() as u64;
        let (position, viewed_at) = (self.knowledge.progress.position, Some(self.parts.clock.now()));
        self.knowledge.progress = ViewProgress { position, epoch, pages, changed: 0, viewed_at };
        Ok((Some(Arc::new(value)), contents))
    }

    /// The value with which new pages are viewed until the epoch ends.
    async fn site_value(&self, values: &mut SiteValueCache) -> Result<Option<Arc<SiteValue>>, BatchError> {
        let Some(epoch) = &self.knowledge.progress.epoch else { return Ok(None) };
        Ok(values.get(self.parts.stores.state.as_ref(), self.site, epoch).await?)
    }

    /// Chooses the articles with which others are compared: evenly, by URL.
    async fn choose_siblings(&mut self, contents: &[ContentHash]) -> Result<(), BatchError> {
        let step = contents.len().div_ceil(MOST_COMPARED_PAGES).max(1);
        let sample: Vec<ContentHash> = contents.iter().step_by(step).copied().collect();
        let articles = self.with_articles(&sample).await?;
        let pages = self.load(&articles).await?;
        self.knowledge.site.see_only(&page_refs(&pages));
        Ok(())
    }

    /// Learns what the pages of the site say of each other's kinds, from an even sample of all pages. The sample follows from
    /// the pages alone.
    async fn learn_kinds(&mut self, mut contents: Vec<ContentHash>) -> Result<(), BatchError> {
        contents.sort_unstable();
        contents.dedup();
        let step = contents.len().div_ceil(MOST_COMPARED_KINDS).max(1);
        let sample: Vec<ContentHash> = contents.into_iter().step_by(step).collect();
        let mut kinds = Vec::with_capacity(sample.len());
        for content in sample {
            let pages = self.load(&[content]).await?;
            let evidence = move || {
                pages.iter().map(|page| (page.url.clone(), KindEvidence::of(page))).collect::<Vec<_>>()
            };
            kinds.extend(paced(self.pace, move || Ok(evidence())).await.unwrap_or_default());
        }
        self.knowledge.site.set_kinds(SiteKinds::learn(&kinds));
        Ok(())
    }

    /// Learns the site's own scheme from the pages that count and those of them that are articles now.
    async fn learn_scheme(&mut self) -> Result<(), BatchError> {
        places::learn(&self.parts.stores, self.site, &self.counted, self.pace).await?;
        self.parts.places.forget(self.site);
        Ok(())
    }

    /// Views the pages that are due and, after learning, those that waited. Returns false if stopped before the end.
    async fn view(
        &mut self,
        value: Option<Arc<SiteValue>>,
        mut due: Vec<ContentHash>,
        is_learning: bool,
        report: &mut ViewReport,
    ) -> Result<bool, BatchError> {
        let waiting: BTreeSet<ContentHash> = match is_learning {
            true => self.knowledge.templates.waiting().iter().copied().collect(),
            false => BTreeSet::new(),
        };
        due.extend(&waiting);
        due.sort_unstable();
        due.dedup();
        let reader = Arc::new(ViewContext {
            known: self.knowledge.site_knowledge(),
            value,
            generations: self.generations.clone(),
        });
        let due: Vec<(ContentHash, bool)> =
            due.into_iter().map(|content| (content, waiting.contains(&content))).collect();
        let (parts, pace) = (self.parts.clone(), self.pace);
        let work = due.into_iter();
        let work = work.map(move |(content, is_asked)| {
            view_page(parts.clone(), reader.clone(), content, is_asked, pace)
        });
        let mut work = futures::stream::iter(work).buffer_unordered(self.pace.at_once.max(1));
        let mut by: BTreeMap<ContentHash, AcceptedBy> = BTreeMap::new();
        while let Some(viewed) = work.next().await {
            let viewed = viewed?;
            report.count(&self.parts.metrics, &viewed);
            by.insert(viewed.content, viewed.by);
            self.has_other_articles |= viewed.is_other_kind;
            if self.stop.is_cancelled() {
                return Ok(false);
            }
        }
        drop(work);
        if is_learning {
            let settled = self.knowledge.templates.settle(|content| by.get(content).copied().flatten());
            self.parts.metrics.template_pages.with_label_values(&["settled"]).inc_by(settled as u64);
        }
        Ok(true)
    }

    /// Drops templates that the site no longer uses, and writes the knowledge. Returns false if another miner wrote first.
    async fn finish(&mut self, version: Option<u64>, report: &mut ViewReport) -> Result<bool, BatchError> {
        let reasons = self.knowledge.templates.drop_past(self.parts.clock.now());
        self.knowledge.has_new_lessons = false;
        if !self.knowledge.write(self.parts.stores.state.as_ref(), self.site, version).await? {
            return Ok(false);
        }
        let live = |version: &&u32| self.knowledge.templates.is_live(**version);
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

fn page_refs(pages: &[Arc<Page>]) -> Vec<&Page> {
    pages.iter().map(AsRef::as_ref).collect()
}
