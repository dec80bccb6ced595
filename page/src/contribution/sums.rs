//! A contribution as counters.

use rustc_hash::FxHashMap;

use super::names::{NAME_LEN, is_counted, name_of_url_id, short_name, stem_count, without_numbers};
use super::{Cell, Contribution, LinkUse, Role, Table, entropy_summand};
use crate::reading::{Site, short};

impl Contribution {
    /// The counters that this page adds to, each with a count ≥ 1. A cell may occur twice. Labels of more than four
    /// stems are left out ([`is_counted`]).
    #[must_use]
    pub fn cells(&self) -> Vec<(Cell, i64)> {
        let mut cells = CellBuilder::default();
        cells.add(Table::Pages, &[], 1);
        self.add_labels(&mut cells);
        self.add_places(&mut cells);
        self.add_terms(&mut cells);
        if let Some(filed) = &self.filed {
            cells.add_filed(&filed.page, "", 1);
            filed.stories.iter().for_each(|story| cells.add_filed(&filed.page, story, 1));
        }
        cells.cells
    }

    /// Labels, how they are written, and where they lead.
    fn add_labels<'a>(&'a self, cells: &mut CellBuilder<'a>) {
        for label in self.labels.iter().filter(|label| is_counted(&label.key)) {
            let name = cells.name_of(&label.key);
            cells.add(Table::Forms, &[&name, &label.form], 1);
            for role in &label.roles {
                cells.add_role(&name, *role, &label.key, 1);
            }
        }
        let inside = || self.links.iter().filter(|link| link.inside);
        let site: Option<Site> = inside().next().map(|link| link.target.site());
        let named =
            |link: &'a LinkUse| link.label.as_deref().filter(|label| is_counted(label)).map(|l| (l, link));
        for (label, link) in inside().filter_map(named) {
            let name = cells.name_of(label);
            let site = site.as_ref().map_or("", Site::as_str);
            cells.add(Table::Targets, &[&name, &short::short_url(site, &link.target)], 1);
        }
    }

    /// The relations between labels: pairs, lists, directories.
    fn add_places<'a>(&'a self, cells: &mut CellBuilder<'a>) {
        for pair in &self.pairs {
            cells.add_pair(Table::Pairs, (&pair.broader, &pair.narrower), &pair.level.to_string(), 1);
        }
        for list in &self.lists {
            let list_name = list.name();
            for label in list.labels.iter().filter(|label| is_counted(label)) {
                let name = cells.name_of(label);
                cells.add(Table::Lists, &[&name, &list_name], 1);
            }
        }
        for pair in &self.nested {
            cells.add_nested(&pair.broader, &pair.narrower, 1);
        }
        for directory in self.directories.iter().filter(|label| is_counted(label)) {
            cells.add_directory(directory, 1);
        }
    }

    fn add_terms(&self, cells: &mut CellBuilder<'_>) {
        for term in &self.terms {
            cells.add(Table::Terms, &["df\u{1f}", &term.term], 1);
            cells.add(Table::Terms, &["tf\u{1f}", &term.term], i64::from(term.count));
            if entropy_summand(term.count) != 0 {
                cells.add(Table::Terms, &["q\u{1f}", &term.term], entropy_summand(term.count));
            }
        }
    }
}

/// Counters under construction.
#[derive(Default)]
pub(super) struct CellBuilder<'a> {
    pub(super) cells: Vec<(Cell, i64)>,
    /// Hashed once each.
    names: FxHashMap<&'a str, [u8; NAME_LEN]>,
}

impl<'a> CellBuilder<'a> {
    pub(super) fn name_of(&mut self, label: &'a str) -> String {
        let bytes = self.names.entry(label).or_insert_with(|| {
            let mut bytes = [b'A'; NAME_LEN];
            bytes.iter_mut().zip(short_name(label).bytes()).for_each(|(to, from)| *to = from);
            bytes
        });
        String::from_utf8_lossy(bytes).into_owned()
    }

    pub(super) fn add(&mut self, table: Table, parts: &[&str], by: i64) {
        self.cells.push((Cell { table, key: parts.concat() }, by));
    }

    /// A label in a role. The key of [`Role::Any`] also holds the label's text, and a label with numbers is also counted
    /// without them.
    pub(super) fn add_role(&mut self, name: &str, role: Role, label: &str, by: i64) {
        let text = if role == Role::Any { label } else { "" };
        self.add(Table::Labels, &[name, role.letter().encode_utf8(&mut [0; 4]), text], by);
        if let Some(rest) = without_numbers(label).filter(|_| role == Role::Any) {
            self.add(Table::Numbered, &[&short_name(&rest), name], by);
        }
    }

    /// A story that a page files, by their [`url_id`](super::url_id)s; the empty one means the page itself.
    pub(super) fn add_filed(&mut self, page: &str, story: &str, by: i64) {
        let story = if story.is_empty() { String::new() } else { name_of_url_id(story) };
        self.add(Table::Filed, &[&name_of_url_id(page), &story], by);
        self.add(Table::Stories, &[&story], by);
    }

    /// A pair of labels, at home with the broader one.
    pub(super) fn add_pair(
        &mut self,
        table: Table,
        (broader, narrower): (&'a str, &'a str),
        rest: &str,
        by: i64,
    ) {
        if is_counted(broader) && is_counted(narrower) {
            let (above, below) = (self.name_of(broader), self.name_of(narrower));
            self.add(table, &[&above, &below, rest], by);
        }
    }

    pub(super) fn add_nested(&mut self, broader: &'a str, narrower: &'a str, by: i64) {
        self.add_pair(Table::Nested, (broader, narrower), &stem_count(narrower).to_string(), by);
        if is_counted(broader) && is_counted(narrower) {
            self.add_text(broader, by);
            self.add_text(narrower, by);
        }
    }

    pub(super) fn add_directory(&mut self, label: &'a str, by: i64) {
        let name = self.name_of(label);
        self.add(Table::Directories, &[&name], by);
        self.add_text(label, by);
    }

    fn add_text(&mut self, label: &'a str, by: i64) {
        let name = self.name_of(label);
        self.add(Table::Texts, &[&name, label], by);
    }
}
