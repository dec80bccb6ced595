//! Search over titles and bodies: an index of the articles that are shown, kept up to date article by article.
//!
//! The process that works on a run's folder keeps its index there ([`kept`]), so that the next one need not read all articles
//! again. Other processes, and consoles of the services, have theirs in a temporary [`folder`] that is removed with it.
//! A search answers which articles match; filters, order and pages are those of every list ([`filter`](super::filter)), so
//! nothing is ranked and the index holds no text. What a query means is read by [`phrases`](crate::filter::phrases). Start at
//! [`SearchWriter`] and [`SearchIndex::find`].

mod folder;
mod kept;
mod query;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use newslode_common::version::ContentHash;
use newslode_page::article::Article;
use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::Column;
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::{
    DocId, Index, IndexReader, IndexWriter, ReloadPolicy, Score, Searcher, SegmentOrdinal, SegmentReader,
    TantivyDocument, Term,
};

use self::folder::IndexFolder;
pub(super) use self::folder::remove_leftovers;
use self::kept::KeptFolder;
use crate::filter::phrases::WordQuery;
use crate::filter::words;

/// Memory of the writer, in bytes: tantivy takes no less than 15 MB.
const WRITER_BYTES: usize = 32 << 20;
/// The field of an article's text, and of its number.
const TEXT: &str = "text";
const NAME: &str = "name";

/// Where an index is.
enum Place {
    /// In the run's folder.
    Kept {
        _folder: KeptFolder,
    },
    /// Removed once nobody writes or searches it.
    Temporary(Arc<IndexFolder>),
    Memory,
}

/// Keeps an index up to date.
pub(super) struct SearchWriter {
    writer: IndexWriter,
    reader: IndexReader,
    text: Field,
    name: Field,
    /// Names the whole index: what was shown last can be searched with it if it names the same one.
    edition: String,
    /// Whether each article that is shown is in it.
    is_whole: bool,
    is_changed: bool,
    // Dropped last.
    place: Place,
}

/// A writer that the full pass in the background and the snapshots share.
#[derive(Clone)]
pub(super) struct SharedSearch(Arc<Mutex<SearchWriter>>);

impl SharedSearch {
    pub(super) fn new(writer: SearchWriter) -> SharedSearch {
        SharedSearch(Arc::new(Mutex::new(writer)))
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, SearchWriter> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Finds articles. What it finds does not change.
#[derive(Clone)]
pub(super) struct SearchIndex {
    searcher: Searcher,
    text: Field,
    // Dropped after the searcher, whose files are in it. That of a run stays, and is free for the next writer.
    _folder: Option<Arc<IndexFolder>>,
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

fn schema() -> Schema {
    let mut schema = Schema::builder();
    let indexing = TextFieldIndexing::default()
        .set_tokenizer(words::NAME)
        .set_fieldnorms(false)
        .set_index_option(IndexRecordOption::WithFreqsAndPositions);
    schema.add_text_field(TEXT, TextOptions::default().set_indexing_options(indexing));
    schema.add_u64_field(NAME, FAST | INDEXED);
    schema.build()
}

impl SearchWriter {
    /// Opens the index that a run's folder keeps and that has this edition, or begins a new one there. If another process
    /// holds it, or the folder cannot be written to, or there is no run, begins one in a folder for temporary files, and
    /// without that in memory. Blocks.
    ///
    /// # Errors
    /// When no index can be made.
    pub(super) fn open(run: Option<&Path>, edition: Option<&str>) -> tantivy::Result<SearchWriter> {
        if let Some(run) = run {
            match KeptFolder::hold(run) {
                Ok(Some(folder)) => match SearchWriter::open_kept(folder, edition) {
                    Ok(opened) => return Ok(opened),
                    Err(error) => tracing::warn!("the run's search index cannot be used: {error}"),
                },
                Ok(None) => tracing::debug!("another process holds the run's search index"),
                Err(error) => tracing::info!("the run's folder keeps no search index: {error}"),
            }
        }
        let (index, place) = match IndexFolder::create() {
            Ok(folder) => {
                (Index::create_in_dir(folder.path(), schema())?, Place::Temporary(Arc::new(folder)))
            }
            Err(error) => {
                tracing::warn!("the search index is kept in memory: {error}");
                (Index::create_in_ram(schema()), Place::Memory)
            }
        };
        SearchWriter::of(index, place, None)
    }

    fn open_kept(folder: KeptFolder, edition: Option<&str>) -> tantivy::Result<SearchWriter> {
        let same = edition.and_then(|edition| {
            let index = Index::open_in_dir(folder.path()).ok()?;
            let held = index.load_metas().ok()?.payload?;
            (held == edition && index.schema() == schema()).then_some((index, held))
        });
        if let Some((index, held)) = same {
            return SearchWriter::of(index, Place::Kept { _folder: folder }, Some(held));
        }
        folder.clear()?;
        let index = Index::create_in_dir(folder.path(), schema())?;
        SearchWriter::of(index, Place::Kept { _folder: folder }, None)
    }

    /// `edition`: that of a whole index.
    fn of(index: Index, place: Place, edition: Option<String>) -> tantivy::Result<SearchWriter> {
        index.tokenizers().register(words::NAME, words::Words);
        let writer = index.writer_with_num_threads(1, WRITER_BYTES)?;
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        let (text, name) = (index.schema().get_field(TEXT)?, index.schema().get_field(NAME)?);
        let is_whole = edition.is_some();
        let fresh = || format!("{}-{}", newslode_common::time::now().0, std::process::id());
        let edition = edition.unwrap_or_else(fresh);
        Ok(SearchWriter { writer, reader, text, name, edition, is_whole, is_changed: false, place })
    }

    /// The name of this index, once it is whole, if the run's folder keeps it.
    pub(super) fn kept_edition(&self) -> Option<&str> {
        let is_kept = matches!(self.place, Place::Kept { .. });
        (is_kept && self.is_whole).then_some(self.edition.as_str())
    }

    /// Whether each article that is shown is in it.
    pub(super) fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Says that each article that is shown was put.
    pub(super) fn set_whole(&mut self) {
        self.is_changed |= !std::mem::replace(&mut self.is_whole, true);
    }

    /// Puts an article; what was put before under its id goes.
    pub(super) fn put(&mut self, id: ContentHash, article: &Article) -> tantivy::Result<()> {
        self.delete(id);
        let mut document = TantivyDocument::new();
        let title = article.title.iter().map(String::as_str);
        for text in title.chain(article.body.iter().map(|block| block.text.as_str())) {
            document.add_text(self.text, text);
        }
        document.add_u64(self.name, index_number(id));
        self.writer.add_document(document)?;
        Ok(())
    }

    /// Deletes an article, if it is there.
    pub(super) fn delete(&mut self, id: ContentHash) {
        self.writer.delete_term(Term::from_field_u64(self.name, index_number(id)));
        self.is_changed = true;
    }

    /// Makes what was put and deleted durable, and searchable by the index that is returned. Nothing until it is whole. Blocks.
    pub(super) fn commit(&mut self) -> tantivy::Result<Option<SearchIndex>> {
        if self.is_changed {
            let mut commit = self.writer.prepare_commit()?;
            if self.is_whole {
                commit.set_payload(&self.edition);
            }
            commit.commit()?;
            self.reader.reload()?;
            self.is_changed = false;
        }
        let folder = match &self.place {
            Place::Temporary(folder) => Some(folder.clone()),
            Place::Kept { .. } | Place::Memory => None,
        };
        let search = SearchIndex { searcher: self.reader.searcher(), text: self.text, _folder: folder };
        Ok(self.is_whole.then_some(search))
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
