//! Reads a folder of gold hierarchies, one `.outline` file a page.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, bail};
use newslode::demo::scores::outline::{Gold, parse_outline};

/// Reads all outlines of a folder, keyed by name.
pub(crate) fn read_folder(folder: &Path) -> anyhow::Result<BTreeMap<String, Gold>> {
    let mut golds = BTreeMap::new();
    let entries = std::fs::read_dir(folder).with_context(|| format!("cannot read `{}`", folder.display()))?;
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "outline") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = super::read_text(&path)?;
            golds.insert(name, parse_outline(&text).with_context(|| format!("in `{}`", path.display()))?);
        }
    }
    if golds.is_empty() {
        bail!("`{}` holds no .outline file", folder.display());
    }
    Ok(golds)
}

/// The site of a page: the part of its outline's name before the year. `page/train/blocks.py` does the
/// same, so the outlines need no list of sites.
pub(crate) fn site(name: &str) -> &str {
    let is_year = |(at, _): &(usize, &str)| {
        name.as_bytes().get(at + 1..at + 5).is_some_and(|year| year.iter().all(u8::is_ascii_digit))
    };
    name.match_indices('-').find(is_year).map_or(name, |(at, _)| &name[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_of_a_site_are_one_site() {
        let check = |name, expected| assert_eq!(site(name), expected);
        check("cnn.com-2014-b", "cnn.com");
        check("163.com-2020-section", "163.com");
        check("mali-live.net-2022", "mali-live.net");
        check("example.com", "example.com");
    }
}
