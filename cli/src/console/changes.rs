//! What changed in a run's folder since the console read it: the articles whose reading or history was written since.
//!
//! The archive of a run keeps the time of each put, so this costs what changed and not what is there. Whatever changes an article,
//! or ends it, writes its history or its reading, and a page that was one and is none any more writes its contribution; what
//! removes a site, removes it from the sites that count. Articles that
//! version 0.1.0 read have no history, so only a full pass ([`reading`](super::reading)) notices their end. Start at [`read_changes`].

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use newslode_common::message::{FetchedPage, envelope};
use newslode_common::store::redb::RedbStore;
use newslode_common::store::{Kind, PageArchive as _};
use newslode_common::version::ContentHash;
use newslode_miner::mining::filing::{ArticleEvidence, Filed, Filing};
use newslode_miner::mining::members::Members;
use newslode_miner::mining::summary::SiteSummary;
use newslode_miner::work::histories::history::history_key;
use newslode_miner::work::histories::read_history;
use newslode_miner::work::members::members;
use newslode_miner::work::parts::Parts;
use newslode_page::article::Article;
use newslode_page::contribution::Table;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use serde::Deserialize;

use super::search::SharedSearch;
use super::snapshot::{ArticleSummary, ConceptFiling, Mined};
use crate::queries::rights::RightsReader;

/// A put bears the time at which its work began, so it may come so long after that, in milliseconds.
const OVERLAP: u64 = 120_000;
/// A version counts after its puts, so what was put less than this ago is read again at the next look.
const SETTLES: u64 = 20_000;

