//! Concept pages whose new articles belong to their concepts.
//!
//! When an event is published, no list with its article is counted yet, but the crawler knows which listing showed the article
//! first. If that is a concept's page, the article belongs to the concept, unless the site's concept pages also show articles of
//! all kinds ("latest"). So a site is believed only if its counted articles agree with its pages.

use std::collections::BTreeMap;

use newslode_page::reading::CanonicalUrl;
use serde::{Deserialize, Serialize};

use super::catalogue::Number;
use super::hash::hash;
use super::places::{AGREEING, LEAST};

/// Concept pages of sites that are believed, by the hashes of their addresses.
#[derive(Default, Serialize, Deserialize)]
pub(super) struct FirstShown(BTreeMap<u64, (Vec<Number>, f32)>);

/// Articles of one site that concept pages showed first, and those of them that belong to a concept of their page.
#[derive(Default)]
pub(super) struct FirstShownTally {
    pub(super) articles: i64,
    pub(super) right: i64,
}

impl FirstShown {
    /// Adds the concept pages of a site, if its articles bear them out.
    pub(super) fn add<'p>(
        &mut self,
        tally: &FirstShownTally,
        pages: impl Iterator<Item = (&'p CanonicalUrl, Vec<Number>)>,
    ) {
        let share = tally.right as f32 / tally.articles as f32;
        if tally.articles >= LEAST && share >= AGREEING {
            self.0.extend(pages.map(|(page, concepts)| (hash(page.as_str()), (concepts, share))));
        }
    }

    /// The concepts of articles that this page shows first, and the share of them that belong there.
    pub(super) fn concepts_of(&self, page: &CanonicalUrl) -> impl Iterator<Item = (Number, f32)> {
        let known = self.0.get(&hash(page.as_str()));
        known.into_iter().flat_map(|(concepts, share)| concepts.iter().map(|concept| (*concept, *share)))
    }
}
