//! Traces of pages: one page is one trace across the services, and a collector that is away holds nobody up.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use newslode_e2e::collector::{Collector, Span};

use crate::lab::{Lab, small_world};
use crate::services::{Installation, Servers};

/// The ways of a page that must be found in this order, each the parent of the next: who makes the span, and its name.
const WAY: [(&str, &str); 6] = [
    ("newslode-crawler", "visit"),
    ("newslode-crawler", "publish pages"),
    ("newslode-partitioner", "partition"),
    ("newslode-partitioner", "publish partitions"),
    ("newslode-miner", "count"),
    ("newslode-miner", "publish article"),
];

fn trace_to(services: &Installation<'_>, url: &str) {
    let telemetry = format!("telemetry = {{ traces = '{url}' }}\nminer = ");
    services.change_config("miner = ", &telemetry).unwrap();
}

/// Follows a page from its visit to the event of its article, by the spans' parents. In a run that ends, articles are announced
/// at its end, after the page's trace.
async fn follow(collector: &Collector, url: &str, services: Option<&str>) -> Vec<Span> {
    let is_of_page = |span: &Span| span.attributes.get("url.full").is_some_and(|found| found == url);
    let mut way = vec![collector.span(|span| span.name == "visit" && is_of_page(span)).await];
    assert!(way[0].parent.is_empty(), "{way:?}");
    let last = if services.is_some() { WAY.len() - 1 } else { WAY.len() };
    for (service, name) in &WAY[1..last] {
        let before = way.last().unwrap().clone();
        let service = services.unwrap_or(service);
        let is_next = |span: &Span| span.name == *name && span.service == service && span.parent == before.id;
        way.push(collector.span(is_next).await);
    }
    assert!(way.iter().all(|span| span.trace == way[0].trace), "{way:?}");
    assert!(way.iter().filter(|span| ["partition", "count"].contains(&&*span.name)).all(is_of_page));
    way
}

fn scraped(services: &Installation<'_>, service: &str) -> String {
    let mut stream = TcpStream::connect(services.admin()[service]).unwrap();
    stream.write_all(b"GET /metrics HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

fn counted(metrics: &str, result: &str) -> u64 {
    let family = format!("newslode_trace_spans_total{{result=\"{result}\"}} ");
    metrics.lines().find_map(|line| line.strip_prefix(&family)).unwrap().parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_one_trace_across_the_services() {
    let lab = Lab::of(small_world(3)).await;
    let (digests, outcomes) = lab.undisturbed(&[]).await;
    let (servers, collector) = (Servers::start().await, Collector::start().await);
    let mut services = Installation::new(&lab, &servers, "traced", 0);
    trace_to(&services, &collector.url());
    services.start_all();
    services.ready().await;
    services.seed().await;
    services.comes_to(&digests).await;

    let article = lab.gold().first().unwrap();
    let way = follow(&collector, article, None).await;
    let visits = |span: &Span| span.name == "visit" && span.attributes.contains_key("newslode.outcome");
    let visited = collector.spans().iter().filter(|span| visits(span)).count();
    eprintln!("{article}: {} of the spans of {visited} visits", way.len());
    for service in ["newslode-crawler", "newslode-partitioner", "newslode-miner"] {
        let metrics = scraped(&services, service);
        assert!(counted(&metrics, "sent") > 0, "{service}: {metrics}");
        assert_eq!((counted(&metrics, "refused"), counted(&metrics, "dropped")), (0, 0), "{service}");
    }
    // What is left at the end is sent, too: every page that was visited is there.
    services.stop().await;
    let spans = collector.spans();
    let visited = spans.iter().filter(|span| visits(span)).count();
    assert!(visited >= outcomes.len(), "{visited} of {}", outcomes.len());
    // A span whose parent never came would show that a service lost the trace.
    let ids: std::collections::BTreeSet<_> = spans.iter().map(|span| &span.id).collect();
    let orphans: Vec<_> =
        spans.iter().filter(|span| !span.parent.is_empty() && !ids.contains(&span.parent)).collect();
    assert!(orphans.is_empty(), "{orphans:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_never_answers_holds_nobody_up() {
    let lab = Lab::of(small_world(3)).await;
    let (digests, outcomes) = lab.undisturbed(&[]).await;
    let servers = Servers::start().await;
    let mut services = Installation::new(&lab, &servers, "untraced", 0);
    // The system takes connections for it, and nobody ever reads them.
    let deaf = TcpListener::bind("127.0.0.1:0").unwrap();
    trace_to(&services, &format!("http://{}/v1/traces", deaf.local_addr().unwrap()));
    services.start_all();
    services.ready().await;
    services.seed().await;
    services.comes_to(&digests).await;
    services.same_outcomes(&outcomes).await;
    services.no_dead_letters().await;
    services.logged("newslode-crawler", "the collector of traces does not answer").await;
    let log = services.logs();
    assert!(log.matches("does not answer").count() <= 3, "each service says it once: {log}");
    // A process does not wait for its collector when it ends.
    services.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_embedded_run_is_traced_by_its_ratio() {
    let mut lab = Lab::of(small_world(5)).await;
    let collector = Collector::start().await;
    lab.set("NEWSLODE__TELEMETRY__TRACES", collector.url());
    lab.set("NEWSLODE__TELEMETRY__TRACE_RATIO", "0");
    lab.undisturbed(&[]).await;
    assert_eq!(collector.spans(), []);

    lab.set("NEWSLODE__TELEMETRY__TRACE_RATIO", "1");
    lab.ok(&lab.mining("traced", &[])).await;
    follow(&collector, lab.gold().first().unwrap(), Some("newslode")).await;
}
