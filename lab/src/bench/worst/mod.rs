//! How work grows on pages and sites made to be the worst: for `newslode-lab bench worst`.
//!
//! Each kind of page is measured at three sizes, each twice the one before, stage by stage. Work that is linear takes four
//! times as long at four times the size. Steps of learning are counted, too: they are the same on every machine. Then each kind
//! becomes a site of 12, 24 and 48 pages, and the time a page should stay the same. Start at [`measure`].

mod pages;
mod sites;

use std::hint::black_box;
use std::time::Instant;

use newslode_page::contribution::Contribution;
use newslode_page::discovery::declared_address;
use newslode_page::hierarchy::xml;
use newslode_page::reading::CanonicalUrl;
use newslode_page::template::induce_templates;
use newslode_page::time::Timestamp;
use newslode_page::wisdom::{SiteTerms, WisdomParams, find_blocks};
use newslode_page::{Page, Params, SiteKnowledge, article, contribution, hierarchy, tables, tags};
use serde::Serialize;

use self::pages::{PAGES, WorstPage};
pub(crate) use self::sites::WorstSite;
use self::sites::measure_site;

/// The factors on the smallest size.
const SIZES: [usize; 3] = [1, 2, 4];
/// Runs of each stage, of which the shortest counts; one run is enough from this number of milliseconds on.
const RUNS: usize = 5;
const LONG_MS: f64 = 500.0;
/// Pages of one kind that are learnt as one site.
const SIBLINGS: u64 = 4;
const NOW: Timestamp = Timestamp(1_795_000_000_000);

/// What is measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorstSpec {
    /// Only kinds whose name contains this.
    pub(crate) only: String,
    /// The factor on the parts of all pages.
    pub(crate) times: usize,
    /// Whether to measure sites, too.
    pub(crate) sites: bool,
}

/// The stages of one kind of page at three sizes.
#[derive(Debug, Serialize)]
pub(crate) struct WorstRow {
    pub(crate) name: &'static str,
    /// Bytes of the page at each size.
    pub(crate) bytes: Vec<usize>,
    pub(crate) stages: Vec<Stage>,
    /// Steps of learning templates from four such pages, at each size.
    pub(crate) steps: Vec<u64>,
    /// The same pages as a site.
    pub(crate) site: Option<WorstSite>,
}

/// One stage of the work for a page.
#[derive(Debug, Serialize)]
pub(crate) struct Stage {
    pub(crate) name: &'static str,
    /// Milliseconds at each size.
    pub(crate) ms: Vec<f64>,
}

impl Stage {
    /// Time at the largest size over time at the smallest. Linear work has 4.
    pub(crate) fn growth(&self) -> f64 {
        let (first, last) = (self.ms.first().copied().unwrap_or(0.0), self.ms.last().copied().unwrap_or(0.0));
        last / first.max(0.05)
    }
}

/// Measures all kinds, and passes each row to `show` when it is complete.
pub(crate) async fn measure(
    spec: &WorstSpec,
    mut show: impl FnMut(WorstRow) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for kind in PAGES.iter().filter(|kind| kind.name.contains(&spec.only)) {
        let mut row = measure_page(kind, spec.times)?;
        if spec.sites {
            row.site = Some(measure_site(kind, kind.parts * spec.times).await?);
        }
        show(row)?;
    }
    Ok(())
}

