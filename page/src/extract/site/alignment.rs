//! Finds the runs of a page that a given text contains, to lay a person's text of an article over the page.
//!
//! Rows of four words are compared, so common words elsewhere on the page do not count. A run that is too short
//! for a row counts if it is a whole line of the text, else as far as rows of its neighbours cover it.

use rustc_hash::FxHashSet;

use crate::extract::runs::Runs;
use crate::text::ROW_WORDS;

/// A text laid over a page.
pub(super) struct Alignment {
    /// The share of each run that the text contains, 0 to 1.
    pub(super) shares: Vec<f32>,
    /// The share of the text's rows that are on the page.
    pub(super) found: f32,
}

/// Lays a text over the runs of a page.
pub(super) fn align_text(runs: &Runs, text: &str) -> Alignment {
    let text_tokens = tokens(text);
    let rows: FxHashSet<&[String]> = text_tokens.windows(ROW_WORDS).collect();
    let lines: FxHashSet<Vec<String>> = text.lines().map(tokens).collect();
    let run_tokens: Vec<Vec<String>> = runs.runs.iter().map(|run| tokens(&run.text)).collect();
    let stream: Vec<String> = run_tokens.concat();
    // First over the whole page as one stream of words, so that rows may cross from one run into the next …
    let mut is_covered = vec![false; stream.len()];
    let mut seen: FxHashSet<&[String]> = FxHashSet::default();
    for (at, row) in stream.windows(ROW_WORDS).enumerate() {
        if rows.contains(row) {
            is_covered[at..at + ROW_WORDS].fill(true);
            seen.insert(row);
        }
    }
    // … then run by run: long runs by rows of their own, short ones as lines or by what the stream covers of them.
    let mut from = 0;
    let mut share = |run: &Vec<String>| {
        let own = from..from + run.len();
        from = own.end;
        if run.len() >= ROW_WORDS {
            let rows_found = run.windows(ROW_WORDS).filter(|row| rows.contains(row)).count();
            rows_found as f32 / (run.len() - ROW_WORDS + 1) as f32
        } else if lines.contains(run) {
            1.0
        } else {
            is_covered[own].iter().filter(|is_covered| **is_covered).count() as f32 / run.len().max(1) as f32
        }
    };
    let shares = run_tokens.iter().map(&mut share).collect();
    let found = if rows.is_empty() {
        // A text too short for a row is found if it is a run.
        f32::from(u8::from(!text_tokens.is_empty() && run_tokens.contains(&text_tokens)))
    } else {
        seen.len() as f32 / rows.len() as f32
    };
    Alignment { shares, found }
}

/// The words of a text in lower case, without punctuation.
fn tokens(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    #[track_caller]
    fn check(html: &str, text: &str, shares: &[f32], found: f32) {
        let alignment = align_text(&Runs::new(&page(html)), text);
        assert_eq!((alignment.shares.as_slice(), alignment.found), (shares, found), "{html}: {text}");
    }

    #[test]
    fn rows_tell_what_a_text_holds() {
        let html = "<p>One two three four five.<p>The one and the two<p>six";
        check(html, "one two three four five six", &[1.0, 0.0, 0.0], 2.0 / 3.0);
        check(html, "ONE two, three four\nfive\nsix", &[1.0, 0.0, 1.0], 2.0 / 3.0);
        check(html, "one two three four seven", &[0.5, 0.0, 0.0], 0.5);
        check(html, "nothing of this is there", &[0.0; 3], 0.0);
        check(html, "Six", &[0.0, 0.0, 1.0], 1.0);
        check(html, "", &[0.0; 3], 0.0);
        check("", "one two three four", &[], 0.0);
    }

    #[test]
    fn short_runs_are_judged_with_their_neighbours() {
        check("<p>one two<p>three four<p>five", "one two three four", &[1.0, 1.0, 0.0], 1.0);
    }
}
