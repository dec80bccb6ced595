//! The archived pages as one file that replay tools open (WACZ 1.1.1): a zip with a web archive, its index, a list of its
//! pages, and a manifest with the hash of each part.
//!
//! Everything is stored as it is, because tools read single records straight out of the zip. The index is packed in blocks
//! of lines, and a second one says where each block begins (ZipNum), so that nobody has to read the whole of a large one.
//! Start at [`write`].

use std::io::{self, BufWriter, Seek, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use newslode_common::config::Noarchive;
use newslode_common::time::{self, iso};
use newslode_common::warc::{Index, Packing, RecordType};
use newslode_miner::work::parts::Parts;
use newslode_page::time::Timestamp;
use ring::digest::{Context, SHA256};
use serde::Serialize;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::pages::{self, WrittenPage};
use crate::outputs::json_line;

/// The web archive within.
const ARCHIVE: &str = "pages.warc.gz";
/// Lines of the index in a block.
const BLOCK: usize = 1_024;

/// The manifest.
#[derive(Serialize)]
struct DataPackage {
    profile: &'static str,
    wacz_version: &'static str,
    title: &'static str,
    software: &'static str,
    created: String,
    resources: Vec<Resource>,
}

/// A part of the package.
#[derive(Serialize)]
struct Resource {
    name: String,
    path: String,
    hash: String,
    bytes: u64,
}

/// The hash of the manifest itself.
#[derive(Serialize)]
struct PackageDigest<'a> {
    path: &'a str,
    hash: &'a str,
}

/// The first line of the list of pages.
#[derive(Serialize)]
struct PageListHead {
    format: &'static str,
    id: &'static str,
    title: &'static str,
}

#[derive(Serialize)]
struct PageLine<'a> {
    id: &'a str,
    url: &'a str,
    ts: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
}

/// Where a block of the index is.
#[derive(Serialize)]
struct BlockPlace {
    offset: u64,
    length: usize,
}

/// Writes every counted page. `file` is what the package will be; what does not fit into memory is kept beside it meanwhile.
pub(super) async fn write(
    parts: &Parts,
    noarchive: Noarchive,
    to: impl Write + Seek,
    file: &Path,
) -> anyhow::Result<()> {
    let mut package = Package { zip: ZipWriter::new(to), resources: Vec::new() };
    let archive = file.with_file_name(ARCHIVE);
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut list = BufWriter::new(tempfile::tempfile_in(folder)?);
    let head = PageListHead { format: "json-pages-1.0", id: "pages", title: "Pages" };
    json_line(&mut list, &head)?;

    let mut part = package.begin("archive", ARCHIVE)?;
    let tell = |page: &WrittenPage<'_>| json_line(&mut list, &page_line(page));
    let form = (Packing::Gzip, RecordType::Resource);
    let index = pages::write(parts, &mut part, noarchive, form, Some(&archive), tell).await?;
    part.end();
    if let Some(index) = index {
        write_index(&mut package, index)?;
    }
    let mut list = list.into_inner()?;
    list.rewind()?;
    let mut part = package.begin("pages", "pages.jsonl")?;
    io::copy(&mut list, &mut part)?;
    part.end();
    package.finish()
}

fn page_line<'a>(page: &'a WrittenPage<'_>) -> PageLine<'a> {
    let id = page.id.strip_prefix("<urn:uuid:").and_then(|id| id.strip_suffix('>')).unwrap_or(page.id);
    // To the second, as the index has it.
    let second = Timestamp(page.fetched_at.0 / 1_000 * 1_000);
    PageLine { id, url: page.url, ts: iso(second), title: page.title.as_deref() }
}

/// Writes the index in blocks, and the first key of each with its place.
fn write_index<W: Write + Seek>(package: &mut Package<W>, index: Index) -> anyhow::Result<()> {
    const NAME: &str = "index.cdx.gz";
    let mut places =
        format!("!meta 0 {{\"format\":\"cdxj-gzip-1.0\",\"filename\":\"{NAME}\"}}\n").into_bytes();
    let mut part = package.begin("indexes", NAME)?;
    let mut lines = index.into_lines()?.peekable();
    let mut offset = 0;
    while lines.peek().is_some() {
        let block = lines.by_ref().take(BLOCK).collect::<io::Result<Vec<String>>>()?;
        let first = block.first().and_then(|line| line.split_once(" {")).unwrap_or_default().0;
        places.extend_from_slice(format!("{first} ").as_bytes());
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(block.concat().as_bytes())?;
        let packed = packed.finish()?;
        json_line(&mut places, &BlockPlace { offset, length: packed.len() })?;
        part.write_all(&packed)?;
        offset += packed.len() as u64;
    }
    part.end();
    let mut part = package.begin("indexes", "index.idx")?;
    part.write_all(&places)?;
    part.end();
    Ok(())
}

/// A package that is being written.
struct Package<W: Write + Seek> {
    zip: ZipWriter<W>,
    resources: Vec<Resource>,
}

impl<W: Write + Seek> Package<W> {
    fn begin(&mut self, folder: &str, name: &str) -> anyhow::Result<Part<'_, W>> {
        let path = format!("{folder}/{name}");
        self.zip.start_file(path.as_str(), options())?;
        Ok(Part { package: self, name: name.to_owned(), path, hash: Context::new(&SHA256), bytes: 0 })
    }

    /// Writes the manifest and its hash.
    fn finish(mut self) -> anyhow::Result<()> {
        let resources = std::mem::take(&mut self.resources);
        let created = iso(Timestamp(time::now().0 / 1_000 * 1_000));
        let manifest = DataPackage {
            profile: "data-package",
            wacz_version: "1.1.1",
            title: "Pages of Newslode",
            software: concat!("newslode/", env!("CARGO_PKG_VERSION")),
            created,
            resources,
        };
        const PATH: &str = "datapackage.json";
        self.zip.start_file(PATH, options())?;
        let json = serde_json::to_vec_pretty(&manifest)?;
        self.zip.write_all(&json)?;
        let hash = hash_text(Context::new(&SHA256), &json);
        self.zip.start_file("datapackage-digest.json", options())?;
        serde_json::to_writer_pretty(&mut self.zip, &PackageDigest { path: PATH, hash: &hash })?;
        self.zip.finish()?.flush()?;
        Ok(())
    }
}

/// Stored as it is, of any size.
fn options() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored).large_file(true)
}

/// A part that is being written.
struct Part<'a, W: Write + Seek> {
    package: &'a mut Package<W>,
    name: String,
    path: String,
    hash: Context,
    bytes: u64,
}

impl<W: Write + Seek> Part<'_, W> {
    fn end(self) {
        let Part { package, name, path, hash, bytes } = self;
        package.resources.push(Resource { name, path, hash: hash_text(hash, &[]), bytes });
    }
}

impl<W: Write + Seek> Write for Part<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.package.zip.write(bytes)?;
        self.hash.update(bytes.get(..written).unwrap_or(bytes));
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.package.zip.flush()
    }
}

/// Finishes the hash with these last bytes, and returns it as text.
fn hash_text(mut hash: Context, bytes: &[u8]) -> String {
    hash.update(bytes);
    let digits: String = hash.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{digits}")
}
