//! The result of the lessons: a value that files articles. See [`Filing`].

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::catalogue::Number;
use super::direct::DirectWitnesses;
use super::places::AgreedPlaces;
use super::shown::FirstShown;
use super::topics::Topics;
use super::within::PlacesWithin;
use super::witness::{ArticleEvidence, Filed, Witness};
use super::words::WordClassifier;
use crate::mining::schemes::{SchemeSet, align_label, codes_of};
use crate::mining::site_scheme::Place;
use crate::mining::taxonomy::Taxonomy;

/// Files articles.
#[derive(Serialize, Deserialize)]
pub struct Filing {
    pub(super) direct: DirectWitnesses,
    pub(super) places: AgreedPlaces,
    pub(super) within: PlacesWithin,
    pub(super) shown: FirstShown,
    pub(super) classifier: WordClassifier,
    pub(super) codes: ConceptCodes,
}

/// The codes of concepts in schemes from outside.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct ConceptCodes {
    /// By the key of a concept that has some.
    by_concept: BTreeMap<String, Vec<String>>,
    /// Digest of the schemes.
    schemes: String,
}

impl ConceptCodes {
    pub(super) fn new(taxonomy: &Taxonomy) -> ConceptCodes {
        let coded = taxonomy.concepts.iter().map(|concept| (concept.key.clone(), codes_of(&concept.aligned)));
        let by_concept = coded.filter(|(_, codes)| !codes.is_empty()).collect();
        ConceptCodes { by_concept, schemes: taxonomy.schemes.clone() }
    }
}

impl Filing {
    /// The keys of the concepts that one witness names; nothing for those that learn.
    #[must_use]
    pub fn concepts_by(&self, evidence: ArticleEvidence<'_>, witness: Witness) -> Vec<&str> {
        let url = evidence.article.url.parse().ok();
        let said = self.direct.concepts_by(evidence, url.as_ref(), witness);
        said.into_iter().filter_map(|number| Some(self.direct.catalogue.get(number)?.key.as_str())).collect()
    }

    /// The concepts that an article is filed under, by key.
    #[must_use]
    pub fn file(&self, evidence: ArticleEvidence<'_>) -> Vec<Filed> {
        let mut found: BTreeMap<Number, (Witness, f32)> = BTreeMap::new();
        for (concept, witness) in self.direct.all_concepts(evidence) {
            found.insert(concept, (witness, witness.trust()));
        }
        for (concept, share) in evidence.found_on.into_iter().flat_map(|page| self.shown.concepts_of(page)) {
            if found.get(&concept).is_none_or(|(witness, _)| *witness > Witness::List) {
                found.insert(concept, (Witness::List, share));
            }
        }
        if self.direct.hidden != Some(Witness::Place) {
            for (concept, agreement) in self.places.concepts_of(evidence.article) {
                found.entry(concept).or_insert((Witness::Place, agreement));
            }
            let (catalogue, places) = (&self.direct.catalogue, self.direct.nameless_places(evidence));
            for (concept, share) in self.within.concepts_of(catalogue, places, found.keys().copied()) {
                found.entry(concept).or_insert((Witness::Place, share));
            }
        }
        if !found.keys().any(|concept| self.direct.catalogue.is_subject(*concept))
            && let Some((concept, confidence)) = self.classifier.classify(evidence.article)
        {
            found.entry(concept).or_insert((Witness::Words, confidence));
        }
        let filed = |(number, (witness, confidence))| {
            let concept = self.direct.catalogue.get(number)?;
            Some(Filed { concept: concept.key.clone(), label: concept.label.clone(), witness, confidence })
        };
        found.into_iter().filter_map(filed).collect()
    }

    /// The codes of an article that is filed under these concepts and has these places, sorted. The labels of places are looked up
    /// in `set` if the concepts were aligned to the same schemes.
    #[must_use]
    pub fn codes(
        &self,
        filed: &[Filed],
        places: &[Place],
        language: Option<&str>,
        set: Option<&SchemeSet>,
    ) -> Vec<String> {
        let of_concepts = filed.iter().filter_map(|filed| self.codes.by_concept.get(&filed.concept));
        let mut codes: BTreeSet<String> = of_concepts.flatten().cloned().collect();
        if let Some(set) = set.filter(|set| set.digest() == self.codes.schemes) {
            codes.extend(places.iter().flat_map(|place| codes_of(&align_label(set, &place.label, language))));
        }
        codes.into_iter().collect()
    }

    /// Forgets what was learnt about a witness; the others stay as they are.
    pub fn forget(&mut self, witness: Witness) {
        match witness {
            Witness::List => self.shown = FirstShown::default(),
            Witness::Place => {
                (self.places, self.within) = (AgreedPlaces::default(), PlacesWithin::default());
            }
            Witness::Words => self.classifier = WordClassifier::default(),
            Witness::Topic => self.direct.topics = Topics::default(),
            Witness::Scheme | Witness::Section | Witness::Address => {}
        }
    }
}
