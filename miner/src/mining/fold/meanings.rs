//! What lists of names say of the concepts: which labels mean one thing, and what lies within what.
//!
//! Sites write "UK" and "United Kingdom", and few sites have Europe above Germany in a menu. The schemes that come with the
//! product know both. They are weak evidence: labels that one site tells apart are not merged, and a pair that menus show goes
//! before one of a scheme. Start at [`Meanings::of`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::evidence::Concepts;
use super::placed::{Placed, usual_form};
use crate::mining::concepts::Judged;
use crate::mining::concepts::key::{language, stems};
use crate::mining::schemes::known::{Known, spelled};
use crate::mining::schemes::{Facet, KnownLabels, LabelKind};
use crate::mining::summary::SiteSummary;
use crate::mining::taxminer::Related;

/// The least likeness of what sites file under two labels that a list has as one.
const SAME_WORDS: f64 = 0.5;
/// The least number of letters of an abbreviation by its beginning, such as "Tech".
const SHORTEST: usize = 3;

/// What the kept labels mean.
pub(super) struct Meanings<'a, 'k> {
    known: &'k KnownLabels,
    labels: BTreeMap<&'a str, KnownForm>,
}

/// A label as most sites write it, and what it means.
struct KnownForm {
    form: String,
    /// As spelled, without case and punctuation.
    spelled: String,
    /// Names under which it may be found, see [`names`].
    names: Vec<String>,
    means: Option<(LabelKind, Known)>,
    /// Number of its sites.
    sites: usize,
}

impl<'a, 'k> Meanings<'a, 'k> {
    pub(super) fn of(
        kept: &BTreeMap<&'a str, &Judged>,
        sites: &[Arc<SiteSummary>],
        placed: &Placed<'_>,
        known: &'k KnownLabels,
    ) -> Meanings<'a, 'k> {
        let labels = kept.iter().filter_map(|(key, label)| {
            let form = usual_form(key, &label.sites, sites, placed)?;
            let means = known.meaning(&form, language(key));
            let (spelled, sites) = (spelled(&form), label.sites.len());
            let names = names(key, &form, &spelled, known);
            Some((*key, KnownForm { form, spelled, names, means, sites }))
        });
        Meanings { known, labels: labels.collect() }
    }

    fn facet(&self, key: &str) -> Option<Facet> {
        self.labels.get(key)?.means.and_then(|(_, means)| self.known.facet_of(means))
    }

