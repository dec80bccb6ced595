//! Which articles somebody asks for: one parser for the console's pages, its API and `newslode export articles`.
//!
//! A filter is written as pairs of a name and a value, as in a query: `site=example.com&from=7d`. [`Parameters`] refuses names
//! that nobody knows, [`Filter::read`] values that mean nothing, and [`Filter::conditions`] turns dates and labels into what one
//! article after another is held against. Invariant: what [`Filter::pairs`] writes is read back as the same filter. To add a
//! condition: a name in [`NAMES`], a field of [`Filter`], and a line in each of these three.

pub(crate) mod phrases;
pub(crate) mod times;
pub(crate) mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use jiff::civil::Date;
use newslode_common::config::edits;
use newslode_common::rights::{ConditionError, RightsCondition, Standings};
use newslode_miner::mining::registry::Registry;
use newslode_miner::mining::site_scheme::folded;
use newslode_miner::mining::taxonomy::{Concept, Taxonomy};
use newslode_page::time::Timestamp;

use self::phrases::WordQuery;
use self::times::{Calendar, When, read_date};

/// The names of a filter.
pub(crate) const NAMES: [&str; 15] = [
    "q",
    "words",
    "title",
    "concept",
    "code",
    "site",
    "place",
    "language",
    "label",
    "rights",
    "from",
    "to",
    "found_since",
    "found_until",
    "day",
];
/// The most characters of a value that are looked at.
const MOST: usize = 300;

/// Why a filter cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FilterError {
    #[error("there is no parameter `{name}`; {}", known_names(.nearest.as_deref(), .known))]
    Unknown { name: String, nearest: Option<String>, known: String },
    #[error("`{name}` is given twice, as `{first}` and as `{second}`; give it once")]
    Twice { name: String, first: String, second: String },
    #[error(
        "`{value}` is no time for `{name}`; write it as in 2026-11-25, 2026-11-25T10:30Z, today, yesterday, 7d or 24h"
    )]
    NoTime { name: &'static str, value: String },
    #[error("`{value}` is not a day; write it as in 2026-11-25")]
    NoDay { value: String },
    #[error(
        "`{}` ({first}) is later than `{}` ({last}); swap them, as in {}=2026-11-01 and {}=2026-11-25",
        .names.0, .names.1, .names.0, .names.1
    )]
    Reversed { names: (&'static str, &'static str), first: String, last: String },
    #[error("`rights`: {0}")]
    Rights(#[from] ConditionError),
    #[error("`{text}` is no filter; write it as in site=example.com")]
    NoPair { text: String },
}

fn known_names(nearest: Option<&str>, known: &str) -> String {
    match nearest {
        Some(nearest) => format!("the nearest is `{nearest}`, and all are {known}"),
        None => "this takes none".to_owned(),
    }
}

/// The known name that is most like another one: one that holds it or is in it, otherwise by edit distance.
fn nearest<'n>(name: &str, known: &[&'n str]) -> Option<&'n str> {
    let name = name.to_lowercase();
    let holds = |known: &str| {
        let is_in = name.len() > 2 && known.contains(&name);
        is_in || name.starts_with(known) || known.len() > 2 && name.contains(known)
    };
    known.iter().copied().min_by_key(|known| (!holds(known), edits(&name, known), *known))
}

/// Values by name, all of them known; what is empty is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Parameters(BTreeMap<String, String>);

impl Parameters {
    /// The values of a query.
    ///
    /// # Errors
    /// When a name is not known, or has two values.
    pub(crate) fn of_query(query: Option<&str>, known: &[&str]) -> Result<Parameters, FilterError> {
        let pairs = url::form_urlencoded::parse(query.unwrap_or_default().as_bytes());
        Parameters::of_pairs(pairs, known)
    }

    /// The values of pairs that somebody wrote as `name=value`.
    ///
    /// # Errors
    /// When a text is no pair, a name is not known, or has two values.
    pub(crate) fn of_texts(texts: &[String], known: &[&str]) -> Result<Parameters, FilterError> {
        let pair = |text: &String| {
            let pair = text.split_once('=').map(|(name, value)| (name.trim().to_owned(), value.to_owned()));
            pair.ok_or_else(|| FilterError::NoPair { text: text.clone() })
        };
        let pairs: Vec<(String, String)> = texts.iter().map(pair).collect::<Result<_, _>>()?;
        Parameters::of_pairs(pairs, known)
    }

