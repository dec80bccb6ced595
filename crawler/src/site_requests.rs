//! What requests to single sites carry beside what all carry: headers, cookies of one's own subscription, another user agent, a
//! proxy, and whether the site's certificate is checked (`crawler.sites_file`).
//!
//! The file is TOML with a table for each host, which also holds for the hosts below it; of two tables that hold for a host, the
//! longer one applies alone. Its values give access. So they are read by the crawler only, in a file that others may not
//! read, and shown nowhere: no message quotes a value, headers are marked as sensitive, and web archives get [`MASK`].
//!
//! Invariant: only the hosts of a site get its settings. The settings are looked up by the URL of each request, so a request
//! that follows a redirect to another host carries none of them. Start at [`SiteRequests::open`].

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use newslode_common::config::{is_proxy_url, mode_open_to_others, read_toml};
use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
use toml::Value;
use url::{Host, Url};

/// Stands in web archives for a value that gives access.
pub(crate) const MASK: &str = "***";

/// Headers that the crawler sets itself, and where they come from.
const OWN_HEADERS: [(&str, &str); 17] = [
    ("accept-encoding", "the crawler names the encodings that it can read"),
    ("connection", "it belongs to the connection"),
    ("content-length", "requests have no body"),
    ("content-type", "requests have no body"),
    ("cookie", "set `cookies` instead"),
    ("expect", "requests have no body"),
    ("host", "it is that of the URL"),
    ("if-modified-since", "it comes from the last answer"),
    ("if-none-match", "it comes from the last answer"),
    ("keep-alive", "it belongs to the connection"),
    ("proxy-authorization", "write user and password into `proxy` instead"),
    ("range", "pages are read whole"),
    ("te", "it belongs to the connection"),
    ("trailer", "it belongs to the connection"),
    ("transfer-encoding", "requests have no body"),
    ("upgrade", "it belongs to the connection"),
    ("user-agent", "set `user_agent` instead"),
];

/// The settings of all sites.
#[derive(Debug, Default)]
pub(crate) struct SiteRequests {
    sites: BTreeMap<String, SiteRequest>,
}

/// The settings of one site.
#[derive(Default)]
struct SiteRequest {
    headers: HeaderMap,
    /// `name=value` each.
    cookies: Vec<String>,
    user_agent: Option<HeaderValue>,
    proxy: Option<String>,
    accept_invalid_certificate: bool,
    plain_http: bool,
    /// Whether a browser loads its pages.
    render: bool,
    /// Whether the log says already that something was kept back.
    has_warned: AtomicBool,
}

impl fmt::Debug for SiteRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl SiteRequests {
    /// Reads the file; an empty name is no file.
    ///
    /// # Errors
    /// When others may read it, or something in it cannot be used: all faults, with what to do.
    pub(crate) fn open(file: &str) -> anyhow::Result<SiteRequests> {
        if file.is_empty() {
            return Ok(SiteRequests::default());
        }
        let path = Path::new(file);
        let unreadable = || format!("`crawler.sites_file`: cannot read `{file}`");
        if let Some(mode) = mode_open_to_others(path).with_context(unreadable)? {
            anyhow::bail!(
                "`crawler.sites_file`: others may read or change `{file}` (mode {mode:03o}), which holds what gives access; \
                 take that right away: chmod 600 {file}"
            );
        }
        let table = read_toml(path, &std::fs::read_to_string(path).with_context(unreadable)?)?;
        SiteRequests::parse(table).map_err(|faults| {
            let faults: Vec<String> = faults.iter().map(|fault| format!("`{file}`: {fault}")).collect();
            anyhow::anyhow!(faults.join("\n"))
        })
    }

    /// Faults never quote values.
    fn parse(table: toml::Table) -> Result<SiteRequests, Vec<String>> {
        let (mut sites, mut faults) = (BTreeMap::new(), Vec::new());
        for (host, value) in table {
            if let Err(fault) = check_host(&host) {
                faults.push(fault);
                continue;
            }
            let Value::Table(keys) = value else {
                faults.push(format!(
                    "`{}` must be a table of a host, such as [\"example.org\"]",
                    shown_host(&host)
                ));
                continue;
            };
            let mut site = SiteRequest::default();
            for (key, value) in keys {
                if let Err(fault) = site.set(&key, value) {
                    faults.push(format!("[\"{host}\"]: {fault}"));
                }
            }
            sites.insert(host, site);
        }
        if faults.is_empty() { Ok(SiteRequests { sites }) } else { Err(faults) }
    }

