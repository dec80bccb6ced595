//! The codes of articles: which concepts of schemes they are about.
//!
//! An article has the codes of the concepts that it is filed under, and of the schemes' concepts that the labels of its places
//! mean. It has no codes of broader concepts; a filter by a code takes the narrower ones with it. Start at [`Coder`].

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use newslode_miner::mining::schemes::{SchemeSet, align_label, align_taxonomy, codes_of};
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_miner::work::scheme_set::ConfiguredSchemes;

/// The most labels of places whose codes are kept in memory.
const MOST_LABELS: usize = 100_000;

/// By the language and the label of a place: its codes.
type LabelCodes = HashMap<String, HashMap<String, Vec<String>>>;

/// What gives articles their codes.
#[derive(Debug, Default)]
pub(crate) struct Coder {
    /// By the key of a concept.
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
        Ok(Coder::of_aligned(taxonomy, Some(set)))
    }

    /// Codes by the schemes by which miners aligned a taxonomy. If a file of a scheme cannot be read, places have no codes.
    pub(crate) async fn of_mined(schemes: &Arc<ConfiguredSchemes>, taxonomy: &Taxonomy) -> Coder {
        let set = read_set(schemes).await;
        let set = set.inspect_err(|error| tracing::warn!("places have no codes: {error:#}")).ok();
        Coder::of_aligned(taxonomy, set)
    }

    fn of_aligned(taxonomy: &Taxonomy, set: Option<Arc<SchemeSet>>) -> Coder {
        let by_concept =
            taxonomy.concepts.iter().map(|one| (one.key.clone(), codes_of(&one.aligned))).collect();
        let set = set.filter(|set| taxonomy.schemes == set.digest());
        Coder { by_concept, set, labels: Mutex::default() }
    }

    /// The codes of an article that is filed under these concepts, by key, and has places of these labels; sorted.
    pub(crate) fn codes<'k>(
        &self,
        keys: impl IntoIterator<Item = &'k str>,
        places: impl IntoIterator<Item = &'k str>,
        language: Option<&str>,
    ) -> Vec<String> {
        let filed = keys.into_iter().filter_map(|key| self.by_concept.get(key)).flatten().cloned();
        let mut codes: BTreeSet<String> = filed.collect();
        for label in places {
            self.with_codes_of_label(label, language, |of_label| codes.extend(of_label.iter().cloned()));
        }
        codes.into_iter().collect()
    }

    /// Whether an article that is filed under these concepts, and has places of these labels, has one of these codes.
    pub(crate) fn has_any<'k>(
        &self,
        wanted: &BTreeSet<String>,
        keys: impl IntoIterator<Item = &'k str>,
        places: impl IntoIterator<Item = &'k str>,
        language: Option<&str>,
    ) -> bool {
        let is_wanted = |codes: &[String]| codes.iter().any(|code| wanted.contains(code));
        keys.into_iter().filter_map(|key| self.by_concept.get(key)).any(|codes| is_wanted(codes))
            || places.into_iter().any(|label| self.with_codes_of_label(label, language, is_wanted))
    }

    /// The codes that a code or URI names, with those of narrower concepts; nothing if no scheme has it.
    pub(crate) fn codes_within(&self, code: &str) -> BTreeSet<String> {
        match &self.set {
            Some(set) => set.codes_within(code),
            None => BTreeSet::from([code.to_owned()]),
        }
    }

    fn with_codes_of_label<T>(
        &self,
        label: &str,
        language: Option<&str>,
        with: impl FnOnce(&[String]) -> T,
    ) -> T {
        let Some(set) = &self.set else { return with(&[]) };
        let mut known = self.labels.lock().unwrap_or_else(PoisonError::into_inner);
        if known.values().map(HashMap::len).sum::<usize>() >= MOST_LABELS {
            known.clear();
        }
        // Without a language it is "", which no article has.
        let of_language = match known.get_mut(language.unwrap_or_default()) {
            Some(of_language) => of_language,
            None => known.entry(language.unwrap_or_default().to_owned()).or_default(),
        };
        if let Some(codes) = of_language.get(label) {
            return with(codes);
        }
        let codes = codes_of(&align_label(set, label, language));
        with(of_language.entry(label.to_owned()).or_insert(codes))
    }
}

/// The schemes, read beside the threads that serve others.
///
/// # Errors
/// When a file of a scheme cannot be read.
pub(crate) async fn read_set(schemes: &Arc<ConfiguredSchemes>) -> anyhow::Result<Arc<SchemeSet>> {
    let schemes = schemes.clone();
    Ok(tokio::task::spawn_blocking(move || schemes.set()).await??)
}
