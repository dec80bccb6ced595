//! What articles teach about filing.
//!
//! Lessons are a sum: sites and articles may come in any order, and what was learnt is the same to the bit. A whole site
//! teaches from a sample of the articles that its concept pages list ([`Lessons::see_site`]). Places belong to one site,
//! so they are settled with it; what is kept does not grow with the articles of a site.

use std::collections::BTreeMap;

use newslode_page::article::Article;
use newslode_page::reading::CanonicalUrl;

use super::catalogue::{Catalogue, Number};
use super::direct::Plain;
use super::hash::hash;
use super::model::Filing;
use super::places::{Places, directories, section};
use super::shown::{Shown, Tally};
use super::witness::{Asked, Named, Witness};
use super::words::Library;
use crate::mining::members::Members;
use crate::mining::taxonomy::Taxonomy;

/// A site as it teaches.
#[derive(Clone, Debug, Default)]
pub struct Teacher {
    /// The concept pages that file stories of their own, with the concepts' keys.
    pub pages: BTreeMap<CanonicalUrl, Vec<String>>,
    /// What they list.
    pub members: Members,
    /// Some of these articles, each with the listing that showed it first.
    pub articles: Vec<(Article, Option<CanonicalUrl>)>,
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
    plain: Plain,
    places: Places,
    shown: Shown,
    library: Library,
}

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

    /// Adds a site. None of its articles may be added in another way.
    pub fn see_site(&mut self, teacher: &Teacher) {
        for (address, listed) in &teacher.members {
            let listed = self.plain.numbers(listed);
            self.places.see(directories(address.as_str()), listed.into_iter());
        }
        let mut tally = Tally::default();
        for (article, found_on) in &teacher.articles {
            let asked = Asked { found_on: found_on.as_ref(), ..Asked::member(article, &teacher.members) };
            let named = self.plain.named(asked);
            self.places.see(section(article), named.keys().copied());
            self.read(article, &named);
            if let Some(keys) = found_on.as_ref().and_then(|page| teacher.pages.get(page)) {
                let said = self.plain.numbers(keys);
                let catalogue = &self.plain.catalogue;
                let agrees =
                    |own: &Number| said.iter().any(|page| page == own || catalogue.is_broader(*page, *own));
                tally.articles += 1;
                tally.right += i64::from(named.keys().any(agrees));
            }
        }
        self.places.settle();
        let pages = teacher.pages.iter().map(|(page, keys)| (page, self.plain.numbers(keys)));
        self.shown.add(&tally, pages);
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
