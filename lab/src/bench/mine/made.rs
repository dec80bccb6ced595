//! Generates sites whose pages count like real ones, without parsing a page.
//!
//! The model is the contributions of 700 pages of fourteen news sites: about 1,900 counters per page, mostly
//! for the site's menu and common words. So 64 pages of a site change about a sixth as many counters together
//! as one by one. Menus come from a pool of sections and services that all sites share. Stories appear on the
//! pages around their own time. Invariant: a page depends on its numbers alone.

use newslode_page::contribution::{
    Contribution, FiledUse, LabelUse, LinkUse, ListUse, NestedUse, PairUse, Role, TermUse, url_id,
};
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::splitmix::SplitMix;

/// Number of sections that sites draw their menus from, and of services.
const SECTIONS: u64 = 300;
const SERVICES: u64 = 60;
/// Number of sections that stand above all others.
const HEADS: u64 = 40;
/// Number of labels in one list of the menu.
const LIST: usize = 9;
/// Number of stories around a page's own time from which it draws.
const AROUND: u64 = 600;
/// Number of draws for a front page; about 178 are distinct, so it shows about 268 labels with its menu.
const FRONT_STORIES: u64 = 210;
/// Number of words; frequent words come first.
const VOCABULARY: f64 = 12_000.0;

/// Amounts of content on a page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Number of labels in the site's menu, and of services among them.
    menu: u64,
    services: u64,
    /// Number of stories that a page links.
    stories: u64,
    words: usize,
}

/// Amounts as on real pages.
pub(crate) const REAL: Shape = Shape { menu: 90, services: 15, stories: 13, words: 650 };
/// About a tenth of [`REAL`], for very many pages.
pub(crate) const SMALL: Shape = Shape { menu: 10, services: 2, stories: 2, words: 40 };

/// Pseudo-random numbers (splitmix64): the same on every machine.
pub(crate) struct Dice(SplitMix);

impl Dice {
    pub(crate) fn new(seed: &[u64]) -> Dice {
        let mut dice = Dice(SplitMix(0x6e65_7773_6c6f_6465));
        for part in seed {
            dice.0 = SplitMix(dice.next() ^ part);
        }
        dice
    }

    fn next(&mut self) -> u64 {
        self.0.draw()
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }

    /// A number from 0 to 1.
    pub(crate) fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Spells a number as a word of letters.
pub(crate) fn word(mut number: u64) -> String {
    const HEADS: &[u8] = b"bdfgklmnprstvz";
    const TAILS: &[u8] = b"aeiou";
    let mut word = String::new();
    for _ in 0..3 {
        for letters in [HEADS, TAILS] {
            let count = letters.len() as u64;
            word.push(char::from(letters[usize::try_from(number % count).unwrap_or(0)]));
            number /= count;
        }
    }
    word
}

/// A site with numbered pages: 0 is the front page, then come sections, then stories.
pub(crate) struct MadeSite {
    pub(crate) site: Site,
    number: u64,
    shape: Shape,
    /// Menu labels in order; services come last.
    menu: Vec<Item>,
}

struct Item {
    key: String,
    form: String,
    url: CanonicalUrl,
    is_service: bool,
    /// Index of its parent in the menu.
    below: Option<usize>,
}

impl MadeSite {
    /// Makes the site with this number.
    pub(crate) fn new(number: u64, shape: Shape) -> anyhow::Result<MadeSite> {
        let host = format!("{}{number}.example", word(number));
        let mut dice = Dice::new(&[number]);
        let mut items = std::collections::BTreeMap::new();
        while (items.len() as u64) < shape.menu {
            let is_service = items.len() as u64 >= shape.menu - shape.services;
            let pool = if is_service { SERVICES } else { SECTIONS };
            // Some sections are on nearly all sites, most on a few.
            let drawn = (dice.share().powi(2) * pool as f64) as u64;
            let name = word(if is_service { 1_000_000 + drawn } else { 2_000_000 + drawn });
            items.entry((is_service, drawn)).or_insert(name);
        }
        let places: Vec<(bool, u64)> = items.keys().copied().collect();
        let mut menu = Vec::new();
        for ((is_service, drawn), name) in items {
            let head = (false, drawn % HEADS);
            let below =
                (!is_service && drawn >= HEADS).then(|| places.iter().position(|place| *place == head));
            // A section lies below one with a lower number.
            let path = match drawn {
                _ if is_service => format!("/service?page={name}"),
                0..HEADS => format!("/{name}/"),
                _ => format!("/{}/{name}/", word(2_000_000 + drawn % HEADS)),
            };
            let form = name.chars().next().map_or(String::new(), |c| c.to_uppercase().to_string())
                + name.get(1..).unwrap_or_default();
            let url = format!("https://www.{host}{path}").parse()?;
            menu.push(Item { key: format!("en:{name}"), form, url, is_service, below: below.flatten() });
        }
        Ok(MadeSite { site: Site::of_host(&host), number, shape, menu })
    }

    fn sections(&self) -> u64 {
        self.shape.menu - self.shape.services
    }

    /// The address of a page.
    pub(crate) fn url(&self, page: u64) -> anyhow::Result<CanonicalUrl> {
        if page == 0 {
            return Ok(format!("https://www.{}/", self.site).parse()?);
        }
        let section = usize::try_from(page - 1).ok().and_then(|at| self.menu.get(at));
        match section.filter(|item| !item.is_service) {
            Some(section) => Ok(section.url.clone()),
            None => Ok(self.story(page)?.2),
        }
    }

