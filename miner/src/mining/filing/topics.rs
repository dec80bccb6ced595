//! What the schemes that come with the product say of places that name no concept themselves.
//!
//! A site calls its section "US" or "Great outdoors", and no concept is called so. The schemes know that "US" is another name of
//! the concept "United States". They also tell which names are put together from others: "Art + Photography", "Boxing news".
//! The names of a language are kept with what is learnt, because events are filed where no scheme is at hand. Without the
//! schemes there are none. Start at [`Topics::new`].

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
    /// Whether it is the usual name of a topic, or any of a region. Other names of topics are loose.
    is_sure: bool,
}

impl Topics {
    /// The names that these schemes have of the concepts of a taxonomy.
    pub(super) fn new(taxonomy: &Taxonomy, known: &KnownLabels) -> Topics {
        // 1. The concept of each meaning: the one with the scheme's usual name, or else the one on most sites.
        let mut called: BTreeMap<&str, BTreeMap<Known, (LabelKind, usize, Number)>> = BTreeMap::new();
        for (number, concept) in (0..).zip(&taxonomy.concepts) {
            let Some((kind, means)) = known.meaning(&concept.label, &concept.language) else { continue };
            let is_subject = matches!(known.facet_of(means), Some(Facet::Subject | Facet::Region));
            if !concept.is_genre && is_subject {
                let own = (kind, usize::MAX - concept.sites.len(), number);
                let best = called.entry(&concept.language).or_default().entry(means).or_insert(own);
                *best = own.min(*best);
            }
        }
        // 2. The names of these meanings in their languages.
        let languages = called.into_iter().map(|(language, called)| {
            let names = known.names(language).into_iter().filter_map(|(name, kind, means)| {
                let (own, _, concept) = *called.get(&means)?;
                let is_sure = kind == LabelKind::Preferred || known.facet_of(means) == Some(Facet::Region);
                // Two loose names of a topic may be two parts of it: brands of phones, chambers of a parliament.
                let is_same = is_sure || own == LabelKind::Preferred;
                (is_same && kind != LabelKind::Hidden).then_some((name, Meaning { concept, is_sure }))
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
            let meaning = topics.names.get(&spelled(name))?;
            // A tag with a loose name may mean anything.
            (meaning.is_sure || place.kind == PlaceKind::Section).then_some(meaning.concept)
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
