//! What a page asks of crawlers: `X-Robots-Tag` in its header, `<meta name=robots>` in its markup.
//!
//! Directives that name no crawler are for all; those that name one count if the name is our product token. All
//! that are found count together, so the strictest wins. Directives about how search results look are none of
//! ours. Start at [`Directives::of_headers`] and [`Directives::of_page`].

use newslode_page::Page;
use newslode_page::time::Timestamp;

use crate::listing::dates;

/// Directives that have a value behind a colon: a name in front of a colon that is none of them is a crawler's.
const WITH_VALUE: [&str; 4] = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

/// What must not be done with a page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Directives {
    /// The page must not be mined.
    pub noindex: bool,
    /// Its links must not be followed.
    pub nofollow: bool,
    /// No copy of it may be shown.
    pub noarchive: bool,
    /// It must not be given to AI, or train it.
    pub noai: bool,
    /// Its pictures must not be given to AI, or train it.
    pub noimageai: bool,
}

impl Directives {
    /// The directives of all `X-Robots-Tag` headers of an answer for the crawler of this name.
    #[must_use]
    pub fn of_headers<'v>(
        values: impl IntoIterator<Item = &'v str>,
        token: &str,
        now: Timestamp,
    ) -> Directives {
        values
            .into_iter()
            .fold(Directives::default(), |all, value| all.and(Directives::of_value(value, token, now)))
    }

    /// The directives in a page's markup for the crawler of this name.
    #[must_use]
    pub fn of_page(page: &Page, token: &str, now: Timestamp) -> Directives {
        let tree = &page.tree;
        let is_ours = |name: &str| {
            let name = name.trim();
            name.eq_ignore_ascii_case("robots") || name.eq_ignore_ascii_case(token)
        };
        tree.node_ids()
            .filter(|&node| tree.is_html(node) && tree.tag(node) == Some("meta"))
            .filter(|&node| tree.attr(node, "name").is_some_and(is_ours))
            .filter_map(|node| tree.attr(node, "content"))
            .fold(Directives::default(), |all, content| all.and(Directives::of_value(content, token, now)))
    }

    /// These directives and others.
    #[must_use]
    pub fn and(self, other: Directives) -> Directives {
        Directives {
            noindex: self.noindex || other.noindex,
            nofollow: self.nofollow || other.nofollow,
            noarchive: self.noarchive || other.noarchive,
            noai: self.noai || other.noai,
            noimageai: self.noimageai || other.noimageai,
        }
    }

    /// The directives of one value.
    #[must_use]
    pub fn of_value(value: &str, token: &str, now: Timestamp) -> Directives {
        let mut found = Directives::default();
        let mut is_ours = true;
        let mut rest = value;
        while !rest.is_empty() {
            let (part, behind) = rest.split_once(',').unwrap_or((rest, ""));
            let mut part = part.trim();
            if let Some((name, directive)) = part.split_once(':').filter(|(name, _)| is_crawler_name(name)) {
                let name = name.trim();
                is_ours = name == "*" || name.eq_ignore_ascii_case(token);
                part = directive.trim();
            }
            let Some(date) = unavailable_after_date(part) else {
                if is_ours {
                    part.split([';', ' ', '\t']).for_each(|word| found.add(word));
                }
                rest = behind;
                continue;
            };
            // A comma may stand inside the date: "Wed, 25 Jun 2025 15:00:00 GMT".
            let (second, behind_second) = behind.split_once(',').unwrap_or((behind, ""));
            let alone = dates::parse(&in_rfc2822(date));
            let joined = || dates::parse(&in_rfc2822(&format!("{date},{second}")));
            let (until, used) = match alone {
                Some(until) => (Some(until), behind),
                None => joined().map_or((None, behind), |until| (Some(until), behind_second)),
            };
            found.noindex |= is_ours && until.is_some_and(|until| until <= now);
            rest = used;
        }
        found
    }

    fn add(&mut self, directive: &str) {
        let is = |name: &str| directive.eq_ignore_ascii_case(name);
        self.noindex |= is("noindex") || is("none");
        self.nofollow |= is("nofollow") || is("none");
        self.noarchive |= is("noarchive");
        self.noai |= is("noai");
        self.noimageai |= is("noimageai");
    }
}

/// Whether a name in front of a colon is a crawler's.
fn is_crawler_name(name: &str) -> bool {
    let name = name.trim();
    let is_one = !name.is_empty() && !name.contains([' ', ';', '\t']);
    is_one && !WITH_VALUE.iter().any(|directive| name.eq_ignore_ascii_case(directive))
}

/// The date of an `unavailable_after`.
fn unavailable_after_date(directive: &str) -> Option<&str> {
    let (name, date) = directive.split_once(':')?;
    name.trim().eq_ignore_ascii_case(WITH_VALUE[0]).then(|| date.trim())
}

