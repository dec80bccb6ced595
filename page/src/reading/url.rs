//! The identity of a page and of a site.
//!
//! Two URLs are one page if their canonical forms are equal: without fragment, user info, default port and
//! tracking parameters, with the host in lower case and percent-encoding in one form. What a server could tell
//! apart stays: `www.`, a final slash, `index.html`, the order of parameters.
//! Invariants: a canonical URL is http(s), at most 2 KiB long, and its own canonical form. Start at
//! [`canonical`].

use std::fmt;
use std::str::FromStr;

use ::url::{Host, Url};
use serde::{Deserialize, Serialize};

/// Longest canonical URL, in bytes.
const MAX_BYTES: usize = 2048;

/// Query parameters that say where a visitor came from and never change what is shown; all `utm_…` count, too.
const TRACKING: [&str; 15] = [
    "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "fbclid", "msclkid", "yclid", "ysclid", "twclid",
    "ttclid", "igshid", "mc_cid", "mc_eid", "_ga",
];

/// The identity of a page: a canonical http(s) URL.
///
/// ```
/// use newslode_page::CanonicalUrl;
///
/// let url: CanonicalUrl = "HTTPS://News.Example.org:443/sport/?utm_source=mail&page=2#top".parse()?;
/// assert_eq!(url.as_str(), "https://news.example.org/sport/?page=2");
/// assert_eq!(url.site().as_str(), "example.org");
/// assert!("mailto:desk@example.org".parse::<CanonicalUrl>().is_err());
/// # Ok::<(), newslode_page::reading::CanonicalUrlError>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct CanonicalUrl(String);

/// Why a string is not the identity of a page.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CanonicalUrlError {
    /// Not a URL at all.
    #[error("`{text}` is not a URL: {reason}")]
    Malformed {
        /// The text, cut to 200 bytes.
        text: String,
        /// The reason why it is not one.
        reason: ::url::ParseError,
    },
    /// A URL, but not that of a web page.
    #[error("`{0}` is not an http or https URL of at most 2048 bytes")]
    NoPage(String),
}

/// The canonical form of a URL; `None` if it is not http(s), has no host or is over 2 KiB long.
pub fn canonical(url: &Url) -> Option<CanonicalUrl> {
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let host = url.host_str()?.trim_end_matches('.');
    if host.is_empty() || host.contains("..") {
        return None;
    }
    if is_canonical(url, host) {
        Some(CanonicalUrl(url.as_str().to_owned()))
    } else {
        rewrite_canonical(url, host)
    }
}

/// The canonical form of a web page's URL, written anew.
fn rewrite_canonical(url: &Url, host: &str) -> Option<CanonicalUrl> {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    let path = normalise_escapes(url.path());
    let mut text = format!("{}://{host}{port}{path}", url.scheme());
    let query = normalise_escapes(url.query().unwrap_or_default());
    let parameters: Vec<&str> = query.split('&').filter(|parameter| !is_tracking(parameter)).collect();
    let parameters = parameters.join("&");
    if !parameters.is_empty() {
        text.push('?');
        text.push_str(&parameters);
    }
    if text.len() > MAX_BYTES {
        return None;
    }
    // Undoing escapes may change how the URL is parsed, so the parser has the last word.
    Some(CanonicalUrl(Url::parse(&text).ok()?.into()))
}

/// Whether a URL certainly is its own canonical form, as most are.
fn is_canonical(url: &Url, host: &str) -> bool {
    let query = url.query();
    url.as_str().len() <= MAX_BYTES
        && url.fragment().is_none()
        && url.username().is_empty()
        && url.password().is_none()
        && url.host_str() == Some(host)
        && !url.as_str().contains('%')
        && query.is_none_or(|query| !query.is_empty() && !query.split('&').any(is_tracking))
}

/// The page an `href` leads to; `None` if it is not a web page (`javascript:`, `mailto:`, `tel:`, `data:` and
/// the like). A fragment alone leads to the base itself.
pub fn resolve(base: &Url, href: &str) -> Option<CanonicalUrl> {
    canonical(&base.join(href.trim_ascii()).ok()?)
}

