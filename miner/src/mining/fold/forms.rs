//! The written forms of concepts, over all sites (Syn of the ontology).
//!
//! One walk over the sites counts the forms of all kept labels ([`FormCounts::of`]). To look up each label on each of its sites
//! takes several times as long.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::mining::concepts::Judged;
use crate::mining::index::Index;
use crate::mining::summary::{LabelSummary, SiteSummary};
use crate::mining::taxonomy::Form;

/// Form → number of sites and pages that write it.
type Counts<'a> = FxHashMap<&'a str, (u64, u64)>;

/// How often each form of the kept labels is written.
pub(super) struct FormCounts<'a> {
    sites: &'a [Arc<SiteSummary>],
    /// By label key.
    kept: BTreeMap<&'a str, Counts<'a>>,
}

impl<'a> FormCounts<'a> {
    /// `index` is the index of the sites.
    pub(super) fn of(
        kept: &BTreeMap<&'a str, &Judged>,
        sites: &'a [Arc<SiteSummary>],
        index: &Index,
    ) -> FormCounts<'a> {
        let mut number = index.names.table(usize::MAX);
        for (at, id) in kept.keys().enumerate().filter_map(|(at, key)| Some((at, index.names.get(key)?))) {
            number[id as usize] = at;
        }
        let mut counts: Vec<Counts> = vec![Counts::default(); kept.len()];
        for (site, numbers) in sites.iter().zip(&index.sites) {
            for (indexed, label) in
                numbers.labels.iter().zip(site.labels.values()).filter(|(indexed, _)| indexed.is_shown)
            {
                let at = number.get(indexed.id as usize).copied().unwrap_or(usize::MAX);
                if let Some(counts) = counts.get_mut(at) {
                    count_forms(counts, label);
                }
            }
        }
        FormCounts { sites, kept: kept.keys().copied().zip(counts).collect() }
    }

    /// A concept's forms: those of its own key first, then by sites, pages, alphabet.
    pub(super) fn forms(&self, own: &str, labels: &[(&str, &Judged)]) -> Vec<Form> {
        let mut found: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        let mut owned: BTreeSet<&str> = BTreeSet::new();
        for (key, label) in labels {
            let alone;
            let counts = match self.kept.get(key) {
                Some(counts) => counts,
                None => {
                    alone = self.single_site_forms(key, &label.sites);
                    &alone
                }
            };
            for (form, (sites, pages)) in counts {
                let (on, total) = found.entry(form).or_default();
                *on += sites;
                *total += pages;
                if *key == own {
                    owned.insert(form);
                }
            }
        }
        let made = found.into_iter().map(|(text, (sites, pages))| Form { text: text.into(), sites, pages });
        let mut forms: Vec<Form> = made.collect();
        let is_owned = |form: &Form| owned.contains(form.text.as_str());
        forms.sort_by(|a, b| {
            (is_owned(b), b.sites, b.pages, &a.text).cmp(&(is_owned(a), a.sites, a.pages, &b.text))
        });
        forms
    }

    /// The forms of a label that single sites vouch for.
    fn single_site_forms(&self, key: &str, sites: &[usize]) -> Counts<'a> {
        let mut counts = Counts::default();
        for label in sites.iter().filter_map(|at| self.sites.get(*at)?.labels.get(key)) {
            count_forms(&mut counts, label);
        }
        counts
    }
}

fn count_forms<'a>(counts: &mut Counts<'a>, label: &'a LabelSummary) {
    for (form, pages) in &label.forms {
        let (sites, total) = counts.entry(form).or_default();
        *sites += 1;
        *total += pages;
    }
}
