//! Selects the captures that count, and archives and publishes them.
//!
//! The content of a page is noted for its site before the page is archived, and the page is published last. So forgetting a
//! site finds everything that the archive has of it, at any moment. Start at [`Importer::import_batch`].

use std::collections::{BTreeMap, HashMap};

use anyhow::Context as _;
use bytes::Bytes;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use newslode_common::broker::Queue;
use newslode_common::message::SealedPage;
use newslode_common::page_span;
use newslode_common::retry::{Outage, Retry};
use newslode_common::rights::{Rights, rights_key};
use newslode_common::store::Kind;
use newslode_common::time;
use newslode_common::version::ContentHash;
use newslode_miner::work::captures;
use newslode_miner::work::parts::Parts;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use tracing::Instrument as _;

use super::capture::{Capture, Skip, markup_rights};
use super::counts::ImportCounts;
use super::plan::ImportPlan;
use super::recorded::{RecordedFile, RecordedFiles};

/// Pages that are decoded, archived and published at once.
const AT_ONCE: usize = 8;
/// The importer checks which of a site's pages count by now when so many are on their way, or twice as many as the last check
/// left.
const CHECK_AT: usize = 16;

/// The contents that earlier imports noted for a site are checked if they are more than this.
const DROP_COUNTED_AT: usize = 64;

/// A page that can be archived and published.
struct DecodedPage {
    site: Site,
    url: CanonicalUrl,
    content: ContentHash,
    page: SealedPage,
    /// What its record says of its uses.
    rights: Rights,
}

/// The pages of a site that were published and may not be counted yet.
#[derive(Default)]
struct PagesUnderway {
    /// The newest capture of each page, with its content once that is known.
    pages: HashMap<CanonicalUrl, (Timestamp, Option<ContentHash>)>,
    /// Number of pages at which to check which of them count by now; 0 before the first page.
    check_at: usize,
    /// Contents to note: new ones, and counted ones that a newer capture will replace.
    add: Vec<ContentHash>,
}

/// What is imported at once.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) captures: Vec<Capture>,
    /// The files about rights that stood between them.
    pub(super) files: Vec<RecordedFile>,
}

pub(super) struct Importer<'a> {
    parts: &'a Parts,
    plan: &'a ImportPlan,
    retry: Retry,
    store: Outage,
    archive: Outage,
    broker: Outage,
    /// The sites of all captures so far.
    sites: HashMap<Site, PagesUnderway>,
    /// What the files of origins say of rights.
    recorded: RecordedFiles,
}