    /// The labels that name how stories are told or chosen.
    pub(super) fn genres(&self) -> BTreeSet<&'a str> {
        self.labels.keys().copied().filter(|key| self.facet(key) == Some(Facet::Genre)).collect()
    }

    /// Pairs of labels that name one thing, unless `is_apart` says that a site tells them apart. Groups have no two labels that are
    /// apart.
    pub(super) fn same(
        &self,
        placed: &Placed<'_>,
        is_apart: impl Fn(&str, &str) -> bool,
    ) -> Vec<(&'a str, &'a str)> {
        // 1. Labels of one meaning, or of words that say so, by the label that most sites write.
        let mut heads: BTreeMap<(&str, String), Vec<&'a str>> = BTreeMap::new();
        for (key, label) in &self.labels {
            if let Some((_, (scheme, concept))) = label.means {
                heads.entry((language(key), format!("{scheme} {concept}"))).or_default().push(key);
            }
            for name in &label.names {
                heads.entry((language(key), name.clone())).or_default().push(key);
            }
        }
        let mut pairs: BTreeSet<(&'a str, &'a str)> = BTreeSet::new();
        for mut keys in heads.into_values() {
            keys.sort_by_key(|key| {
                (std::cmp::Reverse(self.labels.get(key).map_or(0, |label| label.sites)), *key)
            });
            // 2. Each label joins the first group of which it is the same as the head and apart from none.
            let mut groups: Vec<Vec<&'a str>> = Vec::new();
            for key in keys {
                let joined = groups.iter_mut().find(|group| {
                    group.first().is_some_and(|head| self.is_same(head, key, placed))
                        && (self.facet(key) == Some(Facet::Region)
                            || group
                                .iter()
                                .all(|other| self.is_explained(other, key) || !is_apart(other, key)))
                });
                match joined {
                    Some(group) => {
                        pairs.extend(group.first().map(|head| (*head, key)));
                        group.push(key);
                    }
                    None => groups.push(vec![key]),
                }
            }
        }
        pairs.extend(self.full_names(placed));
        pairs.into_iter().collect()
    }

    /// Labels of one word, each with the label that is its full name: "Donald Trump" for "Trump". Most articles under the word say
    /// so, and articles under both use the same words. That a site files under both says nothing against it: editors forget
    /// which tag they have. Names that lists know are left to these, so North Korea is not Korea.
    fn full_names(&self, placed: &Placed<'_>) -> Vec<(&'a str, &'a str)> {
        let unknown = || self.labels.iter().filter(|(_, label)| label.means.is_none());
        let called: BTreeMap<(&str, &str), &'a str> =
            unknown().map(|(key, label)| ((language(key), label.spelled.as_str()), *key)).collect();
        let mut pairs = Vec::new();
        for (key, label) in unknown().filter(|(_, label)| !label.spelled.contains(' ')) {
            let full = placed.first_names(key).into_iter().filter_map(|first| {
                called.get(&(language(key), spelled(&format!("{first} {}", label.spelled)).as_str())).copied()
            });
            // With two full names, it is not clear which one is meant.
            if let [full] = full.collect::<Vec<_>>()[..]
                && placed.likeness_anywhere(key, full) >= Some(SAME_WORDS)
            {
                pairs.push((full, *key));
            }
        }
        pairs
    }

    /// Whether one label is the other with its initials behind it: "Artificial Intelligence (AI)". No site means two things by these,
    /// though it may file stories under both.
    fn is_explained(&self, a: &str, b: &str) -> bool {
        let (Some(one), Some(other)) = (self.labels.get(a), self.labels.get(b)) else { return false };
        let is_of = |long: &KnownForm, whole: &KnownForm| {
            with_initials(&long.form).is_some_and(|(name, _)| name == whole.spelled)
        };
        is_of(one, other) || is_of(other, one)
    }

    /// Whether two labels that a list has as one, or whose words say so, are the same. A list has many loose names of a subject, so
    /// these need articles of the same words, unless one is short for the other.
    fn is_same(&self, a: &str, b: &str, placed: &Placed<'_>) -> bool {
        let (Some(one), Some(other)) = (self.labels.get(a), self.labels.get(b)) else { return false };
        let is_short = |short: &str, long: &str| short.len() >= SHORTEST && long.starts_with(short);
        let is_shown = |label: &KnownForm| label.means.is_some_and(|(kind, _)| kind != LabelKind::Hidden);
        let means = |label: &KnownForm| label.means.map(|(_, means)| means);
        // "IT" may be short for "information technology", if articles do not say otherwise. "It" is not.
        let is_short_for = |name: &KnownForm| {
            let agrees = |likeness| likeness >= SAME_WORDS;
            !name.form.chars().any(char::is_lowercase) && placed.likeness(a, b).is_none_or(agrees)
        };
        let is_named = |label: &KnownForm, name: &KnownForm| {
            label.names.contains(&name.spelled)
                && (initials(&label.spelled) != name.spelled || is_short_for(name))
        };
        if is_named(one, other) || is_named(other, one) {
            return true;
        }
        if means(one).is_none() || means(one) != means(other) {
            return false;
        }
        match self.facet(a) {
            Some(Facet::Region | Facet::Genre) => is_shown(one) && is_shown(other),
            _ => {
                is_short(&one.spelled, &other.spelled)
                    || is_short(&other.spelled, &one.spelled)
                    || placed.likeness(a, b) >= Some(SAME_WORDS)
            }
        }
    }

    /// Whether lists contradict that one label is broader than the other. What a region contains is known, and it contains no
    /// subjects, nor does a subject contain regions. Of two subjects that only a single site has in that order, it is enough
    /// that the list does not.
    pub(super) fn denies(&self, pair: &Related, support: u32) -> bool {
        let known = |key: &str| self.labels.get(key)?.means.map(|(_, means)| means);
        let (Some(above), Some(below)) = (known(&pair.broader), known(&pair.narrower)) else { return false };
        let is_listed = || self.known.ancestors(below).contains(&above);
        match (self.known.facet_of(above), self.known.facet_of(below)) {
            (Some(Facet::Region), Some(Facet::Region)) => !is_listed(),
            (Some(Facet::Region), Some(Facet::Subject)) | (Some(Facet::Subject), Some(Facet::Region)) => true,
            _ => pair.sites.len() < support as usize && !is_listed(),
        }
    }

    /// For each concept the concepts of its language that its scheme has above it. A subject that sites have below another one stays
    /// there: sites cut subjects in their own ways, but not the world.
    pub(super) fn relations(&self, concepts: &Concepts, shown: &[Related]) -> Vec<Related> {
        let has_parent: BTreeSet<&str> = shown.iter().map(|pair| pair.narrower.as_str()).collect();
        // Of several concepts of one meaning, which some site tells apart, the one of that very name stands for it, or else that on
        // most sites.
        let mut called: BTreeMap<(&str, Known), &str> = BTreeMap::new();
        let concept = |key: &&'a str| concepts.get(key).copied().unwrap_or(key);
        let mut known: Vec<(LabelKind, std::cmp::Reverse<usize>, &'a str, Known)> = self
            .labels
            .iter()
            .filter_map(|(key, label)| {
                let (kind, means) = label.means?;
                Some((kind, std::cmp::Reverse(label.sites), *key, means))
            })
            .collect();
        known.sort_unstable();
        for (_, _, key, means) in &known {
            called.entry((language(key), *means)).or_insert(concept(key));
        }
        let mut pairs: BTreeSet<(&str, &str)> = BTreeSet::new();
        let is_open = |key: &&'a str, means: &Known| {
            self.known.facet_of(*means) == Some(Facet::Region) || !has_parent.contains(concept(key))
        };
        for (_, _, key, means) in known.iter().filter(|(_, _, key, means)| is_open(key, means)) {
            // All that lie above it: what follows from others is left out later.
            for above in self.known.ancestors(*means) {
                let broader = called.get(&(language(key), above));
                pairs.extend(broader.map(|broader| (*broader, concept(key))).filter(|(a, b)| a != b));
            }
        }
        let related = |(broader, narrower): (&str, &str)| Related {
            broader: broader.to_owned(),
            narrower: narrower.to_owned(),
            level: 1,
            sites: Vec::new(),
            is_listed: true,
        };
        pairs.into_iter().map(related).collect()
    }
}

