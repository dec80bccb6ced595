//! The summary cache as it is saved in the store, so that the next leader need not read all sites.
//!
//! There is a [`Head`], and for each site its part ([`SavedPart`]) and the labels that it links ([`SavedLabels`]). Parts are
//! written before the head, under the writer's number. The head says up to which log positions all parts of its number are
//! right. A writer that was interrupted, or two that write at once, leave parts of another number than the head's, or labels
//! of another position than the part's; such sites are read whole. The head also names the incarnation of the store's server:
//! a server that lost its last writes may have given their positions to other entries since.

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

/// Number of the format of all these values.
const FORMAT: u8 = 1;
/// Name of the head's value.
const HEAD: &str = "followed";

/// What holds for all parts.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Head {
    /// The number of the writer of the parts.
    writer: u64,
    /// The incarnation of the store's server.
    incarnation: String,
    /// Labels that were frequent.
    frequent: Vec<u8>,
    /// For each bucket, the log position up to which its sites' parts are right.
    pub(super) read: BTreeMap<u16, u64>,
    sites: Vec<String>,
}

/// The part of a site.
#[derive(Debug, Serialize, Deserialize)]
struct SavedPart {
    writer: u64,
    /// The log position at which it was written.
    position: u64,
    part: StoredPart,
    /// The position of the saved labels, and the changes since.
    base: u64,
    came: Vec<u64>,
    went: Vec<u64>,
}

/// The labels that a site linked.
#[derive(Debug, Serialize, Deserialize)]
struct SavedLabels {
    position: u64,
    labels: Vec<u8>,
}

/// A site as it was saved.
pub(super) struct SavedSite {
    pub(super) part: Part,
    pub(super) linked: Linked,
    pub(super) base: u64,
    /// The labels that it links.
    pub(super) labels: Vec<u64>,
    /// The log position up to which all this is right.
    pub(super) position: u64,
}

/// A number that no other writer has.
pub(super) fn random_writer() -> u64 {
    RandomState::new().build_hasher().finish()
}

impl Head {
    /// The head for parts that include the logs up to these positions.
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

    /// The head, if the last leader saved one in this incarnation of the store's server.
    pub(super) async fn read(state: &dyn SiteState, incarnation: &str) -> StoreResult<Option<Head>> {
        let head: Option<Head> = read_value(state, HEAD).await?;
        Ok(head.filter(|head| head.incarnation == incarnation))
    }

    pub(super) async fn write(&self, state: &dyn SiteState) -> StoreResult<()> {
        write_value(state, HEAD, self).await
    }

    pub(super) fn frequent(&self) -> Frequent {
        linked::unpack(&self.frequent).unwrap_or_default().into_iter().collect()
    }

    pub(super) fn sites(&self) -> impl Iterator<Item = Site> {
        self.sites.iter().map(|site| Site::of_host(site))
    }

    /// A saved site; `None` if it must be read whole.
    pub(super) async fn site(
        &self,
        state: &dyn SiteState,
        site: &Site,
        bucket: u16,
        frequent: &Frequent,
    ) -> StoreResult<Option<SavedSite>> {
        let Some(saved) = read_value::<SavedPart>(state, &part_name(site)).await? else { return Ok(None) };
        if saved.writer != self.writer {
            return Ok(None);
        }
        let Some(base) = labels(state, site, saved.base).await? else { return Ok(None) };
        let linked = Linked::restored(base.len(), &saved.came, &saved.went);
        let Some(part) = Part::restored(site.clone(), saved.part, frequent) else { return Ok(None) };
        let position = self.read.get(&bucket).copied().unwrap_or(0).max(saved.position);
        Ok(Some(SavedSite { part, labels: linked.labels(&base), linked, base: saved.base, position }))
    }
}

/// Writes a site's part, under the writer's number, at a position of its log.
pub(super) async fn write_part(
    state: &dyn SiteState,
    site: &Site,
    (writer, position): (u64, u64),
    part: StoredPart,
    (base, linked): (u64, &Linked),
) -> StoreResult<()> {
    let [came, went] = linked.changes();
    write_value(state, &part_name(site), &SavedPart { writer, position, part, base, came, went }).await
}

/// The labels that a site linked at a position, in order; `None` if they are not saved.
pub(super) async fn labels(
    state: &dyn SiteState,
    site: &Site,
    position: u64,
) -> StoreResult<Option<Vec<u64>>> {
    if position == 0 {
        return Ok(Some(Vec::new()));
    }
    let saved: Option<SavedLabels> = read_value(state, &labels_name(site)).await?;
    Ok(saved.filter(|saved| saved.position == position).and_then(|saved| linked::unpack(&saved.labels)))
}

/// Writes the labels that a site links.
pub(super) async fn write_labels(
    state: &dyn SiteState,
    site: &Site,
    position: u64,
    labels: &[u64],
) -> StoreResult<()> {
    write_value(state, &labels_name(site), &SavedLabels { position, labels: linked::pack(labels) }).await
}

/// Deletes what is saved of a removed site.
///
/// # Errors
/// When the store fails.
pub(in crate::work) async fn forget(state: &dyn SiteState, site: &Site) -> StoreResult<()> {
    values::empty(state, &part_name(site)).await?;
    values::empty(state, &labels_name(site)).await
}

fn part_name(site: &Site) -> String {
    format!("followed/{site}/part")
}

fn labels_name(site: &Site) -> String {
    format!("followed/{site}/labels")
}

/// Reads a value of our format. Anything else counts as none, since the values only save work.
async fn read_value<T: DeserializeOwned>(state: &dyn SiteState, name: &str) -> StoreResult<Option<T>> {
    let Some((_, bytes)) = state.value(name).await? else { return Ok(None) };
    let body = bytes.split_first().filter(|(form, _)| **form == FORMAT).map(|(_, body)| body);
    Ok(body.and_then(|body| wire::decode(body).ok()))
}

async fn write_value<T: Serialize>(state: &dyn SiteState, name: &str, value: &T) -> StoreResult<()> {
    let body =
        wire::encode(value).map_err(|error| StoreError::Corrupt(format!("the value `{name}`: {error}")))?;
    let mut bytes = vec![FORMAT];
    bytes.extend(body);
    values::put(state, name, bytes).await.map(|_| ())
}
