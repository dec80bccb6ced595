//! Texts on a story's page that are prose and yet not the story: what readers wrote, and rows of other stories' pictures.
//!
//! Both are rows of elements that look alike. Comments follow the headline and say so in their markup, or their heading
//! counts them. Pictures of other stories link to those stories, or are numbered, beside a text without pictures.
//!
//! Invariant: linear in the page. Start at [`foreign_runs`].

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::measures::vocabulary::{GROUPS, Vocabulary, groups_in};
use super::runs::{PrefixSums, Runs};
use crate::Page;
use crate::reading::{NodeId, PageTree, TagId};

/// Names of parts that hold comments, in the words that site authors use for class and id. The singular may name an
/// opinion.
const COMMENTS: [&str; 22] = [
    "comments",
    "commentlist",
    "comment-list",
    "comments-area",
    "comments-list",
    "comments-section",
    "comments-wrapper",
    "comments-container",
    "comment-section",
    "disqus_thread",
    "fb-comments",
    "respond",
    "kommentare",
    "kommentarer",
    "commentaires",
    "comentarios",
    "commenti",
    "reacties",
    "reactions",
    "komentarze",
    "kommentit",
    "yorumlar",
];
/// Most words of the heading above comments.
const HEADING_WORDS: f32 = 5.0;
/// Words of prose outside, without which counted rows are the story.
const LEAST_OUTSIDE: f32 = 20.0;
/// A row of pictures has this many.
const LEAST_PICTURES: usize = 3;
/// Share of the elements of a row that must have a property.
const MOST: f32 = 0.8;
/// Most words of one of the other stories, and least words of prose outside, also as a share of the row's.
const TEASER_WORDS: f32 = 60.0;
const OUTSIDE_WORDS: f32 = 80.0;
const OUTSIDE_SHARE: f32 = 0.6;

/// A row's heading and the like are at most this many runs, within this many levels.
const HEADING_RUNS: usize = 3;
const LEVELS: usize = 4;

/// A row: elements of one parent that look alike and hold text.
struct Row {
    parent: NodeId,
    items: Vec<NodeId>,
}

/// Which runs belong to comments or to other stories' pictures. `headline` is the number of the headline's run.
pub(super) fn foreign_runs(page: &Page, runs: &Runs, headline: usize) -> Vec<bool> {
    let mut finder = Finder::new(page, runs, headline);
    let rows = rows(page, runs);
    finder.mark_comments(&rows);
    let is_comment = finder.is_foreign.clone();
    finder.prose = runs.sums_of(|at, run| if run.is_prose() && !is_comment[at] { run.words } else { 0.0 });
    for row in &rows {
        if finder.are_pictures_of_others(row) {
            finder.mark_row_with_heading(row);
        }
    }
    finder.is_foreign
}

/// The elements that hold comments: parts that are named so, and the elements of rows that are comments.
pub(super) struct CommentElements {
    pub(super) named: Vec<NodeId>,
    pub(super) in_rows: Vec<NodeId>,
}

/// The elements behind the headline that hold comments. `headline` is the number of the headline's run.
pub(super) fn comment_elements(page: &Page, runs: &Runs, headline: usize) -> CommentElements {
    Finder::new(page, runs, headline).mark_comments(&rows(page, runs))
}

/// The rows of a page.
fn rows(page: &Page, runs: &Runs) -> Vec<Row> {
    let tree = &page.tree;
    type Look<'t> = (NodeId, Option<TagId>, Option<&'t str>);
    let mut by_look: FxHashMap<Look<'_>, usize> = FxHashMap::default();
    let mut rows: Vec<Row> = Vec::new();
    let has_sibling = |node| tree.next_sibling(node).or_else(|| tree.prev_sibling(node)).is_some();
    let may_be_item = |node: &NodeId| tree.is_html(*node) && has_sibling(*node);
    for node in tree.node_ids().filter(may_be_item).filter(|&node| !runs.under(tree, node).is_empty()) {
        let Some(parent) = tree.parent(node) else { continue };
        let look = (parent, tree.tag_id(node), tree.attr(node, "class"));
        let next = rows.len();
        let at = *by_look.entry(look).or_insert(next);
        if at == next {
            rows.push(Row { parent, items: Vec::new() });
        }
        if let Some(row) = rows.get_mut(at) {
            row.items.push(node);
        }
    }
    rows.retain(|row| row.items.len() > 1);
    rows
}

struct Finder<'a> {
    page: &'a Page,
    runs: &'a Runs,
    headline: usize,
    is_foreign: Vec<bool>,
    /// The words of prose that may be the story's.
    prose: PrefixSums,
}

