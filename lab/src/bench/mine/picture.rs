//! Draws the miner's growth curves: pages per second over call size, folds over sites, memory over pages.

use super::MineReport;
use crate::bench::svg::{Curve, Panel, drawn};

const GREY: &str = "#888888";
const GREEN: &str = "#0b6e4f";
const ORANGE: &str = "#b8470b";
const BLUE: &str = "#2b4c9b";

/// Draws a panel for each measurement that was made.
pub(crate) fn svg(report: &MineReport) -> String {
    let color = |store: &str| if store == "redis" { ORANGE } else { GREEN };
    let mut panels = Vec::new();
    if !report.applies.is_empty() {
        let curves = report.applies.iter().map(|store| Curve {
            name: format!("{}, sites side by side", store.store),
            color: color(store.store),
            points: store
                .rows
                .iter()
                .filter(|row| row.at_once > 1)
                .map(|row| (row.batch as f64, row.pages_per_second))
                .collect(),
        });
        panels.push(Panel {
            title: "pages counted per second",
            below: "pages of a call",
            curves: curves.collect(),
        });
    }
    if !report.folds.is_empty() {
        let curve = |name: &str, color, value: &dyn Fn(&super::folds::Folds) -> f64| Curve {
            name: name.to_owned(),
            color,
            points: report.folds.iter().map(|row| (row.sites as f64, value(row))).collect(),
        };
        let curves = vec![
            curve("reading all sites", GREY, &|row| row.read_ms),
            curve("fold from scratch", ORANGE, &|row| row.fold_ms),
            curve("reading and folding when ten changed", GREEN, &|row| {
                row.again_read_ms + row.again_fold_ms
            }),
        ];
        panels.push(Panel { title: "the fold, ms", below: "sites", curves });
    }
    if !report.soaks.is_empty() {
        let mut curves = Vec::new();
        for soak in &report.soaks {
            let points = |value: &dyn Fn(&super::soak::Look) -> u64| {
                let mib = |look: &super::soak::Look| value(look) as f64 / f64::from(1 << 20);
                soak.looks
                    .iter()
                    .map(|look| (look.pages as f64, mib(look)))
                    .filter(|(_, y)| *y > 0.0)
                    .collect()
            };
            let store = soak.store;
            let process = points(&|look| look.resident_bytes.unwrap_or(0));
            let is_redis = store == "redis";
            let dark = if is_redis { BLUE } else { GREY };
            curves.push(Curve { name: format!("{store}: this process"), color: dark, points: process });
            let state = points(&|look| look.state_bytes);
            curves.push(Curve { name: format!("{store}: the state"), color: color(store), points: state });
        }
        panels.push(Panel { title: "memory, MiB", below: "pages counted", curves });
    }
    drawn(&panels)
}

#[cfg(test)]
mod tests {
    use super::super::{Applies, MineReport};
    use super::*;
    use crate::bench::mine::applies::Row;

    #[test]
    fn what_was_measured_is_drawn() {
        let row = |batch, at_once| Row { batch, at_once, pages_per_second: batch as f64 * 100.0, times: 1.0 };
        let rows = vec![row(1, 1), row(1, 4), row(64, 4)];
        let applies = vec![Applies { store: "redb", pages: 9, counters_per_page: 3.0, rows }];
        let drawn = svg(&MineReport { applies, ..MineReport::default() });
        assert_eq!((drawn.matches("<polyline").count(), drawn.matches("<circle").count()), (1, 2));
        assert_eq!(svg(&MineReport::default()).matches("<circle").count(), 0);
    }
}
