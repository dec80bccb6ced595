//! Articles as a Parquet file: the columns of the CSV table, with lists for fields of several values, and timestamps for times.
//!
//! A file is written in groups of rows, each column by column, so a group is kept in memory until it is full. Parquet stores a value
//! that may be missing with a definition level (0: missing), and a list's with a repetition level (0: the first of its row).

use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use parquet::basic::Compression;
use parquet::data_type::{ByteArray, ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use crate::queries::articles::FiledArticle;

/// The columns, in the order in which [`Rows`] writes them.
const SCHEMA: &str = "message article {
    required binary url (STRING);
    required binary site (STRING);
    optional binary title (STRING);
    required group authors (LIST) { repeated group list { required binary element (STRING); } }
    optional binary published (STRING);
    optional binary modified (STRING);
    optional binary place (STRING);
    optional binary section (STRING);
    required group concepts (LIST) { repeated group list { required binary element (STRING); } }
    required group places (LIST) { repeated group list { required binary element (STRING); } }
    required group codes (LIST) { repeated group list { required binary element (STRING); } }
    optional binary language (STRING);
    optional int64 first_seen (TIMESTAMP(MILLIS, true));
    optional binary image (STRING);
    optional binary description (STRING);
    required group keywords (LIST) { repeated group list { required binary element (STRING); } }
    optional binary publisher (STRING);
    optional binary licence (STRING);
    optional binary access (STRING);
    required binary completeness (STRING);
    required binary text (STRING);
}";

/// A group is written when it holds this many rows, or so many bytes of text.
const MOST_ROWS: usize = 10_000;
const MOST_BYTES: usize = 16 << 20;

/// A table that is being written.
pub(super) struct Table {
    file: SerializedFileWriter<SharedBytes>,
    /// The bytes that the file's writer wrote and that were not passed on yet.
    written: SharedBytes,
    rows: Rows,
}

/// A buffer that the file's writer fills and the table empties: the writer owns its output, and needs one that may be sent to
/// other threads.
#[derive(Clone, Default)]
struct SharedBytes(Arc<Mutex<Vec<u8>>>);

impl Write for SharedBytes {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl SharedBytes {
    fn take(&self) -> Vec<u8> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Table {
    pub(super) fn new() -> anyhow::Result<Table> {
        let schema = Arc::new(parse_message_type(SCHEMA)?);
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY);
        let written = SharedBytes::default();
        let file = SerializedFileWriter::new(written.clone(), schema, Arc::new(properties.build()))?;
        Ok(Table { file, written, rows: Rows::default() })
    }

    /// Adds an article, and writes complete groups to `to`.
    pub(super) fn add(
        &mut self,
        filed_article: &FiledArticle<'_>,
        to: &mut impl Write,
    ) -> anyhow::Result<()> {
        self.rows.add(filed_article);
        if self.rows.count >= MOST_ROWS || self.rows.bytes >= MOST_BYTES {
            self.write_group()?;
            to.write_all(&self.written.take())?;
        }
        Ok(())
    }

    /// Writes the last group and the footer.
    pub(super) fn finish(mut self, to: &mut impl Write) -> anyhow::Result<()> {
        self.write_group()?;
        self.file.close()?;
        Ok(to.write_all(&self.written.take())?)
    }

    fn write_group(&mut self) -> anyhow::Result<()> {
        if self.rows.count > 0 {
            let mut group = self.file.next_row_group()?;
            std::mem::take(&mut self.rows).write(&mut group)?;
            group.close()?;
        }
        Ok(())
    }
}

/// The rows of a group, by columns.
#[derive(Default)]
struct Rows {
    count: usize,
    bytes: usize,
    url: Texts,
    site: Texts,
    title: Texts,
    authors: Texts,
    published: Texts,
    modified: Texts,
    place: Texts,
    section: Texts,
    concepts: Texts,
    places: Texts,
    codes: Texts,
    language: Texts,
    first_seen: Times,
    image: Texts,
    description: Texts,
    keywords: Texts,
    publisher: Texts,
    licence: Texts,
    access: Texts,
    completeness: Texts,
    text: Texts,
}

/// A column of texts with its levels.
#[derive(Default)]
struct Texts {
    values: Vec<ByteArray>,
    defined: Vec<i16>,
    repeated: Vec<i16>,
}

/// A column of times that may be missing, in milliseconds since 1970.
#[derive(Default)]
struct Times {
    values: Vec<i64>,
    defined: Vec<i16>,
}

impl Texts {
    fn add(&mut self, value: &str) {
        self.values.push(value.into());
    }

    fn add_if(&mut self, value: Option<&String>) {
        self.defined.push(i16::from(value.is_some()));
        self.values.extend(value.map(|value| ByteArray::from(value.as_str())));
    }

    fn add_all(&mut self, values: &[String]) {
        if values.is_empty() {
            self.defined.push(0);
            self.repeated.push(0);
        }
        for (at, value) in values.iter().enumerate() {
            self.add(value);
            self.defined.push(1);
            self.repeated.push(i16::from(at > 0));
        }
    }

