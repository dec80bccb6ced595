//! The witnesses that need no learning: lists, sections and addresses.

use newslode_page::reading::CanonicalUrl;
use serde::{Deserialize, Serialize};

use super::catalogue::{Catalogue, Number};
use super::witness::{Asked, Named, Witness};

/// Filing without anything learnt.
#[derive(Serialize, Deserialize)]
pub(super) struct Plain {
    pub(super) catalogue: Catalogue,
    #[serde(skip)]
    pub(super) hidden: Option<Witness>,
}

impl Plain {
    /// The concepts that a witness names without having learnt.
    pub(super) fn says(&self, asked: Asked<'_>, url: Option<&CanonicalUrl>, witness: Witness) -> Vec<Number> {
        let language = asked.article.language.as_deref();
        let names = &self.catalogue.names;
        match witness {
            Witness::List => asked.listed.map_or_else(Vec::new, |listed| self.numbers(listed)),
            Witness::Section => {
                let section = asked.article.section.as_ref();
                section.map_or_else(Vec::new, |section| names.of(section, language))
            }
            Witness::Address => url.map_or_else(Vec::new, |url| names.of_address(url, language)),
            Witness::Place | Witness::Words => Vec::new(),
        }
    }

    pub(super) fn named(&self, asked: Asked<'_>) -> Named {
        let url = asked.article.url.parse::<CanonicalUrl>().ok();
        let mut named = Named::new();
        for witness in Witness::ALL.into_iter().filter(|witness| self.hidden != Some(*witness)) {
            for concept in self.says(asked, url.as_ref(), witness) {
                named.entry(concept).or_insert(witness);
            }
        }
        named
    }

    pub(super) fn numbers<'k>(&self, keys: impl IntoIterator<Item = &'k String>) -> Vec<Number> {
        keys.into_iter().filter_map(|key| self.catalogue.number(key)).collect()
    }
}
