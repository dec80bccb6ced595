//! The measures of the labels of some sites' pages.
//!
//! The first line of the input holds the pages as a JSON list of `[site, URL, file]`. Each further line is a JSON list
//! of sites. For each, a line of JSON gives the labels that two of them link, their written forms, and the measures of
//! all in one list; before these, a line gives the names of the measures.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, Write};
use std::sync::Arc;

use anyhow::Context;
use newslode_miner::mining::concepts::{measured, measures};
use newslode_miner::mining::summary::{SiteSummary, tables};
use newslode_page::contribution::Contribution;
use newslode_page::reading::Site;
use newslode_page::{Page, Params, contribution, hierarchy};
use serde_json::json;

pub(super) fn print(out: &mut impl Write) -> anyhow::Result<()> {
    let mut lines = std::io::stdin().lock().lines();
    let pages: Vec<(String, String, String)> =
        serde_json::from_str(&lines.next().context("the input is empty")??)?;
    let mut of_site: BTreeMap<String, Vec<Contribution>> = BTreeMap::new();
    for (site, url, file) in pages {
        let page = Page::parse(&url.parse()?, None, &std::fs::read(file)?);
        of_site.entry(site).or_default().push(contribution(&page, &hierarchy(&page, &Params::default())));
    }
    let sum = |(name, pages): (String, Vec<Contribution>)| {
        let summary = SiteSummary::of(Site::of_host(&name), &tables(&pages));
        (name, Arc::new(summary))
    };
    let sites: BTreeMap<String, Arc<SiteSummary>> = of_site.into_iter().map(sum).collect();
    writeln!(out, "{}", json!({ "names": measures() }))?;
    for line in lines {
        let drawn: BTreeSet<String> = serde_json::from_str(&line?)?;
        let drawn: Vec<_> = drawn.iter().filter_map(|name| sites.get(name).cloned()).collect();
        let (keys, rows) = measured(&drawn, 2);
        let forms: Vec<BTreeSet<&String>> = keys
            .iter()
            .map(|key| {
                drawn
                    .iter()
                    .filter_map(|site| site.labels.get(key))
                    .flat_map(|label| label.forms.keys())
                    .collect()
            })
            .collect();
        writeln!(out, "{}", json!({ "keys": keys, "forms": forms, "measures": rows }))?;
    }
    Ok(())
}
