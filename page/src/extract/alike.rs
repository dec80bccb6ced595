//! Whether a text is the title of a page, another title, or neither for sure.
//!
//! Headlines of one story differ between its metadata and its page: a word more, the site's name, another order. Shares of
//! common rows of letters tell such from titles of other stories in any script.

use rustc_hash::FxHashMap;

use crate::reading::is_unspaced;
use crate::text::letters;

/// Share of common rows of letters from which two titles are the same, and below which they are not.
const SAME: f32 = 0.6;
const OTHER: f32 = 0.3;
/// Share of a title that a part of it has at least, to be the same.
const MUCH: f32 = 0.4;
/// Shorter texts, in letters, are not compared: "News" is a part of many titles.
const LEAST_LETTERS: usize = 6;
/// Longest text that is compared, in bytes.
const MOST_BYTES: usize = 400;

/// How a text compares with the titles of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Likeness {
    Same,
    Unclear,
    Other,
}

/// Compares a text with the titles of a page.
pub(super) fn likeness(text: &str, titles: &[String]) -> Likeness {
    let own = letters(start(text));
    if own.chars().count() < LEAST_LETTERS {
        return Likeness::Unclear;
    }
    let mut closest = Likeness::Other;
    let mut is_compared = false;
    for title in titles.iter().map(|title| letters(start(title))) {
        if title.chars().count() < LEAST_LETTERS {
            continue;
        }
        is_compared = true;
        // The name of the site is a part of many titles, and a small one.
        let is_much = own.len() as f32 >= MUCH * title.len() as f32;
        match common_rows(&own, &title) {
            share if share >= SAME && is_much => return Likeness::Same,
            share if share >= OTHER => closest = Likeness::Unclear,
            _ => {}
        }
    }
    if is_compared { closest } else { Likeness::Unclear }
}

fn start(text: &str) -> &str {
    let end = (0..=MOST_BYTES.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    text.get(..end.unwrap_or(0)).unwrap_or_default()
}

/// The share of rows of letters that two texts have in common, of those of the shorter one. A row is three letters, or
/// two in a script without spaces, where one letter says more.
fn common_rows(one: &str, other: &str) -> f32 {
    let length = if one.chars().any(is_unspaced) { 2 } else { 3 };
    // A character has 21 bits, so a row is one number.
    let row =
        |letters: &[char]| letters.iter().fold(0, |row, letter| row << 21 | u64::from(u32::from(*letter)));
    let rows =
        |text: &str| -> Vec<u64> { text.chars().collect::<Vec<char>>().windows(length).map(row).collect() };
    let (one, other) = (rows(one), rows(other));
    let mut left: FxHashMap<u64, u32> = FxHashMap::default();
    for row in &one {
        *left.entry(*row).or_default() += 1;
    }
    let mut common = 0;
    for row in &other {
        if let Some(count) = left.get_mut(row).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    common as f32 / one.len().min(other.len()).max(1) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_of_one_story_are_alike() {
        let check = |text: &str, title: &str, expected: Likeness| {
            assert_eq!(likeness(text, &[title.to_owned()]), expected, "{text} / {title}");
        };
        check("Bridge stays open", "Bridge stays open | The Post", Likeness::Same);
        check("Bridge stays open, council decides", "Council decides: Bridge stays open", Likeness::Same);
        check("Market hall gets a new roof", "Bridge stays open | The Post", Likeness::Other);
        check("港の朝市、建て替えへ", "港の朝市、移転せず今の場所で建て替えへ", Likeness::Same);
        check("山あいの駅舎が再出発", "港の朝市、移転せず今の場所で建て替えへ", Likeness::Other);
        check("News", "Bridge stays open", Likeness::Unclear);
        check(
            "The Courier",
            "Bridge stays open for another year, council decides | The Courier",
            Likeness::Unclear,
        );
        check("Bridge stays open", "", Likeness::Unclear);
        assert_eq!(likeness("Bridge stays open", &[]), Likeness::Unclear);
    }
}
