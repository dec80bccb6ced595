//! Filing: which concepts an article belongs to, who says so, and how far to trust it.
//!
//! Witnesses, most trusted first: lists of concept pages ([`members`](crate::mining::members)); the article's own section;
//! a directory of its address that is spelled like a concept; a section or directory whose other articles agree ([`places`]);
//! and where none of these speaks, its words ([`words`]). A filing that was learnt is believed only if nine in ten of what it
//! was learnt from agree; words only as far as they are right on sites that they were not learnt from.
//!
//! Pure: equal articles in equal order are filed alike; callers read them by site and address. Start at [`Lessons`].

use std::collections::BTreeMap;

use newslode_page::article::Article;
use newslode_page::reading::CanonicalUrl;
use serde::{Deserialize, Serialize};

use crate::mining::members::Members;
use crate::mining::taxonomy::Taxonomy;

mod names;
mod places;
mod words;

use names::Names;
use places::Places;
use words::{Library, Reader};

/// Who says that an article belongs to a concept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Witness {
    /// A page of the concept lists it.
    List,
    /// Its own section is named like the concept.
    Section,
    /// A directory of its address is named like the concept.
    Address,
    /// Articles of the site with the same section or in the same directory belong to the concept.
    Place,
    /// It uses the words of the concept's articles.
    Words,
}

impl Witness {
    /// All witnesses, most trusted first.
    pub const ALL: [Witness; 5] =
        [Witness::List, Witness::Section, Witness::Address, Witness::Place, Witness::Words];

    /// The witness's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Witness::List => "list",
            Witness::Section => "section",
            Witness::Address => "address",
            Witness::Place => "place",
            Witness::Words => "words",
        }
    }

    /// How far it is trusted if nothing was learnt about it. Chosen, not measured, for sections; docs/results.md has what was seen
    /// of lists and addresses.
    fn trust(self) -> f32 {
        match self {
            Witness::List | Witness::Place | Witness::Words => 0.9,
            Witness::Section => 0.98,
            Witness::Address => 0.95,
        }
    }
}

/// An article's place under a concept.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Filed {
    /// The concept's key.
    pub concept: String,
    /// The most trusted witness that says so.
    pub witness: Witness,
    /// 0 to 1.
    pub confidence: f32,
}

/// What articles teach about filing.
pub struct Lessons<'a> {
    plain: Plain<'a>,
    places: Places<'a>,
    library: Library<'a>,
}

/// Filing without anything learnt.
struct Plain<'a> {
    taxonomy: &'a Taxonomy,
    members: &'a Members,
    names: Names<'a>,
    hidden: Option<Witness>,
}

/// The concepts of an article that witnesses name without having learnt, each with its best witness.
type Named<'a> = BTreeMap<&'a str, Witness>;

impl<'a> Lessons<'a> {
    /// Lessons of no article yet.
    #[must_use]
    pub fn new(taxonomy: &'a Taxonomy, members: &'a Members) -> Lessons<'a> {
        Lessons::without(taxonomy, members, None)
    }

    /// The same without a witness: neither is it asked, nor does anything learn from it.
    #[must_use]
    pub fn without(taxonomy: &'a Taxonomy, members: &'a Members, hidden: Option<Witness>) -> Lessons<'a> {
        let plain = Plain { taxonomy, members, names: Names::new(taxonomy), hidden };
        Lessons { plain, places: Places::default(), library: Library::new(taxonomy) }
    }

    /// Adds an article.
    pub fn see(&mut self, article: &Article) {
        let named = self.plain.named(article);
        self.places.see(article, &named);
        if self.plain.hidden != Some(Witness::Words) {
            self.library.see(article, &named);
        }
    }

    /// What the articles taught.
    #[must_use]
    pub fn learn(self) -> Filing<'a> {
        Filing { plain: self.plain, places: self.places, reader: self.library.reader() }
    }
}

impl<'a> Plain<'a> {
    /// The concepts that a witness names without having learnt.
    fn says(&self, article: &Article, url: Option<&CanonicalUrl>, witness: Witness) -> Vec<&'a str> {
        let language = article.language.as_deref();
        match witness {
            Witness::List => {
                let listed = url.and_then(|url| self.members.get(url));
                listed.into_iter().flatten().map(String::as_str).collect()
            }
            Witness::Section => {
                article.section.as_ref().map_or_else(Vec::new, |section| self.names.of(section, language))
            }
            Witness::Address => url.map_or_else(Vec::new, |url| self.names.of_address(url, language)),
            Witness::Place | Witness::Words => Vec::new(),
        }
    }

    fn named(&self, article: &Article) -> Named<'a> {
        let url = article.url.parse::<CanonicalUrl>().ok();
        let mut named = Named::new();
        for witness in Witness::ALL.into_iter().filter(|witness| self.hidden != Some(*witness)) {
            for concept in self.says(article, url.as_ref(), witness) {
                named.entry(concept).or_insert(witness);
            }
        }
        named
    }
}

/// Files articles.
pub struct Filing<'a> {
    plain: Plain<'a>,
    places: Places<'a>,
    reader: Reader<'a>,
}

impl Filing<'_> {
    /// The concepts that one witness names; nothing for those that learn.
    #[must_use]
    pub fn says(&self, article: &Article, witness: Witness) -> Vec<&str> {
        self.plain.says(article, article.url.parse().ok().as_ref(), witness)
    }

    /// The concepts that an article is filed under, by key.
    #[must_use]
    pub fn of(&self, article: &Article) -> Vec<Filed> {
        let named = self.plain.named(article);
        let mut found: BTreeMap<&str, (Witness, f32)> =
            named.iter().map(|(concept, witness)| (*concept, (*witness, witness.trust()))).collect();
        if self.plain.hidden != Some(Witness::Place) {
            for (concept, agreement) in self.places.of(article) {
                found.entry(concept).or_insert((Witness::Place, agreement));
            }
        }
        let is_subject =
            |concept: &&str| self.plain.taxonomy.concept(concept).is_some_and(|found| !found.is_genre);
        if !found.keys().any(is_subject)
            && let Some((concept, confidence)) = self.reader.read(article)
        {
            found.entry(concept).or_insert((Witness::Words, confidence));
        }
        let filed = |(concept, (witness, confidence)): (&str, _)| Filed {
            concept: concept.to_owned(),
            witness,
            confidence,
        };
        found.into_iter().map(filed).collect()
    }
}

#[cfg(test)]
mod tests;