impl<'a> Finder<'a> {
    fn new(page: &'a Page, runs: &'a Runs, headline: usize) -> Finder<'a> {
        let is_foreign = vec![false; runs.runs.len()];
        let prose = runs.sums(|run| if run.is_prose() { run.words } else { 0.0 });
        Finder { page, runs, headline, is_foreign, prose }
    }

    /// Marks all comments.
    fn mark_comments(&mut self, rows: &[Row]) -> CommentElements {
        let named = self.mark_named_comments();
        let mut in_rows = Vec::new();
        for row in rows {
            if self.are_marked_comments(row) || self.are_counted_comments(row) {
                row.items.iter().for_each(|item| self.mark(*item));
                in_rows.extend(&row.items);
            }
        }
        CommentElements { named, in_rows }
    }

    fn tree(&self) -> &'a PageTree {
        &self.page.tree
    }

    fn range(&self, node: NodeId) -> Range<usize> {
        self.runs.under(self.tree(), node)
    }

    fn mark(&mut self, node: NodeId) {
        let range = self.range(node);
        self.is_foreign[range].fill(true);
    }

    /// Whether an element begins behind the headline, and so does not hold it.
    fn is_behind_headline(&self, node: NodeId) -> bool {
        self.range(node).start > self.headline || self.runs.runs.is_empty()
    }

    /// Words of prose outside a range of runs.
    fn prose_outside(&self, range: &Range<usize>) -> f32 {
        self.prose.all() - self.prose.over(range.clone())
    }

    /// Marks the parts whose class, id or type says that they hold comments.
    fn mark_named_comments(&mut self) -> Vec<NodeId> {
        let tree = self.tree();
        let (mut at, mut found) = (0, Vec::new());
        while let Some(node) = tree.node_at(at) {
            at += 1;
            let names = tree.classes(node).chain(tree.attr(node, "id"));
            let is_named = names.into_iter().any(names_comments);
            let is_typed = || {
                tree.attr(node, "itemprop") == Some("comment")
                    || tree.attr(node, "itemtype").is_some_and(|kind| kind.ends_with("schema.org/Comment"))
            };
            if tree.depth(node) > 2 && (is_named || is_typed()) && self.is_behind_headline(node) {
                self.mark(node);
                found.push(node);
                at = tree.subtree_end(node).index();
            }
        }
        found
    }

    /// Whether each element of a row calls itself a comment.
    fn are_marked_comments(&self, row: &Row) -> bool {
        let tree = self.tree();
        let mut scratch = String::new();
        let comment = GROUPS.iter().position(|(name, _)| *name == "comment").unwrap_or(0);
        let mut says_so = |item: &NodeId| {
            let names = ["class", "id", "itemprop"].iter().filter_map(|name| tree.attr(*item, name));
            let mut groups = names.map(|name| groups_in(name, &mut scratch, Vocabulary::shared()));
            groups.any(|groups| groups >> comment & 1 == 1)
        };
        let is_first = row.items.first().is_some_and(|item| self.is_behind_headline(*item));
        // A paragraph may have such a class, too; a comment has a name or time beside its text.
        let have_parts = row.items.iter().all(|item| self.range(*item).len() > 1);
        is_first && have_parts && row.items.iter().all(&mut says_so)
    }

    /// Whether the heading above a row counts it: "12 comments" in any language.
    fn are_counted_comments(&self, row: &Row) -> bool {
        let (Some(first), Some(last)) = (row.items.first(), row.items.last()) else { return false };
        let range = self.range(*first).start..self.range(*last).end;
        let have_parts = row.items.iter().all(|item| self.range(*item).len() > 1);
        if !have_parts || !self.is_behind_headline(*first) || self.is_foreign[range.start] {
            return false;
        }
        let Some(heading) = range.start.checked_sub(1).map(|before| &self.runs.runs[before]) else {
            return false;
        };
        let numbers = || {
            heading.text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse::<usize>().ok())
        };
        let is_count = heading.words <= HEADING_WORDS && numbers().eq([row.items.len()]);
        is_count && self.prose_outside(&range) >= LEAST_OUTSIDE
    }

    /// Whether a row shows other stories by pictures: each leads to one, or they are numbered, and the page has another
    /// text.
    fn are_pictures_of_others(&self, row: &Row) -> bool {
        let (Some(first), Some(last)) = (row.items.first(), row.items.last()) else { return false };
        let range = self.range(*first).start..self.range(*last).end;
        if row.items.len() < LEAST_PICTURES || !self.is_behind_headline(*first) || range.is_empty() {
            return false;
        }
        let tree = self.tree();
        let most = |has: &dyn Fn(NodeId) -> bool| {
            let count = row.items.iter().filter(|item| has(**item)).count();
            count as f32 >= MOST * row.items.len() as f32
        };
        let has_picture = |item| tree.descendants(item).any(|node| tree.tag(node) == Some("img"));
        if !most(&has_picture) {
            return false;
        }
        let words = |item| self.runs.runs[self.range(item)].iter().map(|run| run.words).sum::<f32>();
        let is_teaser = |item| words(item) <= TEASER_WORDS && self.leads_to_another(item);
        let is_numbered =
            |item| self.runs.runs[self.range(item)].iter().any(|run| starts_with_number_of_all(&run.text));
        let is_other = most(&is_teaser) || most(&is_numbered);
        let row_words: f32 = row.items.iter().map(|item| words(*item)).sum();
        is_other && self.prose_outside(&range) >= OUTSIDE_WORDS.max(OUTSIDE_SHARE * row_words)
    }

    /// Whether an element has a link to another page of the site.
    fn leads_to_another(&self, item: NodeId) -> bool {
        let tree = self.tree();
        let links = tree.descendants(item).filter(|&node| tree.tag(node) == Some("a"));
        let mut targets = links.filter_map(|link| self.page.target(link));
        targets.any(|target| target.site() == self.page.url.site() && target.path() != self.page.url.path())
    }

    /// Marks a row, and the heading that its parent gives it.
    fn mark_row_with_heading(&mut self, row: &Row) {
        row.items.iter().for_each(|item| self.mark(*item));
        let own: usize = row.items.iter().map(|item| self.range(*item).len()).sum();
        let mut parent = row.parent;
        // What is around the row alone, up to some levels, belongs to it.
        for _ in 0..LEVELS {
            let range = self.range(parent);
            if range.len() > own + HEADING_RUNS || range.contains(&self.headline) {
                return;
            }
            let mut rest = range.clone().filter(|at| !self.is_foreign[*at]).map(|at| &self.runs.runs[at]);
            if rest.any(|run| run.is_prose()) {
                return;
            }
            self.is_foreign[range].fill(true);
            let Some(above) = self.tree().parent(parent) else { return };
            parent = above;
        }
    }
}

