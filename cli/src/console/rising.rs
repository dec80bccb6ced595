//! What rises: concepts, and words and phrases of titles, that the last day has clearly more often than the week before.
//!
//! Words are compared within a language by their share of the titles, so a run that finds more articles than before makes no word
//! rise, and words that every day has (*the*, *und*) never do, without a list of them. Two numbers decide: how many times as large the
//! share became, and Dunning's log-likelihood ratio, which says whether so few titles can show that. A phrase is shown in place of its
//! words if most of their titles have it. Sites that are read for the first time are left out until it is known what is usual for them. The result does not depend on the order of the articles. Start at [`renew`].

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use newslode_page::reading::Site;
use newslode_page::time::Timestamp;

use super::snapshot::{ArticleSummary, ByDay, DAYS, Mined, Rising, RisingConcept, RisingTerm, Snapshot};
use crate::filter::words::tokenize;

/// A concept rises if it has this many times as many articles as on a usual day, and at least so many.
const CONCEPT: (f64, u64) = (1.5, 2);
/// A site's usual day is known once the site was read for this many days. A younger site counts if its last day has at most `EVEN` times the
/// articles of its average day, because its listings then show the whole week.
const KNOWN_DAYS: u64 = 2;
const EVEN: f64 = 2.0;
/// Words and phrases that are kept at most.
const MOST_TERMS: usize = 24;
/// Words of the longest phrase.
const LONGEST: usize = 4;
/// The fewest titles of the last day that have a word which rises, the fewest sites that they are from, and the fewest titles of the week
/// before that they are compared with. A language that one site alone writes needs no second one.
const FEWEST: usize = 3;
const FEWEST_SITES: usize = 2;
const FEWEST_BEFORE: usize = 20;
/// A word rises if its share of the titles is this many times as large as before, and the log-likelihood ratio is so large (p < 0.001).
const LIFT: f64 = 2.0;
const RATIO: f64 = 10.83;
/// No phrase begins or ends with a word that is in this share of the titles before, and in so many, unless the word rises itself.
const COMMON: (f64, u64) = (0.03, 3);
/// A phrase is shown in place of a word or phrase in it if it has this share of its titles.
const INSTEAD: f64 = 0.7;
/// Something rises besides what is shown already if this share of its titles, and [`FEWEST`] of them, have nothing of that.
const BESIDE: f64 = 0.5;

const DAY: u64 = 86_400_000;
/// What rises is looked for again after this time, new articles or not.
const HOLDS: u64 = DAY / 24;

/// The place in [`ByDay`] of what was at a time; nothing if it is older.
pub(super) fn day_of(at: Timestamp, now: Timestamp) -> Option<usize> {
    let days = usize::try_from(now.0.saturating_sub(at.0) / DAY).ok()?;
    (DAYS - 1).checked_sub(days)
}

/// What rises among these articles.
fn find_rising(mined: &Mined, now: Timestamp) -> Rising {
    let recent = recent_articles(mined, now);
    let known = known_days(recent, now);
    let is_known = |article: &&Arc<ArticleSummary>| known.contains_key(&article.site);
    Rising {
        at: now,
        is_too_early: known.is_empty() && !recent.is_empty(),
        concepts: rising_concepts(mined, recent, &known, now),
        terms: rising_terms(recent.iter().filter(is_known), now),
    }
}

/// The sites whose last day can be compared with days before, and the number of these. A site that was read for the first time shows its latest
/// articles, and few of the days before: next to these, everything would rise.
fn known_days<'a>(recent: &'a [Arc<ArticleSummary>], now: Timestamp) -> HashMap<&'a Site, usize> {
    #[derive(Default)]
    struct Seen {
        first: Option<Timestamp>,
        lately: u64,
        before: u64,
    }
    let mut sites: HashMap<&'a Site, Seen> = HashMap::new();
    for article in recent {
        let Some(day) = day_of(article.at, now) else { continue };
        let seen = sites.entry(&article.site).or_default();
        let found = article.found.unwrap_or_default();
        seen.first = Some(seen.first.map_or(found, |first| first.min(found)));
        *(if day + 1 == DAYS { &mut seen.lately } else { &mut seen.before }) += 1;
    }
    let days = |seen: Seen| {
        let known = now.0.saturating_sub(seen.first?.0) / DAY;
        let is_even = seen.lately as f64 <= EVEN * seen.before as f64 / (DAYS - 1) as f64;
        match usize::try_from(known.saturating_sub(1)).unwrap_or(DAYS).min(DAYS - 1) {
            days if known >= KNOWN_DAYS => Some(days),
            _ if is_even => Some(DAYS - 1),
            _ => None,
        }
    };
    sites.into_iter().filter_map(|(site, seen)| Some((site, days(seen)?))).collect()
}

