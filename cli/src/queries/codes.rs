//! The codes of articles: which concepts of schemes they are about.
//!
//! An article has the codes of the concepts that it is filed under, and of the schemes' concepts that the labels of its places
//! mean. It has no codes of broader concepts; a filter by a code takes the narrower ones with it. Start at [`Coder`].

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use newslode_miner::mining::schemes::{Aligned, Facet, SchemeSet, align_label, align_taxonomy};
use newslode_miner::mining::site_scheme::Place;
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_miner::work::scheme_set::ConfiguredSchemes;

/// The most labels of places whose codes are kept in memory.
const MOST_LABELS: usize = 100_000;

/// Language and label of a place, and its codes.
type LabelCodes = HashMap<(Option<String>, String), Vec<String>>;

/// What gives articles their codes.
#[derive(Debug)]
pub(crate) struct Coder {
    by_concept: BTreeMap<String, Vec<String>>,
    /// The schemes by which the taxonomy is aligned; without them labels of places have no codes.
    set: Option<Arc<SchemeSet>>,
    labels: Mutex<LabelCodes>,
}

impl Coder {
    /// Codes by the schemes by which a taxonomy is aligned. Schemes that override these align it again.
    ///
    /// # Errors
    /// When a file of a scheme cannot be read.
    pub(crate) async fn new(
        schemes: &Arc<ConfiguredSchemes>,
        taxonomy: &mut Taxonomy,
    ) -> anyhow::Result<Coder> {
        let set = read_set(schemes).await?;
        if schemes.is_override() {
            align_taxonomy(&set, taxonomy);
        }
        let by_concept =
            taxonomy.concepts.iter().map(|one| (one.key.clone(), codes_of(&one.aligned))).collect();
        let set = (taxonomy.schemes == set.digest()).then_some(set);
        Ok(Coder { by_concept, set, labels: Mutex::default() })
    }

    /// The codes of an article that is filed under these concepts, by key, and has these places; sorted.
    pub(crate) fn codes<'k>(
        &self,
        keys: impl IntoIterator<Item = &'k String>,
        places: &[Place],
        language: Option<&str>,
    ) -> Vec<String> {
        let filed = keys.into_iter().filter_map(|key| self.by_concept.get(key)).flatten().cloned();
        let mut codes: BTreeSet<String> = filed.collect();
        for place in places {
            codes.extend(self.codes_of_label(&place.label, language));
        }
        codes.into_iter().collect()
    }

    fn codes_of_label(&self, label: &str, language: Option<&str>) -> Vec<String> {
        let Some(set) = &self.set else { return Vec::new() };
        let key = (language.map(str::to_owned), label.to_owned());
        let mut known = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(codes) = known.get(&key) {
            return codes.clone();
        }
        let codes = codes_of(&align_label(set, label, language));
        if known.len() >= MOST_LABELS {
            known.clear();
        }
        known.insert(key, codes.clone());
        codes
    }
}

/// The codes of a single article that is filed under these concepts, by key, and has these places in this language; sorted.
pub(crate) async fn article_codes<'k>(
    schemes: &Arc<ConfiguredSchemes>,
    taxonomy: &Taxonomy,
    keys: impl Iterator<Item = &'k str>,
    (places, language): (&[Place], Option<&str>),
) -> Vec<String> {
    let filed = keys.filter_map(|key| taxonomy.concept(key)).flat_map(|concept| codes_of(&concept.aligned));
    let mut codes: BTreeSet<String> = filed.collect();
    if !places.is_empty() {
        let set = read_set(schemes).await;
        let set = set.inspect_err(|error| tracing::warn!("places have no codes: {error:#}")).ok();
        if let Some(set) = set.filter(|set| set.digest() == taxonomy.schemes) {
            codes
                .extend(places.iter().flat_map(|place| codes_of(&align_label(&set, &place.label, language))));
        }
    }
    codes.into_iter().collect()
}

/// The codes of what is not furniture.
fn codes_of(aligned: &[Aligned]) -> Vec<String> {
    let wanted = aligned.iter().filter(|one| one.facet != Facet::Furniture);
    wanted.map(|one| one.code().to_owned()).collect()
}

/// The schemes, read beside the threads that serve others.
///
/// # Errors
/// When a file of a scheme cannot be read.
pub(crate) async fn read_set(schemes: &Arc<ConfiguredSchemes>) -> anyhow::Result<Arc<SchemeSet>> {
    let schemes = schemes.clone();
    Ok(tokio::task::spawn_blocking(move || schemes.set()).await??)
}
