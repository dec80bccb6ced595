//! `events.jsonl`: the events of articles and of the taxonomy, one line each, for `tail -F`.
//!
//! A line is appended when its event is in the article's history, or in the registry of concepts, so it never tells of something
//! that a kill undoes. The file
//! is rotated by size (`events.jsonl.1` is the newest of the older ones). At a start, a half line at its end is cut. Events that
//! the last process recorded and did not write are appended then: those of the histories that were written about since the file
//! was, and the changes of the taxonomy since. Start at [`EventFile::open`] and [`EventFile::follow`].

use std::collections::{HashMap, HashSet, VecDeque};
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use anyhow::Context;
use newslode_common::broker::in_process::PublishedArticle;
use newslode_common::rights::read_rights;
use newslode_common::store::redb::RedbStore;
use newslode_common::store::{Kind, PageArchive as _, SiteState as _};
use newslode_miner::work::histories::events::{ArticleEvent, GoneEvent, PastEvent, WithConcepts};
use newslode_miner::work::histories::history::{ArticleHistory, EventKind, history_key};
use newslode_miner::work::histories::{read_history, site_labels};
use newslode_miner::work::registry::{TaxonomyEvent, read_registry};
use newslode_page::article::Article;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;
use serde::Deserialize;
use tokio::sync::mpsc;

/// Name of the file within a run's folder.
pub(crate) const EVENTS_FILE: &str = "events.jsonl";
/// Number of older files that are kept.
const OLDER_FILES: usize = 4;
/// A half line is looked for from the end in steps of this many bytes.
const STEP: u64 = 1 << 16;
/// An event may have been recorded so long before the file was written to last, and yet be missing there.
const OVERLAP: Duration = Duration::from_secs(3_600);
/// An event is published right before its history is written. If that fails, it is published again, so the wait may end.
const RECORDED_WITHIN: Duration = Duration::from_secs(5);
/// Time between two looks whether an event was recorded.
const LOOK_EVERY: Duration = Duration::from_millis(5);
/// Events are published again after a failure; of so many of the last ones it is known that they are written.
const LAST_WRITTEN: usize = 8_192;

/// The open file.
pub(crate) struct EventFile {
    path: PathBuf,
    file: File,
    size: u64,
    /// The file is rotated when it has this many bytes.
    most_bytes: u64,
    /// What was written last, oldest first.
    order: VecDeque<(String, u64)>,
    written: HashSet<(String, u64)>,
    /// When the last process wrote to it; nothing for a new file.
    left_at: Option<Timestamp>,
}

/// What names an event.
#[derive(Deserialize)]
#[serde(untagged)]
enum EventName {
    Article { url: String, version: u64, event: EventKind },
    Taxonomy { event: TaxonomyTag, number: u64 },
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum TaxonomyTag {
    Taxonomy,
}

/// In place of an article's URL: events of the taxonomy are counted together.
const TAXONOMY: &str = "taxonomy";

impl EventName {
    /// The article, or the taxonomy, and the number of the event.
    fn counted(&self) -> (&str, u64) {
        match self {
            EventName::Article { url, version, .. } => (url, *version),
            EventName::Taxonomy { event: TaxonomyTag::Taxonomy, number } => (TAXONOMY, *number),
        }
    }
}

impl EventFile {
    /// Opens the file of a run, or makes it. Cuts a half line at its end.
    ///
    /// # Errors
    /// When it cannot be read or written.
    pub(crate) fn open(folder: &Path, most_bytes: u64) -> anyhow::Result<EventFile> {
        let path = folder.join(EVENTS_FILE);
        let failed = || format!("cannot write `{}`", path.display());
        let is_new = !path.exists();
        let mut file =
            File::options().read(true).append(true).create(true).open(&path).with_context(failed)?;
        let left_at = if is_new { None } else { Some(modified(&file).with_context(failed)?) };
        let size = whole_lines(&mut file).with_context(failed)?;
        if size < file.metadata().with_context(failed)?.len() {
            file.set_len(size).with_context(failed)?;
        }
        let (order, written) = (VecDeque::new(), HashSet::new());
        Ok(EventFile { path, file, size, most_bytes, order, written, left_at })
    }

