//! The blocks of an article's body: texts with their links and emphasis, tables, pictures and embedded posts.
//!
//! A block's `text` is body text and nothing else, so joined texts are what a reader reads. What is no running text stands
//! beside it: the ranges of links and emphasis, the cells of a table, a picture and its caption.

use serde::{Deserialize, Serialize};

use crate::bounds::{Excess, bytes, holds, most};

/// Most bytes of an address.
pub(crate) const MAX_ADDRESS: usize = 4 << 10;
/// Most bytes of a caption, a credit and an alternative text.
pub(crate) const MAX_CAPTION: usize = 4 << 10;
/// Most marks, pictures, embeds and cells of an article.
pub(crate) const MAX_MARKS: usize = 20_000;
pub(crate) const MAX_PICTURES: usize = 500;
pub(crate) const MAX_EMBEDS: usize = 200;
pub(crate) const MAX_CELLS: usize = 20_000;
/// Most bytes of addresses of all marks, and of the texts of all cells.
pub(crate) const MAX_BLOCK_BYTES: usize = 2 << 20;

/// The kind of a body block. Later versions may add kinds: readers should pass over those that they do not know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// Running text.
    #[default]
    Paragraph,
    /// A heading inside the body.
    Heading,
    /// An item of a list.
    ListItem,
    /// A quotation set apart.
    Quote,
    /// Text whose line ends and spaces are meant, such as a program.
    Preformatted,
    /// A table that holds data; its text is that of its cells, a line for each.
    Table,
    /// A picture; its text is empty.
    Picture,
    /// Something that another service shows: a post, a video, a map; its text is empty.
    Embed,
}

/// One block of the body, in page order. A key that does not apply to the block is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// The kind of block.
    pub kind: BlockKind,
    /// Its text with white space collapsed; line ends and spaces as they are if it is preformatted.
    pub text: String,
    /// The level of a heading, 1 to 6, or the depth of a list item or quotation, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// The number of an item in an ordered list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<i32>,
    /// Whether it goes on with the list item or the quotation of the block before it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub continues: bool,
    /// Links and emphasis, by their beginning; outer ones before those inside them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub marks: Vec<Mark>,
    /// The cells of a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table: Option<Table>,
    /// The picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<Picture>,
    /// What is embedded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embed: Option<Embed>,
}

/// What a part of a block's text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MarkKind {
    /// A link.
    Link,
    /// Strong emphasis, mostly bold.
    Strong,
    /// Emphasis, mostly italics.
    Emphasis,
    /// Code.
    Code,
    /// Raised letters.
    Superscript,
    /// Lowered letters.
    Subscript,
    /// Struck out.
    Deleted,
}

/// A part of a block's text that is a link or emphasised.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// What it is.
    pub kind: MarkKind,
    /// The first character, counted in Unicode code points from 0.
    pub start: u32,
    /// The character behind the last one.
    pub end: u32,
    /// Where a link leads: an absolute `http`, `https`, `mailto`, `tel` or `ftp` address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// What the link says of its target, as written: `nofollow`, `license`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rel: Option<String>,
}

/// A picture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// Its absolute address: the largest of those that the page offers.
    pub address: String,
    /// The text that stands in for it.
    pub alternative: Option<String>,
    /// What the page says below it, without the credit.
    pub caption: Option<String>,
    /// Whose picture it is, as written.
    pub credit: Option<String>,
    /// Its width in pixels, as the page gives it.
    pub width: Option<u32>,
    /// Its height in pixels.
    pub height: Option<u32>,
}

/// Something that another service shows inside the article.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Embed {
    /// What it is.
    pub kind: EmbedKind,
    /// The service: a name such as `youtube`, else the host of the address.
    pub provider: Option<String>,
    /// The address of what is shown; `None` if only a script knows it.
    pub address: Option<String>,
}

/// What is embedded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmbedKind {
    /// A post of a social network.
    Post,
    /// A video.
    Video,
    /// A sound recording.
    Audio,
    /// Anything else: a chart, a map, a document.
    Other,
}

/// The cells of a data table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// What the page calls it.
    pub caption: Option<String>,
    /// Its rows. A cell that spans several rows stands in the first of them.
    pub rows: Vec<Vec<TableCell>>,
}

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableCell {
    /// Its text.
    pub text: String,
    /// Whether it heads its row, its column or a part of the table.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_header: bool,
    /// The number of columns that it spans.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub columns: u32,
    /// The number of rows that it spans.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub rows: u32,
}

