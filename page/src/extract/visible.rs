//! The lines that readers see near the headline, after it and before it.
//!
//! "Near" means within some lines; those close after the headline come first. What readers wrote is not looked at: its
//! names and days are not the story's.

use std::cell::OnceCell;

use crate::reading::NodeId;

use super::runs::Runs;
use super::threads::Threads;
use crate::Page;

/// How many runs after and before the headline are near, and how many on both sides are nearest.
const BEHIND: usize = 25;
const BEFORE: usize = 10;
const NEAREST: usize = 5;
/// Most words of a date or byline.
const MOST_WORDS: f32 = 16.0;

/// The lines of a page and that of its headline.
pub(super) struct Visible<'a> {
    page: &'a Page,
    runs: &'a Runs,
    headline: usize,
    threads: OnceCell<Threads>,
}

impl<'a> Visible<'a> {
    pub(super) fn new(page: &'a Page, runs: &'a Runs, title: Option<&str>) -> Visible<'a> {
        let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        let title_letters = title.map(letters).filter(|title| !title.is_empty());
        let is_in_h1 = |node: NodeId| page.tree.is_inside(node, &["h1"]);
        let is_title = |text: &str| title_letters.as_ref().is_some_and(|title| letters(text) == *title);
        let of_h1 = runs.runs.iter().position(|run| is_in_h1(run.block) && is_title(&run.text));
        let headline = of_h1.or_else(|| runs.runs.iter().position(|run| is_title(&run.text)));
        let headline = headline.or_else(|| runs.runs.iter().position(|run| is_in_h1(run.block))).unwrap_or(0);
        Visible { page, runs, headline, threads: OnceCell::new() }
    }

    /// The numbers of the runs near the headline: the nearest after it, the nearest before it, then those
    /// further away.
    pub(super) fn near_runs(&self) -> impl Iterator<Item = usize> {
        let behind = |count: usize| (self.headline + count).min(self.runs.runs.len());
        let before = |count: usize| self.headline.saturating_sub(count);
        let near = (self.headline..behind(NEAREST)).chain((before(NEAREST)..self.headline).rev());
        let near = near.chain(behind(NEAREST)..behind(BEHIND));
        near.chain((before(BEFORE)..before(NEAREST)).rev()).filter(|number| !self.is_of_readers(*number))
    }

    /// The numbers of all runs: those near, then those behind, then those before.
    pub(super) fn by_nearness(&self) -> impl Iterator<Item = usize> {
        let behind = (self.headline + BEHIND).min(self.runs.runs.len())..self.runs.runs.len();
        let before = 0..self.headline.saturating_sub(BEFORE);
        let far = behind.chain(before.rev()).filter(|number| !self.is_of_readers(*number));
        self.near_runs().chain(far)
    }

    /// The parts in which readers write.
    pub(super) fn threads(&self) -> &Threads {
        self.threads.get_or_init(|| Threads::new(self.page, self.runs, self.headline))
    }

    /// Whether a run is what a reader wrote.
    fn is_of_readers(&self, number: usize) -> bool {
        self.threads().hold(self.runs.runs[number].first)
    }

    pub(super) fn runs(&self) -> &'a Runs {
        self.runs
    }

    /// The number of the run that is the headline.
    pub(super) fn headline(&self) -> usize {
        self.headline
    }

    /// The short texts near the headline.
    pub(super) fn near_texts(&self) -> impl Iterator<Item = &'a str> {
        let runs = self.runs;
        let short = move |number: usize| {
            (runs.runs[number].words <= MOST_WORDS).then_some(runs.runs[number].text.as_str())
        };
        self.near_runs().filter_map(short)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    #[test]
    fn the_nearest_lines_come_first() {
        let lines: String = (0..60).map(|number| format!("<p>{number}")).collect();
        let page = page(&lines.replace("<p>30", "<h1>Bridge</h1>"));
        let runs = Runs::new(&page);
        let visible = Visible::new(&page, &runs, Some("Bridge"));
        assert_eq!(visible.headline(), 30);
        let near: Vec<usize> = visible.near_runs().collect();
        assert_eq!((near[..6].to_vec(), near[9], near[10]), (vec![30, 31, 32, 33, 34, 29], 25, 35));
        let mut all: Vec<usize> = visible.by_nearness().collect();
        assert_eq!((all[..near.len()] == near[..], all.len()), (true, 60));
        all.sort_unstable();
        assert!(all.into_iter().eq(0..60));
    }
}