    fn of_pairs<S: AsRef<str>>(
        pairs: impl IntoIterator<Item = (S, S)>,
        known: &[&str],
    ) -> Result<Parameters, FilterError> {
        let mut values = BTreeMap::new();
        for (name, value) in pairs {
            let (name, value) = (name.as_ref(), value.as_ref());
            if name.is_empty() && value.is_empty() {
                continue;
            }
            if !known.contains(&name) {
                let nearest = nearest(name, known).map(str::to_owned);
                let name = name.chars().take(MOST).collect();
                return Err(FilterError::Unknown { name, nearest, known: known.join(", ") });
            }
            // Cut first: what is cut may end in space.
            let cut: String = value.trim_start().chars().take(MOST).collect();
            let value = cut.trim_end();
            if value.is_empty() {
                continue;
            }
            let first = values.insert(name.to_owned(), value.to_owned());
            if let Some(first) = first.filter(|first| first != value) {
                return Err(FilterError::Twice { name: name.to_owned(), first, second: value.to_owned() });
            }
        }
        Ok(Parameters(values))
    }

    /// The value of a name; empty if it has none.
    pub(crate) fn value(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }
}

/// The articles that somebody asks for. An empty field sets no condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    /// Words of the title or text.
    pub(crate) q: String,
    /// Words of the title alone.
    pub(crate) title: String,
    /// Key or label.
    pub(crate) concept: String,
    /// The code of a scheme's concept, or its URI; narrower ones count, too.
    pub(crate) code: String,
    pub(crate) site: String,
    /// The label of one of its places in its site's own scheme.
    pub(crate) place: String,
    pub(crate) language: String,
    /// A label: the operator's of the site, the page's section, or a written form of a concept.
    pub(crate) label: String,
    /// How uses must stand.
    pub(crate) rights: RightsCondition,
    /// Published, or else found, then or later.
    pub(crate) from: Option<When>,
    /// Published, or else found, then or earlier; the whole of a day.
    pub(crate) to: Option<When>,
    /// Found then or later.
    pub(crate) found_since: Option<When>,
    /// Found then or earlier; the whole of a day.
    pub(crate) found_until: Option<When>,
    /// The day on which it was published, or else found.
    pub(crate) day: Option<Date>,
}

impl Filter {
    /// What these values ask for.
    ///
    /// # Errors
    /// When a time is none, or words are given under both of their names.
    pub(crate) fn read(values: &Parameters) -> Result<Filter, FilterError> {
        let text = |name: &str| values.value(name).to_owned();
        let time = |name: &'static str| match values.value(name) {
            "" => Ok(None),
            value => {
                let wrong = || FilterError::NoTime { name, value: value.to_owned() };
                value.parse().map(Some).map_err(|_| wrong())
            }
        };
        let day = match values.value("day") {
            "" => None,
            // What is earlier than 1970 is no day of an article.
            value => match read_date(value).filter(|day| day.year() >= 1970) {
                Some(day) => Some(day),
                None => return Err(FilterError::NoDay { value: value.to_owned() }),
            },
        };
        let q = match (values.value("q"), values.value("words")) {
            (q, "") => q,
            ("", words) => words,
            (q, words) if q == words => q,
            (q, words) => {
                let (first, second) = (q.to_owned(), words.to_owned());
                return Err(FilterError::Twice { name: "q".into(), first, second });
            }
        };
        Ok(Filter {
            q: q.to_owned(),
            title: text("title"),
            concept: text("concept"),
            code: text("code"),
            site: text("site"),
            place: text("place"),
            language: text("language"),
            label: text("label"),
            rights: values.value("rights").parse()?,
            from: time("from")?,
            to: time("to")?,
            found_since: time("found_since")?,
            found_until: time("found_until")?,
            day,
        })
    }

    /// Whether all articles are asked for.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Filter::default()
    }

    /// The pairs that ask for the same.
    pub(crate) fn pairs(&self) -> Vec<(&'static str, String)> {
        let time = |when: &Option<When>| when.map(|when| when.to_string()).unwrap_or_default();
        let mut pairs = vec![
            ("q", self.q.clone()),
            ("title", self.title.clone()),
            ("concept", self.concept.clone()),
            ("code", self.code.clone()),
            ("site", self.site.clone()),
            ("place", self.place.clone()),
            ("language", self.language.clone()),
            ("label", self.label.clone()),
            ("rights", self.rights.to_string()),
            ("from", time(&self.from)),
            ("to", time(&self.to)),
            ("found_since", time(&self.found_since)),
            ("found_until", time(&self.found_until)),
            ("day", self.day.map(|day| day.to_string()).unwrap_or_default()),
        ];
        pairs.retain(|(_, value)| !value.is_empty());
        pairs
    }

    /// What each article is held against, besides its words. A code is taken alone, without narrower ones.
    ///
    /// # Errors
    /// When `from` is later than `to`.
    pub(crate) fn conditions(
        &self,
        taxonomy: &Taxonomy,
        registry: &Registry,
        calendar: &Calendar,
    ) -> Result<Conditions, FilterError> {
        let span = |first: Option<When>, last: Option<When>, names| {
            let start = first.map_or(0, |first| first.start(calendar).0);
            let end = last.map_or(u64::MAX, |last| last.end(calendar).0);
            match (first, last) {
                (Some(first), Some(last)) if start >= end && end > 0 => {
                    let (first, last) = (first.to_string(), last.to_string());
                    Err(FilterError::Reversed { names, first, last })
                }
                _ => Ok(start..end),
            }
        };
        let mut at = span(self.from, self.to, ("from", "to"))?;
        let found = span(self.found_since, self.found_until, ("found_since", "found_until"))?;
        if let Some(day) = self.day.map(When::Day) {
            at.start = at.start.max(day.start(calendar).0);
            at.end = at.end.min(day.end(calendar).0);
        }
        let label = (!self.label.is_empty()).then(|| LabelCondition::new(&self.label, taxonomy));
        Ok(Conditions {
            at,
            found: (self.found_since.is_some() || self.found_until.is_some()).then_some(found),
            title: (!self.title.is_empty()).then(|| WordQuery::parse(&self.title)),
            site: self.site.clone(),
            place: (!self.place.is_empty()).then(|| folded(&self.place)),
            language: self.language.clone(),
            concept: (!self.concept.is_empty())
                .then(|| find_current_concept(taxonomy, registry, &self.concept)),
            codes: (!self.code.is_empty()).then(|| BTreeSet::from([self.code.clone()])),
            label,
            rights: self.rights.clone(),
        })
    }
}