/// What rises among the articles of a new snapshot. What the snapshot before says holds for an hour if no article changed.
pub(super) async fn renew(before: Option<Arc<Snapshot>>, mined: &Arc<Mined>, now: Timestamp) -> Arc<Rising> {
    if let Some(before) = before.filter(|before| Arc::ptr_eq(&before.mined, mined))
        && now.0.saturating_sub(before.rising.at.0) < HOLDS
    {
        return before.rising.clone();
    }
    let mined = mined.clone();
    tokio::task::spawn_blocking(move || Arc::new(find_rising(&mined, now))).await.unwrap_or_default()
}

/// The articles of the days that are compared. They are newest first.
pub(super) fn recent_articles(mined: &Mined, now: Timestamp) -> &[Arc<ArticleSummary>] {
    let end = mined.articles.partition_point(|article| day_of(article.at, now).is_some());
    mined.articles.get(..end).unwrap_or_default()
}

/// `known`: what [`known_days`] returns.
fn rising_concepts(
    mined: &Mined,
    recent: &[Arc<ArticleSummary>],
    known: &HashMap<&Site, usize>,
    now: Timestamp,
) -> Vec<RisingConcept> {
    // Articles of the last day, and of a usual one, of sites that can be compared; articles by day of all.
    #[derive(Clone, Default)]
    struct Counts {
        lately: u64,
        usual: f64,
        days: ByDay,
    }
    let mut counted = vec![Counts::default(); mined.concepts.len()];
    for article in recent {
        let Some(day) = day_of(article.at, now) else { continue };
        let known = known.get(&article.site).copied();
        for place in &article.filings {
            let Some(counts) = counted.get_mut(place.concept as usize) else { continue };
            if let Some(count) = counts.days.get_mut(day) {
                *count += 1;
            }
            match known {
                Some(_) if day + 1 == DAYS => counts.lately += 1,
                Some(days) if day + 1 + days >= DAYS => counts.usual += 1.0 / days as f64,
                _ => {}
            }
        }
    }
    let mut rising: Vec<(f64, RisingConcept)> = Vec::new();
    for (Counts { lately, usual, days }, concept) in counted.into_iter().zip(0_u32..) {
        let rise = (lately as f64 + 1.0) / (usual + 1.0);
        if lately >= CONCEPT.1 && rise >= CONCEPT.0 {
            rising.push((rise, RisingConcept { concept, usual, days }));
        }
    }
    rising.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.concept.cmp(&b.1.concept)));
    rising.into_iter().map(|(_, concept)| concept).collect()
}

/// The titles of a language, each once for a site.
#[derive(Default)]
struct Titles<'a> {
    lately: Vec<(&'a Site, &'a str)>,
    /// Each with its day.
    before: Vec<(&'a str, usize)>,
}

fn rising_terms<'a>(
    recent: impl Iterator<Item = &'a Arc<ArticleSummary>>,
    now: Timestamp,
) -> Vec<RisingTerm> {
    // 1. Each title of a site once, on its first day.
    let mut first: HashMap<(&Site, &str), (Timestamp, Option<&str>)> = HashMap::new();
    for article in recent {
        let Some(title) = article.title.as_deref().filter(|title| !title.is_empty()) else { continue };
        let seen = (article.at, article.language.as_deref());
        let held = first.entry((&article.site, title)).or_insert(seen);
        *held = seen.min(*held);
    }
    // 2. By language.
    let mut languages: BTreeMap<Option<&str>, Titles<'_>> = BTreeMap::new();
    for ((site, title), (at, language)) in first {
        let titles = languages.entry(language).or_default();
        match day_of(at, now) {
            Some(day) if day + 1 == DAYS => titles.lately.push((site, title)),
            Some(day) => titles.before.push((title, day)),
            None => {}
        }
    }
    let mut rising: Vec<RisingTerm> =
        languages.into_iter().flat_map(|(language, titles)| titles.rising(language)).collect();
    rising.sort_by(|a, b| b.ratio.total_cmp(&a.ratio).then_with(|| a.text.cmp(&b.text)));
    rising.truncate(MOST_TERMS);
    rising
}

