//! Explains to people why a label is, or is not, a concept.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use super::copies::Origins;
use super::expansion::page;
use super::placed::Placed;
use super::{Schemes, judge_all};
use crate::mining::concepts::{Judged, Verdict, verdict_of};
use crate::mining::index::Indexer;
use crate::mining::schemes::KnownLabels;
use crate::mining::summary::SiteSummary;
use crate::mining::taxonomy::{Concept, OtherLanguages, Relation, Taxonomy};

/// Why a label is, or is not, a concept: its forms, sites and links, and the proof of each relation; for
/// labels that single sites add below a concept (expansion), the pages that prove it. `concept` is a key or
/// any written form; case does not matter.
#[must_use]
pub fn explain(
    taxonomy: &Taxonomy,
    sites: &[Arc<SiteSummary>],
    schemes: &Schemes,
    known: &KnownLabels,
    concept: &str,
) -> String {
    let keys = keys_of(sites, schemes, concept);
    if keys.is_empty() {
        return format!("`{concept}` is on none of the {} sites\n", sites.len());
    }
    Explainer::new(taxonomy, sites, schemes, known).of_keys(keys.iter().map(String::as_str))
}

/// Explains many labels of one taxonomy: all are judged once.
pub struct Explainer<'a> {
    taxonomy: &'a Taxonomy,
    sites: &'a [Arc<SiteSummary>],
    schemes: &'a Schemes,
    judged: BTreeMap<String, Judged>,
    origins: Origins,
    others: OtherLanguages<'a>,
}

impl<'a> Explainer<'a> {
    /// Judges the labels.
    #[must_use]
    pub fn new(
        taxonomy: &'a Taxonomy,
        sites: &'a [Arc<SiteSummary>],
        schemes: &'a Schemes,
        known: &KnownLabels,
    ) -> Explainer<'a> {
        let (mut indexer, placed) = (Indexer::default(), Placed::of(sites, schemes));
        let judged = judge_all(sites, &indexer.index(sites), &placed, known, taxonomy.support);
        let others = OtherLanguages::of(taxonomy);
        Explainer { taxonomy, sites, schemes, judged, origins: placed.origins, others }
    }

    /// Why these label keys are, or are not, concepts.
    #[must_use]
    pub fn of_keys<'k>(&self, keys: impl Iterator<Item = &'k str>) -> String {
        let mut text = String::new();
        keys.for_each(|key| self.explain(&mut text, key));
        text
    }

    fn explain(&self, text: &mut String, key: &str) {
        let Explainer { taxonomy, sites, schemes, judged, origins, others } = self;
        let verdict = verdict_of(judged, key);
        let concept = taxonomy.concepts.iter().find(|concept| concept.keys.iter().any(|own| own == key));
        match concept {
            Some(_) if verdict != Verdict::Concept => {
                line(
                    text,
                    format_args!("`{key}` is a concept by expansion: sites file it below another one"),
                );
            }
            Some(concept) if concept.key != key => {
                line(text, format_args!("`{key}` is the concept `{}` in other words", concept.key));
            }
            _ => line(text, format_args!("`{key}` is {}", verdict.words())),
        }
        if let Some(label) = judged.get(key) {
            let (own, score) = (label.own, label.score);
            line(text, format_args!("  score {score:.3} ({own:.3} by its own links)"));
        }
        if let Some(concept) = concept {
            for form in &concept.forms {
                let (sites, pages) = (form.sites, form.pages);
                line(text, format_args!("  written `{}`: sites {sites}, pages {pages}", form.text));
            }
            for other in others.same_as(concept) {
                line(text, format_args!("  in another language, {}: `{}`", other.language, other.label));
            }
        }
        show_sites(text, sites, schemes, key);
        show_copies(text, sites, schemes, origins, key);
        for relation in &taxonomy.relations {
            show_relation(text, relation, key);
            let ends = (taxonomy.concept(&relation.broader), taxonomy.concept(&relation.narrower));
            if let (Some(broader), Some(narrower)) = ends
                && (broader.key == key || narrower.key == key)
            {
                show_breadcrumbs(text, schemes, broader, narrower, relation);
                if verdict_of(judged, &narrower.key) != Verdict::Concept {
                    show_expansion(text, sites, broader, narrower, relation);
                }
            }
        }
    }
}

fn line(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    if writeln!(text, "{line}").is_err() {
        text.push('\n');
    }
}

