//! The stores of one installation, for what needs no broker, metrics or settings.

use std::sync::Arc;

use newslode_common::parsed::ParsedPages;
use newslode_common::store::{Frontier, PageArchive, SiteState};

/// The stores that the miner works on.
#[derive(Clone)]
pub struct Stores {
    /// The URLs to fetch.
    pub frontier: Arc<dyn Frontier>,
    /// The sums and values.
    pub state: Arc<dyn SiteState>,
    /// Pages and what was computed of each.
    pub archive: Arc<dyn PageArchive>,
    /// Archived pages that were parsed lately.
    pub parsed: Arc<ParsedPages>,
}
