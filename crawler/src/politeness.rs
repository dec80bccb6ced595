//! What a site says about how fast it may be asked: `Crawl-delay`, and the time that its answers take.
//!
//! Both become a delay in the frontier, so that every crawler keeps to it.

use std::time::Duration;

use anyhow::Context as _;
use newslode_common::schedule::ScheduleConfig;
use newslode_common::store::Claim;
use newslode_common::store::teach::teach;
use newslode_page::time::Timestamp;

use crate::robots::RobotsFile;
use crate::shared::Shared;

impl Shared {
    /// Honours the `Crawl-delay` of a robots.txt that was just read. Where the news is followed, the site's schedule keeps it.
    pub(crate) async fn apply_crawl_delay(&self, claim: &Claim, robots: &RobotsFile) -> anyhow::Result<()> {
        let site = &claim.site;
        let Some(delay) = robots.crawl_delay().filter(|delay| !delay.is_zero()) else { return Ok(()) };
        let most = Duration::from_millis(self.config.max_crawl_delay_ms);
        if delay > most {
            self.parts.metrics.delays_cut.inc();
            tracing::info!(%site, wanted = ?delay, kept = ?most,
                "robots.txt asks for a longer delay than `crawler.max_crawl_delay_ms`; it is cut to that");
        }
        let delay = delay.min(most);
        let raising = || self.parts.frontier.raise_delay(site, delay);
        self.retry_store_call(raising).await.context("cannot raise a site's delay")?;
        if claim.schedule.is_none() {
            return Ok(());
        }
        let delay_ms = u64::try_from(delay.as_millis()).unwrap_or(u64::MAX);
        let (now, frontier, config) =
            (self.clock.now(), self.parts.frontier.as_ref(), self.config_for(claim));
        let teaching = || teach(frontier, site, &config, now, |site| site.asks_delay(delay_ms));
        self.retry_store_call(teaching).await.context("cannot keep the delay that a site asks for")
    }

    /// Raises the delay of a site whose answers take long, and lowers it again when they do not.
    pub(crate) async fn adapt_to_response_time(&self, claim: &Claim, took: Duration) -> anyhow::Result<()> {
        let now = self.clock.now();
        match self.response_times.add(&claim.site, took, now) {
            Some(delay_ms) => self.space_requests(claim, delay_ms, now).await,
            None => Ok(()),
        }
    }

    /// Doubles the delay of a site that says that it is busy. It falls again with the site's next answers.
    pub(crate) async fn slow_down_busy_site(&self, claim: &Claim) -> anyhow::Result<()> {
        let (now, frontier) = (self.clock.now(), self.parts.frontier.as_ref());
        let reading = || frontier.site(&claim.site);
        let settings = self.retry_store_call(reading).await.context("cannot read a site's settings")?;
        let delay = Duration::from_millis(settings.map_or(0, |settings| settings.delay_ms));
        match self.response_times.add_busy(&claim.site, delay, now) {
            Some(delay_ms) => self.space_requests(claim, delay_ms, now).await,
            None => Ok(()),
        }
    }

    async fn space_requests(&self, claim: &Claim, delay_ms: u64, now: Timestamp) -> anyhow::Result<()> {
        let (frontier, config) = (self.parts.frontier.as_ref(), self.config_for(claim));
        let teaching = || teach(frontier, &claim.site, &config, now, |site| site.slow_down(delay_ms));
        self.retry_store_call(teaching).await.context("cannot slow a site down")
    }

    /// The schedule's numbers for a site. A site without a schedule does not get an allowance just because it is slow or rests.
    pub(crate) fn config_for(&self, claim: &Claim) -> ScheduleConfig {
        let is_scheduled = claim.schedule.is_some() || claim.allowance.is_some();
        ScheduleConfig { allowance: self.schedule.allowance && is_scheduled, ..self.schedule.clone() }
    }
}
