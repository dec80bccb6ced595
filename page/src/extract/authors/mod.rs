//! The authors: the names of who wrote an article.
//!
//! The texts of a page that may name authors are [`credits`]; the names in them are [`candidates`]. Trees that were trained
//! on articles with known authors compute how likely each name is one, from its sources, its spelling and the place where
//! it is shown ([`measures`]). Names that are likelier than not are the authors.

use std::collections::HashMap;
use std::sync::LazyLock;

mod bylines;
mod candidates;
mod credits;
mod measures;
mod names;
mod people;
mod places;
mod words;

pub(super) use credits::{Credit, Source};
pub(super) use names::SiteNames;
pub(super) use people::people_in;

use candidates::{NameCandidate, NameMention, name_candidates};
use places::{CreditPlace, CreditPlaces};

use super::choice::{Choice, likeliest};
use super::finding::{Finding, Names};
use super::metadata::Metadata;
use super::surroundings::Surroundings;
use super::visible::Visible;
use crate::Page;
use crate::trees::Trees;

/// The learnt trees, as written by `train/authors.py`.
const TREES: &str = include_str!("authors.txt");

/// The least likelihood of an author, and of one where no name is that likely.
const LEAST: f32 = 0.6;
const SOLE: f32 = 0.2;
/// If no name is this likely, the form of a byline decides.
const UNSURE: f32 = 0.3;
/// The least likelihood of an author that shares a byline with one.
const COMPANION: f32 = 0.05;
/// How many lines behind the headline the line with the date and the name of the writer is.
const BYLINE_LINES: std::ops::RangeInclusive<isize> = -1..=3;
/// The same where the markup says that both are authors.
const MARKED_COMPANION: f32 = 0.03;

/// The names that may be authors'.
pub(super) fn choices(page: &Page, metadata: &Metadata, visible: &Visible<'_>) -> Vec<Choice> {
    /// Never empty: a test checks that the file can be parsed.
    static SHARED: LazyLock<Trees> =
        LazyLock::new(|| Trees::parse(TREES, measure_names()).unwrap_or_default());
    let Measured { candidates, places, rows } = Measured::new(page, metadata, visible);
    let mut likelihoods = SHARED.scores(&rows);
    drop_other_articles(&candidates, &places, &mut likelihoods);
    drop_mere_neighbours(&candidates, &places, &mut likelihoods, &metadata.site);
    add_companions(&candidates, &mut likelihoods, &metadata.site);
    drop_site(&candidates, &mut likelihoods, &metadata.site);
    add_name_beside_date(&candidates, &places, &mut likelihoods);
    add_newsroom(&candidates, &mut likelihoods);
    let choice = |(candidate, likelihood): (NameCandidate, f32)| {
        let first = candidate.mentions.iter().map(|mention| mention.source).min()?;
        let sources = candidate.mentions.iter().map(|mention| (mention.source as u8, mention.node)).collect();
        let NameCandidate { name: value, key, .. } = candidate;
        Some(Choice { value, key, likelihood, sources, witness: first.witness() })
    };
    candidates.into_iter().zip(likelihoods).filter_map(choice).collect()
}

/// Who is credited for another article only is no author of this one if it has one.
fn drop_other_articles(candidates: &[NameCandidate], places: &[CreditPlace], likelihoods: &mut [f32]) {
    let is_declared =
        |candidate: &NameCandidate| candidate.mentions.iter().any(|mention| mention.line.is_none());
    let of_other: Vec<bool> = candidates
        .iter()
        .zip(places)
        .map(|(candidate, place)| place.is_of_other_article() && !is_declared(candidate))
        .collect();
    let has_own = likelihoods.iter().zip(&of_other).any(|(likelihood, other)| *likelihood >= LEAST && !other);
    for (likelihood, _) in likelihoods.iter_mut().zip(of_other).filter(|(_, other)| has_own && *other) {
        *likelihood = 0.0;
    }
}

/// A link or the name of the site that is only close to the headline is no author's: "Print version", a masthead.
fn drop_mere_neighbours(
    candidates: &[NameCandidate],
    places: &[CreditPlace],
    likelihoods: &mut [f32],
    site: &SiteNames,
) {
    let is_near = |mention: &NameMention| mention.source == Source::Near && !mention.is_labelled;
    for ((candidate, place), likelihood) in candidates.iter().zip(places).zip(likelihoods) {
        let is_elsewhere = place.is_link || site.is_own(&candidate.name);
        if is_elsewhere && candidate.mentions.iter().all(is_near) {
            *likelihood = 0.0;
        }
    }
}

