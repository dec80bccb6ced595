//! Keys of addresses, by which indexes of web archives are sorted and searched (SURT).
//!
//! A replay tool computes the key of the address that was asked for and looks for the same one, so what matters is to
//! come to what pywb and cdxj-indexer come to: scheme, `www.` and session ids are dropped, the host is reversed, the rest is
//! lower-case, and the arguments of the query are sorted. `https://www.example.com/A?b&a` becomes `com,example)/a?a&b`.
//! Invariant: a key has no white space and is ASCII. Start at [`surt`].

use std::borrow::Cow;
use std::fmt::Write as _;

/// The key of an address. One that cannot be read is its own key, without white space.
#[must_use]
pub fn surt(url: &str) -> String {
    let url: String = url.trim().chars().filter(|letter| !matches!(letter, '\n' | '\r' | '\t')).collect();
    if url.is_empty() {
        return "-".to_owned();
    }
    if url.starts_with("filedesc") {
        return escape(url.as_bytes());
    }
    key(&url).unwrap_or_else(|| escape(url.as_bytes()))
}

fn key(url: &str) -> Option<String> {
    let (scheme, mut rest) = split_scheme(url).unwrap_or(("http", url));
    let mut scheme = scheme.to_ascii_lowercase();
    let is_web = scheme.starts_with("http");
    if is_web {
        rest = rest.trim_start_matches('/');
        // Some crawlers kept `http://https://example.com/`.
        while let Some((inner @ ("http" | "https"), behind)) = split_scheme(rest)
            && behind.starts_with("//")
        {
            (scheme, rest) = (inner.to_owned(), behind.trim_start_matches('/'));
        }
    }
    let rest = rest.split_once('#').map_or(rest, |(before, _)| before);
    let (before, query) = rest.split_once('?').map_or((rest, None), |(before, query)| (before, Some(query)));
    let with_host = if is_web { Some(before) } else { before.strip_prefix("//") };
    let (authority, path) = match with_host {
        Some(text) => text.split_at(text.find('/').unwrap_or(text.len())),
        None => ("", before),
    };
    let mut key = match authority {
        "" => scheme + ":",
        authority => host_key(authority, &scheme)? + ")",
    };
    let path =
        if authority.is_empty() { unescape(path.as_bytes()) } else { walked(&unescape(path.as_bytes())) };
    let path = escape(&path).to_ascii_lowercase();
    let path = without_path_session(&path);
    key.push_str(path.strip_suffix('/').filter(|rest| !rest.is_empty()).unwrap_or(&path));
    let query = query.map(query_key).unwrap_or_default();
    if !query.is_empty() {
        key.extend(["?", &query]);
    }
    Some(key)
}

/// A scheme, and what is behind its colon.
fn split_scheme(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.split_once(':')?;
    let is_scheme = scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    is_scheme.then_some((scheme, rest))
}

/// The reversed host and a port that is not the scheme's own. `None` if the port is no number.
fn host_key(authority: &str, scheme: &str) -> Option<String> {
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let bracket = authority.find(']').map_or(0, |at| at + 1);
    let (host, port) = match authority.get(bracket..)?.rfind(':') {
        Some(at) => (authority.get(..bracket + at)?, authority.get(bracket + at + 1..)?),
        None => (authority, ""),
    };
    let port: Option<u16> = if port.is_empty() { None } else { Some(port.parse().ok()?) };
    let host = host_name(host.trim_start_matches('[').trim_end_matches(']'));
    let digits =
        host.strip_prefix("www").map(|rest| rest.trim_start_matches(|digit: char| digit.is_ascii_digit()));
    let host = digits.and_then(|rest| rest.strip_prefix('.')).unwrap_or(&host);
    let mut parts: Vec<&str> = host.split('.').collect();
    parts.reverse();
    let mut key = parts.join(",");
    let own = match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    };
    if let Some(port) = port.filter(|port| Some(*port) != own) {
        // A string takes whatever is written.
        let _always = write!(key, ":{port}");
    }
    Some(key)
}

