//! The registry of concepts in the store: identifiers that last, and the changes of the taxonomy.
//!
//! The value [`REGISTRY`] follows the value of the taxonomy, after each fold that changed it. It is written by compare-and-set:
//! whoever comes second reads both values again, so two miners that fold at once give a concept one identifier. A process that
//! is killed between the two writes leaves the registry behind by one fold, and the next fold catches up.
//!
//! Readers are told each change as an event with a number, after the registry has it: at least once, and always under the same
//! number. Start at [`follow_taxonomy`] and [`announce_changes`].

use anyhow::Context;
use newslode_common::broker::Broker;
use newslode_common::schedule;
use newslode_common::store::{SiteState, StoreError, StoreResult};
use newslode_common::time::iso;
use newslode_page::time::Timestamp;
use serde::Serialize;

use crate::mining::registry::{ChangeKind, Registry, TaxonomyChange};
use crate::mining::taxonomy::Taxonomy;
use crate::work::values::TAXONOMY;

/// Name of the registry's value; its bytes are JSON.
pub const REGISTRY: &str = "concept-registry";
/// The routing key of events of the taxonomy. Those of articles have at least two words, so `*.*.#` selects articles alone.
pub const TAXONOMY_TOPIC: &str = "taxonomy";
/// Number of attempts to write while other writers are first.
const MAX_ATTEMPTS: usize = 8;

/// The registry as it was last written.
///
/// # Errors
/// When the store fails or the value cannot be read.
pub async fn read_registry(state: &dyn SiteState) -> anyhow::Result<Registry> {
    let value = state.value(REGISTRY).await?;
    value.map_or_else(|| Ok(Registry::default()), |(_, bytes)| parse_registry(&bytes))
}

fn parse_registry(bytes: &[u8]) -> anyhow::Result<Registry> {
    serde_json::from_slice(bytes).context("the value `concept-registry` cannot be read")
}

/// Names the bytes of a taxonomy.
fn name_of(bytes: &[u8]) -> u64 {
    schedule::name(&String::from_utf8_lossy(bytes))
}

/// Has the registry follow the stored taxonomy, unless it did already. Returns the number of changes.
///
/// # Errors
/// When the store fails, a value cannot be read, or other miners keep being first.
pub async fn follow_taxonomy(state: &dyn SiteState, now: Timestamp) -> anyhow::Result<usize> {
    for _ in 0..MAX_ATTEMPTS {
        // The registry is read before the taxonomy: if another miner writes a taxonomy in between, the registry that it then
        // writes makes this attempt fail, or follows this one.
        let held = state.value(REGISTRY).await?;
        let Some((_, bytes)) = state.value(TAXONOMY).await? else { return Ok(0) };
        let mut registry =
            held.as_ref().map_or_else(|| Ok(Registry::default()), |(_, held)| parse_registry(held))?;
        let name = name_of(&bytes);
        if registry.followed == name {
            return Ok(0);
        }
        let taxonomy: Taxonomy =
            serde_json::from_slice(&bytes).context("the value `taxonomy` cannot be read")?;
        let changes = registry.follow(&taxonomy, now).len();
        registry.followed = name;
        let written = serde_json::to_vec(&registry)?.into();
        if state.put_value(REGISTRY, held.map(|(version, _)| version), written).await?.is_some() {
            return Ok(changes);
        }
    }
    Err(too_many_writers())
}

/// A change of the taxonomy, as programs get it.
#[derive(Debug, Serialize)]
pub struct ChangeLine<'a> {
    /// Counts all changes from 1.
    pub number: u64,
    /// When it was noticed: ISO 8601, UTC.
    pub at: String,
    /// Identifier of the concept.
    pub id: &'a str,
    /// Its key after the change, or the last one.
    pub key: &'a str,
    /// Its label after the change, or the last one.
    pub label: &'a str,
    /// What happened.
    #[serde(flatten)]
    pub kind: &'a ChangeKind,
}