/// What is counted of a word or phrase.
#[derive(Default)]
struct Counts<'a> {
    /// Titles of the last day that have it, by their numbers.
    titles: BTreeSet<usize>,
    sites: BTreeSet<&'a Site>,
    /// How often it is written how.
    written: BTreeMap<&'a str, u64>,
    days: ByDay,
}

impl Counts<'_> {
    fn before(&self) -> u64 {
        self.days.iter().take(DAYS - 1).sum()
    }
}

/// A word or phrase that rises.
struct Candidate<'a> {
    words: &'a [String],
    counts: &'a Counts<'a>,
    ratio: f64,
}

impl<'a> Titles<'a> {
    fn rising(&self, language: Option<&str>) -> Vec<RisingTerm> {
        if self.lately.len() < FEWEST || self.before.len() < FEWEST_BEFORE {
            return Vec::new();
        }
        let counted = self.count();
        let sites: HashSet<&Site> = self.lately.iter().map(|(site, _)| *site).collect();
        let totals = (self.lately.len() as f64, self.before.len() as f64);
        let ratio = |counts: &Counts<'_>| {
            let is_wide = counts.sites.len() >= FEWEST_SITES.min(sites.len());
            let pair = (counts.titles.len() as f64, counts.before() as f64);
            let ratio = log_likelihood_ratio(pair, totals);
            let rises =
                counts.titles.len() >= FEWEST && is_wide && lift(pair, totals) >= LIFT && ratio >= RATIO;
            rises.then_some(ratio)
        };
        let is_common = |word: &String| {
            counted.get(std::slice::from_ref(word)).is_some_and(|counts| {
                let before = counts.before();
                before >= COMMON.1 && before as f64 / totals.1 >= COMMON.0 && ratio(counts).is_none()
            })
        };
        let mut candidates: Vec<Candidate<'_>> = counted
            .iter()
            .filter(|(words, _)| match words.as_slice() {
                [word] => is_word(word),
                words => ![words.first(), words.last()].into_iter().flatten().any(is_common),
            })
            .filter_map(|(words, counts)| Some(Candidate { words, counts, ratio: ratio(counts)? }))
            .collect();
        candidates.sort_by(|a, b| {
            let longer = b.words.len().cmp(&a.words.len());
            b.ratio.total_cmp(&a.ratio).then(longer).then_with(|| a.words.cmp(b.words))
        });
        let mut covered: BTreeSet<usize> = BTreeSet::new();
        let mut rising = Vec::new();
        for candidate in &candidates {
            let titles = &candidate.counts.titles;
            let beside = titles.difference(&covered).count();
            if beside < FEWEST || (beside as f64) < BESIDE * titles.len() as f64 {
                continue;
            }
            let shown = longest_instead(candidate, &candidates);
            covered.extend(titles);
            covered.extend(&shown.counts.titles);
            rising.push(shown.term(language));
            if rising.len() == MOST_TERMS {
                break;
            }
        }
        rising
    }

    /// Counts the words and phrases that at least [`FEWEST`] titles of the last day have.
    fn count(&self) -> HashMap<Vec<String>, Counts<'a>> {
        let mut counted: HashMap<Vec<String>, Counts<'a>> = HashMap::new();
        for (number, &(site, title)) in self.lately.iter().enumerate() {
            for (words, written) in terms_of(title) {
                let counts = counted.entry(words).or_default();
                if counts.titles.insert(number)
                    && let Some(last) = counts.days.last_mut()
                {
                    *last += 1;
                }
                counts.sites.insert(site);
                *counts.written.entry(written).or_default() += 1;
            }
        }
        counted.retain(|_, counts| counts.titles.len() >= FEWEST);
        for &(title, day) in &self.before {
            let terms: BTreeSet<Vec<String>> = terms_of(title).map(|(words, _)| words).collect();
            for words in terms {
                if let Some(count) = counted.get_mut(&words).and_then(|counts| counts.days.get_mut(day)) {
                    *count += 1;
                }
            }
        }
        counted
    }
}

