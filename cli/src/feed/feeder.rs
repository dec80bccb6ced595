//! Hands pages over: which captures are wanted, and the order of effects for each.
//!
//! A page is noted for its site, archived, and published, in this order: what the archive holds can be found
//! and forgotten at any moment. Start at [`Feeder::hand_over`].

use std::collections::{BTreeMap, HashMap};

use anyhow::Context as _;
use futures::{StreamExt as _, TryStreamExt as _, stream};
use newslode_common::broker::Queue;
use newslode_common::message::SealedPage;
use newslode_common::retry::{Outage, Retry};
use newslode_common::store::Kind;
use newslode_common::time;
use newslode_common::version::ContentHash;
use newslode_miner::work::captures;
use newslode_miner::work::parts::Parts;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;

use super::capture::{Capture, Skip};
use super::fed::Fed;
use super::feeding::Feeding;

/// Pages that are decoded, archived and published at once.
const AT_ONCE: usize = 8;
/// A site's pages on their way are looked at when they are so many, or twice as many as were left.
const LOOK_AT: usize = 16;

/// More contents of a site than these, left by earlier feeds, are looked through.
const SETTLE_AT: usize = 64;

/// Decoded and ready to go.
struct Ready {
    site: Site,
    url: CanonicalUrl,
    content: ContentHash,
    page: SealedPage,
}

/// What is on its way to be counted of a site.
#[derive(Default)]
struct Underway {
    /// The newest capture of each page, with its content once that is known.
    pages: HashMap<CanonicalUrl, (Timestamp, Option<ContentHash>)>,
    /// Number of pages at which to look which of them count by now.
    look_at: usize,
    /// Contents to note: new ones, and counted ones that a newer capture will replace.
    add: Vec<ContentHash>,
}

pub(super) struct Feeder<'a> {
    parts: &'a Parts,
    feeding: &'a Feeding,
    retry: Retry,
    store: Outage,
    archive: Outage,
    broker: Outage,
    /// The sites that the frontier knows.
    sites: HashMap<Site, Underway>,
}

