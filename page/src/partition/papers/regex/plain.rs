//! The plain transcription, used as oracle: every length, every start, every window aligned. O(k³) or more.

use super::fold::FoldRun;
use super::{Folding, MAX_PATTERN};

pub(super) fn infer_groups(symbols: &[u32]) -> Folding {
    let mut folded = Folding::new(symbols);
    while let Some(run) = exact_run(&folded.symbols).or_else(|| near_run(&folded.symbols)) {
        folded.fold_windows(&run.pattern, run.start, &run.windows);
    }
    folded
}

fn starts(symbols: &[u32], least: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = symbols.len();
    let most = MAX_PATTERN.min(count / 2);
    (least..=most).flat_map(move |length| (0..=count - 2 * length).map(move |start| (start, length)))
}

fn exact_run(symbols: &[u32]) -> Option<FoldRun> {
    starts(symbols, 1)
        .find(|&(start, length)| {
            symbols[start..start + length] == symbols[start + length..start + 2 * length]
        })
        .map(|(start, length)| FoldRun::extended_right(symbols, start, length).extended_left(symbols))
}

fn near_run(symbols: &[u32]) -> Option<FoldRun> {
    let runs = starts(symbols, 1).map(|(start, length)| FoldRun::extended_right(symbols, start, length));
    runs.filter(|run| run.windows.len() > 1).reduce(|best, run| if run.is_better(&best) { run } else { best })
}
