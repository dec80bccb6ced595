//! Which articles a request asks for, and which part of them.
//!
//! Lists are newest first. A cursor names the last article of a part by its time and its address's name, so a part continues
//! rightly when newer articles have come in between. Start at [`Filter::of`] and [`Filter::select`].

use std::collections::BTreeMap;
use std::fmt;

use newslode_common::version::ContentHash;
use newslode_page::time::Timestamp;

use super::answer::Problem;
use super::snapshot::{ArticleSummary, Mined};

/// The most characters of a value that are looked at.
const MOST: usize = 300;
/// The values of a query, by name; of several of one name the last.
pub(super) fn query_values(query: Option<&str>) -> BTreeMap<String, String> {
    let pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
    // Cut first: what is cut may end in space.
    let value = |value: &str| value.trim_start().chars().take(MOST).collect::<String>().trim_end().to_owned();
    pairs.map(|(name, text)| (name.into_owned(), value(&text))).collect()
}

/// What a request asks for; what is empty asks for nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Filter {
    /// Words of the title or body.
    pub(super) q: String,
    /// Key or label.
    pub(super) concept: String,
    pub(super) site: String,
    pub(super) language: String,
    /// `2026-11-25`, UTC.
    pub(super) day: String,
    pub(super) cursor: String,
}

/// A place in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cursor {
    at: u64,
    id: ContentHash,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.at, self.id)
    }
}

impl Cursor {
    fn read(text: &str) -> Option<Cursor> {
        let (at, id) = text.split_once('-')?;
        Some(Cursor { at: at.parse().ok()?, id: id.parse().ok()? })
    }
}

/// A part of the articles that were asked for.
pub(super) struct Selected<'a> {
    pub(super) articles: Vec<&'a ArticleSummary>,
    /// All that were asked for.
    pub(super) matched: usize,
    /// Where the next part begins, if there is one.
    pub(super) next: Option<Cursor>,
}

impl Filter {
    /// What these values ask for.
    pub(super) fn of(values: &BTreeMap<String, String>) -> Filter {
        let value = |name: &str| values.get(name).cloned().unwrap_or_default();
        Filter {
            q: value("q"),
            concept: value("concept"),
            site: value("site"),
            language: value("language"),
            day: value("day"),
            cursor: value("cursor"),
        }
    }

    /// Whether all articles are asked for.
    pub(super) fn is_empty(&self) -> bool {
        *self == Filter { cursor: self.cursor.clone(), ..Filter::default() }
    }

