//! `newslode mine`: crawls, partitions and mines sites into a folder; continues the run that it holds.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use newslode_common::config::{Config, Follow, MinerConfig};
use newslode_common::network::NoNetwork;
use newslode_common::outcome::Outcome;
use newslode_common::room::Room;
use newslode_common::schedule::Days;
use newslode_common::shutdown;
use newslode_common::store::{Frontier, SiteState, SiteStatus, StoreError};
use newslode_common::time;
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_miner::work::histories::history::EventKind;
use newslode_miner::work::registry::TAXONOMY_TOPIC;
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::recompute;
use super::unfetched::{self, Unfetched, unfetched_seeds};
use crate::args::{CrawlArgs, FollowArg, Keep, MineArgs};
use crate::control::{self, Control};
use crate::engine::{self, Ended, Engine, Progress, Step, add_seeds, seeds};
use crate::exit::{Exit, hinted, io_kind};
use crate::import::{ImportCounts, ImportPlan, import_captures};
use crate::installation::Setup;
use crate::out;
use crate::outcomes::{count_outcomes, outcomes_in_words};
use crate::outputs::write_outputs;
use crate::progress::ProgressDisplay;
use crate::queries::health::asks_not_to_be_indexed;
use crate::queries::past::{Coverage, coverage};

/// The result of a run.
#[derive(Debug, Serialize)]
pub(crate) struct RunSummary {
    pub(crate) complete: bool,
    pub(crate) seconds: f64,
    pub(crate) sites: usize,
    pub(crate) urls: u64,
    pub(crate) outcomes: BTreeMap<Outcome, u64>,
    pub(crate) concepts: usize,
    pub(crate) relations: usize,
    pub(crate) articles: usize,
    /// What is new.
    pub(crate) brought: Brought,
    /// What was imported from web archives.
    #[serde(rename = "fed", skip_serializing_if = "Option::is_none")]
    pub(crate) imported: Option<ImportCounts>,
    /// How much was read of the past that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) past: Option<Coverage>,
    /// Seeds that could not be fetched.
    pub(crate) unfetched: Vec<Unfetched>,
    /// The sites could not be reached at the end: the machine had no network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) network: Option<NoNetwork>,
    /// Digest of each site's mined state.
    pub(crate) digests: Vec<(String, String)>,
    /// Greatest resident memory of the process so far, in bytes.
    pub(crate) peak_memory: Option<u64>,
}

/// What a run brought.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Brought {
    /// Events of articles.
    pub(crate) new: u64,
    pub(crate) changed: u64,
    pub(crate) gone: u64,
    /// Labels of concepts that were none before.
    pub(crate) new_concepts: Vec<String>,
    /// Sites of which pages were read, and no article ever.
    pub(crate) without_articles: Vec<String>,
    /// Those of them whose pages ask not to be indexed.
    pub(crate) noindex: Vec<String>,
}

impl Brought {
    /// Counts an event of an article, as it is published.
    fn count(&mut self, event: &[u8]) {
        #[derive(Deserialize)]
        struct Event {
            event: EventKind,
        }
        match serde_json::from_slice::<Event>(event).map(|event| event.event) {
            Ok(EventKind::New) => self.new += 1,
            Ok(EventKind::Changed) => self.changed += 1,
            Ok(EventKind::Gone) => self.gone += 1,
            Err(error) => tracing::warn!(%error, "an event is not counted"),
        }
    }
}

/// New concepts that are named in the summary for people.
const MOST_CONCEPTS: usize = 8;

impl RunSummary {
    /// Whether seeds were crawled and no page was ever fetched.
    fn is_in_vain(&self) -> bool {
        let has_pages =
            [Outcome::Fetched, Outcome::Unchanged].iter().any(|good| self.outcomes.contains_key(good));
        self.imported.is_none() && (!self.unfetched.is_empty() || self.network.is_some()) && !has_pages
    }
}

