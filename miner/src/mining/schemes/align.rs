//! Which concepts of the schemes the concepts of a taxonomy are.
//!
//! All written forms of a concept are looked up, each with the number of sites that write it. What is found in the concept's
//! language counts before anything else. What is spelled so in another language counts where the scheme knows no label in the
//! concept's language, and otherwise only if the *position* speaks for it: a broader concept of the taxonomy is aligned to an
//! ancestor of the candidate. If several candidates have half of the sites of the best one, these decide, in this order: the
//! position, the sites, what the label is to the candidate, and the candidates' siblings. Else the concept is left open.
//!
//! Invariant: schemes are aligned independently of each other, and concepts in rounds, so neither the order of schemes nor of
//! concepts changes what is aligned. Start at [`align`].

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::lookup::{Facet, Match, Step};
use super::scheme::LabelKind;
use super::set::{Aligned, SchemeSet};
use crate::mining::taxonomy::Taxonomy;

/// What a concept is in each scheme.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Alignment {
    /// One for each scheme that has it, in the order of the schemes.
    pub aligned: Vec<Aligned>,
    /// One for each scheme that has it not, or not certainly.
    pub open: Vec<Open>,
}

/// Why a concept is not aligned to a scheme.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Open {
    /// The scheme's name.
    pub scheme: String,
    /// Why.
    pub why: Reason,
    /// The concepts that it may be, by number.
    pub candidates: Vec<Aligned>,
}

/// Why a concept is not aligned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// No label of the scheme is one of its forms.
    NoLabel,
    /// It may be several concepts.
    Ambiguous,
    /// Its forms are labels in other languages only.
    OtherLanguage,
}

/// A concept of a scheme that a concept of the taxonomy may be.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    concept: u32,
    how: Step,
    kind: LabelKind,
    sites: u64,
}

/// What a concept may be in one scheme.
#[derive(Clone, Debug, Default)]
struct Choice {
    /// By number. Those with less than half of the best one's sites are left out.
    candidates: Vec<Candidate>,
    /// Whether the candidates are found in the concept's language, or the scheme does not know that language.
    is_own: bool,
}

/// The means of choosing, from the surest. Each is tried until it decides nothing more.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Means {
    OnlyOne,
    Position,
    Sites,
    Kind,
    Siblings,
}

/// What the concepts of the taxonomy are in each scheme, in the order of the concepts.
#[must_use]
pub fn align(set: &SchemeSet, taxonomy: &Taxonomy) -> Vec<Alignment> {
    let mut alignments = vec![Alignment::default(); taxonomy.concepts.len()];
    let choices = choices(set, taxonomy);
    let positions = Positions::new(taxonomy);
    for (number, (choices, name)) in choices.iter().zip(set.names()).enumerate() {
        let chosen = choose_all(set, number, choices, &positions);
        let concepts = taxonomy.concepts.iter().zip(choices).zip(chosen);
        for (alignment, ((concept, choice), chosen)) in alignments.iter_mut().zip(concepts) {
            let shown = |candidate: &Candidate| {
                let Candidate { concept: found, how, kind, .. } = *candidate;
                set.aligned(&Match { how, scheme: number, kind, concept: found }, &concept.language)
            };
            match chosen.and_then(|at| choice.candidates.get(at)).and_then(shown) {
                Some(aligned) => alignment.aligned.push(aligned),
                None => alignment.open.push(Open {
                    scheme: name.clone(),
                    why: match (choice.candidates.is_empty(), choice.is_own) {
                        (true, _) => Reason::NoLabel,
                        (false, true) => Reason::Ambiguous,
                        (false, false) => Reason::OtherLanguage,
                    },
                    candidates: choice.candidates.iter().filter_map(shown).collect(),
                }),
            }
        }
    }
    alignments
}

/// Aligns the concepts of a taxonomy, and notes by which schemes.
pub fn align_taxonomy(set: &SchemeSet, taxonomy: &mut Taxonomy) {
    let alignments = align(set, taxonomy);
    for (concept, alignment) in taxonomy.concepts.iter_mut().zip(alignments) {
        concept.aligned = alignment.aligned;
    }
    set.digest().clone_into(&mut taxonomy.schemes);
}

