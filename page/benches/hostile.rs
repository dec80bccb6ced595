//! How long hostile pages take, and which limits they meet.
//!
//! `cargo bench -p newslode-page --bench hostile`. Each page once by each preset, and by the paper's
//! over the whole page; from bytes to hierarchy, with the default budget of steps.

#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a bench reads the clock and talks to its user"
)]

use std::time::Instant;

use newslode_page::partition::{PaperParams, Scope, hierarchy};
use newslode_page::reading::CanonicalUrl;
use newslode_page::training::measure::hostile_pages;
use newslode_page::{Page, Params};

fn main() {
    let url: CanonicalUrl = "https://news.example.org/".parse().expect("a URL");
    let ways = [
        ("default", Params::default()),
        ("paper", Params::paper()),
        (
            "paper, scope page",
            Params {
                papers: PaperParams { scope: Scope::Page, ..PaperParams::default() },
                ..Params::paper()
            },
        ),
    ];
    for hostile in hostile_pages() {
        let started = Instant::now();
        let page = Page::parse(&url, None, hostile.html.as_bytes());
        let parse = started.elapsed();
        println!(
            "{}: {} bytes, {} leaves, parsed in {parse:.0?}, resident {} MiB",
            hostile.name,
            hostile.html.len(),
            page.leaves.len(),
            resident_mib()
        );
        for (name, params) in &ways {
            let started = Instant::now();
            let made = hierarchy(&page, params);
            println!(
                "    {name:20} {:8.0?} {} nodes, coarse: {:?}, resident {} MiB",
                started.elapsed(),
                made.nodes.len(),
                made.coarse,
                resident_mib()
            );
        }
    }
}

/// What the process holds, where the system tells.
fn resident_mib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or_default() / 1024
}
