//! Labels under which sites file articles, by the sites' own schemes.
//!
//! That a menu has a label says that its site has such a page. That a site's scheme has it says that stories are filed there. So
//! where schemes are known they decide:
//! - a label is a concept if several sites file articles under it, and these use the same words ([`MIN_LIKENESS`]);
//! - a label of menus is none if the sites that show it have schemes and none of them files articles under it.
//!
//! Sites without a scheme, of which front pages alone are known, say nothing, and their labels are judged as before. Start at
//! [`Placed::judge`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Schemes;
use super::copies::Origins;
use super::evidence::Breadcrumbs;
use crate::mining::concepts::key::language;
use crate::mining::concepts::{Judged, Verdict, judge_alone, least_support};
use crate::mining::index::Index;
use crate::mining::schemes::known::{Known, parts};
use crate::mining::schemes::{Facet, KnownLabels};
use crate::mining::site_scheme::SchemeSummary;
use crate::mining::summary::SiteSummary;
use crate::mining::taxonomy::Form;

/// Least number of articles that several sites together file under a concept.
const MIN_ARTICLES: u32 = 3;
/// The least [likeness](SchemeSummary::likeness) of what two sites file under a concept.
const MIN_LIKENESS: f64 = 0.5;
/// Least number of articles that name in full what a label of one word means.
const LEAST_NAMING: u32 = 2;
/// Most sites of one label that are compared, each with each.
const MOST_COMPARED: usize = 24;
/// A scheme made from fewer articles is none.
const MIN_SCHEME: u32 = 5;
/// A scheme made from fewer articles lacks sections that its site has, so it denies none.
const MIN_DENYING: u32 = 30;

/// Keys of labels that the schemes may make concepts, though no menu of several sites has them. A fold needs all that sites show
/// of these, too.
pub fn scheme_labels(schemes: &Schemes, support: u32) -> impl Iterator<Item = &str> {
    let mut found: BTreeMap<&str, (usize, u32)> = BTreeMap::new();
    for (key, label) in schemes.values().flat_map(|scheme| &scheme.labels) {
        let (sites, articles) = found.entry(key).or_default();
        (*sites, *articles) = (*sites + 1, articles.saturating_add(label.articles));
    }
    let least = least_support(support, 0);
    found
        .into_iter()
        .filter(move |(_, (sites, articles))| has_enough(*sites, *articles, least))
        .map(|(key, _)| key)
}

/// Whether these sites with these articles may make a label a concept. A list that knows it stands for one more site.
fn has_enough(sites: usize, articles: u32, support: u32) -> bool {
    sites + 1 >= support as usize && articles >= MIN_ARTICLES
}

/// What the schemes of the folded sites say.
pub(super) struct Placed<'a> {
    /// The scheme of each site, in the order of the sites.
    schemes: Vec<Option<&'a SchemeSummary>>,
    /// By label key, the sites that file articles under it.
    sites_of: BTreeMap<&'a str, Vec<usize>>,
    /// Sites that copy each other, which count as one.
    pub(super) origins: Origins,
}

/// Makes a label a concept of these sites, too.
fn accept(judged: &mut BTreeMap<String, Judged>, key: &str, on: &[usize], index: &Index) {
    let label = judged.entry(key.to_owned()).or_insert_with(|| judge_alone(key, Vec::new(), index));
    label.verdict = Verdict::Concept;
    let on: BTreeSet<usize> = label.sites.iter().chain(on).copied().collect();
    label.sites = on.into_iter().collect();
}

impl<'a> Placed<'a> {
    pub(super) fn of(sites: &[Arc<SiteSummary>], schemes: &'a Schemes) -> Placed<'a> {
        let schemes: Vec<Option<&SchemeSummary>> =
            sites.iter().map(|site| schemes.get(&site.site).map(AsRef::as_ref)).collect();
        let mut sites_of: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, scheme) in schemes.iter().enumerate() {
            for key in scheme.iter().flat_map(|scheme| scheme.labels.keys()) {
                sites_of.entry(key).or_default().push(at);
            }
        }
        let origins = Origins::of(&schemes);
        Placed { schemes, sites_of, origins }
    }