    /// Appends the events that the last process did not come to, then each published one as soon as it is recorded, until
    /// `published` ends.
    ///
    /// # Errors
    /// When the file cannot be written or the store fails.
    pub(crate) async fn follow(
        mut self,
        store: RedbStore,
        mut published: mpsc::Receiver<PublishedArticle>,
    ) -> anyhow::Result<()> {
        if let Some(left_at) = self.left_at {
            self.append_missing(&store, left_at).await?;
        }
        while let Some(event) = published.recv().await {
            let Ok(name) = serde_json::from_slice::<EventName>(&event.body) else { continue };
            let (of, number) = name.counted();
            let is_recorded = match &name {
                EventName::Article { url, version, event } => {
                    is_recorded(&store, (url, *version), *event).await?
                }
                // The registry is written first.
                EventName::Taxonomy { .. } => true,
            };
            if is_recorded {
                self.append(of, number, &event.body)?;
            }
        }
        self.file.sync_data().with_context(|| format!("cannot write `{}`", self.path.display()))
    }

    /// Appends events that were recorded while nobody wrote them. The file was not written to later than at `left_at`.
    async fn append_missing(&mut self, store: &RedbStore, left_at: Timestamp) -> anyhow::Result<()> {
        // A copy of the file may have a later time than all that it holds.
        let last = store.last_archived(Kind::History).await?.unwrap_or(left_at);
        let since = Timestamp(left_at.min(last).0.saturating_sub(OVERLAP.as_millis() as u64));
        let touched = store.archived_since(Kind::History, since).await?;
        let mut changes = read_registry(store).await?.changes;
        changes.retain(|change| change.at >= since && change.number > 0);
        if touched.is_empty() && changes.is_empty() {
            return Ok(());
        }
        let written = self.last_versions()?;
        let mut missing = 0;
        let last_change = written.get(TAXONOMY).copied().unwrap_or_default();
        for change in changes.iter().filter(|change| change.number > last_change) {
            self.append(TAXONOMY, change.number, &serde_json::to_vec(&TaxonomyEvent::new(change))?)?;
            missing += 1;
        }
        for (_, key) in touched {
            let Some(bytes) = store.get(Kind::History, key).await? else { continue };
            let Ok(history) = serde_json::from_slice::<ArticleHistory>(&bytes) else { continue };
            for (version, line) in missing_lines(store, &history, &written, since).await? {
                self.append(history.url.as_str(), version, &line)?;
                missing += 1;
            }
        }
        if missing > 0 {
            tracing::info!(
                events = missing,
                "events that the last process did not write were appended to {EVENTS_FILE}"
            );
        }
        Ok(())
    }

    /// The number of the last event of each URL, and of the taxonomy, that the newest two files hold.
    fn last_versions(&self) -> anyhow::Result<HashMap<String, u64>> {
        let mut versions: HashMap<String, u64> = HashMap::new();
        for path in [older(&self.path, 1), self.path.clone()] {
            let Ok(file) = File::open(&path) else { continue };
            for line in BufReader::new(file).split(b'\n') {
                let line = line.with_context(|| format!("cannot read `{}`", path.display()))?;
                let Ok(name) = serde_json::from_slice::<EventName>(&line) else { continue };
                let (of, number) = name.counted();
                let last = versions.entry(of.to_owned()).or_default();
                *last = number.max(*last);
            }
        }
        Ok(versions)
    }

