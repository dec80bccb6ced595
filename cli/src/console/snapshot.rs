//! What the console keeps in memory: summaries of articles, concepts and sites, all read at one time.
//!
//! Invariants: articles are newest first; a snapshot never changes, and a request sees one from its beginning to its end.
//! If there are too many articles, the oldest are only counted ([`OlderArticles`]). Start at [`Snapshot`].

use std::collections::BTreeMap;
use std::sync::Arc;

use newslode_common::network::NoNetwork;
use newslode_common::outcome::Outcome;
use newslode_common::rights::Standings;
use newslode_common::store::SiteStatus;
use newslode_common::version::ContentHash;
use newslode_miner::mining::articles::is_text_removed;
use newslode_miner::mining::filing::{Filed, Witness};
use newslode_miner::mining::fingerprints::Fingerprint;
use newslode_miner::mining::registry::Registry;
use newslode_miner::mining::site_scheme::Place;
use newslode_miner::mining::taxonomy::{Concept, Taxonomy};
use newslode_page::article::Article;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use super::answer::{Problem, unknown_site};
use super::search::{Positions, SearchIndex};
use crate::filter::times::article_time;
use crate::filter::{find_concept, find_current_concept};
use crate::html::lists::article_lead;
use crate::queries::codes::Coder;
use crate::queries::health::SiteHealth;

/// Maximum number of articles in memory.
pub(super) const MOST_ARTICLES: usize = 500_000;

const DAY: u64 = 86_400_000;

/// An article's place under a concept.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct ConceptFiling {
    /// Position of the concept in the taxonomy.
    pub(super) concept: u32,
    pub(super) witness: Witness,
    pub(super) confidence: f32,
}

/// What lists show of an article.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ArticleSummary {
    /// Its name in addresses, which its URL gives.
    pub(super) id: ContentHash,
    pub(super) url: CanonicalUrl,
    pub(super) site: Site,
    /// Under which the archive has it.
    pub(super) content: ContentHash,
    pub(super) title: Option<String>,
    /// The section that its page names.
    pub(super) section: Option<Box<str>>,
    /// The labels of its places in its site's own scheme, best first.
    pub(super) places: Box<[Box<str>]>,
    pub(super) lead: String,
    pub(super) language: Option<String>,
    pub(super) published: Option<String>,
    /// When it was published, as far as that is known and no later than it was found; else when it was found.
    pub(super) at: Timestamp,
    /// When it was found; nothing if version 0.1.0 read it.
    pub(super) found: Option<Timestamp>,
    pub(super) filings: Vec<ConceptFiling>,
    /// Tells which others say nearly the same.
    pub(super) print: Fingerprint,
    /// Names all that the article says; another value: it was read otherwise. Evidence, filing and history are no part of it.
    pub(super) reading: u64,
    /// How its uses stand.
    pub(super) rights: Standings,
}

impl ArticleSummary {
    /// Summarises an article.
    pub(super) fn of(
        url: &CanonicalUrl,
        article: &Article,
        content: ContentHash,
        found: Option<Timestamp>,
        (filings, places): (Vec<ConceptFiling>, &[Place]),
        rights: Standings,
        now: Timestamp,
    ) -> ArticleSummary {
        let at = article_time(article.published.as_deref(), found, now);
        ArticleSummary {
            id: newslode_miner::work::histories::history::history_key(url),
            url: url.clone(),
            site: url.site(),
            content,
            title: article.title.clone(),
            section: article.section.as_deref().map(Box::from),
            places: places.iter().map(|place| place.label.as_str().into()).collect(),
            lead: article_lead(article),
            language: article.language.clone(),
            published: article.published.clone(),
            at,
            found,
            filings,
            print: Fingerprint::of(article),
            reading: reading_hash(article),
            rights,
        }
    }

    /// Its place in the order of all lists.
    pub(super) fn order(&self) -> (std::cmp::Reverse<u64>, ContentHash) {
        (std::cmp::Reverse(self.at.0), self.id)
    }

    /// Its headline.
    pub(super) fn headline(&self) -> &str {
        self.title.as_deref().filter(|title| !title.is_empty()).unwrap_or("(no title)")
    }
}

/// In place of the hash of an article whose text was removed to save space: that is no change of the article.
pub(super) const TEXT_REMOVED: u64 = 0;

/// A hash of what an article says, without its evidence.
fn reading_hash(article: &Article) -> u64 {
    if is_text_removed(article) {
        return TEXT_REMOVED;
    }
    let said = Article { evidence: BTreeMap::new(), ..article.clone() };
    newslode_common::schedule::name(&serde_json::to_string(&said).unwrap_or_default())
}

/// What is shown of a concept beside the taxonomy.
#[derive(Clone, Debug, Default)]
pub(super) struct ConceptFacts {
    /// Articles filed under it.
    pub(super) articles: u64,
    /// Those of the last day, and of the seven days before.
    pub(super) lately: u64,
    pub(super) before: u64,
    /// Why it is a concept, and why it has its place in the taxonomy.
    pub(super) explanation: Arc<str>,
}

