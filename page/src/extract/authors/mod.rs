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
mod words;

pub(super) use credits::{Credit, Source};
pub(super) use names::{SiteNames, people_in};

use candidates::{NameCandidate, NameMention, name_candidates};

use super::choice::{Choice, likeliest};
use super::finding::{Finding, Names};
use super::metadata::Metadata;
use super::visible::Visible;
use crate::Page;
use crate::trees::Trees;

/// The learnt trees, as written by `train/authors.py`.
const TREES: &str = include_str!("authors.txt");

/// The least likelihood of an author, and of one where no name is that likely.
const LEAST: f32 = 0.5;
const SOLE: f32 = 0.3;
/// The least likelihood of an author that shares a byline with one.
const COMPANION: f32 = 0.1;

/// The names that may be authors'.
pub(super) fn choices(page: &Page, metadata: &Metadata, visible: &Visible<'_>) -> Vec<Choice> {
    /// Never empty: a test checks that the file can be parsed.
    static SHARED: LazyLock<Trees> =
        LazyLock::new(|| Trees::parse(TREES, measure_names()).unwrap_or_default());
    let (candidates, rows) = measured_candidates(page, metadata, visible);
    let mut likelihoods = SHARED.scores(&rows);
    add_companions(&candidates, &mut likelihoods, &metadata.site);
    add_newsroom(&candidates, &mut likelihoods);
    let choice = |(candidate, likelihood): (NameCandidate, f32)| {
        let first = candidate.mentions.iter().map(|mention| mention.source).min()?;
        let sources = candidate.mentions.iter().map(|mention| (mention.source as u8, mention.node)).collect();
        let NameCandidate { name: value, key, .. } = candidate;
        Some(Choice { value, key, likelihood, sources, witness: first.witness() })
    };
    candidates.into_iter().zip(likelihoods).filter_map(choice).collect()
}

/// Who shares a byline with an author is one, too, unless it is unlikely: "Ada Lovelace and Alan Turing".
fn add_companions(candidates: &[NameCandidate], likelihoods: &mut [f32], site: &SiteNames) {
    let mut best: HashMap<(Source, usize), f32> = HashMap::new();
    for (candidate, likelihood) in candidates.iter().zip(likelihoods.iter()) {
        for mention in candidate.mentions.iter().filter(|mention| mention.parts > 1) {
            let best = best.entry((mention.source, mention.number)).or_default();
            *best = best.max(*likelihood);
        }
    }
    for (candidate, likelihood) in candidates.iter().zip(likelihoods) {
        let is_author = |mention: &NameMention| {
            best.get(&(mention.source, mention.number)).is_some_and(|best| *best >= LEAST)
                && !(mention.is_other || mention.is_newsroom)
        };
        let is_companion = (COMPANION..LEAST).contains(likelihood)
            && candidate.mentions.iter().any(is_author)
            && names::is_full_name(&candidate.name)
            && !site.is_own(&candidate.name);
        if is_companion {
            *likelihood = LEAST;
        }
    }
}

/// If no name is likely, the newsroom that a line near the headline credits with "by" or a label for writers.
fn add_newsroom(candidates: &[NameCandidate], likelihoods: &mut [f32]) {
    if likelihoods.iter().any(|likelihood| *likelihood >= SOLE) {
        return;
    }
    let is_credited =
        |mention: &NameMention| mention.source == Source::Near && mention.is_labelled && mention.is_newsroom;
    let newsroom = candidates.iter().position(|candidate| candidate.mentions.iter().any(is_credited));
    if let Some(likelihood) = newsroom.and_then(|at| likelihoods.get_mut(at)) {
        *likelihood = SOLE;
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

/// The candidates, and the measures of all of them in one row.
fn measured_candidates(
    page: &Page,
    metadata: &Metadata,
    visible: &Visible<'_>,
) -> (Vec<NameCandidate>, Vec<f32>) {
    let credits = [metadata.credits.clone(), credits::visible_credits(page, metadata, visible)].concat();
    let candidates = name_candidates(&credits, &metadata.site, metadata.date_style.language);
    let context = measures::AuthorContext::new(page, metadata, visible, &candidates);
    let mut rows = Vec::new();
    candidates.iter().for_each(|candidate| measures::measure_name(candidate, &context, &mut rows));
    (candidates, rows)
}

/// The names of the measures of a candidate.
pub(super) fn measure_names() -> &'static [String] {
    measures::measure_names()
}

/// The candidates and their measures.
pub(super) fn evidence(page: &Page, metadata: &Metadata, visible: &Visible<'_>) -> Vec<(String, Vec<f32>)> {
    let (candidates, rows) = measured_candidates(page, metadata, visible);
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
}