    /// Appends an event, unless it was appended lately.
    fn append(&mut self, url: &str, version: u64, json: &[u8]) -> anyhow::Result<()> {
        let name = (url.to_owned(), version);
        if !self.written.insert(name.clone()) {
            return Ok(());
        }
        self.order.push_back(name);
        if self.order.len() > LAST_WRITTEN
            && let Some(oldest) = self.order.pop_front()
        {
            self.written.remove(&oldest);
        }
        let failed = || format!("cannot write `{}`", self.path.display());
        if self.size > 0 && self.size + json.len() as u64 > self.most_bytes {
            self.file.sync_data().with_context(failed)?;
            for number in (1..OLDER_FILES).rev() {
                let from = older(&self.path, number);
                if from.exists() {
                    std::fs::rename(from, older(&self.path, number + 1)).with_context(failed)?;
                }
            }
            std::fs::rename(&self.path, older(&self.path, 1)).with_context(failed)?;
            self.file = File::options().append(true).create(true).open(&self.path).with_context(failed)?;
            self.size = 0;
        }
        // One call a line, so that a reader hardly ever sees half of one.
        let line = [json, b"\n"].concat();
        self.file.write_all(&line).with_context(failed)?;
        self.size += line.len() as u64;
        Ok(())
    }
}

/// The name of an older file; 1 is the newest of them.
fn older(path: &Path, number: usize) -> PathBuf {
    path.with_extension(format!("jsonl.{number}"))
}

fn modified(file: &File) -> std::io::Result<Timestamp> {
    let since = file.metadata()?.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(Timestamp(u64::try_from(since.as_millis()).unwrap_or(u64::MAX)))
}

/// The bytes up to the end of the last whole line.
fn whole_lines(file: &mut File) -> std::io::Result<u64> {
    let mut end = file.metadata()?.len();
    while end > 0 {
        let begin = end.saturating_sub(STEP);
        let mut bytes = vec![0; usize::try_from(end - begin).unwrap_or_default()];
        file.seek(SeekFrom::Start(begin))?;
        file.read_exact(&mut bytes)?;
        if let Some(at) = bytes.iter().rposition(|byte| *byte == b'\n') {
            return Ok(begin + at as u64 + 1);
        }
        end = begin;
    }
    Ok(0)
}

/// Whether an event is in its article's history; waits a moment for that.
async fn is_recorded(
    store: &RedbStore,
    (url, version): (&str, u64),
    event: EventKind,
) -> anyhow::Result<bool> {
    let Ok(url) = url.parse::<CanonicalUrl>() else { return Ok(false) };
    let begun = tokio::time::Instant::now();
    loop {
        match read_history(store, &url).await? {
            Some(history) if history.events.last().is_some_and(|last| last.version >= version) => {
                return Ok(true);
            }
            // A forgotten article has no history any more.
            None if event == EventKind::Gone => return Ok(true),
            _ if begun.elapsed() > RECORDED_WITHIN => return Ok(false),
            _ => tokio::time::sleep(LOOK_EVERY).await,
        }
    }
}

/// The lines of a history's events that are not written, with their numbers. Only the last event still has its article.
async fn missing_lines(
    store: &RedbStore,
    history: &ArticleHistory,
    written: &HashMap<String, u64>,
    since: Timestamp,
) -> anyhow::Result<Vec<(u64, Vec<u8>)>> {
    let last_written = written.get(history.url.as_str()).copied();
    let is_missing = |event: &PastEvent<'_>| match last_written {
        Some(last) => event.version > last,
        // Its earlier events may be in files that are gone.
        None => event.at >= since,
    };
    let missing: Vec<PastEvent<'_>> = history.history().filter(is_missing).collect();
    let labels =
        if missing.is_empty() { Default::default() } else { site_labels(store, &history.url).await? };
    let mut lines = Vec::new();
    for event in missing {
        let is_last = history.events.last().is_some_and(|last| last.version == event.version);
        let whole = match (is_last, event.event) {
            (true, EventKind::Gone) => {
                GoneEvent::latest(history, &labels).map(|event| serde_json::to_vec(&event))
            }
            (true, _) => {
                let article = counted_article(store, &history.url).await?;
                let rights = read_rights(store, &history.url).await?;
                let event =
                    article.as_ref().and_then(|article| ArticleEvent::latest(history, article, &labels));
                event.map(|event| {
                    serde_json::to_vec(&WithConcepts {
                        id: history_key(&history.url),
                        event,
                        filed: &[],
                        places: &[],
                        codes: None,
                        rights: &rights,
                    })
                })
            }
            (false, _) => None,
        };
        lines.push((event.version, whole.unwrap_or_else(|| serde_json::to_vec(&event))?));
    }
    Ok(lines)
}

/// The article of the page that counts at a URL.
async fn counted_article(store: &RedbStore, url: &CanonicalUrl) -> anyhow::Result<Option<Article>> {
    let counted = store.versions(&url.site(), std::slice::from_ref(url)).await?;
    let Some(version) = counted.into_iter().flatten().next() else { return Ok(None) };
    let Some(json) = store.get(Kind::Article, version.content).await? else { return Ok(None) };
    Ok(serde_json::from_slice(&json).ok())
}

#[cfg(test)]
mod tests {
    use newslode_common::message::Ending;
    use newslode_miner::mining::registry::Registry;
    use newslode_miner::mining::taxonomy::Taxonomy;
    use newslode_miner::work::histories::history::Fetch;
    use newslode_miner::work::registry::REGISTRY;

    use super::*;
    use crate::html::taxonomy::tests::test_concept;