impl<'a> ChangeLine<'a> {
    /// The line of a change.
    #[must_use]
    pub fn new(change: &'a TaxonomyChange) -> ChangeLine<'a> {
        let TaxonomyChange { number, at, id, key, label, kind } = change;
        ChangeLine { number: *number, at: iso(*at), id, key, label, kind }
    }
}

/// An event of the taxonomy.
#[derive(Debug, Serialize)]
pub struct TaxonomyEvent<'a> {
    /// Always `taxonomy`.
    pub event: &'static str,
    /// What changed.
    #[serde(flatten)]
    pub change: ChangeLine<'a>,
}

impl<'a> TaxonomyEvent<'a> {
    /// The event of a change.
    #[must_use]
    pub fn new(change: &'a TaxonomyChange) -> TaxonomyEvent<'a> {
        TaxonomyEvent { event: "taxonomy", change: ChangeLine::new(change) }
    }
}

/// Tells readers the changes that they were not told yet. `known` is the version of the registry at which they had been told
/// all; returns the one at which they are now.
///
/// # Errors
/// When a store or the broker fails, or other miners keep being first; then it may be repeated.
pub async fn announce_changes(
    state: &dyn SiteState,
    broker: &dyn Broker,
    known: Option<u64>,
) -> anyhow::Result<Option<u64>> {
    let mut told = 0;
    for _ in 0..MAX_ATTEMPTS {
        let Some((version, bytes)) = state.value(REGISTRY).await? else { return Ok(None) };
        if known == Some(version) {
            return Ok(known);
        }
        let mut registry = parse_registry(&bytes)?;
        for change in registry.changes_since(registry.announced.max(told)) {
            let event = serde_json::to_vec(&TaxonomyEvent::new(change))?;
            broker.publish_article(TAXONOMY_TOPIC, &[], event.into()).await?;
            told = change.number;
        }
        if registry.last_number() <= registry.announced {
            return Ok(Some(version));
        }
        registry.announced = registry.last_number();
        let written = serde_json::to_vec(&registry)?.into();
        if let Some(version) = state.put_value(REGISTRY, Some(version), written).await? {
            return Ok(Some(version));
        }
    }
    Err(too_many_writers())
}

fn too_many_writers() -> anyhow::Error {
    let what = format!("other miners keep changing the value `{REGISTRY}`");
    StoreError::Unavailable(what).into()
}

/// What a check of the registry found.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct RegistryCheck {
    /// Identifiers that were ever given.
    pub identifiers: u64,
    /// The registry has not followed the taxonomy yet; the next fold catches up.
    pub is_behind: bool,
    /// What is wrong, in words.
    pub faults: Vec<String>,
}

/// Checks that each concept has exactly one identifier, and that replaced ones lead to others.
///
/// # Errors
/// When the store fails.
pub async fn check_registry(state: &dyn SiteState) -> StoreResult<RegistryCheck> {
    let Some((_, bytes)) = state.value(REGISTRY).await? else {
        let is_behind = state.value(TAXONOMY).await?.is_some();
        return Ok(RegistryCheck { is_behind, ..RegistryCheck::default() });
    };
    let registry = match parse_registry(&bytes) {
        Ok(registry) => registry,
        Err(error) => {
            return Ok(RegistryCheck { faults: vec![format!("{error:#}")], ..RegistryCheck::default() });
        }
    };
    let taxonomy = state.value(TAXONOMY).await?;
    let followed = taxonomy.filter(|(_, bytes)| name_of(bytes) == registry.followed);
    let is_behind = followed.is_none();
    let taxonomy: Option<Taxonomy> = followed.and_then(|(_, bytes)| serde_json::from_slice(&bytes).ok());
    let faults = registry.faults(taxonomy.as_ref());
    Ok(RegistryCheck { identifiers: registry.entries.len() as u64, is_behind, faults })
}
