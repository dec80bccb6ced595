//! The witnesses that need no learning: lists, sections and addresses.

use std::collections::BTreeMap;

use newslode_page::article::Article;
use newslode_page::reading::CanonicalUrl;
use serde::{Deserialize, Serialize};

use super::catalogue::{Catalogue, Number};
use super::topics::Topics;
use super::witness::{ArticleEvidence, Named, Witness};
use crate::mining::site_scheme::{Place, folded};

/// The name of a place of a site.
pub(super) fn place_of_site(site: &str, label: &str) -> String {
    format!("{site} {}", folded(label))
}

/// The witnesses that need no learning, with the catalogue of concepts that they name.
#[derive(Serialize, Deserialize)]
pub(super) struct DirectWitnesses {
    pub(super) catalogue: Catalogue,
    /// Places of sites that editors mapped to concepts, by [`place_of_site`].
    pub(super) mapped: BTreeMap<String, Number>,
    /// Names of concepts in schemes.
    pub(super) topics: Topics,
    #[serde(skip)]
    pub(super) hidden: Option<Witness>,
}

impl DirectWitnesses {
    /// The concepts that a witness names without having learnt.
    pub(super) fn concepts_by(
        &self,
        evidence: ArticleEvidence<'_>,
        url: Option<&CanonicalUrl>,
        witness: Witness,
    ) -> Vec<Number> {
        let language = evidence.article.language.as_deref();
        let names = &self.catalogue.names;
        match witness {
            Witness::Scheme => {
                let places = evidence.places.iter();
                places.filter_map(|place| self.concept_of_place(evidence.article, place)).collect()
            }
            Witness::List => evidence.listed.map_or_else(Vec::new, |listed| self.numbers(listed)),
            Witness::Section => {
                let section = evidence.article.section.as_ref();
                section.map_or_else(Vec::new, |section| names.concepts_of_section(section, language))
            }
            Witness::Address => url.map_or_else(Vec::new, |url| names.concepts_of_url(url, language)),
            Witness::Topic => {
                let nameless = |place: &&Place| self.concept_of_place(evidence.article, place).is_none();
                let places = evidence.places.iter().filter(nameless);
                let catalogue = &self.catalogue;
                places.filter_map(|place| self.topics.concept_of(place, language, catalogue)).collect()
            }
            Witness::Place | Witness::Words => Vec::new(),
        }
    }

    /// The places of an article that name no concept, by [`place_of_site`].
    pub(super) fn nameless_places<'e>(
        &'e self,
        evidence: ArticleEvidence<'e>,
    ) -> impl Iterator<Item = String> + 'e {
        let ArticleEvidence { article, places, .. } = evidence;
        let places = places.iter().filter(|place| self.concept_of_place(article, place).is_none());
        places.map(|place| place_of_site(&article.site, &place.label))
    }

    /// The concept that a place of an article names, or to which an editor mapped it.
    fn concept_of_place(&self, article: &Article, place: &Place) -> Option<Number> {
        let mapped = || self.mapped.get(&place_of_site(&article.site, &place.label));
        let mapped = if self.mapped.is_empty() { None } else { mapped() };
        let named = || self.catalogue.names.concept_of_label(&place.label, article.language.as_deref());
        mapped.copied().or_else(named)
    }

    pub(super) fn all_concepts(&self, evidence: ArticleEvidence<'_>) -> Named {
        let url = evidence.article.url.parse::<CanonicalUrl>().ok();
        let mut named = Named::new();
        for witness in Witness::ALL.into_iter().filter(|witness| self.hidden != Some(*witness)) {
            for concept in self.concepts_by(evidence, url.as_ref(), witness) {
                named.entry(concept).or_insert(witness);
            }
        }
        named
    }

    pub(super) fn numbers<'k>(&self, keys: impl IntoIterator<Item = &'k String>) -> Vec<Number> {
        keys.into_iter().filter_map(|key| self.catalogue.number(key)).collect()
    }
}