/// The position of a concept: by its key, or by its label in any case.
pub(crate) fn find_concept(taxonomy: &Taxonomy, named: &str) -> Option<u32> {
    let by_key = |concept: &Concept| concept.keys.iter().any(|key| key == named);
    let folded = named.to_lowercase();
    let concepts = &taxonomy.concepts;
    let at = concepts.iter().position(|concept| concept.key == named);
    let at = at.or_else(|| concepts.iter().position(by_key));
    let at = at.or_else(|| concepts.iter().position(|concept| concept.label.to_lowercase() == folded))?;
    u32::try_from(at).ok()
}

/// The position of a concept: as [`find_concept`], or by an identifier or a key that leads to it today.
pub(crate) fn find_current_concept(taxonomy: &Taxonomy, registry: &Registry, named: &str) -> Option<u32> {
    find_concept(taxonomy, named).or_else(|| find_concept(taxonomy, &registry.resolve(named)?.key))
}

/// A filter at one time, for one taxonomy.
pub(crate) struct Conditions {
    /// Published, or else found, in milliseconds since 1970.
    at: Range<u64>,
    /// In milliseconds since 1970.
    found: Option<Range<u64>>,
    title: Option<WordQuery>,
    site: String,
    /// Folded.
    place: Option<String>,
    language: String,
    /// The position of the concept; `Some(None)`: there is none, so nothing is taken.
    concept: Option<Option<u32>>,
    /// One of these.
    codes: Option<BTreeSet<String>>,
    label: Option<LabelCondition>,
    rights: RightsCondition,
}

/// A label that articles must carry.
struct LabelCondition {
    text: String,
    words: WordQuery,
    /// For each concept of the taxonomy, whether one of its written forms holds the words.
    concepts: Vec<bool>,
}

/// What the conditions ask of an article.
pub(crate) struct Facts<'a> {
    pub(crate) title: Option<&'a str>,
    pub(crate) site: &'a str,
    pub(crate) language: Option<&'a str>,
    pub(crate) section: Option<&'a str>,
    /// Whether it has a place of this folded label in its site's own scheme.
    pub(crate) has_place: &'a dyn Fn(&str) -> bool,
    /// Whether it has one of these codes.
    pub(crate) has_code: &'a dyn Fn(&BTreeSet<String>) -> bool,
    /// When it was published, or else found.
    pub(crate) at: Timestamp,
    pub(crate) found: Option<Timestamp>,
    /// The operator's labels of its site.
    pub(crate) labels: Option<&'a BTreeMap<String, String>>,
    /// How the uses of the article stand.
    pub(crate) rights: Standings,
}

