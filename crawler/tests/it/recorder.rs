//! What a crawler keeps of what it sent and was answered.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use newslode_common::store::Validators;
use newslode_common::time::Clock;
use newslode_common::warc::http::Answer;
use newslode_common::warc::{Found, Index, Limits, Reader, Record, RecordType, surt};
use newslode_crawler::fetch::{Fetcher, Wanted};
use newslode_crawler::recorder::Recorder;
use newslode_crawler::web::{Internet, Web};

use crate::world::{PAGE, SeenRequest, World, answer, html};

fn records(folder: &Path) -> Vec<Record> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let (mut files, indexes): (Vec<_>, Vec<_>) =
        files.partition(|file| file.extension().is_some_and(|end| end == "gz"));
    files.sort();
    assert!(
        files.len() == indexes.len() && files.iter().all(|file| Index::path(file).exists()),
        "{indexes:?}"
    );
    let open = |file| Reader::open(file, Limits::default()).unwrap();
    let record = |found| match found {
        Ok(Found::Record(record)) => record,
        other => panic!("{other:?}"),
    };
    files.iter().map(|file| file.as_path()).flat_map(open).map(record).collect()
}

/// Address and block of the records that replay tools show, in any order.
fn captures(records: &[Record]) -> Vec<(String, Vec<u8>)> {
    let is_capture = |record: &&Record| {
        matches!(record.kind, Some(RecordType::Response | RecordType::Revisit))
            && Answer::parse(&record.block).unwrap().status != 304
    };
    let capture = |record: &Record| (record.target().unwrap().to_owned(), record.block.clone());
    let mut captures: Vec<_> = records.iter().filter(is_capture).map(capture).collect();
    captures.sort();
    captures
}

/// The same, of the bytes that the lines of the indexes name, each read alone.
fn found_by_index(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let indexes = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    for index in indexes.filter(|file| file.extension().is_some_and(|end| end == "cdxj")) {
        let lines = std::fs::read_to_string(index).unwrap();
        assert!(lines.lines().is_sorted(), "{lines}");
        for line in lines.lines() {
            let [key, _, json]: [&str; 3] = line.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
            let json: serde_json::Value = serde_json::from_str(json).unwrap();
            let number = |name: &str| json[name].as_str().unwrap().parse::<usize>().unwrap();
            let (from, length) = (number("offset"), number("length"));
            let bytes = std::fs::read(folder.join(json["filename"].as_str().unwrap())).unwrap();
            let alone = std::io::Cursor::new(bytes[from..from + length].to_vec());
            let mut reader = Reader::new(Box::new(alone), "alone", Limits::default()).unwrap();
            let Some(Ok(Found::Record(record))) = reader.next() else { panic!("{line}") };
            assert!(reader.next().is_none(), "{line}");
            assert_eq!((key, json["url"].as_str()), (&*surt(record.target().unwrap()), record.target()));
            found.push(record);
        }
    }
    captures(&found)
}