/// Whether a class or id is one of [`COMMENTS`].
fn names_comments(name: &str) -> bool {
    // Most names are done with after their first letter.
    let is_possible = matches!(
        name.as_bytes().first().map(u8::to_ascii_lowercase),
        Some(b'c' | b'd' | b'f' | b'k' | b'r' | b'y')
    );
    is_possible && COMMENTS.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether a text begins like "2/7" or "2 / 7".
fn starts_with_number_of_all(text: &str) -> bool {
    let behind = |text: &str| text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let first = behind(text);
    let Some(rest) = text.get(text.len() - first..).filter(|rest| rest.len() < text.len()) else {
        return false;
    };
    let Some(second) = rest.trim_start().strip_prefix('/') else { return false };
    second.trim_start().starts_with(|c: char| c.is_ascii_digit()) && text.len() - first <= 3
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    const PROSE: &str = "<p>The council voted on Tuesday to keep the old bridge open for another year, after hundreds of people had asked for it.</p>";

    #[track_caller]
    fn check(html: &str, expected: &[&str]) {
        let page = page(&format!("<h1>Bridge stays open</h1>{}{html}", PROSE.repeat(5)));
        let runs = Runs::new(&page);
        let is_foreign = foreign_runs(&page, &runs, 0);
        let found: Vec<&str> = runs
            .runs
            .iter()
            .zip(is_foreign)
            .filter(|(_, is)| *is)
            .map(|(run, _)| run.text.as_str())
            .collect();
        assert_eq!(found, expected, "{html}");
    }

    #[test]
    fn comments_say_so_or_are_counted() {
        check("<div id=comments><p>Nonsense.</p></div>", &["Nonsense."]);
        check(
            "<ul><li class=comment><b>Tom</b><p>No.</p><li class=comment><b>Ada</b><p>Yes.</p></ul>",
            &["Tom", "No.", "Ada", "Yes."],
        );
        check(
            "<h3>2 reakcje</h3><div><b>Tom</b><p>No.</p></div><div><b>Ada</b><p>Yes.</p></div>",
            &["Tom", "No.", "Ada", "Yes."],
        );
        check("<h3>2 facts</h3><p>It is old.</p><p>It is open.</p>", &[]);
        check("<p class=comment>We think so.</p><p class=comment>And how.</p>", &[]);
    }

    #[test]
    fn pictures_that_lead_away_are_of_other_stories() {
        let slides = |text: &str| -> String {
            (1..5)
                .map(|n| {
                    format!("<div class=s><img src=/{n}.jpg>{}</div>", text.replace('#', &n.to_string()))
                })
                .collect()
        };
        let texts =
            |text: &str| -> Vec<String> { (1..5).map(|n| text.replace('#', &n.to_string())).collect() };
        let expect = |html: &str, text: &str| {
            let owned = texts(text);
            check(
                &format!("<section>{}</section>", slides(html)),
                &owned.iter().map(String::as_str).collect::<Vec<_>>(),
            );
        };
        expect("<a href=/story-#>Story # of today</a>", "Story # of today");
        expect("<p>#/4 A view of hall #</p>", "#/4 A view of hall #");
        check(&slides("<p>Step # of the work.</p>"), &[]);
    }

    #[test]
    fn numbers_of_all_are_recognised() {
        for text in ["1/6 Picture", "12 / 14 x"] {
            assert!(starts_with_number_of_all(text), "{text}");
        }
        for text in ["/6", "1 of 6", "2024/5 was", "a/b", ""] {
            assert!(!starts_with_number_of_all(text), "{text}");
        }
    }
}
