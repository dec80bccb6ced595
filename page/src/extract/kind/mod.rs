//! The kind of a page: home, article, section or other.
//!
//! Three steps, each for those who know more. The page alone: [measures](measures) of what a reader sees before reading, from
//! which trees compute the log odds that it is an article. With other pages of its site: what those are that resemble it, and a
//! threshold of the site's own ([`SiteKinds`]). The front page of a host is known by its address. A page that is no article
//! is a section if it shows many headlines.
//!
//! Nothing decides alone: no word in an address, no markup, no length. `docs/decisions/0073-articles-are-weighed.md` has the
//! figures.

mod address;
mod alike;
mod explain;
mod measures;
mod site;
mod usual;
mod weights;

use std::sync::LazyLock;

use crate::Page;
use crate::article::{Evidence, PageKind};
use crate::measures::measure_names;
use crate::reading::Leaf;
use crate::text::{HEADLINE_WORDS, words_of_prose};
use crate::time::Timestamp;
use crate::trees::Trees;

use super::metadata::Metadata;
use super::runs::Runs;
use super::state;

pub(super) use explain::explain_kind;
pub use explain::{KindExplanation, KindReason};
pub use site::SiteKinds;

use measures::KindMeasures;

/// The learnt trees, as written by `train/kinds.py`.
const TREES: &str = include_str!("kinds.txt");

/// Words outside links that an article has at least.
const LEAST_WORDS: f32 = 12.0;
/// Log odds below which a single page clearly is no article.
const LEAST_FOR_ONE: f64 = -0.3;
/// A page that shows fewer words may keep its story elsewhere, if that has at least so many.
const MOST_SHOWN: f32 = 100.0;
const LEAST_KEPT: f32 = 80.0;
/// Log odds of a page that keeps a story.
const KEPT_STORY: f64 = 1.5;
/// Log odds of a page without text, whatever else it has.
const NO_TEXT: f64 = -4.0;
/// Least number of links of a section, and of those that read like headlines.
const SECTION_LINKS: usize = 25;
const SECTION_HEADLINES: usize = 8;

/// What somebody who has a page read is after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// This page: it is read unless it clearly is no article.
    ForOne,
    /// The articles among the pages of a site: most pages are none.
    ForArticles,
}

impl Asked {
    /// The log odds, by the page alone, above which a page is taken for an article.
    fn least(self) -> f64 {
        match self {
            Asked::ForOne => LEAST_FOR_ONE,
            Asked::ForArticles => 0.0,
        }
    }
}

/// What a page says of its kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KindEvidence {
    /// The log odds that it is an article, by the page alone.
    log_odds: f32,
    /// The groups of its site's pages that it belongs to.
    likeness: alike::Likeness,
}

impl KindEvidence {
    fn new(measures: &KindMeasures<'_>) -> KindEvidence {
        KindEvidence { log_odds: log_odds_of(&row_of(measures)), likeness: measures.likeness() }
    }

    /// What a page says of its kind.
    #[must_use]
    pub fn of(page: &Page) -> KindEvidence {
        let (metadata, runs) = (Metadata::new(page, Timestamp(0)), Runs::new(page));
        KindEvidence::new(&KindMeasures::new(page, &metadata, &runs))
    }
}

/// The log odds that a page with these measures is an article.
fn log_odds_of(row: &[f32]) -> f32 {
    /// Never empty: a test checks that the file can be parsed.
    static SHARED: LazyLock<Trees> =
        LazyLock::new(|| Trees::parse(TREES, kind_measures()).unwrap_or_default());
    SHARED.sums(row).first().copied().unwrap_or_default()
}

/// The probability that has these log odds.
fn probability(log_odds: f64) -> f32 {
    (1.0 / (1.0 + (-log_odds).exp())) as f32
}

/// The kind of a page, and how sure it is that it is an article.
pub(super) struct Verdict {
    pub(super) kind: PageKind,
    pub(super) evidence: Evidence,
}

/// Decides the kind of a page, with what is known of its site.
pub(super) fn page_kind(
    page: &Page,
    metadata: &Metadata,
    runs: &Runs,
    site: Option<&SiteKinds>,
    asked: Asked,
) -> Verdict {
    let found = KindEvidence::new(&KindMeasures::new(page, metadata, runs));
    verdict(page, metadata, &found, site, asked)
}

/// [`page_kind`] by what the page says of its kind.
fn verdict(
    page: &Page,
    metadata: &Metadata,
    found: &KindEvidence,
    site: Option<&SiteKinds>,
    asked: Asked,
) -> Verdict {
    let (witness, log_odds, least) = match site.filter(|site| site.is_enough()) {
        Some(site) => ("site", site.log_odds(&page.url, found), 0.0),
        None => ("page", f64::from(found.log_odds), asked.least()),
    };
    // What a reader sees after scripts ran says more than the empty page.
    let keeps_story = keeps_story(page, metadata);
    let log_odds = match (keeps_story, has_text(page)) {
        (true, _) => log_odds.max(KEPT_STORY),
        (false, true) => log_odds,
        (false, false) => log_odds.min(NO_TEXT),
    };
    let confidence = probability(log_odds);
    let kind = if page.url.is_home() {
        PageKind::Home
    } else if log_odds > least {
        PageKind::Article
    } else if is_section(page) {
        PageKind::Section
    } else {
        PageKind::Other
    };
    Verdict { kind, evidence: Evidence { witness: witness.to_owned(), confidence } }
}

