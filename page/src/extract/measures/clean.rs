//! Which runs of prose may be body at all. Readers' comments, invitations, consent texts, hidden texts and
//! copies are prose, too, and may be longer than the article.
//!
//! These runs are only left out of the sums that rate containers and signatures; the scorer still sees every
//! run. Class words that would exclude nearly all prose are ignored.

use rustc_hash::FxHashMap;

use crate::text::ROW_WORDS;

use super::context::{RunWords, flag};
use super::place::PlaceMeasures;
use super::text::is_cut_off;
use super::vocabulary::GROUPS;
use crate::extract::runs::{Run, Runs, share};

/// Groups of class words whose prose is not the article's, and the largest share of the page's prose that a
/// group may exclude. Readers' comments may be most of a page.
const FOREIGN: [(&str, f32); 3] = [("comment", 1.0), ("offer", 0.6), ("consent", 0.6)];
/// If fewer words than this remain, there is no article among them, and all prose counts.
const LEAST_WORDS: f32 = 30.0;
/// A run of this many words may be a copy of several others.
const LONG: f32 = 60.0;
/// Share of its rows of words that a copy has in common with shorter runs.
const COPIED: f32 = 0.8;
/// Largest share of the remaining prose that repeated texts, or teasers, may exclude.
const MOST: f32 = 0.6;
/// All texts of a signature are teasers if at least this many, and more than this share, break off.
const TEASERS: f32 = 2.0;
const TEASERS_SHARE: f32 = 0.4;

/// Whether each run is prose that may be body.
pub(super) fn prose_runs(runs: &Runs, tokens: &RunWords, places: &PlaceMeasures, paths: &[u64]) -> Vec<bool> {
    let all: Vec<bool> = runs.runs.iter().map(Run::is_prose).collect();
    let words = |is_counted: &[bool]| {
        runs.runs
            .iter()
            .zip(is_counted)
            .filter(|(_, is_counted)| **is_counted)
            .map(|(run, _)| run.words)
            .sum::<f32>()
    };
    // From the surest rule to the weakest; the last ones may only exclude a share of what the others left.
    let total = words(&all);
    let mut is_counted = all.clone();
    for (name, most) in FOREIGN {
        let Some(group) = GROUPS.iter().position(|(other, _)| *other == name) else { continue };
        let under: Vec<bool> =
            runs.runs.iter().zip(&all).map(|(run, all)| *all && places.is_under(run, group)).collect();
        if share(words(&under), total) <= most {
            exclude(&mut is_counted, &under);
        }
    }
    exclude(&mut is_counted, &runs.runs.iter().map(|run| places.is_hidden(run)).collect::<Vec<_>>());
    let copied = long_copies(runs, tokens, &is_counted);
    exclude(&mut is_counted, &copied);
    for is_excluded in [repeated_texts(runs, &is_counted), teasers(runs, &is_counted, paths)] {
        if share(words(&is_excluded), words(&is_counted)) <= MOST {
            exclude(&mut is_counted, &is_excluded);
        }
    }
    if words(&is_counted) < LEAST_WORDS { all } else { is_counted }
}

/// Texts that occur twice on the page, as in two lists of news.
fn repeated_texts(runs: &Runs, is_counted: &[bool]) -> Vec<bool> {
    let mut times: FxHashMap<&str, u32> = FxHashMap::default();
    for run in &runs.runs {
        *times.entry(&run.text).or_default() += 1;
    }
    let is_again = |run: &Run| times.get(run.text.as_str()).is_some_and(|times| *times > 1);
    runs.runs.iter().zip(is_counted).map(|(run, is_counted)| *is_counted && is_again(run)).collect()
}

/// Texts of signatures whose texts often break off.
fn teasers(runs: &Runs, is_counted: &[bool], paths: &[u64]) -> Vec<bool> {
    let mut texts_by_path: FxHashMap<u64, (f32, f32)> = FxHashMap::default();
    for ((run, path), _) in runs.runs.iter().zip(paths).zip(is_counted).filter(|(_, is_counted)| **is_counted)
    {
        let (all, cut_off) = texts_by_path.entry(*path).or_default();
        *all += 1.0;
        *cut_off += flag(is_cut_off(&run.text));
    }
    let is_teaser = |path: &u64| {
        texts_by_path
            .get(path)
            .is_some_and(|(all, cut_off)| *cut_off >= TEASERS && cut_off / all > TEASERS_SHARE)
    };
    paths.iter().zip(is_counted).map(|(path, is_counted)| *is_counted && is_teaser(path)).collect()
}

fn exclude(is_counted: &mut [bool], is_excluded: &[bool]) {
    for (is_counted, is_excluded) in is_counted.iter_mut().zip(is_excluded) {
        *is_counted &= !is_excluded;
    }
}

/// Long runs that repeat several shorter ones.
fn long_copies(runs: &Runs, tokens: &RunWords, is_counted: &[bool]) -> Vec<bool> {
    let is_long = |run: &Run| run.words >= LONG;
    if !runs.runs.iter().any(is_long) {
        return vec![false; is_counted.len()];
    }
    // The shortest run with each row.
    let mut rows: FxHashMap<u64, usize> = FxHashMap::default();
    let hashed: Vec<Vec<u64>> = tokens.iter().map(rows_of).collect();
    for (number, rows_of_run) in hashed.iter().enumerate() {
        for row in rows_of_run {
            let shortest = rows.entry(*row).or_insert(number);
            if hashed[number].len() < hashed[*shortest].len() {
                *shortest = number;
            }
        }
    }
    let copy = |number: usize| {
        let own = &hashed[number];
        let shorter = |row: &&u64| rows.get(row).is_some_and(|at| hashed[*at].len() * 2 < own.len());
        share(own.iter().filter(shorter).count() as f32, own.len() as f32) >= COPIED
    };
    (0..is_counted.len())
        .map(|number| is_counted[number] && is_long(&runs.runs[number]) && copy(number))
        .collect()
}

fn rows_of(words: &[u64]) -> Vec<u64> {
    let row = |words: &[u64]| {
        words
            .iter()
            .fold(0_u64, |hash, word| (hash.rotate_left(7) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    };
    words.windows(ROW_WORDS).map(row).collect()
}
