//! Sites, pages by outcome, queues and due work, of a run or of the services.

use std::collections::BTreeMap;

use futures::{StreamExt as _, TryStreamExt as _};
use newslode_common::broker::depths;
use newslode_common::broker::rabbitmq::RabbitBroker;
use newslode_common::config::Config;
use newslode_common::outcome::Outcome;
use newslode_common::schedule::Health;
use newslode_common::store::redb::RedbStore;
use newslode_common::store::redis::RedisStore;
use newslode_common::store::{Frontier, SiteStatus};
use newslode_common::time;
use newslode_page::time::Timestamp;
use serde::Serialize;

use crate::installation::Target;
use crate::outcomes::count_outcomes;
use crate::{engine, services};

/// Sites of which the store is asked at once.
const AT_ONCE: usize = 32;

/// A site and how its visits show it.
#[derive(Serialize)]
pub(crate) struct SiteWithHealth {
    #[serde(flatten)]
    pub(crate) status: SiteStatus,
    pub(crate) health: Health,
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
}

/// The source of the figures; it connects once and serves every refresh.
pub(crate) enum Source {
    Folder(RedbStore),
    Services(RabbitBroker, RedisStore),
}

impl Source {
    /// Connects to the stores of a run or of the services.
    pub(crate) async fn open(target: &Target, config: &Config) -> anyhow::Result<Source> {
        Ok(match target {
            Target::Run(folder) => Source::Folder(engine::open_state(folder)?),
            Target::Services => Source::Services(
                services::connect_broker(config).await?,
                services::connect_store(config).await?,
            ),
        })
    }

    /// Reads the status once.
    pub(crate) async fn look(&self) -> anyhow::Result<Status> {
        let mut queues = BTreeMap::new();
        let (frontier, sites): (&dyn Frontier, _) = match self {
            Source::Folder(state) => (state, Frontier::status(state).await?),
            Source::Services(broker, store) => {
                for (queue, depth) in depths(broker).await {
                    queues.insert(queue.to_string(), depth?);
                }
                (store, Frontier::status(store).await?)
            }
        };
        let outcomes = count_outcomes(&sites);
        let at_work = sites.iter().filter(|site| !site.settings.paused);
        let oldest_due = at_work.filter_map(|site| site.next_due).min();
        let now = time::now();
        let line = async |status: SiteStatus| {
            let (schedule, _) = frontier.schedule(&status.site).await?;
            anyhow::Ok(SiteWithHealth { health: schedule.health(now), status })
        };
        let sites =
            futures::stream::iter(sites.into_iter().map(line)).buffered(AT_ONCE).try_collect().await?;
        Ok(Status { outcomes, sites, queues, oldest_due, rate: None })
    }
}
