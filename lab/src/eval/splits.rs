//! Deals pages out into splits by site, so that trees never read a page of a site that they saw.
//!
//! The training scripts (`page/train/`) write one file per split, `0.txt` and so on, with the trees learnt
//! from all other splits. A hash of a site's name gives its split ([`split`]); the scripts use the same.

use std::path::Path;

use anyhow::Context as _;
use newslode::exit::hinted;

/// One value for each split, read from its file.
pub(crate) struct Splits<T>(Vec<T>);

impl<T> Splits<T> {
    /// Reads a folder with this number of splits, as the script writes it.
    pub(crate) fn read<E: std::error::Error + Send + Sync + 'static>(
        folder: &Path,
        count: usize,
        script: &str,
        parse: fn(&str) -> Result<T, E>,
    ) -> anyhow::Result<Splits<T>> {
        let read = |number| {
            let path = folder.join(format!("{number}.txt"));
            let text = std::fs::read_to_string(&path).map_err(|error| {
                hinted(
                    format!("cannot read `{}`: {error}", path.display()),
                    format!("page/train/{script} --folds DIR writes the trees of all {count} splits"),
                )
            })?;
            parse(&text).with_context(|| format!("cannot read `{}`", path.display()))
        };
        (0..count).map(read).collect::<anyhow::Result<_>>().map(Splits)
    }

    /// The value that was learnt without any page of the site.
    pub(crate) fn without(&self, site: &str) -> Option<&T> {
        self.0.get(split(site, self.0.len()))
    }
}

/// The split of a site, by FNV-1a; `page/train/trees.py` computes the same.
fn split(site: &str, splits: usize) -> usize {
    let add = |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    site.bytes().fold(0x811c_9dc5_u32, add) as usize % splits.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sites_are_dealt_out_as_the_training_scripts_do() {
        let check = |splits, expected: [usize; 3]| {
            assert_eq!(["a.example", "b.example", "mali-live.net"].map(|site| split(site, splits)), expected);
        };
        check(5, [0, 4, 2]);
        check(11, [5, 4, 5]);
    }

    #[test]
    fn a_page_is_read_by_what_saw_none_of_its_site() {
        let folder = tempfile::tempdir().unwrap();
        let read = || Splits::read(folder.path(), 11, "blocks.py", str::parse::<usize>);
        for number in 0..10 {
            std::fs::write(folder.path().join(format!("{number}.txt")), number.to_string()).unwrap();
        }
        let missing = read().err().unwrap().to_string();
        assert!(missing.contains("10.txt"), "{missing}");
        std::fs::write(folder.path().join("10.txt"), "10").unwrap();
        assert_eq!(read().unwrap().without("mali-live.net"), Some(&5));
    }
}
