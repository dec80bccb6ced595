//! A short form of URLs for stores that file them under their site.
//!
//! Most URLs of a site begin with `https://` and the site's name, some with a host below it. A store that
//! keeps a URL under its site omits these. Under `example.org` it writes `https://www.example.org/a` as
//! `www/a`, `https://example.org/a` as `/a`, and any other URL in full. Invariant: [`full_url`] undoes [`short_url`],
//! and no two URLs of a site are written alike.

use std::borrow::Cow;

use super::{CanonicalUrl, CanonicalUrlError};

const SCHEME: &str = "https://";

/// A URL as it is written under its site.
#[must_use]
pub fn short_url<'a>(site: &str, url: &'a CanonicalUrl) -> Cow<'a, str> {
    let whole = url.as_str();
    let Some(rest) = whole.strip_prefix(SCHEME) else { return Cow::Borrowed(whole) };
    let Some((host, _)) = rest.split_once('/') else { return Cow::Borrowed(whole) };
    let (subdomain, path) = (host.strip_suffix(site), rest.get(host.len()..).unwrap_or_default());
    match subdomain {
        Some("") => Cow::Borrowed(path),
        Some(subdomain) => match subdomain.strip_suffix('.') {
            Some(subdomain) if !subdomain.is_empty() => Cow::Owned(format!("{subdomain}{path}")),
            _ => Cow::Borrowed(whole),
        },
        None => Cow::Borrowed(whole),
    }
}

/// The URL that was written like this under a site.
///
/// # Errors
/// When no URL is written like this.
pub fn full_url(site: &str, text: &str) -> Result<CanonicalUrl, CanonicalUrlError> {
    match text.split_once('/') {
        Some(("", _)) => format!("{SCHEME}{site}{text}").parse(),
        // A scheme ends with a colon, and no host name does.
        Some((before, _)) if before.ends_with(':') => text.parse(),
        Some((subdomain, path)) => format!("{SCHEME}{subdomain}.{site}/{path}").parse(),
        None => text.parse(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_site_says_is_left_out_and_comes_back() {
        for (url, site, shortened) in [
            ("https://example.org/", "example.org", "/"),
            ("https://example.org/a/b?c=/d", "example.org", "/a/b?c=/d"),
            ("https://www.example.org/a", "example.org", "www/a"),
            ("https://de.news.example.org/", "example.org", "de.news/"),
            ("http://example.org/a", "example.org", "http://example.org/a"),
            ("https://example.org:8443/a", "example.org", "https://example.org:8443/a"),
            ("https://notexample.org/a", "example.org", "https://notexample.org/a"),
            ("http://127.0.0.1:8080/a", "127.0.0.1", "http://127.0.0.1:8080/a"),
            ("https://[::1]/a", "[::1]", "/a"),
        ] {
            let url: CanonicalUrl = url.parse().unwrap();
            let short = short_url(site, &url);
            assert_eq!(short, shortened);
            assert_eq!(full_url(site, &short).unwrap(), url);
        }
        assert!(full_url("example.org", "nothing").is_err());
    }
}
