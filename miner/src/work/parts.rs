//! What the miner works with: the stores, the broker, what it counts of itself, and the rules it folds by.

use std::sync::Arc;

use newslode_common::broker::Broker;
use newslode_common::store::{Frontier, PageArchive, SiteState};
use newslode_common::telemetry::metrics::Metrics;
use newslode_page::Params;

use crate::mining::fold::Rules;

/// What the miner works with.
#[derive(Clone)]
pub struct Parts {
    /// What to fetch.
    pub frontier: Arc<dyn Frontier>,
    /// The sums.
    pub state: Arc<dyn SiteState>,
    /// What pages said.
    pub archive: Arc<dyn PageArchive>,
    /// Messages.
    pub broker: Arc<dyn Broker>,
    /// Counted here.
    pub metrics: Arc<Metrics>,
    /// The rules of folding: those of the preset that pages are partitioned with.
    pub rules: Rules,
    /// The parameters that pages are counted with; with them go their algorithms.
    pub params: Arc<Params>,
}
