//! Captures of web archives that neither the frontier nor the sums name: their contents, by site.
//!
//! When a site is removed, the archive forgets the contents that its frontier and its sums name. A capture has no entry in
//! the frontier, and the sums name it only while it counts. Before that, and after a newer page took its place, it is named
//! here. So nothing is left in the archive when the site is removed, and [`reconcile`](crate::work::reconcile) finds
//! captures whose process died before they counted.
//!
//! This is one versioned value of each site, `fed/SITE`: the contents one after another. Start at [`update`].

use std::collections::BTreeSet;

use newslode_common::store::{SiteState, StoreError, StoreResult};
use newslode_common::version::ContentHash;
use newslode_page::reading::Site;

use crate::work::generations::Generations;

/// Number of attempts to write while other writers are first.
const MAX_ATTEMPTS: usize = 20;
/// Bytes of a content hash.
const WIDTH: usize = 16;

/// Contents of a site's captures that the sums may not name.
///
/// # Errors
/// When the store fails.
pub async fn uncounted(state: &dyn SiteState, site: &Site) -> StoreResult<BTreeSet<ContentHash>> {
    Ok(read_value(state, site).await?.1)
}

/// Adds contents, before they are archived, and drops others, which the sums name.
///
/// # Errors
/// When the store fails.
pub async fn update(
    state: &dyn SiteState,
    site: &Site,
    add: &[ContentHash],
    gone: &[ContentHash],
) -> StoreResult<()> {
    for _ in 0..MAX_ATTEMPTS {
        let (version, before) = read_value(state, site).await?;
        let mut after: BTreeSet<ContentHash> = before.iter().chain(add).copied().collect();
        gone.iter().for_each(|content| _ = after.remove(content));
        if after == before {
            return Ok(());
        }
        let bytes: Vec<u8> = after.iter().flat_map(|content| content.0).collect();
        if state.put_value(&value_name(site), version, bytes.into()).await?.is_some() {
            return Ok(());
        }
    }
    Err(StoreError::Unavailable(format!("other writers keep changing the value `{}`", value_name(site))))
}

/// Drops the contents of all sites that the sums name by now.
///
/// # Errors
/// When the store fails.
pub async fn drop_counted(state: &dyn SiteState) -> StoreResult<()> {
    for (site, _) in state.sites().await? {
        drop_counted_of_site(state, &site, 0).await?;
    }
    Ok(())
}

/// The same for one site, if it has more contents than `most`; this reads all pages of the site.
///
/// # Errors
/// When the store fails.
pub async fn drop_counted_of_site(state: &dyn SiteState, site: &Site, most: usize) -> StoreResult<()> {
    let contents = uncounted(state, site).await?;
    if contents.len() > most {
        let generations = Generations::read(state).await?;
        let counted: BTreeSet<ContentHash> =
            state.pages(site).await?.into_iter().map(|(_, version)| version.content).collect();
        let is_counted =
            |content: &&ContentHash| generations.names(**content).any(|name| counted.contains(&name));
        let gone: Vec<ContentHash> = contents.iter().filter(is_counted).copied().collect();
        update(state, site, &[], &gone).await?;
    }
    Ok(())
}

/// Forgets the contents of a site; the archive must have forgotten them before.
pub(super) async fn forget(state: &dyn SiteState, site: &Site) -> StoreResult<()> {
    let gone: Vec<ContentHash> = uncounted(state, site).await?.into_iter().collect();
    update(state, site, &[], &gone).await
}

async fn read_value(state: &dyn SiteState, site: &Site) -> StoreResult<(Option<u64>, BTreeSet<ContentHash>)> {
    let Some((version, bytes)) = state.value(&value_name(site)).await? else {
        return Ok((None, BTreeSet::new()));
    };
    let (contents, rest) = bytes.as_chunks::<WIDTH>();
    if !rest.is_empty() {
        return Err(StoreError::Corrupt(format!(
            "the value `{}` has {} bytes",
            value_name(site),
            bytes.len()
        )));
    }
    Ok((Some(version), contents.iter().map(|content| ContentHash(*content)).collect()))
}

fn value_name(site: &Site) -> String {
    format!("fed/{site}")
}

#[cfg(test)]
mod tests {
    use newslode_common::store::redb::RedbStore;

    use super::*;

    #[tokio::test]
    async fn contents_are_noted_once_and_dropped() {
        let (store, site) = (RedbStore::in_memory().unwrap(), Site::of_host("a.test"));
        let of = |number| ContentHash([number; 16]);
        update(&store, &site, &[of(3), of(1)], &[]).await.unwrap();
        update(&store, &site, &[of(1), of(2)], &[of(3), of(9)]).await.unwrap();
        assert_eq!(uncounted(&store, &site).await.unwrap(), [of(1), of(2)].into());
        assert!(uncounted(&store, &Site::of_host("b.test")).await.unwrap().is_empty());
        forget(&store, &site).await.unwrap();
        assert!(uncounted(&store, &site).await.unwrap().is_empty());
    }
}
