//! The central idea: a page is a contribution, and all mined state is a sum of contributions.
//!
//! A [`Contribution`] is a pure function of a page's URL, content type, bytes and the parameters; nothing
//! learnt from its site enters it. [`Contribution::cells`] turns it into counters: pairs of a [`Cell`] and an
//! integer. A site's state is the sum of its pages' cells, without cells that are zero. So pages can be added,
//! replaced and removed in any order, and the state is the same to the bit.
//!
//! Stores see only [`Cell::table`] and [`Cell::key`], never labels. Miners read cells back with the same
//! functions that build them here: start at [`Table`].

mod cells;
mod check;
pub mod counting;
pub mod first;
pub mod labels;
pub mod names;
mod sums;
pub mod terms;

use serde::{Deserialize, Serialize};

pub use self::cells::{Cell, Delta, SEPARATOR, Table};
use crate::reading::CanonicalUrl;

/// The role of a label on a page. One label may have several roles on one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Role {
    /// It is on the page.
    Any,
    /// It is the text of a link.
    Link,
    /// It is the text of a link to the same site.
    Inside,
    /// It heads other labels (a promoted header).
    Header,
    /// It is an instance of a group.
    Member,
    /// One name in the path or host of its link has all of its stems.
    Spelled,
    /// All its links lead to script, mail, the page itself or the site's front page.
    Empty,
    /// One of its links has `rel=nofollow`.
    NoFollow,
    /// All of its links come after the last link of six words or more.
    Tail,
    /// It links to four or more different pages.
    Many,
    /// All of its links are in running text.
    InText,
}

impl Role {
    /// All roles.
    pub const ALL: &'static [Role] = &[
        Role::Any,
        Role::Link,
        Role::Inside,
        Role::Header,
        Role::Member,
        Role::Spelled,
        Role::Empty,
        Role::NoFollow,
        Role::Tail,
        Role::Many,
        Role::InText,
    ];

    /// The word shown to people.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Role::Any => "any",
            Role::Link => "link",
            Role::Inside => "in",
            Role::Header => "head",
            Role::Member => "member",
            Role::Spelled => "spelled",
            Role::Empty => "empty",
            Role::NoFollow => "nofollow",
            Role::Tail => "tail",
            Role::Many => "many",
            Role::InText => "text",
        }
    }

    /// The letter in keys of cells; never changes.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Role::Any => 'a',
            Role::Link => 'l',
            Role::Inside => 'i',
            Role::Header => 'h',
            Role::Member => 'm',
            Role::Spelled => 's',
            Role::Empty => 'e',
            Role::NoFollow => 'n',
            Role::Tail => 't',
            Role::Many => 'y',
            Role::InText => 'x',
        }
    }
}

/// A label on a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LabelUse {
    /// `language:stems`, see [`labels`].
    pub key: String,
    /// The page's most frequent way of writing it, white space collapsed.
    pub form: String,
    /// Its roles, sorted, each once.
    pub roles: Vec<Role>,
}

/// `narrower` has `broader` as its `level`-th labelled ancestor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairUse {
    /// Label key.
    pub broader: String,
    /// Label key.
    pub narrower: String,
    /// 1 for the parent.
    pub level: u8,
}

/// A term and its number of occurrences on the page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermUse {
    /// Stemmed word.
    pub term: String,
    /// Occurrences, at least 1.
    pub count: u32,
}

/// A link to another page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkUse {
    /// The target; each is listed once, in page order.
    pub target: CanonicalUrl,
    /// Key of the first label that links there, if any.
    pub label: Option<String>,
    /// Whether a link to it is in a group (an instance of a concept page).
    pub in_group: bool,
    /// Whether it leads to the same site.
    pub inside: bool,
}

/// A list: labels with adjacent links.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListUse {
    /// Distinct label keys, sorted; at least two.
    pub labels: Vec<String>,
}

/// The stories that a page files: its links of six words or more into its own site. Stories distinguish a
/// section page from a service page; the fold compares them with the rest of the site.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FiledUse {
    /// [`url_id`] of the page.
    pub page: String,
    /// [`url_id`]s of the stories, sorted, each once.
    pub stories: Vec<String>,
}

