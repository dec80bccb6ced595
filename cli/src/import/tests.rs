//! Imports into a queue that is full most of the time.

use std::sync::Arc;

use newslode_common::broker::in_process::InProcessBroker;
use newslode_common::broker::{Limits as QueueLimits, Queue};
use newslode_common::config::Config;
use newslode_common::message::{FetchedPage, envelope};
use newslode_common::rights::{Rights, Source, read_rights};
use newslode_common::store::redb::RedbStore;
use newslode_common::store::{Kind, PageArchive as _};
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::warc::{NewRecord, Packing, RecordType, Writer};
use newslode_crawler::robots::{keep_recorded, read_origin_rights};
use newslode_miner::mining::fold::Rules;
use newslode_miner::work::captures;
use newslode_miner::work::stores::Stores;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;
use url::Url;

use super::*;
use crate::queries::rights::RightsReader;

const THEN: u64 = 1_600_000_000_000;

/// An archive of resources: one page for each path and time.
fn archive(pages: &[(String, u64)]) -> tempfile::NamedTempFile {
    let records = pages
        .iter()
        .map(|(path, at)| (format!("http://a.test/{path}"), *at, format!("<h1>{path} at {at}</h1>")));
    written(RecordType::Resource, "text/html", &records.collect::<Vec<_>>())
}

/// An archive of records of one kind: addresses, times in milliseconds, and blocks.
fn written(
    kind: RecordType,
    content_type: &str,
    records: &[(String, u64, String)],
) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let mut writer = Writer::new(&mut file, Packing::Gzip);
    for (url, at, block) in records {
        let record = NewRecord {
            kind,
            date: Timestamp(*at),
            target: Some(url),
            content_type,
            fields: &[],
            block: block.as_bytes(),
            payload_at: None,
        };
        writer.write(&record).unwrap();
    }
    writer.finish().unwrap();
    file
}