/// What a label alone means in each scheme, such as that of a site's section: as for a concept, but nothing is known of its
/// position. Without a language, labels of all languages count. Furniture is left out.
#[must_use]
pub fn align_label(set: &SchemeSet, label: &str, language: Option<&str>) -> Vec<Aligned> {
    let mut by_scheme: BTreeMap<usize, Vec<Candidate>> = BTreeMap::new();
    for found in set.index().find(label, language) {
        if language.is_none_or(|language| counts(set, &found, language)) {
            by_scheme.entry(found.scheme).or_default().push(candidate(&found, 1));
        }
    }
    let chosen = by_scheme.into_iter().filter_map(|(scheme, candidates)| {
        let best = candidates.iter().map(|one| one.kind).min()?;
        let one = only(candidates.iter().filter(|one| one.kind == best))?;
        let Candidate { concept, how, kind, .. } = *one;
        set.aligned(&Match { how, scheme, kind, concept }, language.unwrap_or("en"))
    });
    chosen.filter(|aligned| aligned.facet != Facet::Furniture).collect()
}

/// Whether a match needs no support by its position.
fn counts(set: &SchemeSet, found: &Match, language: &str) -> bool {
    match found.how {
        Step::Spelled | Step::Stemmed => true,
        Step::SpelledElsewhere => {
            set.index().scheme(found.scheme).is_some_and(|scheme| !scheme.has_language(language))
        }
        Step::StemmedElsewhere => false,
    }
}

fn candidate(found: &Match, sites: u64) -> Candidate {
    Candidate { concept: found.concept, how: found.how, kind: found.kind, sites }
}

/// The choices by scheme, then by concept of the taxonomy.
fn choices(set: &SchemeSet, taxonomy: &Taxonomy) -> Vec<Vec<Choice>> {
    let mut choices = vec![vec![Choice::default(); taxonomy.concepts.len()]; set.names().len()];
    for (at, concept) in taxonomy.concepts.iter().enumerate() {
        let mut own: BTreeMap<(usize, u32), Candidate> = BTreeMap::new();
        let mut other = own.clone();
        for form in &concept.forms {
            for found in set.index().find(&form.text, Some(&concept.language)) {
                let into = if counts(set, &found, &concept.language) { &mut own } else { &mut other };
                let new = candidate(&found, 0);
                let held = into.entry((found.scheme, found.concept)).or_insert(new);
                held.sites += form.sites.max(1);
                held.how = held.how.min(new.how);
                held.kind = held.kind.min(new.kind);
            }
        }
        for (is_own, found) in [(true, own), (false, other)] {
            for ((scheme, _), candidate) in found {
                let choice = &mut choices[scheme][at];
                if choice.candidates.is_empty() {
                    choice.is_own = is_own;
                }
                if choice.is_own == is_own {
                    choice.candidates.push(candidate);
                }
            }
        }
    }
    for choice in choices.iter_mut().flatten() {
        let most = choice.candidates.iter().map(|one| one.sites).max().unwrap_or_default();
        choice.candidates.retain(|one| one.sites * 2 >= most);
    }
    choices
}

/// How the concepts of a taxonomy lie to each other, by number.
struct Positions {
    ancestors: Vec<BTreeSet<usize>>,
    siblings: Vec<BTreeSet<usize>>,
}

impl Positions {
    fn new(taxonomy: &Taxonomy) -> Positions {
        let number = |key: &String| taxonomy.concepts.binary_search_by(|one| one.key.cmp(key)).ok();
        let parents: Vec<Vec<usize>> =
            taxonomy.concepts.iter().map(|one| one.parents.iter().filter_map(number).collect()).collect();
        let mut children: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (child, parents) in parents.iter().enumerate() {
            for parent in parents {
                children.entry(*parent).or_default().push(child);
            }
        }
        let ancestors = (0..parents.len()).map(|at| {
            let (mut found, mut waiting) = (BTreeSet::new(), parents[at].clone());
            while let Some(next) = waiting.pop() {
                if found.insert(next) {
                    waiting.extend(&parents[next]);
                }
            }
            found
        });
        let siblings = parents.iter().enumerate().map(|(at, parents)| {
            let all = parents.iter().filter_map(|parent| children.get(parent)).flatten();
            all.copied().filter(|sibling| *sibling != at).collect()
        });
        Positions { ancestors: ancestors.collect(), siblings: siblings.collect() }
    }
}

