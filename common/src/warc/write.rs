//! Writes records.
//!
//! Each record is written as a whole: its digests, its length and a name that follows from what it holds. So
//! equal records have equal bytes in every run, and two archives can be compared. A writer can keep the [`Index`] of what it
//! writes. Start at [`Writer::write`].

use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use newslode_page::time::Timestamp;

use super::cdxj::{Index, Indexed, Place};
use super::record::{RecordType, digest};
use crate::time::iso;

/// How records stand in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// As they are (`.warc`).
    Plain,
    /// Each as a gzip member of its own (`.warc.gz`).
    Gzip,
}

/// A record to write.
#[derive(Clone, Debug)]
pub struct NewRecord<'a> {
    /// What it holds.
    pub kind: RecordType,
    /// When it was captured.
    pub date: Timestamp,
    /// The address that it is about.
    pub target: Option<&'a str>,
    /// The type of the block, such as `application/http; msgtype=response`.
    pub content_type: &'a str,
    /// Further fields, such as `WARC-Concurrent-To` or `WARC-Profile`.
    pub fields: &'a [(&'a str, &'a str)],
    /// Its bytes.
    pub block: &'a [u8],
    /// Where in the block the payload begins, behind an answer's head; `None`: there is none.
    pub payload_at: Option<usize>,
}

/// Writes an archive.
pub struct Writer<W> {
    to: Counted<W>,
    packing: Packing,
    index: Option<Index>,
}

impl<W: Write> Writer<W> {
    /// Writes to `to`.
    pub fn new(to: W, packing: Packing) -> Writer<W> {
        Writer { to: Counted { to, bytes: 0 }, packing, index: None }
    }

    /// Writes to `to`, which begins the file of this path, and keeps the file's index for [`Writer::finish_with_index`].
    pub fn indexed(to: W, packing: Packing, file: &Path) -> Writer<W> {
        Writer { index: Some(Index::of(file)), ..Writer::new(to, packing) }
    }

    /// Writes a record. Returns its `WARC-Record-ID`, by which others refer to it.
    ///
    /// # Errors
    /// When writing fails, or a field holds a line break.
    pub fn write(&mut self, record: &NewRecord<'_>) -> io::Result<String> {
        let id = id(record);
        let payload = record.payload_at.and_then(|at| record.block.get(at..)).map(digest);
        let head = head(record, &id, payload.as_deref())?;
        let offset = self.to.bytes;
        match self.packing {
            Packing::Plain => put(&mut self.to, &head, record.block)?,
            Packing::Gzip => {
                let mut member = GzEncoder::new(&mut self.to, Compression::default());
                put(&mut member, &head, record.block)?;
                member.finish()?;
            }
        }
        if let (Some(index), Some(target)) = (&mut self.index, record.target) {
            let told = record.fields.iter().find(|(name, _)| *name == "WARC-Payload-Digest");
            let indexed = Indexed {
                kind: record.kind,
                target,
                date: record.date,
                content_type: Some(record.content_type),
                digest: payload.as_deref().or(told.map(|(_, digest)| *digest)),
                block: record.block,
                is_whole: true,
            };
            let behind = if self.packing == Packing::Plain { END.len() as u64 } else { 0 };
            index.add_indexed(&indexed, Place { offset, length: self.to.bytes - offset - behind });
        }
        Ok(id)
    }

    /// Ends the archive.
    ///
    /// # Errors
    /// When the last bytes cannot be written.
    pub fn finish(self) -> io::Result<W> {
        Ok(self.finish_with_index()?.0)
    }

    /// Ends the archive. Its index is there if the writer was told to keep it.
    ///
    /// # Errors
    /// When the last bytes cannot be written.
    pub fn finish_with_index(mut self) -> io::Result<(W, Option<Index>)> {
        self.to.flush()?;
        Ok((self.to.to, self.index))
    }
}

/// What is written to, with the number of bytes so far.
struct Counted<W> {
    to: W,
    bytes: u64,
}

impl<W: Write> Write for Counted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// The line ends behind a block.
const END: &[u8] = b"\r\n\r\n";

