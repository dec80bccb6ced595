//! Filing: which concepts an article belongs to, who says so, and how far to trust it.
//!
//! Witnesses, most trusted first: lists of concept pages ([`members`](crate::mining::members)), and before a list is counted the concept
//! page that showed the article first (`shown`); the article's own section;
//! a directory of its address that is spelled like a concept; a section or directory whose other articles agree (`places`);
//! and where none of these speaks, its words (`words`). A filing that was learnt is believed only if nine in ten of what it
//! was learnt from agree; words only as far as they are right on sites that they were not learnt from.
//!
//! Pure: equal articles in any order are filed alike; callers read them by site and address. Start at [`Lessons`]. What was
//! learnt is a value that can be kept: it names concepts by their numbers in a catalogue of its own.

use std::collections::{BTreeMap, BTreeSet};

use newslode_page::article::Article;
use newslode_page::contribution::names::{bits, name};
use newslode_page::reading::CanonicalUrl;
use serde::{Deserialize, Serialize};

use crate::mining::members::Members;
use crate::mining::taxonomy::Taxonomy;

mod catalogue;
mod names;
mod places;
mod shown;
mod site;
mod words;

use catalogue::{Catalogue, Number};
use places::{Agreed, Places, directories, section};
use shown::Shown;
pub use site::{Teacher, sample};
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
#[derive(Clone, Debug, PartialEq)]
pub struct Filed {
    /// The concept's key.
    pub concept: String,
    /// The concept's label.
    pub label: String,
    /// The most trusted witness that says so.
    pub witness: Witness,
    /// 0 to 1.
    pub confidence: f32,
}

/// An article that is to be filed, and what others say of it.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    /// The article.
    pub article: &'a Article,
    /// Keys of the concepts whose pages list it.
    pub listed: Option<&'a BTreeSet<String>>,
    /// The listing that showed it first.
    pub found_on: Option<&'a CanonicalUrl>,
}

impl<'a> Asked<'a> {
    /// An article of which lists are known.
    #[must_use]
    pub fn member(article: &'a Article, members: &'a Members) -> Asked<'a> {
        let url = article.url.parse::<CanonicalUrl>().ok();
        Asked { article, listed: url.and_then(|url| members.get(&url)), found_on: None }
    }
}

/// What articles teach about filing.
pub struct Lessons {
    plain: Plain,
    places: Places,
    shown: Shown,
    library: Library,
}

/// Filing without anything learnt.
#[derive(Serialize, Deserialize)]
struct Plain {
    catalogue: Catalogue,
    #[serde(skip)]
    hidden: Option<Witness>,
}

/// The concepts of an article that witnesses name without having learnt, each with its best witness.
type Named = BTreeMap<Number, Witness>;

impl Lessons {
    /// Lessons of no article yet.
    #[must_use]
    pub fn new(taxonomy: &Taxonomy) -> Lessons {
        Lessons::without(taxonomy, None)
    }

    /// The same without a witness: neither is it asked, nor does anything learn from it.
    #[must_use]
    pub fn without(taxonomy: &Taxonomy, hidden: Option<Witness>) -> Lessons {
        let plain = Plain { catalogue: Catalogue::new(taxonomy), hidden };
        Lessons { plain, places: Places::default(), shown: Shown::default(), library: Library::default() }
    }

    /// Adds an article.
    pub fn see(&mut self, asked: Asked<'_>) {
        let named = self.plain.named(asked);
        let places = section(asked.article).into_iter().chain(directories(&asked.article.url));
        self.places.see(places, named.keys().copied());
        self.read(asked.article, &named);
    }

    fn read(&mut self, article: &Article, named: &Named) {
        if self.plain.hidden != Some(Witness::Words) {
            self.library.see(&self.plain.catalogue, article, named);
        }
    }

    /// What the articles taught.
    #[must_use]
    pub fn learn(self) -> Filing {
        let Lessons { plain, places, shown, library } = self;
        let reader = library.reader(&plain.catalogue);
        Filing { plain, places: places.agreed(), shown, reader }
    }
}

impl Plain {
    /// The concepts that a witness names without having learnt.
    fn says(&self, asked: Asked<'_>, url: Option<&CanonicalUrl>, witness: Witness) -> Vec<Number> {
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

    fn named(&self, asked: Asked<'_>) -> Named {
        let url = asked.article.url.parse::<CanonicalUrl>().ok();
        let mut named = Named::new();
        for witness in Witness::ALL.into_iter().filter(|witness| self.hidden != Some(*witness)) {
            for concept in self.says(asked, url.as_ref(), witness) {
                named.entry(concept).or_insert(witness);
            }
        }
        named
    }

    fn numbers<'k>(&self, keys: impl IntoIterator<Item = &'k String>) -> Vec<Number> {
        keys.into_iter().filter_map(|key| self.catalogue.number(key)).collect()
    }
}

/// Files articles.
#[derive(Serialize, Deserialize)]
pub struct Filing {
    plain: Plain,
    places: Agreed,
    shown: Shown,
    reader: Reader,
}

impl Filing {
    /// The keys of the concepts that one witness names; nothing for those that learn.
    #[must_use]
    pub fn says(&self, asked: Asked<'_>, witness: Witness) -> Vec<&str> {
        let url = asked.article.url.parse().ok();
        let said = self.plain.says(asked, url.as_ref(), witness);
        said.into_iter().filter_map(|number| Some(self.plain.catalogue.get(number)?.key.as_str())).collect()
    }

    /// The concepts that an article is filed under, by key.
    #[must_use]
    pub fn of(&self, asked: Asked<'_>) -> Vec<Filed> {
        let mut found: BTreeMap<Number, (Witness, f32)> = BTreeMap::new();
        for (concept, witness) in self.plain.named(asked) {
            found.insert(concept, (witness, witness.trust()));
        }
        for (concept, share) in asked.found_on.into_iter().flat_map(|page| self.shown.on(page)) {
            if found.get(&concept).is_none_or(|(witness, _)| *witness > Witness::List) {
                found.insert(concept, (Witness::List, share));
            }
        }
        if self.plain.hidden != Some(Witness::Place) {
            for (concept, agreement) in self.places.of(asked.article) {
                found.entry(concept).or_insert((Witness::Place, agreement));
            }
        }
        if !found.keys().any(|concept| self.plain.catalogue.is_subject(*concept))
            && let Some((concept, confidence)) = self.reader.read(asked.article)
        {
            found.entry(concept).or_insert((Witness::Words, confidence));
        }
        let filed = |(number, (witness, confidence))| {
            let concept = self.plain.catalogue.get(number)?;
            Some(Filed { concept: concept.key.clone(), label: concept.label.clone(), witness, confidence })
        };
        found.into_iter().filter_map(filed).collect()
    }

    /// Forgets what was learnt about a witness; the others stay as they are.
    pub fn forget(&mut self, witness: Witness) {
        match witness {
            Witness::List => self.shown = Shown::default(),
            Witness::Place => self.places = Agreed::default(),
            Witness::Words => self.reader = Reader::default(),
            Witness::Section | Witness::Address => {}
        }
    }
}

/// A hash that is the same on every machine.
fn hash(text: &str) -> u64 {
    bits(&name(text)).unwrap_or_default()
}

#[cfg(test)]
mod tests;
