//! Which part of the articles a request asks for.
//!
//! Lists are newest first. A cursor names the last article of a part by its time and its address's name, so a part continues
//! rightly when newer articles have come in between. Start at [`ArticleQuery::read`] and [`ArticleQuery::select`].

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt;

use newslode_common::version::ContentHash;
use newslode_miner::mining::site_scheme::folded;
use newslode_page::reading::Site;

use super::answer::Problem;
use super::snapshot::{ArticleSummary, Mined, Snapshot};
use crate::filter::phrases::WordQuery;
use crate::filter::times::Calendar;
use crate::filter::{Facts, Filter, FilterError, NAMES, Parameters};

/// The name of the cursor's parameter.
const CURSOR: &str = "cursor";

/// A request for a list of articles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ArticleQuery {
    pub(super) filter: Filter,
    /// Where the part begins.
    pub(super) cursor: Option<Cursor>,
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

impl From<FilterError> for Problem {
    fn from(error: FilterError) -> Problem {
        Problem::bad(format!("{error}."))
    }
}

/// The values of a query that takes no names but these.
///
/// # Errors
/// When a name is not known, or has two values.
pub(super) fn parameters(query: Option<&str>, known: &[&str]) -> Result<Parameters, Problem> {
    Ok(Parameters::of_query(query, known)?)
}

/// A part of the articles that were asked for.
pub(super) struct Selected<'a> {
    pub(super) articles: Vec<&'a ArticleSummary>,
    /// All that were asked for.
    pub(super) matched: usize,
    /// Where the next part begins, if there is one.
    pub(super) next: Option<Cursor>,
}

impl ArticleQuery {
    /// What a query asks for, and its values of `more` names.
    ///
    /// # Errors
    /// When a name is not known, or a value cannot be read.
    pub(super) fn read(query: Option<&str>, more: &[&str]) -> Result<(ArticleQuery, Parameters), Problem> {
        let values = parameters(query, &[NAMES.as_slice(), &[CURSOR], more].concat())?;
        let cursor = match values.value(CURSOR) {
            "" => None,
            text => Some(Cursor::read(text).ok_or_else(|| {
                Problem::bad("The cursor is none. Take it from the answer before, or begin without one.")
            })?),
        };
        Ok((ArticleQuery { filter: Filter::read(&values)?, cursor }, values))
    }

    /// All articles of a filter.
    pub(super) fn of(filter: Filter) -> ArticleQuery {
        ArticleQuery { filter, cursor: None }
    }

    /// The query that asks for the same, from this cursor on.
    pub(super) fn query(&self, cursor: Option<Cursor>) -> String {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.extend_pairs(self.filter.pairs());
        if let Some(cursor) = cursor {
            query.append_pair(CURSOR, &cursor.to_string());
        }
        query.finish()
    }