fn put(to: &mut impl Write, head: &str, block: &[u8]) -> io::Result<()> {
    to.write_all(head.as_bytes())?;
    to.write_all(block)?;
    to.write_all(END)
}

fn head(record: &NewRecord<'_>, id: &str, payload: Option<&str>) -> io::Result<String> {
    let (date, length) = (iso(record.date), record.block.len().to_string());
    let block_digest = digest(record.block);
    let mut fields = vec![
        ("WARC-Type", record.kind.name()),
        ("WARC-Record-ID", id),
        ("WARC-Date", &date),
        ("Content-Type", record.content_type),
        ("Content-Length", &length),
        ("WARC-Block-Digest", &block_digest),
    ];
    fields.extend(payload.map(|payload| ("WARC-Payload-Digest", payload)));
    fields.extend(record.target.map(|target| ("WARC-Target-URI", target)));
    fields.extend(record.fields);
    let mut head = String::from("WARC/1.1\r\n");
    for (name, value) in fields {
        if name.contains(['\r', '\n', ':']) || value.contains(['\r', '\n']) {
            let what = format!("the field `{name}` of a WARC record holds a line break");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        head.extend([name, ": ", value, "\r\n"]);
    }
    head.push_str("\r\n");
    Ok(head)
}

/// A name of the record's own: a UUID of version 8 from a hash over what names a record.
fn id(record: &NewRecord<'_>) -> String {
    let mut hasher = blake3::Hasher::new();
    let target = record.target.unwrap_or_default();
    for part in [record.kind.name().as_bytes(), target.as_bytes(), &record.date.0.to_le_bytes()] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.update(record.block);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    bytes[6] = bytes[6] & 0x0F | 0x80;
    bytes[8] = bytes[8] & 0x3F | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    let parts = [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)];
    format!("<urn:uuid:{}>", parts.join("-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record<'a>(block: &'a [u8], fields: &'a [(&'a str, &'a str)]) -> NewRecord<'a> {
        NewRecord {
            kind: RecordType::Response,
            date: Timestamp(1_714_564_800_123),
            target: Some("https://a.test/"),
            content_type: "application/http; msgtype=response",
            fields,
            block,
            payload_at: Some(4),
        }
    }

    #[test]
    fn a_record_has_what_the_standard_asks_for() {
        let mut writer = Writer::new(Vec::new(), Packing::Plain);
        let id = writer.write(&record(b"head<p>x", &[("WARC-IP-Address", "192.0.2.1")])).unwrap();
        let text = String::from_utf8(writer.finish().unwrap()).unwrap();
        let body = digest(b"<p>x");
        for line in [
            "WARC/1.1",
            "WARC-Type: response",
            &format!("WARC-Record-ID: {id}"),
            "WARC-Date: 2024-05-01T12:00:00.123Z",
            "Content-Length: 8",
            &format!("WARC-Block-Digest: {}", digest(b"head<p>x")),
            &format!("WARC-Payload-Digest: {body}"),
            "WARC-Target-URI: https://a.test/",
            "WARC-IP-Address: 192.0.2.1",
        ] {
            assert!(text.contains(&format!("{line}\r\n")), "{line} in {text}");
        }
        assert!(text.ends_with("\r\n\r\nhead<p>x\r\n\r\n"), "{text}");
    }

    #[test]
    fn equal_records_have_equal_names_and_others_have_others() {
        let (one, other) = (record(b"head<p>x", &[]), record(b"head<p>y", &[]));
        assert_eq!(id(&one), id(&one.clone()));
        assert_ne!(id(&one), id(&other));
        assert_ne!(id(&one), id(&NewRecord { kind: RecordType::Revisit, ..one.clone() }));
        assert_eq!(id(&one).len(), "<urn:uuid:01234567-0123-0123-0123-0123456789ab>".len());
    }

    #[test]
    fn a_field_cannot_smuggle_in_another() {
        let mut writer = Writer::new(Vec::new(), Packing::Plain);
        assert!(writer.write(&record(b"x", &[("X", "a\r\nWARC-Type: request")])).is_err());
        assert!(writer.finish().unwrap().is_empty());
    }
}