    /// The settings of the longest table that holds for a host, and its name.
    fn of_host(&self, host: &str) -> Option<(&str, &SiteRequest)> {
        if self.sites.is_empty() {
            return None;
        }
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let mut rest = host.as_str();
        loop {
            if let Some((name, site)) = self.sites.get_key_value(rest) {
                return Some((name, site));
            }
            // An address has no hosts below it, and no table is named like the end of one.
            rest = rest.split_once('.')?.1;
        }
    }

    /// Whether a host's certificate is not checked. An IPv6 address may lack its brackets.
    pub(crate) fn accepts_invalid_certificate(&self, host: &str) -> bool {
        let found = self.of_host(host).or_else(|| self.of_host(&format!("[{host}]")));
        found.is_some_and(|(_, site)| site.accept_invalid_certificate)
    }

    /// The sites whose certificates are not checked.
    pub(crate) fn with_unchecked_certificates(&self) -> impl Iterator<Item = &str> {
        self.sites.iter().filter(|(_, site)| site.accept_invalid_certificate).map(|(host, _)| host.as_str())
    }

    /// Whether a browser loads the pages of a URL's host.
    pub(crate) fn renders(&self, url: &Url) -> bool {
        url.host_str().and_then(|host| self.of_host(host)).is_some_and(|(_, site)| site.render)
    }

    /// The sites whose pages a browser loads.
    pub(crate) fn rendered(&self) -> impl Iterator<Item = &str> {
        self.sites.iter().filter(|(_, site)| site.render).map(|(host, _)| host.as_str())
    }

    /// The table that gives access to a URL's host, if one does.
    pub(crate) fn account(&self, url: &Url) -> Option<&str> {
        let (name, site) = self.of_host(url.host_str()?)?;
        (!site.headers.is_empty() || !site.cookies.is_empty()).then_some(name)
    }

    /// All proxies of sites.
    pub(crate) fn proxies(&self) -> impl Iterator<Item = &str> {
        self.sites.values().filter_map(|site| site.proxy.as_deref())
    }

    /// The proxy for a URL, if its site has one of its own.
    pub(crate) fn proxy(&self, url: &Url) -> Option<&str> {
        self.of_host(url.host_str()?)?.1.proxy.as_deref()
    }

    /// The headers of a request with those of the URL's site, and its cookies before the others. Over `http`, where everybody on the way
    /// could read them, headers and cookies are kept back unless the site's table has `plain_http`.
    pub(crate) fn add_to(&self, url: &Url, headers: &mut HeaderMap) {
        let Some((host, site)) = url.host_str().and_then(|host| self.of_host(host)) else { return };
        headers.extend(site.user_agent.iter().map(|agent| (header::USER_AGENT, agent.clone())));
        if site.headers.is_empty() && site.cookies.is_empty() {
            return;
        }
        if url.scheme() != "https" && !site.plain_http {
            if !site.has_warned.swap(true, Ordering::Relaxed) {
                tracing::warn!(
                    site = host,
                    "headers and cookies of `crawler.sites_file` are not sent over http, where others could read them; \
                     `plain_http = true` in the site's table sends them"
                );
            }
            return;
        }
        for (name, value) in &site.headers {
            headers.insert(name, value.clone());
        }
        if let Some(cookies) = site.cookies_with(headers.get(header::COOKIE)) {
            headers.insert(header::COOKIE, cookies);
        }
    }
}

