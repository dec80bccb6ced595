//! What a miner is made of: its stores, its broker, its share of the sites, and its settings.
//!
//! Only what really needs most of it takes [`Parts`]; everything else takes [`Stores`], [`Histories`] or the one thing that it
//! uses.

use std::sync::Arc;

use newslode_common::broker::Broker;
use newslode_common::config::{Noarchive, Retention};
use newslode_common::schedule::ScheduleConfig;
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::time::Clock;
use newslode_page::Params;

use crate::mining::fold::Rules;
use crate::work::announcements::Announcements;
use crate::work::filing::cache::FilingCache;
use crate::work::histories::Histories;
use crate::work::owners::Owners;
use crate::work::scheme_set::ConfiguredSchemes;
use crate::work::schemes::PlaceCache;
use crate::work::stores::Stores;

/// What a miner is made of.
#[derive(Clone)]
pub struct Parts {
    /// Frontier, mined state and archive.
    pub stores: Stores,
    /// Queues, and topics of events.
    pub broker: Arc<dyn Broker>,
    /// The miner's metrics.
    pub metrics: Arc<Metrics>,
    /// Which sites this miner cares for.
    pub owners: Arc<Owners>,
    /// By what events are filed.
    pub filing: Arc<FilingCache>,
    /// The schemes by which the articles of events have their places.
    pub places: Arc<PlaceCache>,
    /// The schemes from outside, and those that come with the product.
    pub schemes: Arc<ConfiguredSchemes>,
    /// When readers hear of new articles.
    pub announcements: Arc<Announcements>,
    /// The rules of folding: those of the preset with which pages are partitioned.
    pub rules: Rules,
    /// The parameters with which pages are counted; their generation names the algorithms.
    pub params: Arc<Params>,
    /// When pages are fetched again.
    pub schedule: Arc<ScheduleConfig>,
    /// What the archive keeps of pages that are gone.
    pub retention: Retention,
    /// What becomes of copies of pages that ask for none.
    pub noarchive: Noarchive,
    /// Tells the time.
    pub clock: Clock,
}

impl Parts {
    /// The histories of articles, and the readers who hear of their events.
    pub(super) fn histories(&self) -> Histories<'_> {
        Histories {
            frontier: self.stores.frontier.as_ref(),
            state: self.stores.state.as_ref(),
            archive: self.stores.archive.as_ref(),
            broker: self.broker.as_ref(),
            filing: &self.filing,
            places: &self.places,
            schemes: &self.schemes,
            announcements: &self.announcements,
            metrics: &self.metrics,
        }
    }
}
