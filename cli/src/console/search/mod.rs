//! Search over titles and bodies: an index of the articles of one snapshot, in a temporary [`folder`] that is removed with it.
//!
//! A search answers which articles match; filters, order and pages are those of every list ([`filter`](super::filter)), so
//! nothing is ranked and the index holds no text. What a query means is read by [`phrases`](crate::filter::phrases). Start at [`IndexBuilder`] and [`SearchIndex::find`].

mod folder;
mod query;

use std::collections::HashMap;

use newslode_common::version::ContentHash;
use newslode_page::article::Article;
use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::Column;
use tantivy::schema::{FAST, Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::{
    DocId, Index, IndexWriter, ReloadPolicy, Score, Searcher, SegmentOrdinal, SegmentReader, TantivyDocument,
};

use self::folder::IndexFolder;
pub(super) use self::folder::remove_leftovers;
use crate::filter::phrases::WordQuery;
use crate::filter::words;

/// Memory of the writer, in bytes: tantivy takes no less than 15 MB.
const WRITER_BYTES: usize = 32 << 20;
/// The field of an article's number.
const NAME: &str = "name";

/// Writes an index.
pub(super) struct IndexBuilder {
    writer: IndexWriter,
    index: Index,
    text: Field,
    name: Field,
    folder: Option<IndexFolder>,
}

/// Finds articles.
pub(super) struct SearchIndex {
    searcher: Searcher,
    text: Field,
    // Dropped after the searcher, whose files are in it.
    _folder: Option<IndexFolder>,
}

impl std::fmt::Debug for SearchIndex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Search({} articles)", self.searcher.num_docs())
    }
}

/// The number under which the index knows an article.
fn index_number(id: ContentHash) -> u64 {
    u64::from_le_bytes(std::array::from_fn(|at| id.0[at]))
}

impl IndexBuilder {
    /// Begins an index. Without a folder for temporary files it is kept in memory.
    pub(super) fn new() -> tantivy::Result<IndexBuilder> {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_tokenizer(words::NAME)
            .set_fieldnorms(false)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let text = schema.add_text_field("text", TextOptions::default().set_indexing_options(indexing));
        let name = schema.add_u64_field(NAME, FAST);
        let schema = schema.build();
        let (index, folder) = match IndexFolder::create() {
            Ok(folder) => (Index::create_in_dir(folder.path(), schema)?, Some(folder)),
            Err(error) => {
                tracing::warn!("the search index is kept in memory: {error}");
                (Index::create_in_ram(schema), None)
            }
        };
        index.tokenizers().register(words::NAME, words::Words);
        let writer = index.writer_with_num_threads(1, WRITER_BYTES)?;
        Ok(IndexBuilder { writer, index, text, name, folder })
    }

    /// Adds an article.
    pub(super) fn add(&self, id: ContentHash, article: &Article) -> tantivy::Result<()> {
        let mut document = TantivyDocument::new();
        let title = article.title.iter().map(String::as_str);
        for text in title.chain(article.body.iter().map(|block| block.text.as_str())) {
            document.add_text(self.text, text);
        }
        document.add_u64(self.name, index_number(id));
        self.writer.add_document(document)?;
        Ok(())
    }

    /// Ends the index.
    pub(super) fn finish(mut self) -> tantivy::Result<SearchIndex> {
        self.writer.commit()?;
        self.writer.wait_merging_threads()?;
        let reader = self.index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(SearchIndex { searcher: reader.searcher(), text: self.text, _folder: self.folder })
    }
}

/// Turns numbers of the index into positions of articles.
#[derive(Debug, Default)]
pub(super) struct Positions(HashMap<u64, u32>);

impl Positions {
    /// The positions of these articles, in order.
    pub(super) fn of(ids: impl Iterator<Item = ContentHash>) -> Positions {
        Positions(ids.zip(0..).map(|(id, at)| (index_number(id), at)).collect())
    }

    /// The position of the article with this id. Another article may share its number, so the caller compares ids.
    pub(super) fn of_id(&self, id: ContentHash) -> Option<usize> {
        self.of_number(index_number(id))
    }

    fn of_number(&self, number: u64) -> Option<usize> {
        self.0.get(&number).map(|at| *at as usize)
    }
}

impl SearchIndex {
    /// For each of so many articles, whether it matches. `None`: the query holds no word.
    pub(super) fn find(
        &self,
        wanted: &WordQuery,
        positions: &Positions,
        articles: usize,
    ) -> tantivy::Result<Option<Vec<bool>>> {
        let Some(query) = query::index_query(wanted, self.text) else { return Ok(None) };
        let mut matches = vec![false; articles];
        for number in self.searcher.search(&query, &AllNumbers)? {
            if let Some(found) = positions.of_number(number).and_then(|at| matches.get_mut(at)) {
                *found = true;
            }
        }
        Ok(Some(matches))
    }
}

/// Collects the numbers of all articles that match.
struct AllNumbers;

struct SegmentNumbers {
    column: Column<u64>,
    found: Vec<u64>,
}

impl Collector for AllNumbers {
    type Fruit = Vec<u64>;
    type Child = SegmentNumbers;

    fn for_segment(&self, _: SegmentOrdinal, segment: &SegmentReader) -> tantivy::Result<SegmentNumbers> {
        Ok(SegmentNumbers { column: segment.fast_fields().u64(NAME)?, found: Vec::new() })
    }

    fn requires_scoring(&self) -> bool {
        false
    }

    fn merge_fruits(&self, found: Vec<Vec<u64>>) -> tantivy::Result<Vec<u64>> {
        Ok(found.concat())
    }
}

impl SegmentCollector for SegmentNumbers {
    type Fruit = Vec<u64>;

    fn collect(&mut self, document: DocId, _: Score) {
        self.found.extend(self.column.first(document));
    }

    fn harvest(self) -> Vec<u64> {
        self.found
    }
}

#[cfg(test)]
mod tests;
