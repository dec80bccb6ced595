//! Everything that the fold needs to know of one site, read back from the site's counters.
//!
//! The cells are sums over pages; a [`SiteSummary`] holds the same numbers by label, pair and list. It is a
//! pure function of the tables ([`SiteSummary::of`]), so equal states give equal summaries.

use std::collections::{BTreeMap, BTreeSet};

use newslode_page::contribution::names::split;
use newslode_page::contribution::{Contribution, Delta, OVER, Role, SEPARATOR, Table};
use newslode_page::reading::short::long;
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
    /// [`url_id`](newslode_page::contribution::url_id) of each counted page → its number of peculiar stories:
    /// those that at most a tenth of the site's other pages show.
    pub filing: BTreeMap<String, u64>,
    /// (broader, narrower), where a menu's item stands over a list or one link's path spells both.
    pub nested: BTreeSet<(String, String)>,
    /// Label keys that name a directory in which the site files stories.
    pub directories: BTreeSet<String>,
    /// A label without its numbers → how many labels with numbers differ only in these.
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

/// Labels that stand beside one another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListSummary {
    /// Pages that show the list.
    pub pages: u64,
    /// Label keys, sorted.
    pub labels: Vec<String>,
}

/// Cells by table and key, from which a summary is made.
pub type Tables = BTreeMap<Table, BTreeMap<String, i64>>;

/// The tables that a summary reads.
pub const READ: &[Table] = &[
    Table::Pages,
    Table::Labels,
    Table::Forms,
    Table::Pairs,
    Table::Targets,
    Table::Lists,
    Table::Stories,
    Table::Nested,
    Table::Directories,
    Table::Texts,
];

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
            filing: tables.get(&Table::Stories).map(filing).unwrap_or_default(),
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
            if let Ok(url) = long(summary.site.as_str(), url) {
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
        for rest in summary.labels.keys().filter_map(|key| without_numbers(key)) {
            *summary.numbered.entry(rest).or_default() += 1;
        }
        summary
    }

    /// Whether the site writes the label with many different numbers, as dates and counts are.
    #[must_use]
    pub fn is_counter(&self, key: &str) -> bool {
        let others = without_numbers(key).and_then(|rest| self.numbered.get(&rest));
        others.is_some_and(|labels| *labels >= COUNTER)
    }
}

/// The key without its numbers; `None` if it has none.
fn without_numbers(key: &str) -> Option<String> {
    let (language, stems) = key.split_once(':')?;
    let is_number = |stem: &&str| stem.starts_with(|letter: char| letter.is_ascii_digit());
    let rest: Vec<&str> = stems.split(' ').filter(|stem| !is_number(stem)).collect();
    stems.split(' ').any(|stem| is_number(&stem)).then(|| format!("{language}:{}", rest.join(" ")))
}

/// Counted pages with their numbers of peculiar stories. One other page may always show the story: the front
/// page shows what its sections file.
fn filing(stories: &BTreeMap<String, i64>) -> BTreeMap<String, u64> {
    let mut shown: BTreeMap<&str, u64> = BTreeMap::new();
    let mut filing: BTreeMap<String, u64> = BTreeMap::new();
    for ([page, story], _) in keyed(stories) {
        if story.is_empty() {
            filing.entry(page.to_owned()).or_default();
        } else {
            *shown.entry(story).or_default() += 1;
        }
    }
    let others = (filing.len() as u64).saturating_sub(1);
    let most = 1 + (others / ONE_IN).max(1);
    for ([page, story], _) in keyed(stories) {
        let is_peculiar = shown.get(story).is_some_and(|pages| *pages <= most);
        if let Some(stories) = filing.get_mut(page).filter(|_| is_peculiar) {
            *stories += 1;
        }
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
    cells.filter_map(|(key, count)| split(key).map(|(name, rest)| (name, rest, count)))
}

/// The names of a broader and a narrower label, and what follows them.
fn pairs<'a>(
    cells: impl Iterator<Item = (&'a str, u64)>,
) -> impl Iterator<Item = (&'a str, &'a str, &'a str)> {
    named(cells).filter_map(|(broader, rest, _)| {
        let (narrower, rest) = split(rest.strip_prefix(OVER)?)?;
        Some((broader, narrower, rest))
    })
}

/// The counts whose keys have exactly `N` parts.
fn keyed<const N: usize>(table: &BTreeMap<String, i64>) -> impl Iterator<Item = ([&str; N], u64)> {
    counts(Some(table)).filter_map(|(key, count)| {
        let parts: Vec<&str> = key.split(SEPARATOR).collect();
        Some((parts.try_into().ok()?, count))
    })
}

#[cfg(test)]
mod tests {
    use newslode_page::contribution::names::name;

    use super::*;

    #[test]
    fn cells_are_read_back_by_label_pair_and_list() {
        let (jazz, rock, music) = (name("en:jazz"), name("en:rock"), name("en:music"));
        let cells = |cells: &[(&[&str], i64)]| {
            cells.iter().map(|(parts, count)| (parts.concat(), *count)).collect::<BTreeMap<_, _>>()
        };
        let list = name("a list");
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
            (
                Table::Pairs,
                cells(&[
                    (&[&music, "v", &jazz, "2"], 1),
                    (&[&music, "v", &jazz, "1"], 3),
                    (&[&jazz, "^", &music, "1"], 3),
                ]),
            ),
            (Table::Targets, cells(&[(&[&jazz, "/jazz"], 2), (&[&jazz, "broken"], 2)])),
            (Table::Lists, cells(&[(&[&jazz, &list], 2), (&[&rock, &list], 2)])),
            (Table::Stories, BTreeMap::from([("p\u{1f}".to_owned(), 1), ("p\u{1f}s".to_owned(), 1)])),
            (Table::Nested, cells(&[(&[&music, "v", &jazz], 2), (&[&jazz, "^", &music], 2)])),
            (Table::Directories, cells(&[(&[&jazz], 1)])),
            (Table::Texts, cells(&[(&[&music, "en:music"], 2)])),
        ]);
        let summary = SiteSummary::of(Site::of_host("a.test"), &tables);
        assert_eq!(summary.pages, 4);
        let jazz = &summary.labels["en:jazz"];
        assert_eq!((jazz.pages(Role::Any), jazz.share(Role::Inside)), (4, 0.5));
        assert_eq!(jazz.targets.len(), 1);
        assert_eq!(summary.pairs[&("en:music".into(), "en:jazz".into())], 1);
        assert_eq!(
            summary.lists,
            [ListSummary { pages: 2, labels: vec!["en:jazz".into(), "en:rock".into()] }]
        );
        assert_eq!(summary.filing, [("p".to_owned(), 1)].into());
        assert!(summary.numbered.is_empty());
        assert!(summary.directories.contains("en:jazz"));
        assert!(summary.nested.contains(&("en:music".into(), "en:jazz".into())));
    }

    #[test]
    fn a_story_that_many_pages_show_is_peculiar_to_none() {
        let mut stories = BTreeMap::new();
        for page in 0..21 {
            stories.insert(format!("p{page}\u{1f}"), 1);
            stories.insert(format!("p{page}\u{1f}popular"), 1);
        }
        for page in 0..4 {
            stories.insert(format!("p{page}\u{1f}rare"), 1);
        }
        for page in 0..3 {
            stories.insert(format!("p{page}\u{1f}rarer"), 1);
        }
        // A tenth of the other twenty pages is two: a story on three pages is peculiar to each, one on four
        // is not.
        let filing = filing(&stories);
        assert_eq!((filing.len(), filing["p0"], filing["p3"]), (21, 1, 0));
    }
}
