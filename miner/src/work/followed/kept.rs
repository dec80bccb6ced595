//! What a follower keeps in the store, so that whoever follows next need not read all sites.
//!
//! There is a [`Head`], and for each site its part ([`KeptPart`]) and the labels that it links ([`KeptLabels`]). Parts are
//! written before the head, under the follower's number. The head says through which positions all parts of its
//! number are right. A follower that was interrupted, or two that write at once, leave parts that the head does not
//! mean, or labels of another time than the part means: such a site is read whole. The head names the run of the
//! store's server, too: one that lost its last writes may have given their positions to others since.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};

use newslode_common::message::wire;
use newslode_common::store::{SiteState, StoreError, StoreResult};
use newslode_page::reading::Site;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::mining::linked::{self, Linked};
use crate::mining::part::{Part, StoredPart};
use crate::mining::world::Frequent;
use crate::work::values;

/// Number of the form of all these values.
const FORM: u8 = 1;
/// Name of the head's value.
const HEAD: &str = "followed";

/// What is true of all parts.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Head {
    /// The number of the follower that wrote the parts.
    writer: u64,
    /// The run of the store's server.
    incarnation: String,
    /// Labels that were frequent.
    frequent: Vec<u8>,
    /// For each bucket, the position through which its sites' parts are right.
    pub(super) read: BTreeMap<u16, u64>,
    sites: Vec<String>,
}

/// The part of a site.
#[derive(Debug, Serialize, Deserialize)]
struct KeptPart {
    writer: u64,
    /// Where the log was when it was written.
    position: u64,
    part: StoredPart,
    /// The position of the labels, and what came and went since.
    base: u64,
    came: Vec<u64>,
    went: Vec<u64>,
}

/// The labels that a site linked.
#[derive(Debug, Serialize, Deserialize)]
struct KeptLabels {
    position: u64,
    labels: Vec<u8>,
}

/// A site as it was kept.
pub(super) struct Restored {
    pub(super) part: Part,
    pub(super) linked: Linked,
    pub(super) base: u64,
    /// The labels that it links.
    pub(super) labels: Vec<u64>,
    /// The position through which all this is right.
    pub(super) position: u64,
}

/// A number that no other follower has.
pub(super) fn number() -> u64 {
    RandomState::new().build_hasher().finish()
}

impl Head {
    /// The head of a follower that has read the logs so far.
    pub(super) fn new<'s>(
        writer: u64,
        incarnation: String,
        frequent: &Frequent,
        read: BTreeMap<u16, u64>,
        sites: impl Iterator<Item = &'s Site>,
    ) -> Head {
        let mut frequent: Vec<u64> = frequent.iter().copied().collect();
        frequent.sort_unstable();
        let sites = sites.map(|site| site.as_str().to_owned()).collect();
        Head { writer, incarnation, frequent: linked::pack(&frequent), read, sites }
    }

    /// The head, if the last follower left one in this run of the store's server.
    pub(super) async fn read(state: &dyn SiteState, incarnation: &str) -> StoreResult<Option<Head>> {
        let head: Option<Head> = read(state, HEAD).await?;
        Ok(head.filter(|head| head.incarnation == incarnation))
    }

    pub(super) async fn write(&self, state: &dyn SiteState) -> StoreResult<()> {
        write(state, HEAD, self).await
    }

    pub(super) fn frequent(&self) -> Frequent {
        linked::unpack(&self.frequent).unwrap_or_default().into_iter().collect()
    }

    pub(super) fn sites(&self) -> impl Iterator<Item = Site> {
        self.sites.iter().map(|site| Site::of_host(site))
    }

    /// A site as this head means it; `None` if it must be read whole.
    pub(super) async fn site(
        &self,
        state: &dyn SiteState,
        site: &Site,
        bucket: u16,
        frequent: &Frequent,
    ) -> StoreResult<Option<Restored>> {
        let Some(kept) = read::<KeptPart>(state, &of_part(site)).await? else { return Ok(None) };
        if kept.writer != self.writer {
            return Ok(None);
        }
        let Some(base) = labels(state, site, kept.base).await? else { return Ok(None) };
        let linked = Linked::restored(base.len(), &kept.came, &kept.went);
        let Some(part) = Part::restored(site.clone(), kept.part, frequent) else { return Ok(None) };
        let position = self.read.get(&bucket).copied().unwrap_or(0).max(kept.position);
        Ok(Some(Restored { part, labels: linked.now(&base), linked, base: kept.base, position }))
    }
}

/// Writes a site's part. `position`: where its log is.
pub(super) async fn write_part(
    state: &dyn SiteState,
    site: &Site,
    (writer, position): (u64, u64),
    part: StoredPart,
    (base, linked): (u64, &Linked),
) -> StoreResult<()> {
    let [came, went] = linked.changes();
    write(state, &of_part(site), &KeptPart { writer, position, part, base, came, went }).await
}

/// The labels that a site linked at a position, in order; `None` if these are not kept.
pub(super) async fn labels(
    state: &dyn SiteState,
    site: &Site,
    position: u64,
) -> StoreResult<Option<Vec<u64>>> {
    if position == 0 {
        return Ok(Some(Vec::new()));
    }
    let kept: Option<KeptLabels> = read(state, &of_labels(site)).await?;
    Ok(kept.filter(|kept| kept.position == position).and_then(|kept| linked::unpack(&kept.labels)))
}

/// Writes the labels that a site links.
pub(super) async fn write_labels(
    state: &dyn SiteState,
    site: &Site,
    position: u64,
    labels: &[u64],
) -> StoreResult<()> {
    write(state, &of_labels(site), &KeptLabels { position, labels: linked::pack(labels) }).await
}

/// Forgets what is kept of a removed site.
///
/// # Errors
/// When the store fails.
pub(in crate::work) async fn forget(state: &dyn SiteState, site: &Site) -> StoreResult<()> {
    values::empty(state, &of_part(site)).await?;
    values::empty(state, &of_labels(site)).await
}

fn of_part(site: &Site) -> String {
    format!("followed/{site}/part")
}

fn of_labels(site: &Site) -> String {
    format!("followed/{site}/labels")
}

/// A value of our form. Whatever else is there is none: it only saves work.
async fn read<T: DeserializeOwned>(state: &dyn SiteState, name: &str) -> StoreResult<Option<T>> {
    let Some((_, bytes)) = state.value(name).await? else { return Ok(None) };
    let body = bytes.split_first().filter(|(form, _)| **form == FORM).map(|(_, body)| body);
    Ok(body.and_then(|body| wire::decode(body).ok()))
}

async fn write<T: Serialize>(state: &dyn SiteState, name: &str, value: &T) -> StoreResult<()> {
    let body =
        wire::encode(value).map_err(|error| StoreError::Corrupt(format!("the value `{name}`: {error}")))?;
    let mut bytes = vec![FORM];
    bytes.extend(body);
    values::put(state, name, bytes).await.map(|_| ())
}
