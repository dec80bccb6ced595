//! `newslode terms`: shows which terms a site repeats everywhere, and which distinguish its pages.

use newslode_common::store::SiteState;
use newslode_miner::mining::entropy::{TermFigures, figures};
use newslode_page::contribution::Table;
use newslode_page::reading::Site;
use serde::Serialize;

use crate::args::TermsArgs;
use crate::exit::{Exit, hinted};
use crate::installation::{self, Setup};
use crate::out;

/// Maximum number of known sites that an error names.
const NAMED: usize = 20;

#[derive(Serialize)]
struct Terms<'a> {
    site: &'a Site,
    pages: u64,
    terms: usize,
    /// Terms spread evenly over pages: menus, slogans.
    highest: &'a [TermFigures],
    /// Terms concentrated on few pages, which name the subjects of those pages.
    lowest: Vec<&'a TermFigures>,
}

pub(crate) async fn run(args: TermsArgs, setup: &Setup) -> anyhow::Result<Exit> {
    let parts = installation::open(&args.run.target(setup), &setup.config).await?;
    let state = parts.stores.state.as_ref();
    let site = find_site(state, &args.site).await?;
    let pages: i64 = state.cells(&site, Table::Pages).await?.values().sum();
    let pages = u64::try_from(pages).unwrap_or(0);
    let mut terms = figures(&state.cells(&site, Table::Terms).await?, pages);
    terms.sort_by(|a, b| b.entropy.total_cmp(&a.entropy).then(b.tf.cmp(&a.tf)).then(a.term.cmp(&b.term)));
    let limit = args.limit.min(terms.len());
    let (highest, _) = terms.split_at(limit);
    let mut lowest: Vec<&TermFigures> = terms.iter().collect();
    lowest.sort_by(|a, b| a.entropy.total_cmp(&b.entropy).then(b.tf.cmp(&a.tf)).then(a.term.cmp(&b.term)));
    lowest.truncate(limit);
    let shown = Terms { site: &site, pages, terms: terms.len(), highest, lowest };
    if args.json {
        out::json(&shown)?;
    } else {
        print_terms(&shown)?;
    }
    Ok(Exit::Done)
}

/// Finds the site by its name, one of its hosts or one of its pages.
async fn find_site(state: &dyn SiteState, wanted: &str) -> anyhow::Result<Site> {
    let host = url::Url::parse(wanted).ok().and_then(|url| url.host_str().map(str::to_owned));
    let site = Site::of_host(host.as_deref().unwrap_or(wanted));
    let sites: Vec<Site> = state.sites().await?.into_iter().map(|(site, _)| site).collect();
    if sites.contains(&site) {
        return Ok(site);
    }
    let names: Vec<&str> = sites.iter().take(NAMED).map(Site::as_str).collect();
    let more = match sites.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let hint = match names.as_slice() {
        [] => "nothing has been mined yet".to_owned(),
        names => format!("known are {}{more}", names.join(", ")),
    };
    Err(hinted(format!("no page of `{site}` has been mined"), hint))
}

fn print_terms(shown: &Terms<'_>) -> anyhow::Result<()> {
    out::line(format!("{}: {} terms on {} pages", shown.site, shown.terms, shown.pages))?;
    let letters = |terms: &TermFigures| terms.term.chars().count();
    let all = || shown.highest.iter().chain(shown.lowest.iter().copied());
    let width = all().map(letters).max().unwrap_or(4).max(4);
    for (words, terms) in [
        ("highest entropy: spread evenly over the pages", shown.highest.iter().collect::<Vec<_>>()),
        ("lowest entropy: what single pages are about", shown.lowest.clone()),
    ] {
        out::line(format!(
            "\n{words}\n{:width$}  {:>5}  {:>5}  {:>6}  {:>7}",
            "term", "EN", "W", "df", "TF"
        ))?;
        for term in terms {
            out::line(format!(
                "{}{}  {:>5.3}  {:>5.3}  {:>6}  {:>7}",
                term.term,
                " ".repeat(width - letters(term)),
                term.entropy,
                term.weight,
                term.df,
                term.tf
            ))?;
        }
    }
    Ok(())
}
