//! Corrections of the taxonomy: which concept a person means, what editors set, and which articles a change moves.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use newslode_common::store::SiteState;
use newslode_common::version::ContentHash;
use newslode_miner::mining::corrections::{Corrected, Correction, Corrections, Entry, apply};
use newslode_miner::mining::summary::SiteSummary;
use newslode_miner::mining::taxonomy::{Concept, Taxonomy};
use newslode_miner::work::corrections::{read_corrections, read_mined, read_taxonomy};
use newslode_miner::work::members::members;
use newslode_miner::work::parts::Parts;
use newslode_miner::work::summaries::summaries;
use serde::Serialize;

use crate::exit::hinted;
use crate::queries::articles::{FilingSources, file_articles, learn_filing_corrected};

/// The key of the concept that a person means: by a label key, its label, or one of its written forms, in this order. Concepts
/// that are hidden, or merged into others, are found in the mined taxonomy.
///
/// # Errors
/// When there is none, or there are several.
pub(crate) fn meant_concept(corrected: &Taxonomy, mined: &Taxonomy, name: &str) -> anyhow::Result<String> {
    for taxonomy in [corrected, mined] {
        if let Some(found) = taxonomy.concept(name) {
            return Ok(found.key.clone());
        }
    }
    let wanted = name.trim().to_lowercase();
    type Test<'a> = Box<dyn Fn(&Concept) -> bool + 'a>;
    let tests: [Test<'_>; 3] = [
        Box::new(|concept| concept.keys.iter().any(|key| key == name)),
        Box::new(|concept| concept.label.to_lowercase() == wanted),
        Box::new(|concept| concept.forms.iter().any(|form| form.text.to_lowercase() == wanted)),
    ];
    for is_meant in tests {
        for taxonomy in [corrected, mined] {
            let found: Vec<&str> = taxonomy
                .concepts
                .iter()
                .filter(|concept| is_meant(concept))
                .map(|concept| concept.key.as_str())
                .collect();
            match found.as_slice() {
                [] => {}
                [one] => return Ok((*one).to_owned()),
                several => {
                    return Err(hinted(
                        format!("`{name}` is several concepts"),
                        format!("name one by its key: {}", several.join(", ")),
                    ));
                }
            }
        }
    }
    Err(hinted(
        format!("there is no concept `{name}`"),
        "newslode taxonomy --format json shows the keys and labels of all concepts",
    ))
}

/// The corrections, and the taxonomy without and with them.
pub(crate) struct Overlay {
    pub(crate) corrections: Corrections,
    pub(crate) mined: Taxonomy,
    pub(crate) corrected: Taxonomy,
}

impl Overlay {
    /// Reads it; `None` before the first fold.
    ///
    /// # Errors
    /// When the store fails, or a value cannot be read.
    pub(crate) async fn read(state: &dyn SiteState) -> anyhow::Result<Option<Overlay>> {
        let corrections = read_corrections(state).await?;
        let (mined, corrected) = (read_mined(state).await?, read_taxonomy(state).await?);
        Ok(mined.zip(corrected).map(|(mined, corrected)| Overlay { corrections, mined, corrected }))
    }
}

/// A correction as it is listed.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ListedCorrection {
    #[serde(flatten)]
    pub(crate) entry: Entry,
    /// As the command line has it, with the keys of concepts.
    pub(crate) text: String,
    /// As a sentence for people, with the labels of concepts.
    #[serde(skip)]
    pub(crate) sentence: String,
    /// Why it does not apply now; none: it does.
    pub(crate) unmatched: Option<String>,
}

/// The corrections, each with why it does not apply to a mined taxonomy.
pub(crate) fn list_corrections(corrections: &Corrections, mined: &Taxonomy) -> Vec<ListedCorrection> {
    let unmatched = apply(mined, corrections).unmatched;
    let mut causes: BTreeMap<u64, String> =
        unmatched.into_iter().map(|unmatched| (unmatched.number, unmatched.cause.to_string())).collect();
    let listed = corrections.entries().iter().map(|entry| ListedCorrection {
        text: entry.correction.to_string(),
        sentence: sentence(&entry.correction, mined),
        unmatched: causes.remove(&entry.number),
        entry: entry.clone(),
    });
    listed.collect()
}

/// What a correction says, without a full stop. Concepts have the labels that they have in this taxonomy; those that it lacks, their keys.
pub(crate) fn sentence(correction: &Correction, taxonomy: &Taxonomy) -> String {
    let label = |key: &str| {
        let label = taxonomy.concept(key).map_or(key, |concept| concept.label.as_str());
        format!("“{label}”")
    };
    match correction {
        Correction::Hide { concept } => format!("{} is left out", label(concept)),
        Correction::Rename { concept, label: new } => format!("{} is called “{new}”", label(concept)),
        Correction::Merge { concept, into } => format!("{} becomes part of {}", label(concept), label(into)),
        Correction::Split { concept, forms, label: name } => {
            let forms: Vec<String> = forms.iter().map(|form| format!("“{form}”")).collect();
            let name = name.as_ref().map(|name| format!(", called “{name}”")).unwrap_or_default();
            let become_one = if forms.len() == 1 {
                "becomes a concept of its own"
            } else {
                "become a concept of their own"
            };
            format!("{} of {} {become_one}{name}", forms.join(", "), label(concept))
        }
        Correction::Under { concept, parent } => format!("{} is put under {}", label(concept), label(parent)),
        Correction::NotUnder { concept, parent } => {
            format!("{} is never under {}", label(concept), label(parent))
        }
        Correction::Map { site, place, concept } => {
            format!("Articles in “{place}” of {site} belong to {}", label(concept))
        }
    }
}

