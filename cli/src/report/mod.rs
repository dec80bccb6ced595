//! Writes a run as one HTML file: a taxonomy to browse, articles by concept, sites, and drawings of
//! front pages.
//!
//! The file loads nothing and contains no script, and no text of a page can run one. Its size is bounded:
//! a concept shows only its newest articles, and only the largest sites show their front pages. Start at
//! [`ArticlesByConcept`], which collects articles during an export, and [`render`].

mod contents;
mod html;

use newslode_common::store::{Kind, SiteStatus};
use newslode_common::time;
use newslode_miner::mining::taxonomy::Taxonomy;
use newslode_miner::work::parts::Parts;
use newslode_page::hierarchy::{svg, xml};
use newslode_page::reading::{CanonicalUrl, Site};

pub(crate) use self::contents::ArticlesByConcept;
use self::contents::Report;

/// Number of sites whose front pages are drawn.
const DRAWN: usize = 12;

/// Writes the report of a run as HTML.
pub(crate) async fn render(
    parts: &Parts,
    taxonomy: &Taxonomy,
    articles: &ArticlesByConcept,
) -> anyhow::Result<String> {
    let sites = parts.stores.frontier.status().await?;
    let drawings = draw_front_pages(parts, &sites).await?;
    Ok(html::report_page(&Report { taxonomy, articles, sites, drawings, made: time::now() }))
}

/// Draws the front pages of the sites with the most pages. Skips sites without a front page.
async fn draw_front_pages(parts: &Parts, sites: &[SiteStatus]) -> anyhow::Result<Vec<(Site, String)>> {
    let mut order: Vec<&SiteStatus> = sites.iter().collect();
    order.sort_by_key(|site| (std::cmp::Reverse(site.urls), site.site.clone()));
    let mut drawn = Vec::new();
    for status in order {
        if drawn.len() == DRAWN {
            break;
        }
        let versions = parts.stores.state.versions(&status.site, &front_page_urls(&status.site)).await?;
        let Some(version) = versions.into_iter().flatten().next() else { continue };
        let Some(bytes) = parts.stores.archive.get(Kind::Hierarchy, version.content).await? else { continue };
        let Ok(hierarchy) = xml::read(&String::from_utf8_lossy(&bytes)) else { continue };
        drawn.push((status.site.clone(), svg::write(&hierarchy)));
    }
    Ok(drawn)
}

/// Possible URLs of a site's front page.
fn front_page_urls(site: &Site) -> Vec<CanonicalUrl> {
    let hosts = ["https://www.", "https://", "http://www.", "http://"];
    hosts.iter().filter_map(|before| format!("{before}{site}/").parse().ok()).collect()
}

#[cfg(test)]
mod tests;
