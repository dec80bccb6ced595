//! Imports into a queue that is full most of the time.

use std::sync::Arc;

use newslode_common::broker::in_process::InProcessBroker;
use newslode_common::broker::{Limits as QueueLimits, Queue};
use newslode_common::config::Config;
use newslode_common::message::{FetchedPage, envelope};
use newslode_common::store::redb::RedbStore;
use newslode_common::store::{Kind, PageArchive as _};
use newslode_common::telemetry::metrics::Metrics;
use newslode_common::warc::{NewRecord, Packing, RecordType, Writer};
use newslode_miner::mining::fold::Rules;
use newslode_miner::work::captures;
use newslode_miner::work::stores::Stores;
use newslode_page::reading::Site;
use newslode_page::time::Timestamp;

use super::*;

const THEN: u64 = 1_600_000_000_000;

/// An archive of resources: one page for each path and time.
fn archive(pages: &[(String, u64)]) -> tempfile::NamedTempFile {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let mut writer = Writer::new(&mut file, Packing::Gzip);
    for (path, at) in pages {
        let (url, page) = (format!("http://a.test/{path}"), format!("<h1>{path} at {at}</h1>"));
        let record = NewRecord {
            kind: RecordType::Resource,
            date: Timestamp(*at),
            target: Some(&url),
            content_type: "text/html",
            fields: &[],
            block: page.as_bytes(),
            payload_at: None,
        };
        writer.write(&record).unwrap();
    }
    writer.finish().unwrap();
    file
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_queue_is_waited_for_and_every_page_arrives_once() {
    let store = Arc::new(RedbStore::in_memory().unwrap());
    let limits = QueueLimits { max_length: 2, ..QueueLimits::default() };
    let parts = Parts {
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
    };
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
