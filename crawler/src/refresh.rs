//! The `Refresh` header and `<meta http-equiv=refresh>`: redirects by the page itself.
//!
//! A page that reloads itself, or that leads elsewhere after a while, is a page. One that leads elsewhere within seconds is
//! a redirect, as it is in a browser. A refresh inside `<noscript>` is ignored: it sends browsers
//! without scripts to a reduced page.

use newslode_page::Page;
use newslode_page::reading::{CanonicalUrl, resolve};

/// A page that is shown for longer than this, in seconds, is meant to be read.
const LONGEST_S: f64 = 10.0;

/// The page that a page leads to within seconds, by its header or its markup.
pub(crate) fn target(url: &CanonicalUrl, header: Option<&str>, page: Option<&Page>) -> Option<CanonicalUrl> {
    let base = url.to_url();
    let by_header = header.and_then(read).and_then(|to| resolve(&base, to));
    by_header.or_else(|| {
        let tree = &page?.tree;
        let is_refresh = |name: &str| name.trim().eq_ignore_ascii_case("refresh");
        tree.node_ids()
            .filter(|&node| tree.is_html(node) && tree.tag(node) == Some("meta"))
            .filter(|&node| tree.attr(node, "http-equiv").is_some_and(is_refresh))
            .filter(|&node| {
                !tree.ancestors(node).any(|above| matches!(tree.tag(above), Some("noscript" | "template")))
            })
            .filter_map(|node| resolve(&base, read(tree.attr(node, "content")?)?))
            .next()
    })
}

/// The address of `SECONDS; url=ADDRESS`, in the ways that the HTML standard allows, if it comes within seconds.
fn read(value: &str) -> Option<&str> {
    let value = value.trim_start();
    let digits = value.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(value.len());
    let (seconds, rest) = value.split_at(digits);
    let seconds: f64 = if seconds.is_empty() { return None } else { seconds.parse().ok()? };
    if seconds > LONGEST_S {
        return None;
    }
    let rest = rest.trim_start().trim_start_matches([';', ',']).trim_start();
    let is_named = rest.get(..3).is_some_and(|name| name.eq_ignore_ascii_case("url"));
    let named = if is_named { rest[3..].trim_start().strip_prefix('=') } else { None };
    let address = named.unwrap_or(rest).trim();
    let quote = address.chars().next().filter(|c| matches!(c, '"' | '\''));
    let address = match quote {
        Some(quote) => address[1..].split(quote).next().unwrap_or_default(),
        None => address,
    };
    (!address.trim().is_empty()).then(|| address.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_browsers_read_them() {
        for (value, wanted) in [
            ("0;url=/a", Some("/a")),
            (" 5 ; URL = '/a b' ", Some("/a b")),
            ("0, url=\"http://a.test/\">", Some("http://a.test/")),
            ("0; /a", Some("/a")),
            ("1.5;url=a", Some("a")),
            ("300;url=/a", None),
            ("0", None),
            ("0;url=", None),
            ("soon;url=/a", None),
            ("", None),
            ("0;ürl=x", Some("ürl=x")),
        ] {
            assert_eq!(read(value), wanted, "{value}");
        }
    }

    #[test]
    fn a_page_leads_elsewhere_by_its_header_or_its_markup() {
        let url: CanonicalUrl = "http://a.test/x/".parse().unwrap();
        let of = |header, html: &str| {
            let page = Page::parse(&url, None, html.as_bytes());
            target(&url, header, Some(&page)).map(|to| to.to_string())
        };
        let meta = "<meta http-equiv=Refresh content='0; url=y'>";
        assert_eq!(of(None, meta).as_deref(), Some("http://a.test/x/y"));
        assert_eq!(of(Some("0;url=/z"), meta).as_deref(), Some("http://a.test/z"));
        assert_eq!(of(None, &format!("<noscript>{meta}</noscript><p>Text")), None);
        assert_eq!(of(None, "<meta http-equiv=refresh content=600><p>Text"), None);
        assert_eq!(of(None, "<meta name=refresh content='0;url=y'><p>Text"), None);
    }
}