/// A date of RFC 850 ("25-Jun-2025 15:00:00 GMT") as RFC 2822 spells it.
fn in_rfc2822(date: &str) -> String {
    let is_named = |part: &str| part.len() == 3 && part.bytes().all(|byte| byte.is_ascii_alphabetic());
    let has_hyphens = date.split('-').any(is_named);
    if has_hyphens { date.replacen('-', " ", 2) } else { date.to_owned() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// 2024-05-03T00:00:00Z.
    const NOW: Timestamp = Timestamp(1_714_694_400_000);
    const NOINDEX: Directives = Directives { noindex: true, ..NOTHING };
    const NOFOLLOW: Directives = Directives { nofollow: true, ..NOTHING };
    const NOTHING: Directives =
        Directives { noindex: false, nofollow: false, noarchive: false, noai: false, noimageai: false };

    #[track_caller]
    fn header(values: &[&str], expected: Directives) {
        assert_eq!(Directives::of_headers(values.iter().copied(), "Newslode", NOW), expected, "{values:?}");
    }

    #[test]
    fn headers_are_lists_and_may_come_several_times() {
        header(&[], NOTHING);
        header(&["all"], NOTHING);
        header(&["index, follow"], NOTHING);
        header(&["noindex"], NOINDEX);
        header(&[" NoIndex ,,"], NOINDEX);
        header(&["noindex, nofollow"], NOINDEX.and(NOFOLLOW));
        header(&["noindex", "nofollow"], NOINDEX.and(NOFOLLOW));
        header(&["none"], NOINDEX.and(NOFOLLOW));
        header(&["noarchive"], Directives { noarchive: true, ..NOTHING });
        header(&["NoAI, noimageai"], Directives { noai: true, noimageai: true, ..NOTHING });
        header(&["max-snippet: 20, max-image-preview:large, nofollow"], NOFOLLOW);
        header(&["noindexing, no index, xnofollow"], NOTHING);
    }

    #[test]
    fn only_what_is_said_to_all_or_to_us_counts() {
        header(&["otherbot: noindex, nofollow"], NOTHING);
        header(&["newslode: noindex"], NOINDEX);
        header(&["NEWSLODE : nofollow"], NOFOLLOW);
        header(&["*: noindex"], NOINDEX);
        header(&["otherbot: noindex", "nofollow"], NOFOLLOW);
        header(&["nofollow, otherbot: noindex"], NOFOLLOW);
        header(&["otherbot: noindex, newslode: nofollow"], NOFOLLOW);
        header(&["newslodebot: noindex"], NOTHING);
    }

    #[test]
    fn a_page_leaves_after_its_date() {
        for past in [
            "unavailable_after: 25 Jun 2010 15:00:00 GMT",
            "unavailable_after: Fri, 25 Jun 2010 15:00:00 GMT",
            "unavailable_after: Friday, 25-Jun-10 15:00:00 GMT",
            "unavailable_after: 25-Jun-2010 15:00:00 PST",
            "Unavailable_After: 2010-06-25",
            "newslode: unavailable_after: 2010-06-25T15:00:00+02:00",
        ] {
            header(&[past], NOINDEX);
            header(&[&format!("{past}, nofollow")], NOINDEX.and(NOFOLLOW));
        }
        for other in [
            "unavailable_after: 25 Jun 2030 15:00:00 GMT",
            "unavailable_after: Tue, 25 Jun 2030 15:00:00 GMT",
            "unavailable_after: soon",
            "unavailable_after:",
            "otherbot: unavailable_after: 2010-06-25",
        ] {
            header(&[other], NOTHING);
            header(&[&format!("{other}, nofollow")], if other.starts_with('o') { NOTHING } else { NOFOLLOW });
        }
    }

    #[track_caller]
    fn markup(html: &str, expected: Directives) {
        let page = Page::parse(&"http://a.test/".parse().unwrap(), None, html.as_bytes());
        assert_eq!(Directives::of_page(&page, "Newslode", NOW), expected, "{html}");
    }

    #[test]
    fn markup_names_the_crawler_by_its_element() {
        markup("<p>noindex", NOTHING);
        markup("<meta name=robots content=noindex>", NOINDEX);
        markup("<META NAME=' Robots' CONTENT='NOINDEX,NOFOLLOW'>", NOINDEX.and(NOFOLLOW));
        markup("<meta name=robots content='noindex nofollow'>", NOINDEX.and(NOFOLLOW));
        markup("<meta name=newslode content=none>", NOINDEX.and(NOFOLLOW));
        markup("<meta name=otherbot content=noindex><meta name=description content=nofollow>", NOTHING);
        markup("<meta name=robots content='index'><meta name=robots content=nofollow>", NOFOLLOW);
        markup("<!-- <meta name=robots content=noindex> --><meta name=robots>", NOTHING);
    }

    proptest! {
        #[test]
        fn no_value_panics_and_nothing_is_read_into_other_words(value in "[ -~é]{0,60}") {
            let found = Directives::of_headers([value.as_str()], "Newslode", NOW);
            let lower = value.to_ascii_lowercase();
            let words = ["noindex", "none", "nofollow", "noarchive", "noai", "noimageai", "unavailable_after"];
            let is_named = words.iter().any(|name| lower.contains(name));
            prop_assert!(is_named || found == NOTHING);
        }
    }
}
