//! Properties of single parts of a box, and comparisons of two.
//!
//! A part is lone if it is one label, and bare if it is a label and little else, as headings are. Labels are
//! peers if the elements that gave them their rank are alike.

use super::draft::Draft;
use super::forest::Part;
use super::labels::Label;
use super::rank::{self, Rank};
use super::skeleton::NONE;
use super::tags::TagKind;
use super::words::ClassWord;

/// The weakest rank of a heading element.
pub(super) const LEAST_HEADING: Rank = 60;
/// Most words of a section's name; headlines have more.
const MAX_NAME_WORDS: u32 = 4;

/// Whether a part is one label, or one text several times (such as copies for other screens).
pub(super) fn is_lone(draft: &Draft<'_>, part: &Part) -> bool {
    part.is_single() || {
        let text = draft.evidence.labels[part.first as usize].text;
        part.labels == part.tops
            && draft.forest.tops(part).all(|top| draft.evidence.labels[top as usize].text == text)
    }
}

/// Whether a part is a heading and little else: in a box made for headings, up to four short texts and any menu;
/// elsewhere, two or three short links.
pub(super) fn is_bare(draft: &Draft<'_>, part: &Part) -> bool {
    if is_lone(draft, part) {
        return true;
    }
    if part.element == NONE || part.inner == NONE || part.rank > rank::STRONG {
        return false;
    }
    let is_header = is_header(draft, part.inner) || is_header(draft, part.element);
    let is_true = part.rank <= LEAST_HEADING;
    let (most, words) = if is_header { (4, 8) } else { (2 + u32::from(is_true), 3) };
    let link = draft.evidence.labels[part.best as usize].link;
    let is_more = |label: &Label| label.link.is_some() && label.link != link;
    let is_menu = |label: &Label| is_header && label.words <= 3 && label.link.is_some();
    let (lo, hi) = draft.evidence.spans[part.inner as usize];
    if hi - lo < part.labels {
        return false;
    }
    let mut count = 0;
    for label in (lo..hi).filter(|&label| label != part.best) {
        let label = &draft.evidence.labels[label as usize];
        if label.is_decoration || is_menu(label) {
            continue;
        }
        count += 1;
        if count > most || label.words > words || !(is_header || is_more(label) || (is_true && count == 1)) {
            return false;
        }
    }
    true
}

pub(super) fn is_header(draft: &Draft<'_>, element: u32) -> bool {
    let this = draft.evidence.skeleton.get(element);
    matches!(this.kind, TagKind::Header | TagKind::Heading(_))
        || matches!(this.word, Some(ClassWord::Head | ClassWord::Top))
}

/// Whether the elements that gave two labels their rank are alike.
pub(super) fn are_peers(draft: &Draft<'_>, a: u32, b: u32) -> bool {
    let (m, n) = (draft.evidence.marks[a as usize], draft.evidence.marks[b as usize]);
    let rank = draft.forest.ranks[a as usize];
    rank == draft.forest.ranks[b as usize]
        && match rank {
            rank::HEAD_WORD => draft.evidence.skeleton.share_head_words(m, n),
            _ => draft.evidence.skeleton.is_like(m, n),
        }
        && (rank != rank::HEAD_WORD
            || are_long(draft, a, b)
            || draft.evidence.skeleton.get(m).sig == draft.evidence.skeleton.get(n).sig)
}

/// Whether both labels are as long as headlines.
fn are_long(draft: &Draft<'_>, a: u32, b: u32) -> bool {
    [a, b].iter().all(|&label| draft.evidence.labels[label as usize].words > MAX_NAME_WORDS)
}

/// The style of a label as seen from a box: the elements from the label up to the box.
pub(super) fn style_in(draft: &Draft<'_>, label: u32, element: u32) -> u64 {
    let mut at = draft.evidence.labels[label as usize].element;
    let mut style = 0u64;
    for _ in 0..12 {
        if at == NONE || at == element {
            break;
        }
        let this = draft.evidence.skeleton.get(at);
        style = style.wrapping_mul(0x100_0000_01b3) ^ u64::from(this.sig + 1);
        at = this.parent;
    }
    style
}
