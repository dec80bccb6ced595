//! Small tables as input; grids, orientations, headers and records as output.

use crate::reading::NodeId;
use proptest::prelude::*;

use super::*;
use crate::measures::Weights;
use crate::testing::page;

/// The one table of a page, taken as data whatever the detector says.
fn table(html: &str, headers: Headers) -> (Page, DataTable) {
    let page = page(html);
    let params = TableParams { data_from: i32::MIN, headers, ..TableParams::default() };
    let found = tables_with(&page, &params).remove(0);
    (page, found)
}

/// The orientation, then one line for each record: `key | path=value`.
fn outline(html: &str) -> String {
    let (page, table) = table(html, Headers::Bands);
    let joined =
        |cells: &[usize]| cells.iter().map(|&cell| table.text(&page, cell)).collect::<Vec<_>>().join("/");
    let mut text = format!("{}\n", table.orientation.name());
    for record in table.records() {
        let fields = record
            .fields
            .iter()
            .map(|field| format!("{}={}", joined(&field.path), table.text(&page, field.cell)));
        text.push_str(&format!("{} | {}\n", joined(&record.key), fields.collect::<Vec<_>>().join(", ")));
    }
    text
}

#[track_caller]
fn check(html: &str, expected: &str) {
    assert_eq!(outline(html), expected, "{html}");
}

#[test]
fn header_rows_name_the_fields_of_each_row() {
    check(
        "<table><tr><th>Fruit<th>Price<tr><td>Apple<td>1.20<tr><td>Fig<td>3.40</table>",
        "column\n | Fruit=Apple, Price=1.20\n | Fruit=Fig, Price=3.40\n",
    );
}

#[test]
fn labels_at_the_left_make_one_record_of_each_column() {
    check(
        "<table><tr><td>Phone:<td>5512<tr><td>Room:<td>B 7<tr><td>Mail:<td>a@b.org</table>",
        "row\n | Phone:=5512, Room:=B 7, Mail:=a@b.org\n",
    );
}

#[test]
fn an_empty_corner_tells_of_headers_on_both_sides() {
    check(
        "<table><tr><td><td><b>Mon</b><td><b>Tue</b><tr><td>9:00<td>Ann<td>Bob<tr><td>10:00<td>Bob<td>Ann</table>",
        "row-column\n9:00 | Mon=Ann, Tue=Bob\n10:00 | Mon=Bob, Tue=Ann\n",
    );
}

#[test]
fn sections_are_keys_of_what_follows() {
    check(
        "<table><tr><th>Item<th>Sum<tr><td colspan=2>Fruit<tr><td>Fig<td>3<tr><td colspan=2>Roots<tr><td>Beet<td>4</table>",
        "multi-header column\nFruit | Item=Fig, Sum=3\nRoots | Item=Beet, Sum=4\n",
    );
}

#[test]
fn labels_and_values_in_turns_are_one_record() {
    check(
        "<table><tr><th>A<td>1<th>B<td>2<tr><th>C<td>3<th>D<td>4</table>",
        "multi-header row\n | A=1, B=2, C=3, D=4\n",
    );
}

#[test]
fn stacked_header_rows_are_one_band_and_sections_cross_both() {
    check(
        "<table><thead><tr><th><th colspan=2>1990<tr><th>Town<th>May<th>June<tbody>\
         <tr><th>Ulm<td>3<td>4<tr><td colspan=3>South<tr><th>Graz<td>5<td>6</table>",
        "multi-header row-column\nUlm | 1990/May=3, 1990/June=4\nSouth/Graz | 1990/May=5, 1990/June=6\n",
    );
}

#[test]
fn a_table_of_equal_rows_has_no_header() {
    check(
        "<table><tr><td>1999<td>Rome<td>12<tr><td>2003<td>Oslo<td>14<tr><td>2007<td>Bonn<td>15</table>",
        "none\n | =1999, =Rome, =12\n | =2003, =Oslo, =14\n | =2007, =Bonn, =15\n",
    );
}

