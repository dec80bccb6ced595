//! From the leaves up: each element puts together what its children made.
//!
//! A box gets its parts in order (children with labels, labels beside them) and decides who heads whom;
//! what it decides is final but for its tops, which the box around it gets. Slices of a box that a heading
//! took are decided in turn, from a work list. Start at [`compose`].

use std::ops::Range;

use super::OutlineParams;
use super::forest::{Forest, Part};
use super::labels::Label;
use super::rank::{self, Rank};
use super::skeleton::{NONE, Skeleton};
use super::tags::Kind;
use super::votes::{Ballot, Votes};

pub(super) struct Composer<'a> {
    pub(super) skeleton: &'a Skeleton,
    pub(super) labels: &'a [Label],
    /// The labels of each element.
    pub(super) spans: &'a [(u32, u32)],
    pub(super) params: &'a OutlineParams,
    pub(super) votes: &'a Votes,
    pub(super) styles: &'a [u32],
    /// The element that gave each label its rank.
    pub(super) marks: &'a [u32],
    /// Labels that head nothing.
    pub(super) barred: &'a [bool],
    pub(super) forest: Forest,
    /// What the lists of this pass say of their first labels.
    pub(super) ballot: Ballot,
    /// What each element holds, once it is done.
    pub(super) done: Vec<Option<Part>>,
}

/// What becomes of a slice of a box.
pub(super) enum Decision {
    /// All side by side.
    Open,
    /// The same, and they are alike.
    List,
    /// The parts before `end` stand under the label of part `at`, the others beside it.
    First { at: usize, end: usize },
    /// Each of these parts heads what follows it.
    Following(Vec<usize>),
    /// This top heads everything.
    Closed { head: u32 },
}

fn kind_of(part: &Part, skeleton: &Skeleton) -> Option<Kind> {
    (part.element != NONE).then(|| skeleton.get(part.element).kind)
}

impl<'a> Composer<'a> {
    pub(super) fn run(&mut self) {
        for element in (0..self.skeleton.elements.len() as u32).rev() {
            let parts = self.parts(element);
            self.done[element as usize] = match parts.as_slice() {
                [] => None,
                [one] => {
                    let inner = if one.element == NONE { element } else { one.inner };
                    Some(Part { element, inner, ..*one })
                }
                _ => {
                    let parts = if self.params.tabs { self.join_tabs(parts) } else { parts };
                    self.count_first(&parts);
                    Some(self.scope(element, &parts))
                }
            };
        }
    }

    pub(super) fn parts(&self, element: u32) -> Vec<Part> {
        let (lo, hi) = self.spans[element as usize];
        let single = |label: u32, element| Part::single(label, self.forest.ranks[label as usize], element);
        if hi - lo == 1 {
            let is_part = !self.labels[lo as usize].is_decoration || !self.params.decoration;
            return if is_part { vec![single(lo, element)] } else { Vec::new() };
        }
        let mut parts = Vec::new();
        let mut children = self.skeleton.children(element).peekable();
        let mut at = lo;
        while at < hi {
            if let Some(child) = children.next_if(|&child| self.spans[child as usize].0 <= at) {
                // A child inside a label that spans it is no box.
                let (from, to) = self.spans[child as usize];
                if from == at && self.skeleton.get(child).lo == self.labels[at as usize].lo {
                    parts.extend(self.done[child as usize]);
                    at = to;
                }
                continue;
            }
            if !self.labels[at as usize].is_decoration || !self.params.decoration {
                parts.push(single(at, NONE));
            }
            at += 1;
        }
        parts
    }

    /// Decides a box.
    fn scope(&mut self, element: u32, parts: &[Part]) -> Part {
        let mut todo: Vec<(Range<usize>, u32)> = vec![(0..parts.len(), NONE)];
        let mut whole = None;
        while let Some((range, above)) = todo.pop() {
            let slice = &parts[range.clone()];
            let made = match self.decide(element, slice, above) {
                Decision::Open => self.forest.join(slice, element),
                Decision::List => self.forest.list(slice, element),
                Decision::Closed { head } => self.forest.close(slice, head, element),
                Decision::First { at, end } => {
                    let head = slice[at].best;
                    if at + 1 < end {
                        todo.push((range.start + at + 1..range.start + end, head));
                    }
                    let mut made = self.forest.close(&slice[..=at], head, element);
                    made.labels = slice[..end].iter().map(|part| part.labels).sum();
                    if end < slice.len() {
                        let mut tops = vec![made];
                        tops.extend_from_slice(&slice[end..]);
                        made = self.forest.join(&tops, element);
                    }
                    made
                }
                Decision::Following(heads) => self.sections(element, slice, range, &heads, &mut todo),
            };
            if above == NONE {
                whole = Some(made);
            } else {
                self.forest.attach(above, &made);
            }
        }
        whole.unwrap_or(parts[0])
    }