fn measure_page(kind: &WorstPage, times: usize) -> anyhow::Result<WorstRow> {
    let mut row =
        WorstRow { name: kind.name, bytes: Vec::new(), stages: Vec::new(), steps: Vec::new(), site: None };
    for size in SIZES {
        let htmls: Vec<String> =
            (0..SIBLINGS).map(|number| kind.html(kind.parts * times * size, number)).collect();
        let urls: Vec<CanonicalUrl> = (0..SIBLINGS)
            .map(|number| format!("https://news.example.org/story/{number}").parse())
            .collect::<Result<_, _>>()?;
        row.bytes.push(htmls[0].len());
        let mut stage =
            |name: &'static str, ms: f64| match row.stages.iter_mut().find(|stage| stage.name == name) {
                Some(stage) => stage.ms.push(ms),
                None => row.stages.push(Stage { name, ms: vec![ms] }),
            };
        let (page, ms) = timed(|| Page::parse(&urls[0], None, htmls[0].as_bytes()));
        stage("parse", ms);
        let (tree, ms) = timed(|| hierarchy(&page, &Params::default()));
        stage("hierarchy", ms);
        let (counted, ms): (Contribution, f64) = timed(|| contribution(&page, &tree));
        stage("contribution", ms);
        stage("article", timed(|| article(&page, NOW)).1);
        stage("address", timed(|| declared_address(&page)).1);
        stage("tables", timed(|| tables(&page)).1);
        stage("tags", timed(|| tags(&[&page])).1);
        let (written, ms) = timed(|| xml::write(&tree));
        stage("write", ms);
        stage("read", timed(|| xml::read(&written).is_ok()).1);
        let mut terms = SiteTerms::new(4, counted.terms.iter().map(|used| (used.term.clone(), 4, 0.5)));
        terms.add_page(urls[0].clone(), &counted.terms);
        stage("blocks", timed(|| find_blocks(&page, &terms, &WisdomParams::default())).1);
        let siblings: Vec<Page> =
            urls.iter().zip(&htmls).map(|(url, html)| Page::parse(url, None, html.as_bytes())).collect();
        let siblings: Vec<&Page> = siblings.iter().collect();
        let mut site = SiteKnowledge::default();
        stage("compare", timed(|| site.see_only(&siblings)).1);
        let (learnt, ms) = timed(|| induce_templates(&siblings));
        stage("learn", ms);
        site.set_templates(learnt.templates);
        stage("match", timed(|| site.template_of(&page)).1);
        stage("site article", timed(|| site.article(&page, NOW)).1);
        row.steps.push(learnt.steps);
    }
    Ok(row)
}

/// The result of `work` and the shortest of its times in milliseconds.
fn timed<T>(mut work: impl FnMut() -> T) -> (T, f64) {
    let mut once = || {
        let start = Instant::now();
        let made = black_box(work());
        (made, start.elapsed().as_secs_f64() * 1e3)
    };
    let (mut made, mut least) = once();
    for _ in 1..RUNS {
        if least > LONG_MS {
            break;
        }
        let (again, ms) = once();
        (made, least) = (again, least.min(ms));
    }
    (made, least)
}

#[cfg(test)]
mod tests {
    use newslode_page::template::distance::most_steps;
    use newslode_page::template::shape::Shapes;

    use super::*;

    /// Not the time, which differs from machine to machine: the steps, which do not.
    #[test]
    fn learning_the_worst_pages_takes_no_more_steps_than_their_vertices_allow() {
        const PAGES_OF_SITE: u64 = 3;
        for kind in PAGES {
            let url = "https://news.example.org/story".parse().unwrap();
            let pages: Vec<Page> = (0..PAGES_OF_SITE)
                .map(|number| Page::parse(&url, None, kind.html(kind.parts, number).as_bytes()))
                .collect();
            let pages: Vec<&Page> = pages.iter().collect();
            let mut shapes = Shapes::default();
            let largest = pages.iter().map(|page| shapes.page_shape(page).vertices.len()).max().unwrap();
            let learnt = induce_templates(&pages);
            // Three pairs are compared; two are composed, which takes as much again below the root; three pages are matched.
            let most = most_steps(2 * largest as u64) * (3 + 2 * 2 + 3);
            assert!(learnt.steps <= most, "{}: {} steps, at most {most}", kind.name, learnt.steps);
        }
    }

    #[test]
    fn pages_of_a_kind_grow_with_their_parts_and_differ_by_their_number() {
        for kind in PAGES {
            let (one, four) = (kind.html(200, 1).len(), kind.html(800, 1).len());
            assert!(four > one && four < 5 * one, "{}: {one}, {four} bytes", kind.name);
            assert_ne!(kind.html(200, 1), kind.html(200, 2), "{}", kind.name);
        }
    }
}
