//! Why a page is or is not an article, in sentences.
//!
//! Trees have no reasons of their own. A reason here is an experiment: what the log odds would be if one group of measures
//! had the values that are usual on pages of all kinds ([`USUAL`]). The differences of all groups do not add up to the log
//! odds, because the trees combine measures; their order says what was most telling.

use serde::Serialize;

use crate::Page;
use crate::article::PageKind;
use crate::extract::metadata::Metadata;
use crate::extract::runs::Runs;
use crate::extract::site::SiteKnowledge;
use crate::time::Timestamp;

use super::measures::{Group, KindMeasures};
use super::site::SiteReason;
use super::usual::USUAL;
use super::{
    Asked, KindEvidence, LEAST_WORDS, has_text, keeps_story, kind_measures, log_odds_of, probability, verdict,
};

/// Less than this, in log odds, is no reason.
const LEAST: f32 = 0.1;
/// Measures that a reason names.
const MOST_FACTS: usize = 2;

/// Why a page is or is not an article.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KindExplanation {
    /// The page's address.
    pub url: String,
    /// What the page is taken for.
    pub kind: PageKind,
    /// How likely it is an article, from 0 to 1.
    pub probability: f32,
    /// The probability above which it is read as one.
    pub threshold: f32,
    /// What speaks for and against it, the most telling first.
    pub reasons: Vec<KindReason>,
}

/// Something that speaks for or against an article.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KindReason {
    /// A sentence in English.
    pub text: String,
    /// The log odds that it adds: above 0, it speaks for an article. Infinite if it decides alone (`null` in JSON).
    pub log_odds: f32,
}

/// The part of [`explain_kind`](crate::extract::explain_kind) that the page itself and its site explain.
#[must_use]
pub(in crate::extract) fn explain_kind(page: &Page, site: Option<&SiteKnowledge>) -> KindExplanation {
    let (metadata, runs) = (Metadata::new(page, Timestamp(0)), Runs::new(page));
    let asked = if site.is_some() { Asked::ForArticles } else { Asked::ForOne };
    let kinds = site.map(SiteKnowledge::kinds).filter(|kinds| kinds.is_enough());
    let measures = KindMeasures::new(page, &metadata, &runs);
    let evidence = KindEvidence::new(&measures);
    let verdict = verdict(page, &metadata, &evidence, kinds, asked);
    let mut reasons = page_reasons(&measures);
    let always = |text: &str, log_odds: f32| KindReason { text: text.to_owned(), log_odds };
    if page.url.is_home() {
        let text = "The address is that of the host's front page, which is never an article.";
        reasons.push(always(text, f32::NEG_INFINITY));
    }
    if keeps_story(page, &metadata) {
        let text = "It shows nearly nothing, but keeps a story under its headline in its metadata or data.";
        reasons.push(always(text, f32::INFINITY));
    } else if !has_text(page) {
        let text = format!("Fewer than {LEAST_WORDS} words stand outside links: too few for an article.");
        reasons.push(always(&text, f32::NEG_INFINITY));
    }
    let threshold = match kinds {
        Some(kinds) => {
            // The page's own reasons weigh as much as the page does among the pages of its site.
            reasons.iter_mut().for_each(|reason| reason.log_odds *= kinds.own_weight());
            reasons.extend(kinds.reasons(&page.url, &evidence).into_iter().map(site_reason));
            probability(0.0)
        }
        None => probability(asked.least()),
    };
    reasons.retain(|reason| reason.log_odds.abs() >= LEAST);
    reasons.sort_by(|a, b| b.log_odds.abs().total_cmp(&a.log_odds.abs()));
    let url = page.url.as_str().to_owned();
    KindExplanation { url, kind: verdict.kind, probability: verdict.evidence.confidence, threshold, reasons }
}

