//! Which records are pages.

use std::collections::BTreeSet;

use newslode_common::warc::{Found, Limits, NewRecord, Packing, Reader, Writer};

use super::*;
use crate::import::dates::Dates;
use crate::import::plan::site_of_name;

const NOW: Timestamp = Timestamp(1_714_564_800_000);
const HTML: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>x";

fn plan(sites: &[&str], window_days: u32) -> ImportPlan {
    ImportPlan {
        files: Vec::new(),
        sites: sites.iter().map(|name| site_of_name(name)).collect::<BTreeSet<_>>(),
        dates: Dates::default(),
        token: "Newslode".into(),
        max_page_bytes: 100,
        window_days,
        delay_ms: 0,
        max_depth: 5,
    }
}

fn record() -> NewRecord<'static> {
    NewRecord {
        kind: RecordType::Response,
        date: Timestamp(NOW.0 - 3_600_000),
        target: Some("http://news.a.test/story#top"),
        content_type: "application/http; msgtype=response",
        fields: &[],
        block: HTML,
        payload_at: None,
    }
}

/// Writes a record, reads it again, and returns its page.
fn read_back(record: &NewRecord<'_>, plan: &ImportPlan) -> Result<FetchedPage, Skip> {
    let mut writer = Writer::new(Vec::new(), Packing::Plain);
    writer.write(record).unwrap();
    let bytes = std::io::Cursor::new(writer.finish().unwrap());
    let mut reader = Reader::new(Box::new(bytes), "x", Limits::default()).unwrap();
    let Some(Ok(Found::Record(record))) = reader.next() else { panic!("no record") };
    Capture::of_record(record, plan, NOW)?.into_page(100)
}

#[track_caller]
fn check(record: NewRecord<'_>, wanted: Skip) {
    assert_eq!(read_back(&record, &plan(&[], 0)).map(|page| page.url), Err(wanted));
}

#[test]
fn a_response_is_the_page_that_the_crawler_would_have_made_of_it() {
    let page = read_back(&record(), &plan(&["a.test"], 1)).unwrap();
    assert_eq!((page.url.as_str(), page.site.as_str()), ("http://news.a.test/story", "a.test"));
    assert_eq!((page.fetched_at.0, page.version.fetch), (NOW.0 - 3_600_000, NOW.0 - 3_600_000));
    assert_eq!((page.content_type.as_deref(), page.bytes().unwrap()), (Some("text/html"), b"<p>x".to_vec()));
    assert_eq!(page.version.content, ContentHash::of(&page.url, Some("text/html"), b"<p>x"));
}

#[test]
fn a_resource_is_a_page_if_it_is_html() {
    let resource = NewRecord { kind: RecordType::Resource, block: b"<p>x", ..record() };
    let html = NewRecord { content_type: "text/html; charset=utf-8", ..resource.clone() };
    let page = read_back(&html, &plan(&[], 0)).unwrap();
    assert_eq!(page.content_type.as_deref(), Some("text/html; charset=utf-8"));
    check(NewRecord { content_type: "application/pdf", ..resource.clone() }, Skip::NotHtml);
    // Some writers call a whole answer a resource.
    let answer = NewRecord { content_type: "application/http;msgtype=response", block: HTML, ..resource };
    assert_eq!(read_back(&answer, &plan(&[], 0)).unwrap().bytes().unwrap(), b"<p>x");
    check(NewRecord { block: &[b'x'; 101], ..html }, Skip::TooLarge);
}

#[test]
fn a_conversion_to_html_is_a_page_that_a_browser_made() {
    let conversion = NewRecord { kind: RecordType::Conversion, block: b"<p>x", ..record() };
    let html = NewRecord { content_type: "text/html; charset=utf-8", ..conversion.clone() };
    let page = read_back(&html, &plan(&[], 0)).unwrap();
    assert!(page.rendered && page.bytes().unwrap() == b"<p>x");
    check(NewRecord { content_type: "text/plain", ..conversion }, Skip::NotHtml);
}

#[test]
fn records_that_are_no_pages_have_a_reason() {
    for (kind, wanted) in [
        (RecordType::Request, Skip::NoResponse),
        (RecordType::Warcinfo, Skip::NoResponse),
        (RecordType::Metadata, Skip::NoResponse),
        (RecordType::Revisit, Skip::Revisit),
        (RecordType::Continuation, Skip::Segment),
    ] {
        check(NewRecord { kind, ..record() }, wanted);
    }
    check(NewRecord { fields: &[("WARC-Segment-Number", "1")], ..record() }, Skip::Segment);
    for (target, wanted) in
        [(None, Skip::NoWebPage), (Some("dns:a.test"), Skip::NoWebPage), (Some("nonsense"), Skip::NoWebPage)]
    {
        check(NewRecord { target, ..record() }, wanted);
    }
    for (block, wanted) in [
        (&b"20240501 a.test A 192.0.2.1"[..], Skip::NoWebPage),
        (b"HTTP/1.1 301 Moved\r\nLocation: /\r\n\r\n", Skip::OtherStatus),
        (b"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\n\r\n<p>x", Skip::OtherStatus),
        (b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n\x89PNG", Skip::NotHtml),
        (b"HTTP/1.1 200 OK\r\n\r\nplain words", Skip::NotHtml),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n \n", Skip::Empty),
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8bx",
            Skip::Broken,
        ),
    ] {
        check(NewRecord { block, ..record() }, wanted);
    }
    check(NewRecord { fields: &[("WARC-Truncated", "length")], ..record() }, Skip::Cut);
    let chunked =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n<p>x";
    check(NewRecord { block: chunked, ..record() }, Skip::Cut);
    let long = [HTML, &[b'x'; 100]].concat();
    check(NewRecord { block: &long, ..record() }, Skip::TooLarge);
    check(NewRecord { date: Timestamp(86_400_000), ..record() }, Skip::NoDate);
    check(NewRecord { date: Timestamp(NOW.0 + 2 * 86_400_000), ..record() }, Skip::NoDate);
}

#[test]
fn captures_outside_the_window_or_of_other_sites_are_skipped() {
    let of = |record, plan| read_back(&record, &plan).map(|page| page.url);
    let days = |days: u64| NewRecord { date: Timestamp(NOW.0 - days * 86_400_000), ..record() };
    assert!(of(days(30), plan(&[], 30)).is_ok() && of(days(9_000), plan(&[], 0)).is_ok());
    assert_eq!(of(days(31), plan(&[], 30)), Err(Skip::TooOld));
    assert!(of(record(), plan(&["b.test", "https://www.a.test/world"], 0)).is_ok());
    assert_eq!(of(record(), plan(&["b.test"], 0)), Err(Skip::OtherSite));
    let dates = Dates { since: None, until: Some("2024-04-30".parse().unwrap()) };
    let until = |record| read_back(&record, &ImportPlan { dates, ..plan(&[], 0) }).map(|page| page.url);
    assert_eq!(until(record()), Err(Skip::OtherDate));
    assert!(until(days(1)).is_ok());
}