fn one() -> u32 {
    1
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_one(number: &u32) -> bool {
    *number == 1
}

impl Block {
    /// A block of plain text.
    #[must_use]
    pub fn new(kind: BlockKind, text: impl Into<String>) -> Block {
        Block { kind, text: text.into(), ..Block::default() }
    }
}

/// Leaves out what exceeds the limits of an article, and says what was cut.
pub(super) fn within_limits(body: &mut Vec<Block>) -> Vec<&'static str> {
    let mut cut = Vec::new();
    let mut left =
        Left { marks: MAX_MARKS, mark_bytes: MAX_BLOCK_BYTES, cells: MAX_CELLS, cell_bytes: MAX_BLOCK_BYTES };
    let (mut pictures, mut embeds) = (0, 0);
    body.retain(|block| match block.kind {
        BlockKind::Picture => {
            pictures += 1;
            pictures <= MAX_PICTURES
        }
        BlockKind::Embed => {
            embeds += 1;
            embeds <= MAX_EMBEDS
        }
        _ => true,
    });
    cut.extend((pictures > MAX_PICTURES).then_some("pictures"));
    cut.extend((embeds > MAX_EMBEDS).then_some("embeds"));
    let (mut are_marks_cut, mut are_cells_cut) = (false, false);
    for block in body {
        let marks = block.marks.len();
        block.marks.retain(|mark| left.holds_mark(mark));
        are_marks_cut |= block.marks.len() < marks;
        if block.table.as_ref().is_some_and(|table| !left.holds_table(table)) {
            block.table = None;
            block.kind = BlockKind::Paragraph;
            are_cells_cut = true;
        }
        for text in block
            .picture
            .iter_mut()
            .flat_map(|picture| [&mut picture.alternative, &mut picture.caption, &mut picture.credit])
        {
            *text = text.take().filter(|text| text.len() <= MAX_CAPTION);
        }
    }
    cut.extend(are_marks_cut.then_some("marks"));
    cut.extend(are_cells_cut.then_some("tables"));
    cut
}

/// What an article may still hold.
struct Left {
    marks: usize,
    mark_bytes: usize,
    cells: usize,
    cell_bytes: usize,
}

impl Left {
    fn holds_mark(&mut self, mark: &Mark) -> bool {
        let size: usize = [&mark.address, &mark.rel].into_iter().flatten().map(String::len).sum();
        let holds = self.marks > 0 && size <= self.mark_bytes && size <= 2 * MAX_ADDRESS;
        if holds {
            self.marks -= 1;
            self.mark_bytes -= size;
        }
        holds
    }

    fn holds_table(&mut self, table: &Table) -> bool {
        let cells: usize = table.rows.iter().map(Vec::len).sum();
        let texts: usize = table.rows.iter().flatten().map(|cell| cell.text.len()).sum();
        let size = texts + table.caption.as_ref().map_or(0, String::len);
        let holds = cells <= self.cells && size <= self.cell_bytes;
        if holds {
            self.cells -= cells;
            self.cell_bytes -= size;
        }
        holds
    }
}

/// Whether blocks keep to the limits of an article.
pub(super) fn check(body: &[Block]) -> Result<(), Excess> {
    let count = |kind| body.iter().filter(|block| block.kind == kind).count();
    most("body", "pictures", count(BlockKind::Picture), MAX_PICTURES)?;
    most("body", "embeds", count(BlockKind::Embed), MAX_EMBEDS)?;
    let marks = || body.iter().flat_map(|block| &block.marks);
    most("body", "marks", marks().count(), MAX_MARKS)?;
    let addresses = marks().flat_map(|mark| [&mark.address, &mark.rel]).flatten().map(String::len).sum();
    most("body", "bytes of addresses", addresses, MAX_BLOCK_BYTES)?;
    let cells =
        || body.iter().filter_map(|block| block.table.as_ref()).flat_map(|table| table.rows.iter().flatten());
    most("body", "cells", cells().count(), MAX_CELLS)?;
    let captions = body.iter().filter_map(|block| block.table.as_ref()?.caption.as_ref()).map(String::len);
    let texts = cells().map(|cell| cell.text.len()).chain(captions).sum();
    most("body", "bytes of cells", texts, MAX_BLOCK_BYTES)?;
    body.iter().try_for_each(Block::check)
}

impl Block {
    fn check(&self) -> Result<(), Excess> {
        let has_kind = |is_there: bool, kind| is_there == (self.kind == kind);
        holds(
            "body",
            has_kind(self.picture.is_some(), BlockKind::Picture),
            "has a picture in another block",
        )?;
        holds("body", has_kind(self.embed.is_some(), BlockKind::Embed), "has an embed in another block")?;
        holds("body", has_kind(self.table.is_some(), BlockKind::Table), "has a table in another block")?;
        let shows = matches!(self.kind, BlockKind::Picture | BlockKind::Embed);
        holds("body", !shows || self.text.is_empty(), "has a text beside a picture")?;
        let length = if self.marks.is_empty() { 0 } else { self.text.chars().count() };
        let is_inside = |mark: &Mark| mark.start < mark.end && mark.end as usize <= length;
        holds("body", self.marks.iter().all(is_inside), "has a mark outside its text")?;
        self.picture.as_ref().map_or(Ok(()), Picture::check)?;
        let Some(embed) = &self.embed else { return Ok(()) };
        bytes("embed", embed.provider.as_deref().unwrap_or_default(), MAX_ADDRESS)?;
        bytes("embed", embed.address.as_deref().unwrap_or_default(), MAX_ADDRESS)
    }
}

impl Picture {
    /// Whether it keeps to the limits.
    pub(super) fn check(&self) -> Result<(), Excess> {
        bytes("picture", &self.address, MAX_ADDRESS)?;
        [&self.alternative, &self.caption, &self.credit]
            .into_iter()
            .flatten()
            .try_for_each(|text| bytes("picture", text, MAX_CAPTION))
    }
}
