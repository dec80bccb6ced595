//! Archives as they are: whole, cut, with wrong lengths, with things that are no archive.

use std::io::{Cursor, Write as _};

use proptest::prelude::*;

use super::super::{NewRecord, Packing, Writer};
use super::*;
use newslode_page::time::Timestamp;

const LIMITS: Limits = Limits { head: 2_000, block: 1_000 };

fn record<'a>(target: &'a str, block: &'a [u8]) -> NewRecord<'a> {
    NewRecord {
        kind: RecordType::Response,
        date: Timestamp(1_714_564_800_000),
        target: Some(target),
        content_type: "application/http; msgtype=response",
        fields: &[],
        block,
        payload_at: Some(0),
    }
}

/// An archive of records with these blocks; their targets are their numbers.
fn archive(packing: Packing, blocks: &[&[u8]]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), packing);
    for (number, block) in blocks.iter().enumerate() {
        writer.write(&record(&format!("http://a.test/{number}"), block)).unwrap();
    }
    writer.finish().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// What a reader of a file finds: blocks and faults as text, and how it ends.
fn read(bytes: &[u8]) -> (Vec<String>, Option<WarcError>) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let (mut found, mut error) = (Vec::new(), None);
    let mut reader = Reader::open(file.path(), LIMITS).unwrap();
    for next in &mut reader {
        match next {
            Ok(Found::Record(record)) => found.push(String::from_utf8_lossy(&record.block).into_owned()),
            Ok(Found::Skipped(skipped)) => found.push(format!("{:?}", skipped.why)),
            Err(end) => error = Some(end),
        }
    }
    assert!(reader.next().is_none());
    (found, error)
}

#[track_caller]
fn check(bytes: &[u8], wanted: &[&str]) {
    let (found, error) = read(bytes);
    assert!(error.is_none(), "{error:?}");
    assert_eq!(found, wanted);
}

#[test]
fn what_was_written_is_read() {
    for packing in [Packing::Plain, Packing::Gzip] {
        let bytes = archive(packing, &[b"one", b"", b"two\r\n\r\nWARC/1.1\r\n", b"three"]);
        check(&bytes, &["one", "", "two\r\n\r\nWARC/1.1\r\n", "three"]);
        let mut reader = Reader::new(Box::new(Cursor::new(bytes)), "x", LIMITS).unwrap();
        let Some(Ok(Found::Record(first))) = reader.next() else { panic!("no record") };
        assert_eq!((first.kind, first.target()), (Some(RecordType::Response), Some("http://a.test/0")));
        assert_eq!(first.date(), Some(Timestamp(1_714_564_800_000)));
        assert_eq!(first.fields.get("warc-payload-digest"), first.fields.get("WARC-Block-Digest"));
    }
}

#[test]
fn compressed_files_need_no_member_for_each_record() {
    let plain = archive(Packing::Plain, &[b"one", b"two", b"three"]);
    check(&gzip(&plain), &["one", "two", "three"]);
    let first = archive(Packing::Plain, &[b"one"]).len();
    for at in [first, first - 2, first - 5, plain.len() - 6] {
        let (front, back) = plain.split_at(at);
        check(&[gzip(front), gzip(back)].concat(), &["one", "two", "three"]);
    }
}

#[test]
fn older_and_careless_writers_are_read() {
    let text = "WARC/1.0\nWARC-Type:response\nWARC-Target-URI: <http://a.test/>\ncontent-length:  3 \n\none\n\n\
                WARC/1.0\r\nContent-Length: 3\r\nWARC-Type: film\r\n\r\ntwo";
    check(text.as_bytes(), &["one", "two"]);
    let mut reader = Reader::new(Box::new(Cursor::new(text)), "x", LIMITS).unwrap();
    let Some(Ok(Found::Record(first))) = reader.next() else { panic!("no record") };
    assert_eq!((first.target(), first.date()), (Some("http://a.test/"), None));
}

#[test]
fn a_cut_file_gives_what_is_whole_and_says_where_it_ends() {
    for packing in [Packing::Plain, Packing::Gzip] {
        let (whole, two) =
            (archive(packing, &[b"one", b"two", b"three"]), archive(packing, &[b"one", b"two"]));
        for cut in [two.len() + 1, two.len() + 11, two.len() + 40, whole.len() - 9] {
            let (found, error) = read(&whole[..cut]);
            assert_eq!(found, ["one", "two"], "{packing:?} {cut}");
            let Some(WarcError::Cut { offset, records: 2, .. }) = error else { panic!("{error:?}") };
            assert_eq!(offset, two.len() as u64, "{packing:?} {cut}");
        }
    }
}

