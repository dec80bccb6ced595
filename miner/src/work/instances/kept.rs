//! The instances of a site that are no articles, as a value of the store. Start at [`Kept`].

use std::collections::{BTreeMap, BTreeSet};

use newslode_common::compression;
use newslode_common::message::wire;
use newslode_common::store::{SiteState, StoreError, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::reading::{CanonicalUrl, Site};
use serde::{Deserialize, Serialize};

use super::listing::{Digest, Listing};
use crate::mining::instances::Instance;
use crate::work::values;

/// Number of the stored form; it changes with the form, and with how instances are read.
const FORM: u8 = 1;
/// The most bytes of a site before they are packed. Of the pages with the longest instances only the inputs are kept.
const MOST_BYTES: usize = 1 << 20;

/// What is kept of a site.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Kept {
    /// Stands for the site as it was; while it is the same, nothing needs to be read again.
    pub(super) seen: Digest,
    /// Listed pages that are articles, by the beginning of their contents' names.
    pub(super) articles: BTreeSet<u64>,
    /// Its concept pages.
    pub(super) pages: BTreeMap<CanonicalUrl, KeptPage>,
}

/// What is kept of a concept page.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KeptPage {
    pub(super) inputs: Digest,
    /// None if they are too long to be kept.
    pub(super) instances: Option<Vec<Instance>>,
}

impl Kept {
    /// What is kept of a site, and the value's version; nothing if it cannot be read.
    pub(super) async fn read(state: &dyn SiteState, site: &Site) -> StoreResult<(Option<u64>, Kept)> {
        let Some((version, bytes)) = state.value(&name(site)).await? else {
            return Ok((None, Kept::default()));
        };
        let kept = unpack(&bytes).unwrap_or_else(|reason| {
            tracing::debug!(%site, reason, "cannot read the cached instances of a site; reading its pages again");
            Kept::default()
        });
        Ok((Some(version), kept))
    }

    /// Takes out what is kept of a concept page with these inputs.
    pub(super) fn take(&mut self, listing: &Listing) -> Option<KeptPage> {
        self.pages.remove(&listing.page).filter(|page| page.inputs == listing.inputs())
    }

    /// Writes it over the version that was read. Returns false if somebody else wrote meanwhile.
    pub(super) async fn write(
        self,
        state: &dyn SiteState,
        site: &Site,
        over: Option<u64>,
    ) -> StoreResult<bool> {
        let packed = tokio::task::spawn_blocking(move || pack(self, MOST_BYTES)).await;
        let bytes = packed.map_err(|panic| panic.to_string()).and_then(|packed| packed);
        let bytes = bytes.map_err(|reason| {
            StoreError::Refused(format!("cannot pack the instances of {site}: {reason}"))
        })?;
        Ok(state.put_value(&name(site), over, bytes.into()).await?.is_some())
    }
}

/// The member of [`Kept::articles`] for a content.
pub(super) fn short(content: ContentHash) -> u64 {
    content.0.first_chunk().map_or(0, |first| u64::from_le_bytes(*first))
}

/// Forgets what is kept of a site.
///
/// # Errors
/// When the store fails.
pub(in crate::work) async fn forget(state: &dyn SiteState, site: &Site) -> StoreResult<()> {
    values::empty(state, &name(site)).await
}

fn name(site: &Site) -> String {
    format!("instances/{site}")
}

fn pack(mut kept: Kept, most: usize) -> Result<Vec<u8>, String> {
    let mut plain = encode(&kept)?;
    let mut sizes = Vec::new();
    if plain.len() > most {
        for (url, page) in &kept.pages {
            sizes.push((encode(&page.instances)?.len(), url.clone()));
        }
        sizes.sort();
    }
    let mut bytes = plain.len();
    while bytes > most
        && let Some((size, url)) = sizes.pop()
    {
        kept.pages.get_mut(&url).into_iter().for_each(|page| page.instances = None);
        bytes -= size;
    }
    if bytes < plain.len() {
        plain = encode(&kept)?;
    }
    let mut packed = vec![FORM];
    packed.extend(compression::compress(&plain).map_err(|error| error.to_string())?);
    Ok(packed)
}

fn encode(value: &impl Serialize) -> Result<Vec<u8>, String> {
    wire::encode(value).map_err(|error| error.to_string())
}

fn unpack(bytes: &[u8]) -> Result<Kept, String> {
    let (form, packed) = bytes.split_first().ok_or("it is empty")?;
    if *form != FORM {
        return Err(format!("it has form {form}, this version reads form {FORM}"));
    }
    // What is kept beside the instances is short.
    let plain = compression::decompress(packed, 4 * MOST_BYTES as u64).map_err(|error| error.to_string())?;
    wire::decode(&plain).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use newslode_page::tagging::Pair;

    use super::*;

    fn url(number: usize) -> CanonicalUrl {
        format!("https://a.test/{number}").parse().unwrap()
    }

    fn kept() -> Kept {
        let instance = |number: usize| Instance {
            url: url(number),
            attributes: Vec::new(),
            pairs: vec![Pair { label: "Length".into(), value: "1".repeat(number) }],
        };
        let page = |number: usize| KeptPage {
            inputs: [number as u8; 16],
            instances: Some((1..number).map(instance).collect()),
        };
        Kept { seen: [7; 16], articles: [3, 5].into(), pages: (2..9).map(|n| (url(n), page(n))).collect() }
    }

    #[test]
    fn of_too_many_instances_the_longest_lists_go() {
        let all = pack(kept(), MOST_BYTES).unwrap();
        assert_eq!(unpack(&all).unwrap(), kept());
        let fewer = unpack(&pack(kept(), 700).unwrap()).unwrap();
        assert!(encode(&fewer).unwrap().len() <= 700);
        let held = |kept: &Kept| kept.pages.values().map(|page| page.instances.is_some()).collect::<Vec<_>>();
        // The longest list is the last.
        let (short, long) = (held(&fewer)[..2].to_vec(), held(&fewer)[5..].to_vec());
        assert_eq!((short, long), (vec![true; 2], vec![false; 2]));
        assert_eq!(fewer.pages.len(), 7, "their inputs are kept");
    }

    #[tokio::test]
    async fn what_cannot_be_read_is_nothing() {
        let (store, site) = (newslode_common::store::redb::RedbStore::in_memory().unwrap(), url(1).site());
        let good = pack(kept(), MOST_BYTES).unwrap();
        let mut newer = good.clone();
        newer[0] = FORM + 1;
        for bytes in [Vec::new(), newer, good[..good.len() / 2].to_vec(), vec![FORM]] {
            values::put(&store, &name(&site), bytes).await.unwrap();
            assert_eq!(Kept::read(&store, &site).await.unwrap().1, Kept::default());
        }
        values::put(&store, &name(&site), good).await.unwrap();
        let (version, read) = Kept::read(&store, &site).await.unwrap();
        assert_eq!(read, kept());
        assert!(read.write(&store, &site, version).await.unwrap());
        assert!(!kept().write(&store, &site, version).await.unwrap(), "somebody else wrote");
        forget(&store, &site).await.unwrap();
        assert_eq!(Kept::read(&store, &site).await.unwrap().1, Kept::default());
    }
}
