//! What is exported: the counted articles of a run under their concepts, the ontology, and what the archive holds.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use bytes::Bytes;
use newslode_common::config::Noarchive;
use newslode_common::rights::Rights;
use newslode_common::store::Kind;
use newslode_common::version::{ContentHash, Version};
use newslode_miner::mining::corrections::Corrections;
use newslode_miner::mining::filing::{ArticleEvidence, Filed, Filing, Lessons};
use newslode_miner::mining::instances::ConceptInstance;
use newslode_miner::mining::members::Members;
use newslode_miner::mining::ontology::{BASE, OntologyWriter, RdfForm};
use newslode_miner::mining::site_scheme::{Place, SiteScheme};
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_miner::work::corrections::read_corrections;
use newslode_miner::work::fold;
use newslode_miner::work::histories::events::{ArticleEvent, FiledUnder, WithConcepts, concept_labels};
use newslode_miner::work::histories::history::{ArticleHistory, history_key};
use newslode_miner::work::histories::read_history;
use newslode_miner::work::instances;
use newslode_miner::work::members::members;
use newslode_miner::work::parts::Parts;
use newslode_miner::work::registry::read_registry;
use newslode_miner::work::schemes::{place_finder, places_of};
use newslode_miner::work::summaries::summaries;
use newslode_page::article::Article;
use newslode_page::reading::{CanonicalUrl, Site};
use serde::Serialize;

use crate::queries::codes::Coder;
use crate::queries::rights::{RightsReader, is_copy_hidden};

/// The pages of a site that count, by URL, as they are now: who goes through all pages keeps no state for longer than a site, because
/// the file of a run grows meanwhile.
pub(crate) async fn counted_pages(
    parts: &Parts,
    site: &Site,
) -> anyhow::Result<Vec<(CanonicalUrl, Version)>> {
    parts.stores.state.renew();
    let mut pages = parts.stores.state.pages(site).await?;
    pages.retain(|(_, version)| version.content != ContentHash::NONE);
    Ok(pages)
}

/// What the archive holds of a page that was listed as counted, and the version that this is of. If the page was counted anew since then, its
/// former version may be gone: then it is what counts by now.
async fn archived(
    parts: &Parts,
    kind: Kind,
    url: &CanonicalUrl,
    listed: Version,
) -> anyhow::Result<Option<(Version, Bytes)>> {
    let archive = parts.stores.archive.as_ref();
    if let Some(bytes) = archive.get(kind, listed.content).await? {
        return Ok(Some((listed, bytes)));
    }
    match newer_version(parts, url, listed).await? {
        Some(newer) => Ok(archive.get(kind, newer.content).await?.map(|bytes| (newer, bytes))),
        None => Ok(None),
    }
}

/// The version that counts of a page by now, if its content is another than when it was listed.
pub(crate) async fn newer_version(
    parts: &Parts,
    url: &CanonicalUrl,
    listed: Version,
) -> anyhow::Result<Option<Version>> {
    let found = parts.stores.state.versions(&url.site(), std::slice::from_ref(url)).await?;
    let is_newer = |found: &Version| ![listed.content, ContentHash::NONE].contains(&found.content);
    Ok(found.into_iter().flatten().find(is_newer))
}

/// How many pages count.
pub(crate) async fn count_pages(parts: &Parts) -> anyhow::Result<u64> {
    let mut pages = 0;
    for (site, _) in parts.stores.state.sites().await? {
        pages += counted_pages(parts, &site).await?.len() as u64;
    }
    Ok(pages)
}