/// The site is no author beside a person.
fn drop_site(candidates: &[NameCandidate], likelihoods: &mut [f32], site: &SiteNames) {
    let is_person = |candidate: &NameCandidate| {
        names::is_full_name(&candidate.name)
            && !site.is_own(&candidate.name)
            && !candidate.mentions.iter().all(|mention| mention.is_newsroom)
    };
    let mut authors =
        candidates.iter().zip(likelihoods.iter()).filter(|(_, likelihood)| **likelihood >= LEAST);
    if !authors.any(|(candidate, _)| is_person(candidate)) {
        return;
    }
    for (candidate, likelihood) in candidates.iter().zip(likelihoods) {
        if site.is_own(&candidate.name) {
            *likelihood = 0.0;
        }
    }
}

/// If no name is likely, the one beside the date below the headline: "3 May 2024 - Ada Lovelace".
fn add_name_beside_date(candidates: &[NameCandidate], places: &[CreditPlace], likelihoods: &mut [f32]) {
    if likelihoods.iter().any(|likelihood| *likelihood >= UNSURE) {
        return;
    }
    let is_writer = |candidate: &NameCandidate, place: &CreditPlace| {
        (place.is_behind_date || place.is_before_date)
            && !place.is_link
            && place.line.is_some_and(|line| BYLINE_LINES.contains(&line))
            && names::is_full_name(&candidate.name)
            && !candidate.mentions.iter().any(|mention| mention.is_other || mention.is_newsroom)
    };
    let found = candidates.iter().zip(places).position(|(candidate, place)| is_writer(candidate, place));
    if let Some(likelihood) = found.and_then(|at| likelihoods.get_mut(at)) {
        *likelihood = UNSURE;
    }
}

/// What names share that are authors together.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Shared {
    /// A text: "Ada Lovelace and Alan Turing".
    Credit(Source, usize),
    /// The list of the article's authors in JSON-LD.
    List,
    /// A line in which the markup says of each that it is an author.
    Line(usize),
}

impl Shared {
    fn all(mention: &NameMention) -> impl Iterator<Item = Shared> {
        let credit = (mention.parts > 1).then_some(Shared::Credit(mention.source, mention.number));
        let list = (mention.source == Source::Author).then_some(Shared::List);
        let line = mention.line.filter(|_| mention.is_marked()).map(Shared::Line);
        [credit, list, line].into_iter().flatten()
    }

    /// How likely who shares this with an author must be one at least.
    fn least(self) -> f32 {
        match self {
            Shared::Credit(..) => COMPANION,
            Shared::Line(_) => MARKED_COMPANION,
            Shared::List => 0.0,
        }
    }
}

/// Who shares a byline with an author is one, too, unless it is unlikely. If no name is likely, the likeliest is the author.
fn add_companions(candidates: &[NameCandidate], likelihoods: &mut [f32], site: &SiteNames) {
    let top = likelihoods.iter().copied().fold(0.0, f32::max);
    let least = if top >= SOLE { top.min(LEAST) } else { LEAST };
    // The likeliest name of each group.
    let mut best: HashMap<Shared, (usize, f32)> = HashMap::new();
    for (number, (candidate, likelihood)) in candidates.iter().zip(likelihoods.iter()).enumerate() {
        for shared in candidate.mentions.iter().flat_map(Shared::all) {
            let best = best.entry(shared).or_insert((number, *likelihood));
            if *likelihood > best.1 {
                *best = (number, *likelihood);
            }
        }
    }
    let mut has_companion = false;
    for (number, (candidate, likelihood)) in candidates.iter().zip(likelihoods.iter_mut()).enumerate() {
        let is_with_author = |shared: Shared| {
            let is_author = |best: &(usize, f32)| best.0 != number && best.1 >= least;
            *likelihood >= shared.least() && best.get(&shared).is_some_and(is_author)
        };
        let mut writing =
            candidate.mentions.iter().filter(|mention| !(mention.is_other || mention.is_newsroom));
        let is_companion = (f32::EPSILON..LEAST).contains(likelihood)
            && writing.any(|mention| Shared::all(mention).any(is_with_author))
            && names::is_full_name(&candidate.name)
            && !site.is_own(&candidate.name);
        if is_companion {
            *likelihood = LEAST;
            has_companion = true;
        }
    }
    for likelihood in likelihoods.iter_mut().filter(|likelihood| has_companion && **likelihood >= least) {
        *likelihood = likelihood.max(LEAST);
    }
}

/// If no name is likely, the newsroom that a line near the headline credits with "by" or a label for writers.
fn add_newsroom(candidates: &[NameCandidate], likelihoods: &mut [f32]) {
    if likelihoods.iter().any(|likelihood| *likelihood >= UNSURE) {
        return;
    }
    let is_credited =
        |mention: &NameMention| mention.source == Source::Near && mention.is_labelled && mention.is_newsroom;
    let newsroom = candidates.iter().position(|candidate| candidate.mentions.iter().any(is_credited));
    if let Some(likelihood) = newsroom.and_then(|at| likelihoods.get_mut(at)) {
        *likelihood = UNSURE;
    }
}

