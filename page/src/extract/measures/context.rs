//! Data shared by the families of measures: the markup's claims, sums over the page's runs, and hashed words.

use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::Page;
use crate::extract::runs::{PrefixSums, Run, Runs, share};
use crate::reading::{NodeId, PageTree};

/// The claims that a page's markup makes about its article, for comparison with its runs.
#[derive(Clone, Debug, Default)]
pub(in crate::extract) struct Claims {
    /// The title that was found, and all titles in the markup.
    pub(in crate::extract) titles: Vec<String>,
    pub(in crate::extract) description: Option<String>,
    /// The text in the metadata, often cut or without its markup.
    pub(in crate::extract) body: Option<String>,
    /// Whether JSON-LD calls the page an article, and whether it calls it news.
    pub(in crate::extract) is_declared_article: bool,
    pub(in crate::extract) is_declared_news: bool,
    /// Whether OpenGraph calls it an article.
    pub(in crate::extract) is_opengraph_article: bool,
    /// The address of the declared picture.
    pub(in crate::extract) picture: Option<String>,
    /// The addresses of the declared videos.
    pub(in crate::extract) videos: Vec<String>,
}

/// A page with the data that several families need.
pub(super) struct PageContext<'a> {
    pub(super) tree: &'a PageTree,
    pub(super) runs: &'a Runs,
    pub(super) claims: &'a Claims,
    pub(super) tokens: RunWords,
    pub(super) words: PrefixSums,
    pub(super) links: PrefixSums,
    /// Which runs are prose that may be body, and prefix sums of their words.
    pub(super) is_prose: Vec<bool>,
    pub(super) prose: PrefixSums,
    /// For each node the nearest ancestor that holds more runs; the document's is itself.
    pub(super) wider: Vec<NodeId>,
    /// The run that is the headline.
    pub(super) headline: Option<usize>,
}

impl<'a> PageContext<'a> {
    /// `is_prose` tells which runs may be body, `headline` is the number of the run that is the headline.
    pub(super) fn new(
        page: &'a Page,
        runs: &'a Runs,
        tokens: RunWords,
        claims: &'a Claims,
        is_prose: Vec<bool>,
        headline: Option<usize>,
    ) -> PageContext<'a> {
        let tree = &page.tree;
        PageContext {
            tree,
            runs,
            claims,
            tokens,
            words: runs.sums(|run| run.words),
            links: runs.sums(|run| run.link_words),
            prose: runs.sums_of(|number, run| if is_prose[number] { run.words } else { 0.0 }),
            is_prose,
            wider: wider_holders(tree, runs),
            headline,
        }
    }

    pub(super) fn range(&self, node: NodeId) -> Range<usize> {
        self.runs.under(self.tree, node)
    }

    /// The share of the page's prose inside an element.
    pub(super) fn prose_share(&self, node: NodeId) -> f32 {
        share(self.prose.over(self.range(node)), self.prose.all())
    }

    /// The nearest element that holds a run together with others.
    pub(super) fn holder(&self, run: &Run) -> NodeId {
        if self.range(run.block).len() > 1 { run.block } else { self.wider[run.block.index()] }
    }
}

fn wider_holders(tree: &PageTree, runs: &Runs) -> Vec<NodeId> {
    let mut wider = Vec::with_capacity(tree.len());
    for node in tree.node_ids() {
        let parent = tree.parent(node).unwrap_or(node);
        let holds = |node| runs.under(tree, node).len();
        let above = if holds(parent) > holds(node) || parent == node {
            parent
        } else {
            wider.get(parent.index()).copied().unwrap_or(parent)
        };
        wider.push(above);
    }
    wider
}

pub(super) fn flag(is_so: bool) -> f32 {
    f32::from(u8::from(is_so))
}

/// The hashes of a text's words.
pub(super) fn hashed_words(text: &str) -> Vec<u64> {
    let mut words = Vec::new();
    push_words(text, &mut words);
    words
}

fn push_words(text: &str, words: &mut Vec<u64>) {
    let mix = |hash: u64, c: char| {
        (hash.rotate_left(5) ^ u64::from(u32::from(c))).wrapping_mul(0x517c_c1b7_2722_0a95)
    };
    let (mut hash, mut is_open) = (0_u64, false);
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            hash = mix(hash, c.to_ascii_lowercase());
            is_open = true;
        } else if !c.is_ascii() && c.is_alphanumeric() {
            hash = c.to_lowercase().fold(hash, mix);
            is_open = true;
            if crate::reading::language::is_unspaced(c) {
                words.push(std::mem::take(&mut hash));
                is_open = false;
            }
        } else if is_open {
            words.push(std::mem::take(&mut hash));
            is_open = false;
        }
    }
    if is_open {
        words.push(hash);
    }
}

/// The hashes of each run's words.
pub(super) struct RunWords {
    words: Vec<u64>,
    ends: Vec<usize>,
}

impl RunWords {
    pub(super) fn new(runs: &Runs) -> RunWords {
        let mut found = RunWords { words: Vec::new(), ends: vec![0] };
        for run in &runs.runs {
            push_words(&run.text, &mut found.words);
            found.ends.push(found.words.len());
        }
        found
    }

    pub(super) fn get(&self, number: usize) -> &[u64] {
        &self.words[self.ends[number]..self.ends[number + 1]]
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u64]> {
        self.ends.windows(2).map(|ends| &self.words[ends[0]..ends[1]])
    }
}

/// Sums over runs that share a signature.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SignatureSums {
    pub(super) runs: f32,
    pub(super) words: f32,
    pub(super) links: f32,
    pub(super) prose: f32,
}

pub(super) type SumsBySignature = FxHashMap<u64, SignatureSums>;
pub(super) type WordSet = FxHashSet<u64>;
