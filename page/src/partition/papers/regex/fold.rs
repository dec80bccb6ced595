//! Finds what to fold, fast.
//!
//! Exact repeats of a length are runs of S[i] = S[i+len] at least that long: one scan for each length. For near
//! repeats a window is aligned only if it shares enough symbols, counted with multiplicity, with what follows
//! it: at distance d all but d symbols of the pattern are in both. The counts are updated in O(1) per step.

use rustc_hash::FxHashMap;

use super::pattern::{PatternSlot, consensus, literal_pattern, longest_window, nearest_window};
use super::{Folding, MAX_PATTERN};

/// A run to fold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FoldRun {
    pub(super) start: usize,
    /// Lengths of its windows.
    pub(super) windows: Vec<usize>,
    pub(super) pattern: Vec<PatternSlot>,
    /// Number of edits in the consensus.
    pub(super) edits: u32,
}

impl FoldRun {
    /// Starts with one window and extends to the right as long as windows are near.
    pub(super) fn extended_right(symbols: &[u32], start: usize, length: usize) -> FoldRun {
        let mut run = FoldRun {
            start,
            windows: vec![length],
            pattern: literal_pattern(&symbols[start..start + length]),
            edits: 0,
        };
        let mut end = start + length;
        while let Some(window) = nearest_window(&run.pattern, &symbols[end..], false) {
            run.pattern = consensus(&run.pattern, &symbols[end..end + window.length]);
            run.windows.push(window.length);
            run.edits += window.distance;
            end += window.length;
        }
        run
    }

    /// Extends the run to the left.
    pub(super) fn extended_left(mut self, symbols: &[u32]) -> FoldRun {
        let mut before: Vec<u32> = symbols[..self.start].iter().rev().copied().collect();
        self.pattern.reverse();
        while let Some(window) = nearest_window(&self.pattern, &before, false) {
            self.pattern = consensus(&self.pattern, &before[..window.length]);
            self.windows.insert(0, window.length);
            self.edits += window.distance;
            self.start -= window.length;
            before.drain(..window.length);
        }
        self.pattern.reverse();
        self
    }

    fn symbol_count(&self) -> usize {
        self.windows.iter().sum()
    }

    /// Approximate cost: cells of the alignments, each worth several steps of simpler loops.
    fn steps(&self) -> u64 {
        (8 * self.windows.len() * self.pattern.len() * longest_window(self.pattern.len())) as u64
    }

    /// Whether this run has fewer edits for its length; on a tie, is longer, has the shorter pattern, is further left.
    pub(super) fn is_better(&self, other: &FoldRun) -> bool {
        let rate = |run: &FoldRun, over: &FoldRun| u64::from(run.edits) * over.symbol_count() as u64;
        let key = |run: &FoldRun| (std::cmp::Reverse(run.symbol_count()), run.windows[0], run.start);
        rate(self, other).cmp(&rate(other, self)).then_with(|| key(self).cmp(&key(other))).is_lt()
    }
}

/// Folds a sequence of symbols until nothing repeats or `steps`, which are counted down, run out.
pub(crate) fn infer_groups(symbols: &[u32], steps: &mut u64) -> Folding {
    let mut folded = Folding::new(symbols);
    loop {
        let run = exact_run(&folded.symbols, steps).or_else(|| near_run(&folded.symbols, steps));
        if *steps == 0 {
            folded.is_cut = true;
            return folded;
        }
        let Some(run) = run else { return folded };
        folded.fold_windows(&run.pattern, run.start, &run.windows);
    }
}

/// The shortest exactly repeated window, of those the leftmost, extended by near windows on both sides.
fn exact_run(symbols: &[u32], steps: &mut u64) -> Option<FoldRun> {
    let most = MAX_PATTERN.min(symbols.len() / 2);
    (1..=most).find_map(|length| {
        *steps = steps.saturating_sub(symbols.len() as u64);
        let start = first_repeat(symbols, length)?;
        let run = FoldRun::extended_right(symbols, start, length).extended_left(symbols);
        *steps = steps.saturating_sub(run.steps());
        Some(run)
    })
}

/// The start of the first window of this length that is repeated right after itself.
fn first_repeat(symbols: &[u32], length: usize) -> Option<usize> {
    let mut equal = 0;
    for (at, (a, b)) in symbols.iter().zip(&symbols[length..]).enumerate() {
        equal = if a == b { equal + 1 } else { 0 };
        if equal == length {
            return Some(at + 1 - length);
        }
    }
    None
}

/// The best run of windows that are near one another.
fn near_run(symbols: &[u32], steps: &mut u64) -> Option<FoldRun> {
    let most = MAX_PATTERN.min(symbols.len() / 2);
    let mut best: Option<FoldRun> = None;
    for length in 2..=most {
        for start in likely_starts(symbols, length) {
            let run = FoldRun::extended_right(symbols, start, length);
            *steps = steps.saturating_sub(run.steps());
            if *steps == 0 {
                return None;
            }
            if run.windows.len() > 1 && best.as_ref().is_none_or(|best| run.is_better(best)) {
                best = Some(run);
            }
        }
        *steps = steps.saturating_sub(symbols.len() as u64);
    }
    best
}

/// Starts of windows that share enough symbols with what follows them.
fn likely_starts(symbols: &[u32], length: usize) -> Vec<usize> {
    let reach = longest_window(length);
    // A window of w symbols at distance d ≤ max(length, w)/3 shares at least length − d with the pattern.
    let enough = length - reach / 3;
    // A window and the `reach` symbols after it slide along the sequence together.
    let mut shared = SharedSymbols::default();
    symbols[..length].iter().for_each(|&symbol| shared.change(symbol, 1, 0));
    symbols[length..].iter().take(reach).for_each(|&symbol| shared.change(symbol, 0, 1));
    let mut found = Vec::new();
    for start in 0..=symbols.len() - 2 * length {
        if start > 0 {
            shared.change(symbols[start - 1], -1, 0);
            shared.change(symbols[start + length - 1], 1, -1);
            if let Some(&last) = symbols.get(start + length + reach - 1) {
                shared.change(last, 0, 1);
            }
        }
        if shared.common as usize >= enough {
            found.push(start);
        }
    }
    found
}

/// The symbols of two stretches, with multiplicity.
#[derive(Default)]
struct SharedSymbols {
    counts: FxHashMap<u32, (i32, i32)>,
    common: i32,
}

impl SharedSymbols {
    fn change(&mut self, symbol: u32, here: i32, there: i32) {
        let counts = self.counts.entry(symbol).or_default();
        self.common -= counts.0.min(counts.1);
        *counts = (counts.0 + here, counts.1 + there);
        self.common += counts.0.min(counts.1);
    }
}
