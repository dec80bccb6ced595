//! Texts that a site repeats on many pages: they are rarely part of an article.
//!
//! Only the hashes of a page's run texts are kept. A run is a repeat if its text is on a third of the
//! pages seen, and on two at least if it is long: list pages quote the articles that they link to. A text that
//! is a link there but not here is such a quotation, too, and not a repeat. Texts without letters and digits
//! are separators and never repeats. A page that has much of the chosen text is the same article again and is
//! ignored.

use serde::{Deserialize, Serialize};

use super::summary::FieldSummary;
use crate::extract::hashes::text_hash;

use crate::extract::runs::{Run, Runs};

/// Share of the chosen words from which another page is the same article.
const SAME_ARTICLE_SHARE: f32 = 0.4;
/// A repeat is on at least one of this many pages.
const SHARE: f32 = 3.0;
/// Words from which a text must be on two pages at least.
pub(super) const LONG: f32 = 15.0;
/// Share of link words from which a run is a link.
const LINK: f32 = 0.5;
/// Most hashes kept per page.
const MOST_TEXTS: usize = 4000;

/// A page of the site as others are compared with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct SitePage {
    pub(super) url: String,
    /// The sorted hashes of its texts.
    texts: Vec<u64>,
    /// A summary of its fields; empty for pages that 0.1.0 stored.
    #[serde(default, rename = "said")]
    pub(super) summary: FieldSummary,
}

impl SitePage {
    pub(super) fn new(url: &str, runs: &Runs) -> SitePage {
        let mut texts: Vec<u64> = runs.runs.iter().take(MOST_TEXTS).filter_map(run_key).collect();
        texts.sort_unstable();
        texts.dedup();
        SitePage { url: url.to_owned(), texts, summary: FieldSummary::default() }
    }

    /// The same page with a summary of its fields.
    pub(super) fn with_summary(self, summary: FieldSummary) -> SitePage {
        SitePage { summary, ..self }
    }

    fn has(&self, text: Option<u64>) -> bool {
        text.is_some_and(|text| self.texts.binary_search(&text).is_ok())
    }
}

/// Whether another page is the same article, by the prose of a page.
pub(super) fn is_same_article(runs: &Runs, other: &SitePage) -> bool {
    let (mut all, mut shared) = (0.0, 0.0);
    for run in runs.runs.iter().filter(|run| run.is_prose()) {
        all += run.words;
        shared += if other.has(run_key(run)) { run.words } else { 0.0 };
    }
    shared > SAME_ARTICLE_SHARE * all
}

/// The key of a run: its text, and whether it is a link; `None` for a text without letters and digits.
fn run_key(run: &Run) -> Option<u64> {
    let hash = Some(text_hash(&run.text)).filter(|_| run.text.contains(char::is_alphanumeric))?;
    Some(if run.link_share() < LINK { hash } else { !hash })
}

/// Which runs repeat texts of other pages; `None` if no other page can be compared.
pub(super) fn find_repeats<'a>(
    runs: &[Run],
    chosen: &[bool],
    seen: impl Iterator<Item = &'a SitePage>,
) -> Option<Vec<bool>> {
    let texts: Vec<Option<u64>> = runs.iter().map(run_key).collect();
    let words = |is_counted: &dyn Fn(usize) -> bool| -> f32 {
        (0..runs.len()).filter(|&at| chosen[at] && is_counted(at)).map(|at| runs[at].words).sum()
    };
    let all = words(&|_| true);
    let is_other = |page: &&SitePage| words(&|at| page.has(texts[at])) <= SAME_ARTICLE_SHARE * all;
    let others: Vec<&SitePage> = seen.filter(is_other).collect();
    if others.is_empty() {
        return None;
    }
    let least = (others.len() as f32 / SHARE).max(1.0);
    let is_repeat = |(run, text): (&Run, &Option<u64>)| {
        let count = others.iter().filter(|page| page.has(*text)).count() as f32;
        count >= if run.words >= LONG { least.max(2.0) } else { least }
    };
    Some(runs.iter().zip(&texts).map(is_repeat).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::page;

    const LONG_TEXT: &str = "This paper is delivered to your door every morning but on Sundays, if you pay \
        for it a year ahead.";

    fn runs(texts: &[&str]) -> Runs {
        let html: String = texts.iter().map(|text| format!("<p>{text}</p>")).collect();
        Runs::new(&page(&html))
    }

    #[track_caller]
    fn check(others: &[&[&str]], expected: Option<[bool; 3]>) {
        let own = runs(&["Sign up!", LONG_TEXT, "The bridge stays open for one more year, at the least."]);
        let seen: Vec<SitePage> = others.iter().map(|texts| SitePage::new("u", &runs(texts))).collect();
        let found = find_repeats(&own.runs, &[true; 3], seen.iter());
        assert_eq!(found, expected.map(Vec::from), "{others:?}");
    }

    #[test]
    fn what_stands_on_a_third_of_the_pages_is_a_repeat() {
        check(&[], None);
        check(&[&["SIGN UP"]], Some([true, false, false]));
        check(&[&["sign up"], &["x"], &["y"], &["z"]], Some([false, false, false]));
        check(&[&["sign up"], &["sign up"], &["y"], &["z"]], Some([true, false, false]));
    }

    #[test]
    fn sentences_must_stand_on_two_pages() {
        let two = [LONG_TEXT];
        check(&[&["x"], &["y"], &two], Some([false, false, false]));
        check(&[&["Sign up"], &["Sign up"]], Some([true, false, false]));
    }

    #[test]
    fn what_parts_texts_and_what_quotes_them_is_no_repeat() {
        let own =
            runs(&["* * *", "Rain stays", "<a href=/>More</a>", "The bridge stays open for one more year."]);
        let there = ["***", "<a href=/rain>Rain stays</a>", "<a href=/>More</a>"];
        let seen = [SitePage::new("u", &runs(&there))];
        let found = find_repeats(&own.runs, &[true; 4], seen.iter());
        assert_eq!(found, Some(vec![false, false, true, false]));
    }

    #[test]
    fn the_same_article_once_more_says_nothing() {
        let same = ["Sign up!", LONG_TEXT];
        check(&[&same], None);
        check(&[&same, &["Sign up"]], Some([true, false, false]));
    }
}