    fn event(url: &str, version: u64) -> Vec<u8> {
        format!(r#"{{"event":"new","version":{version},"url":"{url}"}}"#).into_bytes()
    }

    fn lines(path: &Path) -> Vec<String> {
        std::fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_half_line_is_cut_at_the_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(EVENTS_FILE);
        let long = "x".repeat(3 * STEP as usize);
        for (held, left) in [("", ""), ("half", ""), ("a\nb\nhal", "a\nb\n"), ("a\n", "a\n")] {
            std::fs::write(&path, held).unwrap();
            EventFile::open(folder.path(), 1 << 20).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), left);
        }
        std::fs::write(&path, format!("a\n{long}")).unwrap();
        EventFile::open(folder.path(), 1 << 20).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "a\n");
    }

    #[test]
    fn a_full_file_becomes_an_older_one_and_the_oldest_goes() {
        let folder = tempfile::tempdir().unwrap();
        let line = event("http://a.test/1", 1).len() as u64 + 1;
        let mut file = EventFile::open(folder.path(), 2 * line).unwrap();
        for version in 1..=14 {
            file.append("http://a.test/1", version % 10, &event("http://a.test/1", version % 10)).unwrap();
        }
        let all: Vec<Vec<String>> =
            (1..=OLDER_FILES + 1).map(|number| lines(&older(&file.path, number))).collect();
        assert_eq!(all.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2, 2, 2, 0]);
        assert_eq!(lines(&file.path).len(), 2);
    }

    #[tokio::test]
    async fn changes_of_the_taxonomy_that_a_kill_left_out_are_appended_once() {
        let folder = tempfile::tempdir().unwrap();
        let store = RedbStore::open(&folder.path().join("store.redb")).unwrap();
        // Two concepts, then another one; the readers of the last process were told the first of all.
        let mut registry = Registry::default();
        for (day, keys) in [(1, &["en:art", "en:sport"][..]), (2, &["en:art", "en:chess", "en:sport"])] {
            let concepts = keys.iter().map(|key| test_concept(key)).collect();
            registry.follow(&Taxonomy { concepts, ..Taxonomy::default() }, Timestamp(day));
        }
        let json = serde_json::to_vec(&registry).unwrap().into();
        store.put_value(REGISTRY, None, json).await.unwrap();
        let mut file = EventFile::open(folder.path(), 1 << 20).unwrap();
        let first = serde_json::to_vec(&TaxonomyEvent::new(&registry.changes[0])).unwrap();
        file.append(TAXONOMY, 1, &first).unwrap();
        for _ in 0..2 {
            let mut file = EventFile::open(folder.path(), 1 << 20).unwrap();
            file.append_missing(&store, Timestamp(3)).await.unwrap();
            let told = lines(&file.path).into_iter().map(|line| {
                let event: serde_json::Value = serde_json::from_str(&line).unwrap();
                assert_eq!(
                    (&event["event"], &event["change"]),
                    (&"taxonomy".into(), &"new".into()),
                    "{line}"
                );
                (event["number"].as_u64().unwrap(), event["key"].as_str().unwrap().to_owned())
            });
            let wanted = [(1, "en:art"), (2, "en:sport"), (3, "en:chess")];
            assert_eq!(told.collect::<Vec<_>>(), wanted.map(|(number, key)| (number, key.to_owned())));
        }
    }

    #[tokio::test]
    async fn events_that_a_kill_left_out_are_appended_although_the_file_was_copied_later() {
        let folder = tempfile::tempdir().unwrap();
        let store = RedbStore::open(&folder.path().join("store.redb")).unwrap();
        let (url, day): (CanonicalUrl, _) = ("http://a.test/1".parse().unwrap(), Duration::from_secs(86_400));
        let (read, ended) = (Timestamp(0).plus(9 * day), Timestamp(0).plus(10 * day));
        let mut history = ArticleHistory::new(&url, read, None);
        history.record_fetch(&Article::default(), Fetch { number: 1, at: read }).unwrap();
        history.record_end(Ending::NotFound, Fetch { number: 2, at: ended }).unwrap();
        let json = serde_json::to_vec(&history).unwrap().into();
        store.put(Kind::History, history_key(&url), json, ended).await.unwrap();
        let mut file = EventFile::open(folder.path(), 1 << 20).unwrap();
        file.append(url.as_str(), 1, &event(url.as_str(), 1)).unwrap();
        let copied = ended.plus(5 * day);
        let mut file = EventFile::open(folder.path(), 1 << 20).unwrap();
        file.append_missing(&store, copied).await.unwrap();
        let told = lines(&file.path);
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(told[1].contains(r#""event":"gone""#), "{told:?}");
    }

    #[test]
    fn an_event_that_is_published_twice_is_written_once() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = EventFile::open(folder.path(), 1 << 20).unwrap();
        for version in [1, 1, 2, 1] {
            file.append("http://a.test/1", version, &event("http://a.test/1", version)).unwrap();
        }
        assert_eq!(lines(&file.path).len(), 2);
        assert_eq!(file.last_versions().unwrap().get("http://a.test/1"), Some(&2));
    }
}
