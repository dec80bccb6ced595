//! Measures templates, for `newslode-lab bench templates`.
//!
//! It measures generated pages of one layout, or those of a folder: the restricted top-down distance against
//! the textbook's on pairs of about a thousand vertices, its growth with the vertices, and the time to learn
//! templates from a site's pages. Methods take turns, and the shortest time counts.

use std::hint::black_box;
use std::time::Instant;

use newslode_page::Page;
use newslode_page::template::distance::Distances;
use newslode_page::template::shape::{PageShape, Shapes};
use newslode_page::template::{induce_templates, plain};
use serde::Serialize;

use super::sample::{Sample, parsed};
use super::svg::{Curve, Panel, drawn};

/// Number of pages to compare, preferred number of vertices in pages of a folder, and number of rounds.
const PAGES: usize = 6;
const VERTICES: usize = 1_000;
const ROUNDS: usize = 5;
/// Numbers of entries in the generated pages that measure growth.
const SIZES: [usize; 6] = [50, 100, 200, 400, 800, 1_600];
/// Maximum number of vertices for the textbook's distance; above, it takes seconds.
const PLAIN: usize = 3_000;
/// Number of pages of the site to learn; pages of a folder are repeated.
const SITE: usize = 1_000;

/// Time of one distance by the vertices of one page.
#[derive(Debug, Serialize)]
pub(crate) struct Point {
    pub(crate) vertices: usize,
    pub(crate) microseconds: f64,
    /// Time of the textbook's distance, for pages that are small enough for it.
    pub(crate) plain_microseconds: Option<f64>,
}

/// All measurements.
#[derive(Debug, Serialize)]
pub(crate) struct Rtdm {
    /// Mean number of vertices of the compared pages.
    pub(crate) vertices: usize,
    /// Milliseconds for all pairs: RTDM, then the textbook's top-down distance.
    pub(crate) rtdm_ms: f64,
    pub(crate) plain_ms: f64,
    /// `plain_ms` over `rtdm_ms`.
    pub(crate) ratio: f64,
    pub(crate) growth: Vec<Point>,
    /// Number of pages of a site, and the seconds to learn templates from them, without the parse.
    pub(crate) site_pages: usize,
    pub(crate) induce_s: f64,
    pub(crate) templates: usize,
}

/// Measures on these pages, or on generated ones.
pub(crate) fn rtdm(samples: &[Sample]) -> anyhow::Result<Rtdm> {
    let pages = match samples {
        [] => (0..PAGES).map(|number| made(number, 80)).collect::<anyhow::Result<Vec<_>>>()?,
        samples => samples.iter().map(|sample| parsed(&sample.bytes)).collect::<anyhow::Result<_>>()?,
    };
    let mut shapes = Shapes::default();
    let mut trees: Vec<PageShape> = pages.iter().map(|page| shapes.page_shape(page)).collect();
    trees.sort_by_key(|tree| tree.vertices.len().abs_diff(VERTICES));
    trees.truncate(PAGES);
    let pairs: Vec<(&PageShape, &PageShape)> = (0..trees.len())
        .flat_map(|a| (a + 1..trees.len()).map(move |b| (a, b)))
        .map(|(a, b)| (&trees[a], &trees[b]))
        .collect();
    let (mut fast, mut slow) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        // Keep nothing from one pair to the next.
        fast = fast.min(seconds(|| {
            for (a, b) in &pairs {
                black_box(Distances::default().cost_within(&shapes, a.class(), b.class(), u32::MAX));
            }
        }));
        slow = slow.min(seconds(|| {
            for (a, b) in &pairs {
                black_box(plain::top_down_distance(&shapes, a, b, false));
            }
        }));
    }
    let learnt = match samples {
        [] => (0..SITE).map(|number| made(number, 20)).collect::<anyhow::Result<Vec<Page>>>()?,
        _ => pages,
    };
    let site: Vec<&Page> = learnt.iter().cycle().take(SITE).collect();
    let mut templates = 0;
    let induce_s = seconds(|| templates = induce_templates(&site).templates.len());
    Ok(Rtdm {
        vertices: trees.iter().map(|tree| tree.vertices.len()).sum::<usize>() / trees.len().max(1),
        rtdm_ms: fast * 1e3,
        plain_ms: slow * 1e3,
        ratio: slow / fast.max(1e-9),
        growth: growth()?,
        site_pages: SITE,
        induce_s,
        templates,
    })
}

