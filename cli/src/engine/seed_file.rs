//! A file of seeds that people edit while a run follows its sites.
//!
//! The run remembers which seeds it took from the file, so that only what changed in the file counts: sites that were added
//! elsewhere stay, and a site that was paused by hand stays paused. A line that was removed pauses its site; nothing is
//! forgotten.
//!
//! Editors and copying programs write files in steps. So a file counts once it has not changed for a moment, and longer if it looks
//! half written; one that is empty or missing changes nothing. While a line is wrong, no site is paused, because that line may be a
//! misspelt address of the site. Start at [`SeedFile::follow`].

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use anyhow::Context as _;
use futures::{StreamExt as _, TryStreamExt as _};
use newslode_common::config::MinerConfig;
use newslode_common::message::seed::{SeedMessage, VERSION};
use newslode_miner::work::parts::Parts;
use newslode_miner::work::seeds::apply_seed;
use tokio_util::sync::CancellationToken;

use super::seeds::{self, SeedLines};

/// The value of the store that holds the seeds of the file.
const VALUE: &str = "seed-file";
/// Time between two looks at the file.
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// A file counts once it has not changed for this long.
const SETTLED: Duration = Duration::from_secs(2);
/// The same for a file that may be half written: it shrank, or its last line does not end.
const SETTLED_IF_CUT: Duration = Duration::from_secs(30);
/// Seeds that are applied at once.
const AT_ONCE: usize = 64;

/// A file of seeds, and how it was when it was looked at last.
pub(crate) struct SeedFile {
    path: PathBuf,
    limits: (Option<u64>, Option<u32>, Option<u64>),
    /// How it was when it was taken in.
    taken: Option<Stamp>,
    /// What was said last, so that it is said once.
    said: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    modified: SystemTime,
    bytes: u64,
}

impl SeedFile {
    /// A file whose new seeds get these limits.
    pub(crate) fn new(path: PathBuf, limits: (Option<u64>, Option<u32>, Option<u64>)) -> SeedFile {
        SeedFile { path, limits, taken: None, said: String::new() }
    }

    /// Takes in the file, and again whenever it changes, until `stop`.
    ///
    /// # Errors
    /// When the store fails.
    pub(crate) async fn follow(
        mut self,
        parts: Parts,
        defaults: MinerConfig,
        stop: CancellationToken,
    ) -> anyhow::Result<()> {
        loop {
            self.look(&parts, &defaults, SystemTime::now()).await?;
            if stop.run_until_cancelled(tokio::time::sleep(LOOK_EVERY)).await.is_none() {
                return Ok(());
            }
        }
    }

    /// Takes in the file if it changed and is whole.
    async fn look(&mut self, parts: &Parts, defaults: &MinerConfig, clock: SystemTime) -> anyhow::Result<()> {
        let shown = self.path.display().to_string();
        let stamp = match std::fs::metadata(&self.path) {
            Ok(metadata) => Stamp { modified: metadata.modified()?, bytes: metadata.len() },
            Err(error) => {
                self.say(format!("cannot read seeds from `{shown}`, so nothing changes: {error}"));
                return Ok(());
            }
        };
        if self.taken == Some(stamp) {
            return Ok(());
        }
        let text = match seeds::read_file(&self.path) {
            Ok(text) => text,
            Err(error) => {
                self.say(format!("cannot read seeds from `{shown}`, so nothing changes: {error}"));
                return Ok(());
            }
        };
        // The file of the start is taken as it is.
        if let Some(taken) = self.taken {
            let age = clock.duration_since(stamp.modified).unwrap_or_default();
            let is_cut = stamp.bytes < taken.bytes || !text.ends_with('\n');
            if is_cut && age < SETTLED_IF_CUT {
                self.say(format!(
                    "`{shown}` is shorter than before or its last line has no end: it counts if it stays so for {} s",
                    SETTLED_IF_CUT.as_secs()
                ));
                return Ok(());
            }
            if age < SETTLED {
                return Ok(());
            }
        }
        self.taken = Some(stamp);
        let lines = SeedLines::read(&text);
        for (number, line) in &lines.wrong {
            tracing::warn!("`{shown}`, line {number}: not a URL: `{line}`");
        }
        if lines.all_wrong > lines.wrong.len() {
            tracing::warn!("`{shown}`: {} more lines are not URLs", lines.all_wrong - lines.wrong.len());
        }
        if lines.seeds.is_empty() {
            self.say(format!("`{shown}` names no site, so nothing changes"));
            return Ok(());
        }
        self.said.clear();
        self.take_in(parts, defaults, lines).await
    }