impl SiteRequest {
    fn set(&mut self, key: &str, value: Value) -> Result<(), String> {
        match (key, value) {
            ("headers", Value::Table(headers)) => headers.into_iter().try_for_each(|(name, value)| {
                let Value::String(value) = value else {
                    return Err(format!("the header `{}` must be a text", shown_name(&name)));
                };
                self.set_header(&name, &value)
            }),
            ("cookies", Value::String(cookies)) => self.set_cookies(&cookies),
            ("user_agent", Value::String(agent)) if !agent.trim().is_empty() => {
                let unusable = "`user_agent` may contain only characters that are valid in a header: visible ASCII and spaces";
                self.user_agent = Some(sensitive(agent.trim()).ok_or(unusable)?);
                Ok(())
            }
            ("proxy", Value::String(proxy)) if is_proxy_url(&proxy) => {
                self.proxy = Some(proxy);
                Ok(())
            }
            ("accept_invalid_certificate", Value::Boolean(accept)) => {
                self.accept_invalid_certificate = accept;
                Ok(())
            }
            ("plain_http", Value::Boolean(plain)) => {
                self.plain_http = plain;
                Ok(())
            }
            ("render", Value::Boolean(render)) => {
                self.render = render;
                Ok(())
            }
            ("headers", _) => {
                Err("`headers` must be a table, such as { Authorization = \"Bearer …\" }".into())
            }
            ("cookies", _) => Err("`cookies` must be a text, such as \"session=…; plan=…\"".into()),
            ("user_agent", _) => Err("`user_agent` must be a text that is not empty".into()),
            ("proxy", _) => Err(
                "`proxy` must be the URL of a proxy, with `http://`, `https://`, `socks5://` or `socks5h://`"
                    .into(),
            ),
            ("accept_invalid_certificate" | "plain_http" | "render", _) => {
                Err(format!("`{key}` must be true or false"))
            }
            _ => Err(format!(
                "unknown key `{}`; known are `headers`, `cookies`, `user_agent`, `proxy`, `accept_invalid_certificate`, `plain_http` and `render`",
                shown_name(key)
            )),
        }
    }

    fn set_header(&mut self, name: &str, value: &str) -> Result<(), String> {
        let shown = shown_name(name);
        let Ok(name) = HeaderName::from_bytes(name.as_bytes()) else {
            return Err(format!(
                "`{shown}` is no name of a header; names have ASCII letters, digits and `-`, as in `X-Api-Key`"
            ));
        };
        if let Some((_, reason)) = OWN_HEADERS.iter().find(|(own, _)| name == *own) {
            return Err(format!("the header `{shown}` cannot be set: {reason}"));
        }
        if self.headers.contains_key(&name) {
            return Err(format!("the header `{shown}` is there twice; case does not matter"));
        }
        let value = sensitive(value.trim()).filter(|value| !value.is_empty()).ok_or_else(|| {
            format!("the value of the header `{shown}` must not be empty and may contain only visible ASCII and spaces")
        })?;
        self.headers.insert(name, value);
        Ok(())
    }

    fn set_cookies(&mut self, cookies: &str) -> Result<(), String> {
        for (place, cookie) in
            cookies.split(';').map(str::trim).filter(|cookie| !cookie.is_empty()).enumerate()
        {
            let name = cookie.split_once('=').map(|(name, _)| name.trim());
            let is_usable = name.is_some_and(|name| HeaderName::from_bytes(name.as_bytes()).is_ok())
                && sensitive(cookie).is_some();
            if !is_usable {
                return Err(format!(
                    "number {} of `cookies` is not `name=value` in visible ASCII; copy the value of the `Cookie` header that a browser sends",
                    place + 1
                ));
            }
            self.cookies.push(cookie.to_owned());
        }
        Ok(())
    }

    /// The `Cookie` header of the site's cookies and those that the request has already. The server set those just now, so
    /// they replace ours of the same name.
    fn cookies_with(&self, others: Option<&HeaderValue>) -> Option<HeaderValue> {
        let others = others.and_then(|others| others.to_str().ok()).unwrap_or_default();
        let name = |cookie: &str| cookie.split('=').next().unwrap_or_default().trim().to_owned();
        let newer: Vec<&str> = others.split(';').map(str::trim).filter(|other| !other.is_empty()).collect();
        let newer_names: Vec<String> = newer.iter().map(|cookie| name(cookie)).collect();
        let own = self.cookies.iter().map(String::as_str);
        let own = own.filter(|cookie| !newer_names.contains(&name(cookie)));
        let all: Vec<&str> = own.chain(newer.iter().copied()).collect();
        if all.is_empty() { None } else { sensitive(&all.join("; ")) }
    }
}

/// A header that debug output hides and HTTP/2 keeps out of its tables.
fn sensitive(value: &str) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(value).ok()?;
    value.set_sensitive(true);
    Some(value)
}

