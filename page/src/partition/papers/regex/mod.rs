//! The hierarchy of groups by inferred regular expressions (`[SP §4, Alg. 2]`).
//!
//! A segment is the sequence of its leaves' path ids. Consecutive repeats are folded into one symbol, (p)*,
//! until nothing repeats. A folded symbol is a group, the repeats are its instances, and symbols inside instances
//! are nested groups. Instances may differ from the pattern by a third of its length; the pattern is their
//! consensus, with alternatives and optional parts.
//!
//! The print leaves the order open, and its own example (`ghijhikhijhilhijhik` → g(hijhi(k|l))*) excludes the
//! first match in the order of its loops. The order here: exact repeats are folded first, the shortest pattern
//! before longer ones, the leftmost first, and the run takes in near windows on both sides. Only if nothing
//! repeats exactly, the run with the fewest edits for its length is folded (on a tie, the longer run, the shorter
//! pattern, the leftmost).
//! Invariant: the leaves of [`Folding`] are the sequence, in order. [`fold::infer_groups`] finds the same as the plain
//! transcription in the tests; [`MAX_PATTERN`] and a number of steps bound the work. Start at [`infer_groups`].

use rustc_hash::FxHashMap;

mod fold;
mod pattern;
#[cfg(test)]
mod plain;

pub(crate) use fold::infer_groups;
use pattern::PatternSlot;

/// Most symbols of a pattern: readers do not see longer stretches as instances either.
const MAX_PATTERN: usize = 64;

/// A leaf, counted from the sequence's first, or a group of instances.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FoldedPart {
    Leaf(usize),
    /// Instances, each as the indices of its parts.
    Group(Vec<Vec<usize>>),
}

/// A folded sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Folding {
    /// All parts; instances refer to earlier ones.
    pub(crate) parts: Vec<FoldedPart>,
    /// The folded sequence, as indices of parts.
    pub(crate) top: Vec<usize>,
    /// The symbols of `top`, and the expressions that folded symbols stand for.
    symbols: Vec<u32>,
    expressions: Expressions,
    /// Whether the steps ran out before everything was folded.
    pub(crate) is_cut: bool,
}

impl Folding {
    fn new(symbols: &[u32]) -> Folding {
        Folding {
            parts: (0..symbols.len()).map(FoldedPart::Leaf).collect(),
            top: (0..symbols.len()).collect(),
            symbols: symbols.to_vec(),
            expressions: Expressions::starting_above(symbols),
            is_cut: false,
        }
    }

    /// Folds consecutive windows from `start`, and all other runs that match the pattern exactly.
    fn fold_windows(&mut self, pattern: &[PatternSlot], start: usize, windows: &[usize]) {
        let end = start + windows.iter().sum::<usize>();
        let symbol = self.expressions.symbol(pattern);
        let mut runs = self.matching_runs(pattern, 0, start);
        runs.push((start, windows.to_vec()));
        runs.extend(self.matching_runs(pattern, end, self.top.len()));
        let (mut top, mut symbols) = (Vec::new(), Vec::new());
        let mut at = 0;
        for (from, windows) in runs {
            top.extend_from_slice(&self.top[at..from]);
            symbols.extend_from_slice(&self.symbols[at..from]);
            at = from;
            let mut instances = Vec::with_capacity(windows.len());
            for length in windows {
                instances.push(self.top[at..at + length].to_vec());
                at += length;
            }
            self.parts.push(FoldedPart::Group(instances));
            top.push(self.parts.len() - 1);
            symbols.push(symbol);
        }
        top.extend_from_slice(&self.top[at..]);
        symbols.extend_from_slice(&self.symbols[at..]);
        (self.top, self.symbols) = (top, symbols);
    }

    /// Maximal runs of windows that match the pattern inside a stretch, as start and lengths of the windows.
    fn matching_runs(&self, pattern: &[PatternSlot], from: usize, to: usize) -> Vec<(usize, Vec<usize>)> {
        // The symbols with which a match may begin; most windows are rejected by their first symbol.
        let first: Vec<u32> = {
            let leading =
                pattern.iter().position(|slot| !slot.is_optional).map_or(pattern.len(), |at| at + 1);
            pattern[..leading].iter().flat_map(|slot| slot.symbols.iter().copied()).collect()
        };
        let mut runs: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut at = from;
        let mut open = false;
        while at < to {
            let window = first
                .contains(&self.symbols[at])
                .then(|| pattern::nearest_window(pattern, &self.symbols[at..to], true))
                .flatten();
            match (window, runs.last_mut()) {
                (Some(window), Some((_, windows))) if open => windows.push(window.length),
                (Some(window), _) => runs.push((at, vec![window.length])),
                (None, _) => {}
            }
            open = window.is_some();
            at += window.map_or(1, |window| window.length);
        }
        runs
    }
}

/// Folded expressions and the symbols that stand for them; equal expressions share a symbol.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Expressions {
    first: u32,
    bodies: Vec<Vec<PatternSlot>>,
    symbol_by_body: FxHashMap<Vec<PatternSlot>, u32>,
}

impl Expressions {
    /// Starts new symbols above these.
    fn starting_above(symbols: &[u32]) -> Expressions {
        let first = symbols.iter().max().map_or(0, |most| most + 1);
        Expressions { first, ..Expressions::default() }
    }

    fn symbol(&mut self, pattern: &[PatternSlot]) -> u32 {
        let next = self.first + self.bodies.len() as u32;
        let symbol = *self.symbol_by_body.entry(pattern.to_vec()).or_insert(next);
        if symbol == next {
            self.bodies.push(pattern.to_vec());
        }
        symbol
    }
}

#[cfg(test)]
mod tests;
