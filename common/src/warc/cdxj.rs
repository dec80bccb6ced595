//! Indexes of web archives: which captures a file has of an address, and where (CDXJ).
//!
//! An index has a sorted line for each capture: the address's [key](super::surt()), the time in 14 digits, and JSON with what a
//! replay tool asks for, as pywb and cdxj-indexer write it. With offset and length it reads the one record out of the file.
//! Invariant: memory is bounded; lines beyond the bound are sorted in unnamed files. If such a file fails, only the end of the
//! index reports it, because an archive is worth more than its index. Start at [`Index::add`].

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use newslode_page::time::Timestamp;
use serde::Serialize;

use super::http::Answer;
use super::record::{Record, RecordType, digest};
use super::surt::surt;
use crate::time::iso;

/// Bytes of lines that are held in memory.
const MOST_HELD: usize = 32 << 20;

/// Where a record is in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its first byte, or that of its packed member.
    pub offset: u64,
    /// Its bytes without the line ends behind them, or those of its packed member.
    pub length: u64,
}

/// What a line says of a record.
pub(super) struct Indexed<'a> {
    pub(super) kind: RecordType,
    pub(super) target: &'a str,
    pub(super) date: Timestamp,
    pub(super) content_type: Option<&'a str>,
    pub(super) digest: Option<&'a str>,
    /// The block, or its beginning.
    pub(super) block: &'a [u8],
    pub(super) is_whole: bool,
}

/// The JSON of a line. Numbers are texts, as in the indexes of others.
#[derive(Serialize)]
struct Fields<'a> {
    url: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    mime: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<&'a str>,
    length: String,
    offset: String,
    filename: &'a str,
}

/// The index of one file while it grows.
#[derive(Debug)]
pub struct Index {
    /// The name of the file without its folders.
    file_name: String,
    /// Where unnamed files may be written.
    folder: PathBuf,
    lines: Vec<String>,
    /// Bytes of these lines.
    held: usize,
    most_held: usize,
    /// Sorted lines in unnamed files.
    runs: Vec<File>,
    count: u64,
    failure: Option<io::Error>,
}

impl Index {
    /// An index of this file; what does not fit into memory is held in files without names in its folder.
    #[must_use]
    pub fn of(archive: &Path) -> Index {
        let folder = archive.parent().filter(|folder| !folder.as_os_str().is_empty());
        Index {
            file_name: archive.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            folder: folder.unwrap_or(Path::new(".")).to_owned(),
            lines: Vec::new(),
            held: 0,
            most_held: MOST_HELD,
            runs: Vec::new(),
            count: 0,
            failure: None,
        }
    }

    /// The file in which an archive's index is kept, beside it.
    #[must_use]
    pub fn path(archive: &Path) -> PathBuf {
        let mut path = archive.as_os_str().to_owned();
        path.push(".cdxj");
        path.into()
    }

    /// Number of captures.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Whether the index has a line for such records: answers, also repeated ones, and files.
    #[must_use]
    pub fn lists(record: &Record) -> bool {
        record.kind.is_some_and(|kind| is_capture(kind, record.fields.get("Content-Type")))
    }

    /// Adds a record that was read. False if it lacks an address or a date.
    pub fn add(&mut self, record: &Record, place: Place) -> bool {
        let (Some(kind), Some(target), Some(date)) = (record.kind, record.target(), record.date()) else {
            return false;
        };
        let length = record.fields.get("Content-Length").and_then(|text| text.parse::<usize>().ok());
        self.add_indexed(
            &Indexed {
                kind,
                target,
                date,
                content_type: record.fields.get("Content-Type"),
                digest: record.fields.get("WARC-Payload-Digest"),
                block: &record.block,
                is_whole: length == Some(record.block.len()),
            },
            place,
        );
        true
    }

    /// Adds a record if it is one that replay tools show.
    pub(super) fn add_indexed(&mut self, record: &Indexed<'_>, place: Place) {
        if !is_capture(record.kind, record.content_type) || self.failure.is_some() {
            return;
        }
        let Some(line) = self.line(record, place) else { return };
        self.held += line.len();
        self.lines.push(line);
        self.count += 1;
        if self.held > self.most_held
            && let Err(error) = self.spill()
        {
            self.failure = Some(error);
            self.lines.clear();
        }
    }