/// What each group of measures adds to the page's own log odds.
fn page_reasons(measures: &KindMeasures<'_>) -> Vec<KindReason> {
    let names = kind_measures();
    let usual: Vec<f32> = names
        .iter()
        .map(|name| USUAL.iter().find(|(usual, _)| usual == name).map_or(0.0, |(_, value)| *value))
        .collect();
    let mut row = Vec::new();
    let mut groups = Vec::new();
    for group in Group::ALL {
        let from = row.len();
        measures.measure_group(group, &mut row);
        groups.push((group, from..row.len()));
    }
    let all = log_odds_of(&row);
    // The log odds that some of the measures add.
    let added = |range: std::ops::Range<usize>| {
        let mut changed = row.clone();
        changed.splice(range.clone(), usual.get(range).unwrap_or_default().iter().copied());
        all - log_odds_of(&changed)
    };
    let reason = |(group, range): (Group, std::ops::Range<usize>)| {
        let log_odds = added(range.clone());
        let mut facts: Vec<(f32, usize)> = range
            .filter(|&at| row[at] != usual[at])
            .map(|at| (added(at..at + 1) * log_odds.signum(), at))
            .filter(|(added, _)| *added > 0.0)
            .collect();
        facts.sort_by(|a, b| b.0.total_cmp(&a.0));
        let fact = |&(_, at): &(f32, usize)| {
            format!("{} {}, usually {}", names[at], shown(row[at]), shown(usual[at]))
        };
        let facts: Vec<String> = facts.iter().take(MOST_FACTS).map(fact).collect();
        let facts = if facts.is_empty() { String::new() } else { format!(": {}", facts.join("; ")) };
        let side = if log_odds > 0.0 { "for" } else { "against" };
        KindReason { text: format!("{} {side} an article{facts}.", group.speaks()), log_odds }
    };
    groups.into_iter().map(reason).collect()
}

fn site_reason(reason: SiteReason) -> KindReason {
    let SiteReason { alike, pages, log_odds } = reason;
    let side = if log_odds > 0.0 { "for" } else { "against" };
    let text = match (alike, pages) {
        (Some(alike), 1) => format!("Another page of the site {alike} speaks {side} an article."),
        (Some(alike), pages) => format!("{pages} other pages of the site {alike} speak {side} an article."),
        (None, _) if log_odds > 0.0 => {
            "Articles of this site score lower than those of other sites.".to_owned()
        }
        (None, _) => "Other pages of this site score higher than those of other sites.".to_owned(),
    };
    KindReason { text, log_odds: log_odds as f32 }
}

/// A measure for people: -1 stands for a measure without a value.
fn shown(value: f32) -> String {
    match value {
        -1.0 => "none".to_owned(),
        value if value.fract() == 0.0 => format!("{value:.0}"),
        value if value.abs() < 1.0 => format!("{value:.2}"),
        value => format!("{value:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page_at;

    const STORY: &str = "<title>Council keeps the old bridge open</title><h1>Council keeps the old bridge open</h1>\
        <p>By Ada Lane, May 17, 2024<p>The council voted on Tuesday to keep the old bridge open for another year, after a debate \
        that went on until midnight.<p>Nine members were for it and eight against, who would have liked a new bridge much better.";

    fn page(path: &str, html: &str) -> Page {
        page_at(&format!("https://a.example{path}"), html)
    }

    #[test]
    fn every_measure_has_a_usual_value() {
        let names: Vec<&str> = USUAL.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, kind_measures());
    }

    #[test]
    fn a_story_is_explained_by_what_speaks_for_it() {
        let found = explain_kind(&page("/2024/05/17/council-keeps-the-old-bridge-open", STORY), None);
        assert_eq!(found.kind, PageKind::Article);
        assert!(found.probability > found.threshold, "{found:?}");
        let address = found.reasons.iter().find(|reason| reason.text.starts_with("The address speaks for"));
        assert!(address.is_some_and(|address| address.log_odds > 0.0), "{found:?}");
    }

    #[test]
    fn the_pages_of_its_site_are_among_the_reasons() {
        let pages: Vec<Page> = (0..12)
            .map(|number| page(&format!("/2024/05/{number}/council-keeps-bridge-{number}-open"), STORY))
            .collect();
        let mut site = SiteKnowledge::default();
        site.learn(&pages.iter().collect::<Vec<_>>());
        let found = explain_kind(&pages[0], Some(&site));
        assert!(
            found.reasons.iter().any(|reason| reason.text.contains("other pages of the site")),
            "{found:?}"
        );
    }

    #[test]
    fn a_front_page_is_none_by_its_address_alone() {
        let found = explain_kind(&page("/", STORY), None);
        assert_eq!(found.kind, PageKind::Home);
        assert!(found.reasons[0].text.contains("front page"), "{found:?}");
    }
}