fn web(request: &SeenRequest) -> Option<axum::response::Response> {
    match request.page.as_str() {
        "a.test/" => html(PAGE),
        "a.test/same" if request.headers.contains_key("if-none-match") => answer(304, [], ""),
        "a.test/same" => answer(200, [("content-type", "text/html"), ("etag", "\"7\"")], PAGE),
        "a.test/moved" => answer(301, [("location", "/")], "over there"),
        "a.test/long" => answer(200, [("content-type", "text/html")], "long ".repeat(100_000)),
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_is_recorded_with_its_request() {
    let mut world = World::new(web).await;
    world.config.max_page_bytes = 1_000;
    let folder = tempfile::tempdir().unwrap();
    {
        let internet: Arc<dyn Web> = Arc::new(Internet::new(&world.config).unwrap());
        let recorder = Recorder::open(internet, folder.path(), "Tester/1", None, Clock::Machine).unwrap();
        let fetcher = Fetcher::new(Arc::new(recorder), Clock::Machine, &world.config);
        let (none, etag) =
            (Validators::default(), Validators { etag: Some("\"7\"".into()), ..Validators::default() });
        for (path, validators) in [
            ("", &none),
            ("", &none),
            ("same", &none),
            ("same", &etag),
            ("moved", &none),
            ("nothing", &none),
            ("long", &none),
        ] {
            let url = format!("http://a.test/{path}").parse().unwrap();
            drop(fetcher.page(&url, validators, Wanted::Page).await);
        }
    }
    // Records are written off the reactor.
    let all = loop {
        let is_open = std::fs::read_dir(folder.path())
            .unwrap()
            .any(|file| file.unwrap().path().extension().is_some_and(|end| end == "open"));
        if !is_open {
            break records(folder.path());
        }
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    };
    assert_eq!(found_by_index(folder.path()), captures(&all));
    let mut kinds: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for record in &all {
        let path = record.target().unwrap_or("-").replace("http://a.test", "");
        *kinds.entry((path, record.kind.unwrap().name())).or_default() += 1;
    }
    let mut wanted = BTreeMap::from([(("-".to_owned(), "warcinfo"), 1)]);
    for (path, kind, count) in [
        ("/", "response", 1),
        ("/", "revisit", 1),
        ("/same", "response", 1),
        ("/same", "revisit", 1),
        ("/moved", "response", 1),
        ("/nothing", "response", 1),
        ("/long", "response", 1),
    ] {
        wanted.insert((path.to_owned(), kind), count);
        *wanted.entry((path.to_owned(), "request")).or_default() += count;
    }
    assert_eq!(kinds, wanted);
    let of = |path: &str, kind: RecordType| {
        let is_it = |record: &&Record| {
            record.kind == Some(kind) && record.target() == Some(&format!("http://a.test/{path}"))
        };
        all.iter().find(is_it).unwrap()
    };
    let page = of("", RecordType::Response);
    let read = Answer::parse(&page.block).unwrap();
    assert_eq!((read.status, read.body(&page.block, 1_000).unwrap()), (200, PAGE.as_bytes().to_vec()));
    let again = of("", RecordType::Revisit);
    assert_eq!(again.fields.get("WARC-Payload-Digest"), page.fields.get("WARC-Payload-Digest"));
    assert_eq!(again.fields.get("WARC-Refers-To-Date"), page.fields.get("WARC-Date"));
    assert!(again.fields.get("WARC-Profile").unwrap().ends_with("identical-payload-digest"));
    let (same, unmodified) = (of("same", RecordType::Response), of("same", RecordType::Revisit));
    assert!(unmodified.fields.get("WARC-Profile").unwrap().ends_with("server-not-modified"));
    // The digest is that of the page, not of the empty body of a 304: replay tools look for the page by it.
    assert_eq!(unmodified.fields.get("WARC-Payload-Digest"), same.fields.get("WARC-Payload-Digest"));
    assert_eq!(of("long", RecordType::Response).fields.get("WARC-Truncated"), Some("unspecified"));
    let request = String::from_utf8(of("same", RecordType::Request).block.clone()).unwrap();
    assert!(
        request.starts_with("GET /same HTTP/1.1\r\nHost: a.test\r\nUser-Agent: Tester/1\r\n"),
        "{request}"
    );
    let moved = Answer::parse(&of("moved", RecordType::Response).block).unwrap();
    assert_eq!((moved.status, moved.fields.get("location")), (301, Some("/")));
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_an_error_at_the_start() {
    let world = World::new(web).await;
    let file = tempfile::NamedTempFile::new().unwrap();
    let internet: Arc<dyn Web> = Arc::new(Internet::new(&world.config).unwrap());
    let refused = Recorder::open(internet, file.path(), "Tester/1", None, Clock::Machine).err().unwrap();
    assert!(refused.to_string().contains("archive.warc"), "{refused}");
}