/// A host as URLs have it, with registrable ones below no suffix that many owners share.
fn check_host(host: &str) -> Result<(), String> {
    let shown = shown_host(host);
    let parsed = Host::parse(host).ok().filter(|_| shown != MASK && !host.ends_with('.'));
    let parsed = parsed.ok_or_else(|| {
        format!("`{shown}` is no host; name one without scheme, port and path, such as [\"example.org\"]")
    })?;
    let usual = parsed.to_string();
    if usual != host {
        return Err(format!("`{shown}` must be written as URLs have it: [\"{usual}\"]"));
    }
    let is_shared = matches!(parsed, Host::Domain(_))
        && psl::suffix(host.as_bytes())
            .is_some_and(|suffix| suffix.is_known() && suffix.as_bytes() == host.as_bytes());
    if is_shared {
        return Err(format!(
            "`{shown}` belongs to many owners, who would all be sent what is meant for one; name the site's own host"
        ));
    }
    Ok(())
}

/// A host's name in a message. A secret in the place of a key is not shown.
fn shown_host(host: &str) -> &str {
    let is_like_host =
        |char: char| char.is_alphanumeric() || matches!(char, '.' | '-' | '_' | ':' | '/' | '[' | ']');
    if host.len() <= 100 && host.chars().all(is_like_host) { host } else { MASK }
}

