//! What feeds and news sitemaps say of pages, kept in the archive until the pages are fetched.
//!
//! The frontier stays small: it knows addresses and times alone. A page that was fetched carries what is kept of it in its
//! message, and is archived with it. If the archive fails, only the note is lost, and the page is read without it. Where a sitemap says
//! that a page is in other languages is a note of its own, for people who ask. Start at [`ListedNotes::keep`] and [`ListedNotes::get`].

use std::sync::Arc;

use futures::future::join_all;
use newslode_common::store::{Kind, PageArchive, StoreResult, alternates_key, listed_key};
use newslode_page::reading::{CanonicalUrl, Listed};
use newslode_page::time::Timestamp;

use crate::listing::Alternate;
use crate::recent_links::RecentLinks;

/// Maximum number of notes that one visit of a listing writes: those of its first items.
const MOST_NOTES: usize = 1_000;
/// Notes that are written at once.
const AT_ONCE: usize = 8;
/// For how long this process remembers that a page has a note, in milliseconds.
const REMEMBERED_MS: u64 = 86_400_000;

/// The notes.
pub(crate) struct ListedNotes {
    archive: Arc<dyn PageArchive>,
    /// Pages that have a note.
    noted: RecentLinks,
    /// Pages whose alternates were noted.
    with_alternates: RecentLinks,
}

impl ListedNotes {
    pub(crate) fn new(archive: Arc<dyn PageArchive>) -> ListedNotes {
        let remembered = || RecentLinks::for_ms(REMEMBERED_MS);
        ListedNotes { archive, noted: remembered(), with_alternates: remembered() }
    }

    /// Keeps what a listing says of pages that have no note yet, or one by a kind of listing that says less. A note is never
    /// changed otherwise, so that the same page has the same witnesses at each visit.
    pub(crate) async fn keep(&self, said: Vec<(CanonicalUrl, Listed)>, now: Timestamp) {
        let mut new = said;
        new.retain(|(url, listed)| !listed.is_empty() && self.noted.is_new(url));
        new.truncate(MOST_NOTES);
        self.noted.remember_pages(new.iter().map(|(url, _)| url), now);
        for together in new.chunks(AT_ONCE) {
            let keeping: Vec<_> =
                together.iter().map(|(url, listed)| self.keep_one(url, listed, now)).collect();
            join_all(keeping).await;
        }
    }

    /// Keeps where a sitemap says that pages are in other languages, instead of what one said before.
    pub(crate) async fn keep_alternates(&self, said: Vec<(CanonicalUrl, Vec<Alternate>)>, now: Timestamp) {
        let mut new = said;
        new.retain(|(url, _)| self.with_alternates.is_new(url));
        new.truncate(MOST_NOTES);
        self.with_alternates.remember_pages(new.iter().map(|(url, _)| url), now);
        for together in new.chunks(AT_ONCE) {
            join_all(together.iter().map(|(url, alternates)| self.keep_alternates_of(url, alternates, now)))
                .await;
        }
    }

    async fn keep_alternates_of(&self, url: &CanonicalUrl, alternates: &[Alternate], now: Timestamp) {
        let Ok(note) = serde_json::to_vec(alternates) else { return };
        let key = alternates_key(url);
        let keeping = async {
            match self.archive.get(Kind::Listed, key).await? {
                Some(known) if known == note => Ok(()),
                _ => self.archive.put(Kind::Listed, key, note.into(), now).await,
            }
        };
        if let Err(error) = keeping.await {
            tracing::debug!(%url, %error, "cannot keep where a sitemap says that a page is in other languages");
        }
    }

    async fn keep_one(&self, url: &CanonicalUrl, listed: &Listed, now: Timestamp) {
        if self.get(url).await.is_some_and(|known| known.entry.by >= listed.entry.by) {
            return;
        }
        let Ok(note) = serde_json::to_vec(listed) else { return };
        if let Err(error) = self.archive.put(Kind::Listed, listed_key(url), note.into(), now).await {
            tracing::debug!(%url, %error, "cannot keep what a listing says of a page");
        }
    }

    /// What a listing says of a page.
    pub(crate) async fn get(&self, url: &CanonicalUrl) -> Option<Listed> {
        match self.archive.get(Kind::Listed, listed_key(url)).await {
            Ok(note) => serde_json::from_slice(&note?).ok(),
            Err(error) => {
                tracing::debug!(%url, %error, "cannot read what a listing says of a page");
                None
            }
        }
    }
}

/// Where sitemaps say that the page at this address is in other languages.
///
/// # Errors
/// When the archive fails.
pub async fn listed_alternates(archive: &dyn PageArchive, url: &CanonicalUrl) -> StoreResult<Vec<Alternate>> {
    let note = archive.get(Kind::Listed, alternates_key(url)).await?;
    Ok(note.and_then(|note| serde_json::from_slice(&note).ok()).unwrap_or_default())
}
