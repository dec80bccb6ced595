//! What the processes that fetch say of their machines' networks, for those who read the store: a value, written while one is cut off.
//!
//! Several crawlers may work on one store, and one of them alone may be cut off. So each writes an entry of its own, and
//! an entry that its process does not renew says nothing any more. Start at [`NoNetwork::read`].

use std::collections::BTreeMap;
use std::time::Duration;

use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::store::{SiteState, StoreError, StoreResult};

/// The value: entries by the names of processes.
const VALUE: &str = "network";
/// An older entry says nothing: its process ended.
const HOLDS_FOR: Duration = Duration::from_secs(180);
/// Attempts to write while other processes are first.
const MAX_ATTEMPTS: usize = 20;

/// A time in which a process reaches no site.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoNetwork {
    /// When the first site could not be reached.
    pub since: Timestamp,
    /// When it was last so.
    pub until: Timestamp,
    /// Sites that could not be reached since then.
    pub sites: u64,
    /// Number of the services' crawlers that say so; 0: the one process that works on a run.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub crawlers: u32,
}

fn is_zero(crawlers: &u32) -> bool {
    *crawlers == 0
}

type Entries = BTreeMap<String, NoNetwork>;

impl NoNetwork {
    /// What the processes say that work on a store; of several, all of it together. `None`: no process is cut off, or none works.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn read(state: &dyn SiteState, now: Timestamp) -> StoreResult<Option<NoNetwork>> {
        let (_, entries) = read_entries(state).await?;
        let holding = entries.into_iter().filter(|(_, entry)| entry.holds(now));
        let entries =
            holding.map(|(name, entry)| NoNetwork { crawlers: u32::from(!name.is_empty()), ..entry });
        Ok(entries.reduce(|one, other| NoNetwork {
            since: one.since.min(other.since),
            until: one.until.max(other.until),
            sites: one.sites.max(other.sites),
            crawlers: one.crawlers.saturating_add(other.crawlers),
        }))
    }

    /// Writes what a process says, or that it says nothing any more. `name`: its own, or nothing for the one process that works on a run.
    ///
    /// # Errors
    /// When the store fails, or other processes keep writing.
    pub async fn write(
        state: &dyn SiteState,
        name: &str,
        found: Option<NoNetwork>,
        now: Timestamp,
    ) -> StoreResult<()> {
        for _ in 0..MAX_ATTEMPTS {
            let (version, before) = read_entries(state).await?;
            let mut entries = before.clone();
            entries.retain(|_, entry| entry.holds(now));
            match found {
                Some(found) => drop(entries.insert(name.to_owned(), found)),
                None => drop(entries.remove(name)),
            }
            if entries == before {
                return Ok(());
            }
            let json =
                serde_json::to_vec(&entries).map_err(|error| StoreError::Corrupt(error.to_string()))?;
            if state.put_value(VALUE, version, json.into()).await?.is_some() {
                return Ok(());
            }
        }
        Err(StoreError::Unavailable(format!("other processes keep writing the value `{VALUE}`")))
    }

    fn holds(&self, now: Timestamp) -> bool {
        self.until.plus(HOLDS_FOR) > now
    }

    /// It in words; `since` is the time as its reader shows it.
    #[must_use]
    pub fn in_words(&self, since: impl std::fmt::Display) -> String {
        let sites = if self.sites == 1 { "site" } else { "sites" };
        format!("no network{}: {} {sites} could not be reached since {since}", self.place(), self.sites)
    }

    /// Where there is no network, to be put after that: nothing for a run.
    #[must_use]
    pub fn place(&self) -> String {
        match self.crawlers {
            0 => String::new(),
            1 => " at one crawler".to_owned(),
            several => format!(" at {several} crawlers"),
        }
    }
}

/// What is written, with its version. Another form is none: what it says would soon be over.
async fn read_entries(state: &dyn SiteState) -> StoreResult<(Option<u64>, Entries)> {
    let (version, bytes) = state.value(VALUE).await?.unzip();
    Ok((version, bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::redb::RedbStore;

    #[tokio::test]
    async fn what_is_said_of_the_network_holds_while_its_process_says_it() {
        let store = RedbStore::in_memory().unwrap();
        let at = |minutes: u64| Timestamp(1_700_000_000_000 + minutes * 60_000);
        assert_eq!(NoNetwork::read(&store, at(0)).await.unwrap(), None);
        let found = NoNetwork { since: at(0), until: at(5), sites: 12, crawlers: 0 };
        NoNetwork::write(&store, "", Some(found), at(5)).await.unwrap();
        assert_eq!(NoNetwork::read(&store, at(7)).await.unwrap(), Some(found));
        assert_eq!(NoNetwork::read(&store, at(8)).await.unwrap(), None, "its process said nothing since");
        NoNetwork::write(&store, "", None, at(5)).await.unwrap();
        assert_eq!(NoNetwork::read(&store, at(5)).await.unwrap(), None);
        assert_eq!(found.in_words("noon"), "no network: 12 sites could not be reached since noon");
    }

    #[tokio::test]
    async fn a_value_of_another_form_says_nothing() {
        let store = RedbStore::in_memory().unwrap();
        store.put_value(VALUE, None, r#"{"since": 1, "until": 2, "sites": 3}"#.into()).await.unwrap();
        assert_eq!(NoNetwork::read(&store, Timestamp(1)).await.unwrap(), None);
        let found = NoNetwork { since: Timestamp(1), until: Timestamp(2), sites: 1, crawlers: 0 };
        NoNetwork::write(&store, "one", Some(found), Timestamp(2)).await.unwrap();
        let read = NoNetwork::read(&store, Timestamp(3)).await.unwrap().unwrap();
        assert_eq!(
            read.in_words("noon"),
            "no network at one crawler: 1 site could not be reached since noon"
        );
    }
}
