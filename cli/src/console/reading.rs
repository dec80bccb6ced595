//! Reads the store in the background, and gives requests the newest whole [`Snapshot`].
//!
//! Every snapshot reads the state of the sites and, of a run, the articles that changed since the last snapshot
//! ([`changes`](super::changes)); new ones are filed by what was learnt before. A *full pass* ([`whole`](super::whole)) reads all
//! articles when a site's counts or the taxonomy changed, for a while after people taught a site, and when an hour has passed. The next
//! one waits at least ten times as long as the last one took, so that they take at most a tenth of the time. One that takes long runs
//! in the background while snapshots go on.
//! What is shown is kept in the run's folder ([`saved`]), and the next process goes on from it. If reading fails, requests see the
//! last snapshot and the reason. Start at [`renew_snapshots`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::{StreamExt as _, TryStreamExt as _};
use newslode_common::broker::depths;
use newslode_common::network::NoNetwork;
use newslode_common::store::SiteStatus;
use newslode_common::time;
use newslode_miner::mining::filing::Filing;
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_miner::work::fold;
use newslode_miner::work::knowledge;
use newslode_miner::work::registry::read_registry;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::changes::{Changes, PutsRead, read_changes};
use super::rising;
use super::saved::{self, Saved};
use super::search::{SearchIndex, SearchWriter, SharedSearch};
use super::snapshot::{MOST_ARTICLES, Mined, Rising, SiteFacts, Snapshot};
use super::source::Source;
use super::whole::{Whole, read_all};
use crate::outcomes::count_outcomes;
use crate::queries::codes::Coder;
use crate::queries::health::SiteHealth;

/// A full pass is due after this time, whatever changed.
const STALE: Duration = Duration::from_secs(3_600);
/// How long articles may change after a site was taught something, besides twice the miners' `views_s`.
const SETTLES: Duration = Duration::from_secs(60);
/// A snapshot waits for a full pass that takes less; a longer one runs in the background.
const SHORT: Duration = Duration::from_secs(2);
/// Number of sites that are read at the same time.
const AT_ONCE: usize = 32;
/// What is shown is saved at most so often, and so many bytes a second.
const SAVE_EVERY: Duration = Duration::from_secs(60);
const SAVED_BYTES_A_SECOND: u64 = 50_000;

/// What requests see: the newest snapshot, or how far the first one is.
#[derive(Clone, Debug, Default)]
pub(super) struct SnapshotStatus {
    /// The newest complete snapshot.
    pub(super) snapshot: Option<Arc<Snapshot>>,
    /// Why the last snapshot failed.
    pub(super) failure: Option<String>,
    /// Number of articles that the first snapshot has read so far.
    pub(super) articles: u64,
}

/// What is shown of the mined state, and how it goes on.
struct Shown {
    mined: Arc<Mined>,
    filing: Arc<Filing>,
    /// Share of the articles that listings showed within seven days that was read, in thousandths.
    recalls: BTreeMap<Site, u64>,
    /// When the last full pass ended, and how long it took.
    looked_at: Instant,
    took: Duration,
    /// The counts of sites at its beginning.
    counts: Vec<(Site, u64)>,
    /// The version of people's lessons, and since when it is the same.
    taught: Option<(Option<u64>, Instant)>,
    /// It includes what was written before this time.
    made: Timestamp,
    puts_read: PutsRead,
    /// Whether the last process left it and nobody saw it yet.
    is_restored: bool,
    is_saved: bool,
}

/// What shows whether a full pass is due.
struct Signs {
    counts: Vec<(Site, u64)>,
    taxonomy: Taxonomy,
    taught: (Option<u64>, Instant),
}

impl Shown {
    fn of_saved(saved: Saved) -> Shown {
        Shown {
            mined: saved.mined,
            filing: saved.filing,
            recalls: saved.recalls,
            looked_at: Instant::now(),
            took: saved.took,
            counts: saved.counts,
            taught: None,
            made: saved.made,
            puts_read: PutsRead::until(saved.made),
            is_restored: true,
            is_saved: true,
        }
    }

