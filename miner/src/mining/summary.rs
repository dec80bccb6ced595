//! What the fold needs to know of one site, read from the site's cells.
//!
//! The cells are sums over pages; a [`SiteSummary`] has the same numbers by label, pair and list. It is a pure function of the
//! tables ([`SiteSummary::of`]), so equal states give equal summaries.

use std::collections::{BTreeMap, BTreeSet};

use newslode_page::contribution::names::{short_name, split_name, without_numbers};
use newslode_page::contribution::{Contribution, Delta, Role, Table};
use newslode_page::reading::short::full_url;
use newslode_page::reading::{CanonicalUrl, Site};
use rustc_hash::FxHashMap;

/// A site's counters in the form that the algorithms need. All counts are pages and at least 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteSummary {
    /// The site.
    pub site: Site,
    /// Counted pages.
    pub pages: u64,
    /// By label key.
    pub labels: BTreeMap<String, LabelSummary>,
    /// (broader, narrower) → the least level at which a page of the site shows the pair.
    pub pairs: BTreeMap<(String, String), u8>,
    /// The site's lists of labels, by the lists' names.
    pub lists: Vec<ListSummary>,
    /// Name ([`page_name`]) of each counted page → its number of peculiar stories:
    /// those that at most a tenth of the site's other pages show.
    pub filing: BTreeMap<String, u64>,
    /// (broader, narrower), where a menu's entry has a list below it, or one link's path spells both.
    pub nested: BTreeSet<(String, String)>,
    /// Label keys that name a directory in which the site files stories.
    pub directories: BTreeSet<String>,
    /// Name of a label without its numbers → how many labels with numbers differ only in these.
    pub numbered: BTreeMap<String, u64>,
}

/// One label on one site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSummary {
    /// Role → pages that show the label in this role.
    pub roles: BTreeMap<Role, u64>,
    /// Written form → pages that write it.
    pub forms: BTreeMap<String, u64>,
    /// Page of the same site → pages whose label leads there.
    pub targets: BTreeMap<CanonicalUrl, u64>,
}

/// Labels whose links are side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListSummary {
    /// Pages that show the list.
    pub pages: u64,
    /// Label keys, sorted.
    pub labels: Vec<String>,
}

/// Cells by table and key, from which a summary is made.
pub type Tables = BTreeMap<Table, BTreeMap<String, i64>>;

/// The name of a page in a site's counters.
#[must_use]
pub fn page_name(url: &CanonicalUrl) -> String {
    short_name(url.as_str())
}

/// A label with this many different numbers counts something.
const COUNTER: u64 = 4;

/// A story is peculiar to a page if at most one in this many of the site's other pages shows it.
const ONE_IN: u64 = 10;

impl LabelSummary {
    /// Pages that show the label in this role.
    #[must_use]
    pub fn pages(&self, role: Role) -> u64 {
        self.roles.get(&role).copied().unwrap_or(0)
    }

    /// Share of the label's link pages that show it in this role; 0 if it is never a link.
    #[must_use]
    pub fn share(&self, role: Role) -> f64 {
        match self.pages(Role::Link) {
            0 => 0.0,
            links => (self.pages(role) as f64 / links as f64).min(1.0),
        }
    }
}

/// The counters of these pages, summed as a store sums them.
#[must_use]
pub fn tables<'a>(pages: impl IntoIterator<Item = &'a Contribution>) -> Tables {
    let mut sum = Delta::default();
    for (cell, count) in pages.into_iter().flat_map(Contribution::cells) {
        sum.add(cell, count);
    }
    let mut tables = Tables::new();
    for (cell, count) in sum.iter() {
        tables.entry(cell.table).or_default().insert(cell.key.clone(), count);
    }
    tables
}