/// Names under which a label may be found: itself, "World" for "World News", "Lifestyle" for "Life & Style", "AI" for
/// "Artificial Intelligence", both for "Artificial Intelligence (AI)".
fn names(key: &str, form: &str, plain: &str, known: &KnownLabels) -> Vec<String> {
    let mut names = vec![plain.to_owned()];
    if let Some((rest, last)) = plain.rsplit_once(' ') {
        names.extend(known.is_site_wide(last, language(key)).then(|| rest.to_owned()));
        names.push(initials(plain));
    }
    if let [one, other] = stems(key).collect::<Vec<_>>()[..] {
        names.extend([format!("{one}{other}"), format!("{other}{one}")]);
    }
    if let Some((whole, short)) = with_initials(form) {
        names.extend([whole, short]);
    }
    names
}

/// The name and its initials, both as spelled, of a label that has both: "Artificial Intelligence (AI)".
fn with_initials(form: &str) -> Option<(String, String)> {
    let (whole, short) = form.strip_suffix(')')?.split_once(" (")?;
    let (whole, short) = (spelled(whole), spelled(short));
    (short.chars().count() > 1 && initials(&whole) == short).then_some((whole, short))
}

/// The first letters of words.
fn initials(text: &str) -> String {
    text.split(' ').filter_map(|word| word.chars().next()).collect()
}