    fn of_whole(whole: Whole, signs: Signs) -> Shown {
        Shown {
            mined: Arc::new(whole.mined),
            filing: whole.filing,
            recalls: whole.recalls,
            looked_at: Instant::now(),
            took: whole.took,
            counts: signs.counts,
            taught: Some(signs.taught),
            made: whole.begun,
            puts_read: PutsRead::until(whole.begun),
            is_restored: false,
            is_saved: false,
        }
    }

    /// Whether articles may have changed in ways that only a full pass shows. `settles`: how long after lessons.
    fn is_outdated(&self, signs: &Signs, settles: Duration) -> bool {
        // Nothing says when the lessons of the last process were given: they were followed long ago.
        let is_settled = self
            .taught
            .is_none_or(|taught| taught == signs.taught && self.looked_at.duration_since(taught.1) > settles);
        self.counts != signs.counts
            || *self.mined.taxonomy != signs.taxonomy
            || !is_settled
            || self.looked_at.elapsed() >= STALE
    }

    /// Shows the changes, and the index that finds all articles.
    fn show(&mut self, changes: &Changes, search: Option<SearchIndex>, now: Timestamp) {
        if !changes.is_empty() {
            self.mined = Arc::new(Mined { search, ..self.with(changes, now) });
            self.is_saved = false;
        } else if self.mined.search.is_none() && search.is_some() {
            // What was just read is held by nobody else. A list that is shown without an index is made anew.
            match Arc::get_mut(&mut self.mined) {
                Some(mined) => mined.search = search,
                None => self.mined = Arc::new(Mined { search, ..self.with(changes, now) }),
            }
        }
    }

    /// The same articles but for the changes.
    fn with(&self, changes: &Changes, now: Timestamp) -> Mined {
        let kept = self.mined.articles.iter().filter(|article| changes.keep(article));
        let mut articles: Vec<_> = kept.chain(&changes.put).cloned().collect();
        let mut older = self.mined.older.clone();
        for site in &changes.gone_sites {
            let gone = older.by_site.remove(site).unwrap_or_default();
            older.articles = older.articles.saturating_sub(usize::try_from(gone).unwrap_or(usize::MAX));
        }
        older.cut(&mut articles, MOST_ARTICLES);
        Mined {
            coder: self.mined.coder.clone(),
            ..Mined::of((self.mined.taxonomy.clone(), self.mined.explanations()), (articles, older), now)
        }
    }
}

/// Takes snapshots.
struct Reader {
    source: Arc<Source>,
    read: Arc<watch::Sender<SnapshotStatus>>,
    /// Opened when it is needed, and again after it failed.
    search: Option<SharedSearch>,
    shown: Option<Shown>,
    /// A full pass in the background, with the signs at its beginning.
    whole: JoinSet<anyhow::Result<(Whole, Signs)>>,
    /// When what is shown was saved last, and its bytes.
    saved: Option<(Instant, u64)>,
}

/// Takes a snapshot every so often, and when `asked` to, until `stop`.
pub(super) async fn renew_snapshots(
    source: Arc<Source>,
    read: watch::Sender<SnapshotStatus>,
    (every, asked): (Duration, Arc<Notify>),
    stop: CancellationToken,
) {
    let whole = JoinSet::new();
    let mut reader = Reader { source, read: Arc::new(read), search: None, shown: None, whole, saved: None };
    reader.restore().await;
    let mut finished = None;
    loop {
        let begun = Instant::now();
        let is_restored = reader.shown.as_ref().is_some_and(|shown| shown.is_restored);
        let taken = tokio::select! {
            taken = reader.look(finished.take()) => taken,
            () = stop.cancelled() => break,
        };
        if let Ok(snapshot) = &taken {
            let (articles, took) = (snapshot.mined.articles.len(), begun.elapsed().as_millis());
            tracing::info!(articles, took_ms = took, is_restored, "looked at the store");
        }
        let has_failed = taken.is_err();
        reader.tell(taken).await;
        // What the last process showed is shown first, and the changes since are read right after. A store that fails is
        // given time.
        if is_restored && !has_failed {
            continue;
        }
        reader.save(false).await;
        tokio::select! {
            () = tokio::time::sleep(every.max(begun.elapsed() * 10)) => {}
            () = asked.notified() => {}
            Some(done) = reader.whole.join_next() => finished = Some(done.map_err(Into::into).flatten()),
            () = stop.cancelled() => break,
        }
    }
    reader.whole.shutdown().await;
    reader.save(true).await;
}