impl Conditions {
    /// The same for an article with any of these codes instead of the single one that was asked for.
    pub(crate) fn with_codes(self, codes: BTreeSet<String>) -> Conditions {
        Conditions { codes: self.codes.map(|_| codes), ..self }
    }

    /// Whether an article is asked for that is filed under the concepts at these positions of the taxonomy.
    pub(crate) fn take(&self, facts: &Facts<'_>, filings: impl Iterator<Item = u32> + Clone) -> bool {
        self.at.contains(&facts.at.0)
            && self.found.as_ref().is_none_or(|span| facts.found.is_some_and(|found| span.contains(&found.0)))
            && (self.site.is_empty() || facts.site == self.site)
            && self.rights.takes(facts.rights)
            && (self.language.is_empty() || facts.language == Some(&self.language))
            && self
                .concept
                .is_none_or(|concept| concept.is_some_and(|at| filings.clone().any(|own| own == at)))
            && self.place.as_ref().is_none_or(|place| (facts.has_place)(place))
            && self.codes.as_ref().is_none_or(|codes| (facts.has_code)(codes))
            && self.label.as_ref().is_none_or(|label| label.is_of(facts, filings))
            && self.title.as_ref().is_none_or(|words| words.matches(facts.title))
    }
}

impl LabelCondition {
    fn new(text: &str, taxonomy: &Taxonomy) -> LabelCondition {
        let words = WordQuery::phrase(text);
        let is_named = |concept: &Concept| {
            let forms = concept.forms.iter().map(|form| form.text.as_str());
            words.matches(forms.chain([concept.label.as_str()]))
        };
        let concepts = taxonomy.concepts.iter().map(is_named).collect();
        LabelCondition { text: text.to_owned(), words, concepts }
    }

