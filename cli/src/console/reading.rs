//! Reads the store in the background, and gives requests the newest whole [`Snapshot`].
//!
//! Every snapshot reads the state of the sites. What was mined is read again only when a site's counts or the taxonomy changed,
//! for a while after people taught a site, and when an hour has passed. The next snapshot waits at least ten times as long as
//! the last one took, so that reading takes at most a tenth of the time. If reading fails, requests see the last snapshot and
//! the reason. Start at [`renew_snapshots`].

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _};
use newslode_common::broker::depths;
use newslode_common::schedule::SiteSchedule;
use newslode_common::store::{Entry, SiteStatus};
use newslode_common::time;
use newslode_miner::mining::filing::Filed;
use newslode_miner::mining::fold::Explainer;
use newslode_miner::mining::summary::SiteSummary;
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_miner::work::fold;
use newslode_miner::work::knowledge;
use newslode_miner::work::members::members;
use newslode_miner::work::summaries::summaries;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use tokio::sync::{Notify, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::rising;
use super::saved;
use super::search::{IndexBuilder, Positions};
use super::snapshot::{
    ArticleSummary, ConceptFacts, ConceptFiling, MOST_ARTICLES, Mined, SiteFacts, Snapshot,
};
use super::source::Source;
use crate::outcomes::count_outcomes;
use crate::queries::articles::{self, FilingSources};
use crate::queries::recall;

/// What was mined is read again after this time, changed or not.
const STALE: Duration = Duration::from_secs(3_600);
/// How long articles may change after a site was taught something, besides twice the miners' `views_s`.
const SETTLES: Duration = Duration::from_secs(60);
/// Number of sites that are read at the same time.
const AT_ONCE: usize = 32;
/// Days over which recall is taken.
const RECALL_DAYS: u32 = 7;
/// Maximum number of lines of a concept's explanation.
const MOST_LINES: usize = 300;

const DAY: u64 = 86_400_000;

/// What requests see: the newest snapshot, or how far the first one is.
#[derive(Clone, Debug, Default)]
pub(super) struct SnapshotStatus {
    /// The newest complete snapshot.
    pub(super) snapshot: Option<Arc<Snapshot>>,
    /// Why the last snapshot failed.
    pub(super) failure: Option<String>,
    /// Number of articles that the first snapshot has read so far.
    pub(super) articles: u64,
}

/// What an earlier snapshot read of the mined state, and what shows whether that changed since.
struct CachedMined {
    /// The counts of sites at that time.
    sites: Vec<(Site, u64)>,
    /// The version of people's lessons at that time, and since when it is the same.
    taught: (Option<u64>, Instant),
    at: Instant,
    mined: Arc<Mined>,
    /// Share of the articles that listings showed within seven days that was read, in thousandths.
    recalls: BTreeMap<Site, u64>,
    /// When the last process read this; nothing if this one did, or if it was shown already.
    made: Option<Timestamp>,
    /// Whether the run's folder holds this.
    is_saved: bool,
}

/// What the last process of a run showed. It counts as read long ago, so it is shown once.
async fn restore(source: &Source) -> Option<CachedMined> {
    let folder = source.run.as_ref()?.folder.clone();
    let saved = match tokio::task::spawn_blocking(move || saved::read(&folder)).await.ok()? {
        Ok(saved) => saved?,
        Err(error) => {
            tracing::info!("what the console showed last cannot be used: {error:#}");
            return None;
        }
    };
    let long_ago = Instant::now().checked_sub(STALE).unwrap_or_else(Instant::now);
    Some(CachedMined {
        sites: Vec::new(),
        taught: (None, long_ago),
        at: long_ago,
        mined: Arc::new(saved.mined),
        recalls: saved.recalls,
        made: Some(saved.made),
        is_saved: true,
    })
}

/// Keeps what is shown for the next process of the run. A folder that cannot be written to does without.
async fn save(source: &Source, cached: &CachedMined, made: Timestamp) {
    let Some(folder) = source.run.as_ref().map(|run| run.folder.clone()) else { return };
    let (mined, recalls) = (cached.mined.clone(), cached.recalls.clone());
    let written = tokio::task::spawn_blocking(move || saved::write(&folder, made, &mined, &recalls)).await;
    if let Ok(Err(error)) = written {
        tracing::debug!("what the console shows is not kept: {error:#}");
    }
}

/// Takes a snapshot every so often, and when `asked` to, until `stop`.
pub(super) async fn renew_snapshots(
    source: Arc<Source>,
    read: watch::Sender<SnapshotStatus>,
    (every, asked): (Duration, Arc<Notify>),
    stop: CancellationToken,
) {
    let mut cached = restore(&source).await;
    loop {
        let begun = Instant::now();
        // What the last process showed is shown first, and the run is read right after.
        let is_restored = cached.as_ref().is_some_and(|cached| cached.made.is_some());
        let taken = tokio::select! {
            taken = take_snapshot(&source, &mut cached, &read) => taken,
            () = stop.cancelled() => return,
        };
        if let Ok(snapshot) = &taken {
            let (articles, took) = (snapshot.mined.articles.len(), begun.elapsed().as_millis());
            tracing::info!(articles, took_ms = took, is_restored, "looked at the store");
        }
        let has_failed = taken.is_err();
        read.send_modify(|read| match taken {
            Ok(snapshot) => {
                *read = SnapshotStatus { snapshot: Some(Arc::new(snapshot)), failure: None, articles: 0 }
            }
            Err(error) => {
                tracing::warn!("the console cannot read the store: {error:#}");
                read.failure = Some(format!("{error:#}"));
            }
        });
        // A store that fails is given time.
        if is_restored && !has_failed {
            continue;
        }
        if let Some(cached) = cached.as_mut().filter(|cached| !cached.is_saved) {
            save(&source, cached, time::now()).await;
            cached.is_saved = true;
        }
        tokio::select! {
            () = tokio::time::sleep(every.max(begun.elapsed() * 10)) => {}
            () = asked.notified() => {}
            () = stop.cancelled() => return,
        }
    }
}

async fn take_snapshot(
    source: &Source,
    cached: &mut Option<CachedMined>,
    read: &watch::Sender<SnapshotStatus>,
) -> anyhow::Result<Snapshot> {
    let parts = &source.parts;
    let now = time::now();
    // 1. What is cheap to read, and shows whether the mined state changed.
    let all = parts.stores.frontier.status().await?;
    let taxonomy = fold::read_taxonomy(parts.stores.state.as_ref()).await?.unwrap_or_default();
    let counts = parts.stores.state.sites().await?;
    let version = knowledge::lessons_version(parts.stores.state.as_ref()).await?;
    let taught = match cached.as_ref().map(|cached| cached.taught) {
        Some((same, since)) if same == version => (version, since),
        Some(_) => (version, Instant::now()),
        // Lessons from before the first snapshot were followed long ago.
        None => (version, Instant::now().checked_sub(STALE).unwrap_or_else(Instant::now)),
    };
    // Miners read a site's articles again some time after it was taught something.
    let settles = Duration::from_secs(2 * source.config.miner.views_s) + SETTLES;
    let is_same = |cached: &&CachedMined| {
        if cached.made.is_some() {
            return true;
        }
        let is_settled = cached.taught == taught && cached.at.duration_since(taught.1) > settles;
        cached.sites == counts
            && cached.mined.taxonomy == taxonomy
            && is_settled
            && cached.at.elapsed() < STALE
    };
    // 2. The mined state, if it may have changed.
    let (mined, known) = match cached.as_ref().filter(is_same) {
        Some(cached) => (cached.mined.clone(), Some(&cached.recalls)),
        None => (Arc::new(read_mined(source, taxonomy, read).await?), None),
    };
    // 3. Queues and sites. Recall needs every entry of a site, so it is read along with the mined state only.
    let mut queues = BTreeMap::new();
    if let Some(broker) = &source.broker {
        for (queue, depth) in depths(broker).await {
            queues.insert(queue.to_string(), depth?);
        }
    }
    let outcomes = count_outcomes(&all);
    let facts = async |status: SiteStatus| {
        let (schedule, _) = parts.stores.frontier.schedule(&status.site).await?;
        let recall = match known {
            Some(known) => known.get(&status.site).copied(),
            None => recent_recall(&schedule, &parts.stores.frontier.entries(&status.site).await?, now),
        };
        anyhow::Ok(SiteFacts {
            health: schedule.health(now),
            articles: mined.by_site.get(&status.site).copied().unwrap_or_default(),
            recall,
            listings: schedule.listings().count() as u64,
            status,
        })
    };
    let sites: Vec<SiteFacts> =
        futures::stream::iter(all.into_iter().map(facts)).buffered(AT_ONCE).try_collect().await?;
    if known.is_none() {
        let recalls = sites.iter().filter_map(|facts| Some((facts.status.site.clone(), facts.recall?)));
        *cached = Some(CachedMined {
            sites: counts,
            taught,
            at: Instant::now(),
            mined: mined.clone(),
            recalls: recalls.collect(),
            made: None,
            is_saved: false,
        });
    }
    // A restored state keeps its time, so that those who follow the events hear of all that came since.
    let restored = cached.as_mut().and_then(|cached| cached.made.take());
    let before = read.borrow().snapshot.clone();
    let rising = rising::renew(before, &mined, now).await;
    Ok(Snapshot { made: restored.unwrap_or(now), mined, rising, sites, outcomes, queues })
}

/// Reads the mined state: taxonomy, articles and what they are filed under.
async fn read_mined(
    source: &Source,
    taxonomy: Taxonomy,
    read: &watch::Sender<SnapshotStatus>,
) -> anyhow::Result<Mined> {
    let (parts, now) = (&source.parts, time::now());
    let folded = summaries(parts.stores.state.as_ref()).await?;
    let listed = members(&parts.stores, &taxonomy, &folded).await?;
    let filing = articles::learn_filing(parts, &taxonomy, &listed).await?;
    let numbers: HashMap<&str, u32> =
        taxonomy.concepts.iter().zip(0..).map(|(concept, at)| (concept.key.as_str(), at)).collect();
    let mut concepts = explain_concepts(&taxonomy, &folded);
    drop(folded);
    // One pass over all articles fills the counts, the search index and the list of the newest.
    let index = IndexBuilder::new()?;
    let mut newest = NewestSummaries::default();
    let mut by_site: BTreeMap<Site, u64> = BTreeMap::new();
    let mut languages: BTreeMap<String, u64> = BTreeMap::new();
    articles::file_articles(
        parts,
        FilingSources { listed: &listed, filing: &filing },
        |url, version, filed_article| {
            let Some(filed_article) = filed_article else { return Ok(()) };
            let place = |filed: &Filed| {
                let concept = *numbers.get(filed.concept.as_str())?;
                Some(ConceptFiling { concept, witness: filed.witness, confidence: filed.confidence })
            };
            let filings: Vec<ConceptFiling> = filed_article.filed.iter().filter_map(place).collect();
            let found = filed_article.history.as_ref().map(|history| history.first_seen);
            let summary =
                ArticleSummary::of(url, &filed_article.article, version.content, found, filings, now);
            for place in &summary.filings {
                count_article(&mut concepts[place.concept as usize], summary.at, now);
            }
            *by_site.entry(summary.site.clone()).or_default() += 1;
            if let Some(language) = &summary.language {
                *languages.entry(language.clone()).or_default() += 1;
            }
            index.add(summary.id, &filed_article.article)?;
            newest.put(summary);
            read.send_if_modified(|read| {
                read.articles += 1;
                false
            });
            Ok(())
        },
    )
    .await?;
    let (articles, left_out) = newest.sorted();
    let mut languages: Vec<_> = languages.into_iter().collect();
    languages.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let positions = Positions::of(articles.iter().map(|article| article.id));
    let search = Some(tokio::task::spawn_blocking(|| index.finish()).await??);
    Ok(Mined { taxonomy, concepts, articles, left_out, by_site, languages, search, positions })
}

/// Counts an article of a concept.
fn count_article(facts: &mut ConceptFacts, at: Timestamp, now: Timestamp) {
    facts.articles += 1;
    match now.0.saturating_sub(at.0) / DAY {
        0 => facts.lately += 1,
        1..=7 => facts.before += 1,
        _ => {}
    }
}

/// The newest articles, at most [`MOST_ARTICLES`].
#[derive(Default)]
struct NewestSummaries {
    articles: Vec<ArticleSummary>,
    left_out: usize,
}

impl NewestSummaries {
    fn put(&mut self, article: ArticleSummary) {
        self.articles.push(article);
        if self.articles.len() >= MOST_ARTICLES + MOST_ARTICLES / 4 {
            self.cut();
        }
    }

    fn cut(&mut self) {
        self.articles.sort_unstable_by_key(ArticleSummary::order);
        self.left_out += self.articles.len().saturating_sub(MOST_ARTICLES);
        self.articles.truncate(MOST_ARTICLES);
    }

    fn sorted(mut self) -> (Vec<ArticleSummary>, usize) {
        self.cut();
        (self.articles, self.left_out)
    }
}

/// Explains why each concept is one, and its place in the taxonomy.
fn explain_concepts(taxonomy: &Taxonomy, sites: &[Arc<SiteSummary>]) -> Vec<ConceptFacts> {
    let explainer = Explainer::new(taxonomy, sites);
    let facts = taxonomy.concepts.iter().map(|concept| {
        let text = explainer.of_keys(concept.keys.iter().map(String::as_str));
        let mut lines: Vec<&str> = text.lines().collect();
        let more = lines.len().saturating_sub(MOST_LINES);
        lines.truncate(MOST_LINES);
        let mut explanation = lines.join("\n");
        if more > 0 {
            explanation.push_str(&format!("\n… and {more} lines more: newslode taxonomy --explain"));
        }
        ConceptFacts { explanation, ..ConceptFacts::default() }
    });
    facts.collect()
}

/// Share of the articles that a site showed lately that was read, in thousandths.
fn recent_recall(schedule: &SiteSchedule, entries: &[Entry], now: Timestamp) -> Option<u64> {
    let days = recall::count_days(schedule, entries, now);
    let lately = days.range(now.day().saturating_sub(RECALL_DAYS - 1)..).map(|(_, day)| day);
    let (read, missed) = lately
        .fold((0, 0), |(read, missed), day| (read + day.read, missed + day.missed.values().sum::<u64>()));
    (read * 1_000).checked_div(read + missed)
}
