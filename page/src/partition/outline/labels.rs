//! The labels of a page: leaves, or runs of leaves that inline markup split.
//!
//! An element of running text is one label if it is a link or a heading, or if at least half of it is its own
//! text. The exception: one of its inner elements is set off as a text of its own (by a class, as a number, as a
//! second link). A label without a letter or digit is decoration and takes no part in structure.
//!
//! Invariant: labels are in document order and every leaf is in exactly one. Start at [`find_labels`].

use crate::reading::NodeId;
use rustc_hash::FxHashMap;

use super::rules::OutlineParams;
use super::skeleton::{NONE, Skeleton};
use super::tags::TagKind;
use super::words::ClassWord;
use crate::Page;
use crate::reading::language::is_unspaced;
use crate::reading::letters::char_class;
use crate::text::words_of_unspaced_letters;

/// Most leaves of one label.
const MOST_LEAVES: u32 = 64;
/// A text before a link in one line, such as "by", joins it in one label up to this many words.
const LEAD_WORDS: u32 = 2;

/// A text as a reader takes it.
#[derive(Clone, Debug)]
pub(super) struct Label {
    /// First leaf, and one past the last.
    pub(super) lo: u32,
    pub(super) hi: u32,
    /// The innermost element that holds it.
    pub(super) element: u32,
    pub(super) words: u32,
    pub(super) is_image: bool,
    /// At least half of its letters and digits are digits.
    pub(super) is_number: bool,
    /// It holds a copyright notice.
    pub(super) is_legal: bool,
    /// It has neither letter nor digit.
    pub(super) is_decoration: bool,
    /// The link that contains all of it.
    pub(super) link: Option<NodeId>,
    /// Number of the link's target as written on the page; `NONE` without a link, or if it leads nowhere.
    pub(super) target: u32,
    /// Equal for labels with the same text.
    pub(super) text: u32,
}

/// All labels in document order.
pub(super) fn find_labels(page: &Page, skeleton: &Skeleton, params: &OutlineParams) -> Vec<Label> {
    let measures = measures(page);
    let merged = if params.merge { merged(page, skeleton, &measures) } else { Vec::new() };
    let mut targets: FxHashMap<&str, u32> = FxHashMap::default();
    let mut texts: FxHashMap<&str, u32> = FxHashMap::default();
    let mut labels = Vec::with_capacity(page.leaves.len());
    let mut merged = merged.into_iter().peekable();
    let mut at = 0;
    while at < page.leaves.len() as u32 {
        let (hi, element) = match merged.next_if(|&element| skeleton.get(element).lo == at) {
            Some(element) => (skeleton.get(element).hi, element),
            None => (at + 1, skeleton.of_leaf[at as usize]),
        };
        let run = &measures[at as usize..hi as usize];
        let letters: u32 = run.iter().map(|measure| measure.letters).sum();
        let digits: u32 = run.iter().map(|measure| measure.digits).sum();
        let link = page.leaves.link(at as usize);
        let link = link.filter(|&link| page.leaves.link(hi as usize - 1) == Some(link));
        let next = targets.len() as u32;
        // The first leaf represents the whole text: this is enough to notice repetitions.
        let next_text = texts.len() as u32;
        let text = *texts.entry(page.leaves.text(at as usize)).or_insert(next_text);
        let target =
            link.and_then(|link| page.tree.attr(link, "href")).map(str::trim).filter(|href| leads(href));
        labels.push(Label {
            lo: at,
            hi,
            element,
            words: run.iter().map(|measure| measure.words).sum(),
            is_image: hi == at + 1 && page.leaves.get(at as usize).is_image,
            is_legal: run.iter().any(|measure| measure.is_legal),
            is_number: digits * 2 >= letters + digits,
            is_decoration: letters + digits == 0,
            link,
            target: target.map_or(NONE, |href| *targets.entry(href).or_insert(next)),
            text,
        });
        at = hi;
    }
    labels
}

fn leads(href: &str) -> bool {
    let here = href.strip_prefix("index.html").unwrap_or(href);
    !href.is_empty() && !here.starts_with('#') && !href.starts_with("javascript:")
}

#[derive(Clone, Copy)]
struct TextMeasure {
    letters: u32,
    digits: u32,
    words: u32,
    /// It has a copyright sign.
    is_legal: bool,
}

