//! Records: boxes that the page repeats, such as a story with its picture and author.
//!
//! The strongest label heads a record even if it is not first.

use super::draft::Draft;
use super::forest::Part;
use super::headings;
use super::parts::LEAST_HEADING;
use super::rank::{self, Rank};
use super::tables;
use super::tags::TagKind;

/// Least number of labels in a menu; a record holds no such list.
const LEAST_MENU: u32 = 6;

/// The label that heads a repeated small box.
pub(super) fn record_head(draft: &Draft<'_>, element: u32, parts: &[Part]) -> Option<u32> {
    let this = draft.evidence.skeleton.get(element);
    if !this.is_record
        || this.kind == TagKind::Paragraph
        || this.leaves() > draft.params.record_leaves
        || (draft.params.tables && this.kind == TagKind::Row && tables::is_under_header(draft, element))
    {
        return None;
    }
    // A box that is mostly menu is not a record, nor is one with a list of headlines.
    let labels: u32 = parts.iter().map(|part| part.labels).sum();
    let is_flat = |part: &&Part| {
        part.rank < rank::KICKER && (part.is_list || (part.is_open() && part.labels == part.tops))
    };
    let listed: u32 = parts.iter().filter(is_flat).map(|part| part.labels).sum();
    let is_menu = listed >= LEAST_MENU && listed * 2 > labels;
    let is_section = |part: &Part| {
        part.is_list
            && ((part.labels >= LEAST_MENU && part.labels * 2 > labels) || part.rank <= LEAST_HEADING)
    };
    if parts.iter().any(is_section) {
        return None;
    }
    let is_free = |part: &&Part| !draft.evidence.barred[part.best as usize];
    let best = parts.iter().filter(is_free).min_by_key(|part| part.rank)?;
    if is_menu && best.rank > LEAST_HEADING {
        return None;
    }
    if best.is_single()
        && draft.votes.is_kicker(draft.evidence.styles[best.best as usize])
        && let (1, headline) = headings::headlines(draft, best, parts)
    {
        return Some(headline);
    }
    let fits = match best.rank {
        // Plain text may head an item or row, but not a box.
        rank::TEXT.. => {
            best.rank < rank::IMAGE && !matches!(this.kind, TagKind::Block | TagKind::Inline | TagKind::List)
        }
        _ => true,
    };
    (fits && is_mixed(draft, parts) && is_clear(best.rank, parts)).then_some(best.best)
}

/// Whether the tops have several ranks.
fn is_mixed(draft: &Draft<'_>, parts: &[Part]) -> bool {
    let mut ranks = parts
        .iter()
        .flat_map(|part| draft.forest.some_tops(part))
        .map(|top| draft.forest.ranks[top as usize]);
    let first = ranks.next();
    ranks.any(|rank| Some(rank) != first)
}

/// Whether one label is the strongest, or at most two are (a picture's link and the headline's).
fn is_clear(best: Rank, parts: &[Part]) -> bool {
    let bests = || parts.iter().filter(|part| part.rank == best).map(|part| part.bests);
    bests().sum::<u32>() <= 2 && !(best <= rank::STRONG && bests().any(|bests| bests > 1))
}
