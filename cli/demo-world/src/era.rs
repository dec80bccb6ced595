//! The age of a site's pages, from nested tables to cards.

/// The template, which stands for the time when the site was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Era {
    /// Nested tables, `font`, `bgcolor`.
    Tables99,
    /// `div`s with opaque class names; query-string URLs.
    Divs08,
    /// HTML5's first years: `section`s inside `div`s.
    Html514,
    /// Landmarks, nested lists, headings in order.
    Semantic,
    /// A blog engine's theme with a sidebar of widgets.
    Blog,
    /// A portal: definition lists, bold links, lines of links between bars.
    Portal03,
    /// Cards: `div`s and `span`s with utility classes, tabs.
    Cards20,
    /// A broadsheet: the name as `h1`, columns under one heading.
    Columns10,
}

impl Era {
    /// All eras.
    pub const ALL: [Self; 8] = [
        Self::Tables99,
        Self::Divs08,
        Self::Html514,
        Self::Semantic,
        Self::Blog,
        Self::Portal03,
        Self::Cards20,
        Self::Columns10,
    ];
}
