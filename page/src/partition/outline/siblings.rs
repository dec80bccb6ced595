//! Similar siblings: items of a list, rows, articles, boxes of one class. They never head one another.
//!
//! Most exceptions are about labels that come first: a bare heading before larger boxes, plain text before
//! links, a style that begins lists all over the page, headings between plain items, terms in a list of terms,
//! and the heading of a column that the next columns continue.

use super::draft::{Draft, HeadScope};
use super::forest::Part;
use super::headings;
use super::parts::{self, LEAST_HEADING};
use super::rank;
use super::sections;
use super::skeleton::NONE;
use super::tags::TagKind;
use super::words::ClassWord;

/// Whether the parts are of one kind and none heads another.
pub(super) fn are_alike(draft: &Draft<'_>, parts: &[Part]) -> bool {
    if !are_of_one_kind(draft, parts) {
        return false;
    }
    match draft.kind(&parts[0]) {
        Some(TagKind::Row) => !(is_row_over_list(draft, parts) || is_heading_row(draft, parts)),
        _ => !(is_odd_first(draft, parts) || is_headed_list(draft, parts)),
    }
}

pub(super) fn are_of_one_kind(draft: &Draft<'_>, parts: &[Part]) -> bool {
    if parts.iter().any(|part| part.element == NONE) {
        return false;
    }
    let first = draft.kind(&parts[0]);
    let by_name = matches!(first, Some(TagKind::Item | TagKind::Row | TagKind::Article))
        && parts.iter().all(|part| draft.kind(part) == first);
    by_name || parts[1..].iter().all(|part| draft.evidence.skeleton.is_like(parts[0].element, part.element))
}

/// Whether the first of several similar parts heads the others.
pub(super) fn is_odd_first(draft: &Draft<'_>, parts: &[Part]) -> bool {
    let [first, rest @ ..] = parts else { return false };
    let this = &draft.evidence.labels[first.best as usize];
    if rest.is_empty()
        || !parts::is_bare(draft, first)
        || draft.evidence.barred[first.best as usize]
        || this.is_number
    {
        return false;
    }
    if let [list] = rest
        && list.is_list
        && list.labels >= 3
        && first.rank <= rank::KICKER
        && first.rank != rank::LINK
        && first.rank != rank::TEXT
        && parts::is_lone(draft, first)
    {
        return !draft.forest.some_tops(list).any(|top| parts::are_peers(draft, first.best, top));
    }
    let is_plain =
        parts::is_lone(draft, first) || first.rank <= LEAST_HEADING || parts::is_header(draft, first.element);
    if is_over_headlines(draft, first, rest) {
        return true;
    }
    if first.rank <= rank::STRONG && is_plain && are_larger(rest) {
        return !rest.iter().any(|part| parts::are_peers(draft, first.best, part.best));
    }
    if rest.len() < 2 || !parts::is_lone(draft, first) {
        return false;
    }
    let style = draft.evidence.styles[first.best as usize];
    let is_plain =
        |part: &Part| part.rank >= rank::LINK && draft.evidence.styles[part.first as usize] != style;
    if draft.votes.leads(style) && rest.iter().all(is_plain) {
        return true;
    }
    let is_link = |part: &Part| part.is_single() && draft.evidence.labels[part.best as usize].link.is_some();
    this.link.is_none() && !this.is_image && rest.iter().all(is_link)
}

/// Whether a weak section label precedes the headlines of its section.
fn is_over_headlines(draft: &Draft<'_>, first: &Part, rest: &[Part]) -> bool {
    let is_label = first.rank == rank::KICKER || (rank::VOTED..=rank::STRONG).contains(&first.rank);
    let headlines = rest.iter().filter(|part| part.rank <= rank::STRONG).count();
    is_label
        && parts::is_lone(draft, first)
        && headlines >= 2
        && headlines * 10 >= rest.len() * 6
        && !rest.iter().any(|part| parts::are_peers(draft, first.best, part.best))
}

/// Whether bare headings precede plain items in a list.
fn is_headed_list(draft: &Draft<'_>, parts: &[Part]) -> bool {
    let [first, rest @ ..] = parts else { return false };
    if first.rank > rank::HEAD_WORD
        || rest.len() < 2
        || !parts::is_bare(draft, first)
        || draft.evidence.barred[first.best as usize]
    {
        return false;
    }
    let is_head = |part: &Part| parts::is_bare(draft, part) && parts::are_peers(draft, first.best, part.best);
    // An item whose class calls it a title may also head boxes.
    let is_named = parts::is_header(draft, first.element)
        || draft.evidence.skeleton.get(first.element).word == Some(ClassWord::Head);
    let is_plain =
        |part: &Part| (part.is_single() && part.rank >= rank::LINK) || (is_named && part.labels >= 3);
    let heads = rest.iter().filter(|part| is_head(part)).count();
    let plain = rest.iter().filter(|part| !is_head(part) && is_plain(part)).count();
    heads < rest.len()
        && plain * 10 >= (rest.len() - heads) * 6
        && rest.iter().all(|part| is_head(part) || part.rank > first.rank || (is_named && part.labels >= 3))
}

