//! Learns, site by site, by what events are filed. Start at [`learn`].
//!
//! The cost is bounded: it reads the contributions of each site's concept pages, and some 20,000 articles of all sites
//! together, but at least ten of each. One site is in memory at a time, beside what was learnt.

use std::sync::Arc;
use std::time::Instant;

use futures::{StreamExt as _, TryStreamExt as _};
use newslode_common::store::{Kind, PageArchive};
use newslode_common::version::ContentHash;
use newslode_page::article::Article;
use newslode_page::reading::CanonicalUrl;

use crate::mining::filing::{Filing, Lessons, TaughtArticle, Teacher, sample};
use crate::mining::members::Members;
use crate::mining::site_scheme::PlaceFinder;
use crate::mining::summary::SiteSummary;
use crate::mining::taxonomy::Taxonomy;
use crate::work::corrections::read_corrections;
use crate::work::filing::cache::write_filing;
use crate::work::fold::LastFold;
use crate::work::histories::read_history;
use crate::work::members::lists;
use crate::work::scheme_set::ConfiguredSchemes;
use crate::work::schemes::{place_finder, places_of};
use crate::work::stores::Stores;

/// Number of articles of all sites together.
const ALL_ARTICLES: usize = 20_000;
/// Least and greatest number of articles of one site.
const SITE_ARTICLES: (usize, usize) = (10, 200);
/// Number of articles that are read concurrently.
const CONCURRENT_READS: usize = 8;

/// Learns once, and writes the value.
pub(in crate::work) async fn renew(stores: Stores, schemes: Arc<ConfiguredSchemes>, last: LastFold) {
    let start = Instant::now();
    let renewed = async {
        let filing = learn(&stores, &last.taxonomy, &last.sites, &schemes).await?;
        write_filing(stores.state.as_ref(), filing).await
    };
    match renewed.await {
        Ok(changed) => {
            let seconds = start.elapsed().as_secs_f64();
            tracing::info!(
                sites = last.sites.len(),
                changed,
                seconds,
                "learnt how to file events under concepts"
            );
        }
        Err(error) => {
            tracing::warn!(
                error = format!("{error:#}"),
                "cannot learn how to file events under concepts; events are filed as before until the next attempt"
            );
        }
    }
}

/// What the sites teach about filing.
///
/// # Errors
/// When a store cannot be read.
pub async fn learn(
    stores: &Stores,
    taxonomy: &Taxonomy,
    sites: &[Arc<SiteSummary>],
    schemes: &ConfiguredSchemes,
) -> anyhow::Result<Filing> {
    let corrections = read_corrections(stores.state.as_ref()).await?;
    let mut lessons = Lessons::new(taxonomy).knowing(taxonomy, &schemes.known()?).mapping(&corrections);
    let (fewest, most) = SITE_ARTICLES;
    let most = (ALL_ARTICLES / sites.len().max(1)).clamp(fewest, most);
    for site in sites {
        let teacher = teacher(stores, taxonomy, site, most).await?;
        let work = move || {
            lessons.add_site(&teacher);
            lessons
        };
        lessons = tokio::task::spawn_blocking(work).await?;
    }
    Ok(tokio::task::spawn_blocking(|| lessons.learn()).await?)
}

/// A site with at most so many of its articles.
async fn teacher(
    stores: &Stores,
    taxonomy: &Taxonomy,
    site: &SiteSummary,
    most: usize,
) -> anyhow::Result<Teacher> {
    let (lists, counted) = lists(stores, taxonomy, site).await?;
    let owned = |(page, keys): (&CanonicalUrl, &[&str])| {
        (page.clone(), keys.iter().map(|key| (*key).to_owned()).collect())
    };
    let pages = lists.concepts().map(owned).collect();
    let mut members = Members::new();
    lists.add_to(&mut members, counted);
    // Twice as many, since some listed pages are no articles, or were not fetched.
    let asked: Vec<CanonicalUrl> = sample(members.keys(), 2 * most).into_iter().cloned().collect();
    let versions = stores.state.versions(&site.site, &asked).await?;
    let counted = asked.into_iter().zip(versions).filter_map(|(url, version)| {
        let content = version?.content;
        (content != ContentHash::NONE).then_some((url, content))
    });
    let finder = place_finder(stores.state.as_ref(), &site.site).await?;
    let read = counted.map(|(url, content)| article(stores.archive.as_ref(), &finder, url, content));
    let read = futures::stream::iter(read).buffered(CONCURRENT_READS);
    let articles = read.try_filter_map(|article| async { Ok(article) }).take(most).try_collect().await?;
    Ok(Teacher { pages, members, articles })
}

/// A counted article that readers know under this address.
async fn article(
    archive: &dyn PageArchive,
    finder: &PlaceFinder,
    url: CanonicalUrl,
    content: ContentHash,
) -> anyhow::Result<Option<TaughtArticle>> {
    let Some(json) = archive.get(Kind::Article, content).await? else { return Ok(None) };
    let history = read_history(archive, &url).await?;
    if history.as_ref().is_some_and(|history| history.twin_of.is_some()) {
        return Ok(None);
    }
    let article: Article = serde_json::from_slice(&json)?;
    let places = places_of(finder, archive, (&url, content), &article).await?;
    Ok(Some(TaughtArticle { article, found_on: history.and_then(|history| history.discovered_on), places }))
}