    /// The line of a capture. A 304 has none: pywb would show an empty page instead of the one that did not change.
    fn line(&self, record: &Indexed<'_>, place: Place) -> Option<String> {
        let answer = match record.kind {
            RecordType::Resource => None,
            _ => Answer::parse(record.block),
        };
        if answer.as_ref().is_some_and(|answer| answer.status == 304) {
            return None;
        }
        let content_type = answer.as_ref().map_or(record.content_type, Answer::content_type);
        let mime = match record.kind {
            RecordType::Revisit => Some("warc/revisit"),
            _ => content_type
                .and_then(|text| text.split([';', ' ', '\t']).next())
                .filter(|mime| !mime.is_empty()),
        };
        // A revisit record does not contain the payload, so its digest cannot be computed here.
        let computed = (record.digest.is_none() && record.kind != RecordType::Revisit && record.is_whole)
            .then(|| {
                digest(
                    record
                        .block
                        .get(answer.as_ref().map_or(0, |answer| answer.body_at)..)
                        .unwrap_or_default(),
                )
            });
        let fields = Fields {
            url: record.target,
            mime,
            status: answer.as_ref().map(|answer| answer.status.to_string()),
            digest: record.digest.or(computed.as_deref()),
            length: place.length.to_string(),
            offset: place.offset.to_string(),
            filename: &self.file_name,
        };
        let digits: String = iso(record.date).chars().filter(char::is_ascii_digit).take(14).collect();
        // Texts cannot fail to become JSON.
        let json = serde_json::to_string(&fields).unwrap_or_default();
        Some(format!("{} {digits} {json}\n", surt(record.target)))
    }

    /// Moves the lines that are held into an unnamed file.
    fn spill(&mut self) -> io::Result<()> {
        self.lines.sort_unstable();
        let mut run = BufWriter::new(tempfile::tempfile_in(&self.folder)?);
        for line in self.lines.drain(..) {
            run.write_all(line.as_bytes())?;
        }
        self.held = 0;
        self.runs.push(run.into_inner()?);
        Ok(())
    }

    /// All lines with their line ends, sorted.
    ///
    /// # Errors
    /// When lines that were put aside could not be kept or cannot be read.
    pub fn into_lines(mut self) -> io::Result<impl Iterator<Item = io::Result<String>>> {
        if let Some(error) = self.failure {
            return Err(error);
        }
        self.lines.sort_unstable();
        let mut runs: Vec<Run> = vec![Box::new(self.lines.into_iter().map(Ok))];
        for mut file in self.runs {
            file.rewind()?;
            runs.push(Box::new(BufReader::new(file).lines().map(|line| Ok(line? + "\n"))));
        }
        let mut merge = Merge { runs, next: BinaryHeap::new() };
        for run in 0..merge.runs.len() {
            merge.advance(run)?;
        }
        Ok(merge)
    }

    /// Writes the index beside the archive, as a whole or not at all. Returns its file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write_beside(self, archive: &Path) -> io::Result<PathBuf> {
        let path = Index::path(archive);
        let mut part = path.clone().into_os_string();
        part.push(".part");
        let written = self.write_to(Path::new(&part)).and_then(|()| std::fs::rename(&part, &path));
        if written.is_err() {
            // It may not be there at all.
            let _gone = std::fs::remove_file(&part);
        }
        written.map(|()| path)
    }

    fn write_to(self, file: &Path) -> io::Result<()> {
        let mut to = BufWriter::new(File::create(file)?);
        for line in self.into_lines()? {
            to.write_all(line?.as_bytes())?;
        }
        to.into_inner()?.sync_all()
    }
}

/// Whether records of this type are shown by replay tools. Fields about other records are none.
fn is_capture(kind: RecordType, content_type: Option<&str>) -> bool {
    match kind {
        RecordType::Response | RecordType::Revisit => true,
        RecordType::Resource => content_type != Some("application/warc-fields"),
        RecordType::Warcinfo
        | RecordType::Request
        | RecordType::Metadata
        | RecordType::Conversion
        | RecordType::Continuation => false,
    }
}

type Run = Box<dyn Iterator<Item = io::Result<String>>>;

/// Merges sorted runs of lines.
struct Merge {
    runs: Vec<Run>,
    /// The next line of each.
    next: BinaryHeap<Reverse<(String, usize)>>,
}

impl Merge {
    fn advance(&mut self, run: usize) -> io::Result<()> {
        let line = self.runs.get_mut(run).and_then(Iterator::next).transpose()?;
        self.next.extend(line.map(|line| Reverse((line, run))));
        Ok(())
    }
}

impl Iterator for Merge {
    type Item = io::Result<String>;

