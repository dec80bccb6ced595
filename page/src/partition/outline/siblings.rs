//! Like siblings: items of a list, rows, articles, boxes of one class. They never head one another.
//!
//! Exceptions, all of them about labels that stand first: a bare heading before larger boxes, plain text
//! before links, a style that begins lists all over the page, headings between plain items, terms of a list
//! of terms, and a column's heading that the next columns go on with.

use super::compose::Composer;
use super::forest::Part;
use super::headings::{LEAST_HEADING, Scope};
use super::rank;
use super::skeleton::NONE;
use super::tags::Kind;
use super::words::Word;

impl Composer<'_> {
    /// Parts of one kind: none heads another.
    pub(super) fn are_alike(&self, parts: &[Part]) -> bool {
        if !self.are_of_one_kind(parts) {
            return false;
        }
        match self.kind(&parts[0]) {
            Some(Kind::Row) => !(self.is_row_over_list(parts) || self.is_heading_row(parts)),
            _ => !(self.is_odd_first(parts) || self.is_headed_list(parts)),
        }
    }

    pub(super) fn are_of_one_kind(&self, parts: &[Part]) -> bool {
        if parts.iter().any(|part| part.element == NONE) {
            return false;
        }
        let first = self.kind(&parts[0]);
        let by_name = matches!(first, Some(Kind::Item | Kind::Row | Kind::Article))
            && parts.iter().all(|part| self.kind(part) == first);
        by_name || parts[1..].iter().all(|part| self.skeleton.is_like(parts[0].element, part.element))
    }

    /// Whether the first of like parts stands over the others.
    pub(super) fn is_odd_first(&self, parts: &[Part]) -> bool {
        let [first, rest @ ..] = parts else { return false };
        let this = &self.labels[first.best as usize];
        if rest.is_empty() || !self.is_bare(first) || self.barred[first.best as usize] || this.is_number {
            return false;
        }
        if let [list] = rest
            && list.is_list
            && list.labels >= 3
            && first.rank <= rank::KICKER
            && first.rank != rank::LINK
            && first.rank != rank::TEXT
            && self.is_lone(first)
        {
            return !self.forest.some_tops(list).any(|top| self.are_peers(first.best, top));
        }
        let is_plain = self.is_lone(first) || first.rank <= LEAST_HEADING || self.is_header(first.element);
        if self.is_over_headlines(first, rest) {
            return true;
        }
        if first.rank <= rank::STRONG && is_plain && are_larger(rest) {
            return !rest.iter().any(|part| self.are_peers(first.best, part.best));
        }
        if rest.len() < 2 || !self.is_lone(first) {
            return false;
        }
        let style = self.styles[first.best as usize];
        let is_plain = |part: &Part| part.rank >= rank::LINK && self.styles[part.first as usize] != style;
        if self.votes.leads(style) && rest.iter().all(is_plain) {
            return true;
        }
        let is_link = |part: &Part| part.is_single() && self.labels[part.best as usize].link.is_some();
        this.link.is_none() && !this.is_image && rest.iter().all(is_link)
    }

    /// Whether a section's label of no great strength stands before the headlines of its section.
    fn is_over_headlines(&self, first: &Part, rest: &[Part]) -> bool {
        let is_label = first.rank == rank::KICKER || (rank::VOTED..=rank::STRONG).contains(&first.rank);
        let headlines = rest.iter().filter(|part| part.rank <= rank::STRONG).count();
        is_label
            && self.is_lone(first)
            && headlines >= 2
            && headlines * 10 >= rest.len() * 6
            && !rest.iter().any(|part| self.are_peers(first.best, part.best))
    }

    /// Items among which bare headings stand before plain ones.
    fn is_headed_list(&self, parts: &[Part]) -> bool {
        let [first, rest @ ..] = parts else { return false };
        if first.rank > rank::HEAD_WORD
            || rest.len() < 2
            || !self.is_bare(first)
            || self.barred[first.best as usize]
        {
            return false;
        }
        let is_head = |part: &Part| self.is_bare(part) && self.are_peers(first.best, part.best);
        // An item whose class calls it a title stands over boxes, too.
        let is_named =
            self.is_header(first.element) || self.skeleton.get(first.element).word == Some(Word::Head);
        let is_plain =
            |part: &Part| (part.is_single() && part.rank >= rank::LINK) || (is_named && part.labels >= 3);
        let heads = rest.iter().filter(|part| is_head(part)).count();
        let plain = rest.iter().filter(|part| !is_head(part) && is_plain(part)).count();
        heads < rest.len()
            && plain * 10 >= (rest.len() - heads) * 6
            && rest
                .iter()
                .all(|part| is_head(part) || part.rank > first.rank || (is_named && part.labels >= 3))
    }

    /// Rows of one cell: a label in the first, lists in the others.
    pub(super) fn is_row_over_list(&self, parts: &[Part]) -> bool {
        let [first, rest @ ..] = parts else { return false };
        self.kind(first) == Some(Kind::Row)
            && (1..=2).contains(&rest.len())
            && self.is_lone(first)
            && !self.labels[first.best as usize].is_number
            && rest.iter().all(|part| part.is_list && part.inner != part.element)
    }

    /// Rows of a layout: a true heading in the first, alone or with a menu.
    fn is_heading_row(&self, parts: &[Part]) -> bool {
        let [first, rest @ ..] = parts else { return false };
        first.rank <= LEAST_HEADING
            && (self.is_bare(first) || self.has_menu(first, rest))
            && !self.barred[first.best as usize]
            && !rest.iter().any(|part| part.rank <= first.rank)
    }

    /// Boxes without a heading that go on with the one before.
    pub(super) fn columns(&self, parts: &[Part]) -> Option<Vec<Scope>> {
        let mut scopes: Vec<Scope> = Vec::new();
        let mut head: Option<usize> = None;
        for (i, part) in parts.iter().enumerate() {
            match head {
                Some(at) if self.goes_on(&parts[at], part) => match scopes.last_mut() {
                    Some(last) if last.at == at => last.end = i + 1,
                    _ => scopes.push(Scope { from: at, at, end: i + 1 }),
                },
                _ => head = self.heads_column(part).then_some(i),
            }
        }
        (!scopes.is_empty()).then_some(scopes)
    }

    fn heads_column(&self, part: &Part) -> bool {
        let is_box = !matches!(self.kind(part), None | Some(Kind::Item | Kind::Row | Kind::Article));
        let is_set_off = part.rank < rank::HEAD_WORD || self.kind(part) == Some(Kind::Cell);
        is_box && part.is_closed() && is_set_off && !self.barred[part.best as usize]
    }

    /// Whether an open part lists the like of what stands under a head.
    fn goes_on(&self, head: &Part, part: &Part) -> bool {
        let below = self.forest.some_child(head.best);
        part.is_open()
            && part.element != NONE
            && below != NONE
            && self.skeleton.is_like(head.element, part.element)
            && self.forest.ranks[below as usize] >= rank::LINK
            && self.forest.some_tops(part).all(|top| self.styles[top as usize] == self.styles[below as usize])
    }

    /// The terms of a list of terms and details.
    pub(super) fn terms(&self, parts: &[Part]) -> Option<Vec<Scope>> {
        let all = parts.iter().all(|part| matches!(self.kind(part), Some(Kind::Term | Kind::Detail)));
        let heads: Vec<usize> =
            (0..parts.len()).filter(|&i| self.kind(&parts[i]) == Some(Kind::Term)).collect();
        (all && heads.first() == Some(&0) && heads.len() < parts.len()).then(|| self.scopes(&heads, parts))
    }

    /// Notes which label is first in a list and unlike the others, not only because it is first.
    pub(super) fn count_first(&mut self, parts: &[Part]) {
        let [first, rest @ ..] = parts else { return };
        let style = |part: &Part| self.styles[part.first as usize];
        let is_other =
            |part: &Part| part.is_single() && part.rank >= rank::LINK && style(part) == style(&rest[0]);
        let differs = rest.len() >= 2
            && first.is_single()
            && style(&rest[0]) != style(first)
            && self.inside(first) != self.inside(&rest[0])
            && rest.iter().all(is_other);
        if differs && self.are_of_one_kind(parts) {
            self.ballot.count_first(style(first));
        }
    }

    /// The innermost element of a single label, if it is not the part itself.
    fn inside(&self, part: &Part) -> u32 {
        let element = self.labels[part.first as usize].element;
        if element == part.element { NONE } else { self.skeleton.get(element).sig }
    }
}

/// Whether boxes of several labels are most of the parts, or hold most of the labels.
fn are_larger(parts: &[Part]) -> bool {
    let larger = || parts.iter().filter(|part| part.labels >= 3);
    let labels: u32 = parts.iter().map(|part| part.labels).sum();
    larger().count() * 10 >= parts.len() * 6
        || larger().map(|part| part.labels).sum::<u32>() * 10 >= labels * 8
}