    /// Lets the schemes decide which labels are concepts.
    pub(super) fn judge(
        &self,
        judged: &mut BTreeMap<String, Judged>,
        sites: &[Arc<SiteSummary>],
        index: &Index,
        support: u32,
        known: &KnownLabels,
    ) {
        for (key, label) in judged.iter_mut().filter(|(_, label)| label.verdict == Verdict::Concept) {
            let language = language(key);
            let form = usual_form(key, &label.sites, sites, self).unwrap_or_default();
            if self.origins.are_fewer(&label.sites, support) {
                label.verdict = Verdict::TooFewSites;
            } else if known.is_furniture(&form, language) {
                label.verdict = Verdict::Furniture;
            } else if !self.sites_of.contains_key(key.as_str())
                && self.is_denied(label, support)
                && known.facet(&form, language).is_none()
            {
                label.verdict = Verdict::FilesNoArticle;
            }
        }
        for (key, on) in &self.sites_of {
            let language = language(key);
            // Most labels are tags of a single site with few articles, and need no further look.
            let alone = self.origins.count(on);
            if !has_enough(alone, self.articles(key, on), support) {
                continue;
            }
            let form = usual_form(key, on, sites, self).unwrap_or_default();
            let is_shared = alone >= support as usize && self.has_same_words(key, on);
            if !is_shared && known.facet(&form, language).is_none() || known.is_furniture(&form, language) {
                continue;
            }
            accept(judged, key, on, index);
        }
        self.judge_compounds(judged, sites, index, support, known);
    }

    /// Makes concepts of what sites file under a name that is put together from others ("Films and series"), if lists know one of
    /// these as a subject or region, unless all of them are concepts.
    fn judge_compounds(
        &self,
        judged: &mut BTreeMap<String, Judged>,
        sites: &[Arc<SiteSummary>],
        index: &Index,
        support: u32,
        known: &KnownLabels,
    ) {
        let mut found: Vec<(&str, &Vec<usize>, Vec<String>)> = Vec::new();
        for (key, on) in &self.sites_of {
            let is_concept = |label: &Judged| label.verdict == Verdict::Concept;
            if !has_enough(self.origins.count(on), self.articles(key, on), support)
                || judged.get(*key).is_some_and(is_concept)
            {
                continue;
            }
            let names = parts(&usual_form(key, on, sites, self).unwrap_or_default());
            let facet = |name: &String| known.facet(name, language(key));
            let is_subject = |name: &String| matches!(facet(name), Some(Facet::Subject | Facet::Region));
            let is_other =
                |name: &String| facet(name) == Some(Facet::Genre) || known.is_furniture(name, language(key));
            if names.len() > 1 && names.iter().any(is_subject) && !names.iter().any(is_other) {
                found.push((key, on, names));
            }
        }
        if found.is_empty() {
            return;
        }
        let kept = judged.iter().filter(|(_, label)| label.verdict == Verdict::Concept);
        let means = kept.filter_map(|(key, label)| {
            let (_, means) = known.meaning(&usual_form(key, &label.sites, sites, self)?, language(key))?;
            Some((language(key).to_owned(), means))
        });
        let means: BTreeSet<(String, Known)> = means.collect();
        for (key, on, names) in found {
            let is_concept = |name: &String| {
                let own = known.meaning(name, language(key));
                own.is_some_and(|(_, own)| means.contains(&(language(key).to_owned(), own)))
            };
            if !names.iter().all(is_concept) {
                accept(judged, key, on, index);
            }
        }
    }

    /// Whether the sites that show a label have schemes that do not name it.
    fn is_denied(&self, label: &Judged, support: u32) -> bool {
        let denying = label.sites.iter().filter(|at| self.has_scheme_of(**at, MIN_DENYING)).count();
        label.sites.len() - denying < support as usize
    }