#[test]
fn a_title_is_a_header_and_changes_no_orientation() {
    let html = "<table><caption>Cap</caption><tr><th colspan=2>Prices<tr><th>Fruit<th>Price<tr><td>Fig<td>3<tr><td>Pear<td>4</table>";
    let (page, found) = table(html, Headers::Bands);
    assert_eq!(found.orientation, Orientation::Column);
    assert_eq!(found.titles(&page), ["Cap", "Prices"]);
    assert_eq!(found.header_slots(), [(0, 0), (0, 1), (1, 0), (1, 1)]);
}

#[test]
fn cells_are_placed_under_their_headers_by_leaves() {
    let (page, found) = table(
        "<p>before</p><table><tr><th><th>Mon<tr><th>9:00<td>Ann <b>Lee</b><tr><th>10:00<td>Bob</table>",
        Headers::Bands,
    );
    let placed = found.placed();
    let ann = placed.iter().find(|cell| cell.leaves == (3..5)).unwrap();
    assert_eq!((&ann.above, &ann.before), (&vec![1..2; 1], &vec![2..3; 1]));
    assert_eq!(page.leaves.text(1), "Mon");
    assert_eq!(placed.iter().map(|cell| cell.leaves.len()).sum::<usize>(), found.leaves.len());
}

#[test]
fn nested_tables_keep_their_rows_apart() {
    let page = page("<table><tr><td>a<td><table><tr><td>x<td>y<tr><td>z<td>w</table><tr><td>b<td>c</table>");
    let all = TableParams { data_from: i32::MIN, ..TableParams::default() };
    let sizes: Vec<_> =
        tables_with(&page, &all).iter().map(|t| (t.index, t.grid.rows.len(), t.grid.columns)).collect();
    assert_eq!(sizes, [(0, 2, 2), (1, 2, 2)]);
}

#[test]
fn clusters_follow_the_first_cell() {
    let html = "<table><tr><td><b>YEAR</b><td><b>SUM</b><tr><td>1999<td>12<tr><td>2003<td>14</table>";
    let (_, found) = table(html, Headers::Clusters);
    assert_eq!(found.orientation, Orientation::Column);
    assert_eq!(found.header_slots(), [(0, 0), (0, 1)]);
}

#[test]
fn frames_and_link_lists_are_layout() {
    for html in [
        "<table width=100%><tr><td><img src=l><td><table><tr><td><a href=1>Home</a></table><tr><td colspan=2><p>Long text, \
         and more of it, as pages have in their middle; it goes on for a while.</table>",
        "<table><tr><td><a href=a>News</a><td><a href=b>Sport</a><tr><td><a href=c>Arts</a><td><a href=d>Shop</a></table>",
        "<table><tr><td>Name <input name=n><td><input type=submit><tr><td><select><option>1</select><td></table>",
    ] {
        assert!(tables(&page(html)).is_empty(), "{html}");
    }
}

#[test]
fn a_table_that_is_said_to_be_layout_is_none() {
    let rows = "<tr><th>Fruit<th>Price<tr><td>Apple<td>1.20<tr><td>Fig<td>3.40<tr><td>Pear<td>2.20";
    let params = TableParams::default();
    assert_eq!(tables_with(&page(&format!("<table>{rows}</table>")), &params).len(), 1);
    assert!(tables_with(&page(&format!("<table role=Presentation>{rows}</table>")), &params).is_empty());
}

fn grid(html: &str, params: &TableParams) -> Grid {
    let page = page(html);
    let own = own_rows(&page.tree);
    let first = table_elements(&page.tree)[0];
    Grid::new(&page.tree, own.get(&first).map(Vec::as_slice).unwrap_or_default(), params)
}

#[test]
fn spans_end_where_the_rows_do() {
    let grid = grid(
        "<table><tr><td rowspan=65534 colspan=2>a<td>b<tr><td rowspan=0>c</table>",
        &TableParams::default(),
    );
    assert_eq!((grid.rows.len(), grid.columns), (2, 3));
    assert_eq!(grid.row(1).collect::<Vec<_>>(), [Some(0), Some(0), Some(2)]);
    assert_eq!((grid.cells[0].rows, grid.cells[2].rows), (2, 1));
}

