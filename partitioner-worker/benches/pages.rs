//! The whole path from bytes to hierarchy against the parse alone.
//!
//! `NEWSLODE_BENCH_PAGES=FOLDER cargo bench -p newslode-partitioner --bench pages`: all `*.html` of the folder;
//! without it, made pages. Prints the ratio of every page, each the least of several runs that take turns,
//! then the median; criterion then measures the page of median size by itself.

#![allow(clippy::print_stdout, reason = "a bench talks to its user")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use newslode_common::page::{CanonicalUrl, PageTree, decode};
use newslode_partitioner::partition::hierarchy;
use newslode_partitioner::partition::measure::made_page;
use newslode_partitioner::work::limits;
use newslode_partitioner::{Page, Params};

const RUNS: u32 = 7;

struct Input {
    name: String,
    bytes: Vec<u8>,
}

fn inputs() -> Vec<Input> {
    let Some(folder) = std::env::var_os("NEWSLODE_BENCH_PAGES") else {
        let made =
            |leaves: usize| Input { name: format!("{leaves} leaves"), bytes: made_page(leaves).into_bytes() };
        return [200, 500, 1_000, 2_000, 5_000].map(made).into();
    };
    let files = std::fs::read_dir(folder).expect("the folder of the pages");
    let files = files.map(|entry| entry.expect("an entry of the folder").path());
    let is_page = |path: &std::path::PathBuf| path.extension().is_some_and(|end| end == "html");
    let read = |path: std::path::PathBuf| Input {
        name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
        bytes: std::fs::read(&path).expect("a page that can be read"),
    };
    let mut inputs: Vec<Input> = files.filter(is_page).map(read).collect();
    inputs.sort_by(|a, b| a.name.cmp(&b.name));
    inputs
}

fn parse(html: &str) -> PageTree {
    PageTree::parse(html, &limits())
}

fn whole(url: &CanonicalUrl, bytes: &[u8], params: &Params) -> usize {
    hierarchy(&Page::parse(url, None, bytes, &limits()), params).nodes.len()
}

fn time(run: impl FnOnce()) -> Duration {
    let started = Instant::now();
    run();
    started.elapsed()
}

fn main() {
    let url: CanonicalUrl = "https://news.example.org/".parse().expect("a URL");
    let params = Params::default();
    let mut inputs = inputs();
    let (mut ratios, mut page_ratios) = (Vec::new(), Vec::new());
    for input in &inputs {
        let html = decode(&input.bytes, None).text;
        let [mut alone, mut page, mut all] = [Duration::MAX; 3];
        for _ in 0..RUNS {
            alone = alone.min(time(|| drop(black_box(parse(&html)))));
            page = page.min(time(|| drop(black_box(Page::parse(&url, None, &input.bytes, &limits())))));
            all = all.min(time(|| {
                black_box(whole(&url, &input.bytes, &params));
            }));
        }
        let ratio = all.as_secs_f64() / alone.as_secs_f64();
        println!(
            "{:44} parse {alone:10.2?} with leaves and language {page:10.2?} whole {all:10.2?} ratio {ratio:5.2}",
            input.name
        );
        ratios.push(ratio);
        page_ratios.push(page.as_secs_f64() / alone.as_secs_f64());
    }
    ratios.sort_by(f64::total_cmp);
    page_ratios.sort_by(f64::total_cmp);
    let middle = ratios.len() / 2;
    println!(
        "median ratio {:.2} of {} pages; without the hierarchy {:.2}",
        ratios[middle],
        ratios.len(),
        page_ratios[middle]
    );

    inputs.sort_by_key(|input| input.bytes.len());
    let middle = &inputs[inputs.len() / 2];
    let html = decode(&middle.bytes, None).text;
    let mut criterion = Criterion::default().sample_size(20).configure_from_args();
    let mut group = criterion.benchmark_group("page");
    group.throughput(Throughput::Bytes(middle.bytes.len() as u64));
    group.bench_function("parse alone", |b| b.iter(|| parse(black_box(&html))));
    group.bench_function("whole default path", |b| b.iter(|| whole(&url, black_box(&middle.bytes), &params)));
    group.finish();
    criterion.final_summary();
}
