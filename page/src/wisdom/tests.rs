//! Compares WISDOM with a plain transcription on random pages, and checks it on small pages of a site.
//!
//! The transcription walks the page tree by recursion, keeps lists instead of sums and a sorted list instead of
//! a heap, and marks leaves instead of joining ranges.

use std::collections::BTreeSet;

use crate::contribution::TermUse;
use crate::reading::{NodeId, NodeKind, is_excluded};
use proptest::prelude::*;

use super::coverage::Features;
use super::*;
use crate::contribution::terms::terms;
use crate::testing::{page, page_at, pages};

/// A node with the sum of the features of itself and its descendants.
struct OracleNode {
    children: Vec<usize>,
    parent: Option<usize>,
    leaves: BTreeSet<usize>,
    sum: Features,
}

struct Oracle<'a> {
    page: &'a Page,
    params: &'a WisdomParams,
    own: &'a dyn Fn(NodeId) -> Features,
    nodes: Vec<OracleNode>,
}

impl Oracle<'_> {
    fn build(&mut self, at: NodeId, parent: Option<usize>) -> usize {
        let id = self.nodes.len();
        let leaves = self.page.leaves.range_under(&self.page.tree, at).collect();
        self.nodes.push(OracleNode { children: Vec::new(), parent, leaves, sum: (self.own)(at) });
        for child in self.page.tree.children(at) {
            if self.is_node(child) {
                let below = self.build(child, Some(id));
                self.nodes[id].children.push(below);
                let sum = self.nodes[below].sum;
                self.nodes[id].sum.add(&sum);
            }
        }
        id
    }

    /// In these pages `br` is the only dummy tag.
    fn is_node(&self, at: NodeId) -> bool {
        let tree = &self.page.tree;
        let is_empty = self.page.leaves.range_under(tree, at).is_empty();
        let in_link = tree.parent(at).is_some_and(|above| tree.attr(above, "href").is_some());
        match tree.kind(at) {
            NodeKind::Text => self.params.texts_are_children && !is_empty && !in_link,
            NodeKind::Document => false,
            NodeKind::Element => {
                let tag = tree.tag(at).unwrap();
                tag != "br"
                    && !is_excluded(tag)
                    && !(self.params.texts_are_children && in_link)
                    && (self.params.empty_count || !is_empty)
            }
        }
    }

    fn evenness(&self, node: usize, feature: Feature) -> f64 {
        let values: Vec<u64> =
            self.nodes[node].children.iter().map(|&child| self.nodes[child].sum.get(feature)).collect();
        let total: u64 = values.iter().sum();
        if values.len() < 2 || total == 0 {
            return 0.0;
        }
        let mut sum = 0.0;
        for value in values.iter().filter(|value| **value > 0) {
            let w = *value as f64 / total as f64;
            sum += w * w.ln();
        }
        -sum / (values.len() as f64).ln()
    }

    fn fits(&self, node: usize, constraint: Constraint) -> bool {
        constraint.is_met(&self.nodes[node].sum, self.params)
    }

    fn blocks(&self, feature: Feature, constraint: Constraint, how: SearchParams) -> BTreeSet<usize> {
        let value = |node: usize| self.nodes[node].sum.get(feature);
        let is_even = |node: usize| self.evenness(node, feature) >= f64::from(how.evenness) / 100.0;
        let (mut found, mut open) = (Vec::new(), vec![0]);
        while !open.is_empty() && found.len() < how.most {
            // The most of the feature first; on a tie, the first in the page.
            open.sort_by_key(|&node| (std::cmp::Reverse(value(node)), node));
            let node = open.remove(0);
            let is_find = self.nodes[node].children.is_empty() || is_even(node);
            match is_find && self.fits(node, constraint) {
                true => found.push(node),
                false if is_find && !how.search_on => {}
                false => open.extend(&self.nodes[node].children),
            }
        }
        let siblings = |node: usize| -> Vec<usize> {
            let parent = self.nodes[node].parent;
            parent.map(|parent| self.nodes[parent].children.clone()).unwrap_or_default()
        };
        let others = |node: usize| siblings(node).into_iter().filter(move |&other| other != node);
        let mut nodes: BTreeSet<usize> = found.iter().copied().collect();
        for &find in &found {
            let mut bases = if how.siblings { vec![find] } else { Vec::new() };
            let mut at = find;
            for _ in 0..how.collateral {
                while let Some(above) = self.nodes[at].parent {
                    at = above;
                    if others(at).any(|other| value(other) > 0) {
                        bases.push(at);
                        break;
                    }
                }
            }
            for base in bases {
                let fits = |other: &usize| {
                    value(*other) > 0 && value(*other) < value(base) && self.fits(*other, constraint)
                };
                nodes.extend(others(base).filter(fits));
            }
        }
        let mut kept = BTreeSet::new();
        for node in nodes.iter().copied().filter(|&node| !self.is_below_one_of(node, &nodes)) {
            let mut leaves = self.nodes[node].leaves.clone();
            self.condense(node, constraint, &mut leaves);
            kept.extend(leaves);
        }
        kept
    }

    fn is_below_one_of(&self, node: usize, nodes: &BTreeSet<usize>) -> bool {
        let mut above = self.nodes[node].parent;
        while let Some(at) = above {
            if nodes.contains(&at) {
                return true;
            }
            above = self.nodes[at].parent;
        }
        false
    }

    fn condense(&self, node: usize, constraint: Constraint, leaves: &mut BTreeSet<usize>) {
        for &child in &self.nodes[node].children {
            if self.fits(child, constraint) {
                self.condense(child, constraint, leaves);
            } else {
                self.nodes[child].leaves.iter().for_each(|leaf| {
                    leaves.remove(leaf);
                });
            }
        }
    }
}

