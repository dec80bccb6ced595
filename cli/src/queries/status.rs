//! Sites, pages by outcome, queues, due work and a disk that is short of room, of a run or of the services.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use futures::{StreamExt as _, TryStreamExt as _};
use newslode_common::broker::depths;
use newslode_common::broker::rabbitmq::RabbitBroker;
use newslode_common::config::Config;
use newslode_common::network::NoNetwork;
use newslode_common::outcome::Outcome;
use newslode_common::room::{Room, Shortage};
use newslode_common::store::redb::RedbStore;
use newslode_common::store::redis::RedisStore;
use newslode_common::store::{Frontier, SiteState, SiteStatus};
use newslode_common::time;
use newslode_miner::work::views::LearningCut;
use newslode_page::time::Timestamp;
use serde::Serialize;

use crate::engine::space::Space;
use crate::installation::Target;
use crate::outcomes::count_outcomes;
use crate::queries::health::SiteHealth;
use crate::{engine, services};

/// Sites of which the store is asked at once.
const AT_ONCE: usize = 32;

/// A site and how its visits show it.
#[derive(Serialize)]
pub(crate) struct SiteWithHealth {
    #[serde(flatten)]
    pub(crate) status: SiteStatus,
    #[serde(flatten)]
    pub(crate) health: SiteHealth,
    /// What learning its templates left out, because its pages are too large to compare.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) learning_cut: Option<LearningCut>,
}

#[derive(Serialize)]
pub(crate) struct Status {
    pub(crate) sites: Vec<SiteWithHealth>,
    pub(crate) outcomes: BTreeMap<Outcome, u64>,
    /// Empty for a run's folder, whose queues exist only during the run.
    pub(crate) queues: BTreeMap<String, u64>,
    /// Due time of the URL that has waited longest, over the sites that are not paused.
    pub(crate) oldest_due: Option<Timestamp>,
    /// URLs finished per second since the last refresh; none at the first.
    pub(crate) rate: Option<f64>,
    /// Less than the reserve is free on the disk that pages are written to, so fetching waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) shortage: Option<Shortage>,
    /// The process that works on the run, or crawlers of the services, reach no site.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) network: Option<NoNetwork>,
    /// The space that a run takes on its disk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) space: Option<Space>,
}

/// Whether the disk that pages are written to is short of room: that of a run, or else that of the services' archive, if this is a
/// folder of this machine.
pub(crate) fn shortage(run: Option<&Path>, config: &Config) -> Option<Shortage> {
    let reserve_mb = config.archive.reserve_mb;
    let room = match run {
        Some(folder) => Some(Room::new(folder, reserve_mb)),
        None => Room::of_archive(&config.archive.url, reserve_mb),
    };
    room?.look().err()
}

/// The source of the figures; it connects once and serves every refresh.
pub(crate) struct Source {
    stores: SourceStores,
    /// The run's folder.
    run: Option<PathBuf>,
    config: Config,
}

enum SourceStores {
    Folder(RedbStore),
    Services(RabbitBroker, RedisStore),
}

impl Source {
    /// Connects to the stores of a run or of the services.
    pub(crate) async fn open(target: &Target, config: &Config) -> anyhow::Result<Source> {
        let (stores, run) = match target {
            Target::Run(folder) => {
                (SourceStores::Folder(engine::open_newest_state(folder)?), Some(folder.clone()))
            }
            Target::Services => {
                let broker = services::connect_broker(config).await?;
                (SourceStores::Services(broker, services::connect_store(config).await?), None)
            }
        };
        Ok(Source { stores, run, config: config.clone() })
    }

    /// Reads the status once.
    pub(crate) async fn look(&self) -> anyhow::Result<Status> {
        let mut queues = BTreeMap::new();
        let (frontier, state, sites): (&dyn Frontier, &dyn SiteState, _) = match &self.stores {
            SourceStores::Folder(state) => (state, state, Frontier::status(state).await?),
            SourceStores::Services(broker, store) => {
                for (queue, depth) in depths(broker).await {
                    queues.insert(queue.to_string(), depth?);
                }
                (store, store, Frontier::status(store).await?)
            }
        };
        let outcomes = count_outcomes(&sites);
        let at_work = sites.iter().filter(|site| !site.settings.paused);
        let oldest_due = at_work.filter_map(|site| site.next_due).min();
        let now = time::now();
        let line = async |status: SiteStatus| {
            let (schedule, _) = frontier.schedule(&status.site).await?;
            let learning_cut = LearningCut::read(state, &status.site).await?;
            let health = SiteHealth::of(&schedule, &status.outcomes, now);
            anyhow::Ok(SiteWithHealth { health, learning_cut, status })
        };
        let sites =
            futures::stream::iter(sites.into_iter().map(line)).buffered(AT_ONCE).try_collect().await?;
        let shortage = shortage(self.run.as_deref(), &self.config);
        let space = match &self.run {
            Some(folder) => Some(Space::read(state, folder, self.config.archive.reserve_mb).await?),
            None => None,
        };
        let network = NoNetwork::read(state, now).await?;
        Ok(Status { outcomes, sites, queues, oldest_due, rate: None, shortage, network, space })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use newslode_common::parsed::ParsedPages;
    use newslode_common::store::SiteSettings;
    use newslode_miner::work::stores::Stores;
    use newslode_page::reading::Site;

    use super::*;
    use crate::queries::explain::explain_site;

    #[tokio::test]
    async fn a_site_with_pages_too_large_to_compare_says_so() {
        let store = RedbStore::in_memory().unwrap();
        let settings =
            SiteSettings { max_pages: 9, max_depth: 9, delay_ms: 0, paused: false, labels: BTreeMap::new() };
        for name in ["large.example", "small.example"] {
            store.put_site(&Site::of_host(name), &settings).await.unwrap();
        }
        let cut = r#"{"compared":24,"sampled":48}"#;
        store.put_value("learning/large.example", None, cut.into()).await.unwrap();
        let source = Source { stores: SourceStores::Folder(store), run: None, config: Config::default() };
        let status = source.look().await.unwrap();
        let cuts: Vec<(&str, bool)> = status
            .sites
            .iter()
            .map(|site| (site.status.site.as_str(), site.learning_cut.is_some()))
            .collect();
        assert_eq!(cuts, [("large.example", true), ("small.example", false)]);
        let SourceStores::Folder(store) = source.stores else { unreachable!("it was made above") };
        let store = Arc::new(store);
        let stores = Stores {
            frontier: store.clone(),
            state: store.clone(),
            archive: store,
            parsed: Arc::new(ParsedPages::within(0)),
        };
        let now = time::now();
        for (site, is_cut) in status.sites.into_iter().zip([true, false]) {
            let facts = explain_site(&stores, site.status, now).await.unwrap().facts(now);
            let said = facts.iter().find(|(name, _)| name == "templates").map(|(_, value)| value.as_str());
            let expected = "learnt from 24 of 48 pages: the others are too large to compare";
            assert_eq!(said, is_cut.then_some(expected));
        }
    }
}
