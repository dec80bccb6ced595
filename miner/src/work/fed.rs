//! Contents that were archived for a site without a place in its frontier: pages of web archives.
//!
//! What the frontier or the sums name can be forgotten with the site. A page that was fed is named by the sums
//! once it counts. Until then, and after a newer one took its place, it is named here. So nothing is left in
//! the archive when the site is removed, also if the process died before the page counted, and
//! [`reconcile`](crate::work::reconcile) finds such pages.
//!
//! It is one versioned value of the site, `fed/SITE`: the contents, one behind the other. Start at [`note`].

use std::collections::BTreeSet;

use newslode_common::store::{SiteState, StoreError, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::reading::Site;

use crate::work::generations::Generations;

/// After this many times in which other writers were first, we give up.
const ROUNDS: usize = 20;
/// Bytes of a content.
const WIDTH: usize = 16;

/// Contents of a site that the sums do not name.
///
/// # Errors
/// When the store fails.
pub async fn noted(state: &dyn SiteState, site: &Site) -> StoreResult<BTreeSet<ContentHash>> {
    Ok(held(state, site).await?.1)
}

/// Adds contents, before they are archived, and takes out others, which the sums name.
///
/// # Errors
/// When the store fails.
pub async fn note(
    state: &dyn SiteState,
    site: &Site,
    add: &[ContentHash],
    gone: &[ContentHash],
) -> StoreResult<()> {
    for _ in 0..ROUNDS {
        let (version, before) = held(state, site).await?;
        let mut after: BTreeSet<ContentHash> = before.iter().chain(add).copied().collect();
        gone.iter().for_each(|content| _ = after.remove(content));
        if after == before {
            return Ok(());
        }
        let bytes: Vec<u8> = after.iter().flat_map(|content| content.0).collect();
        if state.put_value(&name(site), version, bytes.into()).await?.is_some() {
            return Ok(());
        }
    }
    Err(StoreError::Unavailable(format!("other writers keep changing the value `{}`", name(site))))
}

/// Takes out of all sites what the sums name by now.
///
/// # Errors
/// When the store fails.
pub async fn settle(state: &dyn SiteState) -> StoreResult<()> {
    for (site, _) in state.sites().await? {
        settle_site(state, &site, 0).await?;
    }
    Ok(())
}

/// The same for one site, if it has more contents than `most`: it takes a look at all pages of the site.
///
/// # Errors
/// When the store fails.
pub async fn settle_site(state: &dyn SiteState, site: &Site, most: usize) -> StoreResult<()> {
    let noted = noted(state, site).await?;
    if noted.len() > most {
        let generations = Generations::read(state).await?;
        let counted: BTreeSet<ContentHash> =
            state.pages(site).await?.into_iter().map(|(_, version)| version.content).collect();
        let is_counted =
            |content: &&ContentHash| generations.names(**content).any(|name| counted.contains(&name));
        let gone: Vec<ContentHash> = noted.iter().filter(is_counted).copied().collect();
        note(state, site, &[], &gone).await?;
    }
    Ok(())
}

/// Forgets the contents of a site; the archive must have forgotten them before.
pub(super) async fn forget(state: &dyn SiteState, site: &Site) -> StoreResult<()> {
    let gone: Vec<ContentHash> = noted(state, site).await?.into_iter().collect();
    note(state, site, &[], &gone).await
}

async fn held(state: &dyn SiteState, site: &Site) -> StoreResult<(Option<u64>, BTreeSet<ContentHash>)> {
    let Some((version, bytes)) = state.value(&name(site)).await? else { return Ok((None, BTreeSet::new())) };
    let (contents, rest) = bytes.as_chunks::<WIDTH>();
    if !rest.is_empty() {
        return Err(StoreError::Corrupt(format!("the value `{}` has {} bytes", name(site), bytes.len())));
    }
    Ok((Some(version), contents.iter().map(|content| ContentHash(*content)).collect()))
}

fn name(site: &Site) -> String {
    format!("fed/{site}")
}

#[cfg(test)]
mod tests {
    use newslode_common::store::redb::RedbStore;

    use super::*;

    #[tokio::test]
    async fn contents_are_noted_once_and_taken_out() {
        let (store, site) = (RedbStore::in_memory().unwrap(), Site::of_host("a.test"));
        let of = |number| ContentHash([number; 16]);
        note(&store, &site, &[of(3), of(1)], &[]).await.unwrap();
        note(&store, &site, &[of(1), of(2)], &[of(3), of(9)]).await.unwrap();
        assert_eq!(noted(&store, &site).await.unwrap(), [of(1), of(2)].into());
        assert!(noted(&store, &Site::of_host("b.test")).await.unwrap().is_empty());
        forget(&store, &site).await.unwrap();
        assert!(noted(&store, &site).await.unwrap().is_empty());
    }
}
