//! Learns, site by site, what events are filed by. Start at [`learn`].
//!
//! The cost is bounded: of each site the contributions of its concept pages are read, and of all sites together some 20,000 articles
//! (but ten of each site). One site is in memory at a time, beside what was learnt.

use std::sync::Arc;
use std::time::Instant;

use futures::{StreamExt as _, TryStreamExt as _};
use newslode_common::store::Kind;
use newslode_common::version::ContentHash;
use newslode_page::article::Article;
use newslode_page::reading::CanonicalUrl;

use crate::mining::filing::{Filing, Lessons, Teacher, sample};
use crate::mining::members::Members;
use crate::mining::summary::SiteSummary;
use crate::mining::taxonomy::Taxonomy;
use crate::work::fold::LastFold;
use crate::work::lives;
use crate::work::members::lists;
use crate::work::parts::Parts;

/// Articles of all sites together, and how many of one site these may be.
const ARTICLES: usize = 20_000;
const FEWEST: usize = 10;
const MOST: usize = 200;
/// Articles that are read at once.
const AT_ONCE: usize = 8;

/// Learns once, and writes the value.
pub(in crate::work) async fn renew(parts: Parts, last: LastFold) {
    let start = Instant::now();
    let renewed = async {
        let filing = learn(&parts, &last.taxonomy, &last.sites).await?;
        super::write(parts.state.as_ref(), filing).await
    };
    match renewed.await {
        Ok(changed) => {
            let seconds = start.elapsed().as_secs_f64();
            tracing::info!(sites = last.sites.len(), changed, seconds, "learnt what events are filed by");
        }
        Err(error) => {
            tracing::warn!(
                error = format!("{error:#}"),
                "cannot learn what events are filed by; the next time tries again"
            );
        }
    }
}

/// What the sites teach about filing.
///
/// # Errors
/// When a store cannot be read.
pub async fn learn(parts: &Parts, taxonomy: &Taxonomy, sites: &[Arc<SiteSummary>]) -> anyhow::Result<Filing> {
    let mut lessons = Lessons::new(taxonomy);
    let most = (ARTICLES / sites.len().max(1)).clamp(FEWEST, MOST);
    for site in sites {
        let teacher = teacher(parts, taxonomy, site, most).await?;
        let work = move || {
            lessons.see_site(&teacher);
            lessons
        };
        lessons = tokio::task::spawn_blocking(work).await?;
    }
    Ok(tokio::task::spawn_blocking(|| lessons.learn()).await?)
}

/// A site with at most so many of its articles.
async fn teacher(
    parts: &Parts,
    taxonomy: &Taxonomy,
    site: &SiteSummary,
    most: usize,
) -> anyhow::Result<Teacher> {
    let (lists, counted) = lists(parts, taxonomy, site).await?;
    let owned = |(page, keys): (&CanonicalUrl, &[&str])| {
        (page.clone(), keys.iter().map(|key| (*key).to_owned()).collect())
    };
    let pages = lists.concepts().map(owned).collect();
    let mut members = Members::new();
    lists.add_to(&mut members, counted);
    // A list also leads to what is no article, or was not fetched.
    let asked: Vec<CanonicalUrl> = sample(members.keys(), 2 * most).into_iter().cloned().collect();
    let versions = parts.state.versions(&site.site, &asked).await?;
    let counted = asked.into_iter().zip(versions).filter_map(|(url, version)| {
        let content = version?.content;
        (content != ContentHash::NONE).then_some((url, content))
    });
    let read = counted.map(|(url, content)| article(parts, url, content));
    let read = futures::stream::iter(read).buffered(AT_ONCE);
    let articles = read.try_filter_map(|article| async { Ok(article) }).take(most).try_collect().await?;
    Ok(Teacher { pages, members, articles })
}

/// A counted article that readers know under this address, and the listing that showed it first.
async fn article(
    parts: &Parts,
    url: CanonicalUrl,
    content: ContentHash,
) -> anyhow::Result<Option<(Article, Option<CanonicalUrl>)>> {
    let Some(json) = parts.archive.get(Kind::Article, content).await? else { return Ok(None) };
    let life = lives::read(parts, &url).await?;
    if life.as_ref().is_some_and(|life| life.twin_of.is_some()) {
        return Ok(None);
    }
    Ok(Some((serde_json::from_slice(&json)?, life.and_then(|life| life.discovered_on))))
}
