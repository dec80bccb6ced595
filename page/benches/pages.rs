//! The whole path from bytes to hierarchy, and the parse alone, under criterion.
//!
//! `cargo bench -p newslode-page --bench pages`. The ratio over real pages is what `newslode bench
//! partition --pages FOLDER` measures.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use newslode_page::partition::hierarchy;
use newslode_page::partition::measure::made_page;
use newslode_page::reading::{CanonicalUrl, PageLimits, PageTree};
use newslode_page::{Page, Params};

/// Leaves of a home page of the middle size.
const LEAVES: usize = 500;

fn pages(criterion: &mut Criterion) {
    let url: CanonicalUrl = "https://news.example.org/".parse().expect("a URL");
    let params = Params::default();
    let html = made_page(LEAVES);
    let mut group = criterion.benchmark_group("page");
    group.throughput(Throughput::Bytes(html.len() as u64));
    group.bench_function("parse alone", |b| {
        b.iter(|| PageTree::parse(black_box(&html), &PageLimits::default()))
    });
    group.bench_function("whole default path", |b| {
        b.iter(|| hierarchy(&Page::parse(&url, None, black_box(html.as_bytes())), &params))
    });
    group.finish();
}

criterion_group!(benches, pages);
criterion_main!(benches);