/// Whether a page that shows nearly nothing keeps a story under its headline, in its metadata or in a script's data.
fn keeps_story(page: &Page, metadata: &Metadata) -> bool {
    if has_words(page, MOST_SHOWN, |_| true) {
        return false;
    }
    let is_story = |text: &str| words_of_prose(text) >= LEAST_KEPT;
    let titles = [&metadata.headline, &metadata.og_title, &page.title].into_iter().flatten().cloned();
    metadata.body.as_deref().is_some_and(is_story)
        || state::story_text(page, &titles.collect::<Vec<_>>()).as_deref().is_some_and(is_story)
}

/// Whether a page has words outside links for more than a headline: without, there is nothing to deliver.
fn has_text(page: &Page) -> bool {
    has_words(page, LEAST_WORDS, |leaf| leaf.link.is_none() && !leaf.is_image)
}

/// Whether some of a page's texts have at least so many words.
fn has_words(page: &Page, least: f32, is_counted: impl Fn(&Leaf) -> bool) -> bool {
    let mut words = 0.0;
    page.leaves.iter().enumerate().filter(|(_, leaf)| is_counted(leaf)).any(|(number, _)| {
        words += words_of_prose(page.leaves.text(number));
        words >= least
    })
}

/// Whether a page that is no article shows many headlines.
fn is_section(page: &Page) -> bool {
    let links = || page.leaves.iter().enumerate().filter(|(_, leaf)| leaf.link.is_some());
    let headlines =
        links().filter(|(number, _)| words_of_prose(page.leaves.text(*number)) >= HEADLINE_WORDS as f32);
    links().nth(SECTION_LINKS - 1).is_some() && headlines.take(SECTION_HEADLINES).count() == SECTION_HEADLINES
}

/// The values of all measures, in the order of [`kind_measures`].
fn row_of(measures: &KindMeasures<'_>) -> Vec<f32> {
    let mut row = Vec::new();
    measures.measure(&mut row);
    row
}

/// The names of the measures that tell articles from other pages, in the order of [`evidence`].
pub(super) fn kind_measures() -> &'static [String] {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| {
        let Some(page) = crate::measures::sample_page() else { return Vec::new() };
        let (metadata, runs) = (Metadata::new(&page, Timestamp(0)), Runs::new(&page));
        let measures = KindMeasures::new(&page, &metadata, &runs);
        measure_names(|sink| measures.measure(sink))
    });
    &NAMES
}

/// The measures of a page, and the groups of its site that it belongs to.
pub(super) fn evidence(page: &Page, metadata: &Metadata) -> (Vec<f32>, [u32; 4]) {
    let runs = Runs::new(page);
    let measures = KindMeasures::new(page, metadata, &runs);
    (row_of(&measures), measures.likeness().groups)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page_at;

    fn kind(url: &str, html: &str) -> PageKind {
        let page = page_at(url, html);
        page_kind(&page, &Metadata::new(&page, Timestamp(0)), &Runs::new(&page), None, Asked::ForArticles)
            .kind
    }

    const STORY: &str = "<p>The council voted on Tuesday to keep the old bridge open for another year, after a debate that went on \
        until midnight.<p>Nine members were for it and eight against, who would have liked a new bridge much better than an old one.\
        <p>“We will look at the costs again in spring,” said the mayor, and the engineers agreed that this was early enough.";

    #[test]
    fn the_trees_can_be_parsed() {
        assert_eq!(Trees::parse(TREES, kind_measures()).unwrap().len(), 300);
    }

    #[test]
    fn no_word_of_an_address_decides() {
        for path in [
            "/2024/05/17/council-keeps-the-old-bridge-open",
            "/category/council-keeps-the-old-bridge-open",
            "/sections/search/2024/05/17/council-keeps-the-bridge",
        ] {
            let html = format!(
                "<title>Council keeps the old bridge open</title><h1>Council keeps the old bridge open</h1><p>By <a href=/a/ada>Ada Lane</a>, May 17, 2024</p>{STORY}"
            );
            assert_eq!(kind(&format!("https://a.example{path}"), &html), PageKind::Article, "{path}");
        }
    }

    #[test]
    fn a_form_around_a_page_does_not_hide_its_article() {
        let html = format!(
            "<title>Council keeps the old bridge open</title><form action=/><h1>Council keeps the old bridge open</h1><p>17/05/2024</p><div>{STORY}</div></form>"
        );
        assert_eq!(kind("https://a.example/news/story.aspx?id=7731", &html), PageKind::Article);
    }

    #[test]
    fn a_story_that_only_scripts_would_show_is_an_article() {
        let text = STORY.replace("<p>", " ").repeat(2);
        let ld = format!(
            "<title>Council keeps the old bridge open</title><div id=app></div><script type=application/ld+json>{{\"@type\":\"NewsArticle\",\
             \"headline\":\"Council keeps the old bridge open\",\"articleBody\":\"{text}\"}}</script>"
        );
        assert_eq!(kind("https://a.example/news/7731", &ld), PageKind::Article);
        let shell = "<title>Council keeps the old bridge open</title><div id=app></div>";
        assert_eq!(kind("https://a.example/news/7731", shell), PageKind::Other);
    }

    #[test]
    fn a_list_of_teasers_is_a_section() {
        let teasers: String = (0..30)
            .map(|number| format!("<div><h3><a href=/2024/05/{number}-story-of-the-day>Story number {number} of the valley</a></h3><p>What the story number {number} tells about the valley and its people …</p></div>"))
            .collect();
        assert_eq!(
            kind("https://a.example/valley/", &format!("<title>Valley</title><h1>Valley</h1>{teasers}")),
            PageKind::Section
        );
    }

    #[test]
    fn the_front_page_of_a_host_is_its_home() {
        assert_eq!(
            kind(
                "https://a.example/",
                &format!(
                    "<title>Council keeps the old bridge</title><h1>Council keeps the old bridge</h1>{STORY}"
                )
            ),
            PageKind::Home
        );
    }
}