    /// The query that asks for the same, from this cursor on.
    pub(super) fn query(&self, cursor: Option<Cursor>) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        let parts = [
            ("q", &self.q),
            ("concept", &self.concept),
            ("site", &self.site),
            ("language", &self.language),
            ("day", &self.day),
        ];
        for (name, value) in parts.into_iter().filter(|(_, value)| !value.is_empty()) {
            query.append_pair(name, value);
        }
        if let Some(cursor) = cursor {
            query.append_pair("cursor", &cursor.to_string());
        }
        query.finish()
    }

    /// At most so many of the articles that are asked for.
    ///
    /// # Errors
    /// When the day or the cursor is none.
    pub(super) fn select<'a>(&self, mined: &'a Mined, most: usize) -> Result<Selected<'a>, Problem> {
        let concept = (!self.concept.is_empty()).then(|| mined.concept(&self.concept));
        let is_unknown = concept == Some(None);
        let concept = concept.flatten();
        let day = self.day()?;
        let cursor = self.cursor()?;
        let found = self.found(mined)?;
        let wanted = |at: usize, article: &ArticleSummary| {
            !is_unknown
                && found.as_ref().is_none_or(|found| found.get(at).copied().unwrap_or_default())
                && concept.is_none_or(|at| article.filings.iter().any(|place| place.concept == at))
                && (self.site.is_empty() || article.site.as_str() == self.site)
                && (self.language.is_empty() || article.language.as_deref() == Some(&self.language))
                && day.is_none_or(|day| article.at.day() == day)
        };
        let mut selected = Selected { articles: Vec::new(), matched: 0, next: None };
        for (at, article) in mined.articles.iter().enumerate() {
            if !wanted(at, article) {
                continue;
            }
            selected.matched += 1;
            if cursor.is_some_and(|Cursor { at, id }| article.order() <= (std::cmp::Reverse(at), id)) {
                continue;
            }
            if selected.articles.len() < most {
                selected.articles.push(article);
            } else if selected.next.is_none() {
                selected.next = selected.articles.last().map(|last| Cursor { at: last.at.0, id: last.id });
            }
        }
        Ok(selected)
    }

    /// For each article, whether it has the words; `None` if all are asked for. A query without a word finds nothing.
    fn found(&self, mined: &Mined) -> Result<Option<Vec<bool>>, Problem> {
        if self.q.is_empty() {
            return Ok(None);
        }
        // What the last process showed has no index.
        let Some(search) = &mined.search else { return Err(Problem::reading(mined.articles.len() as u64)) };
        let found = search.find(&self.q, &mined.positions, mined.articles.len());
        let found = found.map_err(|error| Problem::away(&format!("the search index fails: {error}")))?;
        Ok(Some(found.unwrap_or_default()))
    }

    /// The day that is asked for, in days since 1970.
    ///
    /// # Errors
    /// When it is none.
    pub(super) fn day(&self) -> Result<Option<u32>, Problem> {
        if self.day.is_empty() {
            return Ok(None);
        }
        let date = self.day.parse::<jiff::civil::Date>().ok();
        let start = date.and_then(|date| date.to_zoned(jiff::tz::TimeZone::UTC).ok());
        let millis = start.and_then(|start| u64::try_from(start.timestamp().as_millisecond()).ok());
        let day = millis.map(|millis| Timestamp(millis).day());
        day.map(Some)
            .ok_or_else(|| Problem::bad(format!("`{}` is not a day. Write it as in 2026-11-25.", self.day)))
    }

    /// The place after which the part begins.
    ///
    /// # Errors
    /// When it is none.
    pub(super) fn cursor(&self) -> Result<Option<Cursor>, Problem> {
        if self.cursor.is_empty() {
            return Ok(None);
        }
        Cursor::read(&self.cursor).map(Some).ok_or_else(|| {
            Problem::bad("The cursor is none. Take it from the answer before, or begin without one.")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::snapshot::ConceptFiling;
    use crate::html::taxonomy::tests::test_concept;
    use newslode_miner::mining::filing::Witness;
    use newslode_miner::mining::taxonomy::{Concept, Taxonomy};
    use newslode_page::reading::Site;

    const DAY: u64 = 86_400_000;

    fn mined() -> Mined {
        let article = |n: u64| ArticleSummary {
            id: ContentHash([n as u8; 16]),
            url: format!("https://a{}.test/{n}", n % 2).parse().unwrap(),
            site: Site::of_host(&format!("a{}.test", n % 2)),
            content: ContentHash::NONE,
            title: Some(format!("Story {n}")),
            lead: String::new(),
            language: Some(if n.is_multiple_of(3) { "de" } else { "en" }.into()),
            published: None,
            // Several articles of one moment.
            at: Timestamp(n / 3 * DAY / 2),
            found: None,
            filings: n
                .is_multiple_of(4)
                .then_some(ConceptFiling { concept: 0, witness: Witness::List, confidence: 0.9 })
                .into_iter()
                .collect(),
            print: Default::default(),
            reading: 0,
        };
        let mut articles: Vec<ArticleSummary> = (0..40).map(article).collect();
        articles.sort_by_key(ArticleSummary::order);
        let concept = Concept { label: "Sport".into(), ..test_concept("en:sport") };
        let taxonomy = Taxonomy { concepts: vec![concept], ..Taxonomy::default() };
        Mined { taxonomy, articles, ..Mined::default() }
    }

    fn filter(query: &str) -> Filter {
        Filter::of(&query_values(Some(query)))
    }

    #[test]
    fn parts_give_every_article_once_and_in_order() {
        let mined = mined();
        for query in ["", "site=a1.test", "language=de", "concept=sport", "day=1970-01-03"] {
            let all: Vec<_> = filter(query).select(&mined, 100).unwrap().articles;
            let (mut found, mut next) = (Vec::new(), filter(query));
            loop {
                let part = next.select(&mined, 3).unwrap();
                assert_eq!(part.matched, all.len(), "{query}");
                found.extend(part.articles);
                let Some(cursor) = part.next else { break };
                next = filter(&next.query(Some(cursor)));
            }
            assert!(!all.is_empty(), "{query}");
            let ids =
                |articles: &[&ArticleSummary]| articles.iter().map(|article| article.id).collect::<Vec<_>>();
            assert_eq!(ids(&found), ids(&all), "{query}");
        }
    }

    #[test]
    fn what_is_unknown_selects_nothing_and_what_is_wrong_is_named() {
        let mined = mined();
        assert_eq!(filter("concept=chess").select(&mined, 9).unwrap().matched, 0);
        assert_eq!(filter("site=b.test").select(&mined, 9).unwrap().matched, 0);
        for wrong in ["day=today", "day=2026-13-01", "cursor=1", "cursor=x-y", "day=-000001-01-01"] {
            assert!(filter(wrong).select(&mined, 9).is_err(), "{wrong}");
        }
        assert!(filter("%ff=%00&&&=&a").is_empty());
    }
}
