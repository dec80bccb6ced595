//! Says for a run's readers that its machine has no network: a value of the store, written while the run is cut off.

use std::sync::Arc;
use std::time::Duration;

use newslode_common::store::{SiteState, StoreError, StoreResult};
use newslode_common::time::Clock;
use newslode_crawler::network::{Network, NetworkOutage};
use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

/// The value; empty while the network is there.
const VALUE: &str = "network";
/// Time between two looks.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// The value is written again after this time.
const WRITE_EVERY: Duration = Duration::from_secs(60);
/// An older value says nothing: its process ended.
const HOLDS_FOR: Duration = Duration::from_secs(180);

/// A time in which the machine of a run reaches no site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NoNetwork {
    /// When the first site could not be reached.
    pub(crate) since: Timestamp,
    /// When it was last so.
    pub(crate) until: Timestamp,
    /// Sites that could not be reached since then.
    pub(crate) sites: u64,
}

impl NoNetwork {
    pub(crate) fn of(outage: NetworkOutage, now: Timestamp) -> NoNetwork {
        NoNetwork { since: outage.since, until: now, sites: outage.sites }
    }

    /// What the process that works on a run says of the network; `None`: it is there, or no process works on the run.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) async fn read(state: &dyn SiteState, now: Timestamp) -> StoreResult<Option<NoNetwork>> {
        let held = state.value(VALUE).await?;
        let Some((_, bytes)) = held.filter(|(_, bytes)| !bytes.is_empty()) else { return Ok(None) };
        let wrong = |error: serde_json::Error| StoreError::Corrupt(format!("the value `{VALUE}`: {error}"));
        let found: NoNetwork = serde_json::from_slice(&bytes).map_err(wrong)?;
        Ok(Some(found).filter(|found| found.until.plus(HOLDS_FOR) > now))
    }

    async fn write(state: &dyn SiteState, found: Option<NoNetwork>) -> StoreResult<()> {
        let (version, held) = state.value(VALUE).await?.unzip();
        let text = found.and_then(|found| serde_json::to_string(&found).ok()).unwrap_or_default();
        if held.is_some_and(|held| !held.is_empty()) || !text.is_empty() {
            // Nobody else writes it.
            state.put_value(VALUE, version, text.into()).await?;
        }
        Ok(())
    }

    /// It in words; `since` is the time as its reader shows it.
    pub(crate) fn in_words(&self, since: impl std::fmt::Display) -> String {
        let sites = if self.sites == 1 { "site" } else { "sites" };
        format!("no network: {} {sites} could not be reached since {since}", self.sites)
    }
}

/// Writes down whether the machine has a network, whenever that changes, until `stop`.
///
/// # Errors
/// When the store fails.
pub(super) async fn report(
    network: Arc<Network>,
    state: Arc<dyn SiteState>,
    clock: Clock,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    // A process that ended before may have left it.
    NoNetwork::write(state.as_ref(), None).await?;
    let mut written: Option<NoNetwork> = None;
    while stop.run_until_cancelled(tokio::time::sleep(LOOK_EVERY)).await.is_some() {
        let now = clock.now();
        let found = network.outage().map(|outage| NoNetwork::of(outage, now));
        let is_due = match (found, written) {
            (Some(found), Some(written)) => {
                now >= written.until.plus(WRITE_EVERY) || found.since != written.since
            }
            (found, written) => found.is_some() != written.is_some(),
        };
        if is_due {
            NoNetwork::write(state.as_ref(), found).await?;
            written = found;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use newslode_common::store::redb::RedbStore;

    use super::*;

    #[tokio::test]
    async fn what_is_said_of_the_network_holds_while_its_process_says_it() {
        let store = RedbStore::in_memory().unwrap();
        let at = |minutes: u64| Timestamp(1_700_000_000_000 + minutes * 60_000);
        assert_eq!(NoNetwork::read(&store, at(0)).await.unwrap(), None);
        let found = NoNetwork { since: at(0), until: at(5), sites: 12 };
        NoNetwork::write(&store, Some(found)).await.unwrap();
        assert_eq!(NoNetwork::read(&store, at(7)).await.unwrap(), Some(found));
        assert_eq!(NoNetwork::read(&store, at(8)).await.unwrap(), None, "its process said nothing since");
        NoNetwork::write(&store, None).await.unwrap();
        assert_eq!(NoNetwork::read(&store, at(5)).await.unwrap(), None);
        assert_eq!(found.in_words("noon"), "no network: 12 sites could not be reached since noon");
    }
}