    /// The number of articles that these sites file under a label.
    fn articles(&self, key: &str, sites: &[usize]) -> u32 {
        let schemes = sites.iter().filter_map(|at| self.schemes.get(*at).copied().flatten());
        schemes.filter_map(|scheme| scheme.labels.get(key)).map(|label| label.articles).sum()
    }

    /// Whether what two of these sites file under a label uses the same words. Sites that copy each other do so anyway.
    fn has_same_words(&self, key: &str, sites: &[usize]) -> bool {
        let mut with: Vec<(usize, &SchemeSummary, u32)> = sites
            .iter()
            .filter_map(|at| Some((*at, self.schemes.get(*at).copied().flatten()?)))
            .filter_map(|(at, scheme)| Some((at, scheme, scheme.labels.get(key)?.articles)))
            .collect();
        // Stable, so that sites of equally many articles stay in the order of their names.
        with.sort_by_key(|(.., articles)| std::cmp::Reverse(*articles));
        with.truncate(MOST_COMPARED);
        with.iter().enumerate().any(|(n, (at, one, _))| {
            let mut others = with.iter().skip(n + 1).filter(|(other, ..)| !self.origins.are_one(*at, *other));
            others.any(|(_, other, _)| one.likeness(key, other, key) >= Some(MIN_LIKENESS))
        })
    }

    /// Whether a site files too few articles under a label for a concept that no other site shows.
    pub(super) fn is_too_small(&self, site: usize, key: &str) -> bool {
        self.schemes.get(site).copied().flatten().is_some_and(|scheme| {
            let articles = scheme.labels.get(key).map_or(0, |label| label.articles);
            scheme.articles >= MIN_DENYING && articles < MIN_ARTICLES
        })
    }

    /// The greatest likeness of what two sites file under two labels; `None` if no two sites do.
    pub(super) fn likeness(&self, a: &str, b: &str) -> Option<f64> {
        let schemes = |key: &str| {
            let sites = self.sites_of.get(key).into_iter().flatten().take(MOST_COMPARED);
            sites.filter_map(|at| Some((*at, self.schemes.get(*at).copied().flatten()?)))
        };
        let pairs = schemes(a).flat_map(|one| schemes(b).map(move |other| (one, other)));
        let pairs = pairs.filter(|((one, _), (other, _))| one != other);
        pairs.filter_map(|((_, one), (_, other))| one.likeness(a, other, b)).max_by(f64::total_cmp)
    }

    /// The same where the articles may be of one site, too.
    pub(super) fn likeness_anywhere(&self, a: &str, b: &str) -> Option<f64> {
        let sites = self.sites_of.get(a).into_iter().flatten().filter(|at| self.files_under(**at, b));
        let schemes = sites.take(MOST_COMPARED).filter_map(|at| self.schemes.get(*at).copied().flatten());
        let within = schemes.filter_map(|scheme| scheme.likeness(a, scheme, b));
        within.chain(self.likeness(a, b)).max_by(f64::total_cmp)
    }

    fn files_under(&self, site: usize, key: &str) -> bool {
        self.sites_of.get(key).is_some_and(|sites| sites.binary_search(&site).is_ok())
    }

    /// The words with which the texts of most articles under a label make a full name of it, and then go on with the label alone; in
    /// small letters.
    pub(super) fn first_names(&self, key: &str) -> Vec<String> {
        let sites = self.sites_of.get(key).into_iter().flatten();
        let mut told: BTreeMap<String, u32> = BTreeMap::new();
        for scheme in sites.filter_map(|at| self.schemes.get(*at).copied().flatten()) {
            for (first, articles) in scheme.first_names(key) {
                let sum = told.entry(first.to_lowercase()).or_default();
                *sum = sum.saturating_add(articles);
            }
        }
        let all = self.sites_of.get(key).map_or(0, |on| self.articles(key, on));
        let is_usual =
            |(_, articles): &(String, u32)| *articles >= LEAST_NAMING && articles.saturating_mul(2) >= all;
        told.into_iter().filter(is_usual).map(|(first, _)| first).collect()
    }