/// Normalises percent-encoding, so that `%7e`, `%7E` and `~` become one: escapes of unreserved characters are
/// undone, others are in upper case, and a `%` that starts no escape becomes `%25` (otherwise undoing `%%34e`
/// would make a new escape).
fn normalise_escapes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let escape = after.get(..2).and_then(|digits| Some((digits, parse_hex_byte(digits)?)));
        match escape {
            Some((_, byte)) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                out.push(char::from(byte))
            }
            Some((digits, _)) => {
                out.push('%');
                out.push_str(&digits.to_ascii_uppercase());
            }
            None => out.push_str("%25"),
        }
        rest = if escape.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    out.push_str(rest);
    out
}

fn parse_hex_byte(digits: &str) -> Option<u8> {
    // `from_str_radix` would accept a sign.
    digits.bytes().all(|digit| digit.is_ascii_hexdigit()).then(|| u8::from_str_radix(digits, 16).ok())?
}

fn is_tracking(parameter: &str) -> bool {
    let name = parameter.split_once('=').map_or(parameter, |(name, _)| name);
    name.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("utm_"))
        || TRACKING.iter().any(|tracking| tracking.eq_ignore_ascii_case(name))
}

impl CanonicalUrl {
    /// The URL as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The host: a domain in lower case (Punycode), an IPv4 address, or an IPv6 address in brackets.
    pub fn host(&self) -> &str {
        let authority = self.split().1;
        match authority.rfind(':') {
            Some(colon) if !authority.ends_with(']') => authority.get(..colon).unwrap_or(authority),
            _ => authority,
        }
    }

    /// Scheme, host, and the port unless it is the scheme's default: `https://example.org`.
    pub fn origin(&self) -> &str {
        self.split().0
    }

    /// The path, from its first slash, without query.
    pub fn path(&self) -> &str {
        let rest = self.split().2;
        rest.split_once('?').map_or(rest, |(path, _)| path)
    }

    /// The site this page belongs to.
    pub fn site(&self) -> Site {
        Site::of_host(self.host())
    }

    /// Whether this is the front page of its host: path `/` and no query.
    pub fn is_home(&self) -> bool {
        self.split().2 == "/"
    }

    /// Whether this is the front page of its site: path `/` on the site's own host, with or without `www`.
    pub fn is_front_page(&self) -> bool {
        let host = self.host();
        self.is_home() && host.strip_prefix("www.").unwrap_or(host) == self.site().as_str()
    }

    /// The parsed URL.
    pub fn to_url(&self) -> Url {
        Url::parse(&self.0).expect("a canonical URL came out of the URL parser")
    }

    /// Origin, authority, and path with query.
    fn split(&self) -> (&str, &str, &str) {
        let after_scheme = self.0.find("://").map_or(0, |at| at + 3);
        let (_, after) = self.0.split_at(after_scheme);
        let slash = after.find('/').unwrap_or(after.len());
        let (origin, rest) = self.0.split_at(after_scheme + slash);
        (origin, after.get(..slash).unwrap_or_default(), rest)
    }
}

impl fmt::Display for CanonicalUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for CanonicalUrl {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl FromStr for CanonicalUrl {
    type Err = CanonicalUrlError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let shown = || super::sink::truncate(text, 200).to_owned();
        let url = Url::parse(text.trim_ascii())
            .map_err(|reason| CanonicalUrlError::Malformed { text: shown(), reason })?;
        canonical(&url).ok_or_else(|| CanonicalUrlError::NoPage(shown()))
    }
}

impl TryFrom<String> for CanonicalUrl {
    type Error = CanonicalUrlError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<CanonicalUrl> for String {
    fn from(url: CanonicalUrl) -> Self {
        url.0
    }
}

/// A site: the registrable domain by the public suffix list (`a.b.co.uk` belongs to `b.co.uk`), or the whole
/// host if there is none (addresses, `localhost`). Private suffixes count, so each blog of a blog host is a
/// site.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct Site(String);

impl Site {
    /// The site of a host. Brackets around an IPv6 address are optional; case and a final dot do not matter.
    pub fn of_host(host: &str) -> Self {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let is_name = matches!(Host::parse(&host), Ok(Host::Domain(_)));
        let domain = if is_name { psl::domain_str(&host) } else { None };
        Self(domain.map(str::to_owned).unwrap_or(host))
    }

    /// The site as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for Site {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<String> for Site {
    fn from(host: String) -> Self {
        Self::of_host(&host)
    }
}

impl FromStr for Site {
    type Err = std::convert::Infallible;

