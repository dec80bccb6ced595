//! Previews what a change of a site's knowledge would do to some of its articles. Writes nothing.

use std::sync::Arc;

use futures::{StreamExt as _, TryStreamExt as _};
use newslode_common::store::StoreResult;
use newslode_common::version::ContentHash;
use newslode_page::article::Article;
use newslode_page::extract::SiteKnowledge;

use crate::work::archive::open_and_keep;
use crate::work::generations::Generations;
use crate::work::stores::Stores;

/// Number of pages that are read concurrently.
const CONCURRENT_READS: usize = 4;

/// An article as it is read with and without the change.
#[derive(Clone, Debug, PartialEq)]
pub struct Preview {
    /// The content under which it is archived.
    pub content: ContentHash,
    /// Without the change.
    pub before: Article,
    /// With it.
    pub after: Article,
}

/// Reads pages with the knowledge before and after the change, in the order of `contents`. Leaves out pages that are not in the
/// archive, cannot be read, or are no articles.
///
/// # Errors
/// When a store fails.
pub async fn preview(
    stores: &Stores,
    [before, after]: [SiteKnowledge; 2],
    contents: Vec<ContentHash>,
) -> StoreResult<Vec<Preview>> {
    let generations = Arc::new(Generations::read(stores.state.as_ref()).await?);
    let known = Arc::new([before, after]);
    let work = contents.into_iter().map(|content| {
        let (stores, known, generations) = (stores.clone(), known.clone(), generations.clone());
        async move {
            let Some((_, bytes)) = generations.page(stores.archive.as_ref(), content).await? else {
                return Ok(None);
            };
            let parsed = stores.parsed.clone();
            let read = move || {
                let (fetched, page) = open_and_keep(&bytes, &parsed).ok()?;
                let [before, after] =
                    known.each_ref().map(|known| known.article(&page, fetched.fetched_at).1);
                Some(Preview { content, before: before?, after: after? })
            };
            StoreResult::Ok(tokio::task::spawn_blocking(read).await.ok().flatten())
        }
    });
    let read: Vec<Option<Preview>> =
        futures::stream::iter(work).buffered(CONCURRENT_READS).try_collect().await?;
    Ok(read.into_iter().flatten().collect())
}