impl Candidate<'_> {
    fn term(&self, language: Option<&str>) -> RisingTerm {
        let written = self.counts.written.iter().min_by_key(|(text, count)| (Reverse(**count), **text));
        RisingTerm {
            text: written.map(|(text, _)| (*text).to_owned()).unwrap_or_default(),
            language: language.map(str::to_owned),
            sites: self.counts.sites.len(),
            days: self.counts.days,
            ratio: self.ratio,
        }
    }
}

/// The longest phrase that most titles have which have the candidate; the candidate itself if there is none.
fn longest_instead<'c, 'a>(
    candidate: &'c Candidate<'a>,
    candidates: &'c [Candidate<'a>],
) -> &'c Candidate<'a> {
    let least = INSTEAD * candidate.counts.titles.len() as f64;
    let is_instead = |other: &&Candidate<'a>| {
        other.words.len() > candidate.words.len()
            && other.counts.titles.len() as f64 >= least
            && other.words.windows(candidate.words.len()).any(|words| words == candidate.words)
    };
    let instead = candidates.iter().filter(is_instead);
    let longest =
        instead.max_by_key(|other| (other.words.len(), other.counts.titles.len(), Reverse(other.words)));
    longest.unwrap_or(candidate)
}

/// Whether a word may rise alone: a number says nothing.
fn is_word(word: &str) -> bool {
    !word.chars().all(|letter| letter.is_ascii_digit())
}

/// The words of a title and its phrases of adjacent words, each as the words of the search and as it is written.
fn terms_of(title: &str) -> impl Iterator<Item = (Vec<String>, &str)> {
    let tokens = tokenize(title);
    let mut terms = Vec::new();
    for begin in 0..tokens.len() {
        for end in begin + 1..=tokens.len().min(begin + LONGEST) {
            let part = tokens.get(begin..end).unwrap_or_default();
            let (Some(first), Some(last)) = (part.first(), part.last()) else { break };
            // Nothing reaches over a colon, a dash or a full stop.
            let gap =
                part.iter().rev().nth(1).and_then(|before| title.get(before.offset_to..last.offset_from));
            if gap.is_some_and(|gap| !joins_words(gap)) {
                break;
            }
            // Single letters are parts of words: *l'été*, and the last letter of a run without spaces.
            if [first, last].iter().any(|token| is_letter(&token.text)) {
                continue;
            }
            let written = title.get(first.offset_from..last.offset_to).unwrap_or_default();
            terms.push((part.iter().map(|token| token.text.clone()).collect(), written));
        }
    }
    terms.into_iter()
}

/// Whether what is between two words leaves them one phrase. Pairs of letters overlap.
fn joins_words(gap: &str) -> bool {
    gap.chars()
        .all(|letter| letter == ' ' || letter == '\u{a0}' || letter == '-' || letter == '\'' || letter == '’')
        && gap.chars().count() <= 1
}

fn is_letter(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none()
}

/// How many times as large a share of the titles became; one more title before keeps it finite.
fn lift((lately, before): (f64, f64), (all_lately, all_before): (f64, f64)) -> f64 {
    (lately / all_lately) / ((before + 1.0) / (all_before + 1.0))
}

/// Dunning's log-likelihood ratio (1993) of two shares being the same.
fn log_likelihood_ratio((lately, before): (f64, f64), (all_lately, all_before): (f64, f64)) -> f64 {
    let with = (lately + before) / (all_lately + all_before);
    let part = |seen: f64, expected: f64| if seen > 0.0 { seen * (seen / expected).ln() } else { 0.0 };
    2.0 * (part(lately, all_lately * with)
        + part(before, all_before * with)
        + part(all_lately - lately, all_lately * (1.0 - with))
        + part(all_before - before, all_before * (1.0 - with)))
}

#[cfg(test)]
mod tests {
    use newslode_common::version::ContentHash;
    use newslode_miner::mining::filing::Witness;
    use proptest::prelude::*;

    use super::super::snapshot::ConceptFiling;
    use super::*;