/// Passes the archived version of every counted page to `take`, ordered by site and URL.
///
/// # Errors
/// When the stores or `take` fail.
pub async fn each_archived(
    parts: &Parts,
    kind: Kind,
    take: impl FnMut(ContentHash, &[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    each_shown(parts, kind, Noarchive::Record, take).await
}

/// The same without the pages whose copies are hidden.
pub(crate) async fn each_shown(
    parts: &Parts,
    kind: Kind,
    noarchive: Noarchive,
    mut take: impl FnMut(ContentHash, &[u8]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for (site, _) in parts.stores.state.sites().await? {
        for (url, version) in counted_pages(parts, &site).await? {
            if is_copy_hidden(parts.stores.archive.as_ref(), noarchive, &url).await? {
                continue;
            }
            if let Some((version, bytes)) = archived(parts, kind, &url, version).await? {
                take(version.content, &bytes)?;
            }
        }
    }
    Ok(())
}

/// An article under its concepts.
pub(crate) struct FiledArticle<'a> {
    /// Its name in the archive and in the console's addresses.
    pub(crate) id: ContentHash,
    pub(crate) article: Article,
    /// Keys of the concepts.
    pub(crate) keys: BTreeSet<String>,
    pub(crate) filed: &'a [Filed],
    placed: Vec<FiledUnder<'a>>,
    /// Its places in its site's own scheme, best first.
    pub(crate) places: Vec<Place>,
    /// The scheme of its site; nothing where only the article is asked for.
    scheme: Option<&'a SiteScheme>,
    /// The codes of its concepts and places, sorted.
    pub(crate) codes: Vec<String>,
    /// When it was found and how it changed; nothing if version 0.1.0 read it.
    pub(crate) history: Option<ArticleHistory>,
    /// The operator's labels of its site.
    pub(crate) labels: &'a BTreeMap<String, String>,
    /// What may be done with it.
    pub(crate) rights: Rights,
}

impl<'a> FiledArticle<'a> {
    /// Files an article under its concepts.
    pub(crate) fn new(
        id: ContentHash,
        mut article: Article,
        filed: &'a [Filed],
        history: Option<ArticleHistory>,
        labels: &'a BTreeMap<String, String>,
        places: Vec<Place>,
        codes: Vec<String>,
    ) -> FiledArticle<'a> {
        let keys = filed.iter().map(|filed| filed.concept.clone()).collect();
        let placed = FiledUnder::all(filed);
        article.concepts = concept_labels(filed);
        let rights = Rights::default();
        let scheme = None;
        FiledArticle { id, article, keys, filed, placed, places, scheme, codes, history, labels, rights }
    }

    /// The same with the scheme of its site.
    fn with_scheme(self, scheme: &'a SiteScheme) -> FiledArticle<'a> {
        FiledArticle { scheme: Some(scheme), ..self }
    }

    /// The same with what may be done with it.
    pub(crate) fn with_rights(self, rights: Rights) -> FiledArticle<'a> {
        FiledArticle { rights, ..self }
    }

    /// The labels of its places in its site's own scheme, best first.
    pub(crate) fn place_labels(&self) -> Vec<String> {
        self.places.iter().map(|place| place.label.clone()).collect()
    }

    /// The article as readers get it.
    pub(crate) fn line(&self) -> ArticleLine<'_> {
        let (id, filed, places) = (self.id, self.placed.as_slice(), self.places.as_slice());
        let (codes, rights) = (Some(self.codes.as_slice()), &self.rights);
        match self
            .history
            .as_ref()
            .and_then(|history| ArticleEvent::latest(history, &self.article, self.labels))
        {
            Some(event) => ArticleLine::WithHistory(WithConcepts { id, event, filed, places, codes, rights }),
            None => ArticleLine::WithoutHistory(WithConcepts {
                id,
                event: &self.article,
                filed,
                places,
                codes,
                rights,
            }),
        }
    }
}

/// An article as readers get it: a line of `articles.jsonl`.
#[derive(Serialize)]
#[serde(untagged)]
pub(crate) enum ArticleLine<'a> {
    /// With its history.
    WithHistory(WithConcepts<'a, ArticleEvent<'a>>),
    /// Without one: version 0.1.0 read it.
    WithoutHistory(WithConcepts<'a, &'a Article>),
}

/// Filing as all counted articles teach it.
pub(crate) async fn learn_filing(
    parts: &Parts,
    taxonomy: &Taxonomy,
    members: &Members,
) -> anyhow::Result<Filing> {
    let corrections = read_corrections(parts.stores.state.as_ref()).await?;
    learn_filing_corrected(parts, taxonomy, &corrections, members).await
}

/// The same with other corrections than those that are kept.
pub(crate) async fn learn_filing_corrected(
    parts: &Parts,
    taxonomy: &Taxonomy,
    corrections: &Corrections,
    members: &Members,
) -> anyhow::Result<Filing> {
    let known = parts.schemes.known()?;
    let mut lessons = Lessons::new(taxonomy).knowing(taxonomy, &known).mapping(corrections);
    let archive = parts.stores.archive.as_ref();
    for site in parts.stores.state.sites().await?.into_iter().map(|(site, _)| site) {
        let finder = place_finder(parts.stores.state.as_ref(), &site).await?;
        for (url, version) in counted_pages(parts, &site).await? {
            let Some((version, json)) = archived(parts, Kind::Article, &url, version).await? else {
                continue;
            };
            let article: Article = serde_json::from_slice(&json)?;
            let places = places_of(&finder, archive, (&url, version.content), &article).await?;
            lessons.add(ArticleEvidence { places: &places, ..ArticleEvidence::member(&article, members) });
        }
    }
    Ok(lessons.learn())
}

/// What filing knows: the pages that concepts list, and the rules that articles taught.
pub(crate) struct FilingSources<'a> {
    pub(crate) listed: &'a Members,
    pub(crate) filing: &'a Filing,
    /// Nothing where nobody asks for codes.
    pub(crate) coder: Option<&'a Coder>,
}

