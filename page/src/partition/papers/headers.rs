//! Headers of groups over the pages of a site (`[SP §5]`).
//!
//! The candidates of a group are the leaves between the previous group and this one. Four rules apply in order;
//! a later one never overrides an earlier one:
//! 1. *Bootstrap*: the only candidate of a group heads it.
//! 2. *Frequent label*: the closest candidate whose text is on several pages of the site.
//! 3. *Naive Bayes*: the classes are the headers that rule 1 found on the site, the features the words of the
//!    instances. The likeliest candidate that is such a header wins; on a tie, the closest.
//! 4. *Path-consistent*: once a candidate heads a group, the closest candidate with the same path heads each
//!    later group of the page.
//!
//! Invariant: a leaf heads at most one group, since it is a candidate of only one. Start at [`find_headers`].

use std::collections::{BTreeMap, BTreeSet};

use crate::contribution::labels::words;
use crate::reading::Page;

/// Least number of pages with a frequent label.
const FREQUENT: usize = 2;

/// A group that has no header yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HeadlessGroup {
    /// The leaves between the previous group and this one, in page order.
    pub(crate) candidates: Vec<usize>,
    /// The leaves of its instances.
    pub(crate) members: Vec<usize>,
}

/// For each page, the header of each group if a rule finds one. The pages are from one site; groups are in page
/// order.
pub(crate) fn find_headers(pages: &[(&Page, Vec<HeadlessGroup>)]) -> Vec<Vec<Option<usize>>> {
    let texts: Vec<Vec<String>> = pages.iter().map(|(page, _)| label_texts(page)).collect();
    let mut headers: Vec<Vec<Option<usize>>> =
        pages.iter().map(|(_, groups)| groups.iter().map(only_candidate).collect()).collect();
    let bayes = NaiveBayes::train(pages, &texts, &headers);
    let frequent = frequent_texts(&texts);
    for (((page, groups), texts), headers) in pages.iter().zip(&texts).zip(&mut headers) {
        for (group, header) in groups.iter().zip(headers.iter_mut()) {
            let is_frequent = |leaf: &usize| frequent.contains(texts[*leaf].as_str());
            *header = header
                .or_else(|| group.candidates.iter().copied().rfind(is_frequent))
                .or_else(|| bayes.likeliest(page, group, texts));
        }
        spread_by_path(page, groups, headers);
    }
    headers
}

fn only_candidate(group: &HeadlessGroup) -> Option<usize> {
    match group.candidates[..] {
        [only] => Some(only),
        _ => None,
    }
}

/// The leaves' texts as labels: lower case, words only.
fn label_texts(page: &Page) -> Vec<String> {
    (0..page.leaves.len()).map(|leaf| words(page.leaves.text(leaf)).join(" ")).collect()
}

/// Texts on at least [`FREQUENT`] pages.
fn frequent_texts(texts: &[Vec<String>]) -> BTreeSet<&str> {
    let mut pages: BTreeMap<&str, usize> = BTreeMap::new();
    for page in texts {
        let own: BTreeSet<&str> = page.iter().map(String::as_str).filter(|text| !text.is_empty()).collect();
        own.into_iter().for_each(|text| *pages.entry(text).or_default() += 1);
    }
    pages.into_iter().filter(|(_, pages)| *pages >= FREQUENT).map(|(text, _)| text).collect()
}

fn spread_by_path(page: &Page, groups: &[HeadlessGroup], headers: &mut [Option<usize>]) {
    let path = |leaf: usize| page.leaves.get(leaf).path;
    let mut header_paths = BTreeSet::new();
    for (group, header) in groups.iter().zip(headers) {
        *header = header
            .or_else(|| group.candidates.iter().copied().rfind(|&leaf| header_paths.contains(&path(leaf))));
        header_paths.extend(header.map(path));
    }
}

/// A naive Bayes classifier: word counts by header, with Laplace smoothing of 1.
#[derive(Default)]
struct NaiveBayes {
    classes: BTreeMap<String, HeaderClass>,
    vocabulary: BTreeSet<String>,
    groups: f64,
}

#[derive(Default)]
struct HeaderClass {
    groups: f64,
    words: BTreeMap<String, f64>,
    total: f64,
}

impl NaiveBayes {
    fn train(
        pages: &[(&Page, Vec<HeadlessGroup>)],
        texts: &[Vec<String>],
        headers: &[Vec<Option<usize>>],
    ) -> NaiveBayes {
        let mut bayes = NaiveBayes::default();
        for (((page, groups), texts), headers) in pages.iter().zip(texts).zip(headers) {
            for (group, header) in groups.iter().zip(headers) {
                let Some(header) = header.filter(|&leaf| !texts[leaf].is_empty()) else { continue };
                let class = bayes.classes.entry(texts[header].clone()).or_default();
                class.groups += 1.0;
                bayes.groups += 1.0;
                for word in member_words(page, group) {
                    *class.words.entry(word.clone()).or_default() += 1.0;
                    class.total += 1.0;
                    bayes.vocabulary.insert(word);
                }
            }
        }
        bayes
    }

