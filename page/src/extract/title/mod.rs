//! The title: the headline without the names of site and section.
//!
//! The texts of a page that may be its headline are [`candidates`]. Trees that were trained on articles with known titles
//! compute how likely each is the right one, from its sources and from how it compares with the texts of the other
//! sources ([`measures`]). The likeliest is the title.

use std::sync::LazyLock;

mod candidates;
mod heading;
mod measures;
mod sole;

use candidates::{TitleCandidate, TitleCandidates};

use super::choice::{Choice, likeliest};
use super::finding::Finding;
use super::metadata::Metadata;
use crate::Page;
use crate::trees::Trees;

/// The learnt trees, as written by `train/titles.py`.
const TREES: &str = include_str!("titles.txt");

/// Below this likelihood a page has no title: on unseen sites such titles are nearly always wrong.
const LEAST: f32 = 0.05;

/// The likelihood of a title that only the document gives, without the names that the page gives its site and sections.
const SOLE: f32 = 0.8;

/// The title, and how likely it is right.
pub(super) fn title(page: &Page, metadata: &Metadata) -> Option<Finding<String>> {
    decide(&choices(page, metadata))
}

/// The texts that may be the title.
pub(super) fn choices(page: &Page, metadata: &Metadata) -> Vec<Choice> {
    /// Never empty: a test checks that the file can be parsed.
    static SHARED: LazyLock<Trees> =
        LazyLock::new(|| Trees::parse(TREES, measure_names()).unwrap_or_default());
    let Measured { candidates, rows, sole } = Measured::new(page, metadata);
    let mut scores = SHARED.scores(&rows);
    if let Some(sole) = sole
        && let Some(at) = candidates.iter().position(|candidate| candidate.text == sole)
    {
        // Trees learn from pages with headlines; of a title alone they know less than its page does.
        scores.iter_mut().for_each(|score| *score = score.min(SOLE / 2.0));
        scores[at] = SOLE;
    }
    let choice = |(candidate, likelihood): (TitleCandidate, f32)| Choice {
        witness: most_trusted_witness(&candidate),
        likelihood,
        sources: vec![(0, candidate.shown.map(|(node, _)| node))],
        key: candidate.letters,
        value: candidate.text,
    };
    candidates.into_iter().zip(scores).map(choice).collect()
}

/// The likeliest text, if it is likely enough.
pub(super) fn decide(choices: &[Choice]) -> Option<Finding<String>> {
    let best = likeliest(choices.iter()).filter(|best| best.likelihood >= LEAST)?;
    Some(Finding { value: best.value.clone(), witness: best.witness, confidence: best.likelihood })
}

/// The candidates of a page.
struct Measured {
    candidates: Vec<TitleCandidate>,
    /// The measures of all of them.
    rows: Vec<f32>,
    /// The headline of a page that only its document's title gives.
    sole: Option<String>,
}

impl Measured {
    fn new(page: &Page, metadata: &Metadata) -> Measured {
        let candidates = TitleCandidates::new(page, metadata);
        let context = measures::TitleContext::new(page, metadata, &candidates);
        let mut rows = Vec::new();
        let all = &candidates.all;
        all.iter().for_each(|candidate| measures::measure_candidate(candidate, &context, &mut rows));
        let sole = sole::title_without_site(&context, all);
        Measured { candidates: candidates.all, rows, sole }
    }
}

/// The name of its most trusted source.
fn most_trusted_witness(candidate: &TitleCandidate) -> &'static str {
    let first = candidate.sources.first().or(candidate.parts_of.first());
    first.map_or("text", |source| source.name())
}

/// The names of the measures of a candidate.
pub(super) fn measure_names() -> &'static [String] {
    measures::measure_names()
}

/// The candidates and their measures.
pub(super) fn evidence(page: &Page, metadata: &Metadata) -> Vec<(String, Vec<f32>)> {
    let Measured { candidates, rows, .. } = Measured::new(page, metadata);
    let rows = rows.chunks(measure_names().len()).map(<[f32]>::to_vec);
    candidates.into_iter().map(|candidate| candidate.text).zip(rows).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::time::Timestamp;

    const PROSE: &str = "<p>The storm that had been announced for days reached the coast in the early hours of \
                         Thursday, and by noon the harbour was closed to all ships.</p>\
                         <p>Nobody was hurt, said the mayor, who had the schools closed until further notice.</p>";

    #[test]
    fn what_is_compiled_in_can_be_read() {
        let trees = Trees::parse(TREES, measure_names()).unwrap();
        assert!(trees.len() >= 40, "{}", trees.len());
    }

    #[track_caller]
    fn check(head: &str, body: &str, expected: &str, witness: &str) {
        let url = "https://www.thepost.example/weather/storm-hits-the-coast-4711".parse().unwrap();
        let page = Page::parse(&url, None, format!("<head>{head}</head><body>{body}{PROSE}").as_bytes());
        let found = title(&page, &Metadata::new(&page, Timestamp(0))).unwrap();
        assert_eq!((found.value.as_str(), found.witness), (expected, witness), "{}", found.confidence);
    }

    #[test]
    fn a_masthead_is_no_headline() {
        let head = "<title>Storm hits the coast of the north - The Post</title>";
        let storm = "Storm hits the coast of the north";
        check(head, &format!("<h1><a href=/>The Post</a></h1><h2>{storm}</h2>"), storm, "heading");
        check(head, &format!("<h1><a href=/>The Post</a></h1><div>{storm}</div>"), storm, "text");
    }

    #[test]
    fn names_of_sites_and_sections_are_cut_off() {
        let storm = "Storm hits the coast of the north";
        for title in [
            format!("{storm} | The Post"),
            format!("The Post - {storm}"),
            format!("{storm} | Weather | The Post"),
        ] {
            let head = format!("<title>{title}</title><meta property=og:site_name content='The Post'>");
            check(&head, &format!("<h1>{storm}</h1>"), storm, "h1");
            check(&head, &format!("<div>{storm}</div>"), storm, "text");
        }
    }

    #[test]
    fn a_kicker_in_the_heading_is_cut_off() {
        let storm = "Storm hits the coast of the north";
        let head = format!("<title>{storm} | The Post</title><meta property=og:title content='{storm}'>");
        check(&head, &format!("<h1><span>Weather</span> <span>{storm}</span></h1>"), storm, "text");
    }

    #[test]
    fn a_page_without_texts_has_no_title() {
        let page = crate::testing::page("<p></p>");
        assert_eq!(title(&page, &Metadata::new(&page, Timestamp(0))), None);
    }
}