/// The authors among them, and how likely the least likely of them is one.
pub(super) fn decide(choices: &[Choice]) -> Option<Names> {
    let mut found: Vec<&Choice> = choices.iter().filter(|choice| is_author(choice, choices)).collect();
    if found.is_empty() {
        found.extend(likeliest(choices.iter()).filter(|best| best.likelihood >= SOLE));
    }
    let witness = found.first()?.witness;
    let confidence = found.iter().map(|choice| choice.likelihood).fold(1.0, f32::min);
    let value = found.iter().map(|choice| choice.value.clone()).collect();
    Some(Finding { value, witness, confidence })
}

/// Whether a name is likely an author's, and no other form of it is likelier.
fn is_author(choice: &Choice, all: &[Choice]) -> bool {
    let is_likelier_form = |other: &Choice| {
        other.likelihood > choice.likelihood && other.key != choice.key && is_part(&other.key, &choice.key)
    };
    choice.likelihood >= LEAST && !all.iter().any(is_likelier_form)
}

/// Whether one of two names holds all words of the other, side by side.
fn is_part(one: &str, other: &str) -> bool {
    let (long, short) = if one.len() > other.len() { (one, other) } else { (other, one) };
    format!(" {long} ").contains(&format!(" {short} "))
}

/// The candidates of a page.
struct Measured {
    candidates: Vec<NameCandidate>,
    /// Where each is credited.
    places: Vec<CreditPlace>,
    /// The measures of all of them.
    rows: Vec<f32>,
}

impl Measured {
    fn new(page: &Page, metadata: &Metadata, visible: &Visible<'_>) -> Measured {
        let (site, language) = (&metadata.site, metadata.date_style.language);
        let shown = credits::visible_credits(page, (site, language), visible);
        let credits = [metadata.credits.clone(), shown].concat();
        let surroundings = Surroundings::new(page, visible);
        let line_of = |node| surroundings.line_number(node);
        let candidates = name_candidates(&credits, &metadata.site, metadata.date_style.language, line_of);
        let credit_places = CreditPlaces::new(page, &surroundings);
        let places: Vec<CreditPlace> =
            candidates.iter().map(|candidate| credit_places.place(candidate)).collect();
        let context = measures::AuthorContext::new(page, metadata, &surroundings, &candidates, &places);
        let mut rows = Vec::new();
        for (candidate, place) in candidates.iter().zip(&places) {
            measures::measure_name(candidate, place, &context, &mut rows);
        }
        Measured { candidates, places, rows }
    }
}

/// The writers that a listing names, without roles and addresses: "ann@a.example (Ann Lee)".
pub(super) fn listed(bylines: &[String], metadata: &Metadata) -> Vec<String> {
    let language = metadata.date_style.language;
    let mut names: Vec<String> = Vec::new();
    for byline in bylines {
        let byline = match byline.rsplit_once('(') {
            Some((address, name)) if address.contains('@') => name.trim_end_matches([')', ' ']),
            _ => byline.as_str(),
        };
        for part in bylines::parts(byline, &metadata.site, language) {
            let is_writer = part.work == words::Work::Writing && !metadata.site.is_own(&part.name);
            if is_writer && !names.contains(&part.name) {
                names.push(part.name);
            }
        }
    }
    names
}

/// The names of the measures of a candidate.
pub(super) fn measure_names() -> &'static [String] {
    measures::measure_names()
}