    /// Key, form and address of a story.
    fn story(&self, number: u64) -> anyhow::Result<(String, String, CanonicalUrl)> {
        let mut dice = Dice::new(&[self.number, number, 1]);
        let words: Vec<String> = (0..7).map(|_| word(dice.below(12_000))).collect();
        let mut stems = words.clone();
        stems.sort();
        stems.dedup();
        let section = usize::try_from(dice.below(40)).ok().and_then(|at| self.menu.get(at));
        let folder = section.map_or("", |item| item.url.path()).trim_end_matches('/');
        let url = format!("https://www.{}{folder}/{}-{number}", self.site, words.join("-")).parse()?;
        Ok((format!("en:{}", stems.join(" ")), words.join(" "), url))
    }

    /// The contribution of a page at its `visit`-th fetch.
    pub(crate) fn page(&self, page: u64, visit: u64) -> anyhow::Result<Contribution> {
        let url = self.url(page)?;
        let mut dice = Dice::new(&[self.number, page, visit, 2]);
        let mut made = Contribution { language: Some("en".into()), ..Contribution::default() };
        for (at, item) in self.menu.iter().enumerate() {
            let mut roles = vec![Role::Any, Role::Link, Role::Inside];
            roles.push(if item.is_service { Role::Tail } else { Role::Spelled });
            made.labels.push(LabelUse { key: item.key.clone(), form: item.form.clone(), roles });
            made.links.push(link(&item.url, Some(&item.key)));
            if let Some(head) = item.below.and_then(|below| self.menu.get(below)) {
                let (broader, narrower) = (head.key.clone(), item.key.clone());
                made.pairs.push(PairUse { broader: broader.clone(), narrower: narrower.clone(), level: 1 });
                if at % 2 == 0 {
                    made.nested.push(NestedUse { broader, narrower });
                }
            }
        }
        for list in self.menu.chunks(LIST) {
            made.lists.push(list_of(list.iter().map(|item| item.key.clone())));
        }
        let count = if page == 0 { FRONT_STORIES } else { self.shape.stories };
        let mut numbers: Vec<u64> =
            (0..count).map(|_| self.sections() + 1 + page + dice.below(AROUND)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let mut stories = Vec::new();
        let mut shown = Vec::new();
        for number in numbers {
            let (key, form, at) = self.story(number)?;
            stories.push(url_id(&at));
            made.links.push(link(&at, Some(&key)));
            let roles = vec![Role::Any, Role::Link, Role::Inside, Role::Member];
            made.labels.push(LabelUse { key: key.clone(), form, roles });
            shown.push(key);
        }
        made.lists.push(list_of(shown.into_iter()));
        stories.sort();
        made.filed = Some(FiledUse { page: url_id(&url), stories });
        made.directories = self.menu.iter().take(5).map(|item| item.key.clone()).collect();
        made.directories.sort();
        made.terms = terms(&mut dice, self.shape.words);
        made.labels.sort_by(|a, b| a.key.cmp(&b.key));
        made.labels.dedup_by(|a, b| a.key == b.key);
        Ok(made)
    }
}

fn link(target: &CanonicalUrl, label: Option<&String>) -> LinkUse {
    LinkUse { target: target.clone(), label: label.cloned(), in_group: false, inside: true }
}

fn list_of(labels: impl Iterator<Item = String>) -> ListUse {
    let mut labels: Vec<String> = labels.collect();
    labels.sort();
    labels.dedup();
    ListUse { labels }
}

/// Draws words as in real texts: a word's frequency is one over its rank.
fn terms(dice: &mut Dice, words: usize) -> Vec<TermUse> {
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..words {
        let rank = VOCABULARY.powf(dice.share()) as u64;
        *counts.entry(word(3_000_000 + 7 * rank)).or_insert(0) += 1;
    }
    counts.into_iter().map(|(term, count)| TermUse { term, count }).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn a_page_is_a_function_of_its_numbers_and_like_a_real_one() {
        let site = MadeSite::new(5, REAL).unwrap();
        let same = MadeSite::new(5, REAL).unwrap();
        assert_eq!(site.page(200, 1).unwrap(), same.page(200, 1).unwrap());
        assert_ne!(site.page(200, 1).unwrap(), site.page(200, 2).unwrap());
        assert_ne!(MadeSite::new(6, REAL).unwrap().site, site.site);
        let pages: Vec<_> = (0..64).map(|page| site.page(page, 1).unwrap()).collect();
        let cells: Vec<_> = pages.iter().flat_map(Contribution::cells).collect();
        let distinct: BTreeSet<_> = cells.iter().map(|(cell, _)| cell).collect();
        let (all, distinct) = (cells.len() / 64, distinct.len() / 64);
        assert!((1_500..2_400).contains(&all) && (250..400).contains(&distinct), "{all} {distinct}");
        assert_eq!(site.page(0, 1).unwrap().labels.len(), 268);
        let urls: BTreeSet<_> = (0..500).map(|page| site.url(page).unwrap()).collect();
        assert_eq!(urls.len(), 500);
    }
}
