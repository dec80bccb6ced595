//! Judges the places of articles in their sites' own schemes against the sections and tags that their pages name.
//!
//! Only articles that were found are judged, so that an article that was missed counts in its own figure alone. Names are
//! compared without case, accents and punctuation. An article whose page names nothing must have no places.

use std::collections::{BTreeMap, BTreeSet};

use newslode_demo_world::GoldArticle;
use newslode_miner::mining::site_scheme::{Place, folded};
use newslode_miner::work::parts::Parts;

use super::figures::Figures;
use crate::queries::articles::each_placed_article;

/// The places of every article that was found, best first, by its address.
pub type PlacesOfUrls = BTreeMap<String, Vec<Place>>;

/// The places of all articles of an installation.
///
/// # Errors
/// When the stores fail.
pub async fn places_of_run(parts: &Parts) -> anyhow::Result<PlacesOfUrls> {
    let mut places = PlacesOfUrls::new();
    each_placed_article(parts, |article, of| {
        places.insert(article.url.clone(), of.to_vec());
        Ok(())
    })
    .await?;
    Ok(places)
}

/// Judges places.
///
/// - `places.covered`: articles with any place, of those whose pages name a section or tag;
/// - `places.best`: those whose best place the page names, of those covered;
/// - `places.precision`: places that the page names, of all places of these articles;
/// - `places.sections`, `places.tags`: sections and tags that are among the places, of those that pages name;
/// - `places.none`: articles without a place, of those whose pages name none.
pub fn judge_places(gold: &[GoldArticle], found: &PlacesOfUrls, figures: &mut Figures) {
    let (mut covered, mut best, mut right) = (Vec::new(), Vec::new(), Vec::new());
    let (mut sections, mut tags, mut none) = (Vec::new(), Vec::new(), Vec::new());
    for gold in gold {
        let Some(places) = found.get(&gold.url) else { continue };
        let names: BTreeSet<String> =
            gold.sections.iter().chain(&gold.tags).map(|name| folded(name)).collect();
        if names.is_empty() {
            none.push(places.is_empty());
            continue;
        }
        let said: Vec<String> = places.iter().map(|place| folded(&place.label)).collect();
        covered.push(!said.is_empty());
        best.extend(said.first().map(|name| names.contains(name)));
        right.extend(said.iter().map(|name| names.contains(name)));
        let is_said = |name: &String| said.contains(&folded(name));
        sections.extend(gold.sections.iter().map(is_said));
        tags.extend(gold.tags.iter().map(is_said));
    }
    figures.share("places.covered", &covered);
    figures.share("places.best", &best);
    figures.share("places.precision", &right);
    figures.share("places.sections", &sections);
    figures.share("places.tags", &tags);
    figures.share("places.none", &none);
}