pub(crate) async fn run(args: MineArgs, setup: Setup) -> anyhow::Result<Exit> {
    let Setup { mut config, quiet, .. } = setup;
    configure(&args, &mut config);
    config.validate()?;
    let urls = seeds::collect(&args.urls, args.seeds.as_deref())?;
    let import = match args.warc.as_slice() {
        [] => None,
        files => Some(Arc::new(ImportPlan::new(files, &args.site, args.dates, &config)?)),
    };
    let window = if import.is_none() { args.dates.window(time::now())? } else { None };
    if window.is_some() && config.miner.follow != Follow::News {
        return Err(hinted(
            "`--since` reads the past of sites whose news is followed",
            "leave out --follow, or set miner.follow = \"news\"",
        ));
    }
    if urls.is_empty() && import.is_none() && !args.out.join(engine::STATE_FILE).exists() {
        return Err(hinted(
            "no site was named",
            "newslode mine https://www.example.com https://news.example.org --contact you@example.org",
        ));
    }
    if import.is_none() {
        require_contact(&config)?;
    }
    let mut waiter = JoinSet::new();
    // A second signal aborts the process, which the state survives.
    let stop = shutdown::on_signal(&mut waiter, || std::process::abort())?;
    let (engine, ended, summary) = loop {
        let engine = Engine::open(&args.out, config.clone())?;
        let engine = if import.is_some() { engine.offline() } else { engine };
        let import = import.clone().map(|plan| {
            let counts = ImportCounts::new(plan.files());
            (plan, counts)
        });
        match mine_once(&engine, &args, &urls, (import, window), &config, &stop, quiet).await {
            Ok((ended, summary)) => break (engine, ended, summary),
            // The file of a full disk must be opened again. What was not yet on the disk is done again.
            Err(error) => match full_disk(&error, &engine) {
                Some(what) => {
                    drop(engine);
                    if !wait_for_room(&args.out, config.archive.reserve_mb, &what, &stop).await {
                        return Ok(Exit::Interrupted);
                    }
                }
                None => return Err(error),
            },
        }
    };
    stop.cancel();
    let is_in_vain = ended == Ended::Complete && summary.is_in_vain();
    if args.json {
        out::json(&summary)?;
    } else if !is_in_vain {
        print_summary(&engine, &args.out, &summary).await?;
    }
    if let Some(network) = summary.network.filter(|_| is_in_vain) {
        return Err(hinted(
            format!("no page could be fetched; {}", network.in_words(out::time(network.since))),
            "run the same command again when this machine has a network; if it has one, check the spelling of the hosts",
        ));
    }
    if is_in_vain {
        let seeds = unfetched::seed_lines(&summary.unfetched);
        return Err(hinted(
            format!("no page of any seed could be fetched\n{}", seeds.trim_end()),
            unfetched::remedies(&summary.unfetched),
        ));
    }
    if ended == Ended::Stopped {
        return Ok(Exit::Interrupted);
    }
    summary.imported.as_ref().map_or(Ok(()), ImportCounts::check)?;
    Ok(Exit::Done)
}

/// Adds the seeds and mines until the end, a stop, or an error.
async fn mine_once(
    engine: &Engine,
    args: &MineArgs,
    urls: &[seeds::Seed],
    (import, window): (Option<(Arc<ImportPlan>, ImportCounts)>, Option<Days>),
    config: &Config,
    stop: &CancellationToken,
    quiet: bool,
) -> anyhow::Result<(Ended, RunSummary)> {
    // Check this before any change: a newer version may have mined this run.
    engine::claim(&engine.miner_parts()).await?;
    let limits = args.crawl.limits();
    add_seeds(&engine.miner_parts(), urls, limits, &config.miner).await?;
    if let Some(window) = window {
        engine.ask_for_past(window).await?;
    }
    let _admin = serve_admin(args, engine, stop).await?;
    let control = Control {
        parts: engine.miner_parts(),
        config: config.clone(),
        folder: Some(args.out.clone()),
        stop: stop.child_token(),
    };
    let ended = control.stop.clone();
    let mining = async {
        let mined = mine_with_import(engine, (import, window), &args.out, &args.keep, stop, quiet).await;
        ended.cancel();
        mined
    };
    tokio::join!(mining, control::serve(control, &args.out)).0
}

/// Whether a run ended because its disk is full; returns what failed.
pub(super) fn full_disk(error: &anyhow::Error, engine: &Engine) -> Option<String> {
    if let Some(StoreError::Full(what)) = engine.store.failure() {
        return Some(what);
    }
    let is_full = |cause: &(dyn std::error::Error + 'static)| {
        matches!(io_kind(cause), Some(ErrorKind::StorageFull | ErrorKind::QuotaExceeded))
            || matches!(cause.downcast_ref::<StoreError>(), Some(StoreError::Full(_)))
    };
    error.chain().any(is_full).then(|| format!("{error:#}"))
}

/// Time between two looks at a full disk.
const ROOM_CHECK_EVERY: Duration = Duration::from_secs(2);

/// The least free space with which a run goes on after its disk was full, in MiB.
const LEAST_ROOM_MB: u64 = 16;

