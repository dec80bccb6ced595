//! Runs of text: the smallest parts of a page that are body or not as a whole.
//!
//! A run is what a reader sees as one piece: text and inline markup between the borders of blocks, or between
//! two successive line breaks. Scripts and other hidden content do not split a run. Runs keep the page's order,
//! and the runs of a subtree are a range ([`Runs::under`]). Sums over a subtree are differences of prefix sums,
//! so all later measures are linear in the page.
//!
//! Invariants: every text leaf belongs to one run; no run is empty. Start at [`Runs::new`].

use std::ops::Range;

use crate::reading::{Leaf, NodeId, PageTree, is_excluded, squash};

use crate::Page;
use crate::text::{is_inside_run, words_of_prose};

/// A run of at most this many words with at least this share of link words is only a link; `train/bodies.py`
/// leaves these out.
const LINK_WORDS: f32 = 20.0;
const LINK_SHARE: f32 = 0.9;

/// A run of text.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// The nearest enclosing element that is not inline.
    pub(super) block: NodeId,
    /// The first text node.
    pub(super) first: NodeId,
    /// The text, white space collapsed.
    pub(super) text: String,
    pub(super) words: f32,
    pub(super) link_words: f32,
    /// Words in bold, and words in italics.
    pub(super) bold_words: f32,
    pub(super) italic_words: f32,
}

impl Run {
    /// Share of the words that are in links.
    pub(super) fn link_share(&self) -> f32 {
        share(self.link_words, self.words)
    }

    /// Whether it is only a short link, as in a menu or another story's headline: never body.
    pub(super) fn is_mere_link(&self) -> bool {
        self.words <= LINK_WORDS && self.link_share() >= LINK_SHARE
    }

    /// Whether it consists of sentences: ten words and the end of a sentence, or 25 words, mostly outside
    /// links.
    pub(super) fn is_prose(&self) -> bool {
        self.link_share() < 0.4 && (self.words >= 25.0 || (self.words >= 10.0 && ends_sentence(&self.text)))
    }
}

/// A part's share of a whole: 0 if the whole is 0, never above 1.
pub(super) fn share(part: f32, whole: f32) -> f32 {
    if whole > 0.0 { (part / whole).min(1.0) } else { 0.0 }
}

/// Whether a text ends like a sentence; quotes and brackets may follow.
pub(super) fn ends_sentence(text: &str) -> bool {
    let closing = |c: char| matches!(c, '"' | '\'' | '”' | '’' | '“' | '»' | '«' | ')' | ']' | '」' | '』');
    text.trim_end_matches(closing).ends_with(['.', '!', '?', '…', '。', '！', '？', '।', '؟', '۔'])
}

/// The runs of a page, with prefix sums.
pub(super) struct Runs {
    pub(super) runs: Vec<Run>,
    /// For each node of the tree, and one past the last: how many runs begin before it.
    runs_before: Vec<u32>,
}

impl Runs {
    pub(super) fn new(page: &Page) -> Runs {
        let tree = &page.tree;
        let tags = TagFlags::new(tree);
        let mut builder = RunBuilder { page, tags, runs: Vec::new(), open: None };
        for leaf in page.leaves.iter().enumerate().filter(|(_, leaf)| !leaf.is_image) {
            builder.add_leaf(leaf.0, leaf.1);
        }
        builder.close_run();
        let runs = builder.runs;
        // Count the runs that begin at each node, then sum up, so that a subtree's runs are two look-ups.
        let mut runs_before = vec![0; tree.len() + 1];
        for run in &runs {
            runs_before[run.first.index() + 1] += 1;
        }
        for at in 1..runs_before.len() {
            runs_before[at] += runs_before[at - 1];
        }
        Runs { runs, runs_before }
    }

    /// The runs that begin inside a subtree.
    pub(super) fn under(&self, tree: &PageTree, node: NodeId) -> Range<usize> {
        let at = |node: NodeId| self.runs_before[node.index()] as usize;
        at(node)..at(tree.subtree_end(node))
    }

