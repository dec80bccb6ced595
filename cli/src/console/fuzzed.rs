//! What a request asks the console for: the parsers alone, for the fuzz targets.
//!
//! `tests/fuzzing` checks that no request makes them panic, and that a query which the console writes into its own links is
//! read as it was meant. No part of the public interface.

use std::fmt;

use newslode_page::reading::CanonicalUrl;

use super::filter;
use super::pages::explain::query_value;
use super::pages::parts::explain_path;
use super::writing::form::Form;
use super::writing::seeds;
use crate::filter::phrases::WordQuery;

/// What a query of the list of articles asks for.
#[derive(Debug, PartialEq, Eq)]
pub struct ArticleQuery(filter::ArticleQuery);

impl ArticleQuery {
    /// Reads the query of a request; `None` if a name or a value in it is wrong.
    #[must_use]
    pub fn parse(query: &str) -> Option<ArticleQuery> {
        filter::ArticleQuery::read(Some(query), &[]).ok().map(|(asked, _)| ArticleQuery(asked))
    }

    /// Whether words are searched for.
    #[must_use]
    pub fn has_words(&self) -> bool {
        !WordQuery::parse(&self.0.filter.q).is_empty()
    }
}

/// The query as the console's links have it.
impl fmt::Display for ArticleQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.query(self.0.cursor))
    }
}

/// The page that a query asks to explain; `None` if it is no page's address.
#[must_use]
pub fn explained(query: &str) -> Option<CanonicalUrl> {
    query_value(Some(query), "target").parse().ok()
}

/// The query that asks to explain a page.
#[must_use]
pub fn explaining(url: &CanonicalUrl) -> String {
    explain_path(url.as_str()).split_once('?').map(|(_, query)| query.to_owned()).unwrap_or_default()
}

/// The addresses of a form of seeds, and the delay that it asks for in milliseconds; `None` if its limits are wrong.
#[must_use]
pub fn seed_form(form: &[u8]) -> Option<(Vec<String>, Option<u64>)> {
    let form = Form::unchecked(form);
    let (_, _, delay_ms) = seeds::parse_limits(&form).ok()?;
    Some((form.lines("urls").map(str::to_owned).collect(), delay_ms))
}