/// What editors corrected about what a person names, a line each.
///
/// # Errors
/// When the store fails.
pub(crate) async fn corrections_about(
    parts: &Parts,
    corrected: &Taxonomy,
    mined: &Taxonomy,
    name: &str,
) -> anyhow::Result<Vec<String>> {
    let corrections = read_corrections(parts.stores.state.as_ref()).await?;
    let Ok(key) = meant_concept(corrected, mined, name) else { return Ok(Vec::new()) };
    let meant: Vec<&Concept> =
        [corrected, mined].into_iter().filter_map(|taxonomy| taxonomy.concept(&key)).collect();
    let mut seen = BTreeSet::new();
    let about = meant.into_iter().flat_map(|concept| corrections.about(concept));
    let new = about.filter(|entry| seen.insert(entry.number));
    Ok(new.map(|entry| format!("set by an editor, correction {}: {entry}", entry.number)).collect())
}

/// Which articles a change of the taxonomy moves.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Moves {
    /// All counted articles.
    pub(crate) articles: u64,
    /// Those that are filed under other concepts than before.
    pub(crate) moved: u64,
    /// The concepts whose number of articles changes, by key.
    pub(crate) concepts: Vec<MovedConcept>,
}

/// A concept before and after a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct MovedConcept {
    pub(crate) key: String,
    pub(crate) label: String,
    /// Articles before; none: it is not there before.
    pub(crate) before: Option<u64>,
    /// Articles after; none: it is not there after.
    pub(crate) after: Option<u64>,
}

/// Files all articles by both taxonomies, each with the corrections that made it, and compares.
///
/// # Errors
/// When a store fails.
async fn compare_filing(
    parts: &Parts,
    (before, now): (&Taxonomy, &Corrections),
    (after, then): (&Taxonomy, &Corrections),
) -> anyhow::Result<Moves> {
    let sites = summaries(parts.stores.state.as_ref()).await?;
    let first = filed_by(parts, &sites, before, now).await?;
    let second = filed_by(parts, &sites, after, then).await?;
    let moved = first.iter().filter(|(id, keys)| second.get(*id) != Some(*keys)).count() as u64;
    let (counts, new_counts) = (count(&first), count(&second));
    let keys: BTreeSet<&str> =
        before.concepts.iter().chain(&after.concepts).map(|concept| concept.key.as_str()).collect();
    let of = |taxonomy: &Taxonomy, counts: &BTreeMap<&str, u64>, key: &str| {
        taxonomy.concept(key).map(|_| counts.get(key).copied().unwrap_or_default())
    };
    let concepts = keys.into_iter().filter_map(|key| {
        let concept = MovedConcept {
            label: after.concept(key).or(before.concept(key))?.label.clone(),
            before: of(before, &counts, key),
            after: of(after, &new_counts, key),
            key: key.to_owned(),
        };
        (concept.before != concept.after).then_some(concept)
    });
    Ok(Moves { articles: first.len() as u64, moved, concepts: concepts.collect() })
}

/// Article → the keys of its concepts.
type Filed = BTreeMap<ContentHash, BTreeSet<String>>;

async fn filed_by(
    parts: &Parts,
    sites: &[Arc<SiteSummary>],
    taxonomy: &Taxonomy,
    corrections: &Corrections,
) -> anyhow::Result<Filed> {
    let listed = members(&parts.stores, taxonomy, sites).await?;
    let filing = learn_filing_corrected(parts, taxonomy, corrections, &listed).await?;
    let mut filed = Filed::new();
    file_articles(parts, FilingSources { listed: &listed, filing: &filing, coder: None }, |_, _, article| {
        if let Some(article) = article {
            filed.insert(article.id, article.keys.clone());
        }
        Ok(())
    })
    .await?;
    Ok(filed)
}

fn count(filed: &Filed) -> BTreeMap<&str, u64> {
    let mut counts = BTreeMap::new();
    for key in filed.values().flatten() {
        *counts.entry(key.as_str()).or_default() += 1;
    }
    counts
}

/// What changed corrections would make of the taxonomy, and which articles that moves.
pub(crate) struct Preview {
    pub(crate) corrected: Corrected,
    pub(crate) moves: Moves,
}

/// What other corrections than those at hand would do to a mined taxonomy.
///
/// # Errors
/// When a store fails.
pub(crate) async fn preview(
    parts: &Parts,
    mined: &Taxonomy,
    now: &Corrections,
    then: &Corrections,
) -> anyhow::Result<Preview> {
    let (before, corrected) = (apply(mined, now).taxonomy, apply(mined, then));
    let moves = compare_filing(parts, (&before, now), (&corrected.taxonomy, then)).await?;
    Ok(Preview { corrected, moves })
}