/// Waits until a full disk has room again. Returns false at the stop.
pub(super) async fn wait_for_room(
    folder: &Path,
    reserve_mb: u64,
    what: &str,
    stop: &CancellationToken,
) -> bool {
    let room = Room::new(folder, reserve_mb.max(LEAST_ROOM_MB));
    tracing::error!(
        folder = %folder.display(), error = what, needed_mb = reserve_mb.max(LEAST_ROOM_MB),
        "the disk is full: the run waits until there is room, and then goes on by itself"
    );
    loop {
        if stop.run_until_cancelled(tokio::time::sleep(ROOM_CHECK_EVERY)).await.is_none() {
            return false;
        }
        if room.look().is_ok() {
            tracing::info!(folder = %folder.display(), "there is room again; the run goes on");
            return true;
        }
    }
}

/// Largest number of new pages of a site, unless a flag or the configuration says otherwise: a run is to end.
const MOST_PAGES: u64 = 1_000;

/// Overrides the configuration with flags.
fn configure(args: &MineArgs, config: &mut Config) {
    let miner = &mut config.miner;
    if miner.max_pages == MinerConfig::default().max_pages {
        miner.max_pages = MOST_PAGES;
    }
    configure_crawl(&args.crawl, config);
    let miner = &mut config.miner;
    match args.follow {
        Some(FollowArg::All) => miner.follow = Follow::All,
        Some(FollowArg::News) => miner.follow = Follow::News,
        Some(FollowArg::Concepts) => miner.follow = Follow::Concepts,
        None => {}
    }
}

/// Overrides the configuration with the flags of a crawl.
pub(super) fn configure_crawl(args: &CrawlArgs, config: &mut Config) {
    let (crawler, miner) = (&mut config.crawler, &mut config.miner);
    if let Some(contact) = &args.contact {
        crawler.contact.clone_from(contact);
    }
    crawler.allow_private |= args.allow_private;
    crawler.resolve.extend(args.resolve.iter().cloned());
    crawler.workers = args.workers.unwrap_or(crawler.workers);
    miner.support = args.support.unwrap_or(miner.support);
    miner.max_pages = args.max_pages.unwrap_or(miner.max_pages);
    miner.max_depth = args.depth.unwrap_or(miner.max_depth);
    miner.window_days = args.window_days.unwrap_or(miner.window_days);
    miner.delay_ms = args.delay.unwrap_or(miner.delay_ms);
    args.schemes.configure(config);
}

/// Refuses to crawl while nobody is named whom the sites can turn to.
pub(super) fn require_contact(config: &Config) -> anyhow::Result<()> {
    if config.crawler.agent().is_ok() {
        return Ok(());
    }
    Err(hinted(
        "nobody is named whom the sites can turn to",
        "add --contact you@example.org, or set NEWSLODE__CRAWLER__CONTACT to a URL or mail address of yours",
    ))
}

impl CrawlArgs {
    /// The limits that seeds get, if they are named.
    pub(super) fn limits(&self) -> (Option<u64>, Option<u32>, Option<u64>) {
        (self.max_pages, self.depth, self.delay)
    }
}

/// Versions before generations look for their parameters under this name, and refuse a run that has
/// others.
const OLD_PARAMETERS: &str = "parameters";

/// Recounts pages that other algorithms or parameters counted.
async fn recount_outdated(engine: &Engine, stop: &CancellationToken, quiet: bool) -> anyhow::Result<()> {
    let parts = engine.miner_parts();
    let done = recompute::recompute_all(&parts, engine.follow(), stop, quiet).await?;
    if !done.is_done() {
        tracing::info!(?done, "counted pages again with today's algorithms");
    }
    if let Some((version, _)) = engine.store.value(OLD_PARAMETERS).await? {
        let text = format!("{}; a newer version of Newslode counts this run", parts.params.generation());
        engine.store.put_value(OLD_PARAMETERS, Some(version), text.into()).await?;
    }
    Ok(())
}

async fn serve_admin(
    args: &MineArgs,
    engine: &Engine,
    stop: &CancellationToken,
) -> anyhow::Result<JoinSet<std::io::Result<()>>> {
    let mut tasks = JoinSet::new();
    if let Some(addr) = args.admin {
        let admin = newslode_common::telemetry::admin::Admin::bind(addr).await?;
        let ready =
            std::sync::Arc::new(|| -> std::pin::Pin<Box<dyn Future<Output = Result<(), String>> + Send>> {
                Box::pin(async { Ok(()) })
            });
        tasks.spawn(admin.serve(engine.metrics.clone(), ready, stop.clone()));
    }
    Ok(tasks)
}

/// Mines with a progress display, writes the outputs, and returns a summary.
pub(crate) async fn mine(
    engine: &Engine,
    folder: &Path,
    keep: &[Keep],
    stop: &CancellationToken,
    quiet: bool,
) -> anyhow::Result<(Ended, RunSummary)> {
    mine_with_import(engine, (None, None), folder, keep, stop, quiet).await
}