    /// Each head over what follows it; what stands before the first stays beside them.
    fn sections(
        &mut self,
        element: u32,
        slice: &[Part],
        range: Range<usize>,
        heads: &[usize],
        todo: &mut Vec<(Range<usize>, u32)>,
    ) -> Part {
        let first = heads.first().copied().unwrap_or(0);
        let mut tops: Vec<Part> = slice[..first].to_vec();
        for (i, &at) in heads.iter().enumerate() {
            let end = heads.get(i + 1).copied().unwrap_or(slice.len());
            let head = slice[at].best;
            let mut made = self.forest.close(&slice[at..=at], head, slice[at].element);
            if at + 1 < end {
                made.labels += slice[at + 1..end].iter().map(|part| part.labels).sum::<u32>();
                todo.push((range.start + at + 1..range.start + end, head));
            }
            tops.push(made);
        }
        self.forest.join(&tops, element)
    }

    fn decide(&self, element: u32, parts: &[Part], above: u32) -> Decision {
        if parts.len() == 1 {
            return Decision::Open;
        }
        if self.params.like_siblings && self.are_alike(parts) {
            return match self.columns(parts) {
                Some(heads) if self.params.lead_in => Decision::Following(heads),
                _ => Decision::List,
            };
        }
        if let Some(heads) = self.terms(parts) {
            return Decision::Following(heads);
        }
        if self.params.label_and_list && self.is_label_and_list(element, parts) {
            return Decision::First { at: 0, end: parts.len() };
        }
        if self.params.following
            && let Some(heads) = self.following(element, parts)
        {
            return Decision::Following(heads);
        }
        if self.params.lone_first
            && let Some((at, end)) = self.lone_first(parts)
        {
            return Decision::First { at, end };
        }
        if self.params.records
            && above == NONE
            && let Some(head) = self.record(element, parts)
        {
            return Decision::Closed { head };
        }
        Decision::Open
    }

    /// Parts of one kind: none heads another.
    fn are_alike(&self, parts: &[Part]) -> bool {
        self.are_of_one_kind(parts)
            && (kind_of(&parts[0], self.skeleton) == Some(Kind::Row)
                || !(self.is_odd_first(parts) || self.is_headed_list(parts)))
    }

    /// Items among which bare headings stand before plain ones.
    fn is_headed_list(&self, parts: &[Part]) -> bool {
        let first = &parts[0];
        let is_head = |part: &Part| self.is_bare(part) && self.are_peers(first.best, part.best);
        first.rank <= rank::STRONG
            && self.is_bare(first)
            && parts.len() > 2
            && !self.barred[first.best as usize]
            && parts[1..].iter().all(|part| is_head(part) || (part.is_single() && part.rank >= rank::LINK))
            && !parts[1..].iter().all(is_head)
    }

    fn are_of_one_kind(&self, parts: &[Part]) -> bool {
        if parts.iter().any(|part| part.element == NONE) {
            return false;
        }
        let kind = |part: &Part| self.skeleton.get(part.element).kind;
        let first = kind(&parts[0]);
        matches!(first, Kind::Item | Kind::Row | Kind::Article)
            && parts.iter().all(|part| kind(part) == first)
            || parts[1..].iter().all(|part| self.skeleton.is_like(parts[0].element, part.element))
    }