impl Reader {
    /// Takes up what the last process of a run showed.
    async fn restore(&mut self) {
        let Some(folder) = self.source.run.as_ref().map(|run| run.folder.clone()) else { return };
        let read = tokio::task::spawn_blocking(move || saved::read(&folder, time::now()));
        match read.await.map_err(Into::into).flatten() {
            Ok(mut saved) => {
                // Nobody else holds what was just read.
                if let Some(mined) = saved.as_mut().and_then(|saved| Arc::get_mut(&mut saved.mined)) {
                    let schemes = &self.source.parts.schemes;
                    mined.coder = Arc::new(Coder::of_mined(schemes, &mined.taxonomy).await);
                }
                let edition = saved.as_ref().map(|saved| saved.edition.clone());
                self.shown = saved.map(Shown::of_saved);
                if let Err(error) = self.open_search(edition).await {
                    tracing::warn!("{error:#}");
                }
            }
            Err(error) => tracing::info!("what the console showed last cannot be used: {error:#}"),
        }
    }

    /// The search index; opens it if it is not.
    async fn open_search(&mut self, edition: Option<String>) -> anyhow::Result<SharedSearch> {
        if let Some(search) = &self.search {
            return Ok(search.clone());
        }
        let folder = self.source.run.as_ref().map(|run| run.folder.clone());
        let opening =
            tokio::task::spawn_blocking(move || SearchWriter::open(folder.as_deref(), edition.as_deref()));
        let search = SharedSearch::new(opening.await??);
        Ok(self.search.insert(search).clone())
    }

    /// Shows a snapshot, or why there is none.
    async fn tell(&mut self, taken: anyhow::Result<Snapshot>) {
        if let Err(error) = &taken {
            tracing::warn!("the console cannot read the store: {error:#}");
            // An index that failed is opened, or made, anew.
            if error.downcast_ref::<tantivy::TantivyError>().is_some() {
                self.whole.shutdown().await;
                self.search = None;
            }
        }
        self.read.send_modify(|read| match taken {
            Ok(snapshot) => {
                *read = SnapshotStatus { snapshot: Some(Arc::new(snapshot)), failure: None, articles: 0 };
            }
            Err(error) => read.failure = Some(format!("{error:#}")),
        });
    }

    /// Takes a snapshot. `finished`: a full pass that ran in the background.
    async fn look(&mut self, finished: Option<anyhow::Result<(Whole, Signs)>>) -> anyhow::Result<Snapshot> {
        // 1. What the last process showed. It keeps its time, so that those who follow the events hear of all that came since.
        let search = self.open_search(None).await?;
        if let Some(shown) = self.shown.as_mut().filter(|shown| shown.is_restored) {
            shown.is_restored = false;
            let found = commit(&search).await?;
            shown.show(&Changes::default(), found, shown.made);
            let (mined, made) = (shown.mined.clone(), shown.made);
            return self.snapshot(mined, Arc::default(), made).await;
        }
        // 2. A full pass, if one is due.
        if let Some(finished) = finished {
            let (whole, signs) = finished?;
            self.adopt(whole, signs, &search);
        }
        let signs = self.signs().await?;
        let counts = signs.counts.clone();
        self.full_pass(signs, &search).await?;
        // 3. What changed since, and all that is shown.
        let now = time::now();
        let shown = self.shown.as_mut().ok_or_else(|| anyhow::anyhow!("nothing was read"))?;
        if let Some(run) = &self.source.run {
            let store = (&self.source.parts, &run.store);
            let filed = (shown.mined.as_ref(), Some(shown.filing.as_ref()));
            let changes = read_changes(store, filed, &shown.puts_read, &counts, &search, now).await?;
            let found = commit(&search).await?;
            shown.show(&changes, found, now);
            (shown.puts_read, shown.made) = (changes.puts_read, now);
        } else {
            let found = commit(&search).await?;
            shown.show(&Changes::default(), found, now);
        }
        let mined = shown.mined.clone();
        let before = self.read.borrow().snapshot.clone();
        let rising = rising::renew(before, &mined, now).await;
        self.snapshot(mined, rising, now).await
    }