/// The candidates and their measures.
pub(super) fn evidence(page: &Page, metadata: &Metadata, visible: &Visible<'_>) -> Vec<(String, Vec<f32>)> {
    let Measured { candidates, rows, .. } = Measured::new(page, metadata, visible);
    let rows = rows.chunks(measure_names().len()).map(<[f32]>::to_vec);
    candidates.into_iter().map(|candidate| candidate.name).zip(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::runs::Runs;
    use crate::time::Timestamp;

    const PROSE: &str = "<p>The storm that had been announced for days reached the coast in the early hours of \
                         Thursday, and by noon the harbour was closed to all ships.</p>\
                         <p>Nobody was hurt, said the mayor, who had the schools closed until further notice.</p>";

    #[test]
    fn what_is_compiled_in_can_be_read() {
        let trees = Trees::parse(TREES, measure_names()).unwrap();
        assert!(trees.len() >= 100, "{}", trees.len());
    }

    #[test]
    fn every_measure_has_a_name_of_its_own() {
        let distinct: std::collections::BTreeSet<&String> = measure_names().iter().collect();
        assert_eq!(distinct.len(), measure_names().len());
    }

    #[track_caller]
    fn check(head: &str, byline: &str, expected: &[&str]) {
        let url = "https://www.thepost.example/weather/storm-hits-the-coast-4711".parse().unwrap();
        let html = format!(
            "<head><title>Storm hits the coast - The Post</title>{head}</head>\
             <body><h1>Storm hits the coast</h1>{byline}{PROSE}"
        );
        let page = Page::parse(&url, None, html.as_bytes());
        let (metadata, runs) = (Metadata::new(&page, Timestamp(0)), Runs::new(&page));
        let visible = Visible::new(&page, &runs, Some("Storm hits the coast"));
        let found = decide(&choices(&page, &metadata, &visible));
        assert_eq!(found.map(|found| found.value).unwrap_or_default(), expected, "{byline}");
    }

    #[test]
    fn bylines_that_only_readers_see() {
        check("", "<p>By Ada Lovelace</p>", &["Ada Lovelace"]);
        check("", "<p>By Ada Lovelace and Alan Turing</p>", &["Ada Lovelace", "Alan Turing"]);
        check("", "<div><a href=/people/ada-lovelace>Ada Lovelace</a></div>", &["Ada Lovelace"]);
        check("", "<p>Bystanders said so</p>", &[]);
        check("", "", &[]);
    }

    #[test]
    fn roles_are_no_names() {
        check("", "<p class=byline>By Ada Lovelace, Senior Correspondent</p>", &["Ada Lovelace"]);
    }

    #[test]
    fn bylines_of_other_languages() {
        check("", "<p class=byline>Автор: Анна Смирнова</p>", &["Анна Смирнова"]);
        check("", "<p class=byline>Tekst: Ada Lovelace Foto: Alan Turing</p>", &["Ada Lovelace"]);
        check("", "<p class=byline>3 May 2024 - By Ada Lovelace</p>", &["Ada Lovelace"]);
    }

    #[test]
    fn a_newsroom_is_named_if_nobody_else_is() {
        check("", "<p class=byline>By Editorial Team of The Post</p>", &["Editorial Team of The Post"]);
        check("", "<p class=byline>By Ada Lovelace and The Post Editorial Team</p>", &["Ada Lovelace"]);
    }

    #[test]
    fn who_wrote_comes_before_the_site() {
        let head = "<script type=application/ld+json>{\"@type\": \"NewsArticle\", \"author\": {\"name\": \"The Post\"}}\
                    </script><meta property=og:site_name content='The Post'>";
        check(head, "<p>By <a href=/author/ada>Ada Lovelace</a></p>", &["Ada Lovelace"]);
    }

    #[test]
    fn bylines_of_other_articles_are_not_the_authors() {
        let teaser = |title: &str, name: &str| {
            format!(
                "<div><div><a href=/x/{name}>{title}</a></div><div>By <a rel=author href=/author/{name}>{name}</a></div></div>"
            )
        };
        let teasers = teaser("Ferry starts again in spring", "Grace Hopper")
            + &teaser("Market hall opens its doors", "Ida Rhodes");
        let own = "<div>By <a rel=author href=/author/ada>Ada Lovelace</a></div>";
        check("", &format!("<section>{teasers}</section>{own}"), &["Ada Lovelace"]);
    }

    #[test]
    fn who_shares_a_line_or_a_list_is_an_author_too() {
        let link =
            |name: &str, path: &str| format!("<span><a rel=author href=/author/{path}>{name}</a></span>");
        let line =
            format!("<div>{}, {} 3 May 2024</div>", link("Ada Lovelace", "ada"), link("Alan Turing", "alan"));
        check("", &line, &["Ada Lovelace", "Alan Turing"]);
        let list = "<script type=application/ld+json>{\"@type\": \"NewsArticle\", \"author\": [{\"name\": \"Ada Lovelace\"}, \
                    {\"name\": \"Alan Turing\"}]}</script>";
        check(list, "", &["Ada Lovelace", "Alan Turing"]);
    }

    #[test]
    fn the_line_with_the_date_names_who_wrote() {
        check("", "<p>3 May 2024 - Ada Lovelace - <a href=/print>Print version</a></p>", &["Ada Lovelace"]);
        check("", "<p>26 اردیبهشت 1388 - سعاد نجار - <a href=/print>نسخه چاپی</a></p>", &["سعاد نجار"]);
        check("", "<p>3 May 2024 - <a href=/print>Print Version</a></p>", &[]);
    }

    #[test]
    fn the_site_is_named_only_without_a_person() {
        let head = "<meta property=og:site_name content='The Post'><meta name=author content='The Post'>";
        check(head, "", &["The Post"]);
        check(head, "<p class=byline>Text: Ada Lovelace</p>", &["Ada Lovelace"]);
    }
}