impl SiteSummary {
    /// Reads the counters. Cells that no page can have written (of the wrong shape, not positive, with
    /// unknown roles) are skipped.
    #[must_use]
    pub fn of(site: Site, tables: &Tables) -> SiteSummary {
        let cells = |table| counts(tables.get(&table));
        let texts = texts(tables);
        let text = |name: &str| texts.get(name).map(|text| (*text).to_owned());
        let mut summary = SiteSummary {
            pages: cells(Table::Pages).map(|(_, pages)| pages).sum(),
            filing: filing(tables),
            directories: cells(Table::Directories).filter_map(|(name, _)| text(name)).collect(),
            nested: pairs(cells(Table::Nested)).filter_map(|(a, b, ..)| Some((text(a)?, text(b)?))).collect(),
            site,
            labels: BTreeMap::new(),
            pairs: BTreeMap::new(),
            lists: Vec::new(),
            numbered: BTreeMap::new(),
        };
        let mut labels: FxHashMap<&str, LabelSummary> = FxHashMap::default();
        for (name, rest, pages) in named(cells(Table::Labels)) {
            if let Some(role) = Role::ALL.iter().find(|known| rest.starts_with(known.letter())) {
                labels.entry(name).or_default().roles.insert(*role, pages);
            }
        }
        for (name, form, pages) in named(cells(Table::Forms)) {
            labels.entry(name).or_default().forms.insert(form.to_owned(), pages);
        }
        for (name, url, pages) in named(cells(Table::Targets)) {
            if let Ok(url) = full_url(summary.site.as_str(), url) {
                labels.entry(name).or_default().targets.insert(url, pages);
            }
        }
        let mut lists: BTreeMap<&str, ListSummary> = BTreeMap::new();
        for (name, list, pages) in named(cells(Table::Lists)) {
            if let Some(label) = text(name) {
                let list = lists.entry(list).or_default();
                list.pages = list.pages.max(pages);
                list.labels.push(label);
            }
        }
        summary.lists = lists.into_values().collect();
        // Cells come in the order of names, which is none that means anything.
        summary.lists.iter_mut().for_each(|list| list.labels.sort_unstable());
        for (broader, narrower, level) in pairs(cells(Table::Pairs)) {
            if let (Some(a), Some(b), Ok(level)) = (text(broader), text(narrower), level.parse::<u8>()) {
                summary.pairs.entry((a, b)).and_modify(|least| *least = level.min(*least)).or_insert(level);
            }
        }
        summary.labels = labels.into_iter().filter_map(|(name, label)| Some((text(name)?, label))).collect();
        for (rest, ..) in named(cells(Table::Numbered)) {
            *summary.numbered.entry(rest.to_owned()).or_default() += 1;
        }
        summary
    }

    /// Whether the site writes the label with many different numbers, as dates and counts are.
    #[must_use]
    pub fn is_counter(&self, key: &str) -> bool {
        let others = without_numbers(key).and_then(|rest| self.numbered.get(&short_name(&rest)));
        others.is_some_and(|labels| *labels >= COUNTER)
    }
}

/// Counted pages with their numbers of peculiar stories. One other page may always show the story: the front
/// page shows what its sections file.
fn filing(tables: &Tables) -> BTreeMap<String, u64> {
    let shown: FxHashMap<&str, u64> = counts(tables.get(&Table::Stories)).collect();
    let others = shown.get("").map_or(0, |pages| pages.saturating_sub(1));
    let most = 1 + (others / ONE_IN).max(1);
    let mut filing: BTreeMap<String, u64> = BTreeMap::new();
    for (page, story, _) in named(counts(tables.get(&Table::Filed))) {
        let is_peculiar = !story.is_empty() && shown.get(story).is_some_and(|pages| *pages <= most);
        *filing.entry(page.to_owned()).or_default() += u64::from(is_peculiar);
    }
    filing
}

/// The texts of labels by their names.
fn texts(tables: &Tables) -> FxHashMap<&str, &str> {
    let shown = named(counts(tables.get(&Table::Labels)));
    let shown = shown.filter_map(|(name, rest, _)| Some((name, rest.strip_prefix(Role::Any.letter())?)));
    let used = named(counts(tables.get(&Table::Texts))).map(|(name, text, _)| (name, text));
    shown.chain(used).collect()
}

/// The positive counts of a table.
fn counts(table: Option<&BTreeMap<String, i64>>) -> impl Iterator<Item = (&str, u64)> {
    let cells = table.into_iter().flatten();
    cells.filter_map(|(key, count)| {
        Some((key.as_str(), u64::try_from(*count).ok().filter(|count| *count > 0)?))
    })
}

/// The counts whose keys begin with a name: that, the rest of the key, the count.
fn named<'a>(cells: impl Iterator<Item = (&'a str, u64)>) -> impl Iterator<Item = (&'a str, &'a str, u64)> {
    cells.filter_map(|(key, count)| split_name(key).map(|(name, rest)| (name, rest, count)))
}