impl ConceptFacts {
    fn count(&mut self, at: Timestamp, now: Timestamp) {
        self.articles += 1;
        match now.0.saturating_sub(at.0) / DAY {
            0 => self.lately += 1,
            1..=7 => self.before += 1,
            _ => {}
        }
    }
}

/// Days that are compared: the last one, and the week before.
pub(super) const DAYS: usize = 8;
/// Articles by day, the oldest day first. A day is 24 hours, and the last one ends at the snapshot's time.
pub(super) type ByDay = [u64; DAYS];

/// What rises at one time.
#[derive(Debug, Default)]
pub(super) struct Rising {
    /// When it was looked for.
    pub(super) at: Timestamp,
    /// Whether no site was read for so long that its last day can be compared.
    pub(super) is_too_early: bool,
    /// What rises most comes first.
    pub(super) concepts: Vec<RisingConcept>,
    /// What is most certain comes first.
    pub(super) terms: Vec<RisingTerm>,
}

/// A concept that rises.
#[derive(Debug, PartialEq)]
pub(super) struct RisingConcept {
    /// Its position in the taxonomy.
    pub(super) concept: u32,
    /// Articles of a usual day, of the sites that can be compared.
    pub(super) usual: f64,
    /// Articles of all sites.
    pub(super) days: ByDay,
}

/// A word or phrase of titles that rises.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RisingTerm {
    /// As most titles write it.
    pub(super) text: String,
    pub(super) language: Option<String>,
    /// Sites whose titles of the last day have it.
    pub(super) sites: usize,
    /// Titles that have it. A title that a site used several times counts on its first day.
    pub(super) days: ByDay,
    /// How certain it is that it rises: the log-likelihood ratio.
    pub(super) ratio: f64,
}

/// What is shown of a site.
#[derive(Clone, Debug)]
pub(super) struct SiteFacts {
    pub(super) status: SiteStatus,
    pub(super) health: SiteHealth,
    pub(super) articles: u64,
    /// Share of the articles that listings showed within seven days that was read, in thousandths.
    pub(super) recall: Option<u64>,
    /// Listings that are visited.
    pub(super) listings: u64,
}

/// Counts of the articles that are too many to be kept: the oldest.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct OlderArticles {
    pub(super) articles: usize,
    pub(super) by_site: BTreeMap<Site, u64>,
    pub(super) languages: BTreeMap<String, u64>,
    /// By the concept's position in the taxonomy.
    pub(super) by_concept: BTreeMap<u32, u64>,
}

impl OlderArticles {
    /// Sorts articles, newest first, and keeps the newest; counts the others.
    pub(super) fn cut(&mut self, articles: &mut Vec<Arc<ArticleSummary>>, most: usize) {
        // Nearly all are in order already, which this sort makes use of.
        articles.sort_by_key(|article| article.order());
        for article in articles.drain(most.min(articles.len())..) {
            self.articles += 1;
            *self.by_site.entry(article.site.clone()).or_default() += 1;
            if let Some(language) = &article.language {
                *self.languages.entry(language.clone()).or_default() += 1;
            }
            for place in &article.filings {
                *self.by_concept.entry(place.concept).or_default() += 1;
            }
        }
    }
}

/// What was mined.
#[derive(Debug, Default)]
pub(super) struct Mined {
    pub(super) taxonomy: Arc<Taxonomy>,
    /// Gives articles under this taxonomy their codes.
    pub(super) coder: Arc<Coder>,
    /// In the order of the taxonomy's concepts.
    pub(super) concepts: Vec<ConceptFacts>,
    /// Newest first.
    pub(super) articles: Vec<Arc<ArticleSummary>>,
    /// Those that are older than these.
    pub(super) older: OlderArticles,
    pub(super) by_site: BTreeMap<Site, u64>,
    /// Languages of articles, most frequent first.
    pub(super) languages: Vec<(String, u64)>,
    /// Finds articles by their words; nothing until each article was read by this process, or by the last one.
    pub(super) search: Option<SearchIndex>,
    /// Where articles stand in the list.
    pub(super) positions: Positions,
}

impl Mined {
    /// Counts articles, newest first, of a taxonomy whose concepts have these explanations. Nothing gives them codes yet.
    pub(super) fn of(
        (taxonomy, explanations): (Arc<Taxonomy>, Vec<Arc<str>>),
        (articles, older): (Vec<Arc<ArticleSummary>>, OlderArticles),
        now: Timestamp,
    ) -> Mined {
        let fact = |(at, explanation)| {
            let articles = older.by_concept.get(&at).copied().unwrap_or_default();
            ConceptFacts { articles, explanation, ..ConceptFacts::default() }
        };
        let mut concepts: Vec<ConceptFacts> = (0..).zip(explanations).map(fact).collect();
        let (mut by_site, mut languages) = (older.by_site.clone(), older.languages.clone());
        for article in &articles {
            for place in &article.filings {
                if let Some(facts) = concepts.get_mut(place.concept as usize) {
                    facts.count(article.at, now);
                }
            }
            match by_site.get_mut(&article.site) {
                Some(count) => *count += 1,
                None => drop(by_site.insert(article.site.clone(), 1)),
            }
            if let Some(language) = &article.language {
                match languages.get_mut(language) {
                    Some(count) => *count += 1,
                    None => drop(languages.insert(language.clone(), 1)),
                }
            }
        }
        let mut languages: Vec<_> = languages.into_iter().collect();
        languages.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let positions = Positions::of(articles.iter().map(|article| article.id));
        let coder = Arc::default();
        Mined { taxonomy, coder, concepts, articles, older, by_site, languages, search: None, positions }
    }

