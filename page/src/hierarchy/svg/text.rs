//! Estimates the width of text without a font, and cuts text to a width.
//!
//! Widths are those of a common sans-serif at [`FONT`] pixels, rounded up: a text may end early in its box but
//! never overflows it.

use crate::hierarchy::xml;

/// Size of the font, in pixels.
pub(super) const FONT: f64 = 12.0;

/// An upper estimate of the width in pixels.
#[must_use]
pub fn text_width(words: &str) -> f64 {
    words.chars().map(em_width).sum::<f64>() * FONT
}

/// Width of a character in units of the font size.
fn em_width(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '\'' | '|' | '!' | '.' | ',' | ':' | ';' | 'I' | ' ' => 0.36,
        'f' | 't' | 'r' | '(' | ')' | '-' | '/' => 0.45,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '—' | '…' => 1.0,
        'A'..='Z' | '&' => 0.77,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => 1.02,
        '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{20000}'..='\u{3ffff}' => 1.02,
        // Combining marks and characters without width.
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' => 0.0,
        _ => 0.65,
    }
}

/// As much of the text as fits `most` pixels, with an ellipsis if it is cut.
#[must_use]
pub fn cut_to_width(words: &str, most: f64) -> String {
    if text_width(words) <= most {
        return words.to_owned();
    }
    let mut room = most / FONT - em_width('…');
    let fits = |c: &char| {
        room -= em_width(*c);
        room >= 0.0
    };
    let mut shortened: String = words.chars().take_while(fits).collect();
    shortened.truncate(shortened.trim_end().len());
    shortened.push('…');
    shortened
}

/// Escapes text for the picture's XML.
#[must_use]
pub fn escape_text(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    xml::escape(&mut out, words);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_cut_fits_and_says_so() {
        for words in ["A headline that is rather long", "一个很长的标题需要被截断", "iiiiiiiiiiiiiiiiiiiiii"]
        {
            let cut = cut_to_width(words, 60.0);
            assert!(text_width(&cut) <= 60.0 && cut.ends_with('…') && cut.chars().count() > 2, "{cut}");
        }
        assert_eq!(cut_to_width("News", 60.0), "News");
        assert_eq!(cut_to_width("News", 0.0), "…");
    }

    #[test]
    fn nothing_breaks_out_of_the_markup() {
        assert_eq!(escape_text("<a href=\"x\">\u{0}&\n"), "&lt;a href=&quot;x&quot;&gt;\u{fffd}&amp;&#10;");
    }
}