/// A host in lower case, international names in Punycode, and the forms of an IP address made one.
fn host_name(host: &str) -> String {
    let unescaped = unescape(host.as_bytes());
    let text = String::from_utf8_lossy(&unescaped).replace("..", ".");
    let text = text.trim_matches('.');
    match url::Host::parse(text) {
        Ok(url::Host::Domain(name)) => name,
        Ok(url::Host::Ipv4(address)) => address.to_string(),
        _ => escape(text.as_bytes()).to_ascii_lowercase(),
    }
}

/// A path without `.`, `..` and empty parts.
fn walked(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for part in path.split(|byte| *byte == b'/').skip(1) {
        match part {
            b"." => {}
            b".." if !kept.is_empty() => {
                kept.pop();
            }
            part => kept.push(part),
        }
    }
    let last = kept.pop().unwrap_or_default();
    let mut walked = vec![b'/'];
    for part in kept.into_iter().filter(|part| !part.is_empty()) {
        walked.extend_from_slice(part);
        walked.push(b'/');
    }
    walked.extend_from_slice(last);
    walked
}

/// A path without the session id that ASP.NET puts into it: `/(24 letters)/page.aspx`, or `/(S(24 letters))/page.aspx`.
fn without_path_session(path: &str) -> Cow<'_, str> {
    let is_id = |text: &str| text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_session = |part: &str| {
        let Some(inner) = part.strip_prefix('(').and_then(|part| part.strip_suffix(')')) else {
            return false;
        };
        let mut named = inner.split_terminator(')').peekable();
        let is_named = |text: &str| {
            let mut letters = text.chars();
            letters.next().is_some_and(|letter| letter.is_ascii_alphabetic())
                && letters.as_str().strip_prefix('(').is_some_and(is_id)
        };
        is_id(inner) || inner.ends_with(')') && named.peek().is_some() && named.all(is_named)
    };
    let mut at = path.len();
    while let Some(start) = path.get(..at).and_then(|before| before.rfind("/(")) {
        let part = path.get(start + 1..).unwrap_or_default();
        if let Some((part, page)) = part.split_once('/')
            && is_session(part)
            && page.find(".aspx").is_some_and(|at| at > 0)
        {
            return Cow::Owned([path.get(..=start).unwrap_or_default(), page].concat());
        }
        at = start;
    }
    Cow::Borrowed(path)
}

/// A query in lower case without session ids, its arguments sorted.
fn query_key(query: &str) -> String {
    let mut query = escape(&unescape(query.as_bytes())).to_ascii_lowercase();
    for remove in [jsessionid, phpsessid, sid, asp_session, cold_fusion] {
        // What follows the id is joined to what precedes it.
        if let Some((start, end)) = remove(&query) {
            query.replace_range(start..(end + 1).min(query.len()), "");
        }
    }
    let mut arguments: Vec<(&str, Option<&str>)> = query
        .split('&')
        .map(|argument| {
            argument.split_once('=').map_or((argument, None), |(name, value)| (name, Some(value)))
        })
        .collect();
    arguments.sort_unstable();
    let joined = |(name, value): (&str, Option<&str>)| {
        value.map_or_else(|| name.to_owned(), |value| [name, "=", value].concat())
    };
    arguments.into_iter().map(joined).collect::<Vec<String>>().join("&")
}

fn jsessionid(query: &str) -> Option<(usize, usize)> {
    named_id(query, "jsessionid=", 32)
}

fn phpsessid(query: &str) -> Option<(usize, usize)> {
    named_id(query, "phpsessid=", 32)
}

fn sid(query: &str) -> Option<(usize, usize)> {
    named_id(query, "sid=", 32)
}

/// The last place of a name with a value of so many letters and digits.
fn named_id(query: &str, name: &str, length: usize) -> Option<(usize, usize)> {
    query.rmatch_indices(name).find_map(|(at, name)| {
        let end = at + name.len() + length;
        let id = query.get(at + name.len()..end)?;
        let is_id = id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        (is_id && ends_argument(query, end)).then_some((at, end))
    })
}

