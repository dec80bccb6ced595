//! What one site teaches about filing, from a sample of the articles that its concept pages list.
//!
//! Lessons of sites are a sum: every site and every article may come in any order, and what was learnt is the same to the bit.
//! Places belong to one site, so they are settled with it; what is kept does not grow with the articles of a site.

use std::collections::BTreeMap;

use newslode_page::article::Article;
use newslode_page::reading::CanonicalUrl;

use super::catalogue::Number;
use super::places::{directories, section};
use super::shown::Tally;
use super::{Asked, Lessons, hash};
use crate::mining::members::Members;

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

impl Lessons {
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
}