/// Letters, digits and words of each leaf. Only this function reads the text.
fn measures(page: &Page) -> Vec<TextMeasure> {
    (0..page.leaves.len())
        .map(|i| {
            let mut measure = TextMeasure { letters: 0, digits: 0, words: 1, is_legal: false };
            let mut unspaced = 0;
            for letter in page.leaves.text(i).chars() {
                if letter.is_ascii() {
                    measure.letters += u32::from(letter.is_ascii_alphabetic());
                    measure.digits += u32::from(letter.is_ascii_digit());
                    measure.words += u32::from(letter == ' ');
                } else if char_class(letter).is_numeric() {
                    measure.digits += 1;
                } else if char_class(letter).is_alphabetic() {
                    measure.letters += 1;
                    unspaced += usize::from(is_unspaced(letter));
                } else {
                    measure.is_legal |= letter == '©';
                }
            }
            measure.words += words_of_unspaced_letters(unspaced) as u32;
            measure
        })
        .collect()
}

/// The elements that are one label, in order.
fn merged(page: &Page, skeleton: &Skeleton, measures: &[TextMeasure]) -> Vec<u32> {
    let inline = all_inline(page, skeleton);
    let mut found = Vec::new();
    let mut element = 0;
    while element < skeleton.elements.len() as u32 {
        let this = skeleton.get(element);
        if (2..=MOST_LEAVES).contains(&this.leaves())
            && inline[element as usize]
            && is_one(page, skeleton, measures, element)
        {
            found.push(element);
            element = this.end;
        } else {
            element += 1;
        }
    }
    found
}

/// Whether each element holds only running text, without images.
fn all_inline(page: &Page, skeleton: &Skeleton) -> Vec<bool> {
    let mut inline = vec![true; skeleton.elements.len()];
    for i in (0..skeleton.elements.len()).rev() {
        let this = &skeleton.elements[i];
        let is_image = this.kind == TagKind::Image && page.leaves.get(this.lo as usize).is_image;
        if (!inline[i] || !this.kind.is_inline() || is_image) && this.parent != NONE {
            inline[this.parent as usize] = false;
        }
    }
    inline
}

/// Whether an element of running text is one label.
fn is_one(page: &Page, skeleton: &Skeleton, measures: &[TextMeasure], element: u32) -> bool {
    let this = skeleton.get(element);
    let leaves = this.lo..this.hi;
    let size = |leaf: u32| measures[leaf as usize].letters + measures[leaf as usize].digits;
    let total: u32 = leaves.clone().map(size).sum();
    let own: u32 = leaves.clone().filter(|&leaf| skeleton.of_leaf[leaf as usize] == element).map(size).sum();
    let inner = element + 1..this.end;
    let is_set_off = |inner: u32| {
        let inner = skeleton.get(inner);
        let run = inner.lo..inner.hi;
        let digits: u32 = run.clone().map(|leaf| measures[leaf as usize].digits).sum();
        let letters: u32 = run.map(|leaf| measures[leaf as usize].letters).sum();
        matches!(inner.word, Some(ClassWord::Meta | ClassWord::Kicker))
            || inner.kind == TagKind::Meta
            || (digits > 0 && digits > letters && inner.kind != TagKind::Link)
    };
    let links = || inner.clone().filter(|&inner| skeleton.get(inner).kind == TagKind::Link);
    let in_link = page.leaves.link(this.lo as usize).is_some_and(|link| link <= this.node);
    if in_link || this.kind == TagKind::Link || matches!(this.kind, TagKind::Heading(_)) {
        return !inner.clone().any(is_set_off) && links().count() < 2 && total > 0;
    }
    let is_own = |leaf: &u32| skeleton.of_leaf[*leaf as usize] == element;
    if this.word == Some(ClassWord::Meta) && is_own(&this.lo) && size(this.lo) > 0 {
        // A byline: "by A, B and C".
        return leaves.clone().filter(is_own).all(|leaf| measures[leaf as usize].words <= LEAD_WORDS);
    }
    if inner.clone().any(is_set_off) {
        return false;
    }
    match (links().next(), links().next_back()) {
        (Some(first), Some(last)) => {
            let (before, after) = (this.lo..skeleton.get(first).lo, skeleton.get(last).hi..this.hi);
            let words: u32 = before.clone().map(|leaf| measures[leaf as usize].words).sum();
            let is_lead = !before.is_empty() && words <= LEAD_WORDS && after.is_empty();
            let is_embedded = !before.is_empty() && after.map(size).sum::<u32>() > 0 && own * 2 >= total;
            is_lead && first == last || is_embedded
        }
        _ => own * 2 >= total,
    }
}
