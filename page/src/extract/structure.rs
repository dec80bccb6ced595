//! The blocks of a story: what its chosen runs are, and the tables, pictures and embedded posts between them.
//!
//! Which text is the story is decided before. Here each chosen run becomes a block with its links and emphasis, the runs of a data
//! table become one block, and pictures and embeds are put where they stand on the page. The only text that is added is that of
//! data tables between the story's paragraphs.
//!
//! Invariants: blocks are in page order; the texts of the blocks, joined, are those of the chosen runs, but for the white space
//! of preformatted text. Start at [`blocks_of`].

use rustc_hash::FxHashMap;

use self::embeds::embeds;
use self::pictures::story_pictures;
pub(super) use self::place::followable;
use self::place::{Place, place_of, text_under};
use super::measures::Claims;
use super::picture::picture_key;
use super::runs::{Run, RunMark, Runs, share};
use crate::Page;
use crate::article::{Block, BlockKind, Embed, MAX_CELLS, Mark, MarkKind, Picture, Table, TableCell};
use crate::reading::{NodeId, PageTree};
use crate::tables::{DataTable, tables};

mod embeds;
mod pictures;
mod place;

/// Share of a table's words that must be chosen for it to be part of the story.
const TABLE_SHARE: f32 = 0.5;
/// Least rows and columns of a table between the paragraphs that is the story's though its text is no prose.
const LEAST_ROWS: usize = 3;
const LEAST_COLUMNS: usize = 2;
/// Elements whose tables are not the story's.
const BESIDE: [&str; 3] = ["nav", "aside", "footer"];
/// Most nested lists and quotations that are counted.
const MOST_LEVELS: usize = 9;
/// Most bytes of a preformatted text.
const MAX_PREFORMATTED: usize = 1 << 18;
/// Most bytes of what a link says of its target.
const MAX_REL: usize = 256;

/// The blocks of the chosen runs, with what stands between them. `headline` is the number of the headline's run.
pub(super) fn blocks_of(
    page: &Page,
    runs: &Runs,
    mut chosen: Vec<bool>,
    headline: usize,
    claims: &Claims,
) -> Vec<Block> {
    let Some(place) = place_of(&page.tree, runs, &chosen, headline) else { return Vec::new() };
    let tables = choose_tables(page, runs, &mut chosen, place);
    let pictures = story_pictures(page, runs, &mut chosen, place, claims);
    let embeds = embeds(page, runs, &chosen, place, &claims.videos);
    let pictures = without_posters(&page.tree, pictures, &embeds, claims);
    let mut placed = text_blocks(page, runs, &chosen, &tables);
    placed.extend(pictures.into_iter().map(|(node, picture)| {
        let block = Block { kind: BlockKind::Picture, picture: Some(picture), ..Block::default() };
        (node, block)
    }));
    placed.extend(embeds.into_iter().map(|(node, embed)| {
        let block = Block { kind: BlockKind::Embed, embed: Some(embed), ..Block::default() };
        (node, block)
    }));
    placed.sort_by_key(|(node, _)| *node);
    let mut blocks: Vec<Block> = placed.into_iter().map(|(_, block)| block).collect();
    // Behind a picture a quotation begins anew.
    let mut before = None;
    for block in &mut blocks {
        block.continues &= before == Some(block.kind);
        before = Some(block.kind);
    }
    blocks
}

/// The pictures without those inside embeds, which are their posters. The picture that the page declares stays.
fn without_posters(
    tree: &PageTree,
    pictures: Vec<(NodeId, Picture)>,
    embeds: &[(NodeId, Embed)],
    claims: &Claims,
) -> Vec<(NodeId, Picture)> {
    let declared = claims.picture.as_deref().map(picture_key);
    let is_poster = |node: NodeId| embeds.iter().any(|(embed, _)| tree.is_ancestor(*embed, node));
    let is_kept = |(node, picture): &(NodeId, Picture)| {
        !is_poster(*node) || declared.as_ref() == Some(&picture_key(&picture.address))
    };
    pictures.into_iter().filter(is_kept).collect()
}

