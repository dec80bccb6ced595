//! The information coverage tree (`[W §3.1, §3.2.1]`): each element's features, summed from the leaves up.
//!
//! Features are the length of anchor text (ALEN), of other text (CLEN) and the anchor precision index (API).
//! The type constraints also need the weights of the terms and the number of anchors. Sums are integers (API
//! and weights in units of 2⁻²⁰) and therefore exact in any order. Nodes are in document order and a subtree is
//! a range, as in the page tree. Start at [`CoverageTree::new`].

use std::ops::Range;

use crate::reading::{CanonicalUrl, NodeId, NodeKind, Page, PageTree, is_excluded};
use rustc_hash::FxHashMap;

use super::params::WisdomParams;
use super::site::{SiteTerms, TermId, normalized_address};
use crate::contribution::labels::for_each_word;
use crate::contribution::terms::for_each_term;
use crate::reading::language::LanguageWords;

/// The value 1 of API and of weights.
pub(super) const UNIT: u64 = 1 << 20;

/// Most terms beside the links of one element, for all of its links together. A text of 2,000 different words may have 2,000
/// links before any term is left out.
const MOST_TERMS_BESIDE: usize = 4_000_000;

/// Tags without text or layout.
const DUMMIES: [&str; 7] = ["br", "wbr", "hr", "link", "meta", "param", "source"];

/// The features that blocks can be searched by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    /// Characters of anchor texts.
    Alen,
    /// Characters of other texts.
    Clen,
    /// Anchor precision, in [`UNIT`]s.
    Api,
}

/// An anchor, while the tree is built.
#[derive(Clone, Debug, Default)]
struct Anchor {
    /// Characters of its text.
    length: u64,
    /// The terms of its text, and of the text beside it.
    terms: Vec<TermId>,
    target: Option<CanonicalUrl>,
}

/// The features of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Features {
    pub(super) alen: u64,
    pub(super) clen: u64,
    pub(super) api: u64,
    /// Number of anchors that hold a leaf.
    pub(super) anchors: u64,
    /// Sum of the terms' weights W, in [`UNIT`]s.
    pub(super) weight: u64,
    /// Number of terms, repetitions included.
    pub(super) terms: u64,
}

impl Features {
    pub(super) fn get(&self, feature: Feature) -> u64 {
        match feature {
            Feature::Alen => self.alen,
            Feature::Clen => self.clen,
            Feature::Api => self.api,
        }
    }

    pub(super) fn add(&mut self, other: &Features) {
        self.alen += other.alen;
        self.clen += other.clen;
        self.api += other.api;
        self.anchors += other.anchors;
        self.weight += other.weight;
        self.terms += other.terms;
    }
}

/// A node of the coverage tree.
#[derive(Clone, Debug)]
pub(super) struct CoverageNode {
    /// The element or text node of the page tree.
    pub(super) page_node: NodeId,
    pub(super) is_text: bool,
    pub(super) parent: Option<usize>,
    /// Index of the first node after the subtree.
    pub(super) end: usize,
    pub(super) leaves: Range<usize>,
    /// The node's own features, without its descendants'.
    #[cfg(test)]
    pub(super) own: Features,
    /// The features of the node and its descendants.
    pub(super) sum: Features,
}

/// The information coverage tree of a page.
#[derive(Clone, Debug)]
pub(super) struct CoverageTree {
    pub(super) nodes: Vec<CoverageNode>,
    /// Number of meaningful anchors, and of those among them without API.
    pub(super) meaningful: usize,
    pub(super) without_api: usize,
    /// Whether terms beside anchors were left out.
    pub(super) is_coarse: bool,
}

impl CoverageTree {
    /// Builds the tree: first the nodes, then each leaf's features, then the sums from the last node to the first,
    /// since children come after their parents. The root, node 0, is the page's `body`.
    pub(super) fn new(page: &Page, site: &SiteTerms, params: &WisdomParams) -> CoverageTree {
        let nodes = empty_nodes(page, params);
        let mut coverage = CoverageTree { nodes, meaningful: 0, without_api: 0, is_coarse: false };
        coverage.add_leaves(page, site, params);
        #[cfg(test)]
        coverage.nodes.iter_mut().for_each(|node| node.own = node.sum);
        for at in (1..coverage.nodes.len()).rev() {
            let sum = coverage.nodes[at].sum;
            if let Some(parent) = coverage.nodes[at].parent {
                coverage.nodes[parent].sum.add(&sum);
            }
        }
        coverage
    }

    /// The children of a node, in order.
    pub(super) fn children(&self, node: usize) -> impl Iterator<Item = usize> {
        let end = self.nodes[node].end;
        let next = move |&child: &usize| Some(self.nodes[child].end).filter(|&next| next < end);
        std::iter::successors(Some(node + 1).filter(|&first| first < end), next)
    }

