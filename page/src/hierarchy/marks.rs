//! The marks that are added to a hierarchy when the site is known: blocks of nodes, tags of leaves.

use serde::{Deserialize, Serialize};

/// The informative block of a part of a page, found by comparison with the whole site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Block {
    /// Neither of the others: menus, advertisements, what every page repeats.
    Rest,
    /// A table of contents: links to what is new.
    Toc,
    /// The article.
    Article,
}

impl Block {
    /// All blocks, in the order of their numbers.
    pub const ALL: [Block; 3] = [Block::Rest, Block::Toc, Block::Article];

    /// The name in XML.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Block::Rest => "rest",
            Block::Toc => "toc",
            Block::Article => "article",
        }
    }
}

/// The role of a leaf on its page (`[SP §6]`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tag {
    /// The subject of the page.
    Concept,
    /// The name of a property of the concept, or of a relation.
    Attribute,
    /// An instance of an attribute, whether or not the page names the attribute.
    Value,
    /// Navigation, footers, decoration.
    None,
}

impl Tag {
    /// All tags, in the order of their letters in `CAVN`.
    pub const ALL: [Tag; 4] = [Tag::Concept, Tag::Attribute, Tag::Value, Tag::None];

    /// `C`, `A`, `V` or `N`.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Tag::Concept => 'C',
            Tag::Attribute => 'A',
            Tag::Value => 'V',
            Tag::None => 'N',
        }
    }

    /// The word for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Tag::Concept => "concept",
            Tag::Attribute => "attribute",
            Tag::Value => "value",
            Tag::None => "none",
        }
    }
}