/// The same of a key or header.
fn shown_name(name: &str) -> &str {
    let is_like_name = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_' | ' ' | ':');
    if name.len() <= 40 && name.chars().all(is_like_name) { name } else { MASK }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<SiteRequests, String> {
        SiteRequests::parse(toml::from_str(text).unwrap()).map_err(|faults| faults.join("\n"))
    }

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    /// The headers of a request, `name: value`.
    fn sent(sites: &SiteRequests, to: &str, jar: &str) -> Vec<String> {
        let mut headers = HeaderMap::new();
        if !jar.is_empty() {
            headers.insert(header::COOKIE, HeaderValue::from_str(jar).unwrap());
        }
        sites.add_to(&url(to), &mut headers);
        headers.iter().map(|(name, value)| format!("{name}: {}", value.to_str().unwrap())).collect()
    }

    #[test]
    fn a_browser_loads_the_pages_of_the_hosts_that_say_so_and_accounts_belong_to_their_tables() {
        let sites =
            parse("['a.test']\nrender = true\n['plain.a.test']\n['b.test']\ncookies = 'x=1'").unwrap();
        for (url_text, wanted) in [
            ("https://a.test/", true),
            ("https://www.a.test/x", true),
            ("https://plain.a.test/", false),
            ("https://b.test/", false),
            ("https://c.test/", false),
        ] {
            assert_eq!(sites.renders(&url(url_text)), wanted, "{url_text}");
        }
        assert_eq!(sites.rendered().collect::<Vec<_>>(), ["a.test"]);
        assert_eq!(sites.account(&url("https://api.b.test/")), Some("b.test"));
        assert_eq!(sites.account(&url("https://a.test/")), None);
        assert!(parse("['a.test']\nrender = 'yes'").unwrap_err().contains("`render` must be true or false"));
    }

    #[test]
    fn a_table_holds_for_its_host_and_those_below_and_the_longest_one_alone() {
        let sites = parse(
            "['example.org']\nheaders = { X-Key = 'k' }\n['open.example.org']\n['192.0.2.1']\ncookies = 'a=1'\n",
        )
        .unwrap();
        for (to, wanted) in [
            ("https://example.org/a", vec!["x-key: k"]),
            ("https://www.EXAMPLE.org./", vec!["x-key: k"]),
            ("https://a.b.example.org:8443/", vec!["x-key: k"]),
            ("https://open.example.org/", vec![]),
            ("https://a.open.example.org/", vec![]),
            ("https://badexample.org/", vec![]),
            ("https://example.org.evil.test/", vec![]),
            ("https://org/", vec![]),
            ("https://192.0.2.1/", vec!["cookie: a=1"]),
            ("https://192.0.2.2/", vec![]),
        ] {
            assert_eq!(sent(&sites, to, ""), wanted, "{to}");
        }
    }

    #[test]
    fn cookies_join_those_of_a_chain_and_give_way_to_newer_ones() {
        let sites = parse("['a.test']\ncookies = 'sid=1; plan=full;'\n").unwrap();
        assert_eq!(sent(&sites, "https://a.test/", ""), ["cookie: sid=1; plan=full"]);
        assert_eq!(sent(&sites, "https://a.test/", "seen=1; sid=2"), ["cookie: plan=full; seen=1; sid=2"]);
        assert_eq!(sent(&sites, "https://b.test/", "seen=1"), ["cookie: seen=1"]);
    }

    #[test]
    fn over_http_only_the_user_agent_is_sent_unless_the_table_says_otherwise() {
        let table = "['a.test']\nuser_agent = 'Agent/1'\ncookies = 'sid=1'\nheaders = { X-Key = 'k' }\n";
        assert_eq!(sent(&parse(table).unwrap(), "http://a.test/", ""), ["user-agent: Agent/1"]);
        let plain = parse(&format!("{table}plain_http = true\n")).unwrap();
        assert_eq!(sent(&plain, "http://a.test/", "").len(), 3);
    }

    #[test]
    fn debug_output_shows_no_value() {
        let sites = parse("['a.test']\ncookies = 'sid=hunter2'\nheaders = { X-Key = 'hunter2' }\nproxy = 'http://me:hunter2@p'").unwrap();
        let mut headers = HeaderMap::new();
        sites.add_to(&url("https://a.test/"), &mut headers);
        let shown = format!("{sites:?} {headers:?}");
        assert!(headers.len() == 2 && !shown.contains("hunter2"), "{shown}");
    }

    #[test]
    fn a_fault_names_its_place_and_a_remedy_and_never_the_value() {
        for (text, named) in [
            ("['a.test']\ncookie = 'hunter2'", "unknown key `cookie`; known are `headers`, `cookies`"),
            ("['a.test']\n'sid=hunter2' = 1", "unknown key `***`"),
            ("['a.test']\ncookies = { sid = 'hunter2' }", "`cookies` must be a text"),
            ("['a.test']\ncookies = 'a=1; hunter2'", "number 2 of `cookies` is not `name=value`"),
            ("['a.test']\ncookies = \"sid=hunter2\\r\\nX: y\"", "number 1 of `cookies`"),
            ("['a.test']\nheaders = 'X-Key: hunter2'", "`headers` must be a table"),
            ("['a.test']\nheaders = { 'X Key' = 'hunter2' }", "`X Key` is no name of a header"),
            (
                "['a.test']\nheaders = { X-Key = \"hunter2\\n\" , X-Other = \"hunter2\\u0000\" }",
                "`X-Other` must not be empty",
            ),
            ("['a.test']\nheaders = { X-Key = ' ' }", "`X-Key` must not be empty"),
            ("['a.test']\nheaders = { X-Key = 2 }", "`X-Key` must be a text"),
            ("['a.test']\nheaders = { x-key = 'hunter2', X-Key = 'hunter2' }", "twice"),
            ("['a.test']\nheaders = { Cookie = 'sid=hunter2' }", "set `cookies` instead"),
            ("['a.test']\nheaders = { Host = 'hunter2' }", "the header `Host` cannot be set"),
            ("['a.test']\nuser_agent = ''", "`user_agent` must be"),
            ("['a.test']\nuser_agent = \"hunter2\\n1\"", "`user_agent` may contain only"),
            ("['a.test']\nproxy = 'me:hunter2@proxy:3128'", "`proxy` must be the URL"),
            ("['a.test']\naccept_invalid_certificate = 'yes'", "must be true or false"),
            ("cookies = 'sid=hunter2'", "`cookies` must be a table"),
            ("['sid=hunter2']\n", "`***` is no host"),
            ("['https://a.test/']\n", "`https://a.test/` is no host"),
            ("['a.test:443']\n", "is no host"),
            ("['A.test']\n", "[\"a.test\"]"),
            ("['münchen.example']\n", "xn--mnchen-3ya.example"),
            ("['co.uk']\n", "belongs to many owners"),
            ("['github.io']\n", "belongs to many owners"),
        ] {
            let said = parse(text).unwrap_err();
            assert!(said.contains(named) && !said.contains("hunter2"), "{text}: {said}");
        }
        assert!(parse("[localhost]\nplain_http = true").is_ok(), "a host of the own network has no suffix");
    }
}
