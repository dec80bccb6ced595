//! What people follow: concepts, labels and words. The first page shows what is new on them; if nothing is followed, it shows everything.
//!
//! There is one list for all who use the consoles of an installation: the file `console-follows.toml` in a run's folder, which may be
//! edited by hand, too, or a value of the services' store. It is read for each request that shows it, so a changed file takes effect at
//! once. Start at [`FollowsStore`].

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use bytes::Bytes;
use newslode_common::store::SiteState;
use serde::{Deserialize, Serialize};

use crate::exit::hinted;
use crate::filter::Filter;
use crate::queries::tokens::write_private;

/// The file of a run's folder.
pub(crate) const FILE: &str = "console-follows.toml";
/// The value of the services' store.
const VALUE: &str = "console-follows";
/// The most that is followed. Each is searched for when the first page is loaded.
pub(super) const MOST: usize = 50;
/// The most characters of each.
const LONGEST: usize = 200;
/// After so many writers that were first, a change is given up.
const ROUNDS: usize = 20;
/// The file's first lines.
const HEAD: &str = "# What the first page of the console shows: concepts by key or label, labels, and words as in a search.\n\
                    # The console writes this file; it may be edited here, too. An empty list follows everything.\n";

/// What is followed, each as somebody wrote it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Follows {
    /// Keys or labels of concepts.
    pub(super) concepts: Vec<String>,
    /// Labels as the filter `label` takes them.
    pub(super) labels: Vec<String>,
    /// Words as the filter `q` takes them.
    pub(super) words: Vec<String>,
}

impl Follows {
    pub(super) fn is_empty(&self) -> bool {
        *self == Follows::default()
    }

    /// The articles of each.
    pub(super) fn filters(&self) -> Vec<Filter> {
        let concepts =
            self.concepts.iter().map(|concept| Filter { concept: concept.clone(), ..Filter::default() });
        let labels = self.labels.iter().map(|label| Filter { label: label.clone(), ..Filter::default() });
        let words = self.words.iter().map(|words| Filter { q: words.clone(), ..Filter::default() });
        concepts.chain(labels).chain(words).collect()
    }

    /// Follows a filter, or no longer; says whether it is one that can be followed: it has one condition.
    pub(super) fn set(&mut self, filter: &Filter, is_followed: bool) -> bool {
        let (list, text) = match filter.pairs().as_slice() {
            [("concept", text)] => (&mut self.concepts, text.clone()),
            [("label", text)] => (&mut self.labels, text.clone()),
            [("q", text)] => (&mut self.words, text.clone()),
            _ => return false,
        };
        list.retain(|own| *own != text);
        if is_followed {
            list.push(text);
        }
        true
    }

    /// The same without repetitions and space around.
    ///
    /// # Errors
    /// When there are too many, or one is too long.
    fn checked(mut self) -> anyhow::Result<Follows> {
        for list in [&mut self.concepts, &mut self.labels, &mut self.words] {
            let mut seen = std::collections::HashSet::new();
            *list = list.iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect();
            list.retain(|text| seen.insert(text.clone()));
        }
        let all = || self.concepts.iter().chain(&self.labels).chain(&self.words);
        if all().count() > MOST {
            return Err(hinted(
                format!("more than {MOST} concepts, labels and words are followed"),
                "leave some out",
            ));
        }
        if let Some(long) = all().find(|text| text.chars().count() > LONGEST) {
            let begin: String = long.chars().take(40).collect();
            return Err(hinted(format!("`{begin}…` has more than {LONGEST} characters"), "shorten it"));
        }
        Ok(self)
    }

    fn parse(text: &[u8], place: &dyn std::fmt::Display) -> anyhow::Result<Follows> {
        let read = || -> anyhow::Result<Follows> {
            toml::from_str::<Follows>(std::str::from_utf8(text)?)?.checked()
        };
        read().with_context(|| format!("cannot read what is followed in {place}"))
    }

    fn text(&self) -> anyhow::Result<String> {
        Ok(format!("{HEAD}{}", toml::to_string(self)?))
    }
}

/// Where the list is.
pub(super) enum FollowsStore {
    Folder(PathBuf),
    Services(Arc<dyn SiteState>),
}

