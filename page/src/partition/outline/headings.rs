//! The headings of a box: which of its parts head which.
//!
//! A part is a heading if it is bare: one label and little else. A heading that comes first heads the rest if
//! it is stronger, or if several different things follow. Headings of one style each head what follows them. A
//! heading before a single headline is that headline's kicker, if similar boxes of the page agree.

use super::draft::{Draft, HeadScope};
use super::forest::Part;
use super::parts::{self, LEAST_HEADING};
use super::rank::{self, Rank};
use super::sections;
use super::skeleton::NONE;
use super::tags::TagKind;

/// A heading may always head fewer labels than this.
const FEW: u64 = 30;
/// Most small parts, pictures and kickers that may precede a heading.
const BEFORE: usize = 2;
/// Most words of a kicker: a label has six.
const MAX_KICKER_WORDS: u32 = 6;

/// Whether a part is a heading that may head what is beside it. A heading in a `nav` only names that menu.
fn is_heading(draft: &Draft<'_>, part: &Part) -> bool {
    part.rank <= rank::STRONG
        && parts::is_bare(draft, part)
        && !draft.evidence.barred[part.best as usize]
        && !sections::is_all_in(draft, part, TagKind::Nav)
}

/// Headings of one style with something between them, and the scope of each.
pub(super) fn following(draft: &Draft<'_>, element: u32, parts: &[Part]) -> Option<Vec<HeadScope>> {
    if let Some(heads) = in_turn(draft, element, parts) {
        return Some(scopes(&heads, parts));
    }
    let bare: Vec<usize> = (0..parts.len()).filter(|&i| is_heading(draft, &parts[i])).collect();
    let mut ranks: Vec<Rank> = bare.iter().map(|&i| parts[i].rank).collect();
    ranks.sort_unstable();
    ranks.dedup();
    for rank in ranks {
        let heads: Vec<usize> = bare.iter().copied().filter(|&i| parts[i].rank == rank).collect();
        let &[at] = heads.as_slice() else { return in_one_style(draft, element, parts, &heads) };
        if let Some(scopes) = midway(draft, element, parts, at) {
            return Some(scopes);
        }
        // A heading that would be the page's title leaves the parts to the headings below it.
        if at + 1 == parts.len() || reaches(draft, &parts[at], &parts[at + 1..]) {
            return None;
        }
    }
    None
}

/// The scopes of headings of one rank, if they also have one style.
fn in_one_style(draft: &Draft<'_>, element: u32, parts: &[Part], heads: &[usize]) -> Option<Vec<HeadScope>> {
    let style = parts::style_in(draft, parts[heads[0]].best, element);
    if heads.iter().any(|&i| parts::style_in(draft, parts[i].best, element) != style) {
        return None;
    }
    if sections::are_headlines(draft, parts, heads) {
        return None;
    }
    let scopes = scopes(heads, parts);
    let gaps = scopes.iter().filter(|scope| scope.end > scope.at + 1).count();
    (gaps * 2 >= heads.len()).then_some(scopes)
}

/// A true heading between other parts heads what follows, up to a part that is as strong.
fn midway(draft: &Draft<'_>, element: u32, parts: &[Part], at: usize) -> Option<Vec<HeadScope>> {
    let head = &parts[at];
    let is_end = |other: &Part| {
        other.rank < head.rank
            || (other.rank == head.rank && other.is_closed())
            || sections::is_page_footer(draft, other)
    };
    let rest = &parts[at + 1..];
    let end = rest.iter().position(is_end).map_or(parts.len(), |end| at + 1 + end);
    let scope = &parts[at + 1..end];
    let is_midway = at > 0 && parts[..at].iter().any(|part| part.labels > 2);
    let fits = head.rank <= LEAST_HEADING
        && is_midway
        && !scope.is_empty()
        && !scope.iter().any(|other| is_equal(draft, element, head, other))
        && reaches(draft, head, scope);
    fits.then(|| vec![HeadScope { at, end }])
}

/// Single labels of one style, whatever their rank, each before lists.
pub(super) fn in_turn(draft: &Draft<'_>, element: u32, parts: &[Part]) -> Option<Vec<usize>> {
    let heads: Vec<usize> = (0..parts.len()).filter(|&i| parts::is_lone(draft, &parts[i])).collect();
    if heads.len() < 2 || heads[0] != 0 || draft.evidence.barred[parts[0].best as usize] {
        return None;
    }
    let style = parts::style_in(draft, parts[0].best, element);
    let mut ends = heads.iter().zip(heads.iter().skip(1).copied().chain([parts.len()]));
    let fits = ends.all(|(&at, end)| {
        let head = &draft.evidence.labels[parts[at].best as usize];
        !head.is_number
            && !head.is_image
            && end > at + 1
            && parts[at + 1..end].iter().all(|part| part.is_open() || part.is_list)
            && parts::style_in(draft, parts[at].best, element) == style
    });
    fits.then_some(heads)
}

