//! Who says that an article belongs to a concept, and what they say.

use std::collections::{BTreeMap, BTreeSet};

use newslode_page::article::Article;
use newslode_page::reading::CanonicalUrl;
use serde::{Deserialize, Serialize};

use super::catalogue::Number;
use crate::mining::members::Members;
use crate::mining::site_scheme::Place;

/// Who says that an article belongs to a concept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Witness {
    /// Its site's own scheme has it in a place that is named like the concept.
    Scheme,
    /// A page of the concept lists it.
    List,
    /// Its own section is named like the concept.
    Section,
    /// A directory of its address is named like the concept.
    Address,
    /// One of its places has another name of the concept, by a scheme that comes with the product.
    Topic,
    /// Articles of the site with the same section, in the same directory or in the same place belong to the concept.
    Place,
    /// It uses the words of the concept's articles.
    Words,
}

impl Witness {
    /// All witnesses, most trusted first.
    pub const ALL: [Witness; 7] = [
        Witness::Scheme,
        Witness::List,
        Witness::Section,
        Witness::Address,
        Witness::Topic,
        Witness::Place,
        Witness::Words,
    ];

    /// The witness's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Witness::Scheme => "scheme",
            Witness::List => "list",
            Witness::Section => "section",
            Witness::Address => "address",
            Witness::Topic => "topic",
            Witness::Place => "place",
            Witness::Words => "words",
        }
    }

    /// Its confidence if nothing was learnt about it. Chosen, not measured, for sections; docs/results.md has what was seen
    /// of lists and addresses.
    pub(super) fn trust(self) -> f32 {
        match self {
            Witness::List | Witness::Topic | Witness::Place | Witness::Words => 0.9,
            Witness::Scheme | Witness::Section => 0.98,
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

/// An article to file, and what else is known about it.
#[derive(Clone, Copy, Debug)]
pub struct ArticleEvidence<'a> {
    /// The article.
    pub article: &'a Article,
    /// Keys of the concepts whose pages list it.
    pub listed: Option<&'a BTreeSet<String>>,
    /// The listing that showed it first.
    pub found_on: Option<&'a CanonicalUrl>,
    /// Its places in its site's own scheme.
    pub places: &'a [Place],
}

impl<'a> ArticleEvidence<'a> {
    /// An article, with the lists that contain it.
    #[must_use]
    pub fn member(article: &'a Article, members: &'a Members) -> ArticleEvidence<'a> {
        let url = article.url.parse::<CanonicalUrl>().ok();
        let listed = url.and_then(|url| members.get(&url));
        ArticleEvidence { article, listed, found_on: None, places: &[] }
    }
}

/// The concepts of an article that witnesses name without having learnt, each with its best witness.
pub(super) type Named = BTreeMap<Number, Witness>;