/// The chosen runs as blocks, each with the node where it begins.
fn text_blocks(
    page: &Page,
    runs: &Runs,
    chosen: &[bool],
    tables: &FxHashMap<NodeId, DataTable>,
) -> Vec<(NodeId, Block)> {
    let tree = &page.tree;
    let mut placed: Vec<(NodeId, Block)> = Vec::new();
    // The table, list item, quotation or preformatted text of the block before.
    let (mut last_table, mut last_holder): (Option<NodeId>, Option<NodeId>) = (None, None);
    for run in runs.runs.iter().zip(chosen).filter(|(_, is_chosen)| **is_chosen).map(|(run, _)| run) {
        if let Some(table) = tables.get(&above(tree, run.block, &["table"]).unwrap_or(tree.root())) {
            match placed.last_mut().filter(|_| last_table == Some(table.node)) {
                Some((_, block)) => {
                    block.text.push('\n');
                    block.text.push_str(&run.text);
                }
                None => {
                    let cells = Some(cells_of(page, runs, table));
                    let text = run.text.clone();
                    placed.push((run.first, Block { table: cells, ..Block::new(BlockKind::Table, text) }));
                }
            }
            (last_table, last_holder) = (Some(table.node), None);
            continue;
        }
        let (mut block, holder) = text_block(page, run);
        block.continues = holder.is_some() && holder == last_holder;
        if block.continues {
            block.number = None;
        }
        (last_table, last_holder) = (None, holder);
        placed.push((run.first, block));
    }
    preformatted(page, runs, chosen, &mut placed);
    placed
}

/// A run as a block, and the list item or quotation that it is in.
fn text_block(page: &Page, run: &Run) -> (Block, Option<NodeId>) {
    let tree = &page.tree;
    let around = |tags: &[&str]| {
        let mut up = std::iter::once(run.block).chain(tree.ancestors(run.block));
        up.find(|&node| tree.tag(node).is_some_and(|tag| tags.contains(&tag)))
    };
    let depth = |tags: &[&str]| {
        let up = std::iter::once(run.block).chain(tree.ancestors(run.block));
        let count = up
            .filter(|&node| tree.tag(node).is_some_and(|tag| tags.contains(&tag)))
            .take(MOST_LEVELS)
            .count();
        u8::try_from(count.max(1)).ok()
    };
    let block =
        Block { marks: marks_of(page, &run.marks), ..Block::new(BlockKind::Paragraph, run.text.clone()) };
    if let Some(heading) = around(&["h1", "h2", "h3", "h4", "h5", "h6"]) {
        let level = tree.tag(heading).and_then(|tag| tag.get(1..)?.parse().ok());
        return (Block { kind: BlockKind::Heading, level, ..block }, None);
    }
    if let Some(item) = around(&["li", "dd", "dt"]) {
        let level = depth(&["ul", "ol", "dl", "menu"]);
        return (
            Block { kind: BlockKind::ListItem, level, number: number_of(tree, item), ..block },
            Some(item),
        );
    }
    if let Some(quote) = around(&["blockquote"]) {
        return (Block { kind: BlockKind::Quote, level: depth(&["blockquote"]), ..block }, Some(quote));
    }
    (block, None)
}

/// The number of an item of an ordered list.
fn number_of(tree: &PageTree, item: NodeId) -> Option<i32> {
    let list = tree.parent(item).filter(|&list| tree.tag(list) == Some("ol"))?;
    let value = |node: NodeId, name: &str| tree.attr(node, name)?.trim().parse::<i32>().ok();
    if let Some(value) = value(item, "value") {
        return Some(value);
    }
    let before =
        tree.children(list).take_while(|&node| node != item).filter(|&node| tree.tag(node) == Some("li"));
    let before = i32::try_from(before.count()).ok()?;
    value(list, "start").unwrap_or(1).checked_add(before)
}

/// Links and emphasis of a run. Links that readers cannot follow are left out.
fn marks_of(page: &Page, marks: &[RunMark]) -> Vec<Mark> {
    let tree = &page.tree;
    let mark = |mark: &RunMark| {
        let address = match mark.kind {
            MarkKind::Link => Some(followable(page, tree.attr(mark.node, "href")?)?),
            _ => None,
        };
        let rel = tree.attr(mark.node, "rel").filter(|_| address.is_some()).map(str::trim);
        let rel = rel.filter(|rel| !rel.is_empty() && rel.len() <= MAX_REL).map(str::to_owned);
        Some(Mark { kind: mark.kind, start: mark.start, end: mark.end, address, rel })
    };
    let mut found: Vec<Mark> = marks.iter().filter_map(mark).collect();
    found.dedup_by(|next, before| next == before);
    found
}

