//! The versioned value of a site that views are computed with: its terms' entropies and its pages' terms.
//!
//! Read from the site's sums and from the archived contributions, while pages may still be counted; the
//! version names exactly what was read (and the parameters), so equal versions are equal values.

use newslode_common::store::StoreError;
use newslode_common::version::{ContentHash, Version};
use newslode_page::contribution::Table;
use newslode_page::reading::{CanonicalUrl, Site};
use newslode_page::wisdom::{SiteTerms, WisdomParams};

use crate::mining::entropy::site_terms;
use crate::work::archive::contribution;
use crate::work::parts::Parts;

/// Pages that anchors may lead to are known up to this number (by URL): some 50 MB.
const MOST_LINKED: usize = 20_000;

/// A site's counted pages, removed ones included.
pub(super) type Pages = Vec<(CanonicalUrl, Version)>;

/// What views know of a site.
#[derive(Clone, Debug)]
pub(super) struct SiteValue {
    /// Names all of it.
    pub(super) version: String,
    /// The entropies of its terms, and which of them its pages hold.
    pub(super) terms: SiteTerms,
    /// By what informative blocks are found.
    pub(super) wisdom: WisdomParams,
}

impl SiteValue {
    /// Reads the value of a site with these pages.
    pub(super) async fn read(
        parts: &Parts,
        site: &Site,
        pages: Pages,
        wisdom: WisdomParams,
    ) -> Result<SiteValue, StoreError> {
        let counted = pages.into_iter().map(|(url, version)| (url, version.content));
        let pages: Vec<_> = counted.filter(|(_, content)| *content != ContentHash::NONE).collect();
        let cells = parts.state.cells(site, Table::Terms).await?;
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("views 1\n{wisdom:?}\n").as_bytes());
        for (key, count) in &cells {
            hasher.update(format!("{key}\u{1e}{count}\n").as_bytes());
        }
        let mut terms = site_terms(&cells, pages.len() as u64);
        drop(cells);
        for (at, (url, content)) in pages.iter().enumerate() {
            hasher.update(format!("{url}\u{1e}{content}\n").as_bytes());
            if at < MOST_LINKED
                && let Some(page) = contribution(parts, *content).await?
            {
                terms.add_page(url.clone(), &page.terms);
            }
        }
        let version = hasher.finalize().to_hex().chars().take(32).collect();
        Ok(SiteValue { version, terms, wisdom })
    }
}