fn growth() -> anyhow::Result<Vec<Point>> {
    let point = |size: &usize| {
        let mut shapes = Shapes::default();
        let [a, b] = [made(1, *size)?, made(2, *size)?].map(|page| shapes.page_shape(&page));
        let once = || {
            seconds(|| {
                black_box(Distances::default().cost_within(&shapes, a.class(), b.class(), u32::MAX));
            })
        };
        let least = (0..ROUNDS).map(|_| once()).fold(f64::INFINITY, f64::min);
        let vertices = a.vertices.len();
        let plain = || seconds(|| _ = black_box(plain::top_down_distance(&shapes, &a, &b, false))) * 1e6;
        let plain_microseconds = (vertices <= PLAIN).then(plain);
        Ok(Point { vertices, microseconds: least * 1e6, plain_microseconds })
    };
    SIZES.iter().map(point).collect()
}

/// Draws the growth of both distances.
pub(crate) fn rtdm_svg(report: &Rtdm) -> String {
    let curve = |name: &str, color, value: &dyn Fn(&Point) -> Option<f64>| Curve {
        name: name.to_owned(),
        color,
        points: report
            .growth
            .iter()
            .filter_map(|point| Some((point.vertices as f64, value(point)?)))
            .collect(),
    };
    let curves = vec![
        curve("textbook's top-down distance", "#b8470b", &|point| Some(point.plain_microseconds? / 1e3)),
        curve("RTDM", "#0b6e4f", &|point| Some(point.microseconds / 1e3)),
    ];
    drawn(&[Panel {
        title: "distance of two pages of one template, ms",
        below: "vertices of a page",
        curves,
    }])
}

fn seconds(work: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    work();
    begun.elapsed().as_secs_f64()
}

/// Makes a page of one layout: lists of entries that all pages share, and a story of its own.
fn made(number: usize, entries: usize) -> anyhow::Result<Page> {
    let shared: String = (0..entries.max(20))
        .map(|n| format!("<li><a href=/{n}><b>Section {n}</b></a> <i>all of it</i></li>"))
        .collect();
    // Boxes of related stories differ in their texts.
    let story: String = (0..8 + entries / 50)
        .map(|n| format!("<p>Sentence {n} of story {number}, <b>bold {n}</b> and plain.</p>"))
        .collect();
    let more: String =
        (0..number % 4).map(|n| format!("<div><h3>More {n}</h3><p>On story {number}</p></div>")).collect();
    parsed(
        format!("<body><ul>{shared}</ul><div><h1>Story {number}</h1><div>{story}</div></div>{more}<ol>{shared}</ol>")
            .as_bytes(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_pages_are_of_one_layout() {
        let pages: Vec<Page> = (0..6).map(|number| made(number, 20).unwrap()).collect();
        assert_eq!(induce_templates(&pages.iter().collect::<Vec<_>>()).templates.len(), 1);
    }

    #[test]
    fn both_ways_are_drawn() {
        let point = |vertices, plain_microseconds| Point { vertices, microseconds: 9.0, plain_microseconds };
        let growth = vec![point(500, Some(700.0)), point(5_000, None)];
        let report = Rtdm {
            vertices: 500,
            rtdm_ms: 1.0,
            plain_ms: 9.0,
            ratio: 9.0,
            growth,
            site_pages: 1,
            induce_s: 0.1,
            templates: 1,
        };
        assert_eq!(rtdm_svg(&report).matches("<circle").count(), 3);
    }
}
