//! Marks: the gold of each text of a page.
//!
//! Every text of a view is written with an [`Ink`] and gets a number. A marked copy of a page has the same elements and
//! texts, but each text begins with its number between two characters of the private use area. A scorer parses the copy
//! and reads from each leaf which text it holds ([`number`]). So gold is exact to the leaf, and this crate never parses
//! HTML. Text without a mark (bullets, separators) is not judged.

use std::cell::RefCell;

use serde::{Deserialize, Serialize};

/// These enclose a number.
const OPEN: char = '\u{e000}';
const CLOSE: char = '\u{e001}';

/// What a text is to a reader who looks for news.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// A link to a story.
    Story,
    /// A link to a page that lists stories.
    List,
    /// Text of the page's article.
    Body,
    /// Anything else.
    #[default]
    Other,
}

/// What a text is on a page of facts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Tag {
    /// What the page is about.
    Concept,
    /// The name of a property.
    Attribute,
    /// A value of a property, or a statement about the concept.
    Value,
    /// Anything else.
    #[default]
    None,
}

impl Tag {
    /// `C`, `A`, `V` or `N`.
    #[must_use]
    pub const fn letter(self) -> char {
        match self {
            Self::Concept => 'C',
            Self::Attribute => 'A',
            Self::Value => 'V',
            Self::None => 'N',
        }
    }
}

/// The gold of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mark {
    /// The text as it is read.
    pub text: String,
    /// Number of the text that heads it.
    pub above: Option<usize>,
    /// Readers would not agree on its place, or it has none.
    pub is_unjudged: bool,
    /// It begins a new block of the page.
    pub begins: bool,
    /// What it is to a reader who looks for news.
    pub role: Role,
    /// What it is on a page of facts.
    pub tag: Tag,
}

impl Mark {
    /// The mark of a text under another one.
    #[must_use]
    pub(crate) fn under(above: usize) -> Self {
        Self { above: Some(above), ..Self::default() }
    }

    /// The mark of a text that is not judged.
    #[must_use]
    pub(crate) fn unjudged() -> Self {
        Self { is_unjudged: true, ..Self::default() }
    }
}

/// The gold of a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoldTable {
    /// Whether rows and columns relate its cells; nothing if readers would not agree.
    pub is_genuine: Option<bool>,
    /// `column`, `row` or `row-column`.
    pub orientation: &'static str,
    /// Row and column of each header cell.
    pub header_cells: Vec<(usize, usize)>,
}

/// A text as a template prints it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Text {
    /// Plain text; in a marked copy it begins with its number.
    pub text: String,
    /// Its number.
    pub id: usize,
}

/// Writes the texts of one page and keeps their marks.
#[derive(Debug, Default)]
pub(crate) struct Ink {
    is_marking: bool,
    marks: RefCell<Vec<Mark>>,
    tables: RefCell<Vec<GoldTable>>,
}

impl Ink {
    /// An ink that prints numbers.
    #[must_use]
    pub(crate) fn marking() -> Self {
        Self { is_marking: true, ..Self::default() }
    }

    /// Writes a text.
    #[must_use]
    pub(crate) fn write(&self, text: &str, mark: Mark) -> Text {
        let mut marks = self.marks.borrow_mut();
        let id = marks.len();
        marks.push(Mark { text: text.to_owned(), ..mark });
        drop(marks);
        Text { text: self.again(id, text), id }
    }

    /// Writes a piece of a text that markup splits.
    #[must_use]
    pub(crate) fn again(&self, id: usize, piece: &str) -> String {
        if self.is_marking { format!("{OPEN}{id}{CLOSE}{piece}") } else { piece.to_owned() }
    }

    /// Records a table. Returns the attribute of its element, with a leading space; empty unless the copy is marked.
    #[must_use]
    pub(crate) fn table(&self, table: GoldTable) -> String {
        let mut tables = self.tables.borrow_mut();
        tables.push(table);
        if self.is_marking { format!(" data-gold=\"{}\"", tables.len() - 1) } else { String::new() }
    }

    /// The marks by number, and the recorded tables.
    #[must_use]
    pub(crate) fn into_parts(self) -> (Vec<Mark>, Vec<GoldTable>) {
        (self.marks.into_inner(), self.tables.into_inner())
    }
}

/// All numbers in a marked copy.
pub(crate) fn numbers(html: &str) -> impl Iterator<Item = usize> {
    html.split(OPEN).skip(1).filter_map(|after| after.split(CLOSE).next()?.parse().ok())
}

/// The first number in a text of a marked copy, and the text without numbers.
#[must_use]
pub fn number(text: &str) -> (Option<usize>, String) {
    let mut first = None;
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPEN) {
        plain.push_str(before);
        let (digits, behind) = after.split_once(CLOSE).unwrap_or(("", after));
        first = first.or_else(|| digits.parse().ok());
        rest = behind;
    }
    plain.push_str(rest);
    (first, plain)
}

/// The tables of a marked copy in the order of the page; those that were not recorded are layout.
#[must_use]
pub(crate) fn tables_in_order(html: &str, recorded: &[GoldTable]) -> Vec<GoldTable> {
    let lower = html.to_ascii_lowercase();
    let layout = GoldTable { is_genuine: Some(false), ..GoldTable::default() };
    let gold_table = |(start, _): (usize, &str)| {
        let tag = lower[start..].split('>').next().unwrap_or_default();
        let number = tag.split_once("data-gold=").map(|(_, value)| value.trim_start_matches('"'));
        let digits = number.and_then(|value| value.split(|c: char| !c.is_ascii_digit()).next());
        let recorded = digits.and_then(|digits| recorded.get(digits.parse::<usize>().ok()?));
        recorded.unwrap_or(&layout).clone()
    };
    lower.match_indices("<table").map(gold_table).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_in_marked_copies_only() {
        let plain = Ink::default();
        assert_eq!(plain.write("Sport", Mark::default()).text, "Sport");
        let ink = Ink::marking();
        let sport = ink.write("Sport", Mark::default());
        let cup = ink.write("Cup", Mark::under(sport.id));
        assert_eq!(number(&cup.text), (Some(1), "Cup".to_owned()));
        assert_eq!(number(&format!("{} | {}", sport.text, cup.text)), (Some(0), "Sport | Cup".to_owned()));
        assert_eq!(number("|"), (None, "|".to_owned()));
        assert_eq!(ink.into_parts().0[1].above, Some(0));
    }

    #[test]
    fn tables_are_found_in_the_order_of_the_page() {
        let recorded = [GoldTable { is_genuine: Some(true), orientation: "row", ..GoldTable::default() }];
        let html =
            "<TABLE width=3><tr><td><table data-gold=\"0\"></table><TABLE data-gold=0 x></TABLE></table>";
        let found: Vec<_> = tables_in_order(html, &recorded).iter().map(|table| table.is_genuine).collect();
        assert_eq!(found, [Some(false), Some(true), Some(true)]);
    }
}
