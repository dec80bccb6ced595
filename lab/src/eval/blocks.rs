//! Which of a front page's anchors lead to news, for scoring blocks of links.
//!
//! If the site's manifest knows the page behind an anchor, the page's kind decides; otherwise an anchor with at least
//! four words is a headline.

/// Minimum number of words in a headline, for links to unknown pages.
const HEADLINE_WORDS: usize = 4;

/// Whether an anchor leads to news, by the kind of the page behind it if that is known. `None` means a page
/// of another kind, which is neither a list nor news.
pub(crate) fn is_news(kind: Option<&str>, text: &str) -> Option<bool> {
    match kind {
        Some("article") => Some(true),
        Some("home" | "section") => Some(false),
        Some(_) => None,
        None => Some(text.split_whitespace().count() >= HEADLINE_WORDS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_behind_an_anchor_decides_before_its_words() {
        assert_eq!(is_news(Some("article"), "Cup"), Some(true));
        assert_eq!(is_news(Some("section"), "All that is new today"), Some(false));
        assert_eq!(is_news(Some("other"), "All that is new today"), None);
        assert_eq!([is_news(None, "a b c"), is_news(None, "a b c d")], [Some(false), Some(true)]);
    }
}