/// Whether rows of one cell hold a label in the first row and lists in the others.
pub(super) fn is_row_over_list(draft: &Draft<'_>, parts: &[Part]) -> bool {
    let [first, rest @ ..] = parts else { return false };
    draft.kind(first) == Some(TagKind::Row)
        && (1..=2).contains(&rest.len())
        && parts::is_lone(draft, first)
        && !draft.evidence.labels[first.best as usize].is_number
        && rest.iter().all(|part| part.is_list && part.inner != part.element)
}

/// Whether the first row of a layout table is a true heading, alone or with a menu.
fn is_heading_row(draft: &Draft<'_>, parts: &[Part]) -> bool {
    let [first, rest @ ..] = parts else { return false };
    first.rank <= LEAST_HEADING
        && (parts::is_bare(draft, first) || sections::has_menu(draft, first, rest))
        && !draft.evidence.barred[first.best as usize]
        && !rest.iter().any(|part| part.rank <= first.rank)
}

/// Scopes of boxes that the following boxes without a heading continue.
pub(super) fn columns(draft: &Draft<'_>, parts: &[Part]) -> Option<Vec<HeadScope>> {
    let mut scopes: Vec<HeadScope> = Vec::new();
    let mut head: Option<usize> = None;
    for (i, part) in parts.iter().enumerate() {
        match head {
            Some(at) if goes_on(draft, &parts[at], part) => match scopes.last_mut() {
                Some(last) if last.at == at => last.end = i + 1,
                _ => scopes.push(HeadScope { at, end: i + 1 }),
            },
            _ => head = heads_column(draft, part).then_some(i),
        }
    }
    (!scopes.is_empty()).then_some(scopes)
}

fn heads_column(draft: &Draft<'_>, part: &Part) -> bool {
    let is_box = !matches!(draft.kind(part), None | Some(TagKind::Item | TagKind::Row | TagKind::Article));
    let is_set_off = part.rank < rank::HEAD_WORD || draft.kind(part) == Some(TagKind::Cell);
    is_box && part.is_closed() && is_set_off && !draft.evidence.barred[part.best as usize]
}

/// Whether an open part lists labels in the style of those under a head.
fn goes_on(draft: &Draft<'_>, head: &Part, part: &Part) -> bool {
    let below = draft.forest.some_child(head.best);
    part.is_open()
        && part.element != NONE
        && below != NONE
        && draft.evidence.skeleton.is_like(head.element, part.element)
        && draft.forest.ranks[below as usize] >= rank::LINK
        && draft
            .forest
            .some_tops(part)
            .all(|top| draft.evidence.styles[top as usize] == draft.evidence.styles[below as usize])
}

/// The scopes of the terms in a list of terms and details.
pub(super) fn terms(draft: &Draft<'_>, parts: &[Part]) -> Option<Vec<HeadScope>> {
    let all = parts.iter().all(|part| matches!(draft.kind(part), Some(TagKind::Term | TagKind::Detail)));
    let heads: Vec<usize> =
        (0..parts.len()).filter(|&i| draft.kind(&parts[i]) == Some(TagKind::Term)).collect();
    (all && heads.first() == Some(&0) && heads.len() < parts.len()).then(|| headings::scopes(&heads, parts))
}

/// The style of a label that is first in a list and differs from the others, not only by being first.
pub(super) fn leading_style(draft: &Draft<'_>, parts: &[Part]) -> Option<u32> {
    let [first, rest @ ..] = parts else { return None };
    let style = |part: &Part| draft.evidence.styles[part.first as usize];
    let is_other =
        |part: &Part| part.is_single() && part.rank >= rank::LINK && style(part) == style(&rest[0]);
    let differs = rest.len() >= 2
        && first.is_single()
        && style(&rest[0]) != style(first)
        && inside(draft, first) != inside(draft, &rest[0])
        && rest.iter().all(is_other);
    (differs && are_of_one_kind(draft, parts)).then(|| style(first))
}

/// The style of a single label's innermost element, `NONE` if that is the part itself.
fn inside(draft: &Draft<'_>, part: &Part) -> u32 {
    let element = draft.evidence.labels[part.first as usize].element;
    if element == part.element { NONE } else { draft.evidence.skeleton.get(element).sig }
}

/// Whether boxes with several labels are most of the parts, or hold most of the labels.
fn are_larger(parts: &[Part]) -> bool {
    let larger = || parts.iter().filter(|part| part.labels >= 3);
    let labels: u32 = parts.iter().map(|part| part.labels).sum();
    larger().count() * 10 >= parts.len() * 6
        || larger().map(|part| part.labels).sum::<u32>() * 10 >= labels * 8
}
