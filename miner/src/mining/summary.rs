//! What the fold needs to know of one site, read back from the site's counters.
//!
//! The cells are sums over pages; a [`SiteSummary`] is the same numbers by label, pair and list. It is a
//! pure function of the tables ([`SiteSummary::of`]), so equal states give equal summaries.

use std::collections::{BTreeMap, BTreeSet};

use newslode_page::contribution::{Contribution, Delta, Role, SEPARATOR, Table};
use newslode_page::reading::{CanonicalUrl, Site};

/// A site's counters, as the algorithms ask for them. All counts are pages and at least 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteSummary {
    /// Whose.
    pub site: Site,
    /// Pages that are counted.
    pub pages: u64,
    /// By label key.
    pub labels: BTreeMap<String, LabelSummary>,
    /// (broader, narrower) → the least level at which a page of the site shows the pair.
    pub pairs: BTreeMap<(String, String), u8>,
    /// The site's lists of labels, by the lists' names.
    pub lists: Vec<ListSummary>,
    /// [`url_id`](newslode_page::contribution::url_id) of each counted page → the stories that are peculiar to it: that at most a tenth of the
    /// site's other pages show.
    pub filing: BTreeMap<String, u64>,
    /// (broader, narrower) where a menu's item stands over a list.
    pub nested: BTreeSet<(String, String)>,
    /// Label keys that name a directory in which the site files stories.
    pub directories: BTreeSet<String>,
    /// What is left of the labels with numbers when these are taken out → how many labels that were.
    pub numbered: BTreeMap<String, u64>,
}

/// One label on one site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSummary {
    /// Role → pages that show the label in it.
    pub roles: BTreeMap<Role, u64>,
    /// Written form → pages that write it so.
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

/// The tables that a summary is made of.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// [`Table::Pages`]
    pub pages: BTreeMap<String, i64>,
    /// [`Table::Labels`]
    pub labels: BTreeMap<String, i64>,
    /// [`Table::Forms`]
    pub forms: BTreeMap<String, i64>,
    /// [`Table::Pairs`]
    pub pairs: BTreeMap<String, i64>,
    /// [`Table::Targets`]
    pub targets: BTreeMap<String, i64>,
    /// [`Table::Lists`]
    pub lists: BTreeMap<String, i64>,
    /// [`Table::Stories`]
    pub stories: BTreeMap<String, i64>,
    /// [`Table::Nested`]
    pub nested: BTreeMap<String, i64>,
    /// [`Table::Directories`]
    pub directories: BTreeMap<String, i64>,
}

/// With so many different numbers a label counts something.
const COUNTER: u64 = 4;

/// Of so many other pages of a site one may show a story that is peculiar to a page.
const ONE_IN: u64 = 10;

impl LabelSummary {
    /// Pages that show the label in this role.
    #[must_use]
    pub fn pages(&self, role: Role) -> u64 {
        self.roles.get(&role).copied().unwrap_or(0)
    }

    /// Share of the label's link pages that show it in this role; 0 where it is nowhere a link.
    #[must_use]
    pub fn share(&self, role: Role) -> f64 {
        match self.pages(Role::Link) {
            0 => 0.0,
            links => (self.pages(role) as f64 / links as f64).min(1.0),
        }
    }
}

impl Tables {
    /// The counters of these pages, summed as a store would.
    #[must_use]
    pub fn of<'a>(pages: impl IntoIterator<Item = &'a Contribution>) -> Tables {
        let mut sum = Delta::default();
        for (cell, count) in pages.into_iter().flat_map(Contribution::cells) {
            sum.add(cell, count);
        }
        let mut tables = Tables::default();
        for (cell, count) in sum.iter() {
            let table = match cell.table {
                Table::Pages => &mut tables.pages,
                Table::Labels => &mut tables.labels,
                Table::Forms => &mut tables.forms,
                Table::Pairs => &mut tables.pairs,
                Table::Targets => &mut tables.targets,
                Table::Lists => &mut tables.lists,
                Table::Stories => &mut tables.stories,
                Table::Nested => &mut tables.nested,
                Table::Directories => &mut tables.directories,
                Table::Terms => continue,
            };
            table.insert(cell.key.clone(), count);
        }
        tables
    }
}