/// `aspsessionid`, eight letters, `=`, 24 letters.
fn asp_session(query: &str) -> Option<(usize, usize)> {
    const NAME: &str = "aspsessionid";
    query.rmatch_indices(NAME).find_map(|(at, _)| {
        let rest = query.get(at + NAME.len()..)?;
        let (name, value) = (rest.get(..8)?, rest.get(8..33)?.strip_prefix('=')?);
        let end = at + NAME.len() + 33;
        let is_session = name.bytes().chain(value.bytes()).all(|byte| byte.is_ascii_alphabetic());
        (is_session && ends_argument(query, end)).then_some((at, end))
    })
}

/// `cfid=…&cftoken=…`, in this order.
fn cold_fusion(query: &str) -> Option<(usize, usize)> {
    query.rmatch_indices("cfid=").find_map(|(at, name)| {
        let value = at + name.len();
        let token = value + query.get(value..)?.find('&')?;
        let behind = query.get(token..)?.strip_prefix("&cftoken=")?;
        let length = behind.find('&').unwrap_or(behind.len());
        (token > value && length > 0).then_some((at, query.len() - behind.len() + length))
    })
}

fn ends_argument(query: &str, at: usize) -> bool {
    matches!(query.as_bytes().get(at), None | Some(b'&'))
}

/// Bytes with every `%XX` undone, also those that come about by undoing others. From the end to the beginning, so once is
/// enough.
fn unescape(bytes: &[u8]) -> Vec<u8> {
    let mut reversed: Vec<u8> = Vec::with_capacity(bytes.len());
    for mut byte in bytes.iter().copied().rev() {
        while byte == b'%'
            && let [.., low, high] = reversed[..]
            && let (Some(high), Some(low)) = (char::from(high).to_digit(16), char::from(low).to_digit(16))
        {
            reversed.truncate(reversed.len() - 2);
            byte = (high << 4 | low) as u8;
        }
        reversed.push(byte);
    }
    reversed.reverse();
    reversed
}

