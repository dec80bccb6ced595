//! A full pass over all articles of a store: learns by what they are filed, files and summarises each. Start at [`read_all`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use newslode_common::schedule::SiteSchedule;
use newslode_common::store::Entry;
use newslode_common::time;
use newslode_miner::mining::filing::{Filed, Filing};
use newslode_miner::mining::fold::{Explainer, Schemes};
use newslode_miner::mining::schemes::KnownLabels;
use newslode_miner::mining::summary::SiteSummary;
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_miner::work::members::members;
use newslode_miner::work::scheme_summaries::SchemeSummaries;
use newslode_miner::work::summaries::summaries;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use tokio::time::Instant;

use super::search::SharedSearch;
use super::snapshot::{
    ArticleSummary, ConceptFiling, MOST_ARTICLES, Mined, OlderArticles, position_of_concept,
};
use super::source::Source;
use crate::queries::articles::{self, FilingSources};
use crate::queries::codes::Coder;
use crate::queries::recall;

/// Days over which recall is taken.
const RECALL_DAYS: u32 = 7;
/// Maximum number of lines of a concept's explanation.
const MOST_LINES: usize = 300;

/// All that a full pass found.
pub(super) struct Whole {
    pub(super) mined: Mined,
    /// By what articles are filed.
    pub(super) filing: Arc<Filing>,
    /// Share of the articles that listings showed within seven days that was read, in thousandths.
    pub(super) recalls: BTreeMap<Site, u64>,
    /// It includes what was written before.
    pub(super) begun: Timestamp,
    pub(super) took: Duration,
}

/// Reads all articles. Those that differ from `base` are put into the search index, or all if it is not whole. Calls `seen`
/// for each article.
///
/// # Errors
/// When the store or the index fails.
pub(super) async fn read_all(
    source: &Source,
    taxonomy: Taxonomy,
    (search, base): (&SharedSearch, Option<Arc<Mined>>),
    seen: impl Fn(),
) -> anyhow::Result<Whole> {
    let (parts, begun, start) = (&source.parts, time::now(), Instant::now());
    let folded = summaries(parts.stores.state.as_ref()).await?;
    let listed = members(&parts.stores, &taxonomy, &folded).await?;
    let schemes = SchemeSummaries::default().refresh(parts.stores.state.as_ref()).await?;
    let explanations = explain_concepts(&taxonomy, &folded, &schemes, parts.schemes.set()?.known());
    drop(folded);
    let filing = articles::learn_filing(parts, &taxonomy, &listed).await?;
    // One pass over all articles fills the list, and the search index.
    let base = base.filter(|_| search.lock().is_whole());
    let (mut articles, mut older) = (Vec::new(), OlderArticles::default());
    articles::file_articles(
        parts,
        FilingSources { listed: &listed, filing: &filing, coder: None },
        |url, version, filed_article| {
            let Some(filed_article) = filed_article else { return Ok(()) };
            let place = |filed: &Filed| {
                let concept = position_of_concept(&taxonomy, &filed.concept)?;
                Some(ConceptFiling { concept, witness: filed.witness, confidence: filed.confidence })
            };
            let filings = filed_article.filed.iter().filter_map(place).collect();
            let found = filed_article.history.as_ref().map(|history| history.first_seen);
            let under = (filings, filed_article.places.as_slice());
            let standings = filed_article.rights.standings();
            let (article, content) = (&filed_article.article, version.content);
            let summary = ArticleSummary::of(url, article, content, found, under, standings, begun);
            let known = base.as_ref().and_then(|base| base.article(&summary.id));
            if known.is_none_or(|known| known.reading != summary.reading) {
                search.lock().put(summary.id, &filed_article.article)?;
            }
            articles.push(Arc::new(summary));
            if articles.len() >= MOST_ARTICLES + MOST_ARTICLES / 4 {
                older.cut(&mut articles, MOST_ARTICLES);
            }
            seen();
            Ok(())
        },
    )
    .await?;
    older.cut(&mut articles, MOST_ARTICLES);
    let recalls = recalls(source, begun).await?;
    let coder = Arc::new(Coder::of_mined(&parts.schemes, &taxonomy).await);
    let mined = Mined { coder, ..Mined::of((Arc::new(taxonomy), explanations), (articles, older), begun) };
    Ok(Whole { mined, filing: Arc::new(filing), recalls, begun, took: start.elapsed() })
}

/// Explains why each concept is one, and its place in the taxonomy.
fn explain_concepts(
    taxonomy: &Taxonomy,
    sites: &[Arc<SiteSummary>],
    schemes: &Schemes,
    known: &KnownLabels,
) -> Vec<Arc<str>> {
    let explainer = Explainer::new(taxonomy, sites, schemes, known);
    let explained = taxonomy.concepts.iter().map(|concept| {
        let text = explainer.of_keys(concept.keys.iter().map(String::as_str));
        let mut lines: Vec<&str> = text.lines().collect();
        let more = lines.len().saturating_sub(MOST_LINES);
        lines.truncate(MOST_LINES);
        let mut explanation = lines.join("\n");
        if more > 0 {
            explanation.push_str(&format!("\n… and {more} lines more: newslode taxonomy --explain"));
        }
        explanation.into()
    });
    explained.collect()
}

/// The sites' recalls. Each needs every entry of its site.
async fn recalls(source: &Source, now: Timestamp) -> anyhow::Result<BTreeMap<Site, u64>> {
    let frontier = &source.parts.stores.frontier;
    let mut recalls = BTreeMap::new();
    for (site, _) in source.parts.stores.state.sites().await? {
        let (schedule, _) = frontier.schedule(&site).await?;
        if let Some(recall) = recent_recall(&schedule, &frontier.entries(&site).await?, now) {
            recalls.insert(site, recall);
        }
    }
    Ok(recalls)
}

/// Share of the articles that a site showed lately that was read, in thousandths.
fn recent_recall(schedule: &SiteSchedule, entries: &[Entry], now: Timestamp) -> Option<u64> {
    let days = recall::count_days(schedule, entries, now);
    let lately = days.range(now.day().saturating_sub(RECALL_DAYS - 1)..).map(|(_, day)| day);
    let (read, missed) = lately
        .fold((0, 0), |(read, missed), day| (read + day.read, missed + day.missed.values().sum::<u64>()));
    (read * 1_000).checked_div(read + missed)
}
