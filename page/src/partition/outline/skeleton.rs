//! The elements of a page that hold leaves, with the properties that the outline needs, as numbers.
//!
//! Elements are in document order; the leaves of each are a range. Class names are interned. Names that occur
//! once on the page do not count for an element's style: they name one thing, not a kind of thing.
//! Built in one walk over the leaves. Start at [`Skeleton::new`].

use std::ops::Range;

use crate::reading::NodeId;
use rustc_hash::FxHashMap;

use super::tags::{self, TagKind};
use super::words::{self, ClassWord};
use crate::Page;

/// No element or no label.
pub(super) const NONE: u32 = u32::MAX;
/// Most class names of one element that are read.
const MAX_CLASSES: usize = 24;

/// An element that holds at least one leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub(super) node: NodeId,
    pub(super) parent: u32,
    /// One past the last element inside.
    pub(super) end: u32,
    /// First leaf, and one past the last.
    pub(super) lo: u32,
    pub(super) hi: u32,
    pub(super) kind: TagKind,
    /// Equal for elements with the same tag.
    pub(super) tag: u32,
    /// Equal for elements with the same tag and classes.
    pub(super) sig: u32,
    /// Number of the class attribute, for [`Skeleton::classes`].
    pub(super) class: u32,
    /// The word that its class names or id use for it.
    pub(super) word: Option<ClassWord>,
    /// A sibling has the same tag and one of its classes.
    has_twin: bool,
    /// It is one of several of its kind, or all that such an element holds.
    pub(super) is_record: bool,
}

impl Element {
    pub(super) fn leaves(&self) -> u32 {
        self.hi - self.lo
    }
}

#[derive(Default)]
pub(super) struct Skeleton {
    pub(super) elements: Vec<Element>,
    /// The innermost element of each leaf.
    pub(super) of_leaf: Vec<u32>,
    /// Number of elements with each `sig`.
    pub(super) uses: Vec<u32>,
    class_sets: Vec<ClassSet>,
    names: Vec<u32>,
    /// The word in each class name.
    words: Vec<Option<ClassWord>>,
    /// Whether each class name only describes an element's position or state.
    states: Vec<bool>,
}

struct ClassSet {
    /// Range in `names`, sorted.
    start: u32,
    end: u32,
    word: Option<ClassWord>,
    is_plain: bool,
}

impl Skeleton {
    pub(super) fn new(page: &Page) -> Skeleton {
        let mut skeleton = Skeleton::default();
        let kinds = tags::tag_kinds(&page.tree);
        let mut interner = Interner::default();
        skeleton.find_elements(page, &kinds, &mut interner);
        skeleton.forget_single_names(&interner);
        skeleton.sign();
        skeleton.find_twins();
        skeleton
    }

    pub(super) fn get(&self, element: u32) -> &Element {
        &self.elements[element as usize]
    }

    /// The class names of an element as sorted numbers.
    pub(super) fn classes(&self, element: u32) -> &[u32] {
        let set = &self.class_sets[self.elements[element as usize].class as usize];
        &self.names[set.start as usize..set.end as usize]
    }

    /// The children of an element that hold leaves.
    pub(super) fn children(&self, element: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.get(element).end;
        let first = (element + 1 < end).then_some(element + 1);
        std::iter::successors(first, move |&child| {
            let next = self.get(child).end;
            (next < end).then_some(next)
        })
    }

    /// Whether an element has no class at all.
    fn is_plain(&self, element: u32) -> bool {
        self.class_sets[self.get(element).class as usize].is_plain
    }

    /// Whether two elements have the same tag, and either enough classes in common or no classes.
    pub(super) fn is_like(&self, a: u32, b: u32) -> bool {
        let (x, y) = (self.get(a), self.get(b));
        x.tag == y.tag && {
            let (m, n) = (self.classes(a), self.classes(b));
            (self.is_plain(a) && self.is_plain(b)) || share_enough(m, n)
        }
    }

    /// Whether two elements have the same tag, and the same of their classes call them headings.
    pub(super) fn share_head_words(&self, a: u32, b: u32) -> bool {
        let (x, y) = (self.get(a), self.get(b));
        let says_head =
            |name: &&u32| matches!(self.words[**name as usize], Some(ClassWord::Head | ClassWord::Top));
        let heads = |element| self.classes(element).iter().filter(says_head);
        x.sig == y.sig || (x.tag == y.tag && heads(a).next().is_some() && heads(a).eq(heads(b)))
    }

    fn find_elements(&mut self, page: &Page, kinds: &[TagKind], interner: &mut Interner) {
        let tree = &page.tree;
        let mut open: Vec<u32> = Vec::new();
        let mut chain: Vec<NodeId> = Vec::new();
        for (i, leaf) in page.leaves.iter().enumerate() {
            let is_open =
                |element: &Element| element.node <= leaf.node && leaf.node < tree.subtree_end(element.node);
            while let Some(&top) = open.last()
                && !is_open(self.get(top))
            {
                self.close(top, i as u32);
                open.pop();
            }
            let top = open.last().map(|&top| self.get(top).node);
            chain.clear();
            let above = std::iter::successors(Some(leaf.parent), |&node| tree.parent(node));
            chain.extend(above.take_while(|&node| Some(node) != top));
            for &node in chain.iter().rev() {
                let Some(tag) = tree.tag_id(node) else { continue };
                let class = self.class_set(tree.attr(node, "class").unwrap_or_default(), interner);
                let parent = open.last().copied().unwrap_or(NONE);
                open.push(self.elements.len() as u32);
                self.elements.push(Element {
                    node,
                    parent,
                    end: 0,
                    lo: i as u32,
                    hi: 0,
                    kind: kinds[tag.index()],
                    tag: tag.index() as u32,
                    sig: 0,
                    class,
                    word: self.class_sets[class as usize]
                        .word
                        .or_else(|| words::class_word(tree.attr(node, "id").unwrap_or_default())),
                    has_twin: false,
                    is_record: false,
                });
            }
            self.of_leaf.push(open.last().copied().unwrap_or(NONE));
        }
        while let Some(top) = open.pop() {
            self.close(top, page.leaves.len() as u32);
        }
    }

