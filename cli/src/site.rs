//! Knowledge of a site from files: as if each of its pages had been counted.

use std::collections::BTreeMap;

use newslode_miner::mining::entropy::site_terms;
use newslode_page::Page;
use newslode_page::contribution::terms::terms;
use newslode_page::contribution::{Contribution, Delta, Table};
use newslode_page::wisdom::SiteTerms;

/// Counts the terms of a site with these pages.
pub(crate) fn of_pages<'a>(pages: impl IntoIterator<Item = &'a Page> + Clone) -> SiteTerms {
    let mut sum = Delta::default();
    let used: Vec<_> = pages.clone().into_iter().map(terms).collect();
    for terms in &used {
        let said = Contribution { terms: terms.clone(), ..Contribution::default() };
        Delta::between(None, Some(&said)).iter().for_each(|(cell, by)| sum.add(cell.clone(), by));
    }
    let cells = sum.iter().filter(|(cell, _)| cell.table == Table::Terms);
    let cells: BTreeMap<String, i64> = cells.map(|(cell, by)| (cell.key.clone(), by)).collect();
    let mut site = site_terms(&cells, used.len() as u64);
    for (page, terms) in pages.into_iter().zip(&used) {
        site.add_page(page.url.clone(), terms);
    }
    site
}
