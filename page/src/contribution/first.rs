//! The counters of 0.1.0, which held labels as text, as today's.
//!
//! Both forms are sums over the same pages, and each counter of 0.1.0 corresponds to the same current counters on
//! every page. So a site's old counters can be converted whenever they are found, also while programs of 0.1.0 still
//! count beside newer ones. Start at [`to_current_cells`].

use super::names::{is_counted, short_name};
use super::sums::CellBuilder;
use super::{Cell, Role, SEPARATOR, Table};
use crate::reading::{CanonicalUrl, short};

/// The tables of 0.1.0.
pub const TABLES: &[Table] = &[
    Table::Pages,
    Table::Labels,
    Table::Forms,
    Table::Pairs,
    Table::Terms,
    Table::Targets,
    Table::Lists,
    Table::Stories,
    Table::Nested,
    Table::Directories,
];

/// Converts a counter of 0.1.0 to current ones: none if its labels are no longer counted, or if no program of 0.1.0
/// can have written it.
#[must_use]
pub fn to_current_cells(table: Table, key: &str, count: i64) -> Vec<(Cell, i64)> {
    let mut cells = CellBuilder::default();
    let parts: Vec<&str> = key.split(SEPARATOR).collect();
    match (table, &parts[..]) {
        (Table::Pages | Table::Terms, _) => cells.add(table, &[key], count),
        (Table::Stories, [page, story]) => cells.add_filed(page, story, count),
        (Table::Labels, [label, role]) if is_counted(label) => {
            if let Some(role) = Role::ALL.iter().find(|other| other.code() == *role) {
                cells.add_role(&short_name(label), *role, label, count);
            }
        }
        (Table::Forms, [label, form]) if is_counted(label) => {
            cells.add(table, &[&short_name(label), form], count)
        }
        (Table::Targets, [label, url]) if is_counted(label) => {
            if let Ok(url) = url.parse::<CanonicalUrl>() {
                cells.add(table, &[&short_name(label), &short::short_url(url.site().as_str(), &url)], count);
            }
        }
        (Table::Lists, [list, label]) if is_counted(label) => {
            let list = u64::from_str_radix(list, 16).unwrap_or_default();
            cells.add(table, &[&short_name(label), &super::names::name_from_bits(list)], count);
        }
        (Table::Pairs, [broader, narrower, level]) => {
            cells.add_pair(table, (broader, narrower), level, count)
        }
        (Table::Nested, [broader, narrower]) => cells.add_nested(broader, narrower, count),
        (Table::Directories, [label]) if is_counted(label) => cells.add_directory(label, count),
        _ => {}
    }
    cells.cells
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contribution::{Contribution, Delta};
    use crate::{Page, Params, contribution, hierarchy};

    /// The counters of a page as 0.1.0 made them.
    fn cells_of_0_1_0(page: &Contribution) -> Vec<(Table, String, i64)> {
        let joined = |parts: &[&str]| parts.join("\u{1f}");
        let mut cells = vec![(Table::Pages, String::new(), 1)];
        for label in &page.labels {
            cells.push((Table::Forms, joined(&[&label.key, &label.form]), 1));
            cells.extend(
                label.roles.iter().map(|role| (Table::Labels, joined(&[&label.key, role.code()]), 1)),
            );
        }
        for pair in &page.pairs {
            cells.push((Table::Pairs, joined(&[&pair.broader, &pair.narrower, &pair.level.to_string()]), 1));
        }
        for link in page.links.iter().filter(|link| link.inside) {
            let label = link.label.iter();
            cells.extend(label.map(|label| (Table::Targets, joined(&[label, link.target.as_str()]), 1)));
        }
        for list in &page.lists {
            let mut hasher = blake3::Hasher::new();
            for label in &list.labels {
                hasher.update(label.as_bytes());
                hasher.update(&[0x1f]);
            }
            let id = crate::contribution::hex_of_8_bytes(&hasher);
            cells.extend(list.labels.iter().map(|label| (Table::Lists, joined(&[&id, label]), 1)));
        }
        let nested = page.nested.iter().map(|pair| joined(&[&pair.broader, &pair.narrower]));
        cells.extend(nested.map(|key| (Table::Nested, key, 1)));
        if let Some(filed) = &page.filed {
            let stories = filed.stories.iter().map(String::as_str).chain([""]);
            cells.extend(stories.map(|story| (Table::Stories, joined(&[&filed.page, story]), 1)));
        }
        cells.extend(page.directories.iter().map(|name| (Table::Directories, name.clone(), 1)));
        cells
    }

    #[test]
    fn the_counters_of_0_1_0_become_todays() {
        let url = "https://news.example.org/".parse().unwrap();
        let html = "<html lang=en><h2>Arts</h2><ul><li><a href=/arts/film>Film</a><li><a href=/arts/jazz/x>Jazz</a>
            <li><a href=/a>How to write a title with too many words for labels</a>
            <li><a href=/b>Seven brave otters crossing rivers</a></ul><h2>One two three four five six</h2>
            <ul><li><a href=/sport/cup>Cup</a><li><a href=/three>3 comments</a><li><a href=/sport/tennis/y>A story about tennis of more words</a></ul>";
        let page = Page::parse(&url, None, html.as_bytes());
        let page = contribution(&page, &hierarchy(&page, &Params::default()));
        let mut old = Delta::default();
        for (table, key, count) in cells_of_0_1_0(&page) {
            to_current_cells(table, &key, count).into_iter().for_each(|(cell, by)| old.add(cell, by));
        }
        let mut new = Delta::default();
        let is_first = |cell: &Cell| cell.table != Table::Terms;
        page.cells().into_iter().filter(|(cell, _)| is_first(cell)).for_each(|(cell, by)| new.add(cell, by));
        assert_eq!(old, new);
        assert!(
            Table::ALL
                .iter()
                .filter(|table| is_first(&Cell::new(**table, &[])))
                .all(|table| { new.iter().any(|(cell, _)| cell.table == *table) }),
            "the page tries every table: {new:?}"
        );
    }

    #[test]
    fn what_is_broken_gives_nothing() {
        for (table, key) in [
            (Table::Labels, "en:jazz"),
            (Table::Labels, "en:jazz\u{1f}juggler"),
            (Table::Targets, "en:jazz\u{1f}not a URL"),
            (Table::Forms, "en:a b c d e\u{1f}A B C D E"),
            (Table::Pairs, "en:jazz"),
        ] {
            assert_eq!(to_current_cells(table, key, 1), []);
        }
    }
}