    /// Whether the first of like parts stands over the others: larger parts that do not start with its like,
    /// or links where it is none.
    fn is_odd_first(&self, parts: &[Part]) -> bool {
        let [first, rest @ ..] = parts else { return false };
        if !self.is_bare(first) || self.barred[first.best as usize] {
            return false;
        }
        let larger = rest.iter().filter(|part| part.labels >= 3).count();
        if larger * 10 >= rest.len() * 6 && first.rank <= rank::STRONG {
            return !rest.iter().any(|part| self.are_peers(first.best, part.best));
        }
        if first.is_single()
            && rest.len() >= 2
            && self.votes.leads(self.styles[first.best as usize])
            && rest.iter().all(|part| self.styles[part.first as usize] != self.styles[first.best as usize])
        {
            return true;
        }
        let this = &self.labels[first.best as usize];
        let is_link = |part: &Part| part.is_single() && self.labels[part.best as usize].link.is_some();
        rest.len() >= 2
            && this.link.is_none()
            && !this.is_number
            && !this.is_image
            && self.is_lone(first)
            && rest.iter().all(is_link)
    }

    /// One label, or the same text again (one of them is hidden on some screens).
    pub(super) fn is_lone(&self, part: &Part) -> bool {
        part.is_single() || {
            let text = self.labels[part.first as usize].text;
            part.labels == part.tops
                && self.forest.tops(part).all(|top| self.labels[top as usize].text == text)
        }
    }

    /// Whether two labels have their rank from elements that are alike.
    pub(super) fn are_peers(&self, a: u32, b: u32) -> bool {
        let (m, n) = (self.marks[a as usize], self.marks[b as usize]);
        let rank = self.forest.ranks[a as usize];
        rank == self.forest.ranks[b as usize] && m != NONE && n != NONE && {
            if rank == rank::HEAD_WORD {
                self.skeleton.share_head_words(m, n)
            } else {
                self.skeleton.is_like(m, n)
            }
        }
    }

    /// Peers, or of one style, or called headings by one class.
    fn are_akin(&self, a: u32, b: u32) -> bool {
        let (m, n) = (self.marks[a as usize], self.marks[b as usize]);
        self.are_peers(a, b)
            || self.styles[a as usize] == self.styles[b as usize]
            || self.skeleton.share_head_class(m, n)
    }

    /// A heading and little else.
    pub(super) fn is_bare(&self, part: &Part) -> bool {
        if part.is_single() {
            return true;
        }
        if part.element == NONE || part.inner == NONE {
            return false;
        }
        let inner = self.skeleton.get(part.inner);
        let (lo, hi) = self.spans[part.inner as usize];
        let others =
            (lo..hi).filter(|&label| label != part.best && !self.labels[label as usize].is_decoration);
        let is_header = matches!(inner.kind, Kind::Header | Kind::Heading(_))
            || inner.word == Some(super::words::Word::Head)
            || self.skeleton.get(part.element).word == Some(super::words::Word::Head);
        let (most, words) = if is_header { (4, 6) } else { (2, 3) };
        let mut count = 0;
        if self.is_lone(part) {
            return true;
        }
        for label in others {
            let label = &self.labels[label as usize];
            count += 1;
            if count > most || label.words > words || (!is_header && label.link.is_none()) {
                return false;
            }
        }
        part.rank <= rank::STRONG
    }

    /// Like parts of which some have no heading: these continue the one before.
    fn columns(&self, parts: &[Part]) -> Option<Vec<usize>> {
        let kind = kind_of(&parts[0], self.skeleton)?;
        if matches!(kind, Kind::Item | Kind::Row | Kind::Article) || kind.is_inline() {
            return None;
        }
        let heads: Vec<usize> = (0..parts.len()).filter(|&i| parts[i].is_closed()).collect();
        if heads.first() != Some(&0) || heads.len() == parts.len() {
            return None;
        }
        let mut head = &parts[0];
        for part in parts {
            if part.is_closed() {
                head = part;
                continue;
            }
            let is_peer = self.forest.tops(part).any(|top| self.are_peers(head.best, top));
            let below = self.forest.some_child(head.best);
            let continues = below != NONE && self.forest.tops(part).any(|top| self.are_akin(below, top));
            if !part.is_open()
                || is_peer
                || !continues
                || head.rank > rank::STRONG
                || part.labels > 4 * head.labels
                || self.barred[head.best as usize]
            {
                return None;
            }
        }
        Some(heads)
    }

