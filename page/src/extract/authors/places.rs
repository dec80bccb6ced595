//! Where a name is credited: below which title, and beside which date.
//!
//! A page shows the bylines of other articles, too, each close to the title of its article. So a byline belongs to the
//! title that shares the smallest element with it.

use std::ops::Range;

use super::candidates::{NameCandidate, NameMention};
use super::credits::Source;
use crate::Page;
use crate::extract::dates::{self, DateStyle};
use crate::extract::runs::Run;
use crate::extract::surroundings::Surroundings;
use crate::reading::NodeId;
use crate::time::Timestamp;

/// Fewest words of a link that may be the title of another article.
const TITLE_WORDS: f32 = 4.0;
/// How many elements from a byline upwards are searched for the title that it belongs to.
const LEVELS: usize = 8;
/// No date beside a name is too late.
const LATEST: Timestamp = Timestamp(4_102_444_800_000);

/// Where a name is credited. The byline that is closest to the headline counts.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CreditPlace {
    /// How many lines behind the headline its line is, whatever the source; less than 0: before it.
    pub(super) line: Option<isize>,
    /// How many lines lie between the headline and a byline that the markup or the text calls one.
    pub(super) from_headline: Option<usize>,
    /// How many elements up the page's headline is inside the same element, and a link that may be the title of another article.
    pub(super) levels_to_headline: Option<usize>,
    pub(super) levels_to_other_title: Option<usize>,
    /// Whether only marks are between it and a date before or after it.
    pub(super) is_behind_date: bool,
    pub(super) is_before_date: bool,
    /// Whether it is the text of a link in its line.
    pub(super) is_link: bool,
}

impl CreditPlace {
    /// Whether it is credited for another article that the page links.
    pub(super) fn is_of_other_article(&self) -> bool {
        match (self.levels_to_other_title, self.levels_to_headline) {
            (Some(link), Some(headline)) => link < headline,
            (link, _) => link.is_some(),
        }
    }
}

/// A page in which names are credited.
pub(super) struct CreditPlaces<'a> {
    page: &'a Page,
    surroundings: &'a Surroundings<'a>,
    /// The lines that may be titles of other articles: links alone in their lines, in page order.
    titles: Vec<NodeId>,
}

impl<'a> CreditPlaces<'a> {
    pub(super) fn new(page: &'a Page, surroundings: &'a Surroundings<'a>) -> CreditPlaces<'a> {
        let linked = surroundings.lines().iter().filter(|line| line.is_mere_link());
        let titles = linked.filter(|line| line.words >= TITLE_WORDS).map(|line| line.first).collect();
        CreditPlaces { page, surroundings, titles }
    }

    pub(super) fn place(&self, candidate: &NameCandidate) -> CreditPlace {
        let headline = self.surroundings.headline();
        let distance = |mention: &NameMention| mention.line.map(|line| line.abs_diff(headline));
        let is_byline = |mention: &&NameMention| mention.is_marked() || mention.source == Source::By;
        let mentions = || candidate.mentions.iter();
        let Some(nearest) =
            mentions().filter(|mention| mention.line.is_some()).min_by_key(|one| distance(one))
        else {
            return CreditPlace::default();
        };
        let place = CreditPlace {
            line: nearest.line.and_then(|line| isize::try_from(line).ok()?.checked_sub_unsigned(headline)),
            from_headline: mentions().filter(is_byline).filter_map(distance).min(),
            levels_to_headline: nearest.node.and_then(|node| self.levels_to_headline(node)),
            levels_to_other_title: nearest.node.and_then(|node| self.levels_to_other_title(node)),
            ..CreditPlace::default()
        };
        let line = mentions().find(|mention| mention.source == Source::Near).and_then(|near| near.node);
        let line = line.and_then(|node| self.surroundings.line(node));
        line.map_or(place, |line| self.in_line(&candidate.name, line, place))
    }

    /// The place of a name in a line.
    fn in_line(&self, name: &str, line: &Run, place: CreditPlace) -> CreditPlace {
        let Some(start) = line.text.find(name) else { return place };
        let end = start + name.len();
        let dates = dates::find(&line.text, LATEST, DateStyle::default());
        let is_gap = |range: Range<usize>| {
            line.text.get(range).is_some_and(|gap| !gap.contains(char::is_alphanumeric))
        };
        let leaves = &self.page.leaves;
        let is_in_line = |node| self.surroundings.line(node).is_some_and(|other| other.first == line.first);
        let is_link = |leaf: usize| {
            leaves.text(leaf).trim() == name
                && leaves.link(leaf).is_some()
                && is_in_line(leaves.get(leaf).node)
        };
        CreditPlace {
            is_behind_date: dates.iter().any(|date| is_gap(date.range.end..start)),
            is_before_date: dates.iter().any(|date| is_gap(end..date.range.start)),
            is_link: (0..leaves.len()).any(is_link),
            ..place
        }
    }

    fn levels_to_headline(&self, node: NodeId) -> Option<usize> {
        let (tree, headline) = (&self.page.tree, self.surroundings.headline_node()?);
        let holds = |above: NodeId| (above..tree.subtree_end(above)).contains(&headline);
        tree.ancestors(node).take(LEVELS).position(holds)
    }

    fn levels_to_other_title(&self, node: NodeId) -> Option<usize> {
        let tree = &self.page.tree;
        let holds = |above: NodeId| {
            let next = self.titles.partition_point(|title| *title < above);
            self.titles.get(next).is_some_and(|title| *title < tree.subtree_end(above))
        };
        tree.ancestors(node).take(LEVELS).position(holds)
    }
}
