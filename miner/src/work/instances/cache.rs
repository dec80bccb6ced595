//! The cached instances of a site, as a value of the store; articles are left out. Start at [`CachedSite`].

use std::collections::{BTreeMap, BTreeSet};

use newslode_common::compression;
use newslode_common::message::wire;
use newslode_common::store::{SiteState, StoreError, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::reading::{CanonicalUrl, Site};
use serde::{Deserialize, Serialize};

use super::concept_page::{ConceptPageLinks, InputHash};
use crate::mining::instances::Instance;
use crate::work::values;

/// Number of the stored format. It changes with the format, and with how instances are read.
const FORMAT: u8 = 1;
/// Maximum size of a site before it is packed. Of the pages with the longest instances only the inputs are cached then.
const MAX_BYTES: usize = 1 << 20;

/// The cached instances of a site.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CachedSite {
    /// Hash of the site's inputs; while it is the same, nothing needs to be read again.
    pub(super) seen: InputHash,
    /// Listed pages that are articles, by the first bytes of their content hashes.
    pub(super) articles: BTreeSet<u64>,
    /// Its concept pages.
    pub(super) pages: BTreeMap<CanonicalUrl, CachedPage>,
}

/// The cached instances of a concept page.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CachedPage {
    pub(super) inputs: InputHash,
    /// `None` if they are too large to be cached.
    pub(super) instances: Option<Vec<Instance>>,
}

impl CachedSite {
    /// The cache of a site, and the value's version; an empty cache if it cannot be read.
    pub(super) async fn read(state: &dyn SiteState, site: &Site) -> StoreResult<(Option<u64>, CachedSite)> {
        let Some((version, bytes)) = state.value(&value_name(site)).await? else {
            return Ok((None, CachedSite::default()));
        };
        let cache = unpack(&bytes).unwrap_or_else(|reason| {
            tracing::debug!(%site, reason, "cannot read the cached instances of a site; reading its pages again");
            CachedSite::default()
        });
        Ok((Some(version), cache))
    }

    /// Removes and returns the cache of a concept page, if its inputs are still the same.
    pub(super) fn take(&mut self, links: &ConceptPageLinks) -> Option<CachedPage> {
        self.pages.remove(&links.page).filter(|page| page.inputs == links.inputs())
    }

    /// Writes it over the version that was read. Returns false if somebody else wrote meanwhile.
    pub(super) async fn write(
        self,
        state: &dyn SiteState,
        site: &Site,
        over: Option<u64>,
    ) -> StoreResult<bool> {
        let packed = tokio::task::spawn_blocking(move || pack(self, MAX_BYTES)).await;
        let bytes = packed.map_err(|panic| panic.to_string()).and_then(|packed| packed);
        let bytes = bytes.map_err(|reason| {
            StoreError::Refused(format!("cannot pack the instances of {site}: {reason}"))
        })?;
        Ok(state.put_value(&value_name(site), over, bytes.into()).await?.is_some())
    }
}

/// The first bytes of a content hash: a member of [`CachedSite::articles`].
pub(super) fn content_prefix(content: ContentHash) -> u64 {
    content.0.first_chunk().map_or(0, |first| u64::from_le_bytes(*first))
}

/// Deletes the cache of a site.
///
/// # Errors
/// When the store fails.
pub(in crate::work) async fn forget(state: &dyn SiteState, site: &Site) -> StoreResult<()> {
    values::empty(state, &value_name(site)).await
}

fn value_name(site: &Site) -> String {
    format!("instances/{site}")
}

fn pack(mut cache: CachedSite, most: usize) -> Result<Vec<u8>, String> {
    let mut plain = encode(&cache)?;
    let mut sizes = Vec::new();
    if plain.len() > most {
        for (url, page) in &cache.pages {
            sizes.push((encode(&page.instances)?.len(), url.clone()));
        }
        sizes.sort();
    }
    let mut bytes = plain.len();
    while bytes > most
        && let Some((size, url)) = sizes.pop()
    {
        cache.pages.get_mut(&url).into_iter().for_each(|page| page.instances = None);
        bytes -= size;
    }
    if bytes < plain.len() {
        plain = encode(&cache)?;
    }
    let mut packed = vec![FORMAT];
    packed.extend(compression::compress(&plain).map_err(|error| error.to_string())?);
    Ok(packed)
}

fn encode(value: &impl Serialize) -> Result<Vec<u8>, String> {
    wire::encode(value).map_err(|error| error.to_string())
}

fn unpack(bytes: &[u8]) -> Result<CachedSite, String> {
    let (format, packed) = bytes.split_first().ok_or("it is empty")?;
    if *format != FORMAT {
        return Err(format!("it has format {format}, this version reads format {FORMAT}"));
    }
    // Without instances a site takes few bytes.
    let plain = compression::decompress(packed, 4 * MAX_BYTES as u64).map_err(|error| error.to_string())?;
    wire::decode(&plain).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use newslode_page::tagging::Pair;

    use super::*;

    fn url(number: usize) -> CanonicalUrl {
        format!("https://a.test/{number}").parse().unwrap()
    }

    fn cache() -> CachedSite {
        let instance = |number: usize| Instance {
            url: url(number),
            attributes: Vec::new(),
            pairs: vec![Pair { label: "Length".into(), value: "1".repeat(number) }],
        };
        let page = |number: usize| CachedPage {
            inputs: [number as u8; 16],
            instances: Some((1..number).map(instance).collect()),
        };
        CachedSite {
            seen: [7; 16],
            articles: [3, 5].into(),
            pages: (2..9).map(|n| (url(n), page(n))).collect(),
        }
    }

    #[test]
    fn a_large_site_leaves_out_its_longest_lists() {
        let all = pack(cache(), MAX_BYTES).unwrap();
        assert_eq!(unpack(&all).unwrap(), cache());
        let fewer = unpack(&pack(cache(), 700).unwrap()).unwrap();
        assert!(encode(&fewer).unwrap().len() <= 700);
        let held = |cache: &CachedSite| {
            cache.pages.values().map(|page| page.instances.is_some()).collect::<Vec<_>>()
        };
        // The longest list is the last.
        let (short, long) = (held(&fewer)[..2].to_vec(), held(&fewer)[5..].to_vec());
        assert_eq!((short, long), (vec![true; 2], vec![false; 2]));
        assert_eq!(fewer.pages.len(), 7, "their inputs are cache");
    }

    #[tokio::test]
    async fn a_value_that_cannot_be_read_is_an_empty_cache() {
        let (store, site) = (newslode_common::store::redb::RedbStore::in_memory().unwrap(), url(1).site());
        let good = pack(cache(), MAX_BYTES).unwrap();
        let mut newer = good.clone();
        newer[0] = FORMAT + 1;
        for bytes in [Vec::new(), newer, good[..good.len() / 2].to_vec(), vec![FORMAT]] {
            values::put(&store, &value_name(&site), bytes).await.unwrap();
            assert_eq!(CachedSite::read(&store, &site).await.unwrap().1, CachedSite::default());
        }
        values::put(&store, &value_name(&site), good).await.unwrap();
        let (version, read) = CachedSite::read(&store, &site).await.unwrap();
        assert_eq!(read, cache());
        assert!(read.write(&store, &site, version).await.unwrap());
        assert!(!cache().write(&store, &site, version).await.unwrap(), "somebody else wrote");
        forget(&store, &site).await.unwrap();
        assert_eq!(CachedSite::read(&store, &site).await.unwrap().1, CachedSite::default());
    }
}
