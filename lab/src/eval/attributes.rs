//! Scores attribute-value pairs against gold.
//!
//! Labels and values are compared without regard to white space, case and trailing colons; pairs form
//! sets. `overlapping` also accepts, under the right label, a value that contains the gold value or is
//! contained in it, one to one. A site's figures cover all its pages; means are over sites.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::{harmonic_mean, read_lines};

type Pairs = BTreeSet<(String, String)>;

/// A page with its pairs, as gold or as prediction.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PairsRecord {
    #[serde(default)]
    pub(crate) site: String,
    pub(crate) page: String,
    pub(crate) pairs: Vec<(String, String)>,
}

/// Reads a JSON Lines file, or every `gold.jsonl` of a folder; a page without `site` is its folder's.
pub(crate) fn read(path: &Path) -> anyhow::Result<Vec<PairsRecord>> {
    let mut golds = Vec::new();
    for file in files(path)? {
        for mut gold in read_lines::<PairsRecord>(&file)? {
            if gold.site.is_empty() {
                let folder = file.parent().and_then(Path::file_name).unwrap_or_default();
                gold.site = folder.to_string_lossy().into_owned();
            }
            golds.push(gold);
        }
    }
    anyhow::ensure!(!golds.is_empty(), "`{}` holds no gold", path.display());
    golds.sort_by(|a, b| (&a.site, &a.page).cmp(&(&b.site, &b.page)));
    Ok(golds)
}

fn files(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut found = Vec::new();
    let mut folders = vec![path.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries =
            std::fs::read_dir(&folder).with_context(|| format!("cannot read `{}`", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                folders.push(entry.path());
            } else if entry.file_name() == "gold.jsonl" {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok(found)
}

fn fold(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").trim_matches([' ', ':']).to_lowercase()
}

fn folded(line: &PairsRecord) -> Pairs {
    line.pairs.iter().map(|(label, value)| (fold(label), fold(value))).collect()
}

/// Names of the counts, in the order of the figures.
pub(crate) const NAMES: [&str; 4] = ["pairs", "overlapping", "labels", "values"];

/// Numbers of right, predicted and expected items.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Count {
    pub(crate) right: usize,
    pub(crate) said: usize,
    pub(crate) wanted: usize,
}

impl Count {
    pub(crate) fn precision(self) -> f64 {
        if self.said == 0 { 0.0 } else { self.right as f64 / self.said as f64 }
    }

    pub(crate) fn recall(self) -> f64 {
        if self.wanted == 0 { 0.0 } else { self.right as f64 / self.wanted as f64 }
    }

    pub(crate) fn f1(self) -> f64 {
        harmonic_mean(self.precision(), self.recall())
    }

    pub(crate) fn add(&mut self, other: Count) {
        self.right += other.right;
        self.said += other.said;
        self.wanted += other.wanted;
    }
}

/// Counts of one page, in the order of [`NAMES`].
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Row {
    pub(crate) site: String,
    pub(crate) page: String,
    pub(crate) counts: [Count; 4],
}

/// Scores one page.
pub(crate) fn score(gold: &PairsRecord, said: &PairsRecord) -> Row {
    let (gold_pairs, said_pairs) = (folded(gold), folded(said));
    let side = |pick: fn(&(String, String)) -> &String| {
        let gold: BTreeSet<&String> = gold_pairs.iter().map(pick).collect();
        let said: BTreeSet<&String> = said_pairs.iter().map(pick).collect();
        Count { right: gold.intersection(&said).count(), said: said.len(), wanted: gold.len() }
    };
    let whole = |right| Count { right, said: said_pairs.len(), wanted: gold_pairs.len() };
    let counts = [
        whole(gold_pairs.intersection(&said_pairs).count()),
        whole(overlapping(&gold_pairs, &said_pairs)),
        side(|pair| &pair.0),
        side(|pair| &pair.1),
    ];
    Row { site: gold.site.clone(), page: gold.page.clone(), counts }
}

/// Counts equal pairs, then pairs where one value contains the other: one to one, longest first.
fn overlapping(gold: &Pairs, said: &Pairs) -> usize {
    let length = |text: &str| text.chars().count();
    let mut left: Vec<&(String, String)> = said.difference(gold).collect();
    let mut open: BTreeSet<&(String, String)> = gold.difference(said).collect();
    let mut count = gold.intersection(said).count();
    left.sort_by(|a, b| length(&b.1).cmp(&length(&a.1)).then(a.cmp(b)));
    for (label, value) in left.into_iter().filter(|pair| length(&pair.1) >= 3) {
        let is_match = |pair: &&&(String, String)| {
            pair.0 == *label && length(&pair.1) >= 3 && (pair.1.contains(value) || value.contains(&pair.1))
        };
        if let Some(pair) = open.iter().find(is_match).copied() {
            open.remove(pair);
            count += 1;
        }
    }
    count
}

/// Sums the counts over the pages of each site.
pub(crate) fn by_site(rows: &[Row]) -> BTreeMap<String, [Count; 4]> {
    let mut sites: BTreeMap<String, [Count; 4]> = BTreeMap::new();
    for row in rows {
        let totals = sites.entry(row.site.clone()).or_default();
        totals.iter_mut().zip(row.counts).for_each(|(total, count)| total.add(count));
    }
    sites
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(pairs: &[(&str, &str)]) -> PairsRecord {
        let pairs = pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        PairsRecord { site: "s".into(), page: "p".into(), pairs }
    }

    #[test]
    fn pairs_are_folded_sets_and_cut_values_overlap() {
        let gold = line(&[("Area:", "12  km"), ("Fax", "1234567"), ("x", "y")]);
        let said = line(&[("area", "12 KM"), ("AREA", "12 km"), ("fax", "345"), ("z", "y")]);
        let row = score(&gold, &said);
        assert_eq!(row.counts[0], Count { right: 1, said: 3, wanted: 3 });
        assert_eq!(row.counts[1].right, 2);
        assert_eq!(row.counts[2], Count { right: 2, said: 3, wanted: 3 });
        assert_eq!(row.counts[3], Count { right: 2, said: 3, wanted: 3 });
    }

    #[test]
    fn an_overlap_is_used_once() {
        let gold = line(&[("a", "one two three")]);
        let said = line(&[("a", "one two"), ("a", "three")]);
        assert_eq!(score(&gold, &said).counts[1].right, 1);
    }
}
