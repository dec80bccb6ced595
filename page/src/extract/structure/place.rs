//! Where a story stands on its page, and what the elements there say.

use crate::Page;
use crate::article::{MAX_ADDRESS, MAX_CAPTION};
use crate::extract::plain::readable;
use crate::extract::runs::Runs;
use crate::reading::{NodeId, PageTree, is_excluded};
use crate::text::is_inside_run;

/// Share of the chosen words that the story's element holds.
const STORY_SHARE: f32 = 0.9;
/// Schemes of addresses that readers can follow.
const SCHEMES: [&str; 5] = ["http", "https", "mailto", "tel", "ftp"];

/// Where the story stands on its page.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// The smallest element around nearly all of its text.
    pub(super) story: NodeId,
    /// The first and the last text of the story.
    pub(super) first: NodeId,
    pub(super) last: NodeId,
    /// The first text of the headline.
    pub(super) headline: NodeId,
}

/// The place of the chosen runs; `headline` is the number of the headline's run.
pub(super) fn place_of(tree: &PageTree, runs: &Runs, chosen: &[bool], headline: usize) -> Option<Place> {
    let first = chosen.iter().position(|is_chosen| *is_chosen)?;
    let last = chosen.iter().rposition(|is_chosen| *is_chosen)?;
    let words = runs.sums_of(|at, run| if chosen[at] { run.words } else { 0.0 });
    let middle = (first..=last).find(|&at| words.over(0..at + 1) * 2.0 >= words.all())?;
    let holds_story = |node: &NodeId| words.over(runs.under(tree, *node)) >= STORY_SHARE * words.all();
    // A story of one paragraph stands in the element around it.
    let story = tree.ancestors(runs.runs[middle].block).find(holds_story).unwrap_or(tree.root());
    let (first, last) = (runs.runs.get(first)?.first, runs.runs.get(last)?.last);
    Some(Place { story, first, last, headline: runs.runs.get(headline)?.first })
}

/// The absolute address of a reference that readers can follow.
pub(in crate::extract) fn followable(page: &Page, reference: &str) -> Option<String> {
    let address = page.base.join(reference.trim()).ok()?;
    (SCHEMES.contains(&address.scheme()) && address.as_str().len() <= MAX_ADDRESS).then(|| address.into())
}

/// The text that readers see in an element.
pub(super) fn text_under(page: &Page, runs: &Runs, node: NodeId) -> String {
    let texts = runs.runs[runs.under(&page.tree, node)].iter().map(|run| run.text.as_str());
    texts.collect::<Vec<_>>().join(" ")
}

/// The same for an element that begins inside a run, or that readers see only when they ask for it, like the caption of a slide.
pub(super) fn inner_text(page: &Page, runs: &Runs, node: NodeId) -> String {
    let tree = &page.tree;
    if !runs.under(tree, node).is_empty() {
        return text_under(page, runs, node);
    }
    let (mut text, end) = (String::new(), tree.subtree_end(node));
    let mut at = node.index();
    while let Some(inner) = tree.node_at(at).filter(|inner| *inner < end && text.len() <= MAX_CAPTION) {
        let is_none = tree.tag(inner).is_some_and(is_excluded);
        text.push_str(tree.text(inner).unwrap_or_default());
        // Elements part words, but for those inside a line.
        if tree.tag(inner).is_some_and(|tag| !is_inside_run(tag)) {
            text.push(' ');
        }
        at = if is_none { tree.subtree_end(inner).index() } else { at + 1 };
    }
    readable(&text)
}