    pub(super) fn is_leaf(&self, node: usize) -> bool {
        self.nodes[node].end == node + 1
    }

    /// SII (`[W §3.1.3]`): the entropy of the feature over the children, 0 to 1; 0 with fewer than two children.
    pub(super) fn evenness(&self, node: usize, feature: Feature) -> f64 {
        let values = || self.children(node).map(|child| self.nodes[child].sum.get(feature));
        let (count, total) = values().fold((0_u32, 0_u64), |(n, sum), value| (n + 1, sum + value));
        if count < 2 || total == 0 {
            return 0.0;
        }
        let shares = values().filter(|&value| value > 0).map(|value| value as f64 / total as f64);
        -shares.map(|w| w * w.ln()).sum::<f64>() / f64::from(count).ln()
    }

    /// Adds the features of each leaf to the deepest node that holds it, and collects the terms of anchors.
    fn add_leaves(&mut self, page: &Page, site: &SiteTerms, params: &WisdomParams) {
        let language = LanguageWords::new(page.language.as_deref());
        let mut anchors: FxHashMap<NodeId, Anchor> = FxHashMap::default();
        let mut terms_by_parent: FxHashMap<NodeId, Vec<TermId>> = FxHashMap::default();
        for (i, leaf) in page.leaves.iter().enumerate() {
            let terms = term_ids(page.leaves.text(i), &language, site);
            let length = if leaf.is_image { 0 } else { page.leaves.text(i).chars().count() as u64 };
            if let Some(at) = self.deepest_node(&page.tree, leaf.node) {
                let sum = &mut self.nodes[at].sum;
                *if leaf.link.is_some() { &mut sum.alen } else { &mut sum.clen } += length;
                if !leaf.is_image {
                    sum.terms += terms.len() as u64;
                    sum.weight += terms.iter().map(|&term| to_units(1.0 - site.entropy(term))).sum::<u64>();
                }
            }
            match leaf.link {
                Some(link) => {
                    let anchor = anchors.entry(link).or_default();
                    anchor.length += length;
                    anchor.terms.extend(terms);
                }
                None => terms_by_parent.entry(leaf.parent).or_default().extend(terms),
            }
        }
        self.add_anchors(page, site, params, anchors, terms_by_parent);
    }

    /// Adds the API of each anchor to the deepest node that holds it, and counts the anchors without API.
    fn add_anchors(
        &mut self,
        page: &Page,
        site: &SiteTerms,
        params: &WisdomParams,
        mut anchors: FxHashMap<NodeId, Anchor>,
        mut terms_by_parent: FxHashMap<NodeId, Vec<TermId>>,
    ) {
        // Terms count once, however often they are beside an anchor. All links of a paragraph have its terms beside them.
        for terms in terms_by_parent.values_mut() {
            terms.sort_unstable();
            terms.dedup();
        }
        let mut anchors_by_parent: FxHashMap<NodeId, usize> = FxHashMap::default();
        for parent in anchors.keys().filter_map(|&link| page.tree.parent(link)) {
            *anchors_by_parent.entry(parent).or_default() += 1;
        }
        for (parent, terms) in &mut terms_by_parent {
            let most = MOST_TERMS_BESIDE / anchors_by_parent.get(parent).copied().unwrap_or(1).max(1);
            self.is_coarse |= terms.len() > most;
            terms.truncate(most);
        }
        // First complete the terms of every anchor, since anchors to one page may share theirs.
        let mut terms_by_target: FxHashMap<CanonicalUrl, Vec<TermId>> = FxHashMap::default();
        for (&link, anchor) in &mut anchors {
            anchor.target = page.target(link);
            let around = page.tree.parent(link).and_then(|parent| terms_by_parent.get(&parent));
            anchor.terms.extend(around.into_iter().flatten());
            if let Some(target) = anchor.target.as_ref().filter(|_| params.by_target) {
                terms_by_target.entry(target.clone()).or_default().append(&mut anchor.terms);
            }
        }
        // Anchors that share their terms share their precision.
        let precision =
            |terms, target: Option<&CanonicalUrl>| anchor_precision(page, terms, target, site, params);
        let by_target: FxHashMap<CanonicalUrl, u64> = terms_by_target
            .into_iter()
            .map(|(target, terms)| {
                let api = precision(terms, Some(&target));
                (target, api)
            })
            .collect();
        for (link, anchor) in anchors {
            let shared = anchor.target.as_ref().and_then(|target| by_target.get(target));
            let api = match shared {
                Some(api) => *api,
                None => precision(anchor.terms, anchor.target.as_ref()),
            };
            if let Some(at) = self.deepest_node(&page.tree, link) {
                self.nodes[at].sum.api += api;
                self.nodes[at].sum.anchors += 1;
            }
            if anchor.length >= u64::from(params.least_anchor) {
                self.meaningful += 1;
                self.without_api += usize::from(api == 0);
            }
        }
    }

