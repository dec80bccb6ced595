//! The own scheme of each site, as the store keeps it, and the places of articles by it.
//!
//! A scheme is the value `scheme/SITE`: the number of a format, then a packed [`SiteScheme`]. The places of an article are never
//! stored: they are found when the article is written out, by the scheme and the slots that are archived beside its
//! contribution. [`crate::work::places`] learns schemes. Start at [`place_finder`] and [`places_of`].

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use newslode_common::compression;
use newslode_common::message::wire;
use newslode_common::store::{PageArchive, SiteState, StoreError, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::article::Article;
use newslode_page::reading::{CanonicalUrl, Site};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::mining::site_scheme::{Place, PlaceFinder, SiteScheme};
use crate::work::archive::read_counted;

/// Number of the stored format.
const FORMAT: u8 = 1;
/// Maximum size of a scheme before it is packed; one of 20,000 tags has some 3 MB.
const MAX_BYTES: u64 = 64 << 20;
/// Most sites whose schemes are kept in memory, and for how long another miner's scheme may be missed.
const MOST_CACHED: usize = 64;
const FRESH: Duration = Duration::from_secs(60);

/// The scheme of a site; `None` if none was learnt yet.
///
/// # Errors
/// When the store fails or holds something else.
pub async fn read_scheme(state: &dyn SiteState, site: &Site) -> StoreResult<Option<SiteScheme>> {
    let held = state.value(&value_name(site)).await?;
    // A forgotten site keeps an empty value.
    let Some((_, bytes)) = held.filter(|(_, bytes)| !bytes.is_empty()) else { return Ok(None) };
    unpack(&bytes).map(Some).map_err(|reason| corrupt(&value_name(site), &reason))
}

/// What finds the places of a site's articles; without a scheme it finds none.
///
/// # Errors
/// As [`read_scheme`].
pub async fn place_finder(state: &dyn SiteState, site: &Site) -> StoreResult<PlaceFinder> {
    Ok(PlaceFinder::new(read_scheme(state, site).await?.unwrap_or_default()))
}

/// The places of the article that counts with this content, best first.
///
/// # Errors
/// When the archive fails.
pub async fn places_of(
    finder: &PlaceFinder,
    archive: &dyn PageArchive,
    (url, content): (&CanonicalUrl, ContentHash),
    article: &Article,
) -> StoreResult<Vec<Place>> {
    if finder.scheme().is_empty() {
        return Ok(Vec::new());
    }
    let slots = read_counted(archive, content).await?.map(|counted| counted.slots).unwrap_or_default();
    Ok(finder.places_of(url, &article.authors, &slots))
}

/// The schemes that a miner used last, for the places of articles in events.
#[derive(Default)]
pub struct PlaceCache(Mutex<HashMap<Site, (Instant, Arc<PlaceFinder>)>>);

impl PlaceCache {
    /// The places of an article that is archived under this content, best first. A scheme that another miner has just learnt
    /// may be missed.
    ///
    /// # Errors
    /// When a store fails.
    pub async fn places_of(
        &self,
        state: &dyn SiteState,
        archive: &dyn PageArchive,
        page: (&CanonicalUrl, ContentHash),
        article: &Article,
    ) -> StoreResult<Vec<Place>> {
        let site = page.0.site();
        let known = self
            .lock()
            .get(&site)
            .filter(|(read, _)| read.elapsed() < FRESH)
            .map(|(_, finder)| finder.clone());
        let finder = match known {
            Some(finder) => finder,
            None => {
                let finder = Arc::new(place_finder(state, &site).await?);
                self.keep(&site, finder.clone());
                finder
            }
        };
        places_of(&finder, archive, page, article).await
    }

    /// Has a site's scheme read again.
    pub(super) fn forget(&self, site: &Site) {
        self.lock().remove(site);
    }

    fn keep(&self, site: &Site, finder: Arc<PlaceFinder>) {
        let mut kept = self.lock();
        if kept.len() >= MOST_CACHED
            && let Some(oldest) = kept.iter().min_by_key(|(_, (read, _))| *read).map(|(site, _)| site.clone())
        {
            kept.remove(&oldest);
        }
        kept.insert(site.clone(), (Instant::now(), finder));
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<Site, (Instant, Arc<PlaceFinder>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A scheme, or what is made of it, as it is stored.
pub(super) fn pack<T: Serialize>(value: &T) -> anyhow::Result<Vec<u8>> {
    let plain = wire::encode(value)?;
    let mut bytes = vec![FORMAT];
    bytes.extend(compression::compress(&plain)?);
    Ok(bytes)
}

/// What [`pack`] packed, also before the last fields of the type were added.
pub(super) fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let (format, packed) = bytes.split_first().ok_or("it is empty")?;
    if *format != FORMAT {
        return Err(format!("it has format {format}, this version reads format {FORMAT}"));
    }
    let plain = compression::decompress(packed, MAX_BYTES).map_err(|error| error.to_string())?;
    wire::decode_without_last(&plain).map_err(|error| error.to_string())
}

/// The error of a value that cannot be read.
pub(super) fn corrupt(name: &str, reason: &str) -> StoreError {
    StoreError::Corrupt(format!("the value `{name}`: {reason}"))
}

/// The name of the value that holds the scheme of a site.
pub(super) fn value_name(site: &Site) -> String {
    format!("scheme/{site}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scheme_that_was_stored_before_there_was_a_tree_is_read() {
        let plain = wire::encode(&SiteScheme::default()).unwrap();
        let stored = |plain: &[u8]| {
            let mut bytes = vec![FORMAT];
            bytes.extend(compression::compress(plain).unwrap());
            bytes
        };
        assert_eq!(unpack::<SiteScheme>(&stored(&plain)), Ok(SiteScheme::default()));
        assert_eq!(unpack::<SiteScheme>(&stored(&plain[..plain.len() - 1])), Ok(SiteScheme::default()));
        assert!(unpack::<SiteScheme>(&stored(&[plain.as_slice(), &[7]].concat())).is_err());
    }
}
