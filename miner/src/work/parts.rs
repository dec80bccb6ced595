//! The miner's connections and settings: stores, broker, metrics, parameters and the rules of folding.

use std::sync::Arc;

use newslode_common::broker::Broker;
use newslode_common::config::Retention;
use newslode_common::parsed::ParsedPages;
use newslode_common::schedule::ScheduleConfig;
use newslode_common::store::{Frontier, PageArchive, SiteState};
use newslode_common::telemetry::metrics::Metrics;
use newslode_page::Params;

use crate::mining::fold::Rules;
use crate::work::filing::HeldFiling;
use crate::work::owners::Owners;

/// The miner's connections and settings.
#[derive(Clone)]
pub struct Parts {
    /// The URLs to fetch.
    pub frontier: Arc<dyn Frontier>,
    /// The sums.
    pub state: Arc<dyn SiteState>,
    /// Pages and what was computed of each.
    pub archive: Arc<dyn PageArchive>,
    /// Pages that were parsed lately.
    pub parsed: Arc<ParsedPages>,
    /// Which sites are cared for by this miner.
    pub owners: Arc<Owners>,
    /// What events are filed by.
    pub filing: Arc<HeldFiling>,
    /// Messages.
    pub broker: Arc<dyn Broker>,
    /// The miner's metrics.
    pub metrics: Arc<Metrics>,
    /// The rules of folding: those of the preset with which pages are partitioned.
    pub rules: Rules,
    /// The parameters with which pages are counted; their generation names the algorithms.
    pub params: Arc<Params>,
    /// When pages are fetched again.
    pub schedule: Arc<ScheduleConfig>,
    /// What the archive keeps of pages that are gone.
    pub retention: Retention,
}