/// The candidate of each choice, by number.
fn choose_all(
    set: &SchemeSet,
    scheme: usize,
    choices: &[Choice],
    positions: &Positions,
) -> Vec<Option<usize>> {
    let mut chosen: Vec<Option<usize>> = vec![None; choices.len()];
    let mut open: Vec<usize> = (0..choices.len()).filter(|at| !choices[*at].candidates.is_empty()).collect();
    for means in [Means::OnlyOne, Means::Position, Means::Sites, Means::Kind, Means::Siblings] {
        loop {
            // All of a round are decided by what the rounds before it decided.
            let is_aligned_to =
                |at: usize| chosen[at].and_then(|own| choices[at].candidates.get(own)).map(|own| own.concept);
            let decide = |at: &usize| {
                let near = Near {
                    above: positions.ancestors[*at].iter().filter_map(|at| is_aligned_to(*at)).collect(),
                    beside: positions.siblings[*at].iter().filter_map(|at| is_aligned_to(*at)).collect(),
                };
                Some((*at, choose(set, scheme, &choices[*at], means, &near)?))
            };
            let new: Vec<(usize, usize)> = open.iter().filter_map(decide).collect();
            if new.is_empty() {
                break;
            }
            for (at, own) in new {
                chosen[at] = Some(own);
            }
            open.retain(|at| chosen[*at].is_none());
        }
    }
    chosen
}

/// To what the neighbours of a concept are aligned.
struct Near {
    above: BTreeSet<u32>,
    beside: Vec<u32>,
}

/// The candidate that these means decide for.
fn choose(set: &SchemeSet, scheme: usize, choice: &Choice, means: Means, near: &Near) -> Option<usize> {
    let one = |at: usize| &choice.candidates[at];
    let mut left: Vec<usize> = (0..choice.candidates.len()).collect();
    if choice.is_own && left.len() == 1 {
        return left.pop();
    }
    if means >= Means::Position && !near.above.is_empty() {
        let is_below = |at: &usize| {
            set.index().ancestors(scheme, one(*at).concept).iter().any(|above| near.above.contains(above))
        };
        let below: Vec<usize> = left.iter().copied().filter(is_below).collect();
        if below.len() == 1 {
            return below.first().copied();
        }
        if !below.is_empty() {
            left = below;
        } else if !choice.is_own {
            return None;
        }
    } else if !choice.is_own {
        return None;
    }
    if means >= Means::Sites {
        let most = left.iter().map(|at| one(*at).sites).max()?;
        left.retain(|at| one(*at).sites == most);
    }
    if means >= Means::Kind && left.len() > 1 {
        let best = left.iter().map(|at| one(*at).kind).min()?;
        left.retain(|at| one(*at).kind == best);
    }
    if means >= Means::Siblings && left.len() > 1 {
        let broader = |concept: u32| -> BTreeSet<u32> {
            set.index().broader_of(scheme, concept).iter().copied().collect()
        };
        let beside = |at: usize| {
            let own = broader(one(at).concept);
            near.beside.iter().filter(|other| !own.is_disjoint(&broader(**other))).count()
        };
        let counts: Vec<(usize, usize)> = left.iter().map(|at| (*at, beside(*at))).collect();
        let most = counts.iter().map(|(_, count)| *count).max().filter(|most| *most > 0)?;
        left = counts.into_iter().filter(|(_, count)| *count == most).map(|(at, _)| at).collect();
    }
    only(left.into_iter())
}