    /// At most so many of the articles that are asked for.
    ///
    /// # Errors
    /// When its times contradict each other, or the search index fails.
    pub(super) fn select<'a>(
        &self,
        snapshot: &'a Snapshot,
        most: usize,
        calendar: &Calendar,
    ) -> Result<Selected<'a>, Problem> {
        let mined = &snapshot.mined;
        let conditions = self.filter.conditions(&mined.taxonomy, &snapshot.registry, calendar)?;
        let conditions = match self.filter.code.as_str() {
            "" => conditions,
            code => conditions.with_codes(mined.coder.codes_within(code)),
        };
        // Many articles have the same places.
        let places_asked: RefCell<HashMap<&str, bool>> = RefCell::default();
        let is_place = |label: &'a str, wanted: &str| {
            *places_asked.borrow_mut().entry(label).or_insert_with(|| folded(label) == wanted)
        };
        let found = both(self.found(mined)?, self.found_for_title(mined)?);
        let labels: HashMap<&Site, &BTreeMap<String, String>> = match self.filter.label.as_str() {
            "" => HashMap::new(),
            _ => snapshot
                .sites
                .iter()
                .map(|facts| (&facts.status.site, &facts.status.settings.labels))
                .collect(),
        };
        let wanted = |at: usize, article: &'a ArticleSummary| {
            let facts = Facts {
                title: article.title.as_deref(),
                site: article.site.as_str(),
                language: article.language.as_deref(),
                section: article.section.as_deref(),
                has_place: &|wanted| article.places.iter().any(|label| is_place(label, wanted)),
                has_code: &|wanted| {
                    let keys = mined.concepts_of(article).map(|concept| concept.key.as_str());
                    let places = article.places.iter().map(|label| &**label);
                    mined.coder.has_any(wanted, keys, places, article.language.as_deref())
                },
                at: article.at,
                found: article.found,
                labels: labels.get(&article.site).copied(),
                rights: article.rights,
            };
            found.as_ref().is_none_or(|found| found.get(at).copied().unwrap_or_default())
                && conditions.take(&facts, article.filings.iter().map(|place| place.concept))
        };
        let mut selected = Selected { articles: Vec::new(), matched: 0, next: None };
        for (at, article) in mined.articles.iter().enumerate() {
            if !wanted(at, article) {
                continue;
            }
            selected.matched += 1;
            if self.cursor.is_some_and(|Cursor { at, id }| article.order() <= (std::cmp::Reverse(at), id)) {
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

    /// For each article, whether it has the words of the title somewhere, so that few titles need to be read; `None` if all must be.
    fn found_for_title(&self, mined: &Mined) -> Result<Option<Vec<bool>>, Problem> {
        let mut words = WordQuery::parse(&self.filter.title);
        words.parts.retain(|part| !part.is_excluded);
        let Some(search) = mined.search.as_ref().filter(|_| !words.is_empty()) else { return Ok(None) };
        let found = search.find(&words, &mined.positions, mined.articles.len());
        found.map_err(|error| Problem::away(&format!("the search index fails: {error}")))
    }

    /// For each article, whether it has the words; `None` if all are asked for. A query without a word finds nothing.
    fn found(&self, mined: &Mined) -> Result<Option<Vec<bool>>, Problem> {
        if self.filter.q.is_empty() {
            return Ok(None);
        }
        // What the last process showed has no index.
        let Some(search) = &mined.search else { return Err(Problem::reading(mined.articles.len() as u64)) };
        let found = search.find(&WordQuery::parse(&self.filter.q), &mined.positions, mined.articles.len());
        let found = found.map_err(|error| Problem::away(&format!("the search index fails: {error}")))?;
        Ok(Some(found.unwrap_or_default()))
    }
}

/// What is in both, if there are two.
fn both(one: Option<Vec<bool>>, other: Option<Vec<bool>>) -> Option<Vec<bool>> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.iter().zip(&other).map(|(one, other)| *one && *other).collect()),
        (one, other) => one.or(other),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::console::snapshot::ConceptFiling;
    use crate::html::taxonomy::tests::test_concept;
    use newslode_miner::mining::filing::Witness;
    use newslode_miner::mining::taxonomy::{Concept, Taxonomy};
    use newslode_page::time::Timestamp;

    const DAY: u64 = 86_400_000;

    fn snapshot() -> Snapshot {
        let article = |n: u64| ArticleSummary {
            id: ContentHash([n as u8; 16]),
            url: format!("https://a{}.test/{n}", n % 2).parse().unwrap(),
            site: Site::of_host(&format!("a{}.test", n % 2)),
            content: ContentHash::NONE,
            title: Some(format!("Story {n}")),
            section: n.is_multiple_of(5).then(|| "Cup & League".into()),
            places: n.is_multiple_of(7).then(|| "Élections".into()).into_iter().collect(),
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
            rights: Default::default(),
        };
        let mut articles: Vec<Arc<ArticleSummary>> = (0..40).map(article).map(Arc::new).collect();
        articles.sort_by_key(|article| article.order());
        let concept = Concept { label: "Sport".into(), ..test_concept("en:sport") };
        let taxonomy = Arc::new(Taxonomy { concepts: vec![concept], ..Taxonomy::default() });
        let mined = Mined { taxonomy, articles, ..Mined::default() };
        Snapshot { mined: Arc::new(mined), ..Snapshot::default() }
    }

    fn asked(query: &str) -> Result<ArticleQuery, Problem> {
        ArticleQuery::read(Some(query), &[]).map(|(asked, _)| asked)
    }

    fn select<'a>(snapshot: &'a Snapshot, asked: &ArticleQuery, most: usize) -> Selected<'a> {
        let calendar = Calendar { now: Timestamp(8 * DAY), zone: jiff::tz::TimeZone::UTC };
        asked.select(snapshot, most, &calendar).unwrap()
    }

    #[test]
    fn parts_give_every_article_once_and_in_order() {
        let snapshot = snapshot();
        for query in [
            "",
            "site=a1.test",
            "language=de",
            "concept=sport",
            "day=1970-01-03",
            "from=6d&to=1970-01-05",
            "label=league",
            "label=sport&site=a0.test",
            "place=elections",
        ] {
            let all = select(&snapshot, &asked(query).unwrap(), 100).articles;
            let (mut found, mut next) = (Vec::new(), asked(query).unwrap());
            loop {
                let part = select(&snapshot, &next, 3);
                assert_eq!(part.matched, all.len(), "{query}");
                found.extend(part.articles);
                let Some(cursor) = part.next else { break };
                next = asked(&next.query(Some(cursor))).unwrap();
            }
            assert!(!all.is_empty(), "{query}");
            assert!(query.is_empty() || all.len() < snapshot.mined.articles.len(), "{query}");
            let ids =
                |articles: &[&ArticleSummary]| articles.iter().map(|article| article.id).collect::<Vec<_>>();
            assert_eq!(ids(&found), ids(&all), "{query}");
        }
    }

    #[test]
    fn what_is_unknown_selects_nothing_and_what_is_wrong_is_named() {
        let snapshot = snapshot();
        for query in
            ["concept=chess", "site=b.test", "label=chess", "place=cup", "code=x:1", "found_since=7d"]
        {
            assert_eq!(select(&snapshot, &asked(query).unwrap(), 9).matched, 0, "{query}");
        }
        for wrong in [
            "day=today",
            "day=2026-13-01",
            "cursor=1",
            "cursor=x-y",
            "day=-000001-01-01",
            "since=7d",
            "a",
            "from=x",
        ] {
            assert!(asked(wrong).is_err(), "{wrong}");
        }
        assert!(asked("&&&=").unwrap().filter.is_empty());
    }
}