/// The matching label keys: the key itself, or those that are somewhere written so.
fn keys_of(
    sites: &[Arc<SiteSummary>],
    schemes: &Schemes,
    wanted: &str,
) -> std::collections::BTreeSet<String> {
    let folded = wanted.to_lowercase();
    let placed = schemes.values().flat_map(|scheme| &scheme.labels);
    let placed = placed.filter(|(key, label)| key.as_str() == wanted || label.form.to_lowercase() == folded);
    let labels = sites.iter().flat_map(|site| &site.labels);
    let meant = labels.filter(|(key, label)| {
        key.as_str() == wanted || label.forms.keys().any(|form| form.to_lowercase() == folded)
    });
    meant.map(|(key, _)| key.clone()).chain(placed.map(|(key, _)| key.clone())).collect()
}

fn show_sites(text: &mut String, sites: &[Arc<SiteSummary>], schemes: &Schemes, key: &str) {
    for site in sites {
        if let Some((scheme, placed)) =
            schemes.get(&site.site).and_then(|scheme| Some((scheme, scheme.labels.get(key)?)))
        {
            let (form, articles) = (&placed.form, placed.articles);
            line(text, format_args!("  {} files under `{form}`: articles {articles}", site.site));
            if let Some((wider, both)) = scheme.mostly_in(key) {
                line(text, format_args!("    mostly in `{wider}` there, too: articles {both}"));
            }
        }
        let Some(label) = site.labels.get(key) else { continue };
        let roles: Vec<String> =
            label.roles.iter().map(|(r, pages)| format!("{} {pages}", r.code())).collect();
        line(text, format_args!("  on {} ({} pages): {}", site.site, site.pages, roles.join(", ")));
        for (target, pages) in label.targets.iter().take(3) {
            line(text, format_args!("    leads to {target} on {pages}"));
        }
    }
}

/// Shows which of the sites that have a label copy each other.
fn show_copies(
    text: &mut String,
    sites: &[Arc<SiteSummary>],
    schemes: &Schemes,
    origins: &Origins,
    key: &str,
) {
    let has = |site: &SiteSummary| {
        site.labels.contains_key(key)
            || schemes.get(&site.site).is_some_and(|scheme| scheme.labels.contains_key(key))
    };
    let on: Vec<usize> = sites.iter().enumerate().filter(|(_, site)| has(site)).map(|(at, _)| at).collect();
    for one in origins.groups(&on) {
        let names: Vec<&str> = one.iter().filter_map(|at| Some(sites.get(*at)?.site.as_str())).collect();
        line(text, format_args!("  have the same stories and count as one site: {}", names.join(", ")));
    }
}

fn show_relation(text: &mut String, relation: &Relation, key: &str) {
    let sites: Vec<&str> = relation.sites.iter().map(|site| site.as_str()).collect();
    let proof = match (sites.is_empty(), relation.is_listed) {
        (true, true) => "by the lists of names that come with Newslode".to_owned(),
        (true, false) => "by an editor".to_owned(),
        (false, is_listed) => {
            let listed = if is_listed { ", and by a list of names" } else { "" };
            format!("at level {} on {}{listed}", relation.level, sites.join(", "))
        }
    };
    if relation.narrower == key {
        line(text, format_args!("  under `{}` {proof}", relation.broader));
    } else if relation.broader == key {
        line(text, format_args!("  over `{}` {proof}", relation.narrower));
    }
}

/// Shows on which sites of a relation breadcrumbs have it.
fn show_breadcrumbs(
    text: &mut String,
    schemes: &Schemes,
    broader: &Concept,
    narrower: &Concept,
    relation: &Relation,
) {
    for (site, scheme) in relation.sites.iter().filter_map(|site| Some((site, schemes.get(site)?))) {
        let below = |above: &String| {
            let keys = narrower.keys.iter();
            keys.map(|key| scheme.breadcrumbs_between(above, key)).sum::<u32>()
        };
        let articles: u32 = broader.keys.iter().map(below).sum();
        if articles > 0 {
            line(text, format_args!("    by the breadcrumbs of {articles} articles on {site}"));
        }
    }
}

/// Shows the pages and sites that added a concept by expansion.
fn show_expansion(
    text: &mut String,
    sites: &[Arc<SiteSummary>],
    broader: &Concept,
    narrower: &Concept,
    relation: &Relation,
) {
    for site in sites.iter().filter(|site| relation.sites.contains(&site.site)) {
        let said = |key: &&String| site.nested.contains(&((*key).clone(), narrower.key.clone()));
        let above = broader.keys.iter().find(said).and_then(|key| page(site, key));
        let (Some(above), Some(own)) = (above, page(site, &narrower.key)) else { continue };
        line(text, format_args!("    expanded on {}: {own} lies below {above}", site.site));
    }
}