    /// The deepest node of this tree that holds a node of the page tree.
    fn deepest_node(&self, tree: &PageTree, node: NodeId) -> Option<usize> {
        let mut at = self.nodes.partition_point(|other| other.page_node <= node).checked_sub(1)?;
        // The last node that begins before it may have ended; then one of its ancestors holds it.
        while node >= tree.subtree_end(self.nodes[at].page_node) {
            at = self.nodes[at].parent?;
        }
        Some(at)
    }
}

/// Converts a share to [`UNIT`]s.
fn to_units(value: f64) -> u64 {
    (value * UNIT as f64).round() as u64
}

/// The nodes of the tree, `body` and below, without features. The walk skips what is not in the tree.
fn empty_nodes(page: &Page, params: &WisdomParams) -> Vec<CoverageNode> {
    let tree = &page.tree;
    let root = tree.body().unwrap_or_else(|| tree.root());
    let mut nodes: Vec<CoverageNode> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let mut next = Some(root);
    while let Some(at) = next.filter(|&at| at < tree.subtree_end(root)) {
        while let Some(above) = open.pop_if(|above| at >= tree.subtree_end(nodes[*above].page_node)) {
            nodes[above].end = nodes.len();
        }
        let leaves = page.leaves.range_under(tree, at);
        let inclusion = inclusion(page, at, at == root, leaves.is_empty(), params);
        if inclusion != Inclusion::Excluded {
            let parent = open.last().copied();
            open.push(nodes.len());
            nodes.push(CoverageNode {
                page_node: at,
                is_text: tree.kind(at) == NodeKind::Text,
                parent,
                end: 0,
                leaves,
                #[cfg(test)]
                own: Features::default(),
                sum: Features::default(),
            });
        }
        let after = if inclusion == Inclusion::WithDescendants {
            at.index() + 1
        } else {
            tree.subtree_end(at).index()
        };
        next = tree.node_at(after);
    }
    for above in open {
        nodes[above].end = nodes.len();
    }
    nodes
}

/// How much of a subtree of the page is in the coverage tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inclusion {
    /// Neither the node nor its descendants.
    Excluded,
    /// The node without its descendants.
    Alone,
    /// The node; each child is decided on its own.
    WithDescendants,
}

/// Excludes the paper's dummy nodes: those without text or layout.
fn inclusion(page: &Page, at: NodeId, is_root: bool, is_empty: bool, params: &WisdomParams) -> Inclusion {
    let tree = &page.tree;
    if is_root {
        return Inclusion::WithDescendants;
    }
    let tag = match tree.kind(at) {
        NodeKind::Element => tree.tag(at).unwrap_or_default(),
        NodeKind::Text if params.texts_are_children && !is_empty => return Inclusion::Alone,
        NodeKind::Text | NodeKind::Document => return Inclusion::Excluded,
    };
    let is_dummy = is_excluded(tag) || DUMMIES.contains(&tag) || (is_empty && !params.empty_count);
    let is_anchor = tag == "a" && tree.attr(at, "href").is_some();
    match (is_dummy, is_anchor && params.texts_are_children) {
        (true, _) => Inclusion::Excluded,
        (false, true) => Inclusion::Alone,
        (false, false) => Inclusion::WithDescendants,
    }
}

/// The terms of a text that the site has.
fn term_ids(text: &str, language: &LanguageWords, site: &SiteTerms) -> Vec<TermId> {
    let mut ids = Vec::new();
    for_each_word(text, |word| for_each_term(word, language, |term| ids.extend(site.id(term))));
    ids
}

/// API (`[W §3.1.2]`), in [`UNIT`]s: a sum over the terms that an anchor shares with the page it leads to.
fn anchor_precision(
    page: &Page,
    mut terms: Vec<TermId>,
    target: Option<&CanonicalUrl>,
    site: &SiteTerms,
    params: &WisdomParams,
) -> u64 {
    terms.sort_unstable();
    terms.dedup();
    let linked = target.and_then(|url| site.page(url));
    if !params.lift {
        let least = f64::from(params.least_entropy) / 100.0;
        let shared = terms.into_iter().filter(|&term| linked.is_some_and(|page| page.holds(term)));
        return shared.map(|term| to_units(1.0 / site.entropy(term).max(least))).sum();
    }
    // A link to the page itself or to another site is no evidence.
    if target.is_none_or(|target| {
        normalized_address(target) == normalized_address(&page.url) || target.site() != page.url.site()
    }) {
        return 0;
    }
    // For a page that was not added: W, the mean of the lift over all uses of the term.
    let value = |term: TermId| match linked {
        Some(page) => page.lift(term).max(0.0),
        None => 1.0 - site.entropy(term),
    };
    terms.into_iter().map(|term| to_units(value(term))).sum()
}