    fn close(&mut self, element: u32, hi: u32) {
        let end = self.elements.len() as u32;
        let element = &mut self.elements[element as usize];
        (element.hi, element.end) = (hi, end);
    }

    fn class_set(&mut self, attribute: &str, interner: &mut Interner) -> u32 {
        if let Some(&known) = interner.sets.get(attribute) {
            interner.count(&self.names[range(&self.class_sets[known as usize])]);
            return known;
        }
        let start = self.names.len();
        let mut word = None;
        for class in attribute.split_ascii_whitespace().take(MAX_CLASSES) {
            let name = interner.name(class);
            if name as usize == self.words.len() {
                self.words.push(words::class_word(class));
                self.states.push(words::is_state(class));
            }
            if !self.states[name as usize] {
                self.names.push(name);
            }
            word = match (word, self.words[name as usize]) {
                (None, said) => said,
                (
                    Some(ClassWord::Head | ClassWord::Top),
                    Some(meta @ (ClassWord::Meta | ClassWord::Kicker)),
                ) => Some(meta),
                (before, _) => before,
            };
        }
        self.names[start..].sort_unstable();
        let is_plain = start == self.names.len();
        let set = ClassSet { start: start as u32, end: self.names.len() as u32, word, is_plain };
        interner.count(&self.names[range(&set)]);
        self.class_sets.push(set);
        let number = self.class_sets.len() as u32 - 1;
        interner.sets.insert(attribute.into(), number);
        number
    }

    fn forget_single_names(&mut self, interner: &Interner) {
        for set in &mut self.class_sets {
            let mut kept = set.start;
            for at in set.start..set.end {
                let name = self.names[at as usize];
                if interner.uses[name as usize] > 1 {
                    self.names[kept as usize] = name;
                    kept += 1;
                }
            }
            set.end = kept;
        }
    }

    fn sign(&mut self) {
        // Without the single names, several sets may have equal names.
        let mut canonical: FxHashMap<&[u32], u32> = FxHashMap::default();
        let of_set: Vec<u32> = (0u32..)
            .zip(&self.class_sets)
            .map(|(i, set)| *canonical.entry(&self.names[range(set)]).or_insert(i))
            .collect();
        let mut sigs: FxHashMap<(u32, u32), u32> = FxHashMap::default();
        for element in &mut self.elements {
            let next = sigs.len() as u32;
            element.sig = *sigs.entry((element.tag, of_set[element.class as usize])).or_insert(next);
            if element.sig == next {
                self.uses.push(0);
            }
            self.uses[element.sig as usize] += 1;
        }
    }

    fn find_twins(&mut self) {
        // By parent, tag and class: the child seen last.
        let mut seen: FxHashMap<(u32, u32, u32), u32> = FxHashMap::default();
        for i in 0..self.elements.len() {
            let Element { parent, tag, kind, .. } = self.elements[i];
            if kind.is_inline() {
                continue;
            }
            let set = &self.class_sets[self.elements[i].class as usize];
            let names = &self.names[range(set)];
            let plain = [NONE];
            let names = if set.is_plain { &plain } else { names };
            let mut twins = false;
            for &name in names {
                if let Some(other) = seen.insert((parent, tag, name), i as u32) {
                    self.elements[other as usize].has_twin = true;
                    twins = true;
                }
            }
            self.elements[i].has_twin |= twins;
        }
        for i in 0..self.elements.len() {
            let Element { parent, kind, lo, hi, has_twin, .. } = self.elements[i];
            let fills = self
                .elements
                .get(parent as usize)
                .is_some_and(|above| above.is_record && above.lo == lo && above.hi == hi);
            self.elements[i].is_record =
                has_twin || fills || matches!(kind, TagKind::Item | TagKind::Article | TagKind::Row);
        }
    }
}

fn range(set: &ClassSet) -> Range<usize> {
    set.start as usize..set.end as usize
}

/// Whether two sorted lists have a third of the shorter one in common. Names that only set a colour or margin are
/// on boxes of all kinds, so one in common may not be enough.
fn share_enough(a: &[u32], b: &[u32]) -> bool {
    let (mut i, mut j, mut common) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, common) = (i + 1, j + 1, common + 1),
        }
    }
    common > 0 && common * 3 >= a.len().min(b.len())
}

#[derive(Default)]
struct Interner {
    sets: FxHashMap<Box<str>, u32>,
    names: FxHashMap<Box<str>, u32>,
    /// Number of elements with each name.
    uses: Vec<u32>,
}

impl Interner {
    fn name(&mut self, class: &str) -> u32 {
        if let Some(&known) = self.names.get(class) {
            return known;
        }
        let number = self.uses.len() as u32;
        self.uses.push(0);
        self.names.insert(class.into(), number);
        number
    }

    fn count(&mut self, names: &[u32]) {
        for &name in names {
            self.uses[name as usize] += 1;
        }
    }
}
