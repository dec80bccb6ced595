//! What the schemes that come with the product know of labels.
//!
//! A list of names tells forms and furniture from subjects, where no behaviour does. It covers twelve languages; in others
//! nothing is known, and nothing changes. Start at [`KnownLabels::builtin`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use rustc_hash::{FxHashMap, FxHashSet};

use super::lookup::Facet;
pub(crate) use super::lookup::spelled;
use super::scheme::primary;
use super::{Builtin, LabelKind, Scheme};

/// The concepts whose names sites add to that of a section: "World News", "Sport Home".
const SITE_WIDE: [&str; 3] =
    ["urn:newslode:house:home", "urn:newslode:genres:news", "urn:newslode:genres:latest"];

/// Characters and words between the names of which a name is put together.
const SIGNS: [char; 10] = ['&', '+', ',', '/', ';', '|', '·', '›', '»', '>'];
const CONJUNCTIONS: [&str; 12] = ["and", "und", "et", "y", "e", "ed", "en", "i", "oraz", "и", "و", "ve"];
/// Maximum number of names of which one is put together.
const MAX_PARTS: usize = 4;

/// What schemes know of labels.
#[derive(Debug, Default)]
pub struct KnownLabels {
    schemes: Vec<(Arc<Scheme>, Facet)>,
    /// By language, made when it is first asked for.
    languages: Mutex<BTreeMap<String, Arc<LanguageLabels>>>,
}

/// A concept of one of the schemes: the scheme's number, and the concept's.
pub type Known = (usize, u32);

/// The labels of one language, as spelled, without case, accents and punctuation.
#[derive(Debug, Default)]
struct LanguageLabels {
    furniture: FxHashSet<String>,
    /// Names of [`SITE_WIDE`].
    site_wide: FxHashSet<String>,
    /// The concepts of subjects, regions and genres, those of preferred labels first.
    concepts: FxHashMap<String, Vec<(LabelKind, Known)>>,
}

impl KnownLabels {
    /// What the schemes that come with the product know.
    #[must_use]
    pub fn builtin() -> &'static KnownLabels {
        static KNOWN: OnceLock<KnownLabels> = OnceLock::new();
        KNOWN.get_or_init(|| {
            let read = Builtin::ALL.into_iter().filter_map(|one| Some((one.scheme().ok()?, one.facet())));
            KnownLabels::of(read.collect())
        })
    }

    /// What these schemes know.
    #[must_use]
    pub fn of(schemes: Vec<(Arc<Scheme>, Facet)>) -> KnownLabels {
        KnownLabels { schemes, languages: Mutex::default() }
    }

    /// Whether a label of this language names no property of a story: home, all, log in.
    #[must_use]
    pub fn is_furniture(&self, label: &str, language: &str) -> bool {
        self.language(language).furniture.contains(&spelled(label))
    }

    /// Whether sites add this word to the name of a section without a change of what it means: news, home.
    #[must_use]
    pub fn is_site_wide(&self, word: &str, language: &str) -> bool {
        self.language(language).site_wide.contains(&spelled(word))
    }

    /// The words that sites of this language add to the name of a section without a change of what it means, as spelled.
    #[must_use]
    pub fn site_wide(&self, language: &str) -> BTreeSet<String> {
        self.language(language).site_wide.iter().cloned().collect()
    }

    /// All names of this language that mean one thing, as spelled, with what each is to it; in order.
    #[must_use]
    pub fn names(&self, language: &str) -> Vec<(String, LabelKind, Known)> {
        let labels = self.language(language);
        let names = labels.concepts.iter().filter_map(|(name, means)| {
            let (kind, means) = only_best(means)?;
            Some((name.clone(), kind, means))
        });
        let mut names: Vec<(String, LabelKind, Known)> = names.collect();
        names.sort_unstable();
        names
    }

    /// What a label of this language names, if all that it may name is of one kind.
    #[must_use]
    pub fn facet(&self, label: &str, language: &str) -> Option<Facet> {
        let labels = self.language(language);
        let named = labels.concepts.get(&spelled(label))?;
        let mut facets = named.iter().filter_map(|(_, (scheme, _))| Some(self.schemes.get(*scheme)?.1));
        let first = facets.next()?;
        facets.all(|facet| facet == first).then_some(first)
    }

    /// The subject, region or genre that a label means in its language, if it means only one.
    #[must_use]
    pub fn meaning(&self, label: &str, language: &str) -> Option<(LabelKind, Known)> {
        let labels = self.language(language);
        only_best(labels.concepts.get(&spelled(label))?)
    }

    /// All concepts above one, the nearest first.
    #[must_use]
    pub fn ancestors(&self, (scheme, concept): Known) -> Vec<Known> {
        let ancestors = self.schemes.get(scheme).map(|(scheme, _)| scheme.ancestors(concept));
        ancestors.into_iter().flatten().map(|above| (scheme, above)).collect()
    }

    /// The title of a scheme.
    #[must_use]
    pub fn title(&self, scheme: usize) -> &str {
        self.schemes.get(scheme).map_or("", |(scheme, _)| scheme.title())
    }

    /// What the concepts of a scheme are.
    #[must_use]
    pub fn facet_of(&self, (scheme, _): Known) -> Option<Facet> {
        self.schemes.get(scheme).map(|(_, facet)| *facet)
    }

    fn language(&self, language: &str) -> Arc<LanguageLabels> {
        let mut languages = self.languages.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = languages.get(language) {
            return known.clone();
        }
        let made = Arc::new(LanguageLabels::new(&self.schemes, language));
        languages.insert(language.to_owned(), made.clone());
        made
    }
}