#[test]
fn garbage_in_a_compressed_file_is_told_with_its_place() {
    let good = archive(Packing::Gzip, &[b"one", b"two"]);
    for garbage in [&b"?"[..], b"and then some garbage"] {
        let (found, error) = read(&[&good[..], garbage].concat());
        assert_eq!(found, ["one", "two"]);
        let text = error.unwrap().to_string();
        assert!(text.contains(&format!("broken at byte {}, after 2 records", good.len())), "{text}");
    }
    let mut bytes = [good.clone(), good.clone()].concat();
    for byte in &mut bytes[good.len() + 12..good.len() + 40] {
        *byte = 0xFF;
    }
    let (found, error) = read(&bytes);
    assert_eq!(found, ["one", "two"]);
    assert!(matches!(error, Some(WarcError::Broken { offset, .. }) if offset == good.len() as u64));
}

#[test]
fn what_is_no_archive_is_named() {
    for (bytes, wanted) in [
        (b"".to_vec(), "is empty"),
        (b"\r\n\r\n".to_vec(), "is empty"),
        (gzip(b""), "is empty"),
        (
            b"<!doctype html><p>Not an archive".to_vec(),
            "is not a WARC file: it begins with `<!doctype html><`",
        ),
        (gzip(b"\x1b[2Jhello"), "is not a WARC file: it begins with `\u{fffd}[2Jhello`"),
        (b"WARC".to_vec(), "is not a WARC file"),
        ([&[0x1F, 0x8B][..], b"no gzip at all"].concat(), "is broken at byte 0"),
    ] {
        let (found, error) = read(&bytes);
        let text = error.map(|error| error.to_string()).unwrap_or_default();
        assert!(found.is_empty() && text.contains(wanted), "{text} lacks {wanted}");
    }
    let missing = Reader::open(Path::new("/no/such/file.warc"), LIMITS).err().unwrap();
    assert!(missing.to_string().contains("cannot open `/no/such/file.warc`"), "{missing}");
}

#[test]
fn a_record_over_the_limit_is_passed_over() {
    for packing in [Packing::Plain, Packing::Gzip] {
        let bytes = archive(packing, &[b"one", &[b'x'; 200_000], b"three"]);
        check(&bytes, &["one", "TooLarge(200000)", "three"]);
    }
    let long = format!("WARC/1.1\r\nX: {}\r\nContent-Length: 0\r\n\r\n", "x".repeat(3_000));
    let bytes =
        [archive(Packing::Plain, &[b"one"]), long.into(), archive(Packing::Plain, &[b"two"])].concat();
    check(&bytes, &["one", "Header", "two"]);
}

/// A record in the middle that claims this length and has `x` as its block.
fn lying(length: &str, packing: Packing) -> Vec<u8> {
    let liar = format!("WARC/1.1\r\nWARC-Type: response\r\nContent-Length: {length}\r\n\r\nxyz\r\n\r\n");
    let liar = if packing == Packing::Gzip { gzip(liar.as_bytes()) } else { liar.into() };
    [archive(packing, &[b"one"]), liar, archive(packing, &[b"two", b"three"])].concat()
}

#[test]
fn wrong_lengths_cost_no_more_than_they_must() {
    // Ten gigabytes that are not there.
    for packing in [Packing::Plain, Packing::Gzip] {
        check(&lying("10000000000", packing), &["one", "Length", "two", "three"]);
        check(&lying("18446744073709551615", packing), &["one", "Length", "two", "three"]);
        check(&lying("many", packing), &["one", "Header", "two", "three"]);
        // A few bytes too many, which a member's end tells and a plain file does not.
        let longer: &[&str] = match packing {
            Packing::Gzip => &["one", "Length", "two", "three"],
            Packing::Plain => &["one", "xyz\r\n\r\nWARC/", "Stray", "three"],
        };
        check(&lying("12", packing), longer);
        // A byte too few.
        check(&lying("2", packing), &["one", "xy", "Stray", "two", "three"]);
    }
    let last = format!("WARC/1.1\r\nContent-Length: 10000000000\r\n\r\n{}", "x".repeat(100_000));
    let (found, error) = read(&[archive(Packing::Plain, &[b"one"]), last.into()].concat());
    assert_eq!(found, ["one"]);
    assert!(matches!(error, Some(WarcError::Cut { .. })), "{error:?}");
}

proptest! {
    /// Reading ends, within the limits, whatever the bytes.
    #[test]
    fn reading_any_bytes_ends(cut in 0_usize..900, at in 0_usize..900, with in any::<[u8; 3]>(), packed: bool) {
        let packing = if packed { Packing::Gzip } else { Packing::Plain };
        let mut bytes = archive(packing, &[b"one", b"two", &[b'x'; 1_200], b"three"]);
        let place = at.min(bytes.len() - 3);
        bytes[place..place + 3].copy_from_slice(&with);
        bytes.truncate(bytes.len().saturating_sub(cut));
        let (found, _) = read(&bytes);
        prop_assert!(found.len() < 50);
    }
}