fn flat(blocks: &[Range<usize>]) -> BTreeSet<usize> {
    blocks.iter().cloned().flatten().collect()
}

/// A site where the terms have these entropies in turn and the page `/x` is known.
fn site(entropies: &[u32], page: &Page) -> SiteTerms {
    let known = ["alpha", "beta", "gamma", "delta", "head", "para", "graph", "pic"];
    let stems: Vec<String> = terms(page).into_iter().map(|used| used.term).collect();
    let known = known.iter().map(|word| (*word).to_owned()).chain(stems);
    let values = entropies.iter().cycle().map(|en| f64::from(*en) / 100.0);
    let mut site = SiteTerms::new(9, known.zip(values).map(|(term, en)| (term, 6, en)));
    let said = ["alpha", "gamma"].map(|term| TermUse { term: term.into(), count: 4 });
    site.add_page("https://news.example.org/x".parse().unwrap(), &said);
    site
}

fn searches() -> impl Strategy<Value = SearchParams> {
    (1_usize..5, 30_u32..100, any::<bool>(), any::<bool>(), 0_usize..3).prop_map(
        |(most, evenness, search_on, siblings, collateral)| SearchParams {
            most,
            evenness,
            search_on,
            siblings,
            collateral,
        },
    )
}

fn params() -> impl Strategy<Value = WisdomParams> {
    let shares = (0_u32..90, 0_u32..250, 0_u32..101, 20_u32..101);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    (searches(), searches(), searches(), shares, flags).prop_map(
        |(article, toc, fallback, shares, (texts_are_children, empty_count, lift, by_target))| {
            let (least_cii, least_api, most_without_api, most_linked) = shares;
            WisdomParams {
                article,
                toc,
                fallback,
                least_cii,
                least_api,
                most_without_api,
                most_linked,
                texts_are_children,
                empty_count,
                lift,
                by_target,
                ..WisdomParams::paper()
            }
        },
    )
}