    /// Makes a full pass if one is due: now if it is short, else in the background.
    async fn full_pass(&mut self, signs: Signs, search: &SharedSearch) -> anyhow::Result<()> {
        let is_whole = search.lock().is_whole();
        // Miners read a site's articles again some time after it was taught something.
        let settles = Duration::from_secs(2 * self.source.config.miner.views_s) + SETTLES;
        if let Some(shown) = &mut self.shown {
            let is_due = !is_whole || shown.is_outdated(&signs, settles);
            shown.taught = Some(signs.taught);
            let waits = is_whole && shown.took >= SHORT && shown.looked_at.elapsed() < shown.took * 10;
            if !is_due || waits || !self.whole.is_empty() {
                return Ok(());
            }
        }
        let base = self.shown.as_ref().map(|shown| shown.mined.clone());
        let is_long = self.shown.as_ref().is_some_and(|shown| shown.took >= SHORT || !is_whole);
        let (source, index, read) = (self.source.clone(), search.clone(), self.read.clone());
        let looking = async move {
            let seen = || {
                read.send_if_modified(|read| {
                    read.articles += 1;
                    false
                });
            };
            let whole = read_all(&source, signs.taxonomy.clone(), (&index, base), seen).await?;
            anyhow::Ok((whole, signs))
        };
        // Without changes of the store to read meanwhile, snapshots wait for it.
        if is_long && self.source.run.is_some() {
            self.whole.spawn(looking);
        } else {
            let (whole, signs) = looking.await?;
            self.adopt(whole, signs, search);
        }
        Ok(())
    }

    /// Shows what a full pass found. What changed since it began must be read again.
    fn adopt(&mut self, whole: Whole, signs: Signs, search: &SharedSearch) {
        let mut search = search.lock();
        let before = self.shown.as_ref().map(|shown| shown.mined.clone());
        for article in before.iter().flat_map(|before| &before.articles) {
            if whole.mined.article(&article.id).is_none() {
                search.delete(article.id);
            }
        }
        search.set_whole();
        self.shown = Some(Shown::of_whole(whole, signs));
    }

    /// What is cheap to read, and shows whether the mined state changed.
    async fn signs(&self) -> anyhow::Result<Signs> {
        let state = self.source.parts.stores.state.as_ref();
        let taxonomy = fold::read_taxonomy(state).await?.unwrap_or_default();
        let counts = state.sites().await?;
        let version = knowledge::lessons_version(state).await?;
        let taught = match self.shown.as_ref().map(|shown| shown.taught) {
            Some(Some((same, since))) if same == version => (version, since),
            Some(Some(_)) => (version, Instant::now()),
            // Lessons from before the first look were followed long ago.
            _ => (version, Instant::now().checked_sub(STALE).unwrap_or_else(Instant::now)),
        };
        Ok(Signs { counts, taxonomy, taught })
    }

    /// What is shown, with queues and sites as they are now.
    async fn snapshot(
        &self,
        mined: Arc<Mined>,
        rising: Arc<Rising>,
        made: Timestamp,
    ) -> anyhow::Result<Snapshot> {
        let (parts, now) = (&self.source.parts, time::now());
        let mut queues = BTreeMap::new();
        if let Some(broker) = &self.source.broker {
            for (queue, depth) in depths(broker).await {
                queues.insert(queue.to_string(), depth?);
            }
        }
        let all = parts.stores.frontier.status().await?;
        let outcomes = count_outcomes(&all);
        let recalls = self.shown.as_ref().map(|shown| &shown.recalls);
        let facts = async |status: SiteStatus| {
            let (schedule, _) = parts.stores.frontier.schedule(&status.site).await?;
            anyhow::Ok(SiteFacts {
                health: SiteHealth::of(&schedule, &status.outcomes, now),
                articles: mined.by_site.get(&status.site).copied().unwrap_or_default(),
                recall: recalls.and_then(|recalls| recalls.get(&status.site).copied()),
                listings: schedule.listings().count() as u64,
                status,
            })
        };
        let sites: Vec<SiteFacts> =
            futures::stream::iter(all.into_iter().map(facts)).buffered(AT_ONCE).try_collect().await?;
        let registry = Arc::new(read_registry(parts.stores.state.as_ref()).await?);
        let network = NoNetwork::read(parts.stores.state.as_ref(), now).await?;
        Ok(Snapshot { made, mined, rising, registry, sites, outcomes, queues, network })
    }