    /// The articles, newest first.
    pub(super) fn newest(&self) -> impl Iterator<Item = &ArticleSummary> {
        self.articles.iter().map(Arc::as_ref)
    }

    /// Why each concept is one.
    pub(super) fn explanations(&self) -> Vec<Arc<str>> {
        self.concepts.iter().map(|facts| facts.explanation.clone()).collect()
    }

    /// The position of the concept with this key.
    pub(super) fn position(&self, key: &str) -> Option<u32> {
        position_of_concept(&self.taxonomy, key)
    }

    /// An article by its name in addresses.
    pub(super) fn article(&self, id: &ContentHash) -> Option<&ArticleSummary> {
        self.articles.get(self.positions.of_id(*id)?).map(Arc::as_ref).filter(|article| article.id == *id)
    }

    /// Articles that say nearly the same as this one, newest first, and at most `most`.
    pub(super) fn near(&self, summary: &ArticleSummary, most: usize) -> Vec<&ArticleSummary> {
        let is_near = |other: &&ArticleSummary| other.id != summary.id && other.print.is_near(&summary.print);
        self.newest().filter(is_near).take(most).collect()
    }

    /// The position of a concept: by its key, or by its label in any case.
    pub(super) fn concept(&self, named: &str) -> Option<u32> {
        find_concept(&self.taxonomy, named)
    }

    /// A concept by its key or label, and what is shown of it.
    pub(super) fn concept_with_facts(&self, named: &str) -> Option<(&Concept, &ConceptFacts)> {
        let at = self.concept(named)? as usize;
        Some((self.taxonomy.concepts.get(at)?, self.concepts.get(at)?))
    }

    /// What is shown of the concept with this key.
    pub(super) fn facts(&self, key: &str) -> Option<&ConceptFacts> {
        self.concepts.get(self.position(key)? as usize)
    }

    /// Where an article is filed, as filing says it.
    pub(super) fn filed(&self, summary: &ArticleSummary) -> Vec<Filed> {
        let filed = |place: &ConceptFiling| {
            let concept = self.taxonomy.concepts.get(place.concept as usize)?;
            let (witness, confidence) = (place.witness, place.confidence);
            Some(Filed { concept: concept.key.clone(), label: concept.label.clone(), witness, confidence })
        };
        summary.filings.iter().filter_map(filed).collect()
    }

    /// The concepts of an article.
    pub(super) fn concepts_of<'a>(
        &'a self,
        summary: &'a ArticleSummary,
    ) -> impl Iterator<Item = &'a Concept> {
        summary.filings.iter().filter_map(|place| self.taxonomy.concepts.get(place.concept as usize))
    }
}

/// The position of the concept with this key: a taxonomy is in the order of keys.
pub(super) fn position_of_concept(taxonomy: &Taxonomy, key: &str) -> Option<u32> {
    let at = taxonomy.concepts.binary_search_by(|concept| concept.key.as_str().cmp(key)).ok()?;
    u32::try_from(at).ok()
}

/// What the console knows of the store at one time.
#[derive(Clone, Debug, Default)]
pub(super) struct Snapshot {
    pub(super) made: Timestamp,
    pub(super) mined: Arc<Mined>,
    pub(super) rising: Arc<Rising>,
    /// The identifiers of concepts, and the latest changes of the taxonomy.
    pub(super) registry: Arc<Registry>,
    /// By name.
    pub(super) sites: Vec<SiteFacts>,
    pub(super) outcomes: BTreeMap<Outcome, u64>,
    /// Messages that wait, by queue; nothing for a run's folder.
    pub(super) queues: BTreeMap<String, u64>,
    /// The process that works on the run reaches no site.
    pub(super) network: Option<NoNetwork>,
}

impl Snapshot {
    /// A site by its name.
    pub(super) fn site(&self, name: &str) -> Option<&SiteFacts> {
        self.sites.iter().find(|facts| facts.status.site.as_str() == name)
    }

    /// The concept that an identifier, or a key that was a concept's, leads to today.
    pub(super) fn current_concept(&self, named: &str) -> Option<&Concept> {
        self.mined.taxonomy.concept(&self.registry.resolve(named)?.key)
    }

    /// The position of a concept: by its key or label, or by an identifier or key that leads to it today.
    pub(super) fn concept(&self, named: &str) -> Option<u32> {
        find_current_concept(&self.mined.taxonomy, &self.registry, named)
    }

    /// A site by its name, for an answer about it.
    ///
    /// # Errors
    /// When it is not known.
    pub(super) fn known_site(&self, name: &str) -> Result<&SiteFacts, Problem> {
        self.site(name).ok_or_else(|| unknown_site(name))
    }
}
