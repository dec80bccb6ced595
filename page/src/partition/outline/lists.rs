//! A label before what is clearly a list heads it, whatever the label looks like.

use super::draft::{Draft, HeadScope};
use super::forest::Part;
use super::headings;
use super::parts;
use super::rank;
use super::siblings;
use super::skeleton::NONE;
use super::tags::TagKind;

/// A plain text with more words does not name a list.
const MOST_WORDS: u32 = 10;
/// Least number of labels in a box that counts as a list because none of them heads another.
const FLAT: u32 = 4;

/// Whether the first part is one label and the others are clearly a list of equals.
pub(super) fn is_label_and_list(draft: &Draft<'_>, element: u32, parts: &[Part], above: u32) -> bool {
    let [label, rest @ ..] = parts else { return false };
    let is_second =
        above != NONE && label.rank < rank::LINK && draft.forest.ranks[above as usize] == label.rank;
    if rest.is_empty() || is_second || !may_name(draft, label) {
        return false;
    }
    is_entry_over_submenu(draft, element, label, rest)
        || siblings::is_row_over_list(draft, parts)
        || (rest.len() >= 4 && headings::in_turn(draft, element, rest).is_some())
        || is_over_siblings(draft, parts)
        || is_over_lists(draft, label, rest)
}

/// A plain label after other parts, before the lists that end the box.
pub(super) fn last_list(draft: &Draft<'_>, element: u32, parts: &[Part]) -> Option<HeadScope> {
    let first_list =
        parts.len() - parts.iter().rev().take_while(|part| part.is_list && part.labels > 2).count();
    let at = first_list.checked_sub(1).filter(|&at| at > 0 && first_list < parts.len())?;
    let (label, lists) = (&parts[at], &parts[first_list..]);
    let style = parts::style_in(draft, label.best, element);
    let recurs = parts[..at].iter().any(|part| parts::style_in(draft, part.best, element) == style);
    let fits = lists.len() <= 2
        && may_name(draft, label)
        && draft.evidence.labels[label.best as usize].link.is_none()
        && !recurs
        && lists.iter().all(|list| is_other_block(draft, label, list) && list.rank >= rank::LINK);
    fits.then_some(HeadScope { at, end: parts.len() })
}

fn may_name(draft: &Draft<'_>, label: &Part) -> bool {
    let this = &draft.evidence.labels[label.best as usize];
    let is_long = label.rank == rank::TEXT && this.words > MOST_WORDS;
    let is_picture = this.is_image && this.link.is_some() && label.rank == rank::IMAGE;
    parts::is_lone(draft, label)
        && label.rank < rank::META
        && !(this.is_number || is_long || is_picture || draft.evidence.barred[label.best as usize])
}

/// Whether the label is a menu entry over its submenu; there may be a button in between.
fn is_entry_over_submenu(draft: &Draft<'_>, element: u32, label: &Part, rest: &[Part]) -> bool {
    let [between @ .., block] = rest else { return false };
    draft.evidence.skeleton.get(element).kind == TagKind::Item
        && between.len() <= 2
        && between.iter().all(|part| part.is_single() && part.rank >= rank::LINK)
        && is_other_block(draft, label, block)
        && block.labels > 1
        && block.rank >= rank::HEAD_WORD
        && !draft.evidence.labels[label.best as usize].is_image
}

/// Whether the label is an element of its own before similar siblings, or plain text before inline links.
fn is_over_siblings(draft: &Draft<'_>, parts: &[Part]) -> bool {
    let (label, rest) = (&parts[0], &parts[1..]);
    if siblings::are_of_one_kind(draft, parts) {
        return siblings::is_odd_first(draft, parts);
    }
    if rest.len() < 2 || siblings::are_alike(draft, parts) {
        return false;
    }
    if label.element != NONE && siblings::are_alike(draft, rest) {
        let is_running = rest.iter().all(|part| draft.kind(part).is_some_and(TagKind::is_inline));
        let is_same = draft.kind(label) == draft.kind(&rest[0]);
        return if is_same { siblings::is_odd_first(draft, parts) } else { !is_running };
    }
    let is_link = |part: &Part| part.is_single() && draft.evidence.labels[part.best as usize].link.is_some();
    draft.evidence.labels[label.best as usize].link.is_none() && rest.iter().all(is_link)
}

/// Whether one or two lists follow, then perhaps a link to more.
fn is_over_lists(draft: &Draft<'_>, label: &Part, rest: &[Part]) -> bool {
    let lists = match rest {
        [lists @ .., more] if !lists.is_empty() && more.is_single() => lists,
        all => all,
    };
    let is_list = |part: &Part| {
        is_other_block(draft, label, part)
            && part.rank < rank::META
            && part.labels > 1
            && (part.is_list || draft.kind(part) == Some(TagKind::List))
            && !lists_peers(draft, label, part)
    };
    let is_flat = |part: &Part| {
        is_other_block(draft, label, part)
            && part.labels == part.tops
            && part.tops >= FLAT
            && (rank::LINK..rank::META).contains(&part.rank)
    };
    let is_plain = draft.evidence.labels[label.best as usize].link.is_none() && label.element != NONE;
    (lists.len() <= 2 && lists.iter().all(is_list)) || (is_plain && rest.len() == 1 && is_flat(&rest[0]))
}

/// Whether a list holds emphasised labels of the same kind: then the label is one of them.
fn lists_peers(draft: &Draft<'_>, label: &Part, list: &Part) -> bool {
    label.rank <= rank::STRONG
        && draft.forest.some_tops(list).any(|top| parts::are_peers(draft, label.best, top))
}

/// Whether a part is a block of another kind than the label's.
fn is_other_block(draft: &Draft<'_>, label: &Part, part: &Part) -> bool {
    draft.kind(part).is_some_and(|kind| !kind.is_inline())
        && (label.element == NONE || !draft.evidence.skeleton.is_like(label.element, part.element))
}