    /// Keeps what is shown for the next process of the run, if that is due or this is the last time. A folder that cannot be
    /// written to does without.
    async fn save(&mut self, is_last: bool) {
        let (Some(run), Some(shown), Some(search)) = (&self.source.run, &mut self.shown, &self.search) else {
            return;
        };
        let is_early = self.saved.is_some_and(|(at, bytes)| {
            at.elapsed() < SAVE_EVERY.max(Duration::from_secs(bytes / SAVED_BYTES_A_SECOND))
        });
        let edition = search.lock().kept_edition().map(str::to_owned);
        let Some(edition) = edition.filter(|_| !shown.is_saved && (is_last || !is_early)) else { return };
        let saved = Saved {
            made: shown.made,
            mined: shown.mined.clone(),
            filing: shown.filing.clone(),
            counts: shown.counts.clone(),
            took: shown.took,
            recalls: shown.recalls.clone(),
            edition,
        };
        let (folder, search) = (run.folder.clone(), search.clone());
        // The index never lacks an article that was saved.
        let writing = move || -> anyhow::Result<u64> {
            search.lock().commit()?;
            saved::write(&folder, &saved)
        };
        match tokio::task::spawn_blocking(writing).await.map_err(Into::into).flatten() {
            Ok(bytes) => {
                self.saved = Some((Instant::now(), bytes));
                shown.is_saved = true;
            }
            Err(error) => tracing::debug!("what the console shows is not kept: {error:#}"),
        }
    }
}