/// A kind and a name in the archive.
type Put = (&'static str, ContentHash);

/// The puts that were read already.
#[derive(Clone, Debug, Default)]
pub(super) struct PutsRead {
    /// Puts before this time were.
    since: Timestamp,
    /// Later ones that were, with their times.
    puts: HashMap<Put, Timestamp>,
}

impl PutsRead {
    /// Everything that was put before a time.
    pub(super) fn until(time: Timestamp) -> PutsRead {
        PutsRead { since: Timestamp(time.0.saturating_sub(OVERLAP)), puts: HashMap::new() }
    }

    /// The addresses of articles that were touched since, and what was read with them.
    ///
    /// # Errors
    /// When the store fails.
    async fn next(
        &self,
        store: &RedbStore,
        mined: &Mined,
        now: Timestamp,
    ) -> anyhow::Result<(BTreeSet<CanonicalUrl>, PutsRead)> {
        // After the clock was set back, puts have times before the last look.
        let until = PutsRead::until(now);
        let since = self.since.min(until.since);
        let mut next = PutsRead { since: until.since, puts: HashMap::new() };
        let (mut urls, mut articles) = (BTreeSet::new(), HashSet::new());
        for kind in [Kind::History, Kind::Article, Kind::Contribution] {
            for (at, content) in store.archived_since(kind, since).await? {
                let put = (kind.name(), content);
                if at >= next.since && at.0 + SETTLES < now.0 {
                    next.puts.insert(put, at);
                }
                if kind == Kind::Article {
                    articles.insert(content);
                }
                // A page with an article has two puts.
                if self.puts.get(&put) == Some(&at)
                    || kind == Kind::Contribution && articles.contains(&content)
                {
                    continue;
                }
                match kind {
                    Kind::Contribution => {
                        let url = page_url(store, content).await?;
                        urls.extend(url.filter(|url| mined.article(&history_key(url)).is_some()));
                    }
                    _ => {
                        let Some(bytes) = store.get(kind, content).await? else { continue };
                        // Both name the address alike. One that cannot be read is left to the full pass.
                        let named = serde_json::from_slice::<Named>(&bytes).ok();
                        urls.extend(named.and_then(|named| named.url.parse::<CanonicalUrl>().ok()));
                    }
                }
            }
        }
        Ok((urls, next))
    }
}

/// The address of a page that was archived with this content.
async fn page_url(store: &RedbStore, content: ContentHash) -> anyhow::Result<Option<CanonicalUrl>> {
    let Some(bytes) = store.get(Kind::Page, content).await? else { return Ok(None) };
    Ok(envelope::open::<FetchedPage>(&bytes).ok().map(|page| page.url))
}

#[derive(Deserialize)]
struct Named {
    url: String,
}

/// What changed.
#[derive(Default)]
pub(super) struct Changes {
    /// Articles that are new, or may be different.
    pub(super) put: Vec<Arc<ArticleSummary>>,
    /// Articles that are gone, or put anew.
    pub(super) dropped: HashSet<ContentHash>,
    /// Sites that are gone with all their articles.
    pub(super) gone_sites: BTreeSet<Site>,
    /// What was read so far.
    pub(super) puts_read: PutsRead,
}

impl Changes {
    pub(super) fn is_empty(&self) -> bool {
        self.put.is_empty() && self.dropped.is_empty() && self.gone_sites.is_empty()
    }

    /// Whether an article stays as it was.
    pub(super) fn keep(&self, article: &ArticleSummary) -> bool {
        !self.dropped.contains(&article.id) && !self.gone_sites.contains(&article.site)
    }
}

/// Reads what changed since `puts_read`, and brings the search index up to it. New articles are filed by what was learnt last.
///
/// # Errors
/// When the store or the index fails; the same changes are read again then.
pub(super) async fn read_changes(
    (parts, store): (&Parts, &RedbStore),
    (mined, filing): (&Mined, Option<&Filing>),
    puts_read: &PutsRead,
    sites: &[(Site, u64)],
    search: &SharedSearch,
    now: Timestamp,
) -> anyhow::Result<Changes> {
    let (urls, puts_read) = puts_read.next(store, mined, now).await?;
    let is_known = |site: &Site| sites.binary_search_by(|(known, _)| known.cmp(site)).is_ok();
    let gone_sites: BTreeSet<Site> = mined.by_site.keys().filter(|site| !is_known(site)).cloned().collect();
    let mut changes = Changes { put: Vec::new(), dropped: HashSet::new(), gone_sites, puts_read };
    for article in mined.articles.iter().filter(|article| changes.gone_sites.contains(&article.site)) {
        search.lock().delete(article.id);
    }
    let mut rights = RightsReader::new(parts.stores.archive.as_ref());
    // 1. Site by site: what its concept pages list is read for all of its articles at once.
    let mut by_site: BTreeMap<Site, Vec<CanonicalUrl>> = BTreeMap::new();
    for url in urls {
        by_site.entry(url.site()).or_default().push(url);
    }
    for (site, urls) in by_site {
        let versions = parts.stores.state.versions(&site, &urls).await?;
        let listed = match filing {
            Some(_) if !mined.taxonomy.concepts.is_empty() => listed_by(parts, mined, &site).await?,
            _ => Members::new(),
        };
        for (url, version) in urls.into_iter().zip(versions) {
            let content = version.map_or(ContentHash::NONE, |version| version.content);
            let id = history_key(&url);
            let known = mined.article(&id);
            let Some((article, found)) = read_article(parts, &url, content).await? else {
                if known.is_some() {
                    search.lock().delete(id);
                    changes.dropped.insert(id);
                }
                continue;
            };
            // 2. An article under its concepts, as the list shows it.
            let places = parts
                .places
                .places_of(
                    parts.stores.state.as_ref(),
                    parts.stores.archive.as_ref(),
                    (&url, content),
                    &article,
                )
                .await?;
            let evidence = ArticleEvidence { places: &places, ..ArticleEvidence::member(&article, &listed) };
            let filed = filing.map(|filing| filing.file(evidence));
            let place = |filed: &Filed| {
                let (witness, confidence) = (filed.witness, filed.confidence);
                Some(ConceptFiling { concept: mined.position(&filed.concept)?, witness, confidence })
            };
            let under = (filed.iter().flatten().filter_map(place).collect(), places.as_slice());
            let standings = rights.rights_of(&url).await?.standings();
            let summary = ArticleSummary::of(&url, &article, content, found, under, standings, now);
            if known.is_none_or(|known| known.reading != summary.reading) {
                search.lock().put(id, &article)?;
            }
            changes.dropped.extend(known.map(|known| known.id));
            changes.put.push(Arc::new(summary));
        }
    }
    Ok(changes)
}

/// What a site's concept pages list.
async fn listed_by(parts: &Parts, mined: &Mined, site: &Site) -> anyhow::Result<Members> {
    let sums = parts.stores.state.sums(site, Table::NAMED).await?;
    let summary = Arc::new(SiteSummary::of(site.clone(), &sums));
    members(&parts.stores, &mined.taxonomy, &[summary]).await
}

/// An article that counts, and when it was found; nothing if the page is none, or readers know it under another address.
async fn read_article(
    parts: &Parts,
    url: &CanonicalUrl,
    content: ContentHash,
) -> anyhow::Result<Option<(Article, Option<Timestamp>)>> {
    if content == ContentHash::NONE {
        return Ok(None);
    }
    let archive = parts.stores.archive.as_ref();
    let Some(json) = archive.get(Kind::Article, content).await? else { return Ok(None) };
    let history = read_history(archive, url).await?;
    if history.as_ref().is_some_and(|history| history.twin_of.is_some()) {
        return Ok(None);
    }
    Ok(Some((serde_json::from_slice(&json)?, history.map(|history| history.first_seen))))
}
