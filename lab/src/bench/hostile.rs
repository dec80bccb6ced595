//! How long pages made to hurt take, which limits they meet, and what the process holds then.
//!
//! Each page takes part once by each preset, and by the paper's program over the whole page: from the parsed page to the
//! hierarchy, with the default budget of steps.

use std::time::Instant;

use newslode_page::Page;
use newslode_page::partition::{PaperParams, Params, Scope, hierarchy};
use newslode_page::reading::CanonicalUrl;
use newslode_page::training::measure::hostile_pages;
use serde::Serialize;

use super::memory::held;

/// One page.
#[derive(Debug, Serialize)]
pub(crate) struct HostileRow {
    pub(crate) page: &'static str,
    pub(crate) bytes: usize,
    pub(crate) leaves: usize,
    pub(crate) parse_ms: f64,
    pub(crate) ways: Vec<HostileWay>,
}

/// The hierarchy of a page by one set of parameters.
#[derive(Debug, Serialize)]
pub(crate) struct HostileWay {
    pub(crate) params: &'static str,
    pub(crate) ms: f64,
    pub(crate) nodes: usize,
    /// Limits that were met.
    pub(crate) coarse: Vec<String>,
    /// What the process holds afterwards, if the system says so.
    pub(crate) resident_bytes: Option<u64>,
}

/// Measures all pages, and passes each row to `show` when it is complete.
pub(crate) fn measure(mut show: impl FnMut(HostileRow) -> anyhow::Result<()>) -> anyhow::Result<()> {
    let url: CanonicalUrl = "https://news.example.org/".parse()?;
    let whole = PaperParams { scope: Scope::Page, ..PaperParams::default() };
    let ways = [
        ("default", Params::default()),
        ("paper", Params::paper()),
        ("paper, scope page", Params { papers: whole, ..Params::paper() }),
    ];
    for hostile in hostile_pages() {
        let started = Instant::now();
        let page = Page::parse(&url, None, hostile.html.as_bytes());
        let parse_ms = started.elapsed().as_secs_f64() * 1e3;
        let way = |(params, values): &(&'static str, Params)| {
            let started = Instant::now();
            let made = hierarchy(&page, values);
            let ms = started.elapsed().as_secs_f64() * 1e3;
            let (nodes, coarse) = (made.nodes.len(), made.coarse);
            HostileWay { params, ms, nodes, coarse, resident_bytes: held("VmRSS:") }
        };
        let ways = ways.iter().map(way).collect();
        let (bytes, leaves) = (hostile.html.len(), page.leaves.len());
        show(HostileRow { page: hostile.name, bytes, leaves, parse_ms, ways })?;
    }
    Ok(())
}
