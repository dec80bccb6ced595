//! The `Refresh` header and `<meta http-equiv=refresh>`: redirects by the page itself.
//!
//! A page that reloads itself, or that leads elsewhere after a while, is a page. One that leads elsewhere within seconds is
//! a redirect, as it is in a browser. A refresh inside `<noscript>` is ignored: it sends browsers
//! without scripts to a reduced page.

use newslode_page::Page;
use newslode_page::reading::{CanonicalUrl, resolve};

/// A page that is shown for longer than this, in seconds, is meant to be read.
const LONGEST_S: u64 = 10;

/// The page that a page leads to within seconds, by its header or its markup.
pub(crate) fn target(url: &CanonicalUrl, header: Option<&str>, page: Option<&Page>) -> Option<CanonicalUrl> {
    let by_header = header.and_then(read).and_then(|to| resolve(&url.to_url(), to));
    by_header.or_else(|| {
        let page = page?;
        let (tree, base) = (&page.tree, &page.base);
        let is_refresh = |name: &str| name.trim().eq_ignore_ascii_case("refresh");
        tree.node_ids()
            .filter(|&node| tree.is_html(node) && tree.tag(node) == Some("meta"))
            .filter(|&node| tree.attr(node, "http-equiv").is_some_and(is_refresh))
            .filter(|&node| {
                !tree.ancestors(node).any(|above| matches!(tree.tag(above), Some("noscript" | "template")))
            })
            .filter_map(|node| resolve(base, read(tree.attr(node, "content")?)?))
            .next()
    })
}

/// The address of `SECONDS; url=ADDRESS`, in the ways that the HTML standard allows, if it comes within seconds.
fn read(value: &str) -> Option<&str> {
    let value = value.trim_start();
    let digits = value.find(|c: char| !c.is_ascii_digit()).unwrap_or(value.len());
    let (seconds, fraction) = value.split_at(digits);
    if seconds.is_empty() && !fraction.starts_with('.') {
        return None;
    }
    // Too many digits are a long time.
    let is_soon = seconds.is_empty() || seconds.parse::<u64>().is_ok_and(|seconds| seconds <= LONGEST_S);
    let rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_parted = rest.starts_with(|c: char| c.is_ascii_whitespace() || matches!(c, ';' | ','));
    if !is_soon || !is_parted {
        return None;
    }
    let rest = rest.trim_start();
    let rest = rest.strip_prefix([';', ',']).unwrap_or(rest).trim_start();
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
            (".5; Url\t=\n\"/a\"; junk", Some("/a")),
            ("1.2.3;url=/a", Some("/a")),
            ("0 url='/a", Some("/a")),
            ("0;url='/a\"b", Some("/a\"b")),
            ("0;url", Some("url")),
            ("5url=/a", None),
            ("99999999999999999999999;url=/a", None),
            (";url=/a", None),
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
        let with_base = of(Some("0"), &format!("<base href=/b/>{meta}"));
        assert_eq!(with_base.as_deref(), Some("http://a.test/b/y"));
        assert_eq!(of(Some("0;url=/z"), meta).as_deref(), Some("http://a.test/z"));
        assert_eq!(of(None, &format!("<noscript>{meta}</noscript><p>Text")), None);
        assert_eq!(of(None, "<meta http-equiv=refresh content=600><p>Text"), None);
        assert_eq!(of(None, "<meta name=refresh content='0;url=y'><p>Text"), None);
    }
}
