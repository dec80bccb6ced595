//! `newslode explain`: prints what is known of a page or a site, and when it is fetched next, and why.

use newslode_common::time;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use serde::Serialize;

use crate::args::ExplainArgs;
use crate::exit::Exit;
use crate::input::parse_url;
use crate::installation::{self, Setup};
use crate::out;
use crate::queries::explain::{
    self, Fact, ListingExplanation, SiteExplanation, due_text, kind_name, unknown_site,
};
use crate::queries::rights::{RightsReader, SiteRights, page_facts, site_rights};

pub(crate) async fn run(args: ExplainArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let parts = installation::open(&args.run.target(setup), &setup.config).await?;
    let frontier = parts.stores.frontier.as_ref();
    let now = time::now();
    if args.target.contains("://") {
        let page = explain::explain_page(&parts, &parse_url(&args.target)?, now).await?;
        let rights = RightsReader::new(parts.stores.archive.as_ref()).rights_of(&page.url).await?;
        if args.json {
            out::json(&WithRights { explanation: page, rights })?;
        } else {
            out::line(&page.url)?;
            page.facts(now).iter().chain(&page_facts(&rights)).try_for_each(print_fact)?;
        }
        return Ok(Exit::Done);
    }
    let name = Site::of_host(&args.target);
    let all = frontier.status().await?;
    let Some(status) = all.into_iter().find(|status| status.site == name) else {
        return Err(unknown_site(&name));
    };
    let site = explain::explain_site(&parts.stores, status, now).await?;
    let rights = site_rights(&parts.stores, &name).await?;
    if args.json {
        out::json(&WithRights { explanation: site, rights })?;
        return Ok(Exit::Done);
    }
    print_site(&site, &rights, now)?;
    Ok(Exit::Done)
}

/// An explanation with what is said of rights.
#[derive(Serialize)]
struct WithRights<T, R> {
    #[serde(flatten)]
    explanation: T,
    rights: R,
}

fn print_fact((name, value): &Fact) -> anyhow::Result<()> {
    out::line(format!("  {name:16} {value}"))
}

/// Listings that are shown to a person.
const SHOWN: usize = 30;

fn print_site(site: &SiteExplanation, rights: &SiteRights, now: Timestamp) -> anyhow::Result<()> {
    out::line(&site.status.site)?;
    site.facts(now).iter().chain(&rights.facts()).try_for_each(print_fact)?;
    if site.listings.is_empty() {
        return Ok(());
    }
    out::line(format!("\n{:12} {:>8} {:>9} {:>12}  listing", "kind", "visits", "articles", "next visit"))?;
    for ListingExplanation { url, listing, due, .. } in site.listings.iter().take(SHOWN) {
        let due = due.map_or("none".into(), |due| due_text(due, now));
        let kind = kind_name(listing.kind);
        out::line(format!("{kind:12} {:>8} {:>9} {due:>12}  {url}", listing.visits, listing.confirmed))?;
    }
    if site.listings.len() > SHOWN {
        out::line(format!("… and {} more: --json shows all", site.listings.len() - SHOWN))?;
    }
    Ok(())
}