impl<'a> Importer<'a> {
    pub(super) fn new(parts: &'a Parts, plan: &'a ImportPlan) -> Importer<'a> {
        let [store, archive, broker] = ["store", "archive", "broker"].map(Outage::new);
        let (retry, recorded) = (Retry::for_ever(), RecordedFiles::new(&plan.token));
        Importer { parts, plan, retry, store, archive, broker, sites: HashMap::new(), recorded }
    }

    /// Archives and publishes the captures that are the newest of their pages.
    pub(super) async fn import_batch(
        &mut self,
        Batch { captures, files }: Batch,
        counts: &mut ImportCounts,
    ) -> anyhow::Result<()> {
        files.into_iter().for_each(|file| self.recorded.note(file));
        let mut sites: BTreeMap<Site, Vec<Capture>> = BTreeMap::new();
        for capture in captures {
            self.recorded.note_page(&capture.url);
            sites.entry(capture.site.clone()).or_default().push(capture);
        }
        let mut wanted = Vec::new();
        for (site, captures) in sites {
            wanted.extend(self.keep_newest(&site, captures, counts).await?);
        }
        let ready = self.decode(wanted, counts).await?;
        let mut touched: Vec<Site> = ready.iter().map(|page| page.site.clone()).collect();
        touched.sort();
        touched.dedup();
        for site in touched {
            self.note_contents(&site).await?;
        }
        self.keep_files().await?;
        let this = &*self;
        let publishing = stream::iter(&ready).map(|page| this.archive_and_publish(page));
        let done: Vec<()> = publishing.buffer_unordered(AT_ONCE).try_collect().await?;
        counts.pages += done.len() as u64;
        counts.sites = self.sites.values().filter(|site| site.check_at > 0).count();
        Ok(())
    }

    /// Keeps what the files of origins with pages say of rights.
    async fn keep_files(&mut self) -> anyhow::Result<()> {
        let archive = self.parts.stores.archive.as_ref();
        for file in self.recorded.take_kept() {
            let keeping = || file.keep(archive, &self.plan.token, time::now());
            let kept = self.retry.run(&self.archive, keeping).await;
            kept.context("cannot keep what a site's files say of rights")?;
        }
        Ok(())
    }

    /// The captures of a site that are newer than what counts and than what is on its way.
    async fn keep_newest(
        &mut self,
        site: &Site,
        captures: Vec<Capture>,
        counts: &mut ImportCounts,
    ) -> anyhow::Result<Vec<Capture>> {
        let urls: Vec<CanonicalUrl> = captures.iter().map(|capture| capture.url.clone()).collect();
        let asking = || self.parts.stores.state.versions(site, &urls);
        let counted = self.retry.run(&self.store, asking).await.context("cannot ask what counts")?;
        let underway = self.sites.entry(site.clone()).or_default();
        let ours = self.parts.params.generation();
        let mut newest = Vec::new();
        for (capture, counted) in captures.into_iter().zip(counted) {
            let sent = underway.pages.get(&capture.url).map(|(at, _)| *at);
            let skip = match counted {
                Some(counted) if !counted.is_dated() => Some(Skip::Crawled),
                Some(counted) if counted.fetch == capture.at.0 => Some(Skip::Counted),
                Some(counted) if counted.fetch > capture.at.0 => Some(Skip::NotNewest),
                _ if sent.is_some_and(|sent| sent >= capture.at) => Some(Skip::NotNewest),
                _ => None,
            };
            if let Some(skip) = skip {
                counts.count_skipped(skip);
                continue;
            }
            // A content that this capture replaces must stay findable until the new one counts.
            let replaced =
                counted.map(|counted| counted.content).filter(|content| *content != ContentHash::NONE);
            underway.add.extend(replaced.map(|name| name.seen_by(&ours)));
            underway.pages.insert(capture.url.clone(), (capture.at, None));
            newest.push(capture);
        }
        Ok(newest)
    }

    /// Decodes pages off the reactor. Captures that turn out not to be pages are counted and left out.
    async fn decode(
        &mut self,
        wanted: Vec<Capture>,
        counts: &mut ImportCounts,
    ) -> anyhow::Result<Vec<DecodedPage>> {
        let limit = usize::try_from(self.plan.max_page_bytes).unwrap_or(usize::MAX);
        let plan = self.plan;
        let decoding = stream::iter(wanted).map(|capture| async move {
            let (site, url, at) = (capture.site.clone(), capture.url.clone(), capture.at);
            let token = plan.token.clone();
            let page = tokio::task::spawn_blocking(move || {
                let mut rights = capture.head_rights(&token);
                match capture.into_page(limit) {
                    Ok(page) => {
                        rights.add_all(markup_rights(&page, &token));
                        anyhow::Ok(Ok((page.content(), page.sealed()?, rights)))
                    }
                    Err(skip) => Ok(Err(skip)),
                }
            });
            anyhow::Ok(((site, url, at), page.await.context("reading a page broke off")??))
        });
        let decoded: Vec<_> = decoding.buffer_unordered(AT_ONCE).try_collect().await?;
        let mut ready = Vec::new();
        for ((site, url, at), page) in decoded {
            let underway = self.sites.entry(site.clone()).or_default();
            match page {
                Ok((content, page, mut rights)) => {
                    rights.add_all(self.recorded.rights_of(&url, at));
                    underway.add.push(content);
                    if let Some((_, noted)) = underway.pages.get_mut(&url) {
                        *noted = Some(content);
                    }
                    ready.push(DecodedPage { site, url, content, page, rights });
                }
                Err(skip) => {
                    underway.pages.remove(&url);
                    counts.count_skipped(skip);
                }
            }
        }
        Ok(ready)
    }

    /// Adds the site to the frontier, once, and notes the contents that are about to be archived. Now and then it drops the
    /// notes of contents that count by now.
    async fn note_contents(&mut self, site: &Site) -> anyhow::Result<()> {
        let Some(underway) = self.sites.get_mut(site) else { return Ok(()) };
        let (state, frontier) = (self.parts.stores.state.as_ref(), self.parts.stores.frontier.as_ref());
        let is_first = underway.check_at == 0;
        if is_first {
            let asked = self.retry.run(&self.store, || frontier.site(site)).await;
            // Settings of an operator stay as they are.
            if asked.context("cannot ask for a site")?.is_none() {
                let settings = self.plan.settings();
                let putting = || frontier.put_site(site, &settings);
                self.retry.run(&self.store, putting).await.context("cannot make a site known")?;
            }
            // An earlier import ended before the last of its pages was counted.
            let settling = || captures::drop_counted_of_site(state, site, DROP_COUNTED_AT);
            self.retry.run(&self.store, settling).await.context("cannot look what counts")?;
            underway.check_at = CHECK_AT;
        }
        let mut gone = Vec::new();
        if underway.pages.len() >= underway.check_at {
            let urls: Vec<CanonicalUrl> = underway.pages.keys().cloned().collect();
            let asking = || state.versions(site, &urls);
            let counted = self.retry.run(&self.store, asking).await.context("cannot ask what counts")?;
            let ours = self.parts.params.generation();
            for (url, counted) in urls.iter().zip(counted) {
                let Some((at, content)) = underway.pages.get(url).copied() else { continue };
                let Some(counted) = counted.filter(|counted| counted.fetch >= at.0) else { continue };
                // If another capture counts instead, the note stays, because the archive still has this content.
                gone.extend(content.filter(|content| content.seen_by(&ours) == counted.content));
                underway.pages.remove(url);
            }
            underway.check_at = (2 * underway.pages.len()).max(CHECK_AT);
        }
        let add = std::mem::take(&mut underway.add);
        let noting = || captures::update(state, site, &add, &gone);
        self.retry.run(&self.store, noting).await.context("cannot note what is on its way")
    }

    /// The trace of a capture begins here.
    async fn archive_and_publish(&self, ready: &DecodedPage) -> anyhow::Result<()> {
        let span = page_span!("import", otel.kind = "producer", url.full = %ready.url);
        self.archive_then_publish(ready).instrument(span).await
    }

    async fn archive_then_publish(&self, ready: &DecodedPage) -> anyhow::Result<()> {
        let (archive, broker) = (&self.parts.stores.archive, &self.parts.broker);
        let DecodedPage { url, content, page, rights, .. } = ready;
        let archiving = || archive.put(Kind::Page, *content, page.whole.clone(), time::now());
        let archived = self.retry.run(&self.archive, archiving).await;
        archived.with_context(|| format!("cannot archive `{url}`"))?;
        // An older capture may have stated others.
        let json = Bytes::from(serde_json::to_vec(rights)?);
        let key = rights_key(url);
        let noting = || async {
            match rights.is_empty() {
                true => archive.delete(Kind::Rights, key).await,
                false => archive.put(Kind::Rights, key, json.clone(), time::now()).await,
            }
        };
        let noted = self.retry.run(&self.archive, noting).await;
        noted.with_context(|| format!("cannot archive what is said of the uses of `{url}`"))?;
        let publishing = || broker.publish(Queue::Pages, page.message.clone());
        let published = self.retry.run(&self.broker, publishing).await;
        published.with_context(|| format!("cannot publish `{url}`"))
    }
}
