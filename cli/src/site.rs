//! Knowledge of a site from files: its pages in a folder, and its terms as if each page had been counted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use newslode_miner::mining::entropy::site_terms;
use newslode_page::Page;
use newslode_page::contribution::terms::terms;
use newslode_page::contribution::{Contribution, Delta, Table};
use newslode_page::wisdom::SiteTerms;

use crate::input::{self, Input};

/// Other pages of the same site, from a folder.
pub struct Siblings {
    /// The pages, in the order of their files' names.
    pub pages: Vec<Page>,
    manifest: Option<PathBuf>,
}

impl Siblings {
    /// Reads the pages of a folder. A `manifest.jsonl` in it or beside it gives their URLs.
    ///
    /// # Errors
    /// When a file cannot be read, or the folder holds no page.
    pub fn read(folder: &Path) -> anyhow::Result<Siblings> {
        let places = [Some(folder), folder.parent()].into_iter().flatten();
        let manifest = places.map(|place| place.join("manifest.jsonl")).find(|file| file.is_file());
        let read = |path: &PathBuf| input::read_file(path, None);
        let mut pages: Vec<Input> =
            input::page_files(folder)?.iter().map(read).collect::<anyhow::Result<_>>()?;
        if let Some(manifest) = &manifest {
            input::apply_manifest(&mut pages, manifest)?;
        }
        Ok(Siblings { pages: pages.iter().map(Input::parse).collect(), manifest })
    }

    /// Gives pages of this site their URLs, if the manifest has them.
    ///
    /// # Errors
    /// When the manifest cannot be read.
    pub fn name(&self, pages: &mut [Input]) -> anyhow::Result<()> {
        self.manifest.as_ref().map_or(Ok(()), |manifest| input::apply_manifest(pages, manifest))
    }

    /// The pages of the site that are none of these.
    #[must_use]
    pub fn others<'a>(&'a self, than: &[&Page]) -> Vec<&'a Page> {
        self.pages.iter().filter(|other| than.iter().all(|page| page.url != other.url)).collect()
    }
}

/// Counts the terms of a site with these pages.
pub fn terms_of_pages<'a>(pages: impl IntoIterator<Item = &'a Page> + Clone) -> SiteTerms {
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