/// Escapes control characters, spaces, `#`, `%` and all bytes that are not ASCII.
fn escape(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        if byte.is_ascii_graphic() && !matches!(byte, b'#' | b'%') {
            text.push(char::from(*byte));
        } else {
            let _always = write!(text, "%{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Addresses and the keys that Python's surt 0.3.1 has for them, which pywb and cdxj-indexer use.
    const KEYS: &[(&str, &str)] = &[
        ("http://example.com/", "com,example)/"),
        ("http://example.com", "com,example)/"),
        ("example.com/x", "com,example)/x"),
        ("HTTP://EXAMPLE.com:80/A", "com,example)/a"),
        ("http://www2.Example.COM:80/A/B/", "com,example)/a/b"),
        ("https://example.com:8443/x", "com,example:8443)/x"),
        ("https://example.com:80/", "com,example:80)/"),
        ("http://example.com:/x", "com,example)/x"),
        ("http://www.com/", "com)/"),
        ("http://www.www.example.com/", "com,example,www)/"),
        ("http://user:pass@example.com/x", "com,example)/x"),
        ("http://a..example.com./x", "com,example,a)/x"),
        ("http://192.0.2.1/x", "1,2,0,192)/x"),
        ("http://1.2.3/x", "3,0,2,1)/x"),
        ("http://[2001:db8::1]:8080/x", "2001:db8::1:8080)/x"),
        ("http://b\u{fc}cher.example/x", "example,xn--bcher-kva)/x"),
        ("http://exa_mple.com/x", "com,exa_mple)/x"),
        ("http:///example.com/x", "com,example)/x"),
        ("http://https://example.com/x", "com,example)/x"),
        ("http://example.com?b=2&a=1", "com,example)/?a=1&b=2"),
        ("http://example.com/?b=2&a&a=&A=0", "com,example)/?a&a=&a=0&b=2"),
        ("http://example.com/x?a=b=c&a=b", "com,example)/x?a=b&a=b=c"),
        ("http://example.com/x?&&b&a", "com,example)/x?&&a&b"),
        ("http://example.com/x/?a", "com,example)/x?a"),
        ("http://example.com/x?", "com,example)/x"),
        ("http://example.com/x?a=%", "com,example)/x?a=%25"),
        ("http://example.com/a//b/./c/../d", "com,example)/a/b/d"),
        ("http://example.com/../../x", "com,example)/x"),
        ("http://example.com/a/b/..", "com,example)/a"),
        ("http://example.com/%7Eme/%2541%20x", "com,example)/~me/a%20x"),
        ("http://example.com/x%25%34%31", "com,example)/xa"),
        ("http://example.com/caf%C3%A9/\u{fc}", "com,example)/caf%c3%a9/%c3%bc"),
        ("http://example.com/%FF%00", "com,example)/%ff%00"),
        ("http://example.com/a%23b?c%23d", "com,example)/a%23b?c%23d"),
        ("http://example.com/a%3Fb", "com,example)/a?b"),
        ("http://example.com/a b\\c", "com,example)/a%20b\\c"),
        ("http://example.com/a?q=%C3%A9+x%26y#frag", "com,example)/a?q=%c3%a9+x&y"),
        ("http://example.com/x?a=1&sid=0123456789abcdef0123456789abcdef", "com,example)/x?&a=1"),
        ("http://example.com/x?jsessionid=0123456789abcdef0123456789abcdef&b=1", "com,example)/x?b=1"),
        ("http://example.com/x?PHPSESSID=0123456789ABCDEF0123456789abcdef", "com,example)/x"),
        ("http://example.com/x?sid=0123", "com,example)/x?sid=0123"),
        ("http://example.com/x?ASPSESSIONIDABCDEFGH=ABCDEFGHIJKLMNOPQRSTUVWX", "com,example)/x"),
        ("http://example.com/x?cfid=1&cftoken=2&z=1", "com,example)/x?z=1"),
        ("http://example.com/(4hqa0555fwsecu455xqckv45)/m.aspx?q", "com,example)/m.aspx?q"),
        (
            "http://example.com/(a(4hqa0555fwsecu455xqckv45)S(4hqa0555fwsecu455xqckv45))/m.aspx",
            "com,example)/m.aspx",
        ),
        (
            "http://example.com/(4hqa0555fwsecu455xqckv45)/m.html",
            "com,example)/(4hqa0555fwsecu455xqckv45)/m.html",
        ),
        ("http://example.com/x;jsessionid=0123", "com,example)/x;jsessionid=0123"),
        ("ftp://ftp.example.com/x", "com,example,ftp)/x"),
        ("metadata://example.com/x", "com,example)/x"),
        ("dns:example.com", "dns:example.com"),
        ("urn:newslode:X", "urn:newslode:x"),
        ("filedesc://x.arc", "filedesc://x.arc"),
        ("", "-"),
    ];

    #[test]
    fn keys_are_those_of_the_tools_that_look_for_them() {
        for (url, key) in KEYS {
            assert_eq!(surt(url), *key, "{url}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_its_own_key() {
        assert_eq!(surt("http://example.com:abc/x y"), "http://example.com:abc/x%20y");
    }

    #[test]
    fn escapes_within_escapes_take_linear_time() {
        let nested = format!("http://example.com/%{}41", "25".repeat(1 << 20));
        assert_eq!(surt(&nested), "com,example)/a");
    }

    proptest::proptest! {
        #[test]
        fn keys_are_ascii_without_spaces_and_keys_of_their_like(path in ".{0,30}", query in "[a-z0-9&=%]{0,30}") {
            let key = surt(&format!("https://www.example.com/{path}?{query}"));
            proptest::prop_assert!(key.bytes().all(|byte| byte.is_ascii_graphic()), "{key}");
            proptest::prop_assert_eq!(&key, &surt(&format!("http://EXAMPLE.com/{path}?{query}")));
        }
    }
}
