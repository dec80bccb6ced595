//! How strongly a label is set off from others: small is strong.

use super::OutlineParams;
use super::labels::Label;
use super::skeleton::{Element, NONE, Skeleton};
use super::tags::Kind;
use super::words::Word;

/// Strength of a label; smaller is stronger.
pub(super) type Rank = u8;

pub(super) const HEAD_WORD: Rank = 70;
pub(super) const STRONG: Rank = 75;
pub(super) const LINK: Rank = 80;
pub(super) const TEXT: Rank = 90;
pub(super) const IMAGE: Rank = 95;
pub(super) const KICKER: Rank = 98;
pub(super) const META: Rank = 100;

/// What the elements around a label say of it.
#[derive(Clone, Copy, Default)]
struct Evidence {
    heading: Option<u8>,
    word: Option<Word>,
    is_strong: bool,
    is_meta: bool,
    /// The element that says most.
    mark: u32,
}

/// The rank of each label. `spans` are the labels of each element.
pub(super) fn ranks(
    skeleton: &Skeleton,
    labels: &[Label],
    spans: &[(u32, u32)],
    only: &[u32],
    params: &OutlineParams,
) -> (Vec<Rank>, Vec<u32>) {
    let none = Evidence { mark: NONE, ..Evidence::default() };
    let mut evidence = vec![none; labels.len()];
    // Outer elements first: what stands nearer to the label decides.
    for (i, element) in skeleton.elements.iter().enumerate() {
        let (lo, hi) = spans[i];
        match only[i] {
            NONE => {
                if let Kind::Heading(level) = element.kind {
                    for label in lo..hi {
                        (evidence[label as usize].heading, evidence[label as usize].mark) =
                            (Some(level), i as u32);
                    }
                }
            }
            label => evidence[label as usize].add(i as u32, element, params),
        }
    }
    let mark = |(label, evidence): (&Label, &Evidence)| {
        if evidence.mark == NONE { label.element } else { evidence.mark }
    };
    let marks = labels.iter().zip(&evidence).map(mark).collect();
    (labels.iter().zip(evidence).map(|(label, evidence)| rank(label, evidence)).collect(), marks)
}

impl Evidence {
    fn add(&mut self, number: u32, element: &Element, params: &OutlineParams) {
        match element.kind {
            Kind::Heading(level) => (self.heading, self.mark) = (Some(level), number),
            Kind::Strong | Kind::HeadCell | Kind::Term => {
                self.is_strong = true;
                if self.heading.is_none() && self.word != Some(Word::Head) {
                    self.mark = number;
                }
            }
            Kind::Meta => self.is_meta = true,
            _ => {}
        }
        if params.words && matches!(element.word, Some(Word::Head | Word::Meta | Word::Kicker)) {
            self.word = element.word;
            if self.heading.is_none() {
                self.mark = number;
            }
        }
    }
}

fn rank(label: &Label, evidence: Evidence) -> Rank {
    if evidence.is_meta || label.is_number || label.is_decoration || evidence.word == Some(Word::Meta) {
        return META;
    }
    if evidence.word == Some(Word::Kicker) {
        return if evidence.heading.is_some() { META } else { KICKER };
    }
    match evidence.heading {
        Some(level) => level * 10,
        None if evidence.word == Some(Word::Head) => HEAD_WORD,
        None if label.is_image => IMAGE,
        None if evidence.is_strong => STRONG,
        None if label.link.is_some() => LINK,
        None => TEXT,
    }
}
