//! How strongly a label is set off from others.

use rustc_hash::FxHashMap;

use super::labels::Label;
use super::rules::OutlineParams;
use super::skeleton::{Element, NONE, Skeleton};
use super::tags::TagKind;
use super::words::ClassWord;

/// Strength of a label; smaller is stronger.
pub(super) type Rank = u8;

pub(super) const HEAD_WORD: Rank = 70;
/// Labels whose style heads others on most of the page.
pub(super) const VOTED: Rank = 73;
pub(super) const STRONG: Rank = 75;
pub(super) const LINK: Rank = 80;
pub(super) const TEXT: Rank = 90;
pub(super) const IMAGE: Rank = 95;
pub(super) const KICKER: Rank = 98;
pub(super) const META: Rank = 100;

/// Most labels of a box made for a heading; its first label is the heading.
const HEADER: u32 = 5;

/// Most words of a kicker inside a heading. This is one fewer than for a kicker over a headline: only its length
/// tells it from the headline in the same heading.
const MAX_INNER_KICKER_WORDS: u32 = 5;
/// Least number of headings that must have a similar kicker.
const LEAST: usize = 3;

/// The evidence about a label from the elements around it.
#[derive(Clone, Copy, Default)]
struct RankEvidence {
    heading: Option<u8>,
    word: Option<ClassWord>,
    is_strong: bool,
    is_meta: bool,
    /// The heading holds other labels, too.
    is_shared: bool,
    /// The element with the strongest evidence.
    mark: u32,
}

/// The rank of each label, and the element that gave it. `spans` are the labels of each element.
pub(super) fn rank_labels(
    skeleton: &Skeleton,
    labels: &[Label],
    spans: &[(u32, u32)],
    only: &[u32],
    params: &OutlineParams,
) -> (Vec<Rank>, Vec<u32>) {
    let none = RankEvidence { mark: NONE, ..RankEvidence::default() };
    let mut evidence = vec![none; labels.len()];
    // Outer elements first: those nearer to the label override them.
    for (i, element) in skeleton.elements.iter().enumerate() {
        let (lo, hi) = spans[i];
        match only[i] {
            NONE => {
                let Some(first) = (lo..hi).find(|&label| !labels[label as usize].is_decoration) else {
                    continue;
                };
                if let TagKind::Heading(level) = element.kind {
                    for label in lo..hi {
                        let evidence = &mut evidence[label as usize];
                        (evidence.heading, evidence.mark, evidence.is_shared) = (Some(level), i as u32, true);
                    }
                } else if params.words
                    && element.word == Some(ClassWord::Head)
                    && hi - lo <= HEADER
                    && !is_in_list(skeleton, labels[first as usize].element, i as u32)
                {
                    (evidence[first as usize].word, evidence[first as usize].mark) = (element.word, i as u32);
                }
            }
            label if element.lo <= labels[label as usize].lo && labels[label as usize].hi <= element.hi => {
                evidence[label as usize].add(i as u32, element, params);
            }
            _ => {}
        }
    }
    let mark = |(label, evidence): (&Label, &RankEvidence)| {
        if evidence.mark == NONE { label.element } else { evidence.mark }
    };
    let marks = labels.iter().zip(&evidence).map(mark).collect();
    let mut ranks: Vec<Rank> =
        labels.iter().zip(evidence).map(|(label, evidence)| rank(label, evidence)).collect();
    if params.votes {
        find_kickers(skeleton, labels, spans, &mut ranks);
    }
    (ranks, marks)
}

/// Finds kickers: if headings repeatedly hold a short label and then a longer one, the short one is a kicker.
fn find_kickers(skeleton: &Skeleton, labels: &[Label], spans: &[(u32, u32)], ranks: &mut [Rank]) {
    let mut found: FxHashMap<(u32, u32), Vec<u32>> = FxHashMap::default();
    for (element, &(lo, hi)) in skeleton.elements.iter().zip(spans) {
        if !matches!(element.kind, TagKind::Heading(_)) || hi - lo > HEADER {
            continue;
        }
        let mut inside = (lo..hi).filter(|&label| ranks[label as usize] < LINK);
        let (Some(first), Some(second), None) = (inside.next(), inside.next(), inside.next()) else {
            continue;
        };
        let (short, long) = (&labels[first as usize], &labels[second as usize]);
        if short.words <= MAX_INNER_KICKER_WORDS && short.words < long.words {
            let style = skeleton.get(short.element).sig;
            found.entry((element.sig, style)).or_default().push(first);
        }
    }
    for kickers in found.values().filter(|kickers| kickers.len() >= LEAST) {
        for &label in kickers {
            ranks[label as usize] = KICKER;
        }
    }
}

impl RankEvidence {
    fn add(&mut self, number: u32, element: &Element, params: &OutlineParams) {
        match element.kind {
            TagKind::Heading(level) => {
                (self.heading, self.mark, self.is_shared, self.word) = (Some(level), number, false, None);
            }
            TagKind::Strong | TagKind::HeadCell | TagKind::Term => {
                self.is_strong = true;
                if self.heading.is_none() && !matches!(self.word, Some(ClassWord::Head | ClassWord::Top)) {
                    self.mark = number;
                }
            }
            TagKind::Meta => self.is_meta = true,
            _ => {}
        }
        if params.words
            && matches!(
                element.word,
                Some(ClassWord::Head | ClassWord::Top | ClassWord::Meta | ClassWord::Kicker)
            )
        {
            self.word = element.word;
            if self.heading.is_none() {
                self.mark = number;
            }
        }
    }
}

fn rank(label: &Label, evidence: RankEvidence) -> Rank {
    if evidence.is_meta
        || label.is_number
        || label.is_legal
        || label.is_decoration
        || evidence.word == Some(ClassWord::Meta)
    {
        return META;
    }
    if evidence.word == Some(ClassWord::Kicker) {
        match evidence.heading {
            None => return KICKER,
            Some(_) if evidence.is_shared => return META,
            Some(_) => {}
        }
    }
    match evidence.heading {
        Some(level) => level * 10,
        None if matches!(evidence.word, Some(ClassWord::Head | ClassWord::Top)) => HEAD_WORD,
        None if label.is_image => IMAGE,
        None if evidence.is_strong => STRONG,
        None if label.link.is_some() => LINK,
        None => TEXT,
    }
}

/// Whether there is a list between an element and one of its ancestors.
fn is_in_list(skeleton: &Skeleton, element: u32, above: u32) -> bool {
    let up = |&element: &u32| {
        Some(skeleton.get(element).parent).filter(|&parent| parent != above && parent != NONE)
    };
    let mut chain = std::iter::successors(Some(element).filter(|&element| element != above), up);
    chain.any(|element| matches!(skeleton.get(element).kind, TagKind::Item | TagKind::List))
}