impl<'a> Feeder<'a> {
    pub(super) fn new(parts: &'a Parts, feeding: &'a Feeding) -> Feeder<'a> {
        let [store, archive, broker] = ["store", "archive", "broker"].map(Outage::new);
        Feeder { parts, feeding, retry: Retry::for_ever(), store, archive, broker, sites: HashMap::new() }
    }

    /// Archives and publishes the captures that are the newest of their pages.
    pub(super) async fn hand_over(&mut self, batch: Vec<Capture>, fed: &mut Fed) -> anyhow::Result<()> {
        let mut sites: BTreeMap<Site, Vec<Capture>> = BTreeMap::new();
        for capture in batch {
            sites.entry(capture.site.clone()).or_default().push(capture);
        }
        let mut wanted = Vec::new();
        for (site, captures) in sites {
            wanted.extend(self.newest(&site, captures, fed).await?);
        }
        let ready = self.ready(wanted, fed).await?;
        let mut touched: Vec<Site> = ready.iter().map(|page| page.site.clone()).collect();
        touched.sort();
        touched.dedup();
        for site in touched {
            self.note(&site).await?;
        }
        let this = &*self;
        let handed = stream::iter(&ready).map(|page| this.hand_over_one(page));
        let done: Vec<()> = handed.buffer_unordered(AT_ONCE).try_collect().await?;
        done.iter().for_each(|()| fed.end(Ok(())));
        fed.sites = self.sites.values().filter(|site| site.look_at > 0).count();
        Ok(())
    }

    /// The captures of a site that are newer than what counts and than what is on its way.
    async fn newest(
        &mut self,
        site: &Site,
        captures: Vec<Capture>,
        fed: &mut Fed,
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
                fed.end(Err(skip));
                continue;
            }
            let replaced =
                counted.map(|counted| counted.content).filter(|content| *content != ContentHash::NONE);
            underway.add.extend(replaced.map(|name| name.seen_by(&ours)));
            underway.pages.insert(capture.url.clone(), (capture.at, None));
            newest.push(capture);
        }
        Ok(newest)
    }

    /// Decodes pages. What turns out to be none is counted.
    async fn ready(&mut self, wanted: Vec<Capture>, fed: &mut Fed) -> anyhow::Result<Vec<Ready>> {
        let limit = usize::try_from(self.feeding.max_page_bytes).unwrap_or(usize::MAX);
        let decoding = stream::iter(wanted).map(|capture| async move {
            let (site, url) = (capture.site.clone(), capture.url.clone());
            let page = tokio::task::spawn_blocking(move || match capture.page(limit) {
                Ok(page) => anyhow::Ok(Ok((page.content(), page.sealed()?))),
                Err(skip) => Ok(Err(skip)),
            });
            anyhow::Ok((site, url, page.await.context("reading a page broke off")??))
        });
        let decoded: Vec<_> = decoding.buffer_unordered(AT_ONCE).try_collect().await?;
        let mut ready = Vec::new();
        for (site, url, page) in decoded {
            let underway = self.sites.entry(site.clone()).or_default();
            match page {
                Ok((content, page)) => {
                    underway.add.push(content);
                    if let Some((_, known)) = underway.pages.get_mut(&url) {
                        *known = Some(content);
                    }
                    ready.push(Ready { site, url, content, page });
                }
                Err(skip) => {
                    underway.pages.remove(&url);
                    fed.end(Err(skip));
                }
            }
        }
        Ok(ready)
    }

    /// Makes a site known, once, and notes its contents. Now and then it takes out what counts by now.
    async fn note(&mut self, site: &Site) -> anyhow::Result<()> {
        let Some(underway) = self.sites.get_mut(site) else { return Ok(()) };
        let (state, frontier) = (self.parts.stores.state.as_ref(), self.parts.stores.frontier.as_ref());
        let is_first = underway.look_at == 0;
        if is_first {
            let asked = self.retry.run(&self.store, || frontier.site(site)).await;
            // What an operator set stays.
            if asked.context("cannot ask for a site")?.is_none() {
                let settings = self.feeding.settings();
                let putting = || frontier.put_site(site, &settings);
                self.retry.run(&self.store, putting).await.context("cannot make a site known")?;
            }
            // Earlier feeds ended before their last pages counted.
            let settling = || captures::drop_counted_of_site(state, site, SETTLE_AT);
            self.retry.run(&self.store, settling).await.context("cannot look what counts")?;
            underway.look_at = LOOK_AT;
        }
        let mut gone = Vec::new();
        if underway.pages.len() >= underway.look_at {
            let urls: Vec<CanonicalUrl> = underway.pages.keys().cloned().collect();
            let asking = || state.versions(site, &urls);
            let counted = self.retry.run(&self.store, asking).await.context("cannot ask what counts")?;
            let ours = self.parts.params.generation();
            for (url, counted) in urls.iter().zip(counted) {
                let Some((at, content)) = underway.pages.get(url).copied() else { continue };
                let Some(counted) = counted.filter(|counted| counted.fetch >= at.0) else { continue };
                gone.extend(content.filter(|content| content.seen_by(&ours) == counted.content));
                underway.pages.remove(url);
            }
            underway.look_at = (2 * underway.pages.len()).max(LOOK_AT);
        }
        let add = std::mem::take(&mut underway.add);
        let noting = || captures::update(state, site, &add, &gone);
        self.retry.run(&self.store, noting).await.context("cannot note what is on its way")
    }

    async fn hand_over_one(&self, ready: &Ready) -> anyhow::Result<()> {
        let (archive, broker) = (&self.parts.stores.archive, &self.parts.broker);
        let Ready { url, content, page, .. } = ready;
        let archiving = || archive.put(Kind::Page, *content, page.whole.clone(), time::now());
        let archived = self.retry.run(&self.archive, archiving).await;
        archived.with_context(|| format!("cannot archive `{url}`"))?;
        let publishing = || broker.publish(Queue::Pages, page.message.clone());
        let published = self.retry.run(&self.broker, publishing).await;
        published.with_context(|| format!("cannot publish `{url}`"))
    }
}