/// The same, with pages of web archives if there are any.
async fn mine_with_import(
    engine: &Engine,
    (mut import, window): (Option<(Arc<ImportPlan>, ImportCounts)>, Option<Days>),
    folder: &Path,
    keep: &[Keep],
    stop: &CancellationToken,
    quiet: bool,
) -> anyhow::Result<(Ended, RunSummary)> {
    let begun = Instant::now();
    recount_outdated(engine, stop, quiet).await?;
    // Importing and mining take turns at the display.
    let display = RefCell::new(ProgressDisplay::new(quiet));
    let parts = engine.miner_parts();
    let importing = async {
        let Some((plan, counts)) = &mut import else { return Ok(()) };
        import_captures(&parts, plan, counts, |counts| counts.show_progress(&mut display.borrow_mut())).await
    };
    let known: BTreeSet<String> = concept_keys(engine).await?.into_keys().collect();
    let mut events = engine.broker.subscribe_articles(EVENTS_AHEAD);
    let counted = async {
        let mut brought = Brought::default();
        while let Some(event) = events.recv().await {
            if event.topic != TAXONOMY_TOPIC {
                brought.count(&event.body);
            }
        }
        brought
    };
    let mining = async {
        let ended =
            engine.mine(importing, stop, |progress| show_progress(progress, &mut display.borrow_mut())).await;
        engine.broker.end_subscriptions();
        ended
    };
    let (ended, mut brought) = tokio::join!(mining, counted);
    let ended = ended?;
    if ended == Ended::Complete {
        newslode_miner::work::captures::drop_counted(&engine.store).await?;
    }
    let mut display = display.into_inner();
    display.say(|| "writing articles and ontology".into());
    let written = write_outputs(&engine.miner_parts(), folder, keep.contains(&Keep::Hierarchies)).await?;
    display.end();
    let sites = Frontier::status(&engine.store).await?;
    let new = |(key, label)| (!known.contains(&key)).then_some(label);
    brought.new_concepts = concept_keys(engine).await?.into_iter().filter_map(new).collect();
    let has_pages = |site: &&SiteStatus| {
        [Outcome::Fetched, Outcome::Noindex].iter().any(|read| site.outcomes.contains_key(read))
    };
    let without = sites.iter().filter(has_pages).filter(|site| !written.sites.contains(site.site.as_str()));
    let without: Vec<&SiteStatus> = without.collect();
    brought.without_articles = without.iter().map(|site| site.site.to_string()).collect();
    let asking = without.iter().filter(|site| asks_not_to_be_indexed(&site.outcomes));
    brought.noindex = asking.map(|site| site.site.to_string()).collect();
    let summary = RunSummary {
        complete: ended == Ended::Complete,
        seconds: begun.elapsed().as_secs_f64(),
        sites: sites.len(),
        urls: sites.iter().map(|site| site.urls).sum(),
        outcomes: count_outcomes(&sites),
        concepts: written.concepts,
        relations: written.relations,
        articles: written.articles,
        brought,
        imported: import.map(|(_, counts)| counts),
        past: match window {
            Some(window) => coverage(&engine.store, window).await?,
            None => None,
        },
        unfetched: unfetched_seeds(&engine.store, &sites).await?,
        network: engine.network.outage().map(|outage| outage.no_network(time::now())),
        digests: engine::state_digests(&engine.store).await?,
        peak_memory: peak_memory(),
    };
    std::fs::write(folder.join("run.json"), serde_json::to_string_pretty(&summary)? + "\n")?;
    Ok((ended, summary))
}

/// Events of articles that wait to be counted.
const EVENTS_AHEAD: usize = 1_024;

/// The concepts of the taxonomy by key, with their labels.
async fn concept_keys(engine: &Engine) -> anyhow::Result<BTreeMap<String, String>> {
    let taxonomy = newslode_miner::work::fold::read_taxonomy(&engine.store).await?.unwrap_or_default();
    Ok(taxonomy.concepts.into_iter().map(|concept| (concept.key, concept.label)).collect())
}

/// The first of these words, and how many more there are; nothing if there are none.
fn in_short(before: &str, words: &[String]) -> String {
    let shown = words.iter().take(MOST_CONCEPTS).map(String::as_str).collect::<Vec<_>>().join(", ");
    match words.len().checked_sub(MOST_CONCEPTS) {
        _ if words.is_empty() => String::new(),
        None | Some(0) => format!("{before}{shown}"),
        Some(more) => format!("{before}{shown} and {more} more"),
    }
}

