//! What articles teach about filing.
//!
//! Lessons are a sum: sites and articles may come in any order, and what was learnt is the same to the bit. A whole site
//! teaches from a sample of the articles that its concept pages list ([`Lessons::add_site`]). Places belong to one site,
//! so they are decided once all of its articles are added, and memory does not grow with the articles of a site.

use std::collections::BTreeMap;

use newslode_page::article::Article;
use newslode_page::reading::CanonicalUrl;

use super::catalogue::{Catalogue, Number};
use super::direct::{DirectWitnesses, place_of_site};
use super::hash::hash;
use super::model::{ConceptCodes, Filing};
use super::places::{Places, directories, section};
use super::shown::{FirstShown, FirstShownTally};
use super::topics::Topics;
use super::within::WithinTally;
use super::witness::{ArticleEvidence, Named, Witness};
use super::words::Corpus;
use crate::mining::corrections::Corrections;
use crate::mining::members::Members;
use crate::mining::schemes::KnownLabels;
use crate::mining::site_scheme::Place;
use crate::mining::taxonomy::Taxonomy;

/// A site as it teaches.
#[derive(Clone, Debug, Default)]
pub struct Teacher {
    /// The concept pages that file stories of their own, with the concepts' keys.
    pub pages: BTreeMap<CanonicalUrl, Vec<String>>,
    /// What they list.
    pub members: Members,
    /// Some of these articles.
    pub articles: Vec<TaughtArticle>,
}

/// An article of a site as it teaches.
#[derive(Clone, Debug)]
pub struct TaughtArticle {
    /// The article.
    pub article: Article,
    /// The listing that showed it first.
    pub found_on: Option<CanonicalUrl>,
    /// Its places in its site's own scheme.
    pub places: Vec<Place>,
}

/// The addresses with the smallest hashes, smallest first: a sample that does not depend on who else is there.
#[must_use]
pub fn sample<'m>(addresses: impl Iterator<Item = &'m CanonicalUrl>, most: usize) -> Vec<&'m CanonicalUrl> {
    let mut hashed: Vec<(u64, &CanonicalUrl)> =
        addresses.map(|address| (hash(address.as_str()), address)).collect();
    hashed.sort_unstable();
    hashed.truncate(most);
    hashed.into_iter().map(|(_, address)| address).collect()
}

/// What articles teach about filing.
pub struct Lessons {
    direct: DirectWitnesses,
    places: Places,
    within: WithinTally,
    shown: FirstShown,
    corpus: Corpus,
    codes: ConceptCodes,
}

impl Lessons {
    /// Lessons of no article yet.
    #[must_use]
    pub fn new(taxonomy: &Taxonomy) -> Lessons {
        Lessons::without(taxonomy, None)
    }

    /// The same without a witness: neither is it evidence, nor does anything learn from it.
    #[must_use]
    pub fn without(taxonomy: &Taxonomy, hidden: Option<Witness>) -> Lessons {
        let direct = DirectWitnesses {
            catalogue: Catalogue::new(taxonomy),
            mapped: BTreeMap::new(),
            topics: Topics::default(),
            hidden,
        };
        Lessons {
            direct,
            places: Places::default(),
            within: WithinTally::default(),
            shown: FirstShown::default(),
            corpus: Corpus::default(),
            codes: ConceptCodes::new(taxonomy),
        }
    }

    /// Takes over the names that these schemes have of the concepts of the taxonomy.
    #[must_use]
    pub fn knowing(mut self, taxonomy: &Taxonomy, known: &KnownLabels) -> Lessons {
        self.direct.topics = Topics::new(taxonomy, known);
        self
    }

    /// Takes over the places of sites that editors mapped to concepts. Those whose concept is none now are left out.
    #[must_use]
    pub fn mapping(mut self, corrections: &Corrections) -> Lessons {
        for (site, label, key) in corrections.maps() {
            if let Some(concept) = self.direct.catalogue.names.concept_of_key(key) {
                self.direct.mapped.insert(place_of_site(site.as_str(), label), concept);
            }
        }
        self
    }

    /// Adds an article.
    pub fn add(&mut self, evidence: ArticleEvidence<'_>) {
        let named = self.direct.all_concepts(evidence);
        let places = section(evidence.article).into_iter().chain(directories(&evidence.article.url));
        self.places.add(places, named.keys().copied());
        self.add_within(evidence, &named);
        self.add_words(evidence.article, &named);
    }

    /// Adds a site. None of its articles may be added in another way.
    pub fn add_site(&mut self, teacher: &Teacher) {
        for (address, listed) in &teacher.members {
            let listed = self.direct.numbers(listed);
            self.places.add(directories(address.as_str()), listed.into_iter());
        }
        let mut tally = FirstShownTally::default();
        for TaughtArticle { article, found_on, places } in &teacher.articles {
            let evidence = ArticleEvidence {
                found_on: found_on.as_ref(),
                places,
                ..ArticleEvidence::member(article, &teacher.members)
            };
            let named = self.direct.all_concepts(evidence);
            self.places.add(section(article), named.keys().copied());
            self.add_within(evidence, &named);
            self.add_words(article, &named);
            if let Some(keys) = found_on.as_ref().and_then(|page| teacher.pages.get(page)) {
                let said = self.direct.numbers(keys);
                let catalogue = &self.direct.catalogue;
                let agrees =
                    |own: &Number| said.iter().any(|page| page == own || catalogue.is_broader(*page, *own));
                tally.articles += 1;
                tally.right += i64::from(named.keys().any(agrees));
            }
        }
        self.places.settle();
        self.within.settle(&self.direct.catalogue);
        let pages = teacher.pages.iter().map(|(page, keys)| (page, self.direct.numbers(keys)));
        self.shown.add(&tally, pages);
    }

    fn add_within(&mut self, evidence: ArticleEvidence<'_>, named: &Named) {
        let places = self.direct.nameless_places(evidence);
        self.within.add(&self.direct.catalogue, &evidence.article.site, places, named.keys().copied());
    }

    fn add_words(&mut self, article: &Article, named: &Named) {
        if self.direct.hidden != Some(Witness::Words) {
            self.corpus.add(&self.direct.catalogue, article, named);
        }
    }

    /// What the articles taught.
    #[must_use]
    pub fn learn(self) -> Filing {
        let Lessons { direct, places, within, shown, corpus, codes } = self;
        let classifier = corpus.train(&direct.catalogue);
        let (places, within) = (places.agreed(), within.places(&direct.catalogue));
        Filing { direct, places, within, shown, classifier, codes }
    }
}