/// Makes the index searchable as it is now; nothing until it is whole.
async fn commit(search: &SharedSearch) -> anyhow::Result<Option<SearchIndex>> {
    let search = search.clone();
    Ok(tokio::task::spawn_blocking(move || search.lock().commit()).await??)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use newslode_common::config::{Config, Follow};
    use newslode_common::message::{Body, Ending, FetchedPage, GonePage, PartitionedPage, envelope};
    use newslode_common::store::{Kind, Why};
    use newslode_common::version::{ContentHash, Version};
    use newslode_miner::work::apply::count_batch;
    use newslode_miner::work::parts::Parts;
    use newslode_miner::work::removal::remove_page;
    use newslode_page::analyse;
    use newslode_page::reading::CanonicalUrl;
    use proptest::prelude::*;

    use super::*;
    use crate::console::source::Run;
    use crate::engine::{Engine, add_seeds, seeds};
    use crate::filter::phrases::WordQuery;

    fn url(site: usize, number: usize) -> CanonicalUrl {
        format!("http://site{site}.test/2026/11/{:02}/story-{number}", number + 1).parse().unwrap()
    }

    /// Counts a page with an article, or one with hardly any text if `word` is nothing.
    async fn count(parts: &Parts, url: &CanonicalUrl, fetch: u64, word: Option<&str>) {
        let text = word.map(|word| {
            let sentence =
                format!("The {word} of {} came to the valley again and stayed for long. ", url.path());
            format!(
                "<meta property=og:type content=article><h1>The {word} of {}</h1><p>By Ann Lee</p><p>{}",
                url.path(),
                sentence.repeat(12)
            )
        });
        let html = text.unwrap_or_else(|| "<title>Nothing</title><p>Nothing is here.".to_owned());
        let content = ContentHash::of(url, None, html.as_bytes());
        let fetched = FetchedPage {
            url: url.clone(),
            site: url.site(),
            depth: 1,
            why: Why::Link,
            version: Version { fetch, content },
            fetched_at: time::now(),
            content_type: None,
            body: Body::pack(html.as_bytes()).unwrap(),
            listed: None,
            rendered: false,
        };
        let sealed = envelope::seal(&fetched).unwrap();
        parts.stores.archive.put(Kind::Page, content, sealed.into(), time::now()).await.unwrap();
        let mut said = analyse(url, None, html.as_bytes(), time::now(), &parts.params);
        let page = PartitionedPage::new(&parts.params.generation(), &fetched, &mut said);
        count_batch(parts, Follow::All, &url.site(), &[page], time::now()).await.unwrap();
    }

    async fn remove(parts: &Parts, url: &CanonicalUrl, fetch: u64) {
        let gone =
            GonePage { url: url.clone(), site: url.site(), fetch, at: time::now(), ending: Ending::NotFound };
        remove_page(parts, &gone, time::now()).await.unwrap();
    }

    fn reader(engine: &Engine, folder: &Path) -> Reader {
        let source = Source {
            name: "a run".to_owned(),
            parts: engine.miner_parts(),
            run: Some(Run { folder: folder.to_owned(), store: engine.store.clone(), is_held: true }),
            broker: None,
            config: Config::default(),
        };
        let (read, whole) = (Arc::new(watch::Sender::default()), JoinSet::new());
        Reader { source: Arc::new(source), read, search: None, shown: None, whole, saved: None }
    }

    /// All that is shown of the articles, and how many of them have this word.
    fn shown(snapshot: &Snapshot, word: &str) -> (Vec<String>, usize) {
        let mined = &snapshot.mined;
        let lines = mined.newest().map(|article| format!("{article:?}"));
        let search = mined.search.as_ref().unwrap();
        let found =
            search.find(&WordQuery::parse(word), &mined.positions, mined.articles.len()).unwrap().unwrap();
        assert_eq!(mined.by_site.values().sum::<u64>(), mined.articles.len() as u64);
        (lines.collect(), found.into_iter().filter(|found| *found).count())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        /// However pages came, changed and went, what a console shows by reading what changed, or by going on from what the last
        /// one saved, is what it shows after reading everything.
        #[test]
        fn what_changed_is_enough_to_show_what_everything_shows(
            changes in prop::collection::vec((0..3_usize, 0..4_usize, 0..5_u8), 1..24),
            saves in any::<u8>(),
        ) {
            let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
            runtime.block_on(async {
                let folder = tempfile::tempdir().unwrap();
                let engine = Engine::open(folder.path(), Config::default()).unwrap();
                let parts = engine.miner_parts();
                let sites: Vec<String> = (0..3).map(|site| format!("http://site{site}.test/")).collect();
                let added = seeds::collect(&sites, None).unwrap();
                add_seeds(&parts, &added, (None, None, None), &Config::default().miner).await.unwrap();
                count(&parts, &url(0, 0), 1, Some("rain")).await;
                let mut first = reader(&engine, folder.path());
                first.look(None).await.unwrap();
                for (step, (site, number, change)) in (2_u64..).zip(changes) {
                    let url = url(site, number);
                    match change {
                        0 => remove(&parts, &url, step).await,
                        1 => count(&parts, &url, step, None).await,
                        2 => count(&parts, &url, step, Some("snow")).await,
                        _ => count(&parts, &url, step, Some("rain")).await,
                    }
                    // Nothing but changes is read.
                    first.shown.as_mut().unwrap().took = STALE;
                    let snapshot = first.look(None).await.unwrap();
                    if saves >> (step % 8) & 1 == 1 {
                        first.saved = None;
                        first.save(false).await;
                    }
                    let mut other = reader(&engine, folder.path());
                    let whole = other.look(None).await.unwrap();
                    assert_eq!(shown(&snapshot, "snow"), shown(&whole, "snow"));
                }
                // The process ends, with what was saved some time ago.
                let last = first.look(None).await.unwrap();
                first.save(false).await;
                let is_saved = folder.path().join("newslode.console").exists();
                drop(first);
                let mut second = reader(&engine, folder.path());
                second.restore().await;
                assert_eq!(second.shown.is_some(), is_saved);
                second.look(None).await.unwrap();
                let snapshot = second.look(None).await.unwrap();
                assert_eq!(shown(&snapshot, "rain"), shown(&last, "rain"));
            });
        }
    }
}
