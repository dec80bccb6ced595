//! What the schemes that come with the product say of places that name no concept themselves.
//!
//! A site calls its section "Theatre" or "US", and no concept is called so. The schemes know that "US" is another name of the
//! concept "United States", and that theatre is one of the arts. They also tell which names are put together from others:
//! "Art + Photography", "Boxing news". The names of a language are kept with what is learnt, because events are filed where no
//! scheme is at hand. Without the schemes there are none. Start at [`Topics::new`].

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::catalogue::{Catalogue, Number};
use crate::mining::schemes::known::{Known, parts, spelled};
use crate::mining::schemes::{Facet, KnownLabels, LabelKind};
use crate::mining::site_scheme::{Place, PlaceKind};
use crate::mining::taxonomy::Taxonomy;

/// The names in schemes of the concepts, by language.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct Topics(BTreeMap<String, LanguageTopics>);

#[derive(Default, Serialize, Deserialize)]
struct LanguageTopics {
    /// By name, as spelled.
    names: BTreeMap<String, Meaning>,
    /// Words that sites add to the name of a section, such as "news".
    site_wide: BTreeSet<String>,
}

/// What a name means.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Meaning {
    concept: Number,
    /// Whether it means something within the concept.
    is_within: bool,
    /// Whether it is the usual name in its scheme.
    is_preferred: bool,
}

impl Meaning {
    /// Whether a place of this kind is believed. A tag that has a scheme's loose name of a part of a concept may mean anything.
    fn holds_for(self, kind: PlaceKind) -> bool {
        kind == PlaceKind::Section || self.is_preferred || !self.is_within
    }
}

impl Topics {
    /// The names that these schemes have of the concepts of a taxonomy, and of what lies within them.
    pub(super) fn new(taxonomy: &Taxonomy, known: &KnownLabels) -> Topics {
        // 1. The concept that stands for each meaning: that of the scheme's very name, or else that on most sites.
        let mut called: BTreeMap<&str, BTreeMap<Known, (LabelKind, usize, Number)>> = BTreeMap::new();
        for (number, concept) in (0..).zip(&taxonomy.concepts) {
            let Some((kind, means)) = known.meaning(&concept.label, &concept.language) else { continue };
            if !concept.is_genre && is_subject(known, means) {
                let own = (kind, usize::MAX - concept.sites.len(), number);
                let best = called.entry(&concept.language).or_default().entry(means).or_insert(own);
                *best = own.min(*best);
            }
        }
        // 2. What each name of these languages means.
        let languages = called.into_iter().map(|(language, called)| {
            let nearest = |means: Known| {
                let own = called.get(&means).map(|(.., concept)| (*concept, false));
                let above = || {
                    // All regions lie within the world: that says nothing.
                    let is_told =
                        |above: &Known| is_topic(known, *above) || !known.ancestors(*above).is_empty();
                    let mut above = known.ancestors(means).into_iter().filter(is_told);
                    above.find_map(|above| called.get(&above)).map(|(.., concept)| (*concept, true))
                };
                own.or_else(above)
            };
            let names = known.names(language).into_iter().filter_map(|(name, kind, means)| {
                let (concept, is_within) = nearest(means).filter(|_| is_subject(known, means))?;
                let is_preferred = kind == LabelKind::Preferred;
                (kind != LabelKind::Hidden).then_some((name, Meaning { concept, is_within, is_preferred }))
            });
            let topics = LanguageTopics { names: names.collect(), site_wide: known.site_wide(language) };
            (language.to_owned(), topics)
        });
        Topics(languages.collect())
    }

    /// The concept of a place that names none itself: what its name means, or what has all parts of its name. What is in "Art +
    /// Photography" is in one of the two, so it is in "Arts".
    pub(super) fn concept_of(
        &self,
        place: &Place,
        language: Option<&str>,
        catalogue: &Catalogue,
    ) -> Option<Number> {
        let topics = self.0.get(language?)?;
        let meant = |name: &str| {
            let meaning = topics.names.get(&spelled(name)).filter(|meaning| meaning.holds_for(place.kind));
            meaning.map(|meaning| meaning.concept)
        };
        let named = |name: &str| catalogue.names.concept_of_label(name, language).or_else(|| meant(name));
        let without_last = || {
            let (rest, last) = place.label.trim().rsplit_once(' ')?;
            topics.site_wide.contains(&spelled(last)).then(|| named(rest)).flatten()
        };
        let common = || {
            let parts = parts(&place.label);
            let mut all = parts.iter().map(|part| Some(catalogue.with_all_above([named(part)?])));
            let first = all.next()??;
            let common = all.try_fold(first, |common, part| Some(&common & &part?))?;
            // The nearest: one that is above no other.
            let is_nearest = |one: &Number| {
                let others = common.iter().filter(|other| *other != one);
                !catalogue.with_all_above(others.copied()).contains(one)
            };
            common.iter().copied().find(is_nearest)
        };
        meant(&place.label).or_else(without_last).or_else(common)
    }
}

fn is_topic(known: &KnownLabels, means: Known) -> bool {
    known.facet_of(means) == Some(Facet::Subject)
}

fn is_subject(known: &KnownLabels, means: Known) -> bool {
    matches!(known.facet_of(means), Some(Facet::Subject | Facet::Region))
}