    /// The candidate whose text is the likeliest class for the group's words.
    fn likeliest(&self, page: &Page, group: &HeadlessGroup, texts: &[String]) -> Option<usize> {
        let known_headers: Vec<(usize, &HeaderClass)> = group
            .candidates
            .iter()
            .rev()
            .filter_map(|&leaf| Some((leaf, self.classes.get(&texts[leaf])?)))
            .collect();
        let words: Vec<String> =
            if known_headers.is_empty() { Vec::new() } else { member_words(page, group).collect() };
        let best = known_headers.into_iter().map(|(leaf, class)| (leaf, self.likelihood(class, &words)));
        best.reduce(|best, next| if next.1 > best.1 { next } else { best }).map(|(leaf, _)| leaf)
    }

    /// ln P(class) + Σ ln P(word | class).
    fn likelihood(&self, class: &HeaderClass, words: &[String]) -> f64 {
        let all = class.total + self.vocabulary.len() as f64 + 1.0;
        let word = |word: &String| ((class.words.get(word).copied().unwrap_or_default() + 1.0) / all).ln();
        (class.groups / self.groups).ln() + words.iter().map(word).sum::<f64>()
    }
}

fn member_words<'a>(page: &'a Page, group: &'a HeadlessGroup) -> impl Iterator<Item = String> + use<'a> {
    group.members.iter().flat_map(|&leaf| words(page.leaves.text(leaf)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::testing::page;

    fn group(candidates: &[usize], members: &[usize]) -> HeadlessGroup {
        HeadlessGroup { candidates: candidates.to_vec(), members: members.to_vec() }
    }

    fn found(pages: &[(&Page, Vec<HeadlessGroup>)]) -> Vec<Vec<Option<usize>>> {
        find_headers(pages)
    }

    #[test]
    fn the_only_candidate_heads_its_group() {
        let page = page("<h2>Staff</h2><li>a<li>b<p>x<p>y<li>c<li>d");
        let groups = vec![group(&[0], &[1, 2]), group(&[3, 4], &[5, 6])];
        assert_eq!(found(&[(&page, groups)]), [[Some(0), None]]);
    }

    #[test]
    fn the_closest_label_that_recurs_on_the_site_heads() {
        let one = page("<p>Phones<p>new<li>a<li>b");
        let two = page("<p>Phones<p>Mail<li>c<li>d");
        let groups = || vec![group(&[0, 1], &[2, 3])];
        assert_eq!(found(&[(&one, groups()), (&two, groups())]), [[Some(0)], [Some(0)]]);
        assert_eq!(found(&[(&one, groups())]), [[None]]);
    }

    #[test]
    fn the_likeliest_of_the_sites_headers_heads() {
        let one = page(
            "<p>Teaching<li>algebra course<li>logic course<p>Papers<li>journal of logic<li>journal of sets",
        );
        let two = page("<p>Papers and more<p>Teaching<p>Papers<li>journal of graphs<li>journal of trees");
        let trained = vec![group(&[0], &[1, 2]), group(&[3], &[4, 5])];
        let asked = vec![group(&[0, 1, 2], &[3, 4])];
        let texts = [label_texts(&one), label_texts(&two)];
        let pages = [(&one, trained), (&two, asked)];
        let first = vec![vec![Some(0), Some(3)], vec![None]];
        let bayes = NaiveBayes::train(&pages, &texts, &first);
        assert_eq!(bayes.likeliest(&two, &pages[1].1[0], &texts[1]), Some(2));
    }

    #[test]
    fn headers_look_alike_further_down_and_not_above() {
        let page =
            page("<h2>x</h2><p>u</p><li>0<li>1</li><h2>y</h2><li>2<li>3</li><h2>z</h2><p>v</p><li>4<li>5");
        let groups = vec![group(&[0, 1], &[2, 3]), group(&[4], &[5, 6]), group(&[7, 8], &[9, 10])];
        assert_eq!(found(&[(&page, groups)]), [[None, Some(4), Some(7)]]);
    }

    proptest! {
        #[test]
        fn a_later_rule_never_overturns_the_bootstrap(sizes in prop::collection::vec((1usize..4, 1usize..4), 1..6)) {
            let page = page(&"<p>a</p><h2>b</h2><i>c</i>".repeat(12));
            let mut next = 0;
            let mut take = |n: usize| { next += n; (next - n..next).collect::<Vec<_>>() };
            let groups: Vec<HeadlessGroup> = sizes.iter()
                .map(|&(before, inside)| HeadlessGroup { candidates: take(before), members: take(inside) }).collect();
            let headers = find_headers(&[(&page, groups.clone()), (&page, groups.clone())]);
            for (group, header) in groups.iter().zip(&headers[0]) {
                if let [only] = group.candidates[..] {
                    prop_assert_eq!(*header, Some(only));
                }
                prop_assert!(header.is_none_or(|leaf| group.candidates.contains(&leaf)));
            }
        }
    }
}
