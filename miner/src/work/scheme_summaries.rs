//! What the sites' own schemes say to the taxonomy: written with each scheme, read by the fold.
//!
//! A summary is the value `scheme-summary/SITE`. The value [`INDEX`] names the content of each, so that a fold reads only those
//! that changed. Whoever learns a scheme writes the summary first, then its name in the index; an interrupted pass is repeated
//! and writes both again. Start at [`SchemeSummaries::refresh`].

use std::collections::BTreeMap;
use std::sync::Arc;

use newslode_common::message::wire;
use newslode_common::store::{SiteState, StoreError, StoreResult};
use newslode_page::reading::Site;

use crate::mining::fold::Schemes;
use crate::mining::site_scheme::SchemeSummary;
use crate::work::schemes::{corrupt, unpack};
use crate::work::values;

/// Name of the value that names the content of each site's summary.
pub const INDEX: &str = "scheme-summaries";
/// Number of attempts to change the index while others change it.
const MAX_ATTEMPTS: usize = 20;

/// By site, the name of its summary's content.
type Index = BTreeMap<Site, [u8; 16]>;

/// The summaries of all sites, as of the last reading.
#[derive(Debug, Default)]
pub struct SchemeSummaries {
    names: Index,
    read: Schemes,
}

impl SchemeSummaries {
    /// The summaries as they are now. Reads those that changed.
    ///
    /// # Errors
    /// When the store fails or holds something else.
    pub async fn refresh(&mut self, state: &dyn SiteState) -> StoreResult<Schemes> {
        let (_, index) = read_index(state).await?;
        if index == self.names {
            return Ok(self.read.clone());
        }
        let mut read = Schemes::default();
        for (site, name) in &index {
            let known = self.read.get(site).filter(|_| self.names.get(site) == Some(name));
            let summary = match known {
                Some(summary) => summary.clone(),
                None => match read_summary(state, site).await? {
                    Some(summary) => Arc::new(summary),
                    None => continue,
                },
            };
            read.insert(site.clone(), summary);
        }
        (self.names, self.read) = (index, read);
        Ok(self.read.clone())
    }
}

/// Writes the packed summary of a site.
///
/// # Errors
/// When the store fails.
pub(super) async fn write(state: &dyn SiteState, site: &Site, packed: Vec<u8>) -> StoreResult<()> {
    let mut name = [0; 16];
    name.copy_from_slice(&blake3::hash(&packed).as_bytes()[..16]);
    values::put(state, &value_name(site), packed).await?;
    change_index(state, |index| index.insert(site.clone(), name) != Some(name)).await
}

/// Forgets the summary of a removed site.
///
/// # Errors
/// When the store fails.
pub(super) async fn forget(state: &dyn SiteState, site: &Site) -> StoreResult<()> {
    change_index(state, |index| index.remove(site).is_some()).await?;
    values::empty(state, &value_name(site)).await
}

async fn read_summary(state: &dyn SiteState, site: &Site) -> StoreResult<Option<SchemeSummary>> {
    let held = state.value(&value_name(site)).await?;
    let Some((_, bytes)) = held.filter(|(_, bytes)| !bytes.is_empty()) else { return Ok(None) };
    unpack(&bytes).map(Some).map_err(|reason| corrupt(&value_name(site), &reason))
}

async fn read_index(state: &dyn SiteState) -> StoreResult<(Option<u64>, Index)> {
    match state.value(INDEX).await? {
        Some((version, bytes)) if bytes.is_empty() => Ok((Some(version), Index::new())),
        Some((version, bytes)) => {
            let index = wire::decode(&bytes).map_err(|error| corrupt(INDEX, &error.to_string()))?;
            Ok((Some(version), index))
        }
        None => Ok((None, Index::new())),
    }
}

/// Changes the index, if `change` says so.
async fn change_index(state: &dyn SiteState, change: impl Fn(&mut Index) -> bool) -> StoreResult<()> {
    for _ in 0..MAX_ATTEMPTS {
        let (version, mut index) = read_index(state).await?;
        if !change(&mut index) {
            return Ok(());
        }
        let bytes = wire::encode(&index).map_err(|error| corrupt(INDEX, &error.to_string()))?;
        if state.put_value(INDEX, version, bytes.into()).await?.is_some() {
            return Ok(());
        }
    }
    Err(StoreError::Unavailable(format!("other miners keep changing the value `{INDEX}`")))
}

/// The name of the value that holds the summary of a site.
fn value_name(site: &Site) -> String {
    format!("scheme-summary/{site}")
}
