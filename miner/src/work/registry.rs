//! The registry of concepts in the store: identifiers that last, and the changes of the taxonomy.
//!
//! The value [`REGISTRY`] follows the value of the taxonomy, after each fold that changed it. It is written by compare-and-set:
//! whoever comes second reads both values again, so two miners that fold at once give a concept one identifier. A process that
//! is killed between the two writes leaves the registry behind by one fold, and the next fold catches up. Start at
//! [`follow_taxonomy`].

use anyhow::Context;
use newslode_common::schedule;
use newslode_common::store::{SiteState, StoreError, StoreResult};
use newslode_page::time::Timestamp;

use crate::mining::registry::Registry;
use crate::mining::taxonomy::Taxonomy;
use crate::work::values::TAXONOMY;

/// Name of the registry's value; its bytes are JSON.
pub const REGISTRY: &str = "concept-registry";
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
    let what = format!("other miners keep changing the value `{REGISTRY}`");
    Err(StoreError::Unavailable(what).into())
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