/// The story's data tables, by their elements. Those between its paragraphs are chosen, too: cells of links and numbers are
/// no prose, so that they are not chosen for themselves.
fn choose_tables(
    page: &Page,
    runs: &Runs,
    chosen: &mut [bool],
    place: Place,
) -> FxHashMap<NodeId, DataTable> {
    let tree = &page.tree;
    let is_table = |node: &NodeId| tree.tag(*node) == Some("table");
    let between = (place.first.index()..place.last.index()).filter_map(|at| tree.node_at(at));
    let mut around = tree.ancestors(place.first);
    // Most pages have none.
    if !around.any(|node| is_table(&node)) && !between.into_iter().any(|node| is_table(&node)) {
        return FxHashMap::default();
    }
    let words = |is_wanted: &dyn Fn(usize) -> bool| {
        runs.sums_of(|at, run| if is_wanted(at) { run.words } else { 0.0 })
    };
    let (of_story, all) = (words(&|at| chosen[at]), words(&|_| true));
    let is_of_story = |table: &DataTable| {
        let inside = runs.under(tree, table.node);
        let is_among =
            tree.is_ancestor(place.story, table.node) && (place.first..place.last).contains(&table.node);
        let is_chosen = share(of_story.over(inside.clone()), all.over(inside)) >= TABLE_SHARE;
        // A table that nobody chose must look like one: a head above some rows of several columns.
        let has_head = || {
            let is_large = table.grid.rows.len() >= LEAST_ROWS && table.grid.columns >= LEAST_COLUMNS;
            is_large && !table.header_slots().is_empty()
        };
        table.grid.cells.len() <= MAX_CELLS
            && (is_chosen || (is_among && has_head() && !tree.is_inside(table.node, &BESIDE)))
    };
    let found: FxHashMap<NodeId, DataTable> =
        tables(page).into_iter().filter(is_of_story).map(|table| (table.node, table)).collect();
    for table in found.values() {
        chosen[runs.under(tree, table.node)].fill(true);
    }
    found
}

/// The innermost of these elements that a node is or is in.
fn above(tree: &PageTree, node: NodeId, tags: &[&str]) -> Option<NodeId> {
    let mut up = std::iter::once(node).chain(tree.ancestors(node));
    up.find(|&node| tree.tag(node).is_some_and(|tag| tags.contains(&tag)))
}

/// The cells of a data table, row by row.
fn cells_of(page: &Page, runs: &Runs, table: &DataTable) -> Table {
    let mut rows: Vec<Vec<TableCell>> = vec![Vec::new(); table.grid.rows.len()];
    for cell in &table.grid.cells {
        let Some(row) = rows.get_mut(cell.row) else { continue };
        row.push(TableCell {
            text: text_under(page, runs, cell.node),
            is_header: table.role(cell.row, cell.column).is_header(),
            columns: cell.columns as u32,
            rows: cell.rows as u32,
        });
    }
    let caption = page.tree.children(table.node).find(|&child| page.tree.tag(child) == Some("caption"));
    let caption = caption.map(|caption| text_under(page, runs, caption)).filter(|text| !text.is_empty());
    Table { caption, rows }
}

/// Makes one block of the runs of a preformatted text, if all of them are chosen and it is no prose that was typed so.
fn preformatted(page: &Page, runs: &Runs, chosen: &[bool], placed: &mut Vec<(NodeId, Block)>) {
    let tree = &page.tree;
    let mut texts: Vec<NodeId> = placed.iter().filter_map(|(node, _)| above(tree, *node, &["pre"])).collect();
    texts.dedup();
    for pre in texts {
        let inside = runs.under(tree, pre);
        let words = |wanted: &dyn Fn(&Run) -> bool| -> f32 {
            runs.runs[inside.clone()].iter().filter(|run| wanted(run)).map(|run| run.words).sum()
        };
        let is_prose = words(&Run::is_prose) * 2.0 > words(&|_| true);
        if is_prose || !chosen[inside].iter().all(|is_chosen| *is_chosen) {
            continue;
        }
        let lines: String = tree.descendants(pre).filter_map(|node| tree.text(node)).collect();
        let text = lines.trim_end().trim_start_matches(['\n', '\r']).replace("\r\n", "\n");
        let mut text = Some(text).filter(|text| text.len() <= MAX_PREFORMATTED);
        placed.retain_mut(|(node, block)| {
            if !tree.is_ancestor(pre, *node) {
                return true;
            }
            match text.take() {
                Some(text) => {
                    *block = Block::new(BlockKind::Preformatted, text);
                    true
                }
                None => block.kind != BlockKind::Paragraph && block.kind != BlockKind::Preformatted,
            }
        });
    }
}

#[cfg(test)]
mod tests;
