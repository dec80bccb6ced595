//! A site's knowledge applied to one page: the template that accepts it, the pages that are laid out like it, and the
//! lessons that fit it.
//!
//! It is made once for a page and asked for the body and each field. Corrections come first. A field on which siblings
//! decide names them as its witness, or the template, if one accepts the page. Start at [`SiteContext::new`].

use super::fields::{FieldFindings, FieldLesson, FieldReader};
use super::knowledge::SiteKnowledge;
use super::lesson::TaughtPlaces;
use super::peers::{Peers, SIBLINGS};
use super::repeats::find_repeats;
use crate::Page;
use crate::article::Evidence;
use crate::extract::hashes::text_hash;
use crate::extract::metadata::Metadata;
use crate::extract::runs::Runs;
use crate::extract::selection::{Focus, with_best_f};
use crate::extract::zones::SiteZone;
use crate::template::{TemplateMatch, match_templates};
use crate::time::Timestamp;

/// The factor on the likelihood of a text that other pages of the site also have.
const REPEATED: f32 = 0.3;
/// Fewest other pages by which a text that is written like the body is the site's.
const SURE: usize = 2;

/// A page, and what its site's knowledge contributes to reading it.
pub(in crate::extract) struct SiteContext<'a> {
    site: &'a SiteKnowledge,
    page: &'a Page,
    runs: &'a Runs,
    template_match: Option<TemplateMatch>,
}

impl<'a> SiteContext<'a> {
    pub(in crate::extract) fn new(
        site: &'a SiteKnowledge,
        page: &'a Page,
        runs: &'a Runs,
    ) -> SiteContext<'a> {
        SiteContext { site, page, runs, template_match: match_templates(&site.templates, page) }
    }

    /// The version of the template that accepts the page.
    pub(in crate::extract) fn version(&self) -> Option<u32> {
        let template_match = self.template_match.as_ref()?;
        self.site.templates.get(template_match.template).map(|template| template.version)
    }

    /// The pages that are laid out like this one; `None` if they are too few.
    pub(in crate::extract) fn peers(&self) -> Option<Peers<'_>> {
        Peers::new(self.page, self.runs, &self.site.seen, self.template_match.as_ref())
    }

    /// The zone of the site.
    pub(in crate::extract) fn zone(&self) -> SiteZone {
        let url = self.page.url.as_str();
        let other_pages = self.site.seen.iter().filter(|seen| seen.url != url);
        SiteZone::new(other_pages.filter_map(|seen| seen.summary.zone).collect())
    }

    /// Shifts the likelihoods of the page's runs by what is known; returns the evidence to name for the body, if
    /// any, and which runs the site surely repeats.
    pub(in crate::extract) fn rescore(&self, scores: &mut [f32]) -> (Option<Evidence>, Vec<bool>) {
        let SiteContext { site, page, runs, template_match } = self;
        // The choice from the page alone decides which other pages are the same article again, and whether lessons touch
        // the body at all.
        let alone = with_best_f(&runs.runs, scores, Focus::Balanced);
        let taught = TaughtPlaces::new(&site.lessons);
        let is_taught = taught.is_some_and(|taught| taught.rescore(&page.tree, runs, scores, &alone));
        let url = page.url.as_str();
        let pages = site.seen.iter().chain(site.lessons.iter().map(|lesson| &lesson.page));
        let other_pages: Vec<_> = pages.filter(|page| page.url != url).collect();
        let is_sure = other_pages.len() >= SURE;
        let repeats = find_repeats(&runs.runs, &alone, other_pages.into_iter());
        let is_site_text = |at: usize| {
            let is_repeat = repeats.as_ref().is_some_and(|repeats| repeats[at]);
            let is_fixed = template_match
                .as_ref()
                .is_some_and(|template_match| template_match.is_fixed(runs.runs[at].first));
            // A person's correction beats repetition.
            let is_kept = || {
                let text = text_hash(&runs.runs[at].text);
                site.lessons.iter().any(|lesson| lesson.kept.contains(&text))
            };
            (is_repeat || is_fixed) && !is_kept()
        };
        let mut is_site_text: Vec<bool> = (0..scores.len()).map(is_site_text).collect();
        for (score, _) in scores.iter_mut().zip(&is_site_text).filter(|(_, is_site_text)| **is_site_text) {
            *score *= REPEATED;
        }
        // One other page may quote this one.
        is_site_text.iter_mut().for_each(|is_site_text| *is_site_text &= is_sure);
        let evidence = |witness, confidence| Some(Evidence { witness, confidence });
        let evidence = match (is_taught, self.version()) {
            (true, _) => evidence("taught".to_owned(), 0.95),
            (false, Some(version)) => evidence(template_witness(version), 0.9),
            (false, None) => repeats.and_then(|_| evidence(SIBLINGS.to_owned(), 0.85)),
        };
        (evidence, is_site_text)
    }

    /// The fields of the page by the sources of the site's lessons, newest lesson first.
    pub(in crate::extract) fn taught_fields(
        &self,
        metadata: &Metadata,
        fetched_at: Timestamp,
    ) -> FieldFindings {
        let lessons: Vec<&FieldLesson> =
            self.site.lessons.iter().rev().map(|lesson| &lesson.fields).collect();
        if lessons.iter().all(|fields| **fields == FieldLesson::default()) {
            return FieldFindings::default();
        }
        let reader = FieldReader::new(self.page, self.runs, metadata, fetched_at);
        FieldFindings {
            title: lessons.iter().find_map(|fields| reader.title(&fields.title)),
            authors: lessons.iter().find_map(|fields| reader.authors(&fields.authors)),
            published: lessons.iter().find_map(|fields| reader.published(&fields.published)),
        }
    }
}

/// The witness of what is decided by the pages of a template.
pub(in crate::extract) fn template_witness(version: u32) -> String {
    format!("template v{version}")
}
