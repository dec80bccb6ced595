//! The surroundings of an element: its distance from the headline, the elements around it, and their class names.

use super::measures::vocabulary::{self, GROUPS, N_GROUPS, Vocabulary};
use super::runs::{Run, Runs};
use super::visible::Visible;
use crate::Page;
use crate::measures::MeasureSink;
use crate::reading::NodeId;

/// Enclosing elements that tell the purpose of their content.
const AROUND: [&str; 8] = ["header", "nav", "footer", "aside", "article", "main", "figure", "li"];
/// Elements above something whose classes count as its own, and those whose classes count at all.
const OWN: usize = 2;
const ABOVE: usize = 8;
/// Longest line, in bytes.
const LINE_BYTES: usize = 360;
/// The value where there is nothing to measure, and for distances.
const NOTHING: f32 = -1.0;
pub(super) const NOWHERE: f32 = -1000.0;

/// A page by lines, with its headline and its prose.
pub(super) struct Surroundings<'a> {
    page: &'a Page,
    runs: &'a Runs,
    headline: usize,
    /// By run, and one past the last: how many before it are prose.
    prose: Vec<usize>,
}

impl<'a> Surroundings<'a> {
    pub(super) fn new(page: &'a Page, visible: &Visible<'a>) -> Surroundings<'a> {
        let runs = visible.runs();
        let mut prose = vec![0];
        for run in &runs.runs {
            prose.push(prose.last().copied().unwrap_or(0) + usize::from(run.is_prose()));
        }
        Surroundings { page, runs, headline: visible.headline(), prose }
    }

    /// The line that shows a node, or the next one.
    pub(super) fn line(&self, node: NodeId) -> Option<&'a Run> {
        self.runs.runs.get(self.line_number(node)?)
    }

    /// The number of that line.
    pub(super) fn line_number(&self, node: NodeId) -> Option<usize> {
        let range = self.runs.under(&self.page.tree, node);
        let is_line = |at: usize| self.runs.runs[at].text.len() <= LINE_BYTES;
        // Something inside a line: the line began before it.
        Some(match range.start.checked_sub(1) {
            Some(before) if range.is_empty() && is_line(before) => before,
            _ => range.start.min(self.runs.runs.len().checked_sub(1)?),
        })
    }

    /// All lines.
    pub(super) fn lines(&self) -> &'a [Run] {
        &self.runs.runs
    }

    /// The number of the line that is the headline.
    pub(super) fn headline(&self) -> usize {
        self.headline
    }

    /// The element that shows the headline.
    pub(super) fn headline_node(&self) -> Option<NodeId> {
        self.runs.runs.get(self.headline).map(|run| run.first)
    }

    /// How many lines behind the headline a node is shown; [`NOWHERE`] for none.
    pub(super) fn lines_after_headline(&self, node: Option<NodeId>) -> f32 {
        node.map_or(NOWHERE, |node| self.line_number(node).unwrap_or(0) as f32 - self.headline as f32)
    }

    /// Measures where a node is.
    pub(super) fn measure(&self, node: Option<NodeId>, sink: &mut impl MeasureSink) {
        let tree = &self.page.tree;
        let all = self.prose.last().copied().unwrap_or(0);
        let before_line = |line: usize| self.prose.get(line).copied().unwrap_or(all);
        let before = node.map(|node| before_line(self.line_number(node).unwrap_or(0)));
        sink.flag("is shown", node.is_some());
        sink.add("from headline", self.lines_after_headline(node));
        sink.add("prose before", before.map_or(NOTHING, |before| before as f32));
        sink.add("prose behind", before.map_or(NOTHING, |before| (all - before) as f32));
        let of_headline = self.prose.get(self.headline).copied().unwrap_or(0);
        sink.add("prose between", before.map_or(NOWHERE, |before| before as f32 - of_headline as f32));
        sink.add("line words", node.and_then(|node| self.line(node)).map_or(NOTHING, |line| line.words));
        let up = |node: NodeId| std::iter::once(node).chain(tree.ancestors(node));
        let around: Vec<&str> = node.into_iter().flat_map(up).filter_map(|node| tree.tag(node)).collect();
        for name in AROUND {
            sink.flag(format_args!("in {name}"), around.contains(&name));
        }
        let (mut groups, mut scratch) = ([0; 2], String::new());
        for (level, node) in node.into_iter().flat_map(up).take(ABOVE).enumerate() {
            for value in ["class", "id", "itemprop"].iter().filter_map(|name| tree.attr(node, name)) {
                groups[usize::from(level >= OWN)] |=
                    vocabulary::groups_in(value, &mut scratch, Vocabulary::shared());
            }
        }
        for (group, (name, _)) in GROUPS.iter().enumerate().take(N_GROUPS) {
            sink.flag(format_args!("own {name}"), groups[0] >> group & 1 == 1);
            sink.flag(format_args!("around {name}"), groups[1] >> group & 1 == 1);
        }
    }
}