/// Files every counted article and passes it to `take`, with the version that counts; nothing for an address of an
/// article that readers know under another one.
pub(crate) async fn file_articles(
    parts: &Parts,
    by: FilingSources<'_>,
    mut take: impl FnMut(&CanonicalUrl, Version, Option<&FiledArticle<'_>>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut rights = RightsReader::new(parts.stores.archive.as_ref());
    for site in parts.stores.state.sites().await?.into_iter().map(|(site, _)| site) {
        let labels =
            parts.stores.frontier.site(&site).await?.map(|settings| settings.labels).unwrap_or_default();
        let finder = place_finder(parts.stores.state.as_ref(), &site).await?;
        for (url, version) in counted_pages(parts, &site).await? {
            let Some((version, json)) = archived(parts, Kind::Article, &url, version).await? else {
                continue;
            };
            let history = read_history(parts.stores.archive.as_ref(), &url).await?;
            if history.as_ref().is_some_and(|history| history.twin_of.is_some()) {
                take(&url, version, None)?;
                continue;
            }
            let article: Article = serde_json::from_slice(&json)?;
            let page = (&url, version.content);
            let places = places_of(&finder, parts.stores.archive.as_ref(), page, &article).await?;
            let evidence =
                ArticleEvidence { places: &places, ..ArticleEvidence::member(&article, by.listed) };
            let filed = by.filing.file(evidence);
            let keys = filed.iter().map(|filed| filed.concept.as_str());
            let labels_of_places = places.iter().map(|place| place.label.as_str());
            let language = article.language.as_deref();
            let codes = by.coder.map(|coder| coder.codes(keys, labels_of_places, language));
            let (id, codes) = (history_key(&url), codes.unwrap_or_default());
            let rights = rights.rights_of(&url).await?;
            let filed_article = FiledArticle::new(id, article, &filed, history, &labels, places, codes)
                .with_rights(rights)
                .with_scheme(finder.scheme());
            take(&url, version, Some(&filed_article))?;
        }
    }
    Ok(())
}

/// Passes every counted article with the concepts that it is filed under to `take`, ordered by site and URL, and returns the
/// taxonomy of these concepts. An article that readers know under another URL comes only once.
///
/// # Errors
/// When the stores or `take` fail.
pub async fn each_article(
    parts: &Parts,
    mut take: impl FnMut(&Article) -> anyhow::Result<()>,
) -> anyhow::Result<Taxonomy> {
    each_placed_article(parts, |article, _| take(article)).await
}

/// The same, with the places of each article in its site's own scheme, best first.
///
/// # Errors
/// When the stores or `take` fail.
pub async fn each_placed_article(
    parts: &Parts,
    mut take: impl FnMut(&Article, &[Place]) -> anyhow::Result<()>,
) -> anyhow::Result<Taxonomy> {
    let taxonomy = fold::read_taxonomy(parts.stores.state.as_ref()).await?.unwrap_or_default();
    let sites = summaries(parts.stores.state.as_ref()).await?;
    let listed = members(&parts.stores, &taxonomy, &sites).await?;
    let filing = learn_filing(parts, &taxonomy, &listed).await?;
    let by = FilingSources { listed: &listed, filing: &filing, coder: None };
    file_articles(parts, by, |_, _, filed_article| {
        filed_article.map_or(Ok(()), |filed_article| take(&filed_article.article, &filed_article.places))
    })
    .await?;
    Ok(taxonomy)
}

/// Writes the ontology, and passes each filed article to `take`.
pub(crate) async fn export_articles(
    parts: &Parts,
    triples: &mut impl Write,
    form: RdfForm,
    mut take: impl FnMut(&FiledArticle<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<(Taxonomy, usize)> {
    // 1. Filing is learnt from all articles first, because the last one may file the first one.
    let mut taxonomy = fold::read_taxonomy(parts.stores.state.as_ref()).await?.unwrap_or_default();
    let coder = Coder::new(&parts.schemes, &mut taxonomy).await?;
    let sites = summaries(parts.stores.state.as_ref()).await?;
    let listed = members(&parts.stores, &taxonomy, &sites).await?;
    let filing = learn_filing(parts, &taxonomy, &listed).await?;
    // 2. The taxonomy and the articles.
    let mut ontology = OntologyWriter::new(triples, BASE, form)?;
    ontology.taxonomy(&taxonomy, &read_registry(parts.stores.state.as_ref()).await?)?;
    let mut articles = 0;
    let mut others: BTreeSet<CanonicalUrl> = listed.keys().cloned().collect();
    let by = FilingSources { listed: &listed, filing: &filing, coder: Some(&coder) };
    file_articles(parts, by, |url, _, filed_article| {
        others.remove(url);
        let Some(filed_article) = filed_article else { return Ok(()) };
        let FiledArticle { article, keys, places, scheme, .. } = filed_article;
        ontology.article(article, keys, places, *scheme)?;
        articles += 1;
        take(filed_article)
    })
    .await?;
    // 3. Listed pages that are no articles. One that two concept pages list is one instance of both concepts.
    let mut found: BTreeMap<CanonicalUrl, ConceptInstance> = BTreeMap::new();
    if !others.is_empty() {
        instances::non_articles(&parts.stores, &taxonomy, &sites, &others, |instance| {
            let keys = instance.concepts.clone();
            let held = found.entry(instance.url.clone()).or_insert(instance);
            held.concepts.extend(keys);
            held.concepts.sort();
            held.concepts.dedup();
            Ok(())
        })
        .await?;
    }
    for instance in found.values() {
        ontology.instance(instance)?;
    }
    ontology.finish()?.flush()?;
    Ok((taxonomy, articles))
}