    fn write(&self, group: &mut SerializedRowGroupWriter<'_, SharedBytes>) -> anyhow::Result<()> {
        let mut column = group.next_column()?.context("the schema has too few columns")?;
        let defined = (!self.defined.is_empty()).then_some(self.defined.as_slice());
        let repeated = (!self.repeated.is_empty()).then_some(self.repeated.as_slice());
        column.typed::<ByteArrayType>().write_batch(&self.values, defined, repeated)?;
        Ok(column.close()?)
    }
}

impl Rows {
    fn add(&mut self, filed_article: &FiledArticle<'_>) {
        let article = &filed_article.article;
        let text = article.text();
        self.count += 1;
        self.bytes += text.len();
        self.url.add(&article.url);
        self.site.add(&article.site);
        self.title.add_if(article.title.as_ref());
        self.authors.add_all(&article.authors);
        self.published.add_if(article.published.as_ref());
        self.modified.add_if(article.modified.as_ref());
        self.place.add_if(article.place.as_ref());
        self.section.add_if(article.section.as_ref());
        self.concepts.add_all(&article.concepts);
        self.places.add_all(&filed_article.place_labels());
        self.codes.add_all(&filed_article.codes);
        self.language.add_if(article.language.as_ref());
        let seen =
            filed_article.history.as_ref().and_then(|history| i64::try_from(history.first_seen.0).ok());
        self.first_seen.defined.push(i16::from(seen.is_some()));
        self.first_seen.values.extend(seen);
        self.image.add_if(article.image.as_ref());
        self.description.add_if(article.description.as_ref());
        self.keywords.add_all(&article.keywords);
        self.publisher.add_if(article.publisher.as_ref());
        self.licence.add_if(article.licence.as_ref());
        self.access.add_if(article.access.map(|access| access.name().to_owned()).as_ref());
        self.completeness.add(article.completeness.name());
        self.text.add(&text);
    }

    fn write(self, group: &mut SerializedRowGroupWriter<'_, SharedBytes>) -> anyhow::Result<()> {
        for column in [
            &self.url,
            &self.site,
            &self.title,
            &self.authors,
            &self.published,
            &self.modified,
            &self.place,
            &self.section,
            &self.concepts,
            &self.places,
            &self.codes,
            &self.language,
        ] {
            column.write(group)?;
        }
        let mut times = group.next_column()?.context("the schema has too few columns")?;
        let Times { values, defined } = &self.first_seen;
        times.typed::<Int64Type>().write_batch(values, Some(defined), None)?;
        times.close()?;
        for column in [
            &self.image,
            &self.description,
            &self.keywords,
            &self.publisher,
            &self.licence,
            &self.access,
            &self.completeness,
            &self.text,
        ] {
            column.write(group)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use newslode_common::version::ContentHash;
    use newslode_miner::mining::site_scheme::{Place, PlaceKind};
    use newslode_page::article::{Article, Block, BlockKind, PageKind};
    use parquet::file::reader::{FileReader as _, SerializedFileReader};
    use parquet::record::Field;

    use super::*;

    fn article(number: usize) -> Article {
        let authors = (0..number % 3).map(|author| format!("Author {author}")).collect();
        Article {
            url: format!("https://a.example/{number}"),
            site: "a.example".into(),
            title: (number > 0).then(|| format!("\u{201c}Title\u{201d} {number}")),
            authors,
            published: Some("2024-05-03".into()),
            modified: None,
            place: None,
            section: None,
            concepts: Vec::new(),
            language: Some("en".into()),
            body: vec![Block::new(BlockKind::Paragraph, "word ".repeat(3_000))],
            image: None,
            kind: PageKind::Article,
            method: "runs".into(),
            evidence: BTreeMap::new(),
            listed: None,
            ..Article::default()
        }
    }

    /// Labels of none, one or two places.
    fn place_labels(number: usize) -> Vec<String> {
        (0..number % 3).map(|place| format!("Section {place}")).collect()
    }

    fn places(number: usize) -> Vec<Place> {
        let place = |label| Place {
            label,
            address: None,
            kind: PlaceKind::Section,
            evidence: vec!["meta".into()],
            probability: 0.9,
        };
        place_labels(number).into_iter().map(place).collect()
    }

    fn codes(number: usize) -> Vec<String> {
        (1..number % 4).map(|code| format!("medtop:{code}")).collect()
    }

    #[test]
    fn what_is_written_is_read_again() {
        let (labels, mut file) = (BTreeMap::new(), Vec::new());
        let mut table = Table::new().unwrap();
        for number in 0..1_500 {
            table
                .add(
                    &FiledArticle::new(
                        ContentHash([7; 16]),
                        article(number),
                        &[],
                        None,
                        &labels,
                        places(number),
                        codes(number),
                    ),
                    &mut file,
                )
                .unwrap();
        }
        assert!(!file.is_empty(), "a full group is written at once");
        table.finish(&mut file).unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(file)).unwrap();
        assert!(reader.num_row_groups() > 1, "texts of 22 MB are more than a group");
        let mut rows = 0;
        for (number, row) in reader.get_row_iter(None).unwrap().enumerate() {
            let (row, wanted) = (row.unwrap(), article(number));
            let fields: BTreeMap<&str, &Field> =
                row.get_column_iter().map(|(name, field)| (name.as_str(), field)).collect();
            assert_eq!(texts(fields["url"]), [wanted.url.as_str()]);
            assert_eq!(texts(fields["title"]), wanted.title.iter().collect::<Vec<_>>());
            assert_eq!(texts(fields["authors"]), wanted.authors);
            assert_eq!(texts(fields["concepts"]), [""; 0]);
            assert_eq!(texts(fields["places"]), place_labels(number));
            assert_eq!(texts(fields["codes"]), codes(number));
            assert_eq!(*fields["first_seen"], Field::Null);
            assert_eq!(texts(fields["text"]), [wanted.text()]);
            rows += 1;
        }
        assert_eq!(rows, 1_500);
    }

    fn texts(field: &Field) -> Vec<&str> {
        match field {
            Field::Null => Vec::new(),
            Field::Str(text) => vec![text],
            Field::ListInternal(list) => list.elements().iter().flat_map(texts).collect(),
            other => panic!("{other:?}"),
        }
    }
}
