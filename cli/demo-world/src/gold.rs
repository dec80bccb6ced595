//! The right answers for a world: what a perfect miner would find.
//!
//! Gold is computed from plans and stories, never from the HTML. It serialises to JSON for other scorers.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::dates::Moment;
use crate::head::picture;
use crate::language::Language;
use crate::site::{Metadata, SitePlan};
use crate::story::Story;
use crate::taxonomy::concepts;

/// All right answers of a world.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gold {
    /// Concepts of every language with at least three sites (English always).
    pub concepts: Vec<GoldConcept>,
    /// Broader and narrower concepts: the taxonomy's direct pairs that at least one site shows nested. A site that
    /// leaves out a concept in the middle nests along the closure of these pairs.
    pub is_a: Vec<GoldPair>,
    /// Every article.
    pub articles: Vec<GoldArticle>,
    /// Home pages and first section pages.
    pub hierarchies: Vec<GoldHierarchy>,
    /// Texts of links and headings that recur over sites but are not concepts.
    pub junk: Vec<String>,
}

/// A broader and a narrower concept, by their preferred labels.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GoldPair {
    /// ISO 639-1 code of the language of both.
    pub language: String,
    /// The broader one.
    pub broader: String,
    /// The narrower one.
    pub narrower: String,
}

/// A concept and the number of its sites.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoldConcept {
    /// Preferred label.
    pub label: String,
    /// ISO 639-1 code of the language.
    pub language: String,
    /// Number of sites with a section for it, under any spelling.
    pub sites: usize,
    /// Other spellings that at least one site uses.
    pub synonyms: Vec<String>,
}

/// An article as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoldArticle {
    /// Address.
    pub url: String,
    /// Headline.
    pub title: String,
    /// Authors; empty if the page names none.
    pub authors: Vec<String>,
    /// RFC 3339 if the page gives the time, a date if it gives only that, nothing if it gives neither.
    pub published: Option<String>,
    /// The last change that the page states, in the form of [`published`](Self::published).
    pub modified: Option<String>,
    /// The place that the text begins with, as printed.
    pub place: Option<String>,
    /// The section's preferred label.
    pub section: String,
    /// The section as the page's metadata names it.
    pub section_said: Option<String>,
    /// The site's name for the section, which a page without metadata may show.
    pub section_shown: String,
    /// The site's names for the sections to which the page belongs: its own, then those above it. Empty if the site has none.
    pub sections: Vec<String>,
    /// The tags that the page names.
    pub tags: Vec<String>,
    /// Address of the lead picture.
    pub picture: Option<String>,
    /// ISO 639-1 code.
    pub language: String,
    /// Paragraphs joined by newlines.
    pub body: String,
}

/// A page's outline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoldHierarchy {
    /// Address.
    pub url: String,
    /// Depth (from 0) and label, in the order of the page.
    pub outline: Vec<(usize, String)>,
}

/// Concepts and pairs of the plans of a world.
#[must_use]
pub(crate) fn taxonomy(plans: &[&SitePlan]) -> (Vec<GoldConcept>, Vec<GoldPair>) {
    let mut found = Vec::new();
    let mut pairs = BTreeSet::new();
    for language in Language::ALL {
        let of_language: Vec<_> = plans.iter().filter(|p| p.language == language).collect();
        if language != Language::English && of_language.len() < 3 {
            continue;
        }
        let all = concepts(language);
        let mut spellings: BTreeMap<usize, Vec<&str>> = BTreeMap::new();
        for plan in &of_language {
            for section in &plan.sections {
                spellings.entry(section.concept).or_default().push(&section.label);
                let parent = section.parent.map(|p| all[plan.sections[p].concept].label);
                if parent == Some(all[section.concept].parent) {
                    pairs.insert(GoldPair {
                        language: language.code().to_owned(),
                        broader: all[section.concept].parent.to_owned(),
                        narrower: all[section.concept].label.to_owned(),
                    });
                }
            }
        }
        found.extend(
            spellings.into_iter().map(|(concept, labels)| GoldConcept {
                label: all[concept].label.to_owned(),
                language: language.code().to_owned(),
                sites: labels.len(),
                synonyms: all[concept]
                    .synonyms
                    .iter()
                    .filter(|s| labels.contains(s))
                    .map(|s| (*s).to_owned())
                    .collect(),
            }),
        );
    }
    (found, pairs.into_iter().collect())
}

/// The gold of one story.
#[must_use]
pub(crate) fn article(plan: &SitePlan, story: &Story) -> GoldArticle {
    let timed = matches!(plan.metadata, Metadata::JsonLd | Metadata::OpenGraph | Metadata::Microdata)
        || (plan.metadata != Metadata::Nothing && plan.dates.has_time());
    let named = plan.metadata != Metadata::Nothing;
    let told = |moment: Moment| if timed { moment.rfc3339() } else { moment.date() };
    let section = &plan.sections[story.section];
    GoldArticle {
        url: format!("http://{}{}", story.place.0, story.place.1),
        title: story.title.clone(),
        authors: if named { story.authors.clone() } else { Vec::new() },
        published: named.then(|| told(story.published)),
        modified: story.updated.filter(|_| named).map(told),
        place: story.dateline.clone(),
        section: concepts(plan.language)[section.concept].label.to_owned(),
        section_said: matches!(plan.metadata, Metadata::JsonLd | Metadata::OpenGraph)
            .then(|| section.label.clone()),
        section_shown: section.label.clone(),
        sections: std::iter::successors(Some(section), |section| {
            section.parent.and_then(|parent| plan.sections.get(parent))
        })
        .map(|section| section.label.clone())
        .collect(),
        tags: Vec::new(),
        picture: story.caption.is_some().then(|| picture(plan, story)),
        language: plan.language.code().to_owned(),
        body: story.paragraphs.join("\n"),
    }
}

/// Texts that recur on the sites' pages but are not news.
#[must_use]
pub(crate) fn junk(plans: &[&SitePlan]) -> Vec<String> {
    let mut junk = BTreeSet::new();
    for language in plans.iter().map(|plan| plan.language) {
        let (ui, words) = (&language.pack().ui, language.words());
        let pairs = ui.footer.iter().chain(ui.utility).map(|(text, _)| *text);
        let heads =
            [ui.home, ui.more, ui.most_read, ui.related, ui.comments, ui.advertisement, ui.next, ui.share];
        let rest = [ui.archive, ui.top_stories, "RSS", ui.cookies.1, ui.newsletter.1];
        let more = words.kickers.into_iter().chain([words.latest, words.figures]);
        junk.extend(
            pairs.chain(heads).chain(rest).chain(more).chain(ui.ads.iter().copied()).map(str::to_owned),
        );
    }
    junk.into_iter().collect()
}