    /// The prefix sums of a measure over the runs, for sums over ranges.
    pub(super) fn sums(&self, measure: impl Fn(&Run) -> f32) -> PrefixSums {
        self.sums_of(|_, run| measure(run))
    }

    /// The same for a measure that takes the run's number.
    pub(super) fn sums_of(&self, measure: impl Fn(usize, &Run) -> f32) -> PrefixSums {
        let mut sum = 0.0;
        let sums = self.runs.iter().enumerate().map(|(number, run)| {
            sum += f64::from(measure(number, run));
            sum
        });
        PrefixSums(std::iter::once(0.0).chain(sums).collect())
    }
}

/// Prefix sums over the runs of a page.
pub(super) struct PrefixSums(Vec<f64>);

impl PrefixSums {
    pub(super) fn over(&self, range: Range<usize>) -> f32 {
        (self.0[range.end] - self.0[range.start]) as f32
    }

    pub(super) fn all(&self) -> f32 {
        self.0.last().copied().unwrap_or(0.0) as f32
    }
}

/// Which tag names of a tree are inline, and which have no visible content.
struct TagFlags {
    inline: Vec<bool>,
    excluded: Vec<bool>,
}

impl TagFlags {
    fn new(tree: &PageTree) -> TagFlags {
        let no = vec![false; tree.tag_count()];
        let (mut names, mut seen) = (TagFlags { inline: no.clone(), excluded: no.clone() }, no);
        for tag in tree.node_ids().filter_map(|node| tree.tag_id(node)) {
            if std::mem::replace(&mut seen[tag.index()], true) {
                continue;
            }
            let name = tree.tag_name(tag);
            names.inline[tag.index()] = is_inside_run(name);
            names.excluded[tag.index()] = is_excluded(name);
        }
        names
    }
}

struct RunBuilder<'a> {
    page: &'a Page,
    tags: TagFlags,
    runs: Vec<Run>,
    /// The run that may continue: the node of its last leaf, and its text with the original white space.
    open: Option<(usize, String)>,
}

