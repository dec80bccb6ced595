//! One site, followed by the real crawler on simulated time.
//!
//! The crawler, its frontier and its archive are the ones that `newslode mine` uses; only the network and the clock
//! are simulated. What the partitioner and the miner do for the schedule, to tell what a page is, is done here at
//! once. Start at [`Crawl::run`].

use std::sync::{Arc, PoisonError};

use newslode_common::config::{CrawlerConfig, Follow, MinerConfig};
use newslode_common::message::envelope::{holds, open};
use newslode_common::message::seed::{SeedCommand, web_url};
use newslode_common::message::{FetchedPage, GonePage};
use newslode_common::schedule::{Role, ScheduleConfig};
use newslode_common::store::Frontier;
use newslode_common::store::redb::RedbStore;
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::time::Clock;
use newslode_crawler::{Crawler, Parts, Step, Surroundings};
use newslode_miner::mining::fold::Rules;
use newslode_miner::work::feedback::{PageFeedback, Receipt, report};
use newslode_newsworld::living::{LivingSite, LivingWorld, Seen};
use newslode_page::reading::Site;
use newslode_page::{Page, Timestamp, article};

use super::ablated::Ablated;
use super::ablation::Ablation;
use super::log::Log;
use super::world::{Outbox, SimulatedWeb};

/// A silence is explained for this long after its cause, in milliseconds.
const TWO_HOURS: u64 = 7_200_000;
/// Time between two looks for a silence, in milliseconds.
const LISTEN: u64 = 300_000;

/// Whether nothing explains a silence of the site now or in the last two hours.
fn is_well(site: &LivingSite, now: u64) -> bool {
    let troubles = &site.troubles;
    let near = |from: u64, until: u64| from <= now && now <= until + TWO_HOURS;
    let is_away = troubles.outages.iter().any(|outage| near(outage.span.from_ms, outage.span.until_ms));
    let is_walled = troubles.wall.is_some_and(|wall| near(wall.from_ms, wall.until_ms));
    let is_blind = troubles.redesign.is_some_and(|redesign| redesign.script_front && redesign.at_ms <= now);
    !is_away && !is_walled && !is_blind
}

/// A site's crawl.
pub(super) struct Crawl {
    world: Arc<LivingWorld>,
    site: Site,
    config: ScheduleConfig,
    clock: Clock,
    frontier: Arc<Ablated>,
    crawler: Crawler,
    outbox: Arc<Outbox>,
    log: Log,
    silent_since: Option<u64>,
    listened: u64,
    alarms: Vec<Timestamp>,
}

impl Crawl {
    /// A crawl of one site, not begun.
    pub(super) async fn new(
        world: &Arc<LivingWorld>,
        config: &ScheduleConfig,
        ablation: Ablation,
        seed: &str,
    ) -> anyhow::Result<Crawl> {
        let clock = Clock::standing(Timestamp(world.start()));
        let log = Log { world: world.clone(), seen: Arc::default() };
        let store = Arc::new(RedbStore::in_memory()?);
        let frontier = Arc::new(Ablated::new(store.clone(), ablation, config.clone(), log.clone()));
        let outbox = Arc::new(Outbox::default());
        let parts = Parts {
            frontier: frontier.clone(),
            broker: outbox.clone(),
            archive: outbox.clone(),
            parsed: Arc::default(),
            metrics: Metrics::new()?,
            network: Arc::default(),
            room: None,
        };
        let web = Arc::new(SimulatedWeb::new(world.clone(), clock.clone()));
        let surroundings = Surroundings { web, clock: clock.clone() };
        let crawler = Crawler::new(parts.clone(), CrawlerConfig::default(), config.clone(), surroundings);
        let miner = newslode_miner::work::parts::Parts {
            stores: newslode_miner::work::stores::Stores {
                frontier: frontier.clone(),
                state: store,
                archive: outbox.clone(),
                parsed: parts.parsed.clone(),
            },
            owners: Arc::default(),
            filing: Arc::default(),
            places: Arc::default(),
            schemes: Arc::default(),
            announcements: Arc::default(),
            broker: outbox.clone(),
            metrics: parts.metrics,
            rules: Rules::default(),
            params: Arc::default(),
            schedule: Arc::new(config.clone()),
            retention: Default::default(),
            noarchive: Default::default(),
            clock: clock.clone(),
        };
        let command = SeedCommand::Add {
            url: web_url(seed)?,
            max_pages: None,
            max_depth: None,
            delay_ms: None,
            labels: std::collections::BTreeMap::new(),
            past: None,
        };
        let follow = MinerConfig { follow: Follow::News, ..MinerConfig::default() };
        let site = newslode_miner::work::seeds::apply_seed(&miner, &follow, command, clock.now()).await?;
        Ok(Crawl {
            world: world.clone(),
            site,
            config: config.clone(),
            clock,
            frontier,
            crawler,
            outbox,
            log,
            silent_since: None,
            listened: 0,
            alarms: Vec::new(),
        })
    }

    /// Crawls until the world's end.
    pub(super) async fn run(&mut self) -> anyhow::Result<()> {
        loop {
            let now = self.clock.now();
            if now.0 >= self.world.end() {
                return Ok(());
            }
            match self.crawler.step().await? {
                Step::Visited => {}
                Step::Nothing(Some(next)) => self.clock.set(next.max(Timestamp(now.0 + 1))),
                Step::Nothing(None) => return Ok(()),
            }
            for page in self.outbox.take() {
                // A page that is gone is no article in hand.
                if !holds::<GonePage>(&page) {
                    self.tell(&open(&page)?).await?;
                }
            }
            self.listen(now).await?;
        }
    }

    /// The fetches of articles, and the number of false alarms.
    pub(super) fn into_results(self) -> (Vec<Seen>, usize) {
        let log = std::mem::take(&mut *self.log.seen.lock().unwrap_or_else(PoisonError::into_inner));
        let site = log.first().map_or(0, |seen| seen.site);
        let sites = self.world.sites();
        let is_false = |at: &&Timestamp| sites.get(site).is_some_and(|site| is_well(site, at.0));
        let false_alarms = self.alarms.iter().filter(is_false).count();
        (log, false_alarms)
    }

    /// Reads a page that may be an article, and tells the schedule what it is.
    async fn tell(&self, fetched: &FetchedPage) -> anyhow::Result<()> {
        let Some(entry) = self.frontier.entry(&fetched.url).await? else { return Ok(()) };
        if entry.schedule.is_none_or(|known| known.role != Role::Page) {
            return Ok(());
        }
        let body = fetched.body.unpack()?;
        let page = Page::parse(&fetched.url, fetched.content_type.as_deref(), &body);
        let (_, found) = article(&page, fetched.fetched_at);
        let reading =
            PageFeedback::of(&fetched.url, fetched.version.fetch, fetched.fetched_at, found.as_ref());
        if found.is_some() {
            self.log.see(&fetched.url, fetched.fetched_at);
        }
        let heard = report(self.frontier.as_ref(), &self.config, &reading).await?;
        anyhow::ensure!(heard == Receipt::Taken, "`{}` is still held by the crawler", fetched.url);
        Ok(())
    }

    /// Notes a silence when it begins to be told.
    async fn listen(&mut self, now: Timestamp) -> anyhow::Result<()> {
        if now.0 < self.listened + LISTEN {
            return Ok(());
        }
        self.listened = now.0;
        let (schedule, _) = self.frontier.schedule(&self.site).await?;
        let since = schedule.silence(now).map(|silence| silence.since);
        if since.is_some() && since != self.silent_since {
            self.alarms.push(now);
        }
        self.silent_since = since;
        Ok(())
    }
}