/// The one meaning of a name, if it has one. A name goes before a nickname: "Georgia" the country before what else is called so.
fn only_best(means: &[(LabelKind, Known)]) -> Option<(LabelKind, Known)> {
    let (best, _) = *means.first()?;
    let mut best = means.iter().filter(|(kind, _)| *kind == best);
    best.next().copied().filter(|_| best.next().is_none())
}

/// The names of which a name is put together; at most one if it is not.
pub(crate) fn parts(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for word in name.split(SIGNS).flat_map(|part| ["&"].into_iter().chain(part.split_whitespace())).skip(1) {
        if word == "&" || CONJUNCTIONS.contains(&word.to_lowercase().as_str()) {
            parts.push(String::new());
        } else if let Some(last) = parts.last_mut() {
            if !last.is_empty() {
                last.push(' ');
            }
            last.push_str(word);
        }
    }
    parts.retain(|part| !part.is_empty());
    if parts.len() > MAX_PARTS { Vec::new() } else { parts }
}

impl LanguageLabels {
    fn new(schemes: &[(Arc<Scheme>, Facet)], language: &str) -> LanguageLabels {
        let mut labels = LanguageLabels::default();
        for (number, (scheme, facet)) in schemes.iter().enumerate() {
            for at in (0_u32..).take(scheme.label_count()) {
                let Some((concept, label)) = scheme.label(at) else { continue };
                if primary(label.language) != language {
                    continue;
                }
                let uri = scheme.concept(concept).map_or("", |concept| concept.uri());
                if SITE_WIDE.contains(&uri) {
                    labels.site_wide.insert(spelled(label.text));
                }
                match facet {
                    Facet::Furniture => drop(labels.furniture.insert(spelled(label.text))),
                    Facet::Subject | Facet::Region | Facet::Genre => {
                        let means = (label.kind, (number, concept));
                        labels.concepts.entry(spelled(label.text)).or_default().push(means);
                    }
                }
            }
        }
        for means in labels.concepts.values_mut() {
            means.sort_unstable();
            means.dedup();
        }
        labels
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_know_forms_furniture_subjects_and_regions_in_the_language_of_a_label() {
        let known = KnownLabels::builtin();
        assert!(known.is_furniture("UNCATEGORIZED", "en") && known.is_furniture("Non classé", "fr"));
        assert!(!known.is_furniture("Politics", "en") && !known.is_furniture("Uncategorized", "xx"));
        for (label, language, facet) in [
            ("Interview", "en", Some(Facet::Genre)),
            ("Deportes", "es", Some(Facet::Subject)),
            ("Frankreich", "de", Some(Facet::Region)),
            ("Frankreich", "en", None),
            ("Zither", "en", None),
        ] {
            assert_eq!(known.facet(label, language), facet, "{label} [{language}]");
        }
        assert!(known.is_site_wide("home", "en") && known.is_site_wide("News", "en"));
        assert!(!known.is_site_wide("general", "en"));
    }

    #[test]
    fn labels_of_one_thing_mean_it_in_all_languages() {
        let known = KnownLabels::builtin();
        let means = |label, language| known.meaning(label, language).map(|(_, means)| means);
        assert_eq!(means("U.K.", "en"), means("United Kingdom", "en"));
        assert_eq!(means("Economía", "es"), means("Wirtschaft", "de"));
        let (france, europe) = (means("France", "en").unwrap(), means("Europe", "en").unwrap());
        assert!(known.ancestors(france).contains(&europe));
    }
}