    /// Noon of some day.
    const NOW: Timestamp = Timestamp(20_000 * DAY + DAY / 2);

    /// An article of a site, so many days old.
    fn article(site: usize, days: u64, title: &str) -> ArticleSummary {
        ArticleSummary {
            id: ContentHash::NONE,
            url: "https://a.test/1".parse().unwrap(),
            site: Site::of_host(&format!("site{site}.test")),
            content: ContentHash::NONE,
            title: Some(title.to_owned()),
            section: None,
            places: Box::default(),
            lead: String::new(),
            language: Some("en".into()),
            published: None,
            at: Timestamp(NOW.0 - days * DAY - 1),
            found: None,
            filings: Vec::new(),
            print: Default::default(),
            reading: 0,
            rights: Default::default(),
        }
    }

    /// A week in which nothing happens: titles whose words but *the*, *of* and *in* are rare.
    fn quiet_week() -> Vec<ArticleSummary> {
        let title =
            |number: usize| format!("The report{number} of place{} in week{}", number % 40, number % 50);
        (0..200).map(|number| article(number % 5, number as u64 % 8, &title(number))).collect()
    }

    fn rising(mut articles: Vec<ArticleSummary>) -> Vec<RisingTerm> {
        articles.sort_by_key(ArticleSummary::order);
        let mined = Mined { articles: shared(articles), ..Mined::default() };
        find_rising(&mined, NOW).terms
    }

    fn shared(articles: Vec<ArticleSummary>) -> Vec<Arc<ArticleSummary>> {
        articles.into_iter().map(Arc::new).collect()
    }

    fn texts(rising: &[RisingTerm]) -> Vec<&str> {
        rising.iter().map(|term| term.text.as_str()).collect()
    }

    #[test]
    fn a_quiet_week_makes_nothing_rise() {
        assert_eq!(texts(&rising(quiet_week())), [""; 0]);
        assert_eq!(texts(&rising(Vec::new())), [""; 0]);
    }

    #[test]
    fn the_longest_phrase_is_shown_in_place_of_its_words() {
        let mut articles = quiet_week();
        for number in 0..6 {
            let title = format!("The Harbour Bridge collapse in news{number}");
            articles.push(article(number % 3, 0, &title));
        }
        articles.push(article(1, 3, "Harbour tour"));
        let rising = rising(articles);
        assert_eq!(texts(&rising), ["Harbour Bridge collapse"]);
        assert_eq!((rising[0].sites, rising[0].days), (3, [0, 0, 0, 0, 0, 0, 0, 6]));
    }

    #[test]
    fn two_stories_rise_apart_and_words_are_written_as_most_titles_write_them() {
        let mut articles = quiet_week();
        for number in 0..8 {
            let lava = if number < 5 { "Lava" } else { "LAVA" };
            articles.push(article(number % 4, 0, &format!("{lava} a{number} b{number}")));
            articles.push(article(number % 4, 0, &format!("c{number}: Strike; d{number}")));
        }
        let mut found: Vec<String> = rising(articles).into_iter().map(|term| term.text).collect();
        found.sort();
        assert_eq!(found, ["Lava", "Strike"]);
    }

    #[test]
    fn what_one_site_of_several_repeats_does_not_rise() {
        let mut articles = quiet_week();
        articles.extend((0..9).map(|number| article(1, 0, &format!("Horoscope for Leo n{number}"))));
        // A site that uses one title again and again.
        articles.extend((0..9).map(|_| article(2, 0, "Weather today")));
        articles.extend((0..9).map(|_| article(3, 0, "Weather today")));
        assert_eq!(texts(&rising(articles)), [""; 0]);
    }

    #[test]
    fn a_language_that_one_site_writes_needs_no_second_site() {
        let french =
            |days, title: &str| ArticleSummary { language: Some("fr".into()), ..article(9, days, title) };
        let mut articles: Vec<ArticleSummary> =
            (0..60).map(|number| french(1 + number % 7, &format!("Le mot{number} du jour"))).collect();
        articles.extend((0..6).map(|number| french(0, &format!("Grève à lieu{number}"))));
        articles.extend((6..9).map(|number| french(0, &format!("Le mot{number}x du jour"))));
        let rising = rising(articles);
        assert_eq!(texts(&rising), ["Grève"]);
        assert_eq!(rising[0].language.as_deref(), Some("fr"));
    }