    /// Adds the sites of new lines, and pauses those of lines that were removed.
    async fn take_in(&self, parts: &Parts, defaults: &MinerConfig, lines: SeedLines) -> anyhow::Result<()> {
        let state = parts.stores.state.as_ref();
        let (version, before) = match state.value(VALUE).await? {
            Some((version, bytes)) => {
                let seeds = serde_json::from_slice::<BTreeSet<String>>(&bytes);
                (Some(version), seeds.context("the store's list of the file's seeds")?)
            }
            None => (None, BTreeSet::new()),
        };
        let now_named: BTreeSet<String> = lines.seeds.iter().map(ToString::to_string).collect();
        let (max_pages, max_depth, delay_ms) = self.limits;
        let add = |url: &String| SeedMessage {
            version: VERSION,
            url: Some(url.clone()),
            max_pages,
            max_depth,
            delay_ms,
            ..SeedMessage::default()
        };
        let pause =
            |url: &String| SeedMessage { version: VERSION, pause: Some(url.clone()), ..Default::default() };
        let removed: Vec<SeedMessage> = match lines.wrong.is_empty() {
            true => before.difference(&now_named).map(pause).collect(),
            false => Vec::new(),
        };
        let added: Vec<SeedMessage> = now_named.difference(&before).map(add).collect();
        if added.is_empty() && removed.is_empty() {
            return Ok(());
        }
        let (new, gone) = (added.len(), removed.len());
        let kept =
            if lines.wrong.is_empty() { now_named } else { before.union(&now_named).cloned().collect() };
        // Pauses go first: another line may name the same site.
        for messages in [removed, added] {
            let work = messages.into_iter().map(|message| async move {
                apply_seed(parts, defaults, message.command()?, parts.clock.now()).await?;
                anyhow::Ok(())
            });
            futures::stream::iter(work).buffer_unordered(AT_ONCE).try_collect::<()>().await?;
        }
        state.put_value(VALUE, version, serde_json::to_vec(&kept)?.into()).await?;
        tracing::info!(file = %self.path.display(), added = new, paused = gone, "took in the file of seeds");
        Ok(())
    }

    /// Warns, unless that was said before.
    fn say(&mut self, what: String) {
        if self.said != what {
            tracing::warn!("{what}");
            self.said = what;
        }
    }
}

#[cfg(test)]
mod tests {
    use newslode_common::config::Config;
    use newslode_common::store::redb::RedbStore;

    use super::*;
    use crate::installation;

    struct Trial {
        _folder: tempfile::TempDir,
        path: PathBuf,
        parts: Parts,
        file: SeedFile,
    }

    impl Trial {
        fn new() -> Trial {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("sites.txt");
            let parts = installation::parts_of(RedbStore::in_memory().unwrap(), &Config::default()).unwrap();
            let file = SeedFile::new(path.clone(), (None, None, None));
            Trial { _folder: folder, path, parts, file }
        }

        /// Writes the file, and looks at it so many seconds later.
        async fn after(&mut self, text: &str, seconds: u64) -> Vec<String> {
            std::fs::write(&self.path, text).unwrap();
            let later = SystemTime::now() + Duration::from_secs(seconds);
            self.file.look(&self.parts, &MinerConfig::default(), later).await.unwrap();
            self.sites().await
        }

        /// The sites; paused ones in brackets.
        async fn sites(&self) -> Vec<String> {
            let sites = self.parts.stores.frontier.status().await.unwrap();
            let shown = |status: newslode_common::store::SiteStatus| match status.settings.paused {
                true => format!("({})", status.site),
                false => status.site.to_string(),
            };
            sites.into_iter().map(shown).collect()
        }
    }

    #[tokio::test]
    async fn new_lines_add_sites_and_removed_lines_pause_them() {
        let mut trial = Trial::new();
        assert_eq!(trial.after("https://a.test/\nhttps://b.test/\n", 0).await, ["a.test", "b.test"]);
        assert_eq!(
            trial.after("https://a.test/\nhttps://b.test/\nc.test\n", 3).await,
            ["a.test", "b.test", "c.test"]
        );
        assert_eq!(trial.after("https://a.test/\nc.test\n", 3).await.len(), 3, "it shrank just now");
        assert_eq!(trial.after("https://a.test/\nc.test\n", 31).await, ["a.test", "(b.test)", "c.test"]);
        assert_eq!(
            trial.after("https://a.test/\nhttps://b.test/\nc.test\n# all\n", 3).await,
            ["a.test", "b.test", "c.test"]
        );
    }