    fn next(&mut self) -> Option<io::Result<String>> {
        let Reverse((line, run)) = self.next.pop()?;
        Some(self.advance(run).map(|()| line))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    const PLACE: Place = Place { offset: 7, length: 9 };

    fn record<'a>(kind: RecordType, content_type: &'a str, block: &'a str) -> Indexed<'a> {
        Indexed {
            kind,
            target: "https://www.example.com/A",
            date: Timestamp(1_714_564_800_123),
            content_type: Some(content_type),
            digest: None,
            block: block.as_bytes(),
            is_whole: true,
        }
    }

    fn lines(index: Index) -> Vec<String> {
        index.into_lines().unwrap().map(Result::unwrap).collect()
    }

    fn check(record: &Indexed<'_>, wanted: Option<Value>) {
        let mut index = Index::of(Path::new("folder/x.warc.gz"));
        index.add_indexed(record, PLACE);
        let lines = lines(index);
        let found = lines.first().map(|line| {
            let json = line.strip_prefix("com,example)/a 20240501120000 ").unwrap();
            serde_json::from_str::<Value>(json).unwrap()
        });
        let whole = wanted.map(|mut wanted| {
            let fixed = json!({"url": record.target, "length": "9", "offset": "7", "filename": "x.warc.gz"});
            wanted.as_object_mut().unwrap().extend(fixed.as_object().unwrap().clone());
            wanted
        });
        assert_eq!((found, lines.len()), (whole.clone(), usize::from(whole.is_some())));
    }

    #[test]
    fn a_line_says_what_a_replay_tool_asks_for() {
        let http = "application/http; msgtype=response";
        let (head, empty) =
            ("HTTP/1.1 404 Not Found\r\nContent-Type: text/html;charset=x\r\n\r\n", digest(b""));
        let page = [head, "abc"].concat();
        let response = record(RecordType::Response, http, &page);
        let of_abc = digest(b"abc");
        check(&response, Some(json!({"mime": "text/html", "status": "404", "digest": of_abc})));
        let told = Indexed { digest: Some("sha256:x"), ..record(RecordType::Response, http, &page) };
        check(&told, Some(json!({"mime": "text/html", "status": "404", "digest": "sha256:x"})));
        // Of a block that is not held to its end, no digest is known.
        let cut = Indexed { is_whole: false, ..record(RecordType::Response, http, &page) };
        check(&cut, Some(json!({"mime": "text/html", "status": "404"})));
        let untyped = record(RecordType::Response, http, "HTTP/1.1 200 OK\r\n\r\n");
        check(&untyped, Some(json!({"status": "200", "digest": empty})));
        let revisit = record(RecordType::Revisit, http, head);
        check(&revisit, Some(json!({"mime": "warc/revisit", "status": "404"})));
        let resource = record(RecordType::Resource, "image/png", "abc");
        check(&resource, Some(json!({"mime": "image/png", "digest": of_abc})));
        let name = record(RecordType::Response, "text/dns", "abc");
        check(&name, Some(json!({"mime": "text/dns", "digest": of_abc})));
        check(&record(RecordType::Resource, "application/warc-fields", "abc"), None);
        check(&record(RecordType::Revisit, http, "HTTP/1.1 304 Not Modified\r\n\r\n"), None);
        for kind in [RecordType::Warcinfo, RecordType::Request, RecordType::Metadata, RecordType::Conversion]
        {
            check(&record(kind, http, head), None);
        }
    }

    #[test]
    fn lines_are_sorted_also_beyond_what_is_held_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let archive = folder.path().join("x.warc");
        let urls: Vec<String> =
            (0..500_u32).map(|number| format!("http://a.test/{}", number * 7_919 % 500)).collect();
        let filled = |most_held: usize| {
            let mut index = Index { most_held, ..Index::of(&archive) };
            for url in &urls {
                let record = Indexed { target: url, ..record(RecordType::Resource, "text/html", "abc") };
                index.add_indexed(&record, PLACE);
            }
            index
        };
        let (held, spilled) = (filled(MOST_HELD), filled(5_000));
        assert!(held.runs.is_empty() && spilled.runs.len() > 10 && spilled.count() == 500);
        let spilled = lines(spilled);
        assert!(spilled.is_sorted() && spilled == lines(held) && spilled.len() == 500);
        let path = filled(5_000).write_beside(&archive).unwrap();
        assert_eq!(std::fs::read_to_string(path).unwrap(), spilled.concat());
        // Neither the lines that were put aside nor a half of the index is left.
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn lines_that_cannot_be_put_aside_fail_the_index_and_nothing_else() {
        let mut index = Index { most_held: 10, ..Index::of(Path::new("/no/such/folder/x.warc")) };
        index.add_indexed(&record(RecordType::Resource, "text/html", "abc"), PLACE);
        index.add_indexed(&record(RecordType::Resource, "text/html", "abc"), PLACE);
        assert!(index.lines.is_empty() && index.into_lines().is_err());
    }
}
