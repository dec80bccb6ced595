//! Archives as they are: whole, cut, with wrong lengths, with things that are no archive.

use std::io::{Cursor, Write as _};

use proptest::prelude::*;

use super::super::{NewRecord, Packing, Writer};
use super::*;
use newslode_page::time::Timestamp;

const LIMITS: Limits = Limits { head: 2_000, block: 1_000, beginning: 0 };

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

fn zst(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 3).unwrap()
}

/// A frame of zstd that holds no data.
fn skippable(first: u8, bytes: &[u8]) -> Vec<u8> {
    [&[first, 0x2A, 0x4D, 0x18], &u32::try_from(bytes.len()).unwrap().to_le_bytes()[..], bytes].concat()
}

/// A record of ARC.
fn arc(target: &str, block: &[u8]) -> Vec<u8> {
    let line = format!("{target} 192.0.2.1 20240501120000 text/html {}\n", block.len());
    [line.as_bytes(), block, b"\n"].concat()
}

const ARC_1: &[u8] = b"filedesc://x.arc 0.0.0.0 20240501120000 text/plain 76\n1 0 InternetArchive\n\
                       URL IP-address Archive-date Content-type Archive-length\n";

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
}

#[test]
fn a_broken_member_costs_no_more_than_itself() {
    for pack in [gzip, zst] {
        let good: Vec<Vec<u8>> = ["one", "two", "three"]
            .iter()
            .map(|text| pack(&archive(Packing::Plain, &[text.as_bytes()])))
            .collect();
        let mut broken = good[1].clone();
        for byte in &mut broken[12..40] {
            *byte = 0xFF;
        }
        check(&[&good[0][..], &broken, &good[2]].concat(), &["one", "Packing", "three"]);
        // A writer that died, and another that went on.
        let cut = &good[1][..good[1].len() / 2];
        check(&[&good[0][..], cut, &good[2], &good[0]].concat(), &["one", "Packing", "three", "one"]);
        // It is the last record.
        let (found, error) = read(&[&good[0][..], &broken].concat());
        assert_eq!(found, ["one"]);
        assert!(
            matches!(error, Some(WarcError::Broken { offset, .. }) if offset == good[0].len() as u64),
            "{error:?}"
        );
    }
}