    /// Whether any site has a scheme.
    pub(super) fn has_schemes(&self) -> bool {
        self.schemes.iter().flatten().any(|scheme| !scheme.labels.is_empty())
    }

    /// Whether a site has a scheme.
    pub(super) fn has_scheme(&self, site: usize) -> bool {
        self.has_scheme_of(site, MIN_SCHEME)
    }

    fn has_scheme_of(&self, site: usize, articles: u32) -> bool {
        self.schemes.get(site).copied().flatten().is_some_and(|scheme| scheme.articles >= articles)
    }

    /// The pairs of labels that breadcrumbs show, by site. Labels that no page of a folded site shows have no number.
    pub(super) fn breadcrumbs(&self, index: &Index) -> Breadcrumbs {
        let number = |key: &str| index.names.get(key);
        let of_scheme = |scheme: &SchemeSummary| {
            let pairs = scheme.breadcrumbs();
            pairs.filter_map(|(broader, narrower, _)| Some((number(broader)?, number(narrower)?))).collect()
        };
        self.schemes.iter().map(|scheme| scheme.map_or_else(Vec::new, of_scheme)).collect()
    }

    /// Whether one site files articles under both labels: then it tells them apart.
    pub(super) fn is_on_one_site(&self, a: &str, b: &str) -> bool {
        let sites = |key| self.sites_of.get(key).into_iter().flatten();
        sites(a).any(|at| sites(b).any(|other| at == other))
    }

    /// How running text of the sites that file articles under a label spells it, each spelling with the number of articles.
    pub(super) fn spellings(&self, key: &str) -> BTreeMap<&str, u32> {
        let mut spellings: BTreeMap<&str, u32> = BTreeMap::new();
        let sites = self.sites_of.get(key).into_iter().flatten();
        let schemes = sites.filter_map(|at| self.schemes.get(*at).copied().flatten());
        for (spelling, articles) in schemes.flat_map(|scheme| scheme.spellings(key)) {
            let sum = spellings.entry(spelling).or_default();
            *sum = sum.saturating_add(articles);
        }
        spellings
    }

    /// How sites write a label in their schemes, with their numbers of sites and articles; that of most sites first.
    pub(super) fn forms_of(&self, key: &str) -> Vec<Form> {
        let mut forms: BTreeMap<&str, Form> = BTreeMap::new();
        let sites = self.sites_of.get(key).into_iter().flatten();
        let schemes = sites.filter_map(|at| self.schemes.get(*at).copied().flatten());
        for label in schemes.filter_map(|scheme| scheme.labels.get(key)) {
            let form = forms.entry(&label.form).or_insert_with(|| Form {
                text: label.form.clone(),
                sites: 0,
                pages: 0,
            });
            form.sites += 1;
            form.pages += u64::from(label.articles);
        }
        let mut forms: Vec<Form> = forms.into_values().collect();
        forms.sort_by(|a, b| (b.sites, b.pages, &a.text).cmp(&(a.sites, a.pages, &b.text)));
        forms
    }
}

/// The form of a label that most of these sites write.
pub(super) fn usual_form(
    key: &str,
    on: &[usize],
    sites: &[Arc<SiteSummary>],
    placed: &Placed<'_>,
) -> Option<String> {
    let mut forms: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for (form, pages) in
        on.iter().filter_map(|at| sites.get(*at)?.labels.get(key)).flat_map(|label| &label.forms)
    {
        let (sites, all) = forms.entry(form).or_default();
        *sites += 1;
        *all += pages;
    }
    let usual = forms.into_iter().max_by(|(a, x), (b, y)| x.cmp(y).then_with(|| b.cmp(a)));
    usual
        .map(|(form, _)| form.to_owned())
        .or_else(|| placed.forms_of(key).into_iter().next().map(|form| form.text))
}