impl FollowsStore {
    /// What is followed.
    ///
    /// # Errors
    /// When the list cannot be read.
    pub(super) async fn read(&self) -> anyhow::Result<Follows> {
        match self {
            FollowsStore::Folder(folder) => {
                let file = folder.join(FILE);
                tokio::task::spawn_blocking(move || read_file(&file)).await?
            }
            FollowsStore::Services(state) => match state.value(VALUE).await? {
                Some((_, text)) => Follows::parse(&text, &"the store"),
                None => Ok(Follows::default()),
            },
        }
    }

    /// Changes the list.
    ///
    /// # Errors
    /// When it would be too long, or cannot be read or written.
    pub(super) async fn change(&self, change: impl Fn(&mut Follows)) -> anyhow::Result<()> {
        match self {
            FollowsStore::Folder(folder) => {
                let mut follows = self.read().await?;
                change(&mut follows);
                let (text, file) = (follows.checked()?.text()?, folder.join(FILE));
                tokio::task::spawn_blocking(move || {
                    write_private(&file, text.as_bytes())
                        .with_context(|| format!("cannot write `{}`", file.display()))
                })
                .await?
            }
            FollowsStore::Services(state) => {
                for _ in 0..ROUNDS {
                    let (number, mut follows) = match state.value(VALUE).await? {
                        Some((number, text)) => (Some(number), Follows::parse(&text, &"the store")?),
                        None => (None, Follows::default()),
                    };
                    change(&mut follows);
                    let text = Bytes::from(follows.checked()?.text()?);
                    if state.put_value(VALUE, number, text).await?.is_some() {
                        return Ok(());
                    }
                }
                anyhow::bail!("others keep changing what is followed at the same time")
            }
        }
    }
}

fn read_file(file: &Path) -> anyhow::Result<Follows> {
    match std::fs::read(file) {
        Ok(text) => Follows::parse(&text, &format!("`{}`", file.display())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Follows::default()),
        Err(error) => Err(error).with_context(|| format!("cannot read `{}`", file.display())),
    }
}

#[cfg(test)]
mod tests {
    use newslode_common::store::redb::RedbStore;

    use super::*;

    #[tokio::test]
    async fn what_is_followed_is_kept_in_a_folder_and_in_the_store() {
        let folder = tempfile::tempdir().unwrap();
        let state: Arc<dyn SiteState> = Arc::new(RedbStore::in_memory().unwrap());
        for store in [FollowsStore::Folder(folder.path().to_owned()), FollowsStore::Services(state)] {
            assert!(store.read().await.unwrap().is_empty());
            store
                .change(|follows| {
                    follows.concepts = vec!["en:sport".into(), " ".into()];
                    follows.words = vec![" \"interest rates\" ".into(), "\"interest rates\"".into()];
                })
                .await
                .unwrap();
            let label = Filter { label: "team=europe".into(), ..Filter::default() };
            store.change(|follows| assert!(follows.set(&label, true))).await.unwrap();
            let follows = store.read().await.unwrap();
            let pairs: Vec<_> = follows.filters().iter().flat_map(Filter::pairs).collect();
            let wanted = [("concept", "en:sport"), ("label", "team=europe"), ("q", "\"interest rates\"")];
            assert_eq!(pairs, wanted.map(|(name, value)| (name, value.to_owned())));
            let many =
                |follows: &mut Follows| follows.words = (0..=MOST).map(|word| word.to_string()).collect();
            assert!(store.change(many).await.unwrap_err().to_string().contains("more than 50"));
            store.change(|follows| assert!(follows.set(&label, false))).await.unwrap();
            assert!(store.read().await.unwrap().labels.is_empty());
        }
    }

    #[tokio::test]
    async fn a_file_of_the_hand_is_read_and_a_wrong_one_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let store = FollowsStore::Folder(folder.path().to_owned());
        let write = |text: &str| std::fs::write(folder.path().join(FILE), text).unwrap();
        write("words = ['storm']");
        assert_eq!(store.read().await.unwrap().words, ["storm"]);
        for wrong in ["words = 'storm'", "word = ['storm']", "words = ["] {
            write(wrong);
            assert!(store.read().await.unwrap_err().to_string().contains(FILE), "{wrong}");
        }
    }

    #[test]
    fn only_one_condition_can_be_followed() {
        let filter = Filter { q: "storm".into(), language: "en".into(), ..Filter::default() };
        assert!(!Follows::default().set(&filter, true) && !Follows::default().set(&Filter::default(), true));
    }
}
