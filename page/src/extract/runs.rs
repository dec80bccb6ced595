//! Runs of text: the smallest parts of a page that are body or not as a whole.
//!
//! A run is what a reader sees as one piece: text and inline markup between the borders of blocks, between two
//! successive line breaks, or between single ones that part paragraphs ([`pieces`]). Scripts and hidden content do not
//! split a run. Runs keep the page's order, and the runs of a subtree are a range ([`Runs::under`]). Sums over a subtree
//! are differences of prefix sums, so all later measures are linear in the page.
//!
//! Invariants: every text that is shown belongs to one run; no run is empty. Start at [`Runs::new`].

use std::ops::Range;

use super::shown::Shown;
use crate::Page;
use crate::article::MarkKind;
use crate::reading::{NodeId, PageTree};

mod lines;
mod pieces;

/// A run of at most this many words with at least this share of link words is only a link; `train/bodies.py`
/// leaves these out.
const LINK_WORDS: f32 = 20.0;
const LINK_SHARE: f32 = 0.9;

/// A run of text.
#[derive(Clone, Debug)]
pub(super) struct Run {
    /// The nearest enclosing element that is not inline.
    pub(super) block: NodeId,
    /// The first text node, and the last one.
    pub(super) first: NodeId,
    pub(super) last: NodeId,
    /// The text, white space collapsed.
    pub(super) text: String,
    /// Links and emphasis, by their beginning; outer ones first.
    pub(super) marks: Vec<RunMark>,
    pub(super) words: f32,
    pub(super) link_words: f32,
    /// Words in bold, and words in italics.
    pub(super) bold_words: f32,
    pub(super) italic_words: f32,
    /// Whether it is the inscription of a button that stands alone.
    pub(super) is_button: bool,
}

/// A link or an element of emphasis in a run, in characters of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RunMark {
    pub(super) kind: MarkKind,
    /// The element.
    pub(super) node: NodeId,
    pub(super) start: u32,
    pub(super) end: u32,
}

/// What is left out of the runs of a page.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Without {
    /// What is only for browsers without scripts.
    Scripts,
    Nothing,
}

impl Run {
    /// Share of the words that are in links.
    pub(super) fn link_share(&self) -> f32 {
        share(self.link_words, self.words)
    }

    /// Whether it is only a short link, as in a menu or another story's headline.
    pub(super) fn is_mere_link(&self) -> bool {
        self.words <= LINK_WORDS && self.link_share() >= LINK_SHARE
    }

    /// Whether it is never body by itself: a short link or a button.
    pub(super) fn is_control(&self) -> bool {
        self.is_button || self.is_mere_link()
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
    /// Which elements readers see.
    pub(super) shown: Shown,
}

impl Runs {
    pub(super) fn new(page: &Page) -> Runs {
        Runs::with(page, Without::Scripts)
    }

    /// The runs as a browser without scripts shows them, for pages that show nothing else.
    pub(super) fn without_scripts(page: &Page) -> Runs {
        Runs::with(page, Without::Nothing)
    }

    fn with(page: &Page, without: Without) -> Runs {
        let tree = &page.tree;
        let (runs, shown) = pieces::RunBuilder::new(page, without).build();
        // Count the runs that begin at each node, then sum up, so that a subtree's runs are two look-ups.
        let mut runs_before = vec![0; tree.len() + 1];
        for run in &runs {
            runs_before[run.first.index() + 1] += 1;
        }
        for at in 1..runs_before.len() {
            runs_before[at] += runs_before[at - 1];
        }
        Runs { runs, runs_before, shown }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;
    use crate::text::words_of_prose;

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
    fn unknown_elements_are_inside_a_run_that_goes_on_around_them() {
        check("<p>the <x-term>old</x-term> bridge<o:p></o:p>", &["the old bridge"]);
        check("<div>the <noindex>old</noindex> bridge</div>", &["the old bridge"]);
        check(
            "<my-text><my-p>One line.</my-p><my-p>Another line.</my-p></my-text>",
            &["One line.", "Another line."],
        );
        check("<div><a-b>see <p>one</p></a-b> two</div>", &["see", "one", "two"]);
        let words: Vec<String> =
            "It was open until ten.".split(' ').map(|word| format!("<w-x>{word}</w-x>")).collect();
        check(&format!("<div>{}</div>", words.join(" ")), &["It was open until ten."]);
    }

    #[test]
    fn readings_and_hidden_words_are_no_text() {
        check("<p><ruby>橋<rp>(</rp><rt>はし</rt><rp>)</rp></ruby>が", &["橋が"]);
        check("<p>one<span hidden> two</span> three<b class=sr-only>four</b>", &["one three"]);
    }

    #[test]
    fn buttons_that_stand_alone_are_marked() {
        let (_, runs) = check(
            "<p>the <button>old</button> bridge</p><button>Listen</button>",
            &["the old bridge", "Listen"],
        );
        assert_eq!(runs.runs.iter().map(|run| run.is_button).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn a_link_that_is_never_closed_is_none() {
        let long = "The council voted on Tuesday to keep the old bridge open for another year. ".repeat(3);
        let (_, runs) = check(&format!("<a href=/x><p>{long}<p>{long}<p>{long}"), &[long.trim(); 3]);
        assert!(runs.runs.iter().all(|run| run.link_words == 0.0));
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