    /// The terms of a list of terms and details.
    fn terms(&self, parts: &[Part]) -> Option<Vec<usize>> {
        let kind = |part: &Part| kind_of(part, self.skeleton);
        let all = parts.iter().all(|part| matches!(kind(part), Some(Kind::Term | Kind::Detail)));
        let heads: Vec<usize> = (0..parts.len()).filter(|&i| kind(&parts[i]) == Some(Kind::Term)).collect();
        (all && !heads.is_empty() && heads.len() < parts.len() && heads[0] == 0).then_some(heads)
    }

    /// Single labels of one style, each before a list.
    fn in_turn(&self, element: u32, parts: &[Part]) -> Option<Vec<usize>> {
        let heads: Vec<usize> = (0..parts.len()).filter(|&i| self.is_lone(&parts[i])).collect();
        if heads.len() < 2 || heads[0] != 0 || self.barred[parts[0].best as usize] {
            return None;
        }
        let ends = heads.iter().zip(heads.iter().skip(1).copied().chain([parts.len()]));
        let style = self.style_in(parts[0].best, element);
        let fits = ends.into_iter().all(|(&at, end)| {
            let head = &self.labels[parts[at].best as usize];
            !head.is_number
                && !head.is_image
                && end > at + 1
                && parts[at + 1..end].iter().all(|part| part.is_open() || part.is_list)
                && self.style_in(parts[at].best, element) == style
        });
        fits.then_some(heads)
    }

    /// Headings of one style with something between them.
    fn following(&self, element: u32, parts: &[Part]) -> Option<Vec<usize>> {
        if let Some(heads) = self.in_turn(element, parts) {
            return Some(heads);
        }
        let is_head = |part: &Part| self.is_bare(part) && !self.barred[part.best as usize];
        let bare: Vec<usize> = (0..parts.len()).filter(|&i| is_head(&parts[i])).collect();
        let best: Rank = bare.iter().map(|&i| parts[i].rank).min()?;
        let heads: Vec<usize> = bare.into_iter().filter(|&i| parts[i].rank == best).collect();
        if heads.len() < 2 || best >= rank::IMAGE {
            return None;
        }
        let style = self.style_in(parts[heads[0]].best, element);
        if heads.iter().any(|&i| self.style_in(parts[i].best, element) != style) {
            return None;
        }
        let ends = || heads.iter().zip(heads.iter().skip(1).copied().chain([parts.len()]));
        if best > rank::STRONG {
            return None;
        }
        let gaps = ends().filter(|&(&at, end)| end > at + 1).count();
        (gaps * 2 >= heads.len()).then_some(heads)
    }

    /// A lone label that heads the rest.
    fn lone_first(&self, parts: &[Part]) -> Option<(usize, usize)> {
        let small =
            |part: &Part| part.is_single() && (part.rank >= rank::LINK || self.barred[part.best as usize]);
        for at in 0..parts.len().min(3) {
            let part = &parts[at];
            let rest = &parts[at + 1..];
            if rest.is_empty() {
                return None;
            }
            if self.is_bare(part) && part.rank <= rank::STRONG && !self.barred[part.best as usize] {
                let best = rest.iter().map(|part| part.rank).min()?;
                if part.rank < best {
                    return self.reaches(part, rest).then_some((at, parts.len()));
                }
                // Before one stronger headline it is that one's kicker.
                let stronger = |&top: &u32| self.forest.ranks[top as usize] < part.rank;
                let bests = rest.iter().flat_map(|part| self.forest.tops(part)).filter(stronger).count();
                let tops: u32 = rest.iter().map(|part| part.tops).sum();
                let is_peer =
                    |other: &Part| self.forest.tops(other).any(|top| self.are_peers(part.best, top));
                if let Some(peer) = rest.iter().position(is_peer) {
                    // A list of its equals ends its scope.
                    let ends = self.params.peers
                        && peer > 0
                        && rest[peer].is_open()
                        && rest[peer..].iter().all(is_peer);
                    return ends.then_some((at, at + 1 + peer));
                }
                let heads_several = bests >= 2 || (part.rank == best && tops >= 2);
                return (at == 0 && heads_several && self.reaches(part, rest)).then_some((at, parts.len()));
            }
            if !small(part) {
                return None;
            }
        }
        None
    }

    /// Whether one label may head so much of the page.
    fn reaches(&self, _head: &Part, rest: &[Part]) -> bool {
        let labels: u32 = rest.iter().map(|part| part.labels).sum();
        u64::from(labels) * 100 <= self.labels.len() as u64 * u64::from(self.params.overreach) || labels < 40
    }

