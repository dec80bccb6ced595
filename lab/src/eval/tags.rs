//! Scores tags of leaves against gold with a confusion table.
//!
//! The gold is a folder of `.tags` files (each page stands alone) or JSON Lines with one letter per leaf,
//! where `site` groups pages. Figures cover the leaves of all pages; a leaf without a prediction counts as
//! `N` (none). Errors come from a bootstrap over pages.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::{harmonic_mean, read_text};

/// The tags in the order of the figures.
pub(crate) const TAGS: [char; 4] = ['C', 'A', 'V', 'N'];

/// A page's gold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gold {
    pub(crate) site: Option<String>,
    /// The page's name in the gold.
    pub(crate) page: String,
    /// Leaf → tag.
    pub(crate) tags: BTreeMap<usize, char>,
}

/// The prediction for a page, in the scorers' format.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TagsRecord {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) site: Option<String>,
    pub(crate) page: String,
    pub(crate) tags: String,
}

/// Reads a folder of `.tags` files or a JSON Lines file.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<Gold>> {
    if path.is_dir() { read_folder(path) } else { read_lines(path) }
}

fn read_folder(folder: &Path) -> anyhow::Result<Vec<Gold>> {
    let mut golds = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("cannot read `{}`", folder.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "tags") {
            let text = read_text(&path)?;
            let page = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let tags = parse(&text).with_context(|| format!("in `{}`", path.display()))?;
            golds.push(Gold { site: None, page, tags });
        }
    }
    golds.sort_by(|a, b| a.page.cmp(&b.page));
    anyhow::ensure!(!golds.is_empty(), "`{}` holds no .tags file", folder.display());
    Ok(golds)
}

fn read_lines(path: &Path) -> anyhow::Result<Vec<Gold>> {
    let gold =
        |TagsRecord { site, page, tags }| Gold { site, page, tags: tags.chars().enumerate().collect() };
    Ok(super::read_lines(path)?.into_iter().map(gold).collect())
}

/// Parses lines of number, tab, tag, tab, text.
fn parse(text: &str) -> anyhow::Result<BTreeMap<usize, char>> {
    let mut tags = BTreeMap::new();
    for line in text.split('\n').filter(|line| !line.is_empty()) {
        let mut fields = line.split('\t');
        let number = fields.next().unwrap_or_default();
        let number = number.parse().with_context(|| format!("`{number}` is not a leaf number"))?;
        let tag = fields.next().and_then(|tag| tag.chars().next());
        tags.insert(number, tag.with_context(|| format!("leaf {number} has no tag"))?);
    }
    Ok(tags)
}

/// Number of leaves for each pair of gold tag and predicted tag.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Confusion([[usize; 4]; 4]);

/// Precision, recall and F.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Figures {
    pub(crate) precision: f64,
    pub(crate) recall: f64,
    pub(crate) f: f64,
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

impl Confusion {
    /// Compares the tags of one page.
    pub(crate) fn of(gold: &Gold, said: &str) -> Confusion {
        let said: Vec<char> = said.chars().collect();
        let mut counts = Confusion::default();
        let place = |tag: char| TAGS.iter().position(|known| *known == tag);
        for (&leaf, &tag) in &gold.tags {
            let found = said.get(leaf).copied().unwrap_or('N');
            if let (Some(row), Some(column)) = (place(tag), place(found)) {
                counts.0[row][column] += 1;
            }
        }
        counts
    }

    pub(crate) fn add(&mut self, other: &Confusion) {
        for (row, others) in self.0.iter_mut().zip(&other.0) {
            row.iter_mut().zip(others).for_each(|(count, other)| *count += other);
        }
    }

    /// Predicted tags of the leaves that have this tag in the gold.
    pub(crate) fn row(&self, tag: usize) -> [usize; 4] {
        self.0[tag]
    }

    pub(crate) fn leaves(&self) -> usize {
        self.0.iter().flatten().sum()
    }

    /// Figures of one tag.
    pub(crate) fn figures(&self, tag: usize) -> Figures {
        let hit = self.0[tag][tag];
        let precision = ratio(hit, self.0.iter().map(|row| row[tag]).sum());
        let recall = ratio(hit, self.0[tag].iter().sum());
        Figures { precision, recall, f: harmonic_mean(precision, recall) }
    }

    /// Share of right leaves. Over all four tags, precision equals recall.
    pub(crate) fn micro(&self) -> f64 {
        ratio((0..4).map(|tag| self.0[tag][tag]).sum(), self.leaves())
    }

    /// Mean F of the four tags.
    pub(crate) fn macro_f(&self) -> f64 {
        (0..4).map(|tag| self.figures(tag).f).sum::<f64>() / 4.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_follow_from_the_table() {
        let tags = parse("0\tC\tTitle\n1\tA\tPhone:\n2\tV\t12\n3\tV\t13\n4\tN\t|\n").unwrap();
        let gold = Gold { site: None, page: "p".into(), tags };
        let counts = Confusion::of(&gold, "CAVA");
        assert_eq!(counts.leaves(), 5);
        assert!((counts.micro() - 0.8).abs() < 1e-12, "a leaf without a prediction is none");
        let a = counts.figures(1);
        assert_eq!((a.precision, a.recall), (0.5, 1.0));
        let v = counts.figures(2);
        assert_eq!((v.precision, v.recall), (1.0, 0.5));
        assert!((counts.macro_f() - (1.0 + 2.0 / 3.0 + 2.0 / 3.0 + 1.0) / 4.0).abs() < 1e-12);
    }

    #[test]
    fn what_is_no_gold_is_refused() {
        assert!(parse("x\tC\t").is_err());
        assert!(parse("1\n").is_err());
    }
}