#[test]
fn hostile_tables_are_cut() {
    let wide = format!("<table>{}</table>", "<tr><td colspan=1000 rowspan=65534>x".repeat(3000));
    let found = grid(&wide, &TableParams::default());
    assert!(found.is_cut && found.rows.len() * found.columns <= TableParams::default().max_slots);
    let many = "<table><tr><td colspan=1000>x</table>".repeat(5000);
    let all = TableParams { data_from: i32::MIN, ..TableParams::default() };
    let slots: usize =
        tables_with(&page(&many), &all).iter().map(|t| t.grid.rows.len() * t.grid.columns).sum();
    assert!(slots <= all.max_page_slots, "{slots}");
}

/// The cleaner, plainly: the HTML standard's algorithm on a map of slots, without rows beyond the last one.
fn plain_grid(tree: &PageTree, rows: &[NodeId]) -> FxHashMap<(usize, usize), NodeId> {
    let number = |node, name| tree.attr(node, name).and_then(|value| value.parse::<usize>().ok());
    let mut slots = FxHashMap::default();
    for (row, &tr) in rows.iter().enumerate() {
        let mut at = 0;
        for cell in tree.children(tr).filter(|&cell| matches!(tree.tag(cell), Some("td" | "th"))) {
            while slots.contains_key(&(row, at)) {
                at += 1;
            }
            let columns = number(cell, "colspan").unwrap_or(1).clamp(1, 1000);
            let down = match number(cell, "rowspan") {
                Some(0) => usize::MAX,
                other => other.unwrap_or(1),
            };
            let free = (at..at + columns).take_while(|&column| !slots.contains_key(&(row, column))).count();
            for below in (row..rows.len()).take(down) {
                slots.extend((at..at + free).map(|column| ((below, column), cell)));
            }
            at += free;
        }
    }
    slots
}

fn html_tables() -> impl Strategy<Value = String> {
    let cell = (0_usize..5, 0_usize..4, 0_usize..6).prop_map(|(rows, columns, text)| {
        let texts = ["", "12", "Ann", "<b>Sum:</b>", "<a href=x>go</a>", "three words here"];
        format!("<td rowspan={rows} colspan={columns}>{}", texts[text])
    });
    let row = prop::collection::vec(cell, 0..6).prop_map(|cells| format!("<tr>{}", cells.concat()));
    prop::collection::vec(row, 0..8).prop_map(|rows| format!("<table>{}</table>", rows.concat()))
}

proptest! {
    #[test]
    fn the_grid_is_the_plain_grid(html in html_tables()) {
        let page = page(&html);
        let own = own_rows(&page.tree);
        let rows = own.values().next().cloned().unwrap_or_default();
        let grid = Grid::new(&page.tree, &rows, &TableParams::default());
        let plain = plain_grid(&page.tree, &rows);
        for row in 0..rows.len() {
            for column in 0..grid.columns + 2 {
                let node = grid.at(row, column).map(|cell| grid.cells[cell].node);
                prop_assert_eq!(node, plain.get(&(row, column)).copied(), "{} {}", row, column);
            }
        }
    }

    #[test]
    fn every_value_is_in_a_record(html in html_tables(), clusters: bool) {
        let page = page(&html);
        let headers = if clusters { Headers::Clusters } else { Headers::Bands };
        let params = TableParams { data_from: i32::MIN, headers, ..TableParams::default() };
        for table in tables_with(&page, &params) {
            let records = table.records();
            let said: Vec<usize> = records.iter().flat_map(|r| r.fields.iter().map(|f| f.cell)).collect();
            for (at, cell) in table.grid.cells.iter().enumerate() {
                let is_data = table.role(cell.row, cell.column) == Role::Data;
                if is_data && !table.cell_leaves(at).is_empty() {
                    prop_assert!(said.contains(&at), "{} {:?}", at, table.orientation);
                }
            }
        }
    }
}

#[test]
fn weights_are_those_of_the_measures() {
    let (data, top) = measure_names();
    assert_eq!((data.len(), top.len()), (weights::DATA.len(), weights::TOP.len()));
    Weights::new(weights::DATA, &data).unwrap();
    Weights::new(weights::TOP, &top).unwrap();
    let html = "<table><tr><th>City<th>People<tr><td>Rome<td>2800000<tr><td>Milan<td>1400000</table>";
    let evidence = evidence(&page(html), &TableParams::default()).remove(0);
    assert_eq!((evidence.data.len(), evidence.top.len()), (data.len(), top.len()));
}
