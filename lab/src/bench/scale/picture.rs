//! Draws how costs grow with the pages of a site.

use super::Scale;
use crate::bench::svg::{Curve, Panel, drawn};

const GREEN: &str = "#0b6e4f";
const ORANGE: &str = "#b8470b";
const BLUE: &str = "#2b4c9b";
const GREY: &str = "#888888";

/// A panel for time, one for memory.
pub(crate) fn svg(rows: &[Scale]) -> String {
    let curve = |name: &str, color, value: &dyn Fn(&Scale) -> f64| Curve {
        name: name.to_owned(),
        color,
        points: rows.iter().map(|row| (row.pages_per_site as f64, value(row).max(1e-4))).collect(),
    };
    let below = "pages of each site";
    drawn(&[
        Panel {
            title: "processor time of a changed page, ms",
            below,
            curves: vec![
                curve("counting it, Redis", GREY, &|row| row.apply_server_ms),
                curve("following the log, Redis", GREEN, &|row| row.follow_server_ms),
                curve("following the log, miner", BLUE, &|row| row.follow_client_ms),
                curve("reading the whole site, miner", ORANGE, &|row| row.read_client_ms),
            ],
        },
        Panel {
            title: "memory",
            below,
            curves: vec![
                curve("bytes of Redis for a page", GREY, &|row| row.redis_bytes_per_page),
                curve("KiB that a miner keeps of a site", BLUE, &|row| row.kept_bytes / 1024.0),
            ],
        },
    ])
}