    #[test]
    fn words_without_spaces_rise_as_they_are_written() {
        let japanese = |site, days, title: &str| ArticleSummary {
            language: Some("ja".into()),
            ..article(site, days, title)
        };
        let letter = |number: u32| char::from_u32(0x5000 + number).unwrap();
        let mut articles: Vec<ArticleSummary> = (0..60)
            .map(|number| {
                japanese(
                    number as usize % 3,
                    u64::from(number) % 8,
                    &format!("{}{}", letter(number), letter(900 + number)),
                )
            })
            .collect();
        articles.extend(
            (0..6).map(|number| {
                japanese(number as usize % 3, 0, &format!("東京都 {}", letter(2_000 + number)))
            }),
        );
        assert_eq!(texts(&rising(articles)), ["東京都"]);
    }

    #[test]
    fn concepts_rise_with_their_days() {
        let filed = |concept, days| {
            let filings = vec![ConceptFiling { concept, witness: Witness::List, confidence: 1.0 }];
            ArticleSummary { filings, ..article(1, days, "x") }
        };
        let mut articles: Vec<ArticleSummary> = [(1, 0), (1, 0), (1, 0), (1, 3), (0, 1), (0, 0)]
            .into_iter()
            .map(|(concept, days)| filed(concept, days))
            .collect();
        articles.sort_by_key(ArticleSummary::order);
        let mined =
            Mined { articles: shared(articles), concepts: vec![Default::default(); 2], ..Mined::default() };
        let days = [0, 0, 0, 0, 1, 0, 0, 3];
        let concepts = find_rising(&mined, NOW).concepts;
        assert_eq!(concepts, [RisingConcept { concept: 1, usual: 1.0 / 7.0, days }]);
    }

    #[test]
    fn a_site_that_was_read_for_the_first_time_makes_nothing_rise_unless_it_shows_its_whole_week() {
        let rising = |days: &[u64], found: u64| {
            let filed = |days: &u64| {
                let filings = vec![ConceptFiling { concept: 0, witness: Witness::List, confidence: 1.0 }];
                let found = Some(Timestamp(NOW.0 - found * DAY));
                ArticleSummary { filings, found, ..article(1, *days, "x") }
            };
            let mut articles: Vec<ArticleSummary> = days.iter().map(filed).collect();
            articles.sort_by_key(ArticleSummary::order);
            let mined =
                Mined { articles: shared(articles), concepts: vec![Default::default()], ..Mined::default() };
            let rising = find_rising(&mined, NOW);
            let usual = rising.concepts.first().map(|rising| (rising.usual * 7.0).round() as u64);
            (rising.is_too_early, usual)
        };
        let latest = [0, 0, 0, 0, 0, 0, 1, 2];
        assert_eq!(rising(&latest, 0), (true, None));
        assert_eq!(rising(&latest, 1), (true, None));
        assert_eq!(rising(&latest, 3), (false, Some(7)), "two days before the last are known");
        assert_eq!(rising(&latest, 30), (false, Some(2)));
        let week = [0, 0, 1, 2, 3, 4, 5, 6, 7];
        assert_eq!(rising(&week, 0), (false, Some(7)), "it rises as little as its site");
        assert_eq!(rising(&[], 0), (false, None));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn order_does_not_matter_and_what_every_title_has_never_rises(
            drawn in prop::collection::vec((0_usize..4, 0_u64..9, prop::collection::vec(0_u8..12, 1..6)), 0..150),
            turn in 0_usize..150,
        ) {
            let made = drawn.iter().map(|(site, days, words)| {
                let words: Vec<String> = words.iter().map(|word| format!("word{word}")).collect();
                article(*site, *days, &format!("always {}", words.join(" ")))
            });
            let articles = shared(made.collect());
            let mut turned = articles.clone();
            turned.rotate_left(turn.min(articles.len()));
            turned.reverse();
            let found = rising_terms(articles.iter(), NOW);
            prop_assert_eq!(&found, &rising_terms(turned.iter(), NOW));
            prop_assert!(found.iter().all(|term| term.text != "always"), "{:?}", texts(&found));
        }
    }
}
