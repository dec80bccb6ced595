//! The versioned value of a site with which its hierarchies are marked: the entropies of its terms and the terms of its pages.
//!
//! It is computed at the start of an epoch, when all pages of the site are viewed, from the site's sums and the archived
//! contributions; pages may be counted meanwhile. The version is a hash of what was read and of the parameters, so equal
//! versions mean equal values. The entropies are stored, so that pages which come later in the epoch are viewed with them.
//! Such views lack the other pages' terms, and their version says so with a `+`.

use std::collections::VecDeque;
use std::sync::Arc;

use newslode_common::compression;
use newslode_common::message::wire;
use newslode_common::store::{SiteState, StoreError, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::contribution::Table;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::wisdom::{SiteTerms, WisdomParams};
use serde::{Deserialize, Serialize};

use crate::mining::entropy::counted_terms;
use crate::work::archive::read_contribution;
use crate::work::stores::Stores;
use crate::work::values;

/// Maximum number of pages (by URL) whose terms are held, for links to them: some 50 MB.
const MAX_LINKED_PAGES: usize = 20_000;
/// Maximum number of terms of all cached values: some 40 MB.
const MAX_TERMS: usize = 400_000;

/// A site's value.
#[derive(Clone, Debug)]
pub(super) struct SiteValue {
    /// The version.
    pub(super) version: String,
    /// The entropies of its terms, and the terms of its pages.
    pub(super) terms: SiteTerms,
    /// The parameters for finding informative blocks.
    pub(super) wisdom: WisdomParams,
}

/// The entropies of an epoch, as they are stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct StoredEntropies {
    version: String,
    pages: u64,
    /// Each term with its count and its entropy.
    terms: Vec<(String, u64, f64)>,
}

impl SiteValue {
    /// Computes the value of a site with these pages, and stores its entropies.
    ///
    /// # Errors
    /// When a store fails.
    pub(super) async fn for_new_epoch(
        stores: &Stores,
        site: &Site,
        pages: &[(CanonicalUrl, ContentHash)],
    ) -> StoreResult<SiteValue> {
        let wisdom = WisdomParams::default();
        let cells = stores.state.cells(site, Table::Terms).await?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("views 1\n{wisdom:?}\n").as_bytes());
        for (key, count) in &cells {
            hasher.update(format!("{key}\u{1e}{count}\n").as_bytes());
        }
        let counted = counted_terms(&cells, pages.len() as u64);
        drop(cells);
        let mut terms = SiteTerms::new(pages.len() as u64, counted.iter().cloned());
        for (at, (url, content)) in pages.iter().enumerate() {
            hasher.update(format!("{url}\u{1e}{content}\n").as_bytes());
            if at < MAX_LINKED_PAGES
                && let Some(page) = read_contribution(stores.archive.as_ref(), *content).await?
            {
                terms.add_page(url.clone(), &page.terms);
            }
        }
        let version: String = hasher.finalize().to_hex().chars().take(32).collect();
        let kept = StoredEntropies { version: version.clone(), pages: pages.len() as u64, terms: counted };
        kept.write(stores.state.as_ref(), site).await?;
        Ok(SiteValue { version, terms, wisdom })
    }

    /// The value for pages that came later in an epoch; `None` if it is not stored.
    ///
    /// # Errors
    /// When the store fails or holds something else.
    async fn within_epoch(
        state: &dyn SiteState,
        site: &Site,
        epoch: &str,
    ) -> StoreResult<Option<(SiteValue, usize)>> {
        let held = state.value(&value_name(site)).await?;
        // A forgotten site keeps an empty value.
        let Some((_, bytes)) = held.filter(|(_, bytes)| !bytes.is_empty()) else { return Ok(None) };
        let wrong = |reason: String| StoreError::Corrupt(format!("the entropies of {site}: {reason}"));
        let limit = u64::try_from(wire::MAX_BODY).unwrap_or(u64::MAX);
        let plain = compression::decompress(&bytes, limit).map_err(|error| wrong(error.to_string()))?;
        let kept: StoredEntropies = wire::decode(&plain).map_err(|error| wrong(error.to_string()))?;
        if kept.version != epoch {
            return Ok(None);
        }
        let size = kept.terms.len();
        let terms = SiteTerms::new(kept.pages, kept.terms);
        Ok(Some((SiteValue { version: format!("{epoch}+"), terms, wisdom: WisdomParams::default() }, size)))
    }
}

impl StoredEntropies {
    async fn write(&self, state: &dyn SiteState, site: &Site) -> StoreResult<()> {
        let wrong = |reason: String| StoreError::Corrupt(format!("the entropies of {site}: {reason}"));
        let plain = wire::encode(self).map_err(|error| wrong(error.to_string()))?;
        let bytes = compression::compress(&plain).map_err(|error| wrong(error.to_string()))?;
        values::put(state, &value_name(site), bytes).await.map(|_| ())
    }
}

/// The values that a miner keeps between passes; may be lost.
#[derive(Debug, Default)]
pub(super) struct SiteValueCache {
    /// The values with their numbers of terms, those used last at the end.
    kept: VecDeque<(Site, Arc<SiteValue>, usize)>,
}

impl SiteValueCache {
    /// The value for pages that came later in an epoch; `None` if it is neither cached nor stored.
    ///
    /// # Errors
    /// When the store fails or holds something else.
    pub(super) async fn get(
        &mut self,
        state: &dyn SiteState,
        site: &Site,
        epoch: &str,
    ) -> StoreResult<Option<Arc<SiteValue>>> {
        let is_of_epoch = |value: &SiteValue| value.version.strip_suffix('+') == Some(epoch);
        let at = self.kept.iter().position(|(known, _, _)| known == site);
        let known = at.and_then(|at| self.kept.remove(at)).filter(|(_, value, _)| is_of_epoch(value));
        let (value, size) = match known {
            Some((_, value, size)) => (value, size),
            None => match SiteValue::within_epoch(state, site, epoch).await? {
                Some((value, size)) => (Arc::new(value), size),
                None => return Ok(None),
            },
        };
        self.kept.push_back((site.clone(), value.clone(), size));
        while self.kept.len() > 1 && self.kept.iter().map(|(_, _, size)| size).sum::<usize>() > MAX_TERMS {
            self.kept.pop_front();
        }
        Ok(Some(value))
    }
}

/// Forgets the entropies of a removed site.
///
/// # Errors
/// When the store fails.
pub(in crate::work) async fn forget(state: &dyn SiteState, site: &Site) -> StoreResult<()> {
    values::empty(state, &value_name(site)).await
}

fn value_name(site: &Site) -> String {
    format!("entropies/{site}")
}