impl RunBuilder<'_> {
    fn add_leaf(&mut self, number: usize, leaf: &Leaf) {
        let tree = &self.page.tree;
        let block = self.block_of(leaf.parent);
        let text = tree.text(leaf.node).unwrap_or_default();
        let separator = match (&self.open, self.runs.last()) {
            (Some((last, _)), Some(run)) if run.block == block => self.separator(*last, leaf.node),
            _ => None,
        };
        // The leaf continues the open run, or ends it and begins another. Words and emphasis are counted either way.
        match (separator, &mut self.open) {
            (Some(separator), Some((last, joined))) => {
                joined.push_str(separator);
                joined.push_str(text);
                *last = leaf.node.index();
            }
            _ => {
                self.close_run();
                self.open = Some((leaf.node.index(), text.to_owned()));
                self.runs.push(Run {
                    block,
                    first: leaf.node,
                    text: String::new(),
                    words: 0.0,
                    link_words: 0.0,
                    bold_words: 0.0,
                    italic_words: 0.0,
                });
            }
        }
        let words = words_of_prose(self.page.leaves.text(number));
        let [is_bold, is_italic] = self.emphasis_of(leaf.parent, block);
        if let Some(run) = self.runs.last_mut() {
            run.words += words;
            run.link_words += if leaf.link.is_some() { words } else { 0.0 };
            run.bold_words += if is_bold { words } else { 0.0 };
            run.italic_words += if is_italic { words } else { 0.0 };
        }
    }

    fn close_run(&mut self) {
        if let (Some((_, text)), Some(run)) = (self.open.take(), self.runs.last_mut()) {
            run.text = squash(&text);
        }
    }

    fn is_inline(&self, node: NodeId) -> bool {
        self.page.tree.tag_id(node).is_some_and(|tag| self.tags.inline[tag.index()])
    }

    fn block_of(&self, parent: NodeId) -> NodeId {
        let tree = &self.page.tree;
        let mut up = std::iter::once(parent).chain(tree.ancestors(parent));
        up.find(|&node| !self.is_inline(node)).unwrap_or(tree.root())
    }

    fn emphasis_of(&self, parent: NodeId, block: NodeId) -> [bool; 2] {
        let tree = &self.page.tree;
        let mut found = [false; 2];
        let up = std::iter::once(parent).chain(tree.ancestors(parent));
        for node in up.take_while(|&node| node != block) {
            found[0] |= matches!(tree.tag(node), Some("b" | "strong"));
            found[1] |= matches!(tree.tag(node), Some("i" | "em"));
        }
        found
    }

    /// The separator between two texts of one block: nothing or a space; `None` if a block or two line breaks separate
    /// them.
    fn separator(&self, from: usize, to: NodeId) -> Option<&'static str> {
        let tree = &self.page.tree;
        let (mut at, mut breaks, mut separator) = (from + 1, 0, "");
        while let Some(node) = tree.node_at(at).filter(|&node| node < to) {
            at += 1;
            let Some(tag) = tree.tag_id(node) else {
                // Blank text is not a leaf but separates words.
                separator = " ";
                continue;
            };
            if self.tags.excluded[tag.index()] {
                at = tree.subtree_end(node).index();
            } else if !self.tags.inline[tag.index()] {
                return None;
            } else if tree.tag_name(tag) == "br" {
                breaks += 1;
                separator = " ";
            }
        }
        (breaks < 2).then_some(separator)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    #[track_caller]
    fn check(html: &str, expected: &[&str]) -> (Page, Runs) {
        let page = page(html);
        let runs = Runs::new(&page);
        let texts: Vec<&str> = runs.runs.iter().map(|run| run.text.as_str()).collect();
        assert_eq!(texts, expected, "{html}");
        (page, runs)
    }

    #[test]
    fn blocks_and_double_breaks_part_runs() {
        check("<p>one <b>two</b>, three<p>four", &["one two, three", "four"]);
        check("<div>one<br>two<br> <br>three<p>four</p>five</div>", &["one two", "three", "four", "five"]);
        check("<p>wo<i>rd</i><script>x()</script>s</p>", &["words"]);
    }

    #[test]
    fn the_runs_of_a_subtree_are_a_range() {
        let (page, runs) = check("<p>a</p><div><p>b</p><p>c</p></div><p>d", &["a", "b", "c", "d"]);
        let div = page.tree.node_ids().find(|&node| page.tree.tag(node) == Some("div")).unwrap();
        assert_eq!(runs.under(&page.tree, div), 1..3);
        assert_eq!(runs.sums(|run| run.words).over(1..3), 2.0);
    }

    #[test]
    fn words_of_all_scripts_count() {
        assert_eq!(words_of_prose("one two three"), 3.0);
        assert_eq!(words_of_prose("橋は来年も開いている。"), 4.0);
        let (_, runs) = check("<p>see <a href=/x>this <b>one</b></a> now", &["see this one now"]);
        let run = &runs.runs[0];
        assert_eq!((run.words, run.link_words, run.bold_words), (4.0, 2.0, 1.0));
    }

    #[test]
    fn prose_is_made_of_sentences() {
        let (_, runs) = check(
            "<p>The council voted on Tuesday to keep the old bridge open (\u{201c}for now.\u{201d})<p>Ten words that have no end are no prose at all",
            &[
                "The council voted on Tuesday to keep the old bridge open (\u{201c}for now.\u{201d})",
                "Ten words that have no end are no prose at all",
            ],
        );
        assert_eq!(runs.runs.iter().map(Run::is_prose).collect::<Vec<_>>(), [true, false]);
    }
}