fn only<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.next().is_none().then_some(first)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::mining::schemes::{Format, Limits, NamedScheme, Scheme, read};
    use crate::mining::taxonomy::{Concept, Form};
    use crate::mining::testing;

    const HEAD: &str = "@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix : <urn:x:> .\n";

    fn scheme(turtle: &str) -> Arc<Scheme> {
        let text = format!("{HEAD}{turtle}");
        let mut read = read("x.ttl", Format::Turtle, text.as_bytes(), &Limits::default()).unwrap();
        Arc::new(read.schemes.remove(0))
    }

    fn set(schemes: &[(&str, &str)]) -> SchemeSet {
        let named = schemes.iter().map(|(name, turtle)| NamedScheme {
            name: (*name).to_owned(),
            facet: Facet::Subject,
            scheme: scheme(turtle),
        });
        SchemeSet::new(named.collect(), Vec::new())
    }

    /// A taxonomy of English concepts: label, broader label or nothing.
    fn taxonomy(concepts: &[(&str, &str)]) -> Taxonomy {
        let key = |label: &str| format!("en:{}", label.to_lowercase());
        let mut concepts: Vec<Concept> = concepts
            .iter()
            .map(|(label, broader)| {
                let parents: Vec<String> =
                    [*broader].iter().filter(|one| !one.is_empty()).map(|one| key(one)).collect();
                testing::concept(&key(label), label, &parents.iter().map(String::as_str).collect::<Vec<_>>())
            })
            .collect();
        concepts.sort_by(|a, b| a.key.cmp(&b.key));
        Taxonomy { concepts, ..Taxonomy::default() }
    }

    /// What each concept is: `label=name` of the concept with its way, or `label?reason:candidates`, in the first scheme.
    fn shown(set: &SchemeSet, taxonomy: &Taxonomy) -> Vec<String> {
        let short = |aligned: &Aligned| aligned.uri.trim_start_matches("urn:x:").to_owned();
        let name = &set.names()[0];
        align(set, taxonomy)
            .iter()
            .zip(&taxonomy.concepts)
            .map(|(alignment, concept)| {
                let label = &concept.label;
                if let Some(one) = alignment.aligned.iter().find(|one| one.scheme == *name) {
                    return format!("{label}={} {:?}", short(one), one.how);
                }
                let open = alignment.open.iter().find(|one| one.scheme == *name).unwrap();
                let candidates: Vec<String> = open.candidates.iter().map(short).collect();
                format!("{label}?{:?}:{}", open.why, candidates.join(","))
            })
            .collect()
    }

    #[track_caller]
    fn check(turtle: &str, concepts: &[(&str, &str)], expected: &[&str]) {
        assert_eq!(shown(&set(&[("x", turtle)]), &taxonomy(concepts)), expected);
    }

    const SPORTS: &str = r#"
        :sport skos:prefLabel "Sport"@en . :music skos:prefLabel "Music"@en .
        :rock-music skos:prefLabel "Rock"@en ; skos:broader :genre . :genre skos:prefLabel "Style"@en ; skos:broader :music .
        :climbing skos:prefLabel "Rock"@en ; skos:broader :sport .
        :jazz skos:prefLabel "Jazz"@en ; skos:broader :genre . :blues skos:prefLabel "Blues"@en ; skos:broader :genre ."#;

    #[test]
    fn a_broader_concept_decides_between_candidates() {
        check(
            SPORTS,
            &[("Sports", ""), ("Rock", "Sports")],
            &["Rock=climbing Spelled", "Sports=sport Stemmed"],
        );
        // The same holds for an ancestor further up.
        check(
            SPORTS,
            &[("Music", ""), ("Other", "Music"), ("Rock", "Other")],
            &["Music=music Spelled", "Other?NoLabel:", "Rock=rock-music Spelled"],
        );
    }

    #[test]
    fn siblings_decide_where_nothing_else_does() {
        let concepts = [("Tunes", ""), ("Rock", "Tunes"), ("Jazz", "Tunes"), ("Blues", "Tunes")];
        check(
            SPORTS,
            &concepts,
            &["Blues=blues Spelled", "Jazz=jazz Spelled", "Rock=rock-music Spelled", "Tunes?NoLabel:"],
        );
        check(SPORTS, &[("Rock", "")], &["Rock?Ambiguous:climbing,rock-music"]);
    }

    #[test]
    fn a_preferred_label_comes_before_an_alternative_one() {
        let turtle = r#":a skos:prefLabel "Georgia"@en . :b skos:prefLabel "Georgia (state)"@en ; skos:altLabel "Georgia"@en ."#;
        check(turtle, &[("Georgia", "")], &["Georgia=a Spelled"]);
    }

    #[test]
    fn all_forms_count_by_their_sites() {
        let turtle = r#":soccer skos:prefLabel "Soccer"@en ; skos:altLabel "Football"@en .
            :gridiron skos:prefLabel "American football"@en ; skos:altLabel "Football"@en ."#;
        let mut two_forms = taxonomy(&[("Football", "")]);
        let set = set(&[("x", turtle)]);
        assert_eq!(shown(&set, &two_forms), ["Football?Ambiguous:gridiron,soccer"]);
        two_forms.concepts[0].forms.push(Form { text: "Soccer".into(), sites: 1, pages: 1 });
        assert_eq!(shown(&set, &two_forms), ["Football=soccer Spelled"]);
    }

    #[test]
    fn labels_in_other_languages_need_support_where_the_language_is_known() {
        let german =
            r#":sport skos:prefLabel "Sport"@de . :gift skos:prefLabel "Gift"@de ; skos:broader :sport ."#;
        // No label is English.
        check(german, &[("Gift", "")], &["Gift=gift SpelledElsewhere"]);
        let both = &format!(r#"{german} :sport skos:prefLabel "Sports"@en ."#);
        check(both, &[("Gift", "")], &["Gift?OtherLanguage:gift"]);
        check(
            both,
            &[("Sport", ""), ("Gift", "Sport")],
            &["Gift=gift SpelledElsewhere", "Sport=sport Stemmed"],
        );
    }

    #[test]
    fn labels_of_one_script_leave_others_open() {
        let chinese = r#":a skos:prefLabel "体育"@zh . :b skos:prefLabel "政治"@zh ."#;
        check(chinese, &[("Sport", ""), ("体育", "")], &["Sport?NoLabel:", "体育=a SpelledElsewhere"]);
    }

    #[test]
    fn two_schemes_are_aligned_apart() {
        let set =
            set(&[("x", SPORTS), ("y", r#":sports skos:prefLabel "Sports"@en ; skos:notation "15" ."#)]);
        let aligned = &align(&set, &taxonomy(&[("Sports", "")]))[0].aligned;
        let shown: Vec<(&str, &str)> = aligned.iter().map(|one| (one.scheme.as_str(), one.code())).collect();
        assert_eq!(shown, [("x", "urn:x:sport"), ("y", "15")]);
    }

    #[test]
    fn a_label_alone_means_what_is_not_ambiguous() {
        let set = set(&[("x", SPORTS)]);
        let of = |label: &str, language: Option<&str>| -> Vec<String> {
            align_label(&set, label, language).into_iter().map(|one| one.uri).collect()
        };
        assert_eq!(of("JAZZ", Some("en")), ["urn:x:jazz"]);
        assert_eq!(of("Jazz", None), ["urn:x:jazz"]);
        assert_eq!(of("Jazz", Some("fr")), ["urn:x:jazz"]);
        assert!(of("Rock", Some("en")).is_empty());
    }

    #[test]
    fn codes_of_narrower_concepts_are_within() {
        let set = set(&[
            ("x", SPORTS),
            (
                "y",
                r#":t skos:prefLabel "T"@en ; skos:notation "m:1" .
            :u skos:prefLabel "U"@en ; skos:notation "m:2" ; skos:broader :t ."#,
            ),
        ]);
        let within = |code: &str| set.codes_within(code).into_iter().collect::<Vec<_>>();
        assert_eq!(
            within("urn:x:music"),
            ["urn:x:blues", "urn:x:genre", "urn:x:jazz", "urn:x:music", "urn:x:rock-music"]
        );
        assert_eq!(within("m:1"), ["m:1", "m:2"]);
        // By the URI of a concept that has a notation, too.
        assert_eq!(within("urn:x:t"), ["m:1", "m:2"]);
        assert!(within("m:3").is_empty());
    }

    /// A scheme of concepts whose labels are of few words, so that many are ambiguous; parents come before children.
    fn made_scheme() -> impl Strategy<Value = String> {
        proptest::collection::vec((0_usize..8, 0_usize..8, proptest::bool::ANY, 0_usize..20), 1..20).prop_map(
            |concepts| {
                concepts
                    .iter()
                    .enumerate()
                    .map(|(at, (label, other, is_english, broader))| {
                        let language = if *is_english { "en" } else { "fr" };
                        let broader = if at == 0 {
                            String::new()
                        } else {
                            format!("skos:broader :c{} ;", broader % at)
                        };
                        format!(
                            ":c{at} {broader} skos:prefLabel \"{}\"@{language} ; skos:altLabel \"{}\"@en .\n",
                            WORDS[*label], WORDS[*other]
                        )
                    })
                    .collect()
            },
        )
    }

    const WORDS: [&str; 8] = ["Sport", "Sports", "Music", "Rock", "Jazz", "Film", "Gift", "Blues"];

    proptest! {
        #[test]
        fn the_order_of_schemes_changes_nothing_but_the_order(
            first in made_scheme(), second in made_scheme(), parents in proptest::collection::vec(0_usize..9, WORDS.len()),
        ) {
            let concepts: Vec<(&str, &str)> = WORDS
                .iter()
                .zip(&parents)
                .enumerate()
                .map(|(at, (word, parent))| (*word, if *parent < at { WORDS[*parent] } else { "" }))
                .collect();
            let taxonomy = taxonomy(&concepts);
            let both = align(&set(&[("a", &first), ("b", &second)]), &taxonomy);
            prop_assert_eq!(&both, &align(&set(&[("a", &first), ("b", &second)]), &taxonomy));
            let mut turned = align(&set(&[("b", &second), ("a", &first)]), &taxonomy);
            for alignment in &mut turned {
                alignment.aligned.sort_by(|a, b| a.scheme.cmp(&b.scheme));
                alignment.open.sort_by(|a, b| a.scheme.cmp(&b.scheme));
            }
            prop_assert_eq!(&both, &turned);
            // Each scheme says of each concept what it is, or why it is none.
            for alignment in &both {
                prop_assert_eq!(alignment.aligned.len() + alignment.open.len(), 2);
            }
        }
    }
}
