//! Values as people read them: numbers, times, addresses, names with values, and what to do where there is nothing.

use maud::{Markup, PreEscaped, Render, html};
use newslode_page::time::Timestamp;

use crate::filter::times::read_date;
use crate::zone::zone;

/// A number with its thousands apart.
pub(crate) struct Number(pub(crate) u64);

impl Render for Number {
    fn render(&self) -> Markup {
        let digits = self.0.to_string();
        let mut text = String::new();
        for (at, digit) in digits.chars().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                // A narrow space that does not break.
                text.push('\u{202f}');
            }
            text.push(digit);
        }
        PreEscaped(text)
    }
}

/// A number and what it counts.
pub(crate) fn count_with_noun(count: u64, one: &str, many: &str) -> Markup {
    html! { (Number(count)) " " @if count == 1 { (one) } @else { (many) } }
}

/// A time to the minute: in the zone of the console for people, as UTC for programs.
pub(crate) fn time_element(at: Timestamp) -> Markup {
    let millis = i64::try_from(at.0).unwrap_or(i64::MAX);
    let instant = jiff::Timestamp::from_millisecond(millis).unwrap_or(jiff::Timestamp::MAX);
    html! {
        time datetime=(instant.strftime("%Y-%m-%dT%H:%M:%SZ")) { (instant.to_zoned(zone()).strftime("%Y-%m-%d %H:%M")) }
    }
}

/// When an article was published, as it was read; `at` is the instant that this means. A date without a time is shown as a date.
pub(crate) fn publication_element(published: &str, at: Timestamp) -> Markup {
    match read_date(published) {
        Some(day) => html! { time datetime=(day) { (day) } },
        None => time_element(at),
    }
}

/// An address that may be linked: one of a page, which runs nothing here.
pub(crate) fn page_url(address: &str) -> Option<url::Url> {
    url::Url::parse(address).ok().filter(|url| matches!(url.scheme(), "http" | "https"))
}

/// How another server is linked: it learns nothing from the link, and the link says nothing for it.
pub(crate) const EXTERNAL_REL: &str = "noopener noreferrer nofollow";

/// A link to another server, if it leads to a page; otherwise its text.
pub(crate) fn external_link(address: &str) -> Markup {
    html! {
        @if page_url(address).is_some() {
            a href=(address) rel=(EXTERNAL_REL) { (address) }
        } @else {
            span { (address) }
        }
    }
}

/// Names and values.
pub(crate) fn fact_list(rows: &[(String, Markup)]) -> Markup {
    html! { dl.facts { @for (name, value) in rows { dt { (name) } dd { (value) } } } }
}

/// What to do where there is nothing to show.
pub(crate) fn empty_note(text: impl Render) -> Markup {
    html! { p.empty { (text) } }
}

/// The beginning of a text.
pub(crate) fn beginning_of(text: &str, most: usize) -> String {
    let mut letters = text.chars();
    let mut cut: String = letters.by_ref().take(most).collect();
    if letters.next().is_some() {
        cut.truncate(cut.trim_end().len());
        cut.push('…');
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_are_linked() {
        assert!(external_link("https://a.test/").0.contains("rel=\"noopener noreferrer nofollow\""));
        for address in ["javascript:alert(1)", "data:text/html,x", " JavaScript:x", "//a.test", "\"><b>"] {
            let text = external_link(address).0;
            assert!(!text.contains("href") && !text.contains("<b>"), "{text}");
        }
    }

    #[test]
    fn a_date_without_a_time_is_shown_as_a_date() {
        let at = Timestamp(1_795_575_600_000);
        assert_eq!(
            publication_element("2026-11-25", at).0,
            "<time datetime=\"2026-11-25\">2026-11-25</time>"
        );
        let timed = publication_element("2026-11-25T04:00:00+01:00", at).0;
        assert_eq!(timed, "<time datetime=\"2026-11-25T03:00:00Z\">2026-11-25 03:00</time>");
    }

    #[test]
    fn thousands_stand_apart() {
        let written = [7, 1_000, 1_234_567].map(|number| Number(number).render().0);
        assert_eq!(written, ["7", "1\u{202f}000", "1\u{202f}234\u{202f}567"]);
    }

    #[test]
    fn a_cut_text_says_so() {
        assert_eq!(beginning_of("日本語", 3), "日本語");
        assert_eq!(beginning_of("日本 語", 3), "日本…");
    }
}