    /// The strongest label of a repeated small box.
    fn record(&self, element: u32, parts: &[Part]) -> Option<u32> {
        let this = self.skeleton.get(element);
        if !this.is_record || this.leaves() > self.params.record_leaves {
            return None;
        }
        let mut best: Option<&Part> = None;
        let (mut weakest, mut strongest) = (0, Rank::MAX);
        for part in parts {
            if best.is_none_or(|best| part.rank < best.rank) && !self.barred[part.best as usize] {
                best = Some(part);
            }
            for top in self.forest.tops(part) {
                let rank = self.forest.ranks[top as usize];
                weakest = weakest.max(rank);
                strongest = strongest.min(rank);
            }
        }
        let best = best?;
        let bests: u32 = parts.iter().filter(|part| part.rank == best.rank).map(|part| part.bests).sum();
        let is_clear = best.rank <= rank::STRONG || bests <= 2;
        let fits = best.rank < rank::TEXT || !matches!(this.kind, Kind::Block | Kind::Inline | Kind::List);
        (best.rank < rank::IMAGE && weakest > strongest && is_clear && fits).then_some(best.best)
    }

    /// One label, then what is plainly a list of equals.
    fn is_label_and_list(&self, element: u32, parts: &[Part]) -> bool {
        let [label, rest @ ..] = parts else { return false };
        let this = &self.labels[label.best as usize];
        if !self.is_lone(label)
            || this.is_number
            || self.barred[label.best as usize]
            || (this.is_image && this.link.is_some())
        {
            return false;
        }
        let kind = |part: &Part| (part.element != NONE).then(|| self.skeleton.get(part.element).kind);
        let is_block = |part: &Part| {
            kind(part).is_some_and(|kind| !kind.is_inline())
                && (label.element == NONE || !self.skeleton.is_like(label.element, part.element))
        };
        // A menu's entry over its submenu.
        if self.skeleton.get(element).kind == Kind::Item
            && let [between @ .., block] = rest
            && between.len() <= 2
            && between.iter().all(|part| part.is_single() && part.rank >= rank::LINK)
            && is_block(block)
            && block.labels > 1
            && !this.is_image
            && block.rank >= rank::HEAD_WORD
        {
            return true;
        }
        // Before labels that each head a list.
        if rest.len() >= 4 && self.in_turn(element, rest).is_some() {
            return true;
        }
        // An element of its own before siblings that are alike.
        if rest.len() >= 2 && self.are_alike(parts) {
            return false;
        }
        if rest.len() >= 2 && self.are_alike(rest) && label.element != NONE {
            if kind(label) == kind(&rest[0]) && self.is_odd_first(parts) {
                return true;
            }
            return kind(label) != kind(&rest[0])
                && !rest.iter().all(|part| kind(part).is_some_and(Kind::is_inline));
        }
        // Plain text before links in line.
        if rest.len() >= 2
            && this.link.is_none()
            && rest.iter().all(|part| part.is_single() && self.labels[part.best as usize].link.is_some())
        {
            return true;
        }
        rest.len() <= 2
            && rest.iter().all(|part| {
                is_block(part)
                    && part.rank < rank::META
                    && (part.is_list || kind(part) == Some(Kind::List) && part.labels > 1)
            })
    }

    /// The style of a label as seen from a box: the elements from the label up to the box.
    pub(super) fn style_in(&self, label: u32, element: u32) -> u64 {
        let mut at = self.labels[label as usize].element;
        let mut style = 0u64;
        for _ in 0..12 {
            if at == NONE || at == element {
                break;
            }
            let this = self.skeleton.get(at);
            style = style.wrapping_mul(0x100_0000_01b3) ^ u64::from(this.sig + 1);
            at = this.parent;
        }
        style
    }

    /// Notes which label is first in a list and unlike the others.
    fn count_first(&mut self, parts: &[Part]) {
        let [first, rest @ ..] = parts else { return };
        let style = |part: &Part| self.styles[part.first as usize];
        let differs = rest.len() >= 2
            && first.is_single()
            && style(&rest[0]) != style(first)
            && rest.iter().all(|part| part.is_single() && style(part) == style(&rest[0]));
        if differs && self.are_of_one_kind(parts) {
            self.ballot.count_first(style(first));
        }
    }
}
