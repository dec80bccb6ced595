//! Tags on a hierarchy: the role of each leaf of a label.
//!
//! Tags are found leaf by leaf over the pages of a site ([`crate::tagging`]), hierarchies page by page. So a hierarchy
//! has none until [`Hierarchy::tag`] puts them on its labels. A label may join leaves of several tags (an attribute
//! and its value in one line), so each leaf keeps its own. Written as letters: one if all leaves of the label agree,
//! else one for each leaf.
//! Invariant: a label has no tags, or as many as leaves.

use super::marks::Tag;
use super::{Hierarchy, Label};

impl Hierarchy {
    /// Gives each label the tags of its leaves, in place of any that it has. `tags` has one for each leaf of the
    /// page; a leaf without one is [`Tag::None`].
    pub fn tag(&mut self, tags: &[Tag]) {
        let tag_of = |leaf: &u32| tags.get(*leaf as usize).copied().unwrap_or(Tag::None);
        for label in self.nodes.iter_mut().filter_map(|node| node.label.as_mut()) {
            label.tags = label.leaves.iter().map(tag_of).collect();
        }
    }

    /// Whether the labels have tags.
    #[must_use]
    pub fn is_tagged(&self) -> bool {
        self.nodes.iter().filter_map(|node| node.label.as_ref()).any(|label| !label.tags.is_empty())
    }
}

impl Label {
    /// Each tag that a leaf of the label has, once.
    pub fn own_tags(&self) -> impl Iterator<Item = Tag> {
        Tag::ALL.into_iter().filter(|tag| self.tags.contains(tag))
    }
}

/// `A` if all are alike, else a letter each, `AVV`.
pub(super) fn tag_letters(tags: &[Tag]) -> String {
    let are_alike = tags.windows(2).all(|pair| pair[0] == pair[1]);
    tags.iter().take(if are_alike { 1 } else { tags.len() }).map(|tag| tag.letter()).collect()
}

/// The tags of so many leaves from their letters.
pub(super) fn tags_from_letters(letters: &str, leaves: usize) -> Result<Vec<Tag>, String> {
    let tag = |letter: char| {
        let found = Tag::ALL.into_iter().find(|tag| tag.letter() == letter);
        found.ok_or_else(|| format!("`{letter}` is none of the tags C, A, V and N"))
    };
    let tags: Vec<Tag> = letters.chars().map(tag).collect::<Result<_, _>>()?;
    match tags[..] {
        [all] => Ok(vec![all; leaves]),
        _ if tags.len() == leaves => Ok(tags),
        _ => Err(format!("`{letters}` is neither one tag nor one for each of {leaves} leaves")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;
    use crate::{Params, hierarchy, tagging};

    #[test]
    fn labels_have_the_tags_of_their_leaves() {
        let page = page("<h1>Ann</h1><p>Phone: <i>12</i> or 13<footer>Imprint</footer>");
        let mut made = hierarchy(&page, &Params::default());
        let plain = made.clone();
        assert!(!made.is_tagged());
        made.tag(&tagging::tags(&[page])[0]);
        assert!(made.is_tagged());
        let mut found: Vec<(u32, Tag)> = Vec::new();
        for label in made.nodes.iter().filter_map(|node| node.label.as_ref()) {
            found.extend(label.leaves.iter().copied().zip(label.tags.iter().copied()));
        }
        found.sort_by_key(|(leaf, _)| *leaf);
        let letters: String = found.iter().map(|(_, tag)| tag.letter()).collect();
        assert_eq!(letters, "CAVVN");
        made.nodes.iter_mut().filter_map(|node| node.label.as_mut()).for_each(|label| label.tags.clear());
        assert_eq!(made, plain, "tags change nothing else");
    }

    #[test]
    fn letters_are_as_few_as_will_do() {
        use Tag::{Attribute, Value};
        for (tags, leaves, written) in
            [(vec![Value; 3], 3, "V"), (vec![Attribute, Value], 2, "AV"), (vec![Value], 1, "V")]
        {
            assert_eq!(tag_letters(&tags), written);
            assert_eq!(tags_from_letters(written, leaves), Ok(tags));
        }
        for (wrong, leaves) in [("", 1), ("X", 1), ("AV", 3), ("v", 1)] {
            assert!(tags_from_letters(wrong, leaves).is_err(), "{wrong}");
        }
    }
}
