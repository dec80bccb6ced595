//! Judges how the pages of the synthetic world were read: hierarchies and informative blocks.
//!
//! A sample of each site is judged: its front page, sections, stories, newsroom and tables.

use std::collections::BTreeMap;

use newslode_demo_world::{PageKind, World};
use newslode_page::Hierarchy;
use newslode_page::hierarchy::Block;
use newslode_page::reading::{CanonicalUrl, Site};
use serde::Serialize;

use super::figures::Figures;
use super::leaves::JudgedPage;
use super::scores::blocks::{score_anchors, score_article_words};
use super::scores::hierarchy::{Prediction, score_hierarchy};
use super::scores::{Prf, mean};

/// Most pages of each kind in a site's sample.
const PAGES_PER_KIND: usize = 4;

/// A sample of the pages at these addresses, by site.
///
/// # Errors
/// When a page cannot be judged: see [`JudgedPage::of`].
pub fn sample_pages<'a>(
    world: &World,
    addresses: impl IntoIterator<Item = &'a String>,
) -> anyhow::Result<Vec<Vec<JudgedPage>>> {
    let mut sites: BTreeMap<Site, (BTreeMap<PageKind, usize>, Vec<JudgedPage>)> = BTreeMap::new();
    for address in addresses {
        let Some(kind) = world.kind(address).filter(|kind| *kind != PageKind::Other) else { continue };
        let url: CanonicalUrl = address.parse()?;
        let (taken, pages) = sites.entry(url.site()).or_default();
        let taken = taken.entry(kind).or_default();
        if *taken < PAGES_PER_KIND {
            *taken += 1;
            pages.extend(JudgedPage::of(world, address)?);
        }
    }
    Ok(sites.into_values().map(|(_, pages)| pages).collect())
}

/// The scores of one page.
#[derive(Clone, Debug, Serialize)]
pub struct PageScores {
    /// Its address.
    pub page: String,
    /// What heads what.
    pub pairs: Prf,
    /// Where blocks begin.
    pub segments: Prf,
    /// Tables of contents, on home and section pages.
    pub toc: Option<Prf>,
    /// The article's text, on stories.
    pub article: Option<Prf>,
}

/// Judges a page's hierarchy and its marks.
#[must_use]
pub fn score_page(judged: &JudgedPage, hierarchy: &Hierarchy) -> PageScores {
    let scored = score_hierarchy(&judged.outline(), &Prediction::of(&hierarchy.url, hierarchy));
    let toc = || {
        let held = leaves_in(hierarchy, Block::Toc);
        score_anchors(&judged.anchors(), |leaf| held.get(leaf) == Some(&true))
    };
    let article = || score_article_words(&judged.body(), &text_in(hierarchy, Block::Article));
    PageScores {
        page: hierarchy.url.clone(),
        pairs: scored.pairs,
        segments: scored.boundaries[1],
        toc: matches!(judged.kind, PageKind::Home | PageKind::Section).then(toc),
        article: (judged.kind == PageKind::Story).then(article),
    }
}

/// Means over pages.
#[must_use]
pub fn mean_page_scores(rows: &[PageScores]) -> Figures {
    let mut figures = Figures::default();
    let all = |pick: fn(&PageScores) -> Option<Prf>| rows.iter().filter_map(pick).collect::<Vec<Prf>>();
    for (name, scores) in [
        ("hierarchy", all(|row| Some(row.pairs))),
        ("segments", all(|row| Some(row.segments))),
        ("blocks.toc", all(|row| row.toc)),
        ("blocks.article", all(|row| row.article)),
    ] {
        let mean = |pick: fn(&Prf) -> f64| mean(&scores.iter().map(pick).collect::<Vec<_>>()).0;
        let means = (mean(|p| p.precision), mean(|p| p.recall), mean(|p| p.f1));
        if let (Some(precision), Some(recall), Some(f1)) = means {
            figures.prf(name, &Prf { precision, recall, f1 });
        }
    }
    figures
}

/// For each leaf, whether the marks put it in this block.
fn leaves_in(hierarchy: &Hierarchy, block: Block) -> Vec<bool> {
    let mut held = vec![false; hierarchy.leaves as usize];
    for (node, of) in hierarchy.nodes.iter().zip(hierarchy.blocks()) {
        for &leaf in node.label.iter().flat_map(|label| &label.leaves) {
            held[leaf as usize] = of == block;
        }
    }
    held
}

fn text_in(hierarchy: &Hierarchy, block: Block) -> String {
    let labels = hierarchy.nodes.iter().zip(hierarchy.blocks()).filter(|(_, of)| *of == block);
    let labels = labels.filter_map(|(node, _)| node.label.as_ref()).filter(|label| !label.image);
    labels.map(|label| label.text.as_str()).collect::<Vec<_>>().join(" ")
}
