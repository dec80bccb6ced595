//! The generations of algorithms that ever counted the pages of a store, and the one that counts now.
//!
//! This is one value of the store, [`NAME`]. Everything computed of a page is archived and counted under its content hash as
//! [seen by](ContentHash::seen_by) a generation. So from the generations follows the content of a counted page. A process with
//! newer algorithms makes its own generation the one that counts. An older process beside it continues to count, and its
//! pages are counted again later ([`super::recompute`]). Version 0.1.0 had no generations: it counted pages under their content
//! hash itself.

use bytes::Bytes;
use newslode_common::message::{FetchedPage, envelope};
use newslode_common::store::{Frontier, Kind, PageArchive, SiteState, StoreError, StoreResult};
use newslode_common::version::{ContentHash, Version};
use newslode_page::generation::Generation;
use newslode_page::reading::CanonicalUrl;
use newslode_page::time::Timestamp;
use serde::{Deserialize, Serialize};

/// The value's name.
const NAME: &str = "generations";
/// Number of attempts to write while other writers are first.
const MAX_ATTEMPTS: usize = 10;

/// The generations that a store knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generations {
    /// The one that counts pages now; `None` if the store was never used, or only by 0.1.0.
    pub counting: Option<Generation>,
    /// All others that ever counted pages.
    pub before: Vec<Generation>,
}

/// Whose generation counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// This process.
    Ours,
    /// A newer version of the program.
    Newer(Generation),
}

impl Generations {
    /// Reads the value.
    ///
    /// # Errors
    /// When the store fails or holds something else.
    pub async fn read(state: &dyn SiteState) -> StoreResult<Generations> {
        Ok(read_value(state).await?.1)
    }

    /// Makes `ours` the generation that counts, unless a newer one counts already.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn claim(state: &dyn SiteState, ours: &Generation) -> StoreResult<Claimed> {
        for _ in 0..MAX_ATTEMPTS {
            let (version, mut all) = read_value(state).await?;
            match all.counting.take() {
                Some(newer) if newer.number > ours.number => return Ok(Claimed::Newer(newer)),
                Some(same) if same == *ours => return Ok(Claimed::Ours),
                older => all.before.extend(older),
            }
            all.before.retain(|generation| generation != ours);
            all.counting = Some(ours.clone());
            let bytes = serde_json::to_vec(&all).map_err(|error| StoreError::Corrupt(error.to_string()))?;
            if state.put_value(NAME, version, bytes.into()).await?.is_some() {
                return Ok(Claimed::Ours);
            }
        }
        Err(StoreError::Unavailable(format!("other writers keep changing the value `{NAME}`")))
    }

    /// The names under which a content may be counted: by the current generation, by those before, by 0.1.0.
    pub fn names(&self, content: ContentHash) -> impl Iterator<Item = ContentHash> {
        let known = self.counting.iter().chain(&self.before);
        known.map(move |generation| content.seen_by(generation)).chain([content])
    }

    /// The page counted as `counted`, if the archive holds it: its content, and its message as archived.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn page(
        &self,
        archive: &dyn PageArchive,
        counted: ContentHash,
    ) -> StoreResult<Option<(ContentHash, Bytes)>> {
        // `seen_by` is its own inverse: the names of a name are the contents that it may stand for.
        for content in self.names(counted) {
            if let Some(bytes) = archive.get(Kind::Page, content).await? {
                return Ok(Some((content, bytes)));
            }
        }
        Ok(None)
    }

    /// When the bytes of the page counted as `counted` were removed, to save space or because it asks for no copy; `None` if they
    /// are there, or lost.
    ///
    /// # Errors
    /// When the archive fails.
    pub async fn removed(
        &self,
        archive: &dyn PageArchive,
        counted: ContentHash,
    ) -> StoreResult<Option<Timestamp>> {
        for content in self.names(counted) {
            if let Some(at) = archive.removed(Kind::Page, content).await? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// As [`Generations::page`], opened.
    ///
    /// # Errors
    /// When the archive fails; a page that cannot be opened is none.
    pub async fn fetched(
        &self,
        archive: &dyn PageArchive,
        counted: ContentHash,
    ) -> StoreResult<Option<FetchedPage>> {
        let page = self.page(archive, counted).await?;
        Ok(page.and_then(|(_, bytes)| envelope::open(&bytes).ok()))
    }
}

/// The page that counts under this version, as it is published again: with the number by which it counts, and what the
/// frontier knows of it. `None` if its bytes are gone.
///
/// # Errors
/// When a store fails.
pub async fn counted_page(
    frontier: &dyn Frontier,
    archive: &dyn PageArchive,
    generations: &Generations,
    url: &CanonicalUrl,
    counted: Version,
) -> StoreResult<Option<FetchedPage>> {
    let Some(mut page) = generations.fetched(archive, counted.content).await? else { return Ok(None) };
    page.version.fetch = counted.fetch;
    if let Some(entry) = frontier.entry(url).await? {
        (page.why, page.depth) = (entry.why, entry.depth);
    }
    Ok(Some(page))
}

async fn read_value(state: &dyn SiteState) -> StoreResult<(Option<u64>, Generations)> {
    let Some((version, bytes)) = state.value(NAME).await? else { return Ok((None, Generations::default())) };
    let all = serde_json::from_slice(&bytes)
        .map_err(|error| StoreError::Corrupt(format!("the value `{NAME}`: {error}")))?;
    Ok((Some(version), all))
}

#[cfg(test)]
mod tests {
    use newslode_common::store::redb::RedbStore;

    use super::*;

    fn generation(number: u32, parameters: &str) -> Generation {
        Generation { number, parameters: parameters.into() }
    }

    #[tokio::test]
    async fn the_newest_generation_counts_and_all_are_remembered() {
        let store = RedbStore::in_memory().unwrap();
        let (six, seven) = (generation(6, "default"), generation(7, "default"));
        let content = ContentHash([9; 16]);
        assert_eq!(Generations::claim(&store, &six).await.unwrap(), Claimed::Ours);
        assert_eq!(Generations::claim(&store, &seven).await.unwrap(), Claimed::Ours);
        assert_eq!(Generations::claim(&store, &six).await.unwrap(), Claimed::Newer(seven.clone()));
        let known = Generations::read(&store).await.unwrap();
        assert_eq!(known, Generations { counting: Some(seven.clone()), before: vec![six.clone()] });
        let names: Vec<_> = known.names(content).collect();
        assert_eq!(names, [content.seen_by(&seven), content.seen_by(&six), content]);
        // An operator changed the parameters and changed them back.
        let paper = generation(7, "paper");
        assert_eq!(Generations::claim(&store, &paper).await.unwrap(), Claimed::Ours);
        assert_eq!(Generations::claim(&store, &seven).await.unwrap(), Claimed::Ours);
        let known = Generations::read(&store).await.unwrap();
        assert_eq!(known, Generations { counting: Some(seven), before: vec![six, paper] });
    }
}