#[test]
fn what_is_no_archive_is_named() {
    for (bytes, wanted) in [
        (b"".to_vec(), "is empty"),
        (b"\r\n\r\n".to_vec(), "is empty"),
        (gzip(b""), "is empty"),
        (
            b"<!doctype html><p>Not an archive".to_vec(),
            "is not a web archive: it begins with `<!doctype html><`",
        ),
        (gzip(b"\x1b[2Jhello"), "is not a web archive: it begins with `\u{fffd}[2Jhello`"),
        (b"WARC".to_vec(), "is not a web archive"),
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

#[test]
fn zstd_files_are_read_with_and_without_a_dictionary() {
    let blocks: Vec<String> =
        (0..50).map(|n| format!("<p>Page {n} of many, with words and words and words")).collect();
    let plain: Vec<Vec<u8>> =
        blocks.iter().map(|block| archive(Packing::Plain, &[block.as_bytes()])).collect();
    let wanted: Vec<&str> = blocks.iter().map(String::as_str).collect();
    let frames: Vec<u8> = plain.iter().flat_map(|record| zst(record)).collect();
    check(&frames, &wanted);
    check(&[skippable(0x50, b"noise"), frames.clone(), skippable(0x5F, b"more")].concat(), &wanted);
    check(&zst(&plain.concat()), &wanted);

    let dictionary = plain[..3].concat();
    let mut packer = zstd::bulk::Compressor::with_dictionary(3, &dictionary).unwrap();
    let packed: Vec<u8> = plain.iter().flat_map(|record| packer.compress(record).unwrap()).collect();
    assert!(packed.len() * 2 < frames.len(), "the dictionary serves");
    for stored in [dictionary.clone(), zst(&dictionary)] {
        let file = [skippable(0x5D, &stored), packed.clone()].concat();
        check(&file, &wanted);
        // Two files in one, the other without a dictionary.
        check(&[file, frames.clone()].concat(), &[&wanted[..], &wanted[..]].concat());
    }
    let (found, error) = read(&packed);
    assert!(found.is_empty() && matches!(error, Some(WarcError::Broken { offset: 0, .. })), "{error:?}");
    let (found, error) = read(&skippable(0x5D, b"no dictionary, but a content"));
    assert!(found.is_empty() && matches!(error, Some(WarcError::Empty { .. })), "{error:?}");
    // Cut within the frame of the dictionary, and within its head.
    for cut in [&skippable(0x5D, &dictionary)[..50], &[0x5D, 0x2A, 0x4D, 0x18, 9]] {
        let (found, error) = read(cut);
        assert!(found.is_empty() && matches!(error, Some(WarcError::Cut { .. })), "{error:?}");
    }
    let (found, error) = read(&frames[..frames.len() - 5]);
    assert!(found == wanted[..49] && matches!(error, Some(WarcError::Cut { records: 49, .. })), "{error:?}");
}

#[test]
fn arc_files_are_read() {
    let answer = b"HTTP/1.0 200 OK\nContent-Type: text/html\n\n<p>x";
    let records = [
        ARC_1.to_vec(),
        arc("http://a.test/0", answer),
        arc("http://a.test/old", b"<p>before heads"),
        arc("dns:a.test", b"20240501120000\na.test. 1 IN A 192.0.2.1"),
    ];
    let texts: Vec<String> =
        records.iter().map(|record| String::from_utf8_lossy(record).into_owned()).collect();
    let wanted: Vec<&str> =
        texts.iter().map(|text| text.split_once('\n').unwrap().1.trim_end_matches('\n')).collect();
    for bytes in
        [records.concat(), records.iter().flat_map(|record| gzip(record)).collect(), gzip(&records.concat())]
    {
        let (found, error) = read(&bytes);
        let found: Vec<&str> = found.iter().map(|block| block.trim_end_matches('\n')).collect();
        assert!(error.is_none() && found == wanted, "{found:?} {error:?}");
        let mut reader = Reader::new(Box::new(Cursor::new(bytes)), "x", LIMITS).unwrap();
        let mut next = || match reader.next() {
            Some(Ok(Found::Record(record))) => record,
            other => panic!("{other:?}"),
        };
        assert_eq!(next().kind, Some(RecordType::Warcinfo));
        let page = next();
        assert_eq!((page.kind, page.target()), (Some(RecordType::Response), Some("http://a.test/0")));
        assert_eq!(page.date(), Some(Timestamp(1_714_564_800_000)));
        let old = next();
        assert_eq!(
            (old.kind, old.fields.get("Content-Type")),
            (Some(RecordType::Resource), Some("text/html"))
        );
    }
    // A wrong length, and a file without its first record.
    let liar = b"http://a.test/ 192.0.2.1 20240501120000 text/html 99999999999\nx\n".to_vec();
    check(
        &[arc("http://a.test/", b"one"), liar, arc("http://a.test/", b"two")].concat(),
        &["one", "Length", "two"],
    );
    let (found, error) = read(
        &[arc("http://a.test/", b"one"), b"http://a.test/ 192.0.2.1 20240501120000 text/html 9\nx".to_vec()]
            .concat(),
    );
    assert!(found == ["one"] && matches!(error, Some(WarcError::Cut { .. })), "{found:?} {error:?}");
}

#[test]
fn odd_line_ends_between_and_within_records_are_borne() {
    let head = |end: &str| ["WARC/1.0", "WARC-Type: response", "Content-Length: 3", "", "one"].join(end);
    for end in ["\n", "\r\n", "\r\r\n"] {
        for between in ["\n", "\r\n", "\r\n\r\n", "\r\r\n\r\r\n", "\n\n\n\n", "", "\0\0\0"] {
            let text = format!("{}{between}{}{between}", head(end), head(end));
            check(text.as_bytes(), &["one", "one"]);
            check(&[gzip(text.as_bytes()), vec![0; 512]].concat(), &["one", "one"]);
        }
    }
    check(b"WARC/1.1 \r\nContent-Length: 3\r\n\r\none", &["one"]);
}

#[test]
fn stray_bytes_among_members_hide_nothing_behind_them() {
    let good = archive(Packing::Gzip, &[b"one"]);
    let plain = archive(Packing::Plain, &[b"two"]);
    check(&[&good[..], b"garbage", &good].concat(), &["one", "Stray", "one"]);
    check(&[&good[..], b"garbage\n", &plain, &good].concat(), &["one", "Stray", "two", "one"]);
    // Packed bytes that belong to a page whose record is too short, and what only looks like a member.
    for stray in
        [gzip(b"<p>a page"), zst(b"<p>a page"), vec![0x1F, 0x8B, 8, 0], vec![0x28, 0xB5, 0x2F, 0xFD, 0xFF]]
    {
        let (found, error) = read(&[&plain[..], &stray, b"\r\n\r\n", &plain].concat());
        assert!(error.is_none(), "{error:?}");
        assert!(found.len() == 3 && found[0] == "two" && found[2] == "two", "{found:?}");
    }
}

#[test]
fn a_bomb_is_left_alone() {
    let mut bomb = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
    bomb.write_all(b"WARC/1.1\r\nContent-Length: 9223372036854775808\r\n\r\n").unwrap();
    for _ in 0..400 {
        bomb.write_all(&vec![0; 1 << 20]).unwrap();
    }
    let bomb = bomb.finish().unwrap();
    assert!(bomb.len() < 100_000, "{}", bomb.len());
    let good = zst(&archive(Packing::Plain, &[b"one"]));
    check(&[&good[..], &bomb, &good].concat(), &["one", "Packing", "one"]);
}

#[test]
fn a_header_of_a_million_fields_is_passed_over() {
    let many = format!("WARC/1.1\r\n{}Content-Length: 3\r\n\r\nxyz\r\n\r\n", "X: y\r\n".repeat(1_000_000));
    for many in [many.clone().into_bytes(), gzip(many.as_bytes())] {
        check(
            &[archive(Packing::Plain, &[b"one"]), many, archive(Packing::Plain, &[b"two"])].concat(),
            &["one", "Header", "two"],
        );
    }
}

/// The block, the offset and the length of a record, as the reader tells them.
type RecordPlace = (String, u64, Option<u64>);

/// The places of all records, and the error that ended the reading.
fn places(bytes: &[u8]) -> (Vec<RecordPlace>, Option<WarcError>) {
    let (mut places, mut error) = (Vec::new(), None);
    let mut reader = Reader::new(Box::new(Cursor::new(bytes.to_vec())), "x", LIMITS).unwrap();
    while let Some(next) = reader.next() {
        match next {
            Ok(Found::Record(record)) => {
                let block = String::from_utf8_lossy(&record.block).into_owned();
                places.push((block, record.offset, reader.record_length()));
            }
            Ok(Found::Skipped(_)) => {}
            Err(end) => error = Some(end),
        }
    }
    (places, error)
}

#[test]
fn a_record_can_be_read_alone_from_its_place() {
    let records: [Vec<u8>; 3] = [
        archive(Packing::Plain, &[b"one"]),
        archive(Packing::Plain, &[b"two"]),
        arc("http://a.test/", b"HTTP/1.1 200\n\nx"),
    ];
    let [one, two, three] = &records;
    for whole in [
        [&one[..], two].concat(),
        archive(Packing::Gzip, &[b"one", b"two"]),
        [zst(one), skippable(0x50, b"x"), zst(two)].concat(),
        [gzip(one), two.clone(), zst(one)].concat(),
        [gzip(&one[..one.len() - 6]), gzip(&one[one.len() - 6..])].concat(),
        [ARC_1, b"\n", three, three].concat(),
        [gzip(ARC_1), gzip(three), gzip(three)].concat(),
    ] {
        let (places, error) = places(&whole);
        assert!(error.is_none() && !places.is_empty(), "{error:?}");
        for (block, offset, length) in &places {
            let (from, length) = (*offset as usize, length.unwrap() as usize);
            assert_eq!(read(&whole[from..from + length]).0, [block.as_str()]);
        }
        let (_, offset, length) = places.last().unwrap();
        let rest = whole.get((offset + length.unwrap()) as usize..).unwrap();
        assert!(rest.iter().all(|byte| b"\r\n".contains(byte)), "{rest:?}");
    }
}

#[test]
fn records_that_share_a_member_have_no_place_of_their_own() {
    let shared =
        [gzip(&archive(Packing::Plain, &[b"one", b"two"])), archive(Packing::Gzip, &[b"three"])].concat();
    let (found, error) = places(&shared);
    let alone: Vec<(&str, bool)> =
        found.iter().map(|(block, _, length)| (block.as_str(), length.is_some())).collect();
    assert_eq!(alone, [("one", false), ("two", false), ("three", true)]);
    assert!(error.is_none());
    // The second begins within a member and ends with another.
    let plain = archive(Packing::Plain, &[b"one", b"two"]);
    let (found, _) = places(&[gzip(&plain[..plain.len() - 6]), gzip(&plain[plain.len() - 6..])].concat());
    assert!(found.len() == 2 && found.iter().all(|(_, _, length)| length.is_none()), "{found:?}");
}

#[test]
fn a_fault_behind_a_record_is_told_though_the_place_was_asked_for() {
    // Long enough that the member's end is not seen together with the header.
    let block = "x".repeat(900);
    let whole = archive(Packing::Gzip, &[block.as_bytes()]);
    let mut wrong_sum = whole.clone();
    let sum = whole.len() - 8;
    wrong_sum[sum] ^= 1;
    for bytes in [wrong_sum, whole[..whole.len() - 4].to_vec()] {
        let (found, error) = places(&bytes);
        assert_eq!(found, [(block.clone(), 0, None)]);
        assert!(error.is_some());
    }
}

#[test]
fn the_beginning_of_a_block_over_the_limit_is_given_where_it_is_wanted() {
    let bytes = archive(Packing::Gzip, &[&[b'x'; 1_001], b"two"]);
    let limits = Limits { beginning: 10, ..LIMITS };
    let reader = Reader::new(Box::new(Cursor::new(bytes)), "x", limits).unwrap();
    let blocks: Vec<Vec<u8>> = reader
        .map(|next| match next.unwrap() {
            Found::Record(record) => record.block,
            Found::Skipped(skipped) => panic!("{skipped:?}"),
        })
        .collect();
    assert_eq!(blocks, [b"xxxxxxxxxx".to_vec(), b"two".to_vec()]);
}

proptest! {
    /// Whatever the form of each record, and however they are packed together, the same records are read.
    #[test]
    fn any_mix_of_forms_gives_the_same_records(
        records in proptest::collection::vec((0..3_u8, 0..4_u8, 0..4_usize, "[ -~\r\n]{0,200}"), 1..12),
    ) {
        let (mut mixed, mut plain, mut open) = (ARC_1.to_vec(), ARC_1.to_vec(), Vec::new());
        for (number, (form, pack, ends, text)) in records.iter().enumerate() {
            let (block, target) = (format!("HTTP/1.1 200 OK\r\n\r\n{text}"), format!("http://a.test/{number}"));
            let warc = |end: &str| {
                let length = block.len();
                let lines = ["WARC/1.0", "WARC-Type: response", &format!("WARC-Target-URI: {target}"),
                    "WARC-Date: 2024-05-01T12:00:00Z", &format!("Content-Length: {length}"), "", &block];
                lines.join(end).into_bytes()
            };
            let between = ["\r\n\r\n", "\n", "\r\r\n", "\r\n"][*ends].as_bytes();
            let record = match form {
                0 => [&warc("\r\n")[..], between].concat(),
                1 => [&warc("\n")[..], between].concat(),
                _ => [&arc(&target, block.as_bytes())[..], between].concat(),
            };
            plain.extend([&warc("\r\n")[..], b"\r\n\r\n"].concat());
            // The fourth form packs a record together with the next.
            open.extend(record);
            match pack {
                0 => mixed.append(&mut open),
                1 => mixed.extend(gzip(&std::mem::take(&mut open))),
                2 => mixed.extend(zst(&std::mem::take(&mut open))),
                _ => {}
            }
        }
        mixed.extend(gzip(&open));
        let all = |bytes: Vec<u8>| -> Vec<_> {
            let reader = Reader::new(Box::new(Cursor::new(bytes)), "x", LIMITS).unwrap();
            let parts = |found| match found {
                Ok(Found::Record(record)) => {
                    (record.kind, record.target().map(str::to_owned), record.date(), record.block)
                }
                other => panic!("{other:?}"),
            };
            reader.map(parts).collect()
        };
        prop_assert_eq!(all(mixed), all(plain));
    }

    /// Reading ends, within the limits, whatever the bytes.
    #[test]
    fn reading_any_bytes_ends(cut in 0_usize..900, at in 0_usize..900, with in any::<[u8; 3]>(), packed in 0..4) {
        let packing = if packed == 1 { Packing::Gzip } else { Packing::Plain };
        let mut bytes = archive(packing, &[b"one", b"two", &[b'x'; 1_200], b"three"]);
        if packed > 1 {
            let halves = bytes.split_at(bytes.len() / 2);
            bytes = if packed == 2 { zst(&bytes) } else { [gzip(halves.0), halves.1.to_vec()].concat() };
        }
        let place = at.min(bytes.len() - 3);
        bytes[place..place + 3].copy_from_slice(&with);
        bytes.truncate(bytes.len().saturating_sub(cut));
        let (found, _) = read(&bytes);
        prop_assert!(found.len() < 50);
    }
}