/// The names of a broader and a narrower label, and what follows them.
fn pairs<'a>(
    cells: impl Iterator<Item = (&'a str, u64)>,
) -> impl Iterator<Item = (&'a str, &'a str, &'a str)> {
    named(cells).filter_map(|(broader, rest, _)| {
        let (narrower, rest) = split_name(rest)?;
        Some((broader, narrower, rest))
    })
}

#[cfg(test)]
mod tests {
    use newslode_page::contribution::names::name_of_url_id;
    use newslode_page::contribution::{FiledUse, url_id};

    use super::*;

    #[test]
    fn a_summary_reads_cells_by_label_pair_and_list() {
        let (jazz, rock, music) = (short_name("en:jazz"), short_name("en:rock"), short_name("en:music"));
        let cells = |cells: &[(&[&str], i64)]| {
            cells.iter().map(|(parts, count)| (parts.concat(), *count)).collect::<BTreeMap<_, _>>()
        };
        let (list, page, story) = (short_name("a list"), short_name("a page"), short_name("a story"));
        let tables = Tables::from([
            (Table::Pages, cells(&[(&[""], 4)])),
            (
                Table::Labels,
                cells(&[
                    (&[&jazz, "aen:jazz"], 4),
                    (&[&jazz, "l"], 2),
                    (&[&jazz, "i"], 1),
                    (&[&rock, "aen:rock"], 1),
                    (&[&rock, "l"], -1),
                    (&["short"], 1),
                ]),
            ),
            (Table::Forms, cells(&[(&[&jazz, "Jazz"], 4)])),
            (Table::Pairs, cells(&[(&[&music, &jazz, "2"], 1), (&[&music, &jazz, "1"], 3)])),
            (Table::Targets, cells(&[(&[&jazz, "/jazz"], 2), (&[&jazz, "broken"], 2)])),
            (Table::Lists, cells(&[(&[&jazz, &list], 2), (&[&rock, &list], 2)])),
            (Table::Filed, cells(&[(&[&page], 1), (&[&page, &story], 1)])),
            (Table::Stories, cells(&[(&[&story], 1), (&[""], 1)])),
            (Table::Numbered, cells(&[(&[&jazz, &rock], 1)])),
            (Table::Nested, cells(&[(&[&music, &jazz, "1"], 2)])),
            (Table::Directories, cells(&[(&[&jazz], 1)])),
            (Table::Texts, cells(&[(&[&music, "en:music"], 2)])),
        ]);
        let summary = SiteSummary::of(Site::of_host("a.test"), &tables);
        assert_eq!(summary.pages, 4);
        let label = &summary.labels["en:jazz"];
        assert_eq!((label.pages(Role::Any), label.share(Role::Inside)), (4, 0.5));
        assert_eq!(label.targets.len(), 1);
        assert_eq!(summary.pairs[&("en:music".into(), "en:jazz".into())], 1);
        assert_eq!(
            summary.lists,
            [ListSummary { pages: 2, labels: vec!["en:jazz".into(), "en:rock".into()] }]
        );
        assert_eq!(summary.filing, [(page, 1)].into());
        assert_eq!(summary.numbered, [(jazz, 1)].into());
        assert!(summary.directories.contains("en:jazz"));
        assert!(summary.nested.contains(&("en:music".into(), "en:jazz".into())));
    }

    #[test]
    fn a_page_is_named_alike_by_url_and_by_cell() {
        let url: CanonicalUrl = "https://a.test/jazz?page=2".parse().unwrap();
        assert_eq!(page_name(&url), name_of_url_id(&url_id(&url)));
    }

    #[test]
    fn a_story_that_many_pages_show_counts_for_none_of_them() {
        let filed = |page: usize, stories: &[&str]| Contribution {
            filed: Some(FiledUse {
                page: format!("{page:016x}"),
                stories: stories.iter().map(|story| (*story).to_owned()).collect(),
            }),
            ..Contribution::default()
        };
        let pages: Vec<Contribution> = (0..21)
            .map(|page| match page {
                0..3 => filed(page, &["popular", "rare", "rarer"]),
                3 => filed(page, &["popular", "rare"]),
                _ => filed(page, &["popular"]),
            })
            .collect();
        // A tenth of the other twenty pages is two: a story on three pages is peculiar to each, one on four
        // is not.
        let filing = filing(&tables(&pages));
        let of = |page: usize| filing[&name_of_url_id(&format!("{page:016x}"))];
        assert_eq!((filing.len(), of(0), of(3)), (21, 1, 0));
    }
}
