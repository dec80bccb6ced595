//! A site's habits of layout, which templates of many eras share.
//!
//! Lists without list markup, headings without heading elements, columns, tabs, kickers, forms of bylines. Each site
//! draws its own, so that no habit belongs to one era.

use crate::era::Era;
use crate::rng::Rng;

/// Markup of a list of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lists {
    /// `ul`
    Items,
    /// `ol`
    Numbers,
    /// A `div` for each
    Divs,
    /// Bullets and `br`
    Breaks,
    /// `dl` without terms
    Definitions,
    /// A `p` for each
    Paragraphs,
}

/// Markup of a heading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headings {
    /// `h1` to `h6`
    Elements,
    /// A `span` with a style of its own
    Spans,
    /// `b` in a `div`
    Bold,
    /// `p` with the class `heading`
    Classes,
}

/// Form of a byline: what it adds to the name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bylines {
    /// `By Anna Marsh and Paul Rao`
    Plain,
    /// `Anna Marsh`
    Name,
    /// `By Anna Marsh, Ashford`
    City,
    /// `BY ANNA MARSH`
    Capitals,
    /// `By Anna Marsh (newsroom@dailyledger.test)`
    Mail,
    /// `By Anna Marsh | The Daily Ledger`
    Paper,
}

/// Markup of header cells in data tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableHeads {
    /// `th`
    Elements,
    /// `b`
    Bold,
    /// A coloured row or column
    Coloured,
    /// Nothing
    Nothing,
}

/// A site's habits of layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Looks {
    /// Markup of lists.
    pub lists: Lists,
    /// Markup of headings.
    pub headings: Headings,
    /// Columns in which a section's box shows its headlines.
    pub columns: usize,
    /// Whether the rail has a second list, in a tab if the era has tabs.
    pub has_tabs: bool,
    /// Whether short texts stand above headlines.
    pub has_kickers: bool,
    /// Whether lists name authors.
    pub has_teaser_bylines: bool,
    /// Bylines of articles.
    pub bylines: Bylines,
    /// Whether articles begin with the place.
    pub has_datelines: bool,
    /// Whether the menu has the links to weather, crossword and the like.
    pub has_extras_in_menu: bool,
    /// Whether the menu has top sections only.
    pub has_flat_menu: bool,
    /// Whether the menu is in capitals.
    pub has_capital_menu: bool,
    /// Markup of header cells.
    pub table_heads: TableHeads,
}

impl Looks {
    /// Draws the looks of a site of this era.
    #[must_use]
    pub(crate) fn draw(era: Era, rng: &mut Rng) -> Self {
        let lists = *rng.pick(&[
            Lists::Items,
            Lists::Numbers,
            Lists::Divs,
            Lists::Breaks,
            Lists::Definitions,
            Lists::Paragraphs,
        ]);
        let headings = *rng.pick(&[Headings::Elements, Headings::Spans, Headings::Bold, Headings::Classes]);
        let is_clean = era == Era::Semantic;
        Self {
            lists: if is_clean { Lists::Items } else { lists },
            headings: if is_clean { Headings::Elements } else { headings },
            columns: *rng.pick(&[1, 1, 2, 3]),
            has_tabs: rng.chance(50),
            has_kickers: rng.chance(40),
            has_teaser_bylines: rng.chance(30),
            bylines: *rng.pick(&[
                Bylines::Plain,
                Bylines::Name,
                Bylines::City,
                Bylines::Capitals,
                Bylines::Mail,
                Bylines::Paper,
            ]),
            has_datelines: rng.chance(35),
            has_extras_in_menu: rng.chance(25),
            has_flat_menu: rng.chance(20),
            has_capital_menu: matches!(era, Era::Tables99 | Era::Portal03 | Era::Columns10) && rng.chance(50),
            table_heads: *rng.pick(&[
                TableHeads::Elements,
                TableHeads::Bold,
                TableHeads::Coloured,
                TableHeads::Nothing,
            ]),
        }
    }
}
