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
    /// Where each bar leads; none, if the chart only shows.
    pub(crate) links: Vec<String>,
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
        // The parts of a picture are nothing to read or follow, so a chart with links is a group.
        let role = if self.links.is_empty() { "img" } else { "group" };
        let bar = |at: usize, value: u64| {
            let (x, wide) = (at * step, step.saturating_sub(3).max(1));
            let height = (value * HEIGHT).div_ceil(most);
            html! {
                rect.ground x=(x) y=(TOP) width=(wide) height=(HEIGHT) {}
                rect x=(x) y=(TOP + HEIGHT - height) width=(wide) height=(height) {}
                @if value > 0 {
                    text.count x=(x + wide / 2) y=(TOP - 5 + HEIGHT - height) text-anchor="middle" { (value) }
                }
            }
        };
        html! {
            svg.chart viewBox=(format!("0 0 {WIDTH} {}", TOP + HEIGHT + 26)) role=(role) aria-label=(self.about) {
                @for (at, (name, value)) in self.values.iter().enumerate() {
                    @if let Some(address) = self.links.get(at).filter(|_| *value > 0) {
                        a href=(address) aria-label={ (name) ": " (value) } { title { (name) ": " (value) } (bar(at, *value)) }
                    } @else {
                        g { title { (name) ": " (value) } (bar(at, *value)) }
                    }
                    @if at.is_multiple_of(self.every) {
                        @let middle = at * step + step.saturating_sub(3).max(1) / 2;
                        @let (x, anchor) = if at == 0 { (0, "start") } else { (middle, "middle") };
                        text x=(x) y=(TOP + HEIGHT + 20) text-anchor=(anchor) { (name) }
                    }
                }
            }
        }
    }
}

/// A small chart of articles by day, the last day last, which leads to their list.
pub(crate) fn day_chart(days: &[u64], what: &str, address: &str) -> Markup {
    const BAR: usize = 8;
    const HEIGHT: u64 = 24;
    let most = days.iter().copied().max().unwrap_or(0).max(1);
    let (last, before) = days.split_last().map_or((0, days), |(last, before)| (*last, before));
    let before: Vec<String> = before.iter().map(u64::to_string).collect();
    let about = format!("{what}: {last} on the last day, {} on the days before", before.join(", "));
    html! {
        a.days href=(address) aria-label=(about) title=(about) {
            svg viewBox=(format!("0 0 {} {HEIGHT}", days.len() * BAR)) aria-hidden="true" {
                @for (at, count) in days.iter().enumerate() {
                    // A day without articles is a line.
                    @let height = (count * HEIGHT).div_ceil(most).max(1);
                    rect.last[at + 1 == days.len()] x=(at * BAR) y=(HEIGHT - height) width=(BAR - 2) height=(height) {}
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