    fn is_of(&self, facts: &Facts<'_>, mut filings: impl Iterator<Item = u32>) -> bool {
        let is_ours = |(name, value): (&String, &String)| match self.text.split_once('=') {
            Some((wanted, of)) => name == wanted.trim() && value == of.trim(),
            None => *name == self.text || *value == self.text,
        };
        facts.labels.is_some_and(|labels| labels.iter().any(is_ours))
            || facts.section.is_some_and(|section| self.words.matches([section]))
            || filings.any(|at| self.concepts.get(at as usize).copied().unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;
    use newslode_common::rights::{PAGE, Rights, Source, Standing, Statement, Use};
    use proptest::prelude::*;

    use super::*;
    use crate::html::taxonomy::tests::test_concept;

    fn read(query: &str) -> Result<Filter, FilterError> {
        Filter::read(&Parameters::of_query(Some(query), &NAMES)?)
    }

    fn written(filter: &Filter) -> String {
        url::form_urlencoded::Serializer::new(String::new()).extend_pairs(filter.pairs()).finish()
    }

    #[test]
    fn what_is_not_known_is_named_with_what_is_nearest() {
        let said = |query: &str| read(query).unwrap_err().to_string();
        for (query, nearest) in [
            ("since=7d", "found_since"),
            ("lang=de", "language"),
            ("sites=a.test", "site"),
            ("concpt=sport", "concept"),
            ("date_from=7d", "from"),
            ("query=rain", "q"),
            ("Site=", "site"),
        ] {
            let (name, _) = query.split_once('=').unwrap();
            let wanted =
                format!("there is no parameter `{name}`; the nearest is `{nearest}`, and all are q, words,");
            assert!(said(query).starts_with(&wanted), "{}", said(query));
        }
        assert_eq!(
            Parameters::of_query(Some("x=1"), &[]).unwrap_err().to_string(),
            "there is no parameter `x`; this takes none"
        );
    }

    #[test]
    fn what_cannot_be_read_is_named_with_an_example() {
        let said = |query: &str| read(query).unwrap_err().to_string();
        assert!(said("from=soon").starts_with("`soon` is no time for `from`; write it as in 2026-11-25"));
        assert!(
            said("rights=ai_train").starts_with(
                "`rights`: `ai_train` says nothing about rights; write it as in ai_train=allowed"
            )
        );
        assert_eq!(said("day=today"), "`today` is not a day; write it as in 2026-11-25");
        assert_eq!(
            said("site=a.test&site=b.test"),
            "`site` is given twice, as `a.test` and as `b.test`; give it once"
        );
        assert!(said("q=rain&words=snow").contains("`rain` and as `snow`"));
        assert_eq!(read("q=rain&words=rain&site=&site=a.test"), read("words=rain&site=a.test"));
        assert!(read("&&&=&").unwrap().is_empty());
        let texts =
            |text: &str| Parameters::of_texts(&[text.to_owned()], &NAMES).map_err(|error| error.to_string());
        assert_eq!(texts("site").unwrap_err(), "`site` is no filter; write it as in site=example.com");
        assert_eq!(texts("label=team=politics").unwrap().value("label"), "team=politics");
    }

    const NOON: u64 = 1_795_608_000_000; // 2026-11-25T12:00:00Z
    const HOUR: u64 = 3_600_000;

    fn taxonomy() -> Taxonomy {
        let concept = |key: &str, label: &str, other: &str| {
            let mut concept = Concept { label: label.into(), ..test_concept(key) };
            concept.forms.push(newslode_miner::mining::taxonomy::Form {
                text: other.into(),
                sites: 1,
                pages: 1,
            });
            concept
        };
        let concepts =
            vec![concept("en:part", "Party", "Fête"), concept("en:sport", "Sport", "Sports & Games")];
        Taxonomy { concepts, ..Taxonomy::default() }
    }

    /// What the taxonomy leads to: "en:games" was a concept that is part of sport now.
    fn registry() -> Registry {
        let mut registry = Registry::default();
        let mut before = taxonomy();
        before.concepts.push(test_concept("en:games"));
        registry.follow(&before, Timestamp(1));
        let mut after = taxonomy();
        after.concepts[1].keys.push("en:games".into());
        registry.follow(&after, Timestamp(2));
        registry
    }

    #[test]
    fn identifiers_and_former_keys_lead_to_the_concept_of_today() {
        let registry = registry();
        let sport = registry.identifiers()["en:sport"].to_owned();
        let games = registry.entries.iter().find(|entry| entry.key == "en:games").unwrap();
        assert_eq!(games.replaced_by.as_ref(), Some(&sport));
        for named in [&sport, &games.id, "en:games", "en:sport", "Sport"] {
            assert_eq!(find_current_concept(&taxonomy(), &registry, named), Some(1), "{named}");
            assert!(takes(&format!("concept={named}"), "UTC"), "{named}");
        }
        assert_eq!(find_current_concept(&taxonomy(), &registry, "c00"), None);
    }

    /// Whether an article is taken: of the 25th at noon, found an hour later.
    fn takes(query: &str, zone: &str) -> bool {
        let calendar = Calendar { now: Timestamp(NOON + 6 * HOUR), zone: TimeZone::get(zone).unwrap() };
        let conditions = read(query).unwrap().conditions(&taxonomy(), &registry(), &calendar).unwrap();
        let labels = BTreeMap::from([("team".to_owned(), "politics".to_owned())]);
        let facts = Facts {
            title: Some("The long way home"),
            site: "a.test",
            language: Some("en"),
            section: Some("Élections/Local"),
            has_place: &|wanted| ["Élections / Local", "Débats"].iter().any(|own| folded(own) == wanted),
            has_code: &|wanted| ["medtop:15", "medtop:04"].iter().any(|own| wanted.contains(*own)),
            at: Timestamp(NOON),
            found: Some(Timestamp(NOON + HOUR)),
            labels: Some(&labels),
            rights: rights().standings(),
        };
        conditions.take(&facts, [1].into_iter())
    }

    /// Search is allowed, training reserved.
    fn rights() -> Rights {
        let says = [(Use::Search, Standing::Allowed), (Use::AiTrain, Standing::Reserved)];
        let mut rights = Rights::default();
        rights.add(Statement::new(
            Source::ContentSignal,
            "search=yes, ai-train=no",
            PAGE,
            Timestamp(NOON),
            says,
        ));
        rights
    }

    #[test]
    fn articles_are_held_against_every_condition() {
        for query in [
            "",
            "from=2026-11-25&to=2026-11-25",
            "to=today",
            "from=6h",
            "to=2026-11-25T12:00Z",
            "day=2026-11-25",
            "found_since=5h",
            "found_since=2026-11-25",
            "found_until=2026-11-25",
            "found_since=2026-11-25T13:00Z&found_until=2026-11-25T13:00Z",
            "title=way HOME",
            "title=\"long way\" -short",
            "site=a.test&language=en",
            "concept=SPORT",
            "code=medtop:04",
            "concept=en:sport",
            "label=team=politics",
            "label=politics",
            "label=team",
            "label=elections",
            "label=sport",
            "label=games",
            "rights=search=allowed",
            "rights=ai_train=reserved,text_mining=unknown",
            "place=DEBATS",
            "place=elections local",
            "from=yesterday&to=today&day=2026-11-25&label=Sports",
        ] {
            assert!(takes(query, "UTC"), "{query}");
        }
        for query in [
            "from=2026-11-26",
            "to=2026-11-24",
            "to=yesterday",
            "from=5h",
            "to=2026-11-25T11:59:59Z",
            "day=2026-11-24",
            "found_since=4h",
            "found_since=2026-11-25T13:01Z",
            "found_until=2026-11-25T12:59:59Z",
            "title=way back",
            "title=-home",
            "title=!",
            "site=b.test",
            "language=de",
            "concept=party",
            "concept=none",
            "label=team=sport",
            "label=port",
            "label=party",
            "label=!",
            "rights=ai_train=allowed",
            "rights=text_mining=allowed",
            "rights=search=allowed,archive=allowed",
            "place=elections",
            "code=medtop:1",
            "place=!",
            "day=2026-11-25&from=2026-11-26",
        ] {
            assert!(!takes(query, "UTC"), "{query}");
        }
        // At noon UTC it is the next day already in the far east.
        assert!(
            takes("day=2026-11-26", "Pacific/Kiritimati") && takes("from=2026-11-26", "Pacific/Kiritimati")
        );
        assert!(!takes("to=2026-11-25", "Pacific/Kiritimati"));
    }

    #[test]
    fn a_span_that_ends_before_it_begins_is_refused() {
        let calendar = Calendar { now: Timestamp(NOON), zone: TimeZone::UTC };
        let refused =
            |query: &str| read(query).unwrap().conditions(&taxonomy(), &registry(), &calendar).err();
        assert!(
            refused("from=today&to=yesterday")
                .unwrap()
                .to_string()
                .starts_with("`from` (today) is later than `to` (yesterday)")
        );
        assert!(refused("from=2026-11-25&to=7d").is_some() && refused("from=7d&to=24h").is_none());
        assert!(
            refused("found_since=today&found_until=yesterday")
                .unwrap()
                .to_string()
                .starts_with("`found_since` (today) is later than `found_until` (yesterday)")
        );
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            texts in proptest::collection::vec("[ -~é京]{0,12}", 8),
            times in proptest::collection::vec(0_usize..10, 4),
            numbers in proptest::collection::vec(0_u32..100_000, 4),
            day in 0_u32..3,
            rights in "(|ai_train=allowed|search=reserved, archive=unknown)",
        ) {
            let time = |at: usize| {
                let number = numbers[at];
                [
                    String::new(), "today".into(), "yesterday".into(), format!("{number}d"), format!("{number}h"),
                    format!("{number}w"), format!("{}-12-31", number % 9_999), format!("2026-11-{:02}T10:{:02}", number % 28 + 1, number % 60),
                    format!("2026-11-25T{:02}:00:00.{:03}Z", number % 24, number % 1_000), "2026-11-25T10:30+05:45".into(),
                ][times[at]].clone()
            };
            let pairs = [
                ("q", texts[0].clone()), ("concept", texts[1].clone()), ("site", texts[2].clone()), ("language", texts[3].clone()),
                ("label", texts[4].clone()), ("place", texts[5].clone()), ("code", texts[6].clone()), ("rights", rights), ("from", time(0)), ("to", time(1)), ("found_since", time(2)), ("found_until", time(3)), ("title", texts[7].clone()),
                ("day", if day == 0 { String::new() } else { format!("2026-0{day}-28") }),
            ];
            let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
            // A year of less than four digits is none.
            let Ok(filter) = read(&query) else { return Ok(()) };
            prop_assert_eq!(read(&written(&filter)), Ok(filter.clone()));
            let texts: Vec<String> = filter.pairs().into_iter().map(|(name, value)| format!("{name}={value}")).collect();
            let again = Parameters::of_texts(&texts, &NAMES).and_then(|values| Filter::read(&values));
            prop_assert_eq!(again, Ok(filter));
        }
    }
}