fn show_progress(progress: &Progress, display: &mut ProgressDisplay) {
    let done = progress.done();
    // URLs that are not asked for again leave the frontier.
    let urls = progress.urls().max(done);
    display.work(done, Some(urls - done), |pace| progress_line(progress, done, urls, pace));
}

fn progress_line(progress: &Progress, done: u64, urls: u64, pace: &str) -> String {
    let Progress { sites, unfinished, round, fold, step, shortage, network, .. } = progress;
    if let Some(network) = network {
        return network.in_words(out::time(network.since));
    }
    if let Some(shortage) = shortage {
        return format!("waiting for room: {shortage}");
    }
    let concepts = fold.as_ref().map_or(String::new(), |fold| format!(", {} concepts", fold.concepts));
    let ended = outcomes_in_words(&count_outcomes(sites));
    let ended = if ended.is_empty() { ended } else { format!(" ({ended})") };
    let sites = sites.len();
    match step {
        Step::Reading => {}
        Step::Folding => return format!("round {round}: finding the concepts of {sites} sites"),
        Step::Viewing(viewed, of) => {
            return format!(
                "round {round}: looking at the pages of each site together, sections and templates: {viewed} of {of} sites{concepts}"
            );
        }
        Step::Ending => return format!("round {round}: telling of articles{concepts}"),
    }
    if urls == 0 {
        // All pages come from archives.
        return format!("round {round}: {unfinished} pages of {sites} sites are left to be read{concepts}");
    }
    format!(
        "round {round}: {done} of {urls} URLs on {sites} sites{pace}{concepts}, {unfinished} pages in work{ended}"
    )
}

/// Prints the summary and the paths of the results.
async fn print_summary(engine: &Engine, folder: &Path, summary: &RunSummary) -> anyhow::Result<()> {
    let taxonomy = newslode_miner::work::fold::read_taxonomy(&engine.store).await?.unwrap_or_default();
    out::text(&taxonomy_top(&taxonomy, 30))?;
    let state =
        if summary.complete { "complete" } else { "interrupted; run the same command again to continue" };
    out::line(match &summary.imported {
        Some(counts) => format!("{state} in {:.1} s: {}", summary.seconds, counts.summary_line()),
        None => format!(
            "{state}: {} URLs of {} sites in {:.1} s ({})",
            summary.urls,
            summary.sites,
            summary.seconds,
            outcomes_in_words(&summary.outcomes)
        ),
    })?;
    if let Some(network) = &summary.network {
        out::line(network.in_words(out::time(network.since)))?;
    }
    if !summary.unfetched.is_empty() {
        out::text(&format!(
            "seeds that could not be fetched:\n{}",
            unfetched::seed_lines(&summary.unfetched)
        ))?;
        out::line(format!("hint: {}", unfetched::remedies(&summary.unfetched)))?;
    }
    if let Some(past) = &summary.past {
        out::text(&past.in_words())?;
    }
    out::line(format!(
        "{} concepts, {} relations, {} articles",
        summary.concepts, summary.relations, summary.articles
    ))?;
    let brought = &summary.brought;
    out::line(format!(
        "this run: {} new articles, {} changed, {} gone{}",
        brought.new,
        brought.changed,
        brought.gone,
        in_short("; new concepts: ", &brought.new_concepts)
    ))?;
    if !brought.without_articles.is_empty() {
        let sites =
            in_short("sites whose pages were read without finding an article: ", &brought.without_articles);
        let asking = in_short("\nof these, sites whose pages ask not to be indexed: ", &brought.noindex);
        let asking = if asking.is_empty() { asking } else { format!("{asking} (`crawler.noindex`)") };
        out::line(format!(
            "{sites}{asking}\nhint: newslode explain SITE --dir {} says why",
            folder.display()
        ))?;
    }
    let (articles, ontology) = engine::output_files(folder);
    out::line(format!("articles: {}\nontology: {}", articles.display(), ontology.display()))?;
    out::line(format!("report: {}", engine::report_file(folder).display()))?;
    out::line(format!("taxonomy: newslode taxonomy {}", folder.display()))
}

/// The first lines of the taxonomy's tree.
pub(crate) fn taxonomy_top(taxonomy: &Taxonomy, most: usize) -> String {
    let tree = newslode_miner::mining::taxonomy::tree_text(taxonomy);
    let lines = tree.lines().count();
    let mut text: String = tree.lines().take(most).map(|line| format!("{line}\n")).collect();
    if lines > most {
        text.push_str(&format!("… {} more\n", lines - most));
    }
    text
}

/// Peak resident memory of this process (`VmHWM`).
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kib| kib * 1024)
}