    #[tokio::test]
    async fn a_file_that_is_empty_missing_or_half_written_changes_nothing() {
        let mut trial = Trial::new();
        let both = ["a.test", "b.test"];
        assert_eq!(trial.after("https://a.test/\nhttps://b.test/\n", 0).await, both);
        assert_eq!(trial.after("", 60).await, both);
        assert_eq!(trial.after("https://a.test/\nhttps://b.te", 3).await, both);
        assert_eq!(trial.after("# https://a.test/\n# https://b.test/\n", 60).await, both);
        std::fs::remove_file(&trial.path).unwrap();
        trial.file.look(&trial.parts, &MinerConfig::default(), SystemTime::now()).await.unwrap();
        assert_eq!(trial.sites().await, both);
    }

    #[tokio::test]
    async fn a_wrong_line_pauses_no_site_and_the_rest_holds() {
        let mut trial = Trial::new();
        trial.after("https://a.test/\nhttps://b.test/\n", 0).await;
        assert_eq!(
            trial.after("https://a.test/\nhtp:/b.test/ what was I thinking\nhttps://c.test/\n", 3).await,
            ["a.test", "b.test", "c.test"]
        );
        assert_eq!(
            trial.after("https://a.test/\nhttps://c.test/\n", 60).await,
            ["a.test", "(b.test)", "c.test"]
        );
    }

    #[tokio::test]
    async fn lines_of_rubbish_are_named_by_number_and_a_large_file_is_read_once() {
        let mut trial = Trial::new();
        let lines = |sites: usize, also: &str| -> String {
            let sites = (0..sites).flat_map(|number| {
                let site = format!("https://site{}.test/\n", number % (sites / 2));
                let rubbish = ["", "# a comment\n", "htp:/nothing\n", "\u{1}\u{2} \u{fffd}\n"][number % 4];
                [site, rubbish.to_owned()]
            });
            sites.collect::<String>() + also
        };
        let read = SeedLines::read(&format!("\u{feff}{}", lines(100_000, "")));
        assert_eq!((read.seeds.len(), read.all_wrong), (100_000, 50_000));
        let named: Vec<usize> = read.wrong.iter().map(|(number, _)| *number).collect();
        assert_eq!(named, [5, 7, 12, 14, 19, 21, 26, 28, 33, 35]);

        let kept = async |trial: &Trial| trial.parts.stores.state.value(VALUE).await.unwrap().unwrap().0;
        assert_eq!(trial.after(&lines(2_000, ""), 0).await.len(), 1_000, "each site once");
        let first = kept(&trial).await;
        // A file that did not change is not opened, and what its text adds nothing to is not written.
        let stamp = trial.file.taken;
        assert_eq!(trial.after(&lines(2_000, "# the same\n"), 3).await.len(), 1_000);
        assert_ne!(trial.file.taken, stamp);
        assert_eq!(kept(&trial).await, first);
        assert_eq!(trial.after(&lines(2_000, "https://late.test/\n"), 3).await.len(), 1_001);
    }

    #[tokio::test]
    async fn bytes_that_are_no_text_spoil_only_their_line_and_a_file_without_end_changes_nothing() {
        let mut trial = Trial::new();
        std::fs::write(&trial.path, b"https://a.test/\n\xff\xfe\x00\nhttps://b.test/\n").unwrap();
        trial.file.look(&trial.parts, &MinerConfig::default(), SystemTime::now()).await.unwrap();
        assert_eq!(trial.sites().await, ["a.test", "b.test"]);
        let endless = std::fs::File::options().write(true).open(&trial.path).unwrap();
        endless.set_len(10 << 30).unwrap();
        let later = SystemTime::now() + Duration::from_secs(60);
        trial.file.look(&trial.parts, &MinerConfig::default(), later).await.unwrap();
        assert_eq!(trial.sites().await, ["a.test", "b.test"]);
        assert!(trial.file.said.contains("it has more than 64 MiB"), "{}", trial.file.said);
    }

    #[tokio::test]
    async fn sites_of_other_origin_and_pauses_by_hand_stay() {
        let mut trial = Trial::new();
        trial.after("https://a.test/\nhttps://b.test/\n", 0).await;
        let by_hand = |url: &str, pause: bool| SeedMessage {
            version: VERSION,
            url: (!pause).then(|| url.to_owned()),
            pause: pause.then(|| url.to_owned()),
            ..SeedMessage::default()
        };
        for message in [by_hand("https://d.test/", false), by_hand("https://a.test/", true)] {
            let command = message.command().unwrap();
            apply_seed(&trial.parts, &MinerConfig::default(), command, trial.parts.clock.now())
                .await
                .unwrap();
        }
        assert_eq!(
            trial.after("https://a.test/\nhttps://b.test/\nhttps://c.test/\n", 3).await,
            ["(a.test)", "b.test", "c.test", "d.test"]
        );
    }
}