impl SiteSummary {
    /// Reads the counters. Cells that no page can have written (of another shape, not positive, unknown
    /// roles) are passed over.
    #[must_use]
    pub fn of(site: Site, tables: &Tables) -> SiteSummary {
        let mut summary = SiteSummary {
            site,
            pages: counts(&tables.pages).map(|(_, pages)| pages).sum(),
            labels: BTreeMap::new(),
            pairs: BTreeMap::new(),
            lists: Vec::new(),
            filing: filing(&tables.stories),
            nested: keyed(&tables.nested).map(|([a, b], _)| (a.to_owned(), b.to_owned())).collect(),
            directories: keyed(&tables.directories).map(|([name], _)| name.to_owned()).collect(),
            numbered: BTreeMap::new(),
        };
        for ([label, role], pages) in keyed(&tables.labels) {
            if let Some(role) = Role::ALL.iter().find(|known| known.code() == role) {
                summary.label(label).roles.insert(*role, pages);
            }
        }
        for ([label, form], pages) in keyed(&tables.forms) {
            summary.label(label).forms.insert(form.to_owned(), pages);
        }
        for ([label, url], pages) in keyed(&tables.targets) {
            if let Ok(url) = url.parse() {
                summary.label(label).targets.insert(url, pages);
            }
        }
        for ([broader, narrower, level], _) in keyed(&tables.pairs) {
            if let Ok(level) = level.parse::<u8>() {
                let pair = (broader.to_owned(), narrower.to_owned());
                summary.pairs.entry(pair).and_modify(|least| *least = level.min(*least)).or_insert(level);
            }
        }
        let mut lists: BTreeMap<&str, ListSummary> = BTreeMap::new();
        for ([list, label], pages) in keyed(&tables.lists) {
            let list = lists.entry(list).or_default();
            list.pages = list.pages.max(pages);
            list.labels.push(label.to_owned());
        }
        summary.lists = lists.into_values().collect();
        for rest in summary.labels.keys().filter_map(|key| without_numbers(key)) {
            *summary.numbered.entry(rest).or_default() += 1;
        }
        summary
    }

    /// Whether the site writes the label with ever other numbers, as dates and counts are.
    #[must_use]
    pub fn is_counter(&self, key: &str) -> bool {
        let others = without_numbers(key).and_then(|rest| self.numbered.get(&rest));
        others.is_some_and(|labels| *labels >= COUNTER)
    }

    fn label(&mut self, key: &str) -> &mut LabelSummary {
        if !self.labels.contains_key(key) {
            self.labels.insert(key.to_owned(), LabelSummary::default());
        }
        self.labels.entry(key.to_owned()).or_default()
    }
}

/// The key without its numbers; `None` if it holds none.
fn without_numbers(key: &str) -> Option<String> {
    let (language, stems) = key.split_once(':')?;
    let is_number = |stem: &&str| stem.starts_with(|letter: char| letter.is_ascii_digit());
    let rest: Vec<&str> = stems.split(' ').filter(|stem| !is_number(stem)).collect();
    stems.split(' ').any(|stem| is_number(&stem)).then(|| format!("{language}:{}", rest.join(" ")))
}

/// Counted pages and how many stories only they, or few others, file. One other page may always: the
/// front page shows what its sections file.
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

/// The positive counts of a table.
fn counts(table: &BTreeMap<String, i64>) -> impl Iterator<Item = (&str, u64)> {
    table.iter().filter_map(|(key, count)| Some((key.as_str(), u64::try_from(*count).ok()?)))
}

/// Those whose keys have exactly `N` parts.
fn keyed<const N: usize>(table: &BTreeMap<String, i64>) -> impl Iterator<Item = ([&str; N], u64)> {
    counts(table).filter(|(_, count)| *count > 0).filter_map(|(key, count)| {
        let parts: Vec<&str> = key.split(SEPARATOR).collect();
        Some((parts.try_into().ok()?, count))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_read_back_by_label_pair_and_list() {
        let cells = |cells: &[(&[&str], i64)]| {
            cells.iter().map(|(parts, count)| (parts.join("\u{1f}"), *count)).collect::<BTreeMap<_, _>>()
        };
        let tables = Tables {
            pages: cells(&[(&[""], 4)]),
            labels: cells(&[(&["en:jazz", "any"], 4), (&["en:jazz", "link"], 2), (&["en:jazz", "in"], 1)]),
            forms: cells(&[(&["en:jazz", "Jazz"], 4)]),
            pairs: cells(&[(&["en:music", "en:jazz", "2"], 1), (&["en:music", "en:jazz", "1"], 3)]),
            targets: cells(&[(&["en:jazz", "https://a.test/jazz"], 2), (&["broken"], 2)]),
            lists: cells(&[(&["x", "en:jazz"], 2), (&["x", "en:rock"], 2)]),
            stories: cells(&[(&["p", ""], 1), (&["p", "s"], 1)]),
            nested: cells(&[(&["en:music", "en:jazz"], 2)]),
            directories: cells(&[(&["en:jazz"], 1)]),
        };
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
        // A tenth of the other twenty are two: a story on three pages is each one's own, one on four is not.
        let filing = filing(&stories);
        assert_eq!((filing.len(), filing["p0"], filing["p3"]), (21, 1, 0));
    }
}