/// The part whose label heads the rest, and the end of its scope.
pub(super) fn lone_first(
    draft: &Draft<'_>,
    element: u32,
    parts: &[Part],
    above: u32,
) -> Option<(usize, usize)> {
    let is_link = |label: u32| draft.evidence.labels[label as usize].link.is_some();
    if above != NONE && is_link(above) && !is_link(parts[0].best) && parts.iter().all(Part::is_single) {
        return None; // a headline's subtitle
    }
    let is_kicker = |at: usize| is_kicker(draft, &parts[at], &parts[at + 1..]);
    let is_small = |part: &Part| {
        part.is_single() && (part.rank >= rank::LINK || draft.evidence.barred[part.best as usize])
    };
    let at = (0..parts.len()).find(|&at| !is_small(&parts[at]) && !is_kicker(at))?;
    let (part, rest) = (&parts[at], &parts[at + 1..]);
    let may_head = || is_heading(draft, part) || (at == 0 && sections::has_menu(draft, part, rest));
    if at > BEFORE || rest.is_empty() || !may_head() {
        return None;
    }
    let is_alike = |other: &Part| other.is_single() && other.rank == part.rank;
    let run = rest.iter().take_while(|other| is_alike(other)).count();
    if run >= 2 || (above != NONE && draft.forest.ranks[above as usize] == part.rank) {
        return None; // tabs, or a second line of the heading
    }
    let best = rest.iter().map(|part| part.rank).min()?;
    if part.rank < best {
        return reaches(draft, part, rest).then_some((at, parts.len()));
    }
    if let Some(peer) = rest.iter().position(|other| is_equal(draft, element, part, other)) {
        // A list of its equals ends its scope.
        let ends = draft.params.peers
            && peer > 0
            && rest[peer].is_open()
            && rest[peer..].iter().all(|other| is_equal(draft, element, part, other));
        return ends.then_some((at, at + 1 + peer));
    }
    (heads_several(draft, part, rest, best) && reaches(draft, part, rest)).then_some((at, parts.len()))
}

/// Whether a later part ends a heading's scope: it is open and has labels of the same kind, or it has one style.
fn is_equal(draft: &Draft<'_>, element: u32, head: &Part, other: &Part) -> bool {
    match other.is_open() {
        true => draft.forest.some_tops(other).any(|top| parts::are_peers(draft, head.best, top)),
        false => parts::style_in(draft, head.best, element) == parts::style_in(draft, other.best, element),
    }
}

/// Whether several things follow a heading that is not stronger than all of them. Before a single stronger
/// headline it would be a kicker.
fn heads_several(draft: &Draft<'_>, head: &Part, rest: &[Part], best: Rank) -> bool {
    let is_stronger = |&top: &u32| draft.forest.ranks[top as usize] < head.rank;
    let stronger = rest.iter().flat_map(|part| draft.forest.some_tops(part)).filter(is_stronger).count();
    let tops: u32 = rest.iter().map(|part| part.tops).sum();
    let is_box = rest.len() == 1 && head.element != NONE && parts::is_header(draft, head.element);
    stronger >= 2 || (tops >= 2 && (head.rank == best || is_box))
}

/// Whether a label may head this much. Only a true heading may head a large part of the page, and only if that
/// part has no pictures or long texts.
fn reaches(draft: &Draft<'_>, head: &Part, rest: &[Part]) -> bool {
    let (lo, hi) = draft.span(rest);
    let labels = u64::from(hi - lo);
    labels * 100 <= draft.evidence.labels.len() as u64 * u64::from(draft.params.overreach)
        || (head.rank <= LEAST_HEADING
            && draft.evidence.stuff[hi as usize] == draft.evidence.stuff[lo as usize])
        || labels < FEW
}

/// Whether other boxes of the page show that this label belongs to the single headline after it.
fn is_kicker(draft: &Draft<'_>, part: &Part, rest: &[Part]) -> bool {
    part.is_single()
        && draft.votes.is_kicker(draft.evidence.styles[part.best as usize])
        && headlines(draft, part, rest).0 == 1
}

/// The number of headlines after a heading, and the first of them.
pub(super) fn headlines(draft: &Draft<'_>, head: &Part, rest: &[Part]) -> (u32, u32) {
    let mut found = (0, NONE);
    for top in rest.iter().flat_map(|part| draft.forest.some_tops(part)) {
        if draft.forest.ranks[top as usize] <= rank::HEAD_WORD && top != head.best {
            found = (found.0 + 1, if found.0 == 0 { top } else { found.1 });
        }
    }
    found
}

/// A box's vote on the style of the heading that begins it: the style, and the number of headlines that follow.
pub(super) fn kicker_vote(draft: &Draft<'_>, parts: &[Part]) -> Option<(u32, u32)> {
    let at = parts.iter().position(|part| part.rank <= rank::STRONG)?;
    let (head, rest) = (&parts[at], &parts[at + 1..]);
    if at > BEFORE || !head.is_single() {
        return None;
    }
    let (count, headline) = headlines(draft, head, rest);
    let is_linked = headline != NONE && draft.evidence.labels[headline as usize].link.is_some();
    let is_weaker = headline != NONE && draft.forest.ranks[headline as usize] >= head.rank;
    let is_vote = is_linked && is_weaker && !parts::are_peers(draft, head.best, headline);
    // A long text is not a kicker, whatever follows.
    let is_short = draft.evidence.labels[head.best as usize].words <= MAX_KICKER_WORDS;
    is_vote.then(|| (draft.evidence.styles[head.best as usize], if is_short { count } else { 2 }))
}

/// The scope of each head, up to the next.
pub(super) fn scopes(heads: &[usize], parts: &[Part]) -> Vec<HeadScope> {
    let ends = heads.iter().skip(1).copied().chain([parts.len()]);
    heads.iter().zip(ends).map(|(&at, end)| HeadScope { at, end }).collect()
}