fn parts_over(store: &Arc<RedbStore>, limits: QueueLimits) -> Parts {
    Parts {
        stores: Stores {
            frontier: store.clone(),
            state: store.clone(),
            archive: store.clone(),
            parsed: Arc::default(),
        },
        owners: Arc::default(),
        filing: Arc::default(),
        places: Arc::default(),
        schemes: Arc::default(),
        announcements: Arc::default(),
        broker: Arc::new(InProcessBroker::new(limits)),
        metrics: Metrics::new().unwrap(),
        rules: Rules::default(),
        params: Arc::default(),
        schedule: Arc::default(),
        retention: Default::default(),
        noarchive: Default::default(),
        clock: Default::default(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_is_waited_for_and_every_page_arrives_once() {
    let store = Arc::new(RedbStore::in_memory().unwrap());
    let limits = QueueLimits { max_length: 2, ..QueueLimits::default() };
    let parts = parts_over(&store, limits);
    let mut pages: Vec<(String, u64)> = (0..40).map(|number| (number.to_string(), THEN)).collect();
    // The first again, older; the second again, newer.
    pages.extend([("0".into(), THEN - 1_000), ("1".into(), THEN + 1_000)]);
    let file = archive(&pages);
    let files = [file.path().to_owned()];
    let plan = Arc::new(ImportPlan::new(&files, &[], Dates::default(), &Config::default()).unwrap());
    let mut counts = ImportCounts::new(&files);
    let mut consumer = parts.broker.consume(Queue::Pages, 1).await.unwrap();
    let consuming = async {
        let mut seen = Vec::new();
        while seen.len() < 41 {
            let delivery = consumer.next().await.unwrap();
            let page: FetchedPage = envelope::open(&delivery.body).unwrap();
            assert!(store.get(Kind::Page, page.content()).await.unwrap().is_some(), "archived first");
            seen.push((page.url.path().to_owned(), page.version.fetch));
            delivery.ack().await.unwrap();
        }
        seen
    };
    let (ended, mut seen) = tokio::join!(import_captures(&parts, &plan, &mut counts, |_| ()), consuming);
    ended.unwrap();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 41);
    assert!(seen.contains(&("/1".into(), THEN + 1_000)) && !seen.contains(&("/0".into(), THEN - 1_000)));
    assert_eq!((counts.records, counts.pages, counts.sites), (42, 41, 1));
    assert_eq!(counts.summary_line(), "42 records, 41 pages of 1 sites; skipped: 1 captured again later");
    let site = Site::of_host("a.test");
    assert_eq!(parts.stores.frontier.site(&site).await.unwrap().unwrap().max_pages, 0);
    // None of them was counted yet, so all are noted.
    assert_eq!(captures::uncounted(store.as_ref(), &site).await.unwrap().len(), 41);
    counts.check().unwrap();
}

/// An answer at an address, so many days after [`THEN`].
fn answer(url: &str, days: u64, status: u16, kind: &str, body: &str) -> (String, u64, String) {
    let head =
        format!("HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n", body.len());
    (url.to_owned(), THEN + days * 86_400_000, head + body)
}

/// Imports a web archive of these answers. Returns what holds the run.
async fn imported(answers: &[(String, u64, String)]) -> Arc<RedbStore> {
    let file = written(RecordType::Response, "application/http; msgtype=response", answers);
    let store = Arc::new(RedbStore::in_memory().unwrap());
    let parts = parts_over(&store, QueueLimits::default());
    let files = [file.path().to_owned()];
    let plan = Arc::new(ImportPlan::new(&files, &[], Dates::default(), &Config::default()).unwrap());
    // Once more changes nothing.
    for _ in 0..2 {
        import_captures(&parts, &plan, &mut ImportCounts::new(&files), |_| ()).await.unwrap();
    }
    store
}

const PAGE: &str = "http://a.test/news/1";
const HTML: &str = "<h1>A story</h1><p>It rained.";

/// The statements in the page's own record, and those in its article's output.
async fn said(store: Arc<RedbStore>) -> [Vec<(Source, String)>; 2] {
    let (url, mut reader) = (PAGE.parse().unwrap(), RightsReader::new(store.as_ref()));
    let said = |rights: &Rights| -> Vec<(Source, String)> {
        rights.statements().iter().map(|said| (said.source, said.written.clone())).collect()
    };
    [said(&read_rights(store.as_ref(), &url).await.unwrap()), said(&reader.rights_of(&url).await.unwrap())]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_has_what_the_files_of_its_origin_said_when_it_was_captured() {
    let robots = |days, agent: &str| {
        let text = format!("User-agent: {agent}\nDisallow: /\n");
        answer("http://a.test/robots.txt", days, 200, "text/plain", &text)
    };
    let tdmrep = r#"[{"location": "/news/*", "tdm-reservation": 1}]"#;
    let store = imported(&[
        robots(0, "CCBot"),
        robots(8, "GPTBot"),
        robots(20, "anthropic-ai"),
        answer("http://other.test/robots.txt", 9, 200, "text/plain", "User-agent: GPTBot\nDisallow: /\n"),
        answer("http://a.test/.well-known/tdmrep.json", 10, 200, "application/json", tdmrep),
        // Neither a web page nor an error is a file.
        answer("http://a.test/ai.txt", 9, 200, "text/html", "<!doctype html><p>Disallow: /"),
        answer("http://a.test/robots.txt", 9, 503, "text/plain", "User-agent: CCBot\nDisallow: /\n"),
        answer(PAGE, 10, 200, "text/html", HTML),
    ])
    .await;
    let [own, written_out] = said(store.clone()).await;
    let gpt = (Source::RobotsAgent, "User-agent: GPTBot; Disallow: /".to_owned());
    let tdm = (Source::Tdmrep, "location: /news/*, tdm-reservation: 1".to_owned());
    assert_eq!(own, [gpt.clone(), tdm.clone()]);
    // The newest robots.txt of the archive is joined, as one is that is read today.
    let newest = (Source::RobotsAgent, "User-agent: anthropic-ai; Disallow: /".to_owned());
    assert_eq!(written_out, [gpt, tdm, newest]);
    // An origin without pages leaves nothing, and what a web archive says is never asked what may be fetched.
    let other = Url::parse("http://other.test/robots.txt").unwrap();
    assert!(read_origin_rights(store.as_ref(), &other).await.unwrap().rules.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_stand_after_their_page_or_are_missing() {
    let robots =
        answer("http://a.test/robots.txt", 30, 200, "text/plain", "User-agent: GPTBot\nDisallow: /\n");
    let page = answer(PAGE, 10, 200, "text/html", HTML);
    let nothing: [Vec<(Source, String)>; 2] = [vec![], vec![]];
    assert_eq!(
        said(imported(std::slice::from_ref(&page)).await).await,
        nothing,
        "what is missing is unknown"
    );
    let gone = answer("http://a.test/robots.txt", 9, 404, "text/plain", "User-agent: GPTBot\nDisallow: /\n");
    assert_eq!(said(imported(&[gone, page.clone()]).await).await, nothing, "there was none");
    let [own, written_out] = said(imported(&[page, robots]).await).await;
    assert_eq!((own.len(), written_out.len()), (0, 1), "it was recorded weeks later, and is joined");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recorded_robots_txt_replaces_an_older_one_and_says_how_it_changed() {
    let store = RedbStore::in_memory().unwrap();
    let url = Url::parse(PAGE).unwrap();
    let keep = async |days: u64, agent: &str| {
        let text = format!("User-agent: {agent}\nDisallow: /\n");
        let read = (Timestamp(THEN + days * 86_400_000), text, "Newslode".to_owned());
        keep_recorded(&store, &url, read, Timestamp(THEN)).await.unwrap();
    };
    keep(5, "GPTBot").await;
    keep(9, "CCBot").await;
    keep(7, "anthropic-ai").await;
    let kept = read_origin_rights(&store, &url).await.unwrap();
    assert_eq!(kept.at, Timestamp(THEN + 9 * 86_400_000));
    let changes: Vec<_> =
        kept.changes.iter().map(|change| (change.new.clone(), change.gone.clone())).collect();
    let line = |agent: &str| vec![format!("User-agent: {agent}; Disallow: /")];
    assert_eq!(changes, [(line("CCBot"), line("GPTBot"))]);
}