proptest! {
    #[test]
    fn fast_is_plain(
        page in pages(40),
        params in params(),
        entropies in prop::collection::vec(0_u32..101, 5..12),
    ) {
        let site = site(&entropies, &page);
        let coverage = CoverageTree::new(&page, &site, &params);
        let own = |at: NodeId| {
            let node = coverage.nodes.iter().find(|node| node.page_node == at);
            node.map(|node| node.own).unwrap_or_default()
        };
        let mut oracle = Oracle { page: &page, params: &params, own: &own, nodes: Vec::new() };
        oracle.build(page.tree.body().unwrap(), None);
        prop_assert_eq!(oracle.nodes.len(), coverage.nodes.len());
        let found = find_blocks(&page, &site, &params);
        let toc = if found.by_length { (Feature::Alen, params.fallback) } else { (Feature::Api, params.toc) };
        prop_assert_eq!(flat(&found.toc), oracle.blocks(toc.0, Constraint::Toc, toc.1));
        let article = oracle.blocks(Feature::Clen, Constraint::Article, params.article);
        prop_assert_eq!(flat(&found.article), article);
        for found in [found.toc, found.article] {
            prop_assert!(found.windows(2).all(|two| two[0].end < two[1].start), "{:?}", found);
        }
    }

    #[test]
    fn features_are_those_of_the_leaves(page in pages(40), params in params(), entropy in 0_u32..101) {
        let coverage = CoverageTree::new(&page, &site(&[entropy], &page), &params);
        let length = |is_linked: bool| -> u64 {
            let leaves = (0..page.leaves.len()).filter(|&leaf| !page.leaves.get(leaf).is_image);
            let leaves = leaves.filter(|&leaf| page.leaves.link(leaf).is_some() == is_linked);
            leaves.map(|leaf| page.leaves.text(leaf).chars().count() as u64).sum()
        };
        let links: BTreeSet<_> = (0..page.leaves.len()).filter_map(|leaf| page.leaves.link(leaf)).collect();
        let root = coverage.nodes[0].sum;
        prop_assert_eq!((root.alen, root.clen), (length(true), length(false)));
        prop_assert_eq!(root.anchors, links.len() as u64);
    }
}

const ARTICLE: &str = "<html lang=en><body><ul><li><a href=/news>News</a><li><a href=/sport>Sport</a></ul>\
    <div><p>Glaciers retreated faster than models predicted last summer.<p>Researchers drilled cores on \
    three plateaus and measured melting.</div><div><p>Subscribe for news<p>All rights reserved</div>";

/// The sums of a site of ten pages that share this page's frame.
fn framed(page: &Page) -> SiteTerms {
    let frame = ["news", "sport", "subscrib", "right", "reserv"];
    let entropy = |term: &str| if frame.contains(&term) { 1.0 } else { 0.0 };
    SiteTerms::new(
        10,
        terms(page).into_iter().map(|used| {
            let entropy = entropy(&used.term);
            (used.term, 10, entropy)
        }),
    )
}

#[test]
fn the_article_is_the_text_that_other_pages_lack() {
    let page = page(ARTICLE);
    for params in [WisdomParams::paper(), WisdomParams::default()] {
        let found = find_blocks(&page, &framed(&page), &params);
        assert_eq!(flat(&found.article), BTreeSet::from([2, 3]), "{}", params.name);
    }
}

#[test]
fn a_table_of_contents_has_anchors_that_describe_their_targets() {
    let html = "<html lang=en><body><ul><li><a href=/news>News</a><li><a href=/sport>Sport</a></ul>\
        <div><h3><a href=/1>Glaciers retreat faster</a></h3><h3><a href=/2>Harbour strike widens</a></h3></div>";
    let page = page_at("https://a.test/", html);
    let mut site = framed(&page);
    let pages = [
        ("news", vec!["news", "sport"]),
        ("sport", vec!["news", "sport"]),
        ("1", vec!["news", "sport", "glacier", "retreat", "faster"]),
        ("2", vec!["news", "sport", "harbour", "strike", "widen"]),
    ];
    for (path, terms) in pages {
        let url = format!("https://a.test/{path}").parse().unwrap();
        let uses = terms.into_iter().map(|term| TermUse { term: term.into(), count: 1 });
        // Words of the frame are spread evenly over all pages; the others are this page's own.
        let uses: Vec<TermUse> = uses
            .map(|used| {
                if ["news", "sport"].contains(&used.term.as_str()) {
                    used
                } else {
                    TermUse { count: 9, ..used }
                }
            })
            .collect();
        site.add_page(url, &uses);
    }
    for params in [WisdomParams::paper(), WisdomParams::default()] {
        let found = find_blocks(&page, &site, &params);
        assert!(!found.by_length, "{}", params.name);
        assert_eq!(flat(&found.toc), BTreeSet::from([2, 3]), "{}", params.name);
    }
}

#[test]
fn a_site_of_one_page_has_no_blocks() {
    let page = page(ARTICLE);
    let site = SiteTerms::new(1, terms(&page).into_iter().map(|used| (used.term, 1, 1.0)));
    for params in [WisdomParams::paper(), WisdomParams::default()] {
        let found = find_blocks(&page, &site, &params);
        assert_eq!((found.toc, found.article), (vec![], vec![]));
    }
}