/// A menu item above its own list, or a directory above its contents: the site itself says which is broader.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct NestedUse {
    /// Label key of the menu item or directory.
    pub broader: String,
    /// Label key of an item in its list, or of a link or directory in it.
    pub narrower: String,
}

/// The contribution of a page to its site's state. A pure function: see the module's documentation.
///
/// ```
/// use newslode_page::contribution::Delta;
/// use newslode_page::{Page, Params, contribution, hierarchy};
///
/// let url = "https://news.example.org/".parse()?;
/// let counted = |html: &str| {
///     let page = Page::parse(&url, None, html.as_bytes());
///     contribution(&page, &hierarchy(&page, &Params::default()))
/// };
/// let (before, after) = (counted("<h2>Sport</h2><a href=/cup>Cup</a>"), counted("<h2>Arts</h2><p>Jazz"));
/// // A site's state is the sum of its pages' cells; to replace a page is to add the difference.
/// let mut state = Delta::between(None, Some(&before));
/// for (cell, by) in Delta::between(Some(&before), Some(&after)).iter() {
///     state.add(cell.clone(), by);
/// }
/// assert_eq!(state, Delta::between(None, Some(&after)));
/// # Ok::<(), newslode_page::reading::CanonicalUrlError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contribution {
    /// ISO 639-1 code of the page's language, if it is known.
    pub language: Option<String>,
    /// Sorted by key, each key once.
    pub labels: Vec<LabelUse>,
    /// Sorted, each (broader, narrower) once, at its least level.
    pub pairs: Vec<PairUse>,
    /// Sorted by term.
    pub terms: Vec<TermUse>,
    /// In page order.
    pub links: Vec<LinkUse>,
    /// Sorted.
    pub lists: Vec<ListUse>,
    /// The stories that the page files.
    pub filed: Option<FiledUse>,
    /// Sorted, each once.
    pub nested: Vec<NestedUse>,
    /// Directories in the URLs of the stories that the page links to, as label keys; sorted, each once.
    pub directories: Vec<String>,
}

impl ListUse {
    /// The list's [name](names).
    #[must_use]
    pub fn name(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        for label in &self.labels {
            hasher.update(label.as_bytes());
            hasher.update(&[0x1f]);
        }
        names::name_from_hasher(&hasher)
    }
}

/// A URL's short name in cells: 64 bits of BLAKE3, in hexadecimal. Two URLs of a site with the same name would
/// be counted as one page; with a million pages the chance is one in 40 million.
#[must_use]
pub fn url_id(url: &CanonicalUrl) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(url.as_str().as_bytes());
    hex_of_8_bytes(&hasher)
}

fn hex_of_8_bytes(hasher: &blake3::Hasher) -> String {
    hasher.finalize().as_bytes()[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}

/// `round(2³² · x · ln x)`: the summand of the incremental term entropy (algorithms.md §10).
#[must_use]
pub fn entropy_summand(count: u32) -> i64 {
    let x = f64::from(count);
    if count <= 1 { 0 } else { (4_294_967_296.0 * x * x.ln()).round() as i64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(term: &str, count: u32) -> Contribution {
        Contribution { terms: vec![TermUse { term: term.into(), count }], ..Contribution::default() }
    }

    #[test]
    fn a_page_minus_itself_is_nothing() {
        let jazz = page("jazz", 3);
        assert!(Delta::between(Some(&jazz), Some(&jazz)).is_empty());
    }

    #[test]
    fn replacing_is_adding_one_and_subtracting_the_other() {
        let mut there = Delta::between(Some(&page("jazz", 3)), Some(&page("rock", 2)));
        for (cell, by) in Delta::between(Some(&page("rock", 2)), Some(&page("jazz", 3))).iter() {
            there.add(cell.clone(), by);
        }
        assert!(there.is_empty());
    }

    #[test]
    fn codes_are_unique() {
        for table in Table::ALL {
            assert_eq!(Table::of_code(table.code()), Some(*table));
        }
        let mut roles: Vec<_> = Role::ALL.iter().map(|role| role.letter()).collect();
        roles.sort_unstable();
        roles.dedup();
        assert_eq!(roles.len(), Role::ALL.len());
    }
}