    fn from_str(host: &str) -> Result<Self, Self::Err> {
        Ok(Self::of_host(host))
    }
}

impl From<Site> for String {
    fn from(site: Site) -> Self {
        site.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(from: &str, to: Option<&str>) {
        let base = Url::parse("https://Example.org:443/a/b?c#d").unwrap();
        assert_eq!(resolve(&base, from).as_ref().map(CanonicalUrl::as_str), to, "{from}");
    }

    #[test]
    fn what_no_server_tells_apart_is_one() {
        check("HTTP://me:pw@WWW.Example.ORG.:80", Some("http://www.example.org/"));
        check("/x/./y/../z#part", Some("https://example.org/x/z"));
        check("/%7euser/%e2%82%ac%2f", Some("https://example.org/~user/%E2%82%AC%2F"));
        check("/100%", Some("https://example.org/100%25"));
        check("/%%34e", Some("https://example.org/%254e"));
        check("/?", Some("https://example.org/"));
    }

    #[test]
    fn tracking_goes_and_the_rest_keeps_its_order() {
        check("/?b=1&utm_source=x&a=2&UTM_medium=y&fbclid=z&a=1", Some("https://example.org/?b=1&a=2&a=1"));
        check("/?utm%5Fsource=x&gclid", Some("https://example.org/"));
        check("/?utm=1&gclidx=2", Some("https://example.org/?utm=1&gclidx=2"));
    }

    #[test]
    fn what_a_server_could_tell_apart_stays() {
        check("//www.example.org/a/", Some("https://www.example.org/a/"));
        check("/index.html", Some("https://example.org/index.html"));
        check("http://example.org:8080/A", Some("http://example.org:8080/A"));
    }

    #[test]
    fn only_pages_have_an_identity() {
        for href in
            ["javascript:void(0)", "mailto:a@b.c", "tel:1", "data:text/html,x", "ftp://a.org/", "http://"]
        {
            check(href, None);
        }
        check(" #top\n", Some("https://example.org/a/b?c"));
        check("", Some("https://example.org/a/b?c"));
        check(&"x".repeat(3000), None);
        let error = "no url".parse::<CanonicalUrl>().unwrap_err();
        assert_eq!(error.to_string(), "`no url` is not a URL: relative URL without a base");
    }

    #[test]
    fn a_url_has_parts() {
        let url: CanonicalUrl = "http://[::1]:81/a?b/c".parse().unwrap();
        assert_eq!((url.origin(), url.host(), url.path()), ("http://[::1]:81", "[::1]", "/a"));
        let home = |text: &str| text.parse::<CanonicalUrl>().unwrap().is_home();
        assert_eq!(
            [home("http://a.org"), home("http://a.org/?x"), home("http://a.org/b")],
            [true, false, false]
        );
        let json = serde_json::to_string(&url).unwrap();
        assert_eq!(serde_json::from_str::<CanonicalUrl>(&json).unwrap(), url);
        assert!(serde_json::from_str::<CanonicalUrl>("\"ftp://a.org/\"").is_err());
    }

    proptest! {
        #[test]
        fn what_need_not_be_rewritten_is_its_own_canonical_form(
            text in "https?://([a-zA-Z\u{e9}.]{1,8}|\\[::1\\])(:(80|443|8080))?/[a-zA-Z0-9/.~%\u{e9} ;:@!$'()*+,=|^`{}-]{0,12}(\\?[a-z&=%_?#|'-]{0,8}(utm_a|gclid=1)?)?"
        ) {
            if let Ok(url) = Url::parse(&text)
                && let Some(host) = url.host_str()
                && is_canonical(&url, host)
            {
                let rewritten = rewrite_canonical(&url, host).map(String::from);
                prop_assert_eq!(rewritten.as_deref(), Some(url.as_str()));
            }
        }
    }

    #[test]
    fn a_site_is_a_registrable_domain() {
        let cases = [
            ("a.b.co.uk", "b.co.uk"),
            ("WWW.Example.org.", "example.org"),
            ("me.github.io", "me.github.io"),
            ("co.uk", "co.uk"),
            ("localhost", "localhost"),
            ("127.0.0.1", "127.0.0.1"),
            ("[::1]", "[::1]"),
        ];
        for (host, site) in cases {
            assert_eq!(Site::of_host(host).as_str(), site);
        }
    }
}
