//! Section headings that are not bare, and parts that only look like sections.
//!
//! A heading may have the section's menu beside it. Headlines without pictures look like headings until their
//! siblings with pictures are considered. A heading's scope ends before the footer of the page.

use super::draft::Draft;
use super::forest::Part;
use super::parts;
use super::rank;
use super::skeleton::NONE;
use super::tags::TagKind;

/// Most words of a link in the menu beside a heading.
const MENU_WORDS: u32 = 4;
/// Most labels of a heading and its menu.
const MOST_BESIDE_HEADING: u32 = 12;
/// Least number of labels in the footer of a page; a story's footer has fewer.
const FOOTER: u32 = 12;

/// Whether a part is a heading with the menu of the section that follows.
pub(super) fn has_menu(draft: &Draft<'_>, part: &Part, rest: &[Part]) -> bool {
    let is_heading = part.rank <= rank::HEAD_WORD
        && part.best == part.first
        && part.bests == 1
        && part.labels <= MOST_BESIDE_HEADING
        && !draft.evidence.barred[part.best as usize];
    let is_content =
        |other: &Part| other.rank <= rank::STRONG || draft.evidence.labels[other.best as usize].is_image;
    let labels: u32 = rest.iter().map(|part| part.labels).sum();
    if !is_heading || labels < 2 * part.labels || !rest.iter().any(is_content) {
        return false;
    }
    let head = &draft.evidence.labels[part.best as usize];
    let (lo, hi) = draft.span(std::slice::from_ref(part));
    let others = (lo..hi).filter(|&at| at != part.best).map(|at| &draft.evidence.labels[at as usize]);
    let others = || others.clone().filter(|label| !label.is_decoration);
    let links = others().filter(|label| label.link.is_some()).count() as u32;
    let is_entry = |words: u32| words <= MENU_WORDS;
    others().all(|label| is_entry(label.words) && !label.is_image && label.link != head.link)
        && (links * 2 >= part.labels - 1 || part.labels == 2)
}

/// Whether parts that look like headings are headlines without a picture: another part of their kind has more
/// labels.
pub(super) fn are_headlines(draft: &Draft<'_>, parts: &[Part], heads: &[usize]) -> bool {
    let head = &parts[heads[0]];
    let is_alike = |part: &Part| {
        part.is_closed()
            && parts::are_peers(draft, head.best, part.best)
            && head.element != NONE
            && part.element != NONE
            && draft.evidence.skeleton.is_like(head.element, part.element)
    };
    (0..parts.len()).any(|i| !heads.contains(&i) && is_alike(&parts[i]))
}

/// Whether a part is the page's footer.
pub(super) fn is_page_footer(draft: &Draft<'_>, part: &Part) -> bool {
    part.labels >= FOOTER && is_all_in(draft, part, TagKind::Footer)
}

/// Whether all of a part is in an element of this kind that is the part's own.
pub(super) fn is_all_in(draft: &Draft<'_>, part: &Part, kind: TagKind) -> bool {
    if part.element == NONE || part.inner == NONE {
        return false;
    }
    let above = |&at: &u32| {
        Some(draft.evidence.skeleton.get(at).parent).filter(|&parent| at != part.element && parent != NONE)
    };
    let mut chain = std::iter::successors(Some(part.inner), above);
    chain.any(|at| draft.evidence.skeleton.get(at).kind == kind)
}
