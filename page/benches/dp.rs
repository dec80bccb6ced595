//! How far the dynamic program is from its additions, and from its plain transcription.
//!
//! `cargo bench -p newslode-page --bench dp`. Read it as ratios inside one run: `fast` at 1,000
//! leaves against `additions` at 1,000 (the limit is 4), `plain` at 200 against `fast` at 200 (at least 200).
//! The tables take 4 bytes per leaf squared.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use newslode_page::Page;
use newslode_page::partition::measure::{Dp, additions, made_page};

fn page(leaves: usize) -> Page {
    let url = "https://news.example.org/".parse().expect("a URL");
    Page::parse(&url, Some("text/html; charset=utf-8"), made_page(leaves).as_bytes())
}

fn dp(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("dp");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    for leaves in [200usize, 500, 1_000, 2_000] {
        let page = page(leaves);
        let dp = Dp::new(&page, 0..leaves);
        group.throughput(Throughput::Elements((leaves as u64).pow(3) / 6));
        group.bench_function(BenchmarkId::new("additions", leaves), |b| {
            b.iter(|| additions(black_box(leaves)));
        });
        group.bench_function(BenchmarkId::new("fast", leaves), |b| b.iter(|| black_box(&dp).fast()));
        if leaves == 200 {
            group.bench_function(BenchmarkId::new("plain, costs known", leaves), |b| {
                b.iter(|| black_box(&dp).plain_known());
            });
            group.bench_function(BenchmarkId::new("plain", leaves), |b| b.iter(|| black_box(&dp).plain()));
        }
    }
    group.finish();
}

criterion_group!(benches, dp);
criterion_main!(benches);
