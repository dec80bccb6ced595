//! Counts as people compare them: large numbers, a chart of bars, and how URLs ended.

use std::collections::BTreeMap;

use maud::{Markup, Render, html};
use newslode_common::outcome::Outcome;

use super::values::Number;

/// Large numbers: where each leads, what it counts, and itself.
pub(crate) fn figure_list(figures: &[(&str, &str, u64)]) -> Markup {
    html! {
        dl.figures {
            @for (address, name, count) in figures { div { dt { (name) } dd { a href=(address) { (Number(*count)) } } } }
        }
    }
}

/// A chart of bars.
pub(crate) struct Bars<'a> {
    /// For people who do not see it.
    pub(crate) about: &'a str,
    /// A name and a value each, in order.
    pub(crate) values: Vec<(String, u64)>,
    /// Every how many bars one is named.
    pub(crate) every: usize,
}

impl Render for Bars<'_> {
    fn render(&self) -> Markup {
        const WIDTH: usize = 640;
        const HEIGHT: u64 = 120;
        // Room for a bar's value above it.
        const TOP: u64 = 24;
        let most = self.values.iter().map(|(_, value)| *value).max().unwrap_or(0).max(1);
        let step = WIDTH / self.values.len().max(1);
        html! {
            svg.chart viewBox=(format!("0 0 {WIDTH} {}", TOP + HEIGHT + 26)) role="img" aria-label=(self.about) {
                @for (at, (name, value)) in self.values.iter().enumerate() {
                    @let (x, wide) = (at * step, step.saturating_sub(3).max(1));
                    @let height = (value * HEIGHT).div_ceil(most);
                    @let middle = x + wide / 2;
                    rect.ground x=(x) y=(TOP) width=(wide) height=(HEIGHT) {}
                    rect x=(x) y=(TOP + HEIGHT - height) width=(wide) height=(height) { title { (name) ": " (value) } }
                    @if *value > 0 {
                        text.count x=(middle) y=(TOP - 5 + HEIGHT - height) text-anchor="middle" { (value) }
                    }
                    @if at.is_multiple_of(self.every) {
                        @let (x, anchor) = if at == 0 { (0, "start") } else { (middle, "middle") };
                        text x=(x) y=(TOP + HEIGHT + 20) text-anchor=(anchor) { (name) }
                    }
                }
            }
        }
    }
}

/// How URLs ended, the most frequent first; nothing if none did.
pub(crate) fn outcome_table(outcomes: &BTreeMap<Outcome, u64>) -> Option<Markup> {
    let mut outcomes: Vec<_> = outcomes.iter().filter(|(_, count)| **count > 0).collect();
    outcomes.sort_by_key(|(outcome, count)| (std::cmp::Reverse(**count), **outcome));
    (!outcomes.is_empty()).then(|| {
        html! {
            div.scroll {
                table {
                    thead { tr { th scope="col" { "Outcome" } th scope="col" { "Meaning" } th.number scope="col" { "URLs" } } }
                    tbody {
                        @for (outcome, count) in outcomes {
                            tr { th.code scope="row" { (outcome) } td { (outcome.meaning()) } td.number { (Number(*count)) } }
                        }
                    }
                }
            }
        }
    })
}
